"""Requests of many overlapping groups, for which holders are hard to find beforehand."""

import contextlib

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from minirel import InfeasibleFairnessError, MiniReL, NothingFoundError, fair_assignment
from minirel.assignment import branch_and_bound
from minirel.assignment.holders import free_choice
from minirel.promises.feasibility.counts import Choice, CountProgram
from promptly import promptly
from thorough import often


def people(n: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Points, and three columns of groups, of which the smallest has two members."""
    rng = np.random.default_rng(0)
    race = rng.choice(list("ABCDEF"), n, p=[0.745, 0.19, 0.02, 0.015, 0.02, 0.01])
    gender = rng.choice(["F", "M"], n)
    gender[:2] = "U"
    age = rng.choice(10, n, p=[0.004, 0.008, 0.016, 0.04, 0.09, 0.17, 0.22, 0.25, 0.177, 0.025])
    return rng.normal(size=(n, 2)), {"race": race, "gender": gender, "age": age}


def test_nineteen_groups_in_ten_clusters() -> None:
    """Every age, race and gender has its majority somewhere, that of two members, too."""
    X, groups = people(often(500, 12_000))
    model = MiniReL(10, beta=1, gap=0.05, max_iter=5, init="random", random_state=0)
    promptly(lambda: model.fit(X, sensitive_features=groups), seconds=300)
    assert model.audit_.satisfied
    assert model.gap_ < 0.1


@pytest.mark.filterwarnings("ignore:stopped at time_limit")
def test_a_time_limit_is_kept_with_hundreds_of_groups() -> None:
    """Steps to better prices, of which there are 75 at first, used to take seconds each."""
    rng = np.random.default_rng(1)
    X, groups = rng.normal(size=(5_000, 4)), rng.integers(0, 681, 5_000)
    model = MiniReL(8, beta=1, alpha=0.001, time_limit=1, random_state=0)
    promptly(lambda: model.fit(X, sensitive_features=groups), seconds=20)
    assert model.audit_.satisfied


@pytest.mark.filterwarnings("ignore:stopped at time_limit")
def test_a_limit_has_one_grace_for_all_that_look_for_labels() -> None:
    """There are labels that keep 200 shares in each of 20 clusters, but they take their time to find."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 5))
    groups = np.clip((0.5 * X[:, 0] + rng.normal(size=20_000)) * 200 / 6 + 100, 0, 199).astype(int)
    n_members = np.bincount(groups)
    least = {g: 0.3 * n / 20_000 for g, n in enumerate(n_members) if n >= 20}
    model = MiniReL(20, beta=0, min_share=least, time_limit=1, random_state=0)
    with contextlib.suppress(NothingFoundError):  # on a slow machine
        promptly(lambda: model.fit(X, sensitive_features=groups), seconds=20)
        assert model.audit_.satisfied
    too_few = {**least, int(n_members.argmin()): 1e-4}
    with pytest.raises(InfeasibleFairnessError, match="a member in each of the 20, but it has 4"):
        MiniReL(20, beta=0, min_share=too_few).fit(X, sensitive_features=groups)


def test_any_holders_where_the_cheapest_are_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    X, groups = people(400)
    costs = ((X[:, None] - X[:8]) ** 2).sum(axis=2)
    beta = dict.fromkeys("ABC", 1)
    choose = CountProgram.choose

    def without_costs(self: CountProgram, cost: np.ndarray | None = None, **options: object) -> Choice:
        return Choice(None, False) if cost is not None else choose(self, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(CountProgram, "choose", without_costs)
    found = fair_assignment(costs, groups["race"], alpha=0.51, beta=beta, prefix="local_cost")
    assert found.covers == "prefix"
    # Clusters are alike, so that "A" need not have the first of them, but gets one where it costs nothing.
    at_random = fair_assignment(
        costs, groups["race"], alpha=0.51, beta=beta, prefix=[("A", 0), ("B", 1), ("C", 2)]
    )
    assert found.cost < at_random.cost
    # Where they are not alike, what is asked by name stays.
    kept = fair_assignment(
        costs,
        groups["race"],
        alpha=0.51,
        beta=beta,
        allowed={"A": [7], "B": [0, 1], "C": [3, 5]},
        prefix="local_cost",
    )
    assert set(kept.prefix) <= {("A", 7), ("B", 0), ("B", 1), ("C", 3), ("C", 5)}


def test_a_search_without_labels_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    X, groups = people(400)
    costs = ((X[:, None] - X[:4]) ** 2).sum(axis=2)
    monkeypatch.setattr(free_choice, "_SMALL", 0)
    monkeypatch.setattr(free_choice, "_MAX_UNLABELLED", 0)
    monkeypatch.setattr(free_choice.HolderSearch, "_first_answer", lambda *args: None)
    asked = {"alpha": 0.51, "beta": {"A": 2, "B": 2}, "prefix": None}
    # However many points there are, it dives far enough to find some.
    assert fair_assignment(costs, groups["race"], **asked).certificate.represented.sum() >= 4
    monkeypatch.setattr(free_choice, "_MIN_UNLABELLED", 0)
    with pytest.raises(NothingFoundError, match="within the effort of the search"):
        fair_assignment(costs, groups["race"], **asked)


def catalogue(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Titles, of which every one has a country or several, out of eleven."""
    rng = np.random.default_rng(0)
    size = np.array([0.4, 0.15, 0.08, 0.07, 0.05, 0.06, 0.05, 0.05, 0.03, 0.03, 0.03])
    membership = np.zeros((n, len(size)), dtype=bool)
    for point in membership:
        n_values = 1 + (rng.random() < 0.25) + (rng.random() < 0.05)
        point[rng.choice(len(size), n_values, replace=False, p=size / size.sum())] = True
    return rng.random((n, 4)) - 0.02 * membership.argmax(axis=1)[:, None], membership


def test_holders_that_whole_points_keep() -> None:
    """Eleven overlapping groups would all hold clusters of one point, if points could be divided."""
    X, membership = catalogue(1_500)
    costs = ((X[:, None] - X[:12]) ** 2).sum(axis=2)
    ask = {"alpha": 0.51, "beta": 1}
    chosen = promptly(lambda: fair_assignment(costs, membership, prefix="assignment", **ask), seconds=60)
    by_local_cost = fair_assignment(costs, membership, prefix="local_cost", **ask)
    assert chosen.status == "within gap"
    assert chosen.covers == "prefix"
    assert chosen.cost < by_local_cost.cost


def test_a_choice_among_very_many_holders_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are 12 ** 11 choices of holders: the search ends with the best it has seen, and says so."""
    X, membership = catalogue(1_500)
    costs = ((X[:, None] - X[:12]) ** 2).sum(axis=2)
    chosen = fair_assignment(costs, membership, alpha=0.51, beta=1, prefix="assignment")
    monkeypatch.setattr(free_choice, "_VISITED", 10_000_000)
    with pytest.warns(ConvergenceWarning, match="effort of the search was spent"):
        free = promptly(lambda: fair_assignment(costs, membership, alpha=0.51, beta=1), seconds=60)
    assert free.status == "effort limit"
    assert free.lower_bound < free.cost <= chosen.cost


def test_a_proof_that_takes_long_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small clusters in which most groups have their share are a puzzle: labels are found, hardly a proof."""
    X, membership = catalogue(1_500)
    model = MiniReL(8, alpha=0.3, beta="statistical_parity", random_state=0)
    monkeypatch.setattr(branch_and_bound, "_WORK", 1_000_000)
    monkeypatch.setattr(branch_and_bound, "_WORK_BY_COSTS", 1)
    with pytest.warns(ConvergenceWarning, match="effort of the search was spent"):
        promptly(lambda: model.fit(X, sensitive_features=membership), seconds=100)
    assert model.status_ == "effort limit"
    assert model.audit_.satisfied
    assert model.lower_bound_ < model.inertia_
