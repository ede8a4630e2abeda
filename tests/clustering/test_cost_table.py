"""Costs kept or computed anew: the same numbers, and so the same clustering."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from minirel import MiniReL
from minirel.assignment.costs import BLOCK, cheapest_clusters, column, own_costs
from minirel.clustering import cost_table as module
from minirel.clustering.cost_table import ComputedCosts, cost_table
from minirel.clustering.objectives import OBJECTIVES
from minirel.points.workers import Workers


def data(n: int, n_features: int, dtype: Any, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, n_features)) + 3 * rng.integers(0, 4, size=(n, 1))).astype(dtype)


@pytest.mark.parametrize("n", [50, BLOCK + 7, 3 * BLOCK])  # the last two are compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("objective", "sparse"), [("k-means", False), ("k-means", True), ("k-medians", False)]
)
def test_the_same_to_the_last_digit(objective: str, sparse: bool, dtype: Any, n: int) -> None:
    X = data(n, 13, dtype)
    known = OBJECTIVES[objective](csr_array(X) if sparse else X, None)
    centers, labels = X[:5].copy(), np.random.default_rng(1).integers(0, 5, size=n)
    with Workers(2) as workers:
        kept, costs = cost_table(known, centers, workers), ComputedCosts(known, centers)
        assert isinstance(kept, np.ndarray)
        assert costs.shape == kept.shape
        assert costs.dtype == kept.dtype == dtype
        some = np.random.default_rng(2).permutation(n)[:20]
        for points in (slice(3, 40), some, slice(n - 9, n)):
            np.testing.assert_array_equal(costs[points], kept[points])
        np.testing.assert_array_equal(own_costs(costs, labels, workers), kept[np.arange(n), labels])
        np.testing.assert_array_equal(column(costs, 3), kept[:, 3])
        for mine, theirs in zip(
            cheapest_clusters(costs, workers), cheapest_clusters(kept, workers), strict=True
        ):
            np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(cheapest_clusters(kept)[0], kept.argmin(axis=1))


def test_tables_up_to_a_limit_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    known = OBJECTIVES["k-means"](data(100, 3, np.float32), None)
    monkeypatch.setattr(module, "KEPT", 100 * 4 * 4)
    assert isinstance(cost_table(known, np.zeros((4, 3), dtype=np.float32)), np.ndarray)
    assert isinstance(cost_table(known, np.zeros((5, 3), dtype=np.float32)), ComputedCosts)


REQUESTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "local cost, swaps": {"prefix": "local_cost", "n_swaps": 3},
    "free holders": {"prefix": None, "gap": 0.05, "max_iter": 2},
    "medians": {"objective": "k-medians"},
    "sizes, small groups": {"beta": {2: 1}, "min_size": 20, "max_size": 400},
    "restarts": {"n_init": 2, "init": "random"},
}


@pytest.mark.some(6)
@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", REQUESTS)
def test_fits_are_the_same(name: str, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    X, groups = data(300, 3, np.float32), rng.choice(3, 300, p=[0.55, 0.35, 0.1])
    weight = rng.integers(1, 4, size=300) if weighted else None
    options = {"beta": {0: 2, 1: 1}, "random_state": 0} | REQUESTS[name]
    kept = MiniReL(5, **options).fit(X, sensitive_features=groups, sample_weight=weight)
    monkeypatch.setattr(module, "KEPT", 0)
    computed = MiniReL(5, **options).fit(X, sensitive_features=groups, sample_weight=weight)
    np.testing.assert_array_equal(computed.labels_, kept.labels_)
    assert computed.inertia_ == kept.inertia_
    assert computed.lower_bound_ == kept.lower_bound_


@pytest.mark.filterwarnings("ignore:stopped at max_iter:sklearn.exceptions.ConvergenceWarning")
def test_large_fits_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large enough for compiled code and threads."""
    X, groups = data(36_000, 4, np.float32), np.random.default_rng(5).choice(2, 36_000, p=[0.7, 0.3])

    def fit(kept: int, n_jobs: int) -> MiniReL:
        monkeypatch.setattr(module, "KEPT", kept)
        return MiniReL(30, random_state=0, max_iter=2, n_jobs=n_jobs).fit(X, sensitive_features=groups)

    first = fit(2**40, 1)
    for other in (fit(0, 2), fit(2**40, 2)):
        np.testing.assert_array_equal(other.labels_, first.labels_)
        assert other.inertia_ == first.inertia_
