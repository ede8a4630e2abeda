"""The border: whoever is not looked at keeps its cluster while centers hardly move."""

import numpy as np
import pytest

from minirel.clustering import border as module
from minirel.clustering.border import Border
from minirel.clustering.objectives import OBJECTIVES, KMeansObjective
from minirel.clustering.recentring import recentred_costs

NOBODY = np.empty(0, dtype=np.intp)


@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
@pytest.mark.parametrize("step", [1e-4, 1e-2, 1.0])
def test_points_that_are_not_near_do_not_wish_to_move(objective: str, step: float) -> None:
    n_held = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, centers = rng.normal(size=(300, 3)), rng.normal(size=(4, 3))
        of_points = OBJECTIVES[objective](X, None)
        costs = of_points.costs(centers)
        labels = costs.argmin(axis=1)
        border = Border(of_points, centers, costs, labels)
        for _ in range(5):
            centers = centers + step * rng.normal(size=centers.shape)
            near = border.points(centers, None, NOBODY)
            if near is None:
                break
            n_held += 1
            assert len(near) < 150
            others = np.setdiff1d(np.arange(300), near)
            np.testing.assert_array_equal(of_points.costs(centers).argmin(axis=1)[others], labels[others])
            border.update(of_points.costs(centers, near), labels[near])
    assert (n_held > 50) == (step < 1e-3) or step == 1e-2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_moved", [1, 5, 40])
def test_whoever_is_not_near_has_no_move(n_moved: int, weighted: bool) -> None:
    """Also when clusters have become smaller or larger, round after round."""
    n_valid = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 2)) + 3 * rng.integers(0, 3, (400, 1))
        weight = rng.integers(1, 4, 400).astype(float) if weighted else None
        objective = KMeansObjective(X, weight)
        labels = objective.costs(X[:4]).argmin(axis=1)
        labels = objective.costs(objective.centers(labels, 4)).argmin(axis=1)
        centers, of_cluster = objective.centers(labels, 4), np.bincount(labels, weight, 4).astype(float)
        border = Border(objective, centers, objective.costs(centers), labels, of_cluster, weight)
        near, moved = border.near, NOBODY
        for _ in range(6):
            if len(near):
                moved = np.sort(rng.choice(near, min(n_moved, len(near)), replace=False))
                labels[moved] = int(rng.integers(4))
            of_cluster = np.bincount(labels, weight, 4).astype(float)
            if not of_cluster.all():
                break
            centers = objective.centers(labels, 4)
            found = border.points(centers, of_cluster, moved)
            if found is None:
                break
            near, n_valid = found, n_valid + 1
            assert np.isin(moved, near).all()
            costs = objective.costs(centers)
            own, others = recentred_costs(costs, labels, weight, of_cluster)
            rest = np.setdiff1d(np.arange(400), near)
            assert (own < others.min(axis=1))[rest].all()
            border.update(costs[near], labels[near])
    assert n_valid > 30 or n_moved == 40


def test_weights_that_change_where_centers_do_not() -> None:
    """A point at the center of its cluster leaves it: that has become cheaper to join for another."""
    same, pair, far = [0.0, -1.0, 1.0], [2.0, 2 + 2 * np.sqrt(1.42)], [1000.0] * 20
    X, labels = np.r_[same, same, pair, far][:, None], np.repeat([0, 1, 2, 3], [3, 3, 2, 20])
    objective = KMeansObjective(X, None)
    centers, before = np.array([[0.0], [0.0], [np.mean(pair)], [1000.0]]), np.array([3.0, 3.0, 2.0, 20.0])
    costs = objective.costs(centers)
    border = Border(objective, centers, costs, labels, before)
    assert 6 not in border.near
    labels[0], after = 1, np.array([2.0, 4.0, 2.0, 20.0])
    own, others = recentred_costs(costs, labels, None, after)
    assert own[6] > others[6, 0]
    near = border.points(centers, after, np.array([0]))
    assert near is not None
    assert 6 in near
    assert not {8, 27} & set(near.tolist())


def test_leads_are_measured_again() -> None:
    """Once it was looked at, a point rests until centers have moved by its new lead."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 3))
    objective, centers = KMeansObjective(X, None), X[:4]
    costs = objective.costs(centers)
    labels = costs.argmin(axis=1)
    border = Border(objective, centers, costs, labels)
    n_near = []
    for _ in range(6):
        near = border.points(centers, None, NOBODY)
        assert near is not None
        n_near.append(len(near))
        border.update(objective.costs(centers, near), labels[near])
        centers = X[:4] + 0.005 if len(n_near) == 1 else centers + 1e-7
    assert n_near[0] == 0
    assert n_near[1] > 30
    really = int((objective.costs(centers).argmin(axis=1) != labels).sum())
    assert 0 < really <= n_near[2] <= n_near[-1] < really + 5


def test_without_a_metric_everyone_is_near() -> None:
    X = np.arange(20.0)[:, None]
    of_points = OBJECTIVES["k-means"](X, None)
    of_points.metric_power = None
    centers = np.array([[2.0], [15.0]])
    costs = of_points.costs(centers)
    labels = costs.argmin(axis=1)
    border = Border(of_points, centers, costs, labels)
    border.update(costs, labels)
    assert border.points(centers + 100, None, NOBODY).tolist() == list(range(20))


def test_many_who_are_cheaper_elsewhere_leave_room_for_others() -> None:
    """Held by promises, they are near all the time; beside them, a share of the others is watched."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000, 2))
    objective, centers = KMeansObjective(X, None), rng.normal(size=(3, 2))
    costs = objective.costs(centers)
    labels = costs.argmin(axis=1)
    labels[:400] = costs[:400].argmax(axis=1)
    border = Border(objective, centers, costs, labels)
    near = border.points(centers + 1e-4, None, NOBODY)
    assert near is not None
    assert set(range(400)) <= set(near.tolist())
    assert len(near) < 410


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
def test_compiled_leads_are_those_of_numpy(objective: str, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    X, centers = rng.normal(size=(1_000, 3)).astype(np.float32), rng.normal(size=(6, 3)).astype(np.float32)
    weight = rng.integers(1, 4, 1_000).astype(float) if weighted else None
    of_points = OBJECTIVES[objective](X, weight)
    costs = of_points.costs(centers)
    labels = np.r_[np.zeros(995, dtype=np.intp), np.arange(1, 6)]  # five clusters of one point
    of_cluster = np.bincount(labels, weight).astype(float) if of_points.centers_are_means else None
    near = []
    for compile_from in (10**9, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "COMPILE_FROM", compile_from)
            border = Border(of_points, centers, costs, labels, of_cluster, weight)
            found = border.points(centers + np.float32(1e-3), of_cluster, NOBODY)
            near.append((border.near.tolist(), None if found is None else found.tolist()))
    assert near[0] == near[1]
    assert 0 < len(near[0][0]) < 1_000
