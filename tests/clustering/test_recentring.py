"""Moves after which both centers follow: what they save is what the clustering then costs less."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from minirel import MiniReL
from minirel.assignment.request import Request, read_request
from minirel.clustering.moves import Moves, PromiseState
from minirel.clustering.objectives import OBJECTIVES, KMeansObjective
from minirel.clustering.recentring import Means, recentred_costs, recentred_moves
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


def moved_alone(
    X: np.ndarray, labels: np.ndarray, objective: KMeansObjective, request: Request
) -> np.ndarray | None:
    """The labels after moves of single points; None if there are none."""
    state, centers = PromiseState(request, labels), objective.centers(labels, request.fairness.n_clusters)
    moves = recentred_moves(X, centers, objective.costs(centers), np.arange(len(labels)), labels, state)
    better = labels.copy()
    better[moves.points] = moves.target
    assert state.count.tolist() == PromiseState(request, better).count.tolist()
    return better if moves else None


@pytest.mark.parametrize("weighted", [False, True])
def test_factors_by_brute_force(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 2)), np.r_[0, 1, 2, 3, rng.integers(0, 4, 26)]
    weight = rng.integers(1, 6, 30).astype(float) if weighted else np.ones(30)
    objective = KMeansObjective(X, weight)
    costs = objective.costs(objective.centers(labels, 4))
    of_cluster = np.bincount(labels, weight)
    own, others = recentred_costs(costs, labels, weight if weighted else None, of_cluster)
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
    own, _ = recentred_costs(costs, labels, None, np.array([2.0, 1.0]))
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
            better = moved_alone(data, labels, objective, request)
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
    means = Means(X, objective.centers(before, 3), np.bincount(before, weight), weight)
    points = np.flatnonzero(before != after)
    tracemalloc.start()
    try:
        centers = means.follow(Moves(points, before[points], after[points]))
        assert tracemalloc.get_traced_memory()[1] < 48e6
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(centers, objective.centers(after, 3), rtol=1e-9, atol=1e-12)


def test_promises_are_kept() -> None:
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(40, 2)), np.arange(40) // 10
    request = asked(40, 4, beta=4, alpha=0.5, max_size=10)
    objective = KMeansObjective(X, None)
    # Each cluster is half and half, and full: nobody can move alone.
    assert moved_alone(X, labels, objective, request) is None
    assert moved_alone(X, labels, objective, asked(40, 4)) is not None


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
    costs = OBJECTIVES["k-medians"](X, None).costs(X[:2])
    own, others = recentred_costs(costs, labels, None, None)
    np.testing.assert_array_equal(own, costs[np.arange(20), labels])
    np.testing.assert_array_equal(others[np.arange(20), 1 - labels], costs[np.arange(20), 1 - labels])
