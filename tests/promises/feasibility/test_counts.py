from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from every_clustering import Case, make_groups, random_case
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.promises.feasibility import count_search
from minirel.promises.feasibility.count_model import CountProblem, keeps, linear_model, placed
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.point_types import read_types
from minirel.solvers import MIP_SOLVERS
from minirel.solvers.limits import Deadline, Effort
from thorough import often


def program_of(case: Case) -> CountProgram:
    return CountProgram(case.groups, case.weights, case.fairness)


def program_for(membership, n_clusters, *, alpha=0.5, beta=1, sample_weight=None, **rest) -> CountProgram:
    groups = make_groups(membership)
    weights = read_weights(sample_weight, groups.n_points)
    fairness = read_fairness(groups, weights, n_clusters, alpha=alpha, beta=beta, **rest)
    return CountProgram(groups, weights, fairness)


def column(n_members: int, n_points: int):
    return (np.arange(n_points) < n_members)[:, None]


def test_a_first_program_beyond_the_effort_leaves_enough_to_place_points_by(monkeypatch):
    """It is asked all the same, and takes no more than its part of the effort."""
    monkeypatch.setattr(count_search, "_MOST_WORK", 4 * 10**6)
    program = program_for(np.arange(40)[:, None] % 2 == [0, 1], 4, alpha=0.6, beta=2)
    cost = np.random.default_rng(0).random((2, 4))
    choice = program.choose(cost)
    monkeypatch.undo()
    assert choice.proven
    assert choice.holders == program.choose(cost).holders
    # One of many questions has no more than they have together.
    assert program.asking(program.fairness, Effort(4 * 10**6, parts=2)).choose(cost).holders is None


def test_what_was_found_possible_is_known_when_the_time_is_over():
    """Whoever asked whether there are labels has some when a limit passes; but for no other holders."""
    membership = np.arange(60)[:, None] % 3 == [0, 1]
    program = program_for(membership, 3, beta=2)
    groups, weights = make_groups(membership), read_weights(None, 60)
    holders = program.choose().holders
    late = program.until(Deadline(0.0))
    labels = late.some_labels(groups, weights, holders)
    np.testing.assert_array_equal(labels, program.some_labels(groups, weights, holders))
    for group, cluster in holders:
        assert 2 * membership[labels == cluster, group].sum() >= (labels == cluster).sum()
    others = tuple((group, 2 - cluster) for group, cluster in holders)
    assert others != holders
    assert late.some_labels(groups, weights, others) is None
    assert late.asking(program.fairness).some_labels(groups, weights, holders) is None


# Against all clusterings of a few points


@pytest.mark.parametrize("block", range(10))
def test_choices_are_possible_and_the_cheapest(block):
    rng = np.random.default_rng(block)
    outcomes = set()
    for seed in range(40 * block, 40 * block + often(15, 40)):
        case = random_case(seed)
        program, fairness = program_of(case), case.fairness
        cost = rng.normal(size=fairness.allowed.shape)
        choice, least = program.choose(cost), case.least_cost(cost)
        assert choice.proven
        prefix = choice.holders
        assert (prefix is None) == (least is None), seed
        outcomes.add(least is None)
        if prefix is not None:
            assert np.bincount([g for g, _ in prefix], minlength=len(cost)).tolist() == list(fairness.beta)
            assert all(fairness.allowed[pair] for pair in prefix)
            assert any(all(table[pair] for pair in prefix) for table in case.counting(prefix))
            assert sum(cost[pair] for pair in prefix) == pytest.approx(least, abs=1e-9)
    assert outcomes == {True, False}


@pytest.mark.parametrize("block", range(5))
def test_given_holders_are_possible_exactly_when_some_clustering_keeps_them(block):
    rng = np.random.default_rng(100 + block)
    outcomes = []
    for seed in range(1000 + 40 * block, 1000 + 40 * (block + 1)):
        case = random_case(seed)
        table = case.fairness.allowed & (rng.random(case.fairness.allowed.shape) < 0.5)
        prefix = tuple((int(g), int(k)) for g, k in np.argwhere(table))
        program = program_of(case)
        alone = case.asking(beta=(0,) * len(case.fairness.beta)).is_feasible(prefix)
        assert program.keeping(prefix).possible == alone, seed
        # With beta on top.
        choice = program.choose(required=prefix)
        assert choice.proven
        chosen = choice.holders
        assert (chosen is not None) == case.is_feasible(prefix), seed
        assert chosen is None or set(prefix) <= set(chosen)
        outcomes.append(alone)
    assert 5 < sum(outcomes) < 35


