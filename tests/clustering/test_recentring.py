"""Moves after which both centers follow: what they save is what the clustering then costs less."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from minirel import MiniReL
from minirel.assignment.request import Request, read_request
from minirel.clustering.border import Border
from minirel.clustering.objectives import OBJECTIVES, KMeansObjective
from minirel.clustering.recentring import Means, Recentring, recentred_moves
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from thorough import often


def cost(X: np.ndarray, labels: np.ndarray, weight: np.ndarray) -> float:
    means = [np.average(X[labels == k], axis=0, weights=weight[labels == k]) for k in np.unique(labels)]
    place = np.searchsorted(np.unique(labels), labels)
    return float((weight * ((X - np.array(means)[place]) ** 2).sum(axis=1)).sum())


def asked(n: int, n_clusters: int, weight: np.ndarray | None = None, **more: object) -> Request:
    groups = read_groups(np.arange(n) % 2)
    options = {
        "alpha": 0.4,
        "beta": 0,
        "prefix": None,
        "allowed": None,
        "min_size": 1,
        "max_size": None,
    } | more
    return read_request(groups, read_weights(weight, n), n_clusters, **options)


@pytest.mark.parametrize("weighted", [False, True])
def test_factors_by_brute_force(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 2)), np.r_[0, 1, 2, 3, rng.integers(0, 4, 26)]
    weight = rng.integers(1, 6, 30).astype(float) if weighted else np.ones(30)
    objective = KMeansObjective(X, weight)
    costs = objective.costs(objective.centers(labels, 4))
    own, others = Recentring(objective, labels, 4, weight if weighted else None).costs(costs, np.arange(30))
    before = cost(X, labels, weight)
    for i in range(30):
        for k in set(range(4)) - {int(labels[i])}:
            moved = labels.copy()
            moved[i] = k
            saved = weight[i] * (own[i] - others[i, k])
            assert before - cost(X, moved, weight) == pytest.approx(saved)
        assert np.isinf(others[i, labels[i]])


def test_the_last_point_of_a_cluster_saves_nothing() -> None:
    X, labels = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])
    objective = KMeansObjective(X, None)
    costs = objective.costs(objective.centers(labels, 2))
    own, _ = Recentring(objective, labels, 2, None).costs(costs, np.arange(3))
    assert own.tolist() == [0.5, 0.5, 0.0]


@pytest.mark.parametrize("sparse", [False, True])
def test_every_move_lowers_the_cost_until_none_is_left(sparse: bool) -> None:
    for seed in range(often(4, 10)):
        rng = np.random.default_rng(seed)
        X, labels = rng.normal(size=(60, 3)), np.r_[np.arange(5), rng.integers(0, 5, 55)]
        data = csr_array(X) if sparse else X
        objective, request = KMeansObjective(data, None), asked(60, 5)
        best = cost(X, labels, np.ones(60))
        for _ in range(100):
            centers = objective.centers(labels, 5)
            parts = objective.costs(centers), np.arange(60), labels, objective, request
            better = recentred_moves(data, centers, *parts)
            if better is None:
                break
            now = cost(X, better, np.ones(60))
            assert now < best
            labels, best = better, now
        for i in range(60):
            for k in range(5):
                moved = labels.copy()
                moved[i] = k
                if (np.bincount(moved, minlength=5) > 0).all():
                    assert cost(X, moved, np.ones(60)) >= best - 1e-9


@pytest.mark.parametrize("weighted", [False, True])
def test_means_follow_many_sparse_points_that_stay_sparse(weighted: bool) -> None:
    """All 4,000 x 3,000 numbers would be 96 MB."""
    rng = np.random.default_rng(0)
    X = csr_array(random_array((4_000, 3_000), density=0.003, format="csr", rng=rng))
    weight = rng.integers(1, 4, 4_000).astype(float) if weighted else None
    before, after = rng.integers(0, 3, (2, 4_000))
    objective = KMeansObjective(X, weight)
    means = Means(X, objective.centers(before, 3), before, weight)
    tracemalloc.start()
    try:
        centers = means.follow(before, after)
        assert tracemalloc.get_traced_memory()[1] < 48e6
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(centers, objective.centers(after, 3), rtol=1e-9, atol=1e-12)


def test_promises_are_kept() -> None:
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(40, 2)), np.arange(40) // 10
    request = asked(40, 4, beta=4, alpha=0.5, max_size=10)
    objective = KMeansObjective(X, None)
    centers = objective.centers(labels, 4)
    # Each cluster is half and half, and full: nobody can move alone.
    parts = objective.costs(centers), np.arange(40), labels, objective, request
    assert recentred_moves(X, centers, *parts) is None
    free = asked(40, 4)
    assert recentred_moves(X, centers, *parts[:-1], free) is not None


def test_a_stronger_optimum_than_that_of_lloyd() -> None:
    """Each point is nearest to its own center, and yet one of them had better go."""
    X = np.array([[0.0], [2.0], [3.4], [3.4], [3.4], [3.4]])
    lloyd = np.array([0, 0, 1, 1, 1, 1])
    centers = KMeansObjective(X, None).centers(lloyd, 2)
    assert (KMeansObjective(X, None).costs(centers).argmin(axis=1) == lloyd).all()
    model = MiniReL(2, init=centers).fit(X)
    assert model.labels_.tolist() == [0, 1, 1, 1, 1, 1]
    assert model.inertia_ < 2


def test_medians_do_not_follow() -> None:
    X, labels = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    objective = OBJECTIVES["k-medians"](X, None)
    costs = objective.costs(X[:2])
    own, others = Recentring(objective, labels, 2, None).costs(costs, np.arange(20))
    np.testing.assert_array_equal(own, costs[np.arange(20), labels])
    np.testing.assert_array_equal(others[np.arange(20), 1 - labels], costs[np.arange(20), 1 - labels])
    parts = costs, np.arange(20), labels, objective, asked(20, 2)
    assert recentred_moves(X, X[:2], *parts) is None


@pytest.mark.parametrize("n_moved", [1, 5, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_whoever_is_not_on_the_border_has_no_move(n_moved: int, weighted: bool) -> None:
    """Also when clusters have become smaller or larger."""
    n_valid = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 2)) + 3 * rng.integers(0, 3, (400, 1))
        weight = rng.integers(1, 4, 400).astype(float) if weighted else None
        objective = KMeansObjective(X, weight)
        labels = objective.costs(X[:4]).argmin(axis=1)
        labels = objective.costs(objective.centers(labels, 4)).argmin(axis=1)
        centers = objective.centers(labels, 4)
        border = Border(objective, centers, objective.costs(centers), labels, weight)
        other = labels.copy()
        some = np.argsort(np.diff(np.sort(objective.costs(centers), axis=1)[:, :2], axis=1)[:, 0])[:n_moved]
        other[some] = int(rng.integers(4))
        moved = objective.centers(other, 4)
        near = border.points(moved, other)
        if near is None:
            continue
        n_valid += 1
        rest = np.setdiff1d(np.arange(400), near)
        own, others = Recentring(objective, other, 4, weight).costs(objective.costs(moved)[rest], rest)
        assert (own < others.min(axis=1)).all()
    assert n_valid > 0 or n_moved == 40
