"""Iris, with the species as groups: three solvers, one optimum."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from minirel import Assignment, fair_assignment

PRESETS = ("statistical_parity", "equality_of_opportunity")


@cache
def squared_distances(n_clusters: int) -> np.ndarray:
    points, _ = load_iris(return_X_y=True)
    return KMeans(n_clusters, n_init=1, random_state=0).fit(points).transform(points) ** 2


def species() -> np.ndarray:
    iris = load_iris()
    return iris.target_names[iris.target]


def solve(n_clusters: int, preset: str, **options: Any) -> Assignment:
    call = {"alpha": 0.51, "beta": preset, "prefix": "local_cost", "gap": 0}
    return fair_assignment(squared_distances(n_clusters), species(), **{**call, **options})


def check_share(n_clusters: int, answer: Assignment) -> None:
    """Every species has a majority, 51%, where it was promised, and a third of the clusters."""
    names = species()
    for name, k in answer.prefix:
        inside = answer.labels == k
        assert 100 * int((inside & (names == name)).sum()) >= 51 * int(inside.sum()) > 0
    for name in np.unique(names):
        assert sum(group == name for group, _ in answer.prefix) == n_clusters // 3


@pytest.mark.parametrize("n_clusters", range(4, 13))
@pytest.mark.parametrize("preset", PRESETS)
def test_certified_and_gurobi_agree(n_clusters: int, preset: str) -> None:
    ours, gurobi = solve(n_clusters, preset), solve(n_clusters, preset, solver="gurobi")
    for answer in (ours, gurobi):
        check_share(n_clusters, answer)
        assert answer.status == "optimal"
        assert answer.covers == "prefix"
    # Both solve for the same holders.
    assert ours.prefix == gurobi.prefix
    assert ours.cost == pytest.approx(gurobi.cost, rel=1e-9)


@pytest.mark.parametrize("n_clusters", range(4, 7))
@pytest.mark.parametrize("preset", PRESETS)
def test_certified_and_highs_agree(n_clusters: int, preset: str) -> None:
    highs = solve(n_clusters, preset, solver="highs")
    assert highs.status == "optimal"
    assert solve(n_clusters, preset).cost == pytest.approx(highs.cost, rel=1e-9)


@pytest.mark.parametrize("n_clusters", range(4, 13))
def test_default_gap_holds(n_clusters: int) -> None:
    best = solve(n_clusters, "statistical_parity").cost
    answer = solve(n_clusters, "statistical_parity", gap=1e-4)
    assert answer.lower_bound <= best * (1 + 1e-12)
    assert best <= answer.cost * (1 + 1e-12)
    assert answer.gap <= 1e-4


def test_fairness_has_a_price_on_iris() -> None:
    """Somewhere the nearest centers are unfair, else the tests above compare nothing."""
    dearer = [
        solve(n_clusters, "statistical_parity").cost > 1.001 * squared_distances(n_clusters).min(axis=1).sum()
        for n_clusters in range(4, 13)
    ]
    assert sum(dearer) >= 2


def test_strategies_choose_holders_that_can_be_kept() -> None:
    costs = {
        strategy: solve(7, "statistical_parity", prefix=strategy).cost
        for strategy in ("local_cost", "weighted_proportion", "proportion")
    }
    free = solve(7, "statistical_parity", prefix=None).cost
    assert free <= min(costs.values()) * (1 + 1e-9)
