"""Points of this machine on the workers."""

from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from distributed import Client

import minirel
from minirel.dask import MiniReL
from minirel.dask.sending import in_a_file, sent
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights

N = 40_000  # three chunks


@pytest.mark.parametrize("way", ["sent", "in a file"])
def test_chunks_are_those_of_a_fit(way: str, threads: Client, tmp_path: Path) -> None:
    whole = np.random.default_rng(0).normal(size=(N, 4)).astype(np.float32)
    X = whole[:, 1:]  # neither in one piece nor from its start
    told: list[tuple[int, int]] = []
    if way == "sent":
        points = sent(X, threads, lambda *done: told.append(done))
        assert told == [(16_384, N), (32_768, N), (N, N)]
    else:
        points = in_a_file(X, tmp_path / "points", threads)
        assert (tmp_path / "points").stat().st_size == X.nbytes
    assert isinstance(points, da.Array)
    assert points.chunks == ((16_384, 16_384, 7_232), (3,))
    assert points.dtype == X.dtype
    np.testing.assert_array_equal(threads.compute(points, sync=True), X)


def test_groups_and_weights_that_were_read_before(threads: Client, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2)) + 4 * rng.integers(0, 3, size=(N, 1))
    groups, weights = rng.choice(["a", "b"], N, p=[0.7, 0.3]), rng.integers(1, 4, N)
    asked = {"n_clusters": 4, "beta": {"b": 1}, "random_state": 0, "gap": 1e-2}
    here = minirel.MiniReL(**asked).fit(X, sensitive_features=groups, sample_weight=weights)
    there = MiniReL(**asked).fit(
        in_a_file(X, tmp_path / "points", threads),
        sensitive_features=read_groups(groups),
        sample_weight=read_weights(weights, N),
    )
    back = there.to_local()
    assert type(back) is minirel.MiniReL
    assert back.get_params() == here.get_params()
    np.testing.assert_array_equal(back.labels_, here.labels_)
    assert vars(back).keys() == vars(here).keys()
    np.testing.assert_array_equal(back.predict(X), here.predict(X))
