"""Fits on a cluster: label for label those in memory."""

import os
import pickle
import signal
import threading
import time
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone

import minirel
from minirel.dask import MiniReL, WorkersLostError
from minirel.dask import cluster as cluster_module
from minirel.dask import points as points_module

HERE = {"threads_per_worker": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
N = 18_000  # two chunks, the last not of whole blocks; with six clusters enough for compiled code


def data(n: int = N, n_features: int = 3, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, n_features)) + 4 * rng.integers(0, 4, size=(n, 1))).astype(dtype)


def groups(n: int = N, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])


def same(ours: minirel.MiniReL, theirs: minirel.MiniReL) -> None:
    np.testing.assert_array_equal(np.asarray(ours.labels_), theirs.labels_)
    np.testing.assert_array_equal(ours.cluster_centers_, theirs.cluster_centers_)
    assert (ours.inertia_, ours.lower_bound_, ours.status_) == (
        theirs.inertia_,
        theirs.lower_bound_,
        theirs.status_,
    )
    assert ours.prefix_ == theirs.prefix_


two = np.column_stack([groups(), np.random.default_rng(2).choice(["x", "y"], N, p=[0.7, 0.3])])
whole_weights = np.random.default_rng(3).integers(0, 5, N)

# Sensitive features, weights and parameters.
REQUESTS: dict[str, tuple[np.ndarray | None, np.ndarray | None, dict[str, Any]]] = {
    "several groups": (two, None, {"beta": {"0=c": 1, "1=y": 2}}),
    "weights": (groups(), whole_weights, {"beta": {"b": 2}}),
    "sizes": (groups(), None, {"beta": {"b": 1}, "min_size": 2_000, "max_size": 4_000}),
    "a random start, local cost": (groups(), None, {"init": "random", "prefix": "local_cost"}),
    "free holders": (groups(), None, {"beta": {"b": 1}, "prefix": None, "gap": 0.05, "max_iter": 2}),
}


def chunked(values: np.ndarray | None, *chunks: int) -> Any:
    return None if values is None else da.from_array(values, chunks=chunks)


@pytest.mark.some(5)
@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", REQUESTS)
def test_requests(name: str, threads: Client) -> None:
    features, weight, options = REQUESTS[name]
    X, options = data(), {"random_state": 0, "gap": 1e-3, "max_iter": 2} | options
    local = minirel.MiniReL(6, **options).fit(X, sensitive_features=features, sample_weight=weight)
    on_cluster = MiniReL(6, **options).fit(
        chunked(X, 11_111, 2),
        sensitive_features=chunked(features, 17_000, *(1,) * (features is two)),
        sample_weight=chunked(weight, 17_999),
    )
    same(on_cluster, local)