@pytest.mark.parametrize("seed", range(40))
def test_weights_too_fine_for_a_solver(seed):
    case = random_case(2000 + seed)
    values = np.random.default_rng(seed).random(case.groups.n_points)
    weights = read_weights(values, len(values))
    case = case.weighing(weights)
    choice = program_of(case).choose()
    assert choice.proven
    assert choice.possible == case.is_feasible()


# Traps


def test_a_share_is_reached_exactly():
    assert 0.07 * 100 > 7
    assert program_for(column(7, 100), 1, alpha=0.07).choose().holders == ((0, 0),)
    assert program_for(column(6, 100), 1, alpha=0.07).choose().impossible


def test_nested_groups_share_a_cluster():
    # By the paper's cap floor(1 / 0.51) = 1, three groups would need three clusters.
    nested = np.arange(10)[:, None] < [6, 7, 8]
    assert len(program_for(nested, 2, alpha=0.51, beta=2).choose().holders) == 6
    program = program_for(nested, 2, alpha=0.51, allowed={g: [0] for g in "ABC"})
    assert program.choose().holders == ((0, 0), (1, 0), (2, 0))


@pytest.mark.parametrize(("other_share", "can_share"), [(0.3, True), (0.4, True), (0.41, False)])
def test_disjoint_groups_with_different_shares(other_share, can_share):
    # The paper's cap is 1 for a share of 0.6, but two groups share a cluster as long as their shares fit.
    groups = np.repeat([0, 1], 50)[:, None] == [0, 1]
    alpha = {"A": 0.6, "B": other_share}
    assert program_for(groups, 3, alpha=alpha, beta=1).choose().possible
    program = program_for(groups, 3, alpha=alpha, beta=1, allowed={"A": [0], "B": [0]})
    assert (program.choose().possible) == can_share


def test_a_group_without_members():
    groups = np.column_stack([np.ones(5), np.zeros(5)])
    assert program_for(groups, 2, beta={"A": 2}).choose().holders == ((0, 0), (0, 1))
    assert program_for(groups, 2, beta={"A": 2, "B": 1}).choose().impossible


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("n_members", "n_points", "n_clusters", "alpha", "expected"),
    [
        (510_000, 10**6, 1, 0.51, True),
        (509_999, 10**6, 1, 0.51, False),
        (510_000, 10**6, 2, 0.51, True),
        (509_999, 10**6, 2, 0.51, False),
        (123_457, 10**6, 1, 0.123457, True),
        (123_456, 10**6, 1, 0.123457, False),
        (123_458, 10**6, 2, 0.123457, True),
        # Only a cluster of all points meets this share exactly: two clusters take a member more.
        (1237, 10**4, 2, 0.1237, False),
        (1238, 10**4, 2, 0.1237, True),
    ],
)
def test_one_point_in_a_million_decides(n_members, n_points, n_clusters, alpha, expected):
    program = program_for(column(n_members, n_points), n_clusters, alpha=alpha, beta=n_clusters)
    assert (program.choose().possible) == expected
    assert program.keeping(tuple((0, k) for k in range(n_clusters))).possible == expected


def test_whole_points_matter():
    # 3 members are 34% of 8 points, but however these are split, rounding up takes 4.
    program = program_for(column(3, 8), 2, alpha=0.34, beta=2)
    assert MIP_SOLVERS["highs"](linear_model(_problem(program), whole=False)).outcome == "optimal"
    assert MIP_SOLVERS["highs"](linear_model(_problem(program), whole=True)).outcome == "infeasible"
    assert program.choose().impossible


def test_a_yes_that_is_not_proven_is_told(monkeypatch):
    monkeypatch.setattr(
        "minirel.promises.feasibility.count_search._MOST_WORK", 10**7
    )  # for a linear program, not for a search
    # As above, but among so many points that it takes a solver thousands of nodes.
    program = program_for(column(123_457, 10**6), 2, alpha=0.123457, beta=2)
    choice = program.choose()
    assert choice.holders == ((0, 0), (0, 1))
    assert not choice.proven


