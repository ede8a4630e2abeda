"""The paper's integer program: its rows say what the paper says, and what it answers is exact."""

import numpy as np
import pytest

from instances import Instance, cheapest, is_fair
from minirel.assignment import integer_program
from minirel.assignment.problem import Answer, Problem
from minirel.points.errors import InfeasibleFairnessError, NothingFoundError
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.solvers import MIP_SOLVERS
from minirel.solvers.limits import Deadline
from random_instances import random_instance
from thorough import often

every_solver = pytest.mark.parametrize("solver", MIP_SOLVERS)


def as_problem(instance: Instance) -> Problem:
    options = {"beta": None, **instance.options}
    groups = read_groups(instance.sensitive_features)
    weights = read_weights(options.pop("sample_weight", None), instance.n_points)
    options.pop("prefix", None)
    prefix = pairs(instance)
    fairness = read_fairness(groups, weights, instance.n_clusters, asked=[g for g, _ in prefix], **options)
    is_free = options["beta"] is not None or "prefix" not in instance.options
    return Problem(instance.costs, groups, weights, fairness, None if is_free else prefix)


def pairs(instance: Instance) -> tuple[tuple[int, int], ...]:
    """The prefix by the index of each group."""
    names = list(instance.groups)
    return tuple((names.index(name), k) for name, k in instance.options.get("prefix", ()))


def solve(
    instance: Instance, problem: Problem, solver: str, *, gap: float = 0.0, seconds: float | None = None
) -> Answer | None:
    return integer_program.solve(
        problem, solver=solver, gap=gap, deadline=Deadline(seconds), required=pairs(instance)
    )


def solvable(seeds: range) -> list[tuple[int, Instance, Problem]]:
    """Instances whose sizes do not already contradict themselves when they are read."""
    found = []
    for seed in seeds:
        instance = random_instance(seed)
        try:
            found.append((seed, instance, as_problem(instance)))
        except InfeasibleFairnessError:
            assert cheapest(instance) is None
    return found


@every_solver
@pytest.mark.parametrize("first", range(10_000, 10_200, 50))
def test_answers_are_those_of_brute_force(solver: str, first: int) -> None:
    for seed, instance, problem in solvable(range(first, first + often(20, 50))):
        answer, best = solve(instance, problem, solver), cheapest(instance)
        told = f"seed {seed}: {instance}"
        if best is None:
            assert answer is None, told
            continue
        assert answer is not None, told
        assert is_fair(instance, answer.labels[None])[0], told
        tolerance = 1e-9 * instance.scale
        assert instance.cost(answer.labels) == pytest.approx(best, rel=0, abs=tolerance), told
        bound = answer.lower_bound * float(problem.weights.unit)
        assert bound == pytest.approx(best, rel=0, abs=10 * tolerance + 1e-8), told
        assert bound <= instance.cost(answer.labels) + 1e-14 * instance.scale, told
        assert answer.finished, told
        assert answer.prices is None


@every_solver
def test_holders_are_allowed_represented_and_enough(solver: str) -> None:
    n_holders = 0
    for seed, instance, problem in solvable(range(10_200, often(10_240, 10_300))):
        answer = solve(instance, problem, solver)
        if answer is None:
            continue
        names = problem.groups.names
        holders = [(names[g], k) for g, k in answer.prefix]
        promised = Instance(
            instance.costs, instance.sensitive_features, {**instance.options, "prefix": holders}
        )
        assert is_fair(promised, answer.labels[None])[0], f"seed {seed}: {promised}"
        assert all(instance.allowed[name][k] for name, k in holders)
        for name, least in instance.beta.items():
            assert sum(group == name for group, _ in holders) >= least, f"seed {seed}: {instance}"
        if problem.prefix is None:
            assert set(answer.prefix) >= set(pairs(instance))
        else:
            assert set(answer.prefix) == set(problem.prefix)
        n_holders += len(holders)
    assert n_holders > often(20, 50)


@pytest.mark.parametrize("seed", range(40))
def test_rows_admit_exactly_the_fair_assignments(seed: int) -> None:
    """Every assignment of six points, with y wherever it may be: the rows hold if and only if it is fair."""
    rng = np.random.default_rng(seed)
    instance = Instance(
        rng.normal(size=(6, 2)) ** 2,
        rng.random((6, 3)) < 0.5,
        {
            "alpha": {0: 0.5, 1: 0.3333333333333333, 2: 1.0},
            "beta": {0: 1, 1: 2, 2: 1},
            "allowed": np.array([[True, False], [True, True], [True, True]]),
            "min_size": 2,
            "sample_weight": rng.choice([0.5, 1.0, 2.0], size=6).tolist() if seed % 2 else None,
        },
    )
    problem = as_problem(instance)
    program = integer_program._program(problem, None)
    labels = np.array([[code >> i & 1 for i in range(6)] for code in range(2**6)])
    fair = is_fair(instance, labels)
    tolerance = 1e-9
    for assignment, expected in zip(labels, fair, strict=True):
        z = np.eye(2)[assignment].ravel()
        choices = np.array(list(np.ndindex(*(2,) * len(program.pairs))))
        x = np.hstack([np.broadcast_to(z, (len(choices), z.size)), choices])
        rows = x @ program.model.matrix.T
        holds = (rows >= program.model.row_lower - tolerance) & (rows <= program.model.row_upper + tolerance)
        assert holds.all(axis=1).any() == expected


