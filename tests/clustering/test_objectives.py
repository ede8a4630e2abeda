"""Objectives: costs are distances, centers are the cheapest there are, and sparse data stays sparse."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix, random_array

from minirel import MiniReL
from minirel.clustering.objectives import OBJECTIVES, KMeansObjective, KMediansObjective

KINDS = tuple(OBJECTIVES)


def distances(X: np.ndarray, centers: np.ndarray, objective: str) -> np.ndarray:
    """Costs from the definition, in more than double precision."""
    difference = X.astype(np.longdouble)[:, None] - centers.astype(np.longdouble)
    each = difference**2 if objective == "k-means" else np.abs(difference)
    return each.sum(axis=2).astype(np.float64)


def points(seed: int, n: int = 40, n_features: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) + rng.choice([0, 5, 100]) * rng.integers(0, 2, size=(n, 1))
    return X, rng.normal(size=(4, n_features)) * 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_costs_are_distances(kind: str, seed: int) -> None:
    X, centers = points(seed)
    objective = OBJECTIVES[kind](X, None)
    expected = distances(X, centers, kind)
    np.testing.assert_allclose(objective.costs(centers), expected, rtol=1e-9, atol=1e-9)
    power = 2 if kind == "k-means" else 1
    np.testing.assert_allclose(objective.distances(X, centers) ** power, expected, rtol=1e-9, atol=1e-9)
    new = X[:7] + 1
    np.testing.assert_allclose(
        objective.distances(new, centers) ** power, distances(new, centers, kind), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_weights_do_not_change_costs_of_a_unit(kind: str) -> None:
    X, centers = points(1)
    weight = np.random.default_rng(0).random(len(X)) * 9
    np.testing.assert_array_equal(
        OBJECTIVES[kind](X, weight).costs(centers), OBJECTIVES[kind](X, None).costs(centers)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_data_and_centers_are_left_alone(kind: str) -> None:
    X, centers = points(2)
    before = X.copy(), centers.copy()
    objective = OBJECTIVES[kind](X, None)
    objective.costs(centers)
    objective.distances(X, centers)
    objective.centers(np.arange(len(X)) % 4, 4)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(centers, before[1])


@pytest.mark.parametrize("make", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("offset", [0, 1e4, 1e6, -1e8])
def test_an_offset_does_not_cost_precision(offset: float, make: Any) -> None:
    """All of the data far from the origin, and a center on a point, next to one, and elsewhere."""
    X, centers = points(0)
    X, centers = X + offset, centers + offset
    centers[0], centers[1] = X[3], np.nextafter(X[4], np.inf)
    exact = distances(X, centers, "k-means")
    np.testing.assert_allclose(KMeansObjective(make(X), None).costs(centers), exact, rtol=1e-10)
    roots = KMeansObjective(make(X), None).distances(make(X), centers)
    np.testing.assert_allclose(roots, np.sqrt(exact), rtol=1e-10)
    assert roots[3, 0] == 0


@pytest.mark.parametrize("make", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_single_precision_is_rounded_once(make: Any) -> None:
    X, centers = (array.astype(np.float32) for array in points(3))
    X[:, 0] += 1000
    centers[:, 0] += 1000
    costs = KMeansObjective(make(X), None).costs(centers)
    assert costs.dtype == np.float32
    np.testing.assert_allclose(costs, distances(X, centers, "k-means"), rtol=1e-7)


@pytest.mark.parametrize("apart", [1e3, 1e5, 1e7])
def test_blobs_far_apart_do_not_cost_precision(apart: float) -> None:
    """Tight blobs: distances within one are small beside all that cancels, and they decide the labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + apart * rng.integers(0, 2, size=(60, 1))
    model = MiniReL(4, random_state=0).fit(X)
    exact = distances(X, model.cluster_centers_, "k-means")
    assert model.inertia_ == pytest.approx(exact[np.arange(60), model.labels_].sum(), rel=1e-6)
    costs = KMeansObjective(X, None).costs(model.cluster_centers_)
    np.testing.assert_allclose(costs.min(axis=1), exact.min(axis=1), rtol=1e-5, atol=1e-5)


def test_single_precision_blobs() -> None:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200, 2)) + 300 * rng.integers(0, 2, size=(200, 1))).astype(np.float32)
    model = MiniReL(4, random_state=0).fit(X)
    exact = distances(X, model.cluster_centers_, "k-means")[np.arange(200), model.labels_].sum()
    assert model.inertia_ == pytest.approx(exact, rel=1e-5)
    costs = [record.cost for record in model.history_]
    assert costs == sorted(costs, reverse=True)