@pytest.mark.parametrize("block", range(4))
def test_integer_programs_say_the_same_as_trying_everything(block, monkeypatch):
    monkeypatch.setattr("minirel.promises.feasibility.exhaustive._MOST_POINTS", 0)
    for seed in range(5000 + 30 * block, 5000 + 30 * (block + 1)):
        case = random_case(seed)
        cost = np.random.default_rng(seed).normal(size=case.fairness.allowed.shape)
        choice, least = program_of(case).choose(cost), case.least_cost(cost)
        assert choice.proven
        assert choice.possible == (least is not None), seed
        if choice.holders is not None:
            assert sum(cost[pair] for pair in choice.holders) == pytest.approx(least, abs=1e-9)


def test_points_of_no_weight_are_no_use():
    membership = column(2, 4)
    assert program_for(membership, 2, beta={"A": 2}, alpha=1, max_size=3).choose().impossible
    heavy = program_for(membership, 2, beta={"A": 2}, alpha=1, sample_weight=[1, 1, 0, 0])
    assert heavy.choose().holders == ((0, 0), (0, 1))
    assert program_for(membership, 2, beta={"A": 1}, sample_weight=[0, 0, 1, 1]).choose().impossible


def test_points_are_not_split_by_weight():
    program = program_for(np.zeros((3, 0)), 2, sample_weight=[3, 3, 2], min_size=4)
    assert program.keeping(()).impossible
    assert program.asking(replace(program.fairness, min_units=(1, 1))).keeping(()).possible


def test_very_many_weights_are_placed_one_by_one():
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 10**6, size=2000)
    program = program_for(column(600, 2000), 4, alpha=0.6, beta=2, sample_weight=weights)
    assert program.choose() == program.choose()
    assert program.choose().possible
    share = weights[:600].sum() / weights.sum()
    for share_asked, possible in ((share - 0.01, True), (share + 0.01, False)):
        choice = program_for(column(600, 2000), 4, alpha=share_asked, beta=4, sample_weight=weights).choose()
        assert (choice.possible, choice.impossible) == (possible, not possible)


def test_a_cluster_of_one_light_point_is_not_empty():
    """The smallest size is then a millionth of the mean point's weight."""
    program = program_for(np.zeros((30, 0)), 30, sample_weight=[1e-6] + [1.0] * 29)
    assert program.keeping(()).possible


@pytest.mark.parametrize("seed", range(3))
def test_an_exact_balance_of_weights_is_decided_or_left_open_within_a_counted_effort(seed):
    """One way was planted; to find it is hard, and a wrong no would refuse what can be kept."""
    rng = np.random.default_rng(seed)
    half = rng.integers(1, 5000, size=(4, 4))
    others = half.sum(axis=1)[:, None]  # a single point that weighs as much as four of the other group
    weights = np.concatenate([half.ravel(), others.ravel()])
    membership = np.arange(20)[:, None] < 16
    groups = np.column_stack([membership, ~membership])
    choice = program_for(groups, 4, alpha=0.5, beta=4, sample_weight=weights).choose()
    assert not choice.impossible


def test_no_groups():
    assert program_for(np.zeros((5, 0)), 2).choose().holders == ()


def test_between_fewest_and_most():
    program = program_for(column(5, 20), 6, alpha=0.5, beta=0, min_size=2)
    reward = -np.ones((1, 6))
    holders = program.optimise(reward, fewest=np.array([0]), most=np.array([6])).holders
    assert len(holders) == 5
    assert len(program.optimise(reward, fewest=np.array([0]), most=np.array([3])).holders) == 3
    assert program.optimise(reward, fewest=np.array([6]), most=np.array([6])).impossible
    few = np.zeros((1, 6), dtype=bool)
    few[0, [1, 4]] = True
    choice = program.optimise(reward, fewest=np.array([0]), most=np.array([6]), allowed=few)
    assert choice.holders == ((0, 1), (0, 4))


