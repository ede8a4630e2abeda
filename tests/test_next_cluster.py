"""One more cluster for a group: what it costs, or why it cannot be had."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from minirel import MiniReL, audit, fair_assignment, next_clusters

X, SPECIES = load_iris(return_X_y=True)


def test_extra_cost_is_that_of_a_fair_assignment_to_the_same_centers() -> None:
    model = MiniReL(6, beta={0: 1, 1: 1}, random_state=0).fit(X, sensitive_features=SPECIES)
    costs = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    rows = next_clusters(model, X)
    assert [row["group"] for row in rows] == [0, 1, 2]
    for row in rows:
        beta = {**model.beta_, row["group"]: row["beta"]}
        assert row["beta"] == model.beta_[row["group"]] + 1
        best = fair_assignment(costs, SPECIES, alpha=0.51, beta=beta, gap=0)
        assert audit(best.labels, SPECIES, beta=beta, n_clusters=6).satisfied
        # The clusters held now may stay held although others would be cheaper.
        assert row["cost"] >= best.cost - model.inertia_ - 1e-9
        assert row["cost"] <= 1.5 * best.cost


@pytest.mark.parametrize("weight", [None, np.arange(150) % 3 + 0.5])
def test_says_what_cannot_be_done(weight: np.ndarray | None) -> None:
    model = MiniReL(6, beta=2, random_state=0).fit(X, sensitive_features=SPECIES, sample_weight=weight)
    rows = next_clusters(model, X)
    assert [(row["group"], row["cost"]) for row in rows] == [(0, None), (1, None), (2, None)]
    assert all(row["why"] for row in rows)


def test_all_that_is_allowed() -> None:
    allowed = {0: [0, 1], 1: [2, 3], 2: [4, 5]}
    model = MiniReL(6, beta=2, allowed=allowed, random_state=0).fit(X, sensitive_features=SPECIES)
    assert {row["why"] for row in next_clusters(model, X)} == {"it has every cluster that it may have"}


def test_wants_the_points_of_the_fit() -> None:
    model = MiniReL(3, beta=1, random_state=0).fit(X, sensitive_features=SPECIES)
    with pytest.raises(ValueError, match="X must hold the 150 points"):
        next_clusters(model, X[:100])


def test_wants_the_points_in_their_order() -> None:
    model = MiniReL(3, beta=1, random_state=0).fit(X, sensitive_features=SPECIES)
    with pytest.raises(ValueError, match="in their order"):
        next_clusters(model, X[::-1])