# Centers.


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_means(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X, _ = points(seed)
    labels = rng.permutation(np.arange(len(X)) % 4)
    weight = rng.choice([0, 0.5, 1, 3], size=len(X)) if weighted else None
    if weight is not None:
        weight[:8] = 2
        labels[:4] = range(4)
    centers = KMeansObjective(X, weight).centers(labels, 4)
    w = np.ones(len(X)) if weight is None else weight
    for k in range(4):
        for feature in range(X.shape[1]):
            inside = labels == k
            mean = math.fsum(w[inside] * X[inside, feature]) / math.fsum(w[inside])
            assert centers[k, feature] == pytest.approx(mean, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_centers_are_cheapest(kind: str, weighted: bool, seed: int) -> None:
    """No other center is cheaper: none of the points', for medians the optimum, nor any nearby."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(30, 2)).astype(float) if seed % 2 else rng.normal(size=(30, 2))
    labels = rng.permutation(np.r_[np.arange(3), rng.integers(0, 3, size=27)])
    weight = rng.integers(1, 5, size=30).astype(float) if weighted else None
    w = np.ones(30) if weight is None else weight
    centers = OBJECTIVES[kind](X, weight).centers(labels, 3)
    for k in range(3):
        inside = labels == k
        for feature in range(2):
            x, own = X[inside, feature], centers[k, feature]
            candidates = np.r_[x, own + np.array([-1, 1, -1e-3, 1e-3, -1e-6, 1e-6])]
            power = 2 if kind == "k-means" else 1
            cost = [math.fsum(w[inside] * np.abs(x - c) ** power) for c in (own, *candidates)]
            assert cost[0] <= min(cost[1:]) * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_whole_weights_are_repeated_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(25, 2)).astype(float)
    labels = np.r_[0, 1, 2, rng.integers(0, 3, size=22)]
    weight = rng.integers(0, 4, size=25)
    weight[:3] = 2
    for kind in KINDS:
        heavy = OBJECTIVES[kind](X, weight.astype(float)).centers(labels, 3)
        repeated = OBJECTIVES[kind](np.repeat(X, weight, axis=0), None)
        np.testing.assert_allclose(heavy, repeated.centers(np.repeat(labels, weight), 3), rtol=1e-12)


def test_medians_of_even_numbers_are_halfway() -> None:
    X = np.array([[0.0], [1], [4], [9], [5], [5]])
    labels = np.array([0, 0, 0, 0, 1, 1])
    assert KMediansObjective(X, None).centers(labels, 2).tolist() == [[2.5], [5.0]]
    assert KMediansObjective(X, np.ones(6)).centers(labels, 2).tolist() == [[2.5], [5.0]]
    uneven = KMediansObjective(X, np.array([1.0, 1, 1, 4, 1, 3]))
    assert uneven.centers(labels, 2).tolist() == [[9.0], [5.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_precision_stays(kind: str) -> None:
    X, centers = points(3)
    X32, centers32 = X.astype(np.float32), centers.astype(np.float32)
    objective = OBJECTIVES[kind](X32, np.ones(len(X)) * 2)
    assert objective.costs(centers32).dtype == np.float32
    assert objective.distances(X32, centers32).dtype == np.float32
    assert objective.centers(np.arange(len(X)) % 4, 4).dtype == np.float32
    np.testing.assert_allclose(
        objective.costs(centers32), distances(X32, centers32, kind), rtol=1e-3, atol=1e-3 * np.abs(X).max()
    )


# Sparse data.


@pytest.mark.parametrize("sparse", [csr_array, csr_matrix])
def test_sparse_is_dense(sparse: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)) * (rng.random((50, 6)) < 0.3)
    weight, labels, centers = rng.random(50), np.arange(50) % 3, rng.normal(size=(3, 6))
    for w in (None, weight):
        ours, dense = KMeansObjective(sparse(X), w), KMeansObjective(X, w)
        assert isinstance(ours.costs(centers), np.ndarray)
        np.testing.assert_allclose(ours.costs(centers), distances(X, centers, "k-means"), atol=1e-12)
        np.testing.assert_allclose(ours.centers(labels, 3), dense.centers(labels, 3), atol=1e-13)
        np.testing.assert_allclose(
            ours.distances(sparse(X[:5]), centers), dense.distances(X[:5], centers), atol=1e-7
        )
    with pytest.raises(AssertionError):
        KMediansObjective(sparse(X), None)


def peak_of_fit(n: int, n_features: int, n_clusters: int, **options: Any) -> tuple[float, MiniReL]:
    """Megabytes that a fair fit of sparse data takes at most."""
    rng = np.random.default_rng(0)
    density = 10 / n_features
    X = csr_array(random_array((n, n_features), density=density, format="csr", rng=rng))
    groups = rng.choice(["a", "b"], size=n)
    model = MiniReL(n_clusters, beta="statistical_parity", random_state=0, **options)
    model.fit(X[:50], sensitive_features=groups[:50])  # what is compiled or loaded on first use
    tracemalloc.start()
    try:
        model.fit(X, sensitive_features=groups)
        return tracemalloc.get_traced_memory()[1] / 1e6, model
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
def test_sparse_data_stay_sparse(init: str) -> None:
    """10,000 x 5,000 numbers would be 400 MB."""
    peak, model = peak_of_fit(10_000, 5_000, 4, init=init, max_iter=2)
    assert model.audit_.satisfied
    assert model.cluster_centers_.shape == (4, 5_000)
    assert peak < 100


@pytest.mark.parametrize("init", ["k-means", "k-means++", "random"])
@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
def test_few_rows_of_many_features_stay_sparse(init: str) -> None:
    """300 documents of 60,000 words would be 144 MB."""
    peak, model = peak_of_fit(300, 60_000, 3, init=init, max_iter=2)
    assert model.audit_.satisfied
    assert peak < 50


@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
def test_sparse_prediction_stays_sparse() -> None:
    _, model = peak_of_fit(2_000, 5_000, 3, init="random", max_iter=2)
    X = csr_array(random_array((20_000, 5_000), density=0.002, format="csr", rng=np.random.default_rng(1)))
    tracemalloc.start()
    try:
        labels = model.predict(X)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    some = slice(0, 200)
    exact = distances(X[some].toarray(), model.cluster_centers_, "k-means")
    np.testing.assert_array_equal(labels[some], exact.argmin(axis=1))


def test_k_medians_of_sparse_data_say_what_to_do() -> None:
    X = csr_array(np.eye(6))
    with pytest.raises(TypeError, match=r"sparse.*toarray.*k-means"):
        MiniReL(2, objective="k-medians").fit(X)
    model = MiniReL(2, objective="k-medians", random_state=0).fit(np.eye(6))
    for method in (model.predict, model.transform, model.score):
        with pytest.raises(TypeError, match=r"sparse.*toarray"):
            method(X)
