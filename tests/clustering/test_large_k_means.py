"""K-means over blocks: that of scikit-learn, without a copy of the data, whoever does the work."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from minirel import MiniReL
from minirel.clustering import initialise
from minirel.clustering.initialise import Start, first_centers
from minirel.clustering.large_k_means import large_k_means
from minirel.clustering.objectives import KMeansObjective
from minirel.points.workers import SERIAL, Workers
from minirel.solvers.limits import NO_DEADLINE, Deadline


def blobs(n: int = 20_000, dtype: type = np.float64, offset: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n, 3)) + 6 * rng.integers(0, 4, size=(n, 1)) * [1, -1, 1] + offset).astype(dtype)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("dtype", "offset"), [(np.float32, 0.0), (np.float64, 0.0), (np.float64, 1e6)])
def test_as_scikit_learn(dtype: type, offset: float, weighted: bool) -> None:
    X = blobs(dtype=dtype, offset=offset)
    weight = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float) if weighted else None
    first = X[np.random.default_rng(2).choice(len(X), 6, replace=False)]
    theirs = KMeans(6, init=first, n_init=1, tol=0).fit(X, sample_weight=weight)
    ours = large_k_means(X, weight, first, 0.0, SERIAL, NO_DEADLINE)
    assert ours.dtype == dtype
    scale = 1e-4 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(ours - offset, theirs.cluster_centers_ - offset, rtol=scale, atol=100 * scale)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minirel.points.workers._THREADS_FROM", 0)
    X = blobs(50_000)
    with Workers(2) as two:
        shared = large_k_means(X, None, X[:5], 1e-6, two, NO_DEADLINE)
        assert two._pool is not None
    np.testing.assert_array_equal(large_k_means(X, None, X[:5], 1e-6, SERIAL, NO_DEADLINE), shared)


def test_a_cluster_without_points_keeps_its_center() -> None:
    X = blobs(1_000)
    first = np.vstack([X[:3], [[1e3, 1e3, 1e3]]])
    centers = large_k_means(X, None, first, 0.0, SERIAL, NO_DEADLINE)
    np.testing.assert_array_equal(centers[3], first[3])


def test_it_ends_at_a_deadline_and_at_a_tolerance() -> None:
    X = blobs()
    first = X[:6]
    settled = large_k_means(X, None, first, 0.0, SERIAL, NO_DEADLINE)
    once = large_k_means(X, None, first, 0.0, SERIAL, Deadline(0.0))
    np.testing.assert_array_equal(large_k_means(X, None, first, np.inf, SERIAL, NO_DEADLINE), once)
    assert not np.array_equal(once, settled)


def test_data_are_neither_copied_nor_written_to(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """A memory map that is only read goes through a whole fit."""
    monkeypatch.setattr(initialise, "_LARGE", 1)
    path = f"{tmp_path}/points"
    blobs(3_000, np.float32).tofile(path)
    X = np.memmap(path, dtype=np.float32, mode="r", shape=(3_000, 3))
    groups = np.arange(3_000) % 2
    mapped = MiniReL(6, random_state=0).fit(X, sensitive_features=groups)
    np.testing.assert_array_equal(
        mapped.labels_, MiniReL(6, random_state=0).fit(np.array(X), sensitive_features=groups).labels_
    )
    assert mapped.audit_.satisfied


def test_a_larger_sample_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves little to do for the passes over all points, and the end is the same kind of optimum."""
    monkeypatch.setattr(initialise, "_LARGE", 1)
    X = blobs(30_000)
    objective = KMeansObjective(X, None)
    ends = {}
    for n_sampled in (1_000, 30_000):
        monkeypatch.setattr(initialise, "_LARGE_SAMPLE", n_sampled)
        begin = Start(X, None, objective, 4, 1e-6, np.random.RandomState(0))
        ends[n_sampled] = objective.costs(first_centers("k-means", begin)).min(axis=1).sum()
    assert ends[1_000] == pytest.approx(ends[30_000], rel=1e-3)


def test_samples_of_very_many_points_are_drawn_without_shuffling_them() -> None:
    drawn = initialise._drawn(np.random.RandomState(0), 10**15, 1_000)
    assert 990 <= len(drawn) <= 1_000
    assert (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(initialise._drawn(np.random.RandomState(0), 50, 50), np.arange(50))