def test_what_workers_know_is_not_sent_again(threads: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[np.ndarray] = []
    pack = points_module.packed

    def record(array: np.ndarray) -> Any:
        sent.append(array)
        return pack(array)

    monkeypatch.setattr(points_module, "packed", record)
    model = MiniReL(3, beta={"c": 1}, random_state=0, gap=0.01)
    model.fit(
        chunked(data(2_000), 700, 3),
        sensitive_features=chunked(groups(2_000), 900),
        sample_weight=chunked(whole_weights[:2_000], 2_000),
    )
    assert sent
    result = model.result_
    for known in (result.groups.signature, result.weights.units, result.weights.values):
        assert not any(np.shares_memory(array, known) for array in sent)


@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
def test_small_data_far_from_zero_with_weights_and_swaps(threads: Client) -> None:
    """Nothing is compiled here, and n_swaps compares with k-means, which has other groups."""
    n = 17_000
    X, features, weight = 1e6 + data(n, 2, np.float64), groups(n), whole_weights[:n] / 10
    options = {"beta": {"c": 1}, "random_state": 0, "n_swaps": 1, "max_iter": 2, "gap": 0.01}
    local = minirel.MiniReL(3, **options).fit(X, sensitive_features=features, sample_weight=weight)
    on_cluster = MiniReL(3, **options).fit(
        da.from_array(X, chunks=7_001),
        sensitive_features=da.from_array(features, chunks=n),
        sample_weight=da.from_array(weight, chunks=5_000),
    )
    same(on_cluster, local)
    np.testing.assert_array_equal(on_cluster.result_.trace.start.cost, local.result_.trace.start.cost)


def test_large_k_means_over_blocks(threads: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with 10,000,000 values: k-means never fetches all points."""
    monkeypatch.setattr("minirel.clustering.initialise._LARGE", 50_000)
    local = minirel.MiniReL(5, random_state=0).fit(data())
    on_cluster = MiniReL(5, random_state=0).fit(da.from_array(data(), chunks=9_000))
    same(on_cluster, local)
    with pytest.raises(ValueError, match="init must be 'k-means', 'random' or centers"):
        MiniReL(5, init="k-means++").fit(da.from_array(data(), chunks=9_000))


@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
def test_one_two_and_four_workers_of_which_some_are_killed(processes: Client) -> None:
    n = 17_000  # two chunks, with so few clusters nothing that new workers would have to compile
    X, features = data(n), groups(n)
    options: dict[str, Any] = {"beta": {"b": 1}, "random_state": 0, "max_iter": 2, "init": X[:4]}
    local = minirel.MiniReL(4, **options).fit(X, sensitive_features=features)

    def fit(chunks: int, client: Client = processes, callback: Any = None) -> MiniReL:
        model = MiniReL(4, **options, client=client, callback=callback)
        return model.fit(chunked(X, chunks, 3), sensitive_features=chunked(features, chunks))

    killed = []

    def kill(record: Any = None) -> None:
        pids = list(processes.run(os.getpid).values())
        if len(pids) > 1 and (record is None or record.iteration == 1):
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    same(fit(7_777, callback=kill), local)
    assert killed
    timer = threading.Timer(float(np.random.default_rng().uniform(0.0, 1.0)), kill)
    timer.start()
    same(fit(5_000), local)
    timer.join()
    processes.cluster.scale(1)
    while len(processes.nthreads()) > 1:
        time.sleep(0.05)
    same(fit(n), local)
    with LocalCluster(n_workers=4, **HERE) as cluster, Client(cluster, set_as_default=False) as client:
        same(fit(4_321, client), local)


def test_no_workers_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_LOOK", 0.1)
    monkeypatch.setattr(cluster_module, "_PATIENCE", 0.5)
    with LocalCluster(n_workers=1, **HERE) as cluster, Client(cluster) as client:

        def stop(record: object) -> None:
            cluster.scale(0)
            while client.nthreads():
                time.sleep(0.05)

        began = time.monotonic()
        with pytest.raises(WorkersLostError, match="no workers for"):
            MiniReL(3, random_state=0, callback=stop).fit(
                da.from_array(data(5_000), chunks=1_000),
                sensitive_features=da.from_array(groups(5_000), chunks=1_000),
            )
        assert time.monotonic() - began < 60


def test_the_model_afterwards(threads: Client) -> None:
    """Labels are lazy, and a model can be pickled and cloned; new points are as in memory."""
    X, features, weight = data(3_000), groups(3_000), whole_weights[:3_000]
    options = {"beta": {"b": 2, "c": 1}, "random_state": 0, "gap": 0.01}
    local = minirel.MiniReL(4, **options).fit(X, sensitive_features=features)
    chunked = da.from_array(X, chunks=((1_000, 0, 1_999, 1), 3))
    model = MiniReL(4, **options, client=threads).fit(chunked, sensitive_features=da.from_array(features))
    assert isinstance(model.labels_, da.Array)
    assert model.labels_.chunks == chunked.chunks[:1]
    assert model.get_params() == local.get_params() | {"client": threads}
    assert clone(model).client is threads
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    same(again, local)

    new, their, heavy = data(2_000, seed=8), groups(2_000, seed=9), weight[:2_000]
    parts, column = da.from_array(new, chunks=(701, 2)), da.from_array(their, chunks=500)
    np.testing.assert_array_equal(model.predict(parts).compute(), local.predict(new))
    np.testing.assert_array_equal(model.transform(parts).compute(), local.transform(new))
    np.testing.assert_array_equal(model.predict(new), local.predict(new))
    score = model.score(parts, sample_weight=da.from_array(heavy))
    assert score == pytest.approx(local.score(new, sample_weight=heavy))
    ours = model.assign(parts, column, sample_weight=da.from_array(heavy))
    theirs = local.assign(new, their, sample_weight=heavy)
    np.testing.assert_array_equal(ours.labels.compute(), theirs.labels)
    assert (ours.cost, ours.lower_bound) == pytest.approx((theirs.cost, theirs.lower_bound))


def test_a_callback_ends_a_fit(threads: Client) -> None:
    seen: list[Any] = []

    def stop(record: Any) -> bool:
        seen.append(record)
        return True

    model = MiniReL(4, random_state=0, callback=stop, beta={"c": 1})
    with pytest.warns(UserWarning, match="stopped by callback"):
        model.fit(da.from_array(data(3_000)), sensitive_features=da.from_array(groups(3_000)))
    assert len(seen) == 1
    assert model.audit_.satisfied