def test_what_is_cut_short_is_open():
    rng = np.random.default_rng(1)
    program = program_for(rng.random((300, 9)) < 0.3, 20, alpha=0.45, beta=9)
    for cut in (program.until(Deadline(1e-9)), program.asking(program.fairness, Effort(0, parts=1))):
        choice = cut.choose()
        assert (choice.holders, choice.proven) == (None, False)
        assert cut.some_labels(make_groups(np.ones((3, 1))), read_weights(None, 3), ((0, 1),)) is None


# The parts


def test_types():
    membership = np.array([[1, 0], [1, 0], [0, 1], [0, 0], [1, 0]], dtype=bool)
    types = read_types(make_groups(membership), read_weights(None, 5))
    assert types.count.tolist() == [1, 1, 3]
    types = read_types(make_groups(membership), read_weights([2, 2, 4, 0, 6], 5))
    assert sorted(zip(types.units.tolist(), types.count.tolist(), strict=True)) == [(1, 2), (2, 1), (3, 1)]
    assert (types.total, types.n_points) == (7, 4)
    assert (types.members.tolist(), types.n_members.tolist()) == ([5, 2], [3, 1])
    merged = types.seen_by(np.array([1]))
    assert merged.member[:, 0].tolist() == [False, True]
    assert (merged.kind.tolist(), merged.units.tolist()) == ([0, 0, 1], [1, 3, 2])
    assert (merged.count.tolist(), merged.amount.tolist()) == ([2, 1, 1], [5, 2])


def _problem(program: CountProgram) -> CountProblem:
    fairness = program.fairness
    beta = np.array(fairness.beta)
    return CountProblem(
        program.types.seen_by(np.arange(len(beta))),
        fairness,
        np.zeros(fairness.allowed.shape),
        beta,
        beta,
        fairness.allowed,
        np.zeros(fairness.allowed.shape, dtype=bool),
    )


def test_keeps_is_exact():
    problem = _problem(program_for(column(51, 100), 2, alpha=0.51, beta=1, min_size=2))
    holders = np.array([[True, False]])
    # Types are sorted: those outside the group first.
    assert keeps(problem, holders, np.array([[47, 2], [49, 2]]))
    assert not keeps(problem, holders, np.array([[48, 1], [49, 2]]))
    assert keeps(problem, ~holders, np.array([[48, 1], [49, 2]]))
    assert not keeps(problem, holders, np.array([[47, 1], [49, 2]])), "a point is missing"
    assert not keeps(problem, holders, np.array([[49, 0], [51, 0]])), "a cluster is empty"
    assert not keeps(problem, holders, np.array([[50, -1], [49, 2]]))
    for alpha, expected in ((Fraction(49, 96), True), (Fraction(49 * 10**20 + 1, 96 * 10**20), False)):
        asked = replace(problem, fairness=replace(problem.fairness, alpha=(alpha,)))
        assert keeps(asked, holders, np.array([[47, 2], [49, 2]])) == expected


def test_placing_keeps_the_number_of_each_type():
    rng = np.random.default_rng(0)
    for sample_weight in (None, rng.integers(1, 9, size=200)):
        types = program_for(rng.random((200, 3)) < 0.4, 6, sample_weight=sample_weight).types
        poured = rng.dirichlet(np.ones(6), size=len(types.member)) * types.amount[:, None] / types.scale
        table = placed(types, poured)
        assert (table >= 0).all()
        assert (table.sum(1) == types.count).all()
        by_class = np.zeros(poured.shape)
        np.add.at(by_class, types.kind, table * types.units[:, None])
        # As light points come last, no cluster is off by more than a heavy one.
        assert (np.abs(by_class - poured * types.scale) < types.units.max()).all()
        if sample_weight is None:
            np.testing.assert_array_equal(placed(types, table - 1e-9), table)


@pytest.mark.parametrize("block", range(4))
def test_labels_made_of_counts_keep_holders_and_sizes(block):
    n_made = 0
    for seed in range(40 * block, 40 * (block + 1)):
        case = random_case(seed)
        program = program_of(case)
        prefix = program.choose().holders
        if prefix is None:
            continue
        labels = program.some_labels(case.groups, case.weights, prefix)
        assert labels is not None
        n_made += 1
        assert case.is_kept(labels, prefix), seed
    assert n_made > 5
