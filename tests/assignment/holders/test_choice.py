"""The pre-fix: costs of holders, their choice, and what users write."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from every_clustering import Case, make_groups, random_case
from minirel.assignment.holders import choice
from minirel.assignment.holders.choice import choose_holders, read_prefix
from minirel.assignment.holders.costs import PREFIX_COSTS, Snapshot
from minirel.points.errors import InfeasibleFairnessError
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.promises.feasibility.counts import Choice, CountProgram
from thorough import often

# Points 0 to 2 are nearest to cluster 0, the others to cluster 1.
COSTS = np.array(
    [
        [1.0, 20.0],
        [2.0, 11.0],
        [3.0, 10.0],
        [30.0, 1.0],
        [50.0, 2.0],
        [40.0, 3.0],
    ]
)
# Group A is point 0 and all of cluster 1; group B the other two.
MEMBERSHIP = np.array([[1, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0]], dtype=bool)


def price(
    strategy, *, alpha, costs=COSTS, membership=MEMBERSHIP, labels=None, sample_weight=None, seed=0, **more
):
    groups = make_groups(membership)
    weights = read_weights(sample_weight, len(costs))
    fairness = read_fairness(groups, weights, costs.shape[1], alpha=alpha, beta=1, **more)
    labels = costs.argmin(1) if labels is None else np.asarray(labels)
    now = Snapshot(costs, labels, groups, weights, fairness)
    return PREFIX_COSTS[strategy](now, np.random.RandomState(seed))


# Prices by hand


def test_proportion():
    assert price("proportion", alpha=0.5) == pytest.approx(np.array([[1 / 6, 0], [0, 1 / 2]]))
    weights = [3, 1, 1, 1, 1, 1]
    assert price("proportion", alpha=0.75, sample_weight=weights) == pytest.approx(
        np.array([[0.75 - 3 / 5, 0], [0.75 - 2 / 5, 0.75]])
    )


def test_weighted_proportion():
    assert price("weighted_proportion", alpha=0.5) == pytest.approx(np.array([[1 / 2, 0], [0, 3 / 2]]))
    weights = np.array([3, 1, 1, 1, 1, 1]) * 0.25
    assert price("weighted_proportion", alpha=0.75, sample_weight=weights) == pytest.approx(
        np.array([[(0.75 * 5 - 3) / 4, 0], [(0.75 * 5 - 2) / 4, 0.75 * 3 / 4]])
    )


def test_a_share_that_is_just_reached_costs_nothing():
    labels, costs = np.zeros(100, dtype=int), np.ones((100, 1))
    for strategy in ("proportion", "weighted_proportion", "local_cost"):
        table = price(
            strategy, alpha=0.07, costs=costs, membership=(np.arange(100) < 7)[:, None], labels=labels
        )
        assert table == 0


def test_local_cost():
    # A lacks half a point of cluster 0, so the nearest one comes. B lacks 1.5 points of cluster 1, for which
    # 3 would have to come of 2 there are: instead all three leave for cluster 0, and the nearest of B comes.
    table = price("local_cost", alpha=0.5)
    np.testing.assert_array_equal(table, [[30, 0], [0, 30 + 50 + 40 + 10]])
    # A has 1 of 3 in cluster 0. For 3/4 of it, 1.25 / 0.25 = 5 would have to come of 3 there are: instead
    # both others leave for cluster 1.
    assert price("local_cost", alpha=0.75)[0, 0] == 11 + 10
    # For 0.4 it takes 0.2 / 0.6 of a point, so 1 comes; for 0.6 it takes 0.8 / 0.4 = 2.
    assert price("local_cost", alpha=0.4)[0, 0] == 30
    assert price("local_cost", alpha=0.6)[0, 0] == 30 + 40


def test_local_cost_of_a_whole_cluster():
    np.testing.assert_array_equal(price("local_cost", alpha=1), [[11 + 10, 0], [20, 130]])


def test_local_cost_goes_to_the_next_nearest_cluster():
    costs = np.column_stack([COSTS, [7.0, 13.0, 4.0, 60.0, 60.0, 60.0]])
    assert price("local_cost", alpha=1, costs=costs)[0, 0] == 11 + 4


def test_local_cost_in_weights():
    # A has 2 of 4 in cluster 0 and lacks 1 for 3/4: 1 / (1/4) = 4 units must come, of which 9 are elsewhere.
    # The nearest has 3, so the next comes too.
    weights = [2, 1, 1, 3, 4, 2]
    assert price("local_cost", alpha=0.75, sample_weight=weights)[0, 0] == 3 * 30 + 2 * 40
    # For 0.9, 16 would have to come. Instead the others leave but for 2 / 9 of a unit, so both of them.
    assert price("local_cost", alpha=0.9, sample_weight=weights)[0, 0] == 11 + 10
    half = np.array(weights) / 2
    assert price("local_cost", alpha=0.75, sample_weight=half)[0, 0] == (3 * 30 + 2 * 40) / 2


def test_least_members_are_lacked_too():
    # A is 1 of 3 in cluster 0, which is its share, but for 2 or 3 members the nearest of cluster 1 come.
    for members, cost in ((1, 0), (2, 30), (3, 30 + 40)):
        assert price("local_cost", alpha=Fraction(1, 3), min_members=members)[0, 0] == cost
        assert price("weighted_proportion", alpha=Fraction(1, 3), min_members=members)[0, 0] == members - 1
    # What both ask for is lacked once; 3/4 takes five members more, so others leave, and 2 take one to come.
    assert price("local_cost", alpha=0.6, min_members=2)[0, 0] == 30 + 40
    assert price("local_cost", alpha=0.75, min_members=2)[0, 0] == 11 + 10 + 30


def test_an_empty_cluster():
    costs = np.column_stack([COSTS, [70.0, 70.0, 60.0, 80.0, 90.0, 50.0]])
    for strategy, expected in (("proportion", 0.5), ("weighted_proportion", 0), ("local_cost", 50)):
        assert price(strategy, alpha=0.5, costs=costs, labels=[0, 0, 0, 1, 1, 1])[0, 2] == expected
    assert price("local_cost", alpha=1, costs=costs, labels=[0, 0, 0, 1, 1, 1])[1, 2] == 60


@pytest.mark.parametrize("strategy", PREFIX_COSTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_clusters", [1, 3])
@pytest.mark.parametrize("alpha", [0.01, 0.5, 0.99, 1])
def test_prices_are_never_infinite(strategy, dtype, n_clusters, alpha):
    rng = np.random.default_rng(0)
    membership = np.column_stack([rng.random(20) < 0.5, np.zeros(20), np.ones(20), np.arange(20) == 7])
    for sample_weight in (None, rng.integers(0, 3, size=20)):
        costs = rng.random((20, n_clusters)).astype(dtype)
        table = price(strategy, alpha=alpha, costs=costs, membership=membership, sample_weight=sample_weight)
        assert table.shape == (4, n_clusters)
        assert np.isfinite(table).all()
        assert (table >= 0).all()


# Prices by the paper's formulas, spelled out


@pytest.mark.parametrize("seed", range(20))
def test_local_cost_is_the_formula_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    n_clusters = 4
    membership = rng.random((200, 3)) < [0.6, 0.3, 0.5]
    costs, labels = rng.random((200, n_clusters)), rng.integers(n_clusters, size=200)
    alpha = {"A": 0.61, "B": 0.35, "C": 0.5}
    table = price("local_cost", alpha=alpha, costs=costs, membership=membership, labels=labels)
    for g, name in enumerate("ABC"):
        share = Fraction(str(alpha[name]))
        for k in range(n_clusters):
            size = int((labels == k).sum())
            p = Fraction(int((membership[:, g] & (labels == k)).sum()), size)
            q = ceil(max(0, share - p) / (1 - share) * size)
            nearest = np.sort(costs[membership[:, g] & (labels != k), k])
            assert len(nearest) >= q
            assert table[g, k] == pytest.approx(nearest[:q].sum())


@pytest.mark.parametrize("decimals", [1, 9])
def test_many_weighted_points(decimals):
    rng = np.random.default_rng(0)
    costs, labels = rng.random((20_000, 2)).round(decimals), np.arange(20_000) % 2
    weights, member = rng.integers(0, 5, size=20_000), rng.random(20_000) < 0.4
    table = price(
        "local_cost", alpha=0.5, costs=costs, membership=member[:, None], labels=labels, sample_weight=weights
    )
    for k in range(2):
        here = labels == k
        needed = int(weights[here].sum()) - 2 * int(weights[here & member].sum())
        coming = np.flatnonzero(member & ~here)
        coming = coming[np.argsort(costs[coming, k], kind="stable")]
        coming = coming[: np.searchsorted(np.cumsum(weights[coming]), needed) + 1]
        assert len(coming) > 1000
        assert table[0, k] == pytest.approx((weights * costs[:, k])[coming].sum())


# The choice


def prefix_of(case: Case, strategy, costs, **rest):
    program = CountProgram(case.groups, case.weights, case.fairness)
    return choose_holders(strategy, costs, case.groups, case.weights, case.fairness, program, **rest)


@pytest.mark.parametrize("strategy", PREFIX_COSTS)
def test_the_cheapest_possible_choice(strategy):
    n_chosen = 0
    for seed in range(often(15, 60)):
        case, rng = random_case(3000 + seed), np.random.default_rng(seed)
        costs = rng.random((case.groups.n_points, case.fairness.n_clusters))
        now = Snapshot(costs, costs.argmin(1), case.groups, case.weights, case.fairness)
        table = PREFIX_COSTS[strategy](now, np.random.RandomState(seed))
        least = case.least_cost(table)
        if least is None:
            with pytest.raises(InfeasibleFairnessError):
                prefix_of(case, strategy, costs, random_state=seed)
            continue
        prefix = prefix_of(case, strategy, costs, random_state=seed)
        assert sum(table[pair] for pair in prefix) == pytest.approx(least, abs=1e-9), seed
        assert case.asking(beta=(0,) * len(table)).is_feasible(prefix), seed
        n_chosen += 1
    assert n_chosen > often(5, 20)


def halves_case(beta=2) -> Case:
    groups, weights = make_groups(np.repeat([0, 1], 20)[:, None] == [0, 1]), read_weights(None, 40)
    return Case(groups, weights, read_fairness(groups, weights, 8, alpha=0.51, beta=beta))


def test_random_choices():
    case, costs = halves_case(), np.random.default_rng(0).random((40, 8))
    choices = [prefix_of(case, "random", costs, random_state=seed) for seed in range(10)]
    assert len(set(choices)) > 5
    assert choices == [prefix_of(case, "random", costs, random_state=seed) for seed in range(10)]
    state = np.random.RandomState(0)
    assert prefix_of(case, "random", costs, random_state=state) == choices[0]
    assert prefix_of(case, "random", costs, random_state=state) != choices[0]


@pytest.mark.parametrize("proven", [False, True])
def test_cheapest_holders_give_way_only_to_proven_ones(proven, monkeypatch):
    case, costs = halves_case({"A": 1}), np.tile(np.arange(8.0), (40, 1))
    cheapest, choose = ((0, 0),), CountProgram.choose

    def stub(self, cost=None, **options):
        if options.get("beta") is not None:  # whether holders can be kept
            return choose(self, cost, **options)
        return Choice(cheapest, False) if cost is not None else Choice(((0, 5),), proven)

    monkeypatch.setattr(CountProgram, "choose", stub)
    monkeypatch.setattr(choice, "linear_sum_assignment", lambda table: (np.arange(8), np.arange(8)))
    assert prefix_of(case, "local_cost", costs) == (((0, 5),) if proven else cheapest)


def test_the_clusters_as_they_are():
    # All members of A are in cluster 5, though every point is nearest to cluster 0.
    case, costs = halves_case({"A": 1}), np.tile(np.arange(8.0), (40, 1))
    labels = np.where(np.arange(40) < 20, 5, 0)
    for strategy in ("proportion", "weighted_proportion", "local_cost"):
        assert prefix_of(case, strategy, costs, labels=labels) == ((0, 5),)
    assert prefix_of(case, "proportion", costs) == ((0, 0),)


def test_required_holders_are_completed():
    case, costs = halves_case(), np.random.default_rng(0).random((40, 8))
    prefix = prefix_of(case, "local_cost", costs, required=((0, 3), (1, 1)))
    assert {(0, 3), (1, 1)} < set(prefix)
    assert [g for g, _ in prefix] == [0, 0, 1, 1]
    with pytest.raises(InfeasibleFairnessError, match="cluster 3 must be at least 51% 'A'"):
        prefix_of(case, "local_cost", costs, required=((0, 3), (1, 3)))
    assert prefix_of(halves_case(None), "local_cost", costs, required=((1, 1), (0, 3))) == ((0, 3), (1, 1))


def test_nothing_asked():
    assert prefix_of(halves_case(0), "local_cost", np.ones((40, 8))) == ()


def test_unknown_strategy():
    with pytest.raises(
        ValueError, match=r"prefix must be one of 'assignment', 'local_cost', .* but is 'best'"
    ):
        prefix_of(halves_case(), "best", np.ones((40, 8)))


# What users write

SEX = read_groups(["F", "M", "F", "M"])


def test_read_prefix():
    assert read_prefix([("M", 2), ("F", np.int64(0)), ["M", 2.0]], SEX, 3) == ((0, 0), (1, 2))
    assert read_prefix([], SEX, 3) == ()
    assert read_prefix((("F", 1) for _ in range(2)), SEX, 3, np.ones((2, 3), dtype=bool)) == ((0, 1),)


@pytest.mark.parametrize(
    ("prefix", "kind", "message"),
    [
        ([("X", 0)], ValueError, "prefix names an unknown group 'X': the groups are 'F', 'M'"),
        ([("F", 3)], ValueError, "prefix must be made of clusters, whole numbers from 0 to 2, but names 3"),
        ([("F", -1)], ValueError, "but names -1"),
        ([("F", "0")], TypeError, "but is '0' of type str"),
        ([("F", 2)], ValueError, r"allowed leaves group 'F' only the clusters \[0, 1\]"),
        ("F0", TypeError, r"prefix must be a list of \(group, cluster\) pairs, but is 'F0' of type str"),
        (3, TypeError, "but is 3 of type int"),
        (["F0"], TypeError, "but holds 'F0'"),
        ([("F", 0, 1)], TypeError, "but holds"),
        ({"F": 0}, TypeError, "but holds 'F'"),
    ],
)
def test_bad_prefix(prefix, kind, message):
    allowed = np.array([[True, True, False], [True, True, True]])
    with pytest.raises(kind, match=message):
        read_prefix(prefix, SEX, 3, allowed)


def test_a_sampled_snapshot_is_of_some_of_the_points() -> None:
    rng = np.random.default_rng(0)
    n = 1_000
    groups, weights = read_groups(rng.integers(0, 2, n), n_points=n), read_weights(rng.integers(1, 4, n), n)
    fairness = read_fairness(groups, weights, 3, alpha=0.5, beta=1)
    costs = rng.random((n, 3))
    now = Snapshot(costs, costs.argmin(axis=1), groups, weights, fairness)
    assert now.sampled(n) is now
    some = now.sampled(400)
    np.testing.assert_array_equal(some.costs, costs[::3])
    assert int(some.size.sum()) == int(weights.units[::3].sum())
    # Every third point is enough to see which cluster lacks how much, about.
    np.testing.assert_allclose(3 * some.size, now.size, rtol=0.25)