def test_program_of_many_points_has_the_papers_size() -> None:
    n, n_clusters = 20_000, 10
    rng = np.random.default_rng(0)
    instance = Instance(
        rng.random((n, n_clusters)), rng.choice(["a", "b", "c"], size=n), {"alpha": 0.3, "beta": 2}
    )
    free = integer_program._program(as_problem(instance), None).model
    assert free.matrix.shape == (n + n_clusters + 3 * n_clusters + 3, n * n_clusters + 3 * n_clusters)
    assert free.integer.all()
    fixed = integer_program._program(as_problem(instance), ((0, 1), (2, 1), (0, 1))).model
    assert fixed.matrix.shape == (n + n_clusters + 2, n * n_clusters)


@every_solver
def test_tolerance_cannot_buy_a_broken_promise(solver: str) -> None:
    # Point 1 falls short of half of cluster 0 by one part in two billion, which no solver sees. The cheap
    # assignment is therefore a lie, and point 2 has to join.
    costs = np.array([[0.0, 9.0], [0.0, 9.0], [1.0, 0.0], [9.0, 0.0]])
    options = {"alpha": 0.5, "sample_weight": [10**9 + 1, 10**9, 10**7, 10**7]}
    for promise in ({"beta": {1: 1}, "allowed": np.array([[True, False]] * 2)}, {"prefix": [(1, 0)]}):
        instance = Instance(costs, np.array([0, 1, 1, 0]), {**options, **promise})
        answer = solve(instance, as_problem(instance), solver)
        assert answer is not None
        assert answer.labels.tolist() == [0, 0, 0, 1]
        assert answer.prefix == ((1, 0),)
        assert answer.lower_bound <= instance.cost(answer.labels)


@every_solver
def test_share_a_hair_above_a_third(solver: str) -> None:
    # One in three misses this alpha by 1e-10, below any tolerance; one in two is the next share there is.
    costs = np.array([[0.0, 9.0], [0.0, 2.0], [0.0, 1.0], [9.0, 0.0]])
    options = {"alpha": 0.3333333334, "prefix": [("few", 0)]}
    instance = Instance(costs, np.array(["few", "many", "many", "many"]), options)
    answer = solve(instance, as_problem(instance), solver)
    assert answer is not None
    assert answer.labels.tolist() == [0, 0, 1, 1]
    assert answer.lower_bound == pytest.approx(1)


@every_solver
def test_what_tolerance_cannot_tell_is_an_error_not_an_answer(solver: str) -> None:
    options = {"alpha": 0.5, "sample_weight": [10**9 + 1, 10**9], "prefix": [(1, 0)]}
    instance = Instance(np.zeros((2, 1)), np.array([0, 1]), options)
    assert cheapest(instance) is None
    with pytest.raises(RuntimeError, match="certified"):
        solve(instance, as_problem(instance), solver)


@every_solver
def test_big_m_at_large_sizes(solver: str) -> None:
    # Some 500 points in a cluster of which 51% must belong to the group: M is 510, and 50.9% will not do.
    rng = np.random.default_rng(0)
    n = 900
    costs = np.stack([rng.random(n), rng.random(n) + 0.1], axis=1)
    features = np.where(rng.random(n) < 0.4, "few", "many")
    instance = Instance(costs, features, {"alpha": 0.51, "beta": {"few": 1, "many": 1}})
    answer = solve(instance, as_problem(instance), solver, gap=1e-4)
    assert answer is not None
    assert is_fair(instance, answer.labels[None])[0]
    cost = instance.cost(answer.labels)
    assert cost - answer.lower_bound <= 1e-4 * cost


@every_solver
def test_no_groups_is_plain_assignment(solver: str) -> None:
    costs = np.random.default_rng(0).random((20, 3))
    groups, weights = read_groups(None, n_points=20), read_weights(None, 20)
    fairness = read_fairness(groups, weights, 3, alpha=0.5, beta=None)
    problem = Problem(costs, groups, weights, fairness, None)
    answer = integer_program.solve(problem, solver=solver, gap=0.0, deadline=Deadline(None))
    assert answer is not None
    assert answer.labels.tolist() == costs.argmin(axis=1).tolist()
    assert answer.prefix == ()


def partition() -> Instance:
    """Split fifty weights in half: that modulo 7 it cannot be done, no branching finds out."""
    weights = 7 * np.random.default_rng(0).integers(10**5, 10**6, size=50)
    weights[:2] += 1, 3
    weights[2] += 7 * (weights.sum() % 2)
    options = {
        "alpha": 0.5,
        "beta": 0,
        "sample_weight": weights.tolist(),
        "min_size": int(weights.sum()) // 2,
    }
    return Instance(np.tile([1.0, 0.0], (50, 1)), np.zeros(50, dtype=int), options)


def covering() -> Instance:
    """Fill eight clusters with as little as will do, of plenty: easy to do, and hard to prove."""
    weights = np.random.default_rng(0).integers(200_000, 500_000, size=36)
    costs = np.column_stack([np.ones((36, 8)), np.zeros(36)])
    options = {"alpha": 0.5, "beta": 0, "sample_weight": weights.tolist(), "min_size": [10**6] * 8 + [0]}
    return Instance(costs, np.zeros(36, dtype=int), options)


@every_solver
def test_time_limit_without_an_assignment(solver: str) -> None:
    instance = partition()
    with pytest.raises(NothingFoundError, match="time_limit"):
        solve(instance, as_problem(instance), solver, seconds=0.05)


@every_solver
def test_time_limit_with_an_assignment(solver: str) -> None:
    instance = covering()
    answer = solve(instance, as_problem(instance), solver, seconds=1)
    assert answer is not None
    assert not answer.finished
    assert is_fair(instance, answer.labels[None])[0]
    assert answer.lower_bound < instance.cost(answer.labels)
