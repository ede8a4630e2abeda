"""Every solver against brute force on two thousand tiny random instances, in exact fractions.

`MINIREL_FUZZ` sets how many; `make fuzz` has 50,000. A failure names its seed and prints a call that repeats
it.
"""

import os
import warnings
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from instances import Instance, Optimum, is_fair, is_feasible, optimum
from minirel import InfeasibleFairnessError, fair_assignment
from minirel.assignment.holders import free_choice
from minirel.assignment.solve import Assignment
from promptly import promptly
from random_instances import random_batch, random_instance, random_people
from thorough import IS_FUZZ, often

N_INSTANCES = int(os.environ.get("MINIREL_FUZZ", "2000"))
N_BLOCKS = max(20, N_INSTANCES // 500)
# With numbers of members hardly two points are alike, and an instance takes longer.
N_PEOPLE = often(200, N_INSTANCES)
# Of the points' costs. Sums of doubles are no finer, and "optimal" is claimed to within the second.
ROUNDING = 1e-12
OPTIMAL = 1e-8
NEAREST = {
    "beta",
    "prefix",
    "min_size",
    "max_size",
    "min_share",
    "max_share",
    "min_members",
    "exclusive",
}


def answer_of(instance: Instance, *, solver: str, gap: float) -> Assignment:
    def call() -> Assignment:
        return fair_assignment(
            instance.costs, instance.sensitive_features, solver=solver, gap=gap, **instance.options
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return promptly(call)


def check(instance: Instance, *, solver: str, gap: float = 0.0) -> None:
    """Compare one answer with brute force."""
    best = optimum(instance)
    try:
        answer = answer_of(instance, solver=solver, gap=gap)
    except InfeasibleFairnessError as error:
        check_refusal(instance, best, error)
        return
    assert best is not None, f"no assignment is fair, but {answer.labels.tolist()} was given"
    labels = np.asarray(answer.labels)
    assert labels.shape == (instance.n_points,)
    assert is_fair(instance, labels[None])[0], f"{labels.tolist()} breaks a promise"

    size, best_size = instance.magnitude(labels), instance.magnitude(best.labels)
    assert abs(answer.cost - instance.exact_cost(labels)) <= ROUNDING * size, (
        "the cost is not that of the labels"
    )
    assert answer.lower_bound <= answer.cost
    # Integer programs in double precision tell apart no more than their tolerance.
    finest = ROUNDING if solver == "certified" else OPTIMAL
    excess = answer.lower_bound - best.cost
    assert excess <= finest * best_size, (
        f"the bound exceeds the optimum by {float(excess):.3g} of {float(best_size):.3g}"
    )
    lost = answer.cost - best.cost
    match answer.status:
        case "optimal":
            assert lost <= OPTIMAL * size, (
                f"called optimal, but {best.labels.tolist()} costs {float(lost):.3g} less"
            )
        case "within gap":
            assert answer.cost - answer.lower_bound <= gap * abs(answer.cost) * (1 + 1e-9)
        case "within rounding":
            # A solver's tolerance is relative to the largest cost, ours to those that matter.
            assert solver != "certified" or answer.cost - answer.lower_bound <= 1e-6 * size
        case "effort limit":
            hard = {"sample_weight", "total", "together"}
            assert hard & instance.options.keys(), "only points that differ may be too hard"
        case other:
            raise AssertionError(f"status {other!r}")

    # Where clusters count for one group only, this fails for a prefix that names one twice, too.
    promised = instance.asking(prefix=answer.prefix)
    assert is_fair(promised, labels[None])[0], f"prefix names {answer.prefix} for {labels.tolist()}"
    assert set(instance.options.get("prefix", ())) <= set(answer.prefix)
    for name, least in instance.beta.items():
        held = {k for group, k in answer.prefix if group == name}
        assert len(held) >= least, f"prefix names {answer.prefix}, too little for {name!r}"
        assert all(instance.allowed[name][k] for k in held)


def check_refusal(instance: Instance, best: Optimum | None, error: InfeasibleFairnessError) -> None:
    """No assignment is fair; the nearest request, where there is one, can be met."""
    assert best is None, f"called infeasible, but {best.labels.tolist()} is fair: {error}"
    assert set(error.nearest) <= NEAREST
    if error.nearest:
        changed = instance.asking(**error.nearest)
        assert is_feasible(changed), f"the nearest request, {error.nearest}, cannot be met: {error}"


def each(
    seeds: Iterable[int],
    check: Callable[[Instance], None],
    make: Callable[[int], Instance] = random_instance,
) -> None:
    """Check the instances of all seeds; a failure says how to repeat each that failed."""
    failures = []
    for seed in seeds:
        instance = make(seed)
        try:
            check(instance)
        except Exception as error:
            error.add_note(f"seed {seed}:\n{instance!r}")
            failures.append(error)
    if failures:
        raise ExceptionGroup("instances failed", failures)


def check_all(seeds: range, *, solver: str, gap: float = 0.0) -> None:
    each(seeds, lambda instance: check(instance, solver=solver, gap=gap))


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_certified_is_optimal(
    block: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if block % often(10, 2) == 1:
        # Left alone, programs this small are solved at once: let the search over holders have its share.
        monkeypatch.setattr(free_choice, "_SMALL", 0)
    # Half of the time is spent on reasons for refusals, which have nothing to do with the answers.
    if block % 10 and not IS_FUZZ:
        request.getfixturevalue("unexplained")
    seeds = range(block * N_INSTANCES // N_BLOCKS, (block + 1) * N_INSTANCES // N_BLOCKS)
    check_all(seeds, solver="certified")


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_units_of_many_people(
    block: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Numbers of members, points that stay together, or both: smaller, as hardly two points are alike."""
    if block % 2:
        monkeypatch.setattr(free_choice, "_SMALL", 0)
    if block % 5 and not IS_FUZZ:
        request.getfixturevalue("unexplained")
    seeds = range(block * N_PEOPLE // N_BLOCKS, (block + 1) * N_PEOPLE // N_BLOCKS)
    make = partial(random_people, most_points=often(5, 9))
    each(seeds, lambda instance: check(instance, solver="certified"), make=make)


# Reasons for a refusal are the same whatever the solver and the gap, so they are looked at once.


@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize(("solver", "n"), [("highs", 40), ("gurobi", 20)])
def test_programs_of_many_people(solver: str, n: int) -> None:
    each(range(6_000, 6_000 + n), lambda instance: check(instance, solver=solver), make=random_people)


@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize("block", range(3))
def test_highs_is_optimal(block: int) -> None:
    check_all(range(50 * block, 50 * block + often(25, 50)), solver="highs")


@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize("block", range(2))
def test_gurobi_is_optimal(block: int) -> None:
    check_all(range(30 * block, 30 * (block + 1)), solver="gurobi")


@pytest.mark.parametrize(
    ("solver", "n"), [("certified", often(80, N_INSTANCES // 10)), ("highs", 50), ("gurobi", 30)]
)
def test_clusters_may_be_empty(solver: str, n: int, request: pytest.FixtureRequest) -> None:
    if solver != "certified":
        request.getfixturevalue("unexplained")
    each(range(n), lambda instance: check(instance, solver=solver), make=random_batch)


@pytest.mark.parametrize("solver", ["certified", "highs", "gurobi"])
@pytest.mark.parametrize("gap", [1e-4, 0.05])
def test_gap_is_kept(solver: str, gap: float, request: pytest.FixtureRequest) -> None:
    if (solver, gap) != ("certified", 1e-4):
        request.getfixturevalue("unexplained")
    check_all(range(5000, 5000 + often(25, 75)), solver=solver, gap=gap)


@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize("block", range(4))
def test_certified_agrees_with_the_integer_program_beyond_brute_force(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_choice, "_SMALL", 0)

    def agree(instance: Instance) -> None:
        certified, program = (answer_or_none(instance, solver) for solver in ("certified", "highs"))
        assert (certified is None) == (program is None)
        if certified is not None and program is not None:
            size = max(instance.magnitude(answer.labels) for answer in (certified, program))
            assert certified.lower_bound <= program.cost + OPTIMAL * size
            assert program.lower_bound <= certified.cost + OPTIMAL * size

    each(range(15 * block, 15 * block + often(8, 15)), agree, make=partial(random_instance, most_points=40))
    # Of people 30 in all, which are harder.
    people = range(8 * block, min(8 * (block + 1), 30))
    each(people, agree, make=partial(random_people, most_points=30))


def answer_or_none(instance: Instance, solver: str) -> Assignment | None:
    try:
        answer = answer_of(instance, solver=solver, gap=0)
    except InfeasibleFairnessError:
        return None
    assert is_fair(instance, answer.labels[None])[0], f"{solver} breaks a promise"
    return answer


def test_instances_are_worth_solving() -> None:
    """Both answers occur, fairness often changes the cheapest assignment, and half have weights."""
    n_feasible = n_infeasible = n_binding = n_weighted = 0
    for seed in range(200):
        instance = random_instance(seed)
        n_weighted += "sample_weight" in instance.options
        best = optimum(instance)
        if best is None:
            n_infeasible += 1
            continue
        n_feasible += 1
        greedy = instance.exact_cost(instance.costs.argmin(axis=1))
        n_binding += best.cost - greedy > 1e-6 * instance.magnitude(best.labels)
    assert min(n_feasible, n_infeasible, n_binding) > 40
    assert 75 < n_weighted < 125


def test_batches_are_worth_solving() -> None:
    """Clusters are left empty by the cheapest assignment, and some batches have none at all."""
    n_empty = n_infeasible = 0
    for seed in range(200):
        batch = random_batch(seed)
        best = optimum(batch)
        n_infeasible += best is None
        full = optimum(batch.asking(min_size=1))
        n_empty += best is not None and (full is None or best.cost < full.cost)
    assert n_infeasible > 20
    assert n_empty > 40
