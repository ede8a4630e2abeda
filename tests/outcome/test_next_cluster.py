"""One more cluster for a group: what it costs, or why it cannot be had."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from minirel import InfeasibleFairnessError, MiniReL, audit, fair_assignment, next_clusters

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


def test_every_row_says_what_it_is() -> None:
    model = MiniReL(6, beta={0: 1, 1: 1}, random_state=0).fit(X, sensitive_features=SPECIES)
    for row in next_clusters(model, X):
        assert list(row) == ["group", "beta", "status", "cost", "why"]
        assert (row["status"], row["why"]) == ("computed", "")
        assert row["cost"] is not None
    model = MiniReL(6, beta=2, random_state=0).fit(X, sensitive_features=SPECIES)
    assert {row["status"] for row in next_clusters(model, X)} == {"impossible"}


def test_what_counted_limits_leave_out_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    species = np.where(np.arange(150) < 5, 3, SPECIES)  # the group 0 is smaller than 1 and 2
    model = MiniReL(6, beta={1: 1}, random_state=0).fit(X, sensitive_features=species)
    whole = next_clusters(model, X)
    monkeypatch.setattr("minirel.outcome.next_cluster._MOST_GROUPS", 2)
    rows = next_clusters(model, X)
    assert [row["status"] for row in rows] == ["not computed", "computed", "computed", "not computed"]
    assert rows[1:3] == whole[1:3]
    assert rows[0]["why"] == "only the 2 largest of 4 groups are worked out"
    monkeypatch.setattr("minirel.outcome.next_cluster._MOST_COSTS", 1)
    assert [row["status"] for row in next_clusters(model, X)].count("computed") == 1


def test_a_time_limit_is_the_users() -> None:
    model = MiniReL(6, beta={1: 1}, random_state=0).fit(X, sensitive_features=SPECIES)
    for row in next_clusters(model, X, time_limit=1e-9):
        assert (row["status"], row["cost"]) == ("not computed", None)
        assert row["why"] == "the time limit of 1e-09 seconds was over"
    with pytest.raises(ValueError, match="time_limit must be a number above 0, but is -1"):
        next_clusters(model, X, time_limit=-1)


def test_what_the_solver_did_not_find_is_not_called_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MiniReL(6, beta={1: 1}, random_state=0).fit(X, sensitive_features=SPECIES)

    def nothing(*args: object) -> None:
        raise InfeasibleFairnessError("none was found")

    monkeypatch.setattr("minirel.outcome.next_cluster.solve", nothing)
    for row in next_clusters(model, X):
        assert (row["status"], row["cost"], row["why"]) == ("not computed", None, "none was found")


def test_what_makes_a_cluster_count_holds_for_the_next_one_too() -> None:
    asked = {"alpha": 0.51, "beta": {0: 1, 1: 1}, "min_members": 8, "exclusive": True}
    model = MiniReL(6, random_state=0, **asked).fit(X, sensitive_features=SPECIES)
    costs = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    for row in next_clusters(model, X):
        assert row["status"] == "computed"
        beta = {**model.beta_, row["group"]: row["beta"]}
        best = fair_assignment(costs, SPECIES, **{**asked, "beta": beta}, gap=0)
        assert row["cost"] >= best.cost - model.inertia_ - 1e-9


def test_exclusive_clusters_run_out() -> None:
    overlapping = {"low": (X[:, 0] < 6).tolist(), "narrow": (X[:, 1] < 4).tolist()}
    asked = {"alpha": 0.5, "beta": {"low": 2, "narrow": 2}}
    shared = MiniReL(4, random_state=0, **asked).fit(X, sensitive_features=overlapping)
    assert {row["status"] for row in next_clusters(shared, X)} == {"computed"}
    alone = MiniReL(4, random_state=0, exclusive=True, **asked).fit(X, sensitive_features=overlapping)
    for row in next_clusters(alone, X):
        assert row["status"] == "impossible"
        assert "each cluster counting for one group only" in row["why"]


def test_too_few_members_for_one_more() -> None:
    model = MiniReL(4, beta={0: 2}, min_members=20, random_state=0).fit(X, sensitive_features=SPECIES)
    row = next_clusters(model, X)[0]
    assert (row["beta"], row["status"]) == (3, "impossible")  # 3 x 20 of 50
    assert "20" in row["why"]
