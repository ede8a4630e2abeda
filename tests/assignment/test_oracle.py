"""Every solver against brute force on a thousand tiny random instances.

`MINIREL_FUZZ` sets how many; `make fuzz` has 50,000. A failure names its seed and prints a call that repeats
it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from instances import Instance, cheapest, is_fair, random_instance
from minirel import InfeasibleFairnessError, fair_assignment
from minirel.assignment import claims

N_INSTANCES = int(os.environ.get("MINIREL_FUZZ", "1000"))
N_BLOCKS = 20


def tolerance(instance: Instance) -> float:
    return (1e-5 if instance.costs.dtype == np.float32 else 1e-9) * instance.scale


def check(instance: Instance, *, solver: str, gap: float = 0.0) -> None:
    """Compare one answer with brute force."""
    best = cheapest(instance)
    try:
        answer = fair_assignment(
            instance.costs, instance.sensitive_features, solver=solver, gap=gap, **instance.options
        )
    except InfeasibleFairnessError:
        assert best is None, f"called infeasible, but a fair assignment costs {best}"
        return
    assert best is not None, f"no assignment is fair, but {answer.labels.tolist()} was given"
    labels = np.asarray(answer.labels)
    assert labels.shape == (instance.n_points,)
    assert is_fair(instance, labels[None])[0], f"{labels.tolist()} breaks a promise"

    close = tolerance(instance)
    assert answer.cost == pytest.approx(instance.cost(labels), rel=0, abs=close)
    assert answer.lower_bound <= answer.cost
    assert answer.lower_bound <= best + close, "the bound exceeds the optimum"
    if gap == 0:
        assert answer.status == "optimal"
        assert answer.cost == pytest.approx(best, rel=0, abs=close)
    else:
        assert answer.status in ("optimal", "within gap")
        assert answer.cost - best <= gap * abs(answer.cost) + close
        assert answer.gap <= gap * (1 + 1e-9)

    promised = Instance(
        instance.costs, instance.sensitive_features, {**instance.options, "prefix": answer.prefix}
    )
    assert is_fair(promised, labels[None])[0], f"prefix claims {answer.prefix} for {labels.tolist()}"
    assert set(instance.options.get("prefix", ())) <= set(answer.prefix)
    for name, least in instance.beta.items():
        claimed = {k for group, k in answer.prefix if group == name}
        assert len(claimed) >= least, f"prefix claims {answer.prefix}, too little for {name!r}"
        assert all(instance.allowed[name][k] for k in claimed)


@contextmanager
def told(seed: int, instance: Instance) -> Iterator[None]:
    """Let a failure say how to repeat it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"seed {seed}:\n{instance!r}")
        raise


def check_all(seeds: range, *, solver: str, gap: float = 0.0) -> None:
    for seed in seeds:
        instance = random_instance(seed)
        with told(seed, instance):
            check(instance, solver=solver, gap=gap)


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_certified_is_optimal(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if block % 2:
        # Left alone, programs this small are solved at once: let the search over claims have its share.
        monkeypatch.setattr(claims, "_SMALL", 0)
    seeds = range(block * N_INSTANCES // N_BLOCKS, (block + 1) * N_INSTANCES // N_BLOCKS)
    check_all(seeds, solver="certified")


@pytest.mark.parametrize("block", range(3))
def test_highs_is_optimal(block: int) -> None:
    check_all(range(50 * block, 50 * (block + 1)), solver="highs")


@pytest.mark.parametrize("block", range(2))
def test_gurobi_is_optimal(block: int) -> None:
    check_all(range(30 * block, 30 * (block + 1)), solver="gurobi")


@pytest.mark.parametrize("solver", ["certified", "highs", "gurobi"])
@pytest.mark.parametrize("gap", [1e-4, 0.05])
def test_gap_is_kept(solver: str, gap: float) -> None:
    check_all(range(5000, 5150 if solver == "certified" else 5040), solver=solver, gap=gap)


@pytest.mark.parametrize("block", range(4))
def test_certified_agrees_with_the_integer_program_beyond_brute_force(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "_SMALL", 0)
    for seed in range(15 * block, 15 * (block + 1)):
        instance = random_instance(seed, most_points=40)
        with told(seed, instance):
            certified, program = (optimum(instance, solver) for solver in ("certified", "highs"))
            assert (certified is None) == (program is None)
            if certified is not None:
                assert certified == pytest.approx(program, rel=0, abs=tolerance(instance))


def optimum(instance: Instance, solver: str) -> float | None:
    try:
        answer = fair_assignment(
            instance.costs, instance.sensitive_features, solver=solver, gap=0, **instance.options
        )
    except InfeasibleFairnessError:
        return None
    assert answer.status == "optimal"
    assert is_fair(instance, answer.labels[None])[0], f"{solver} breaks a promise"
    return answer.cost


def test_instances_are_worth_solving() -> None:
    """Both answers occur, and fairness often changes the cheapest assignment."""
    n_feasible = n_infeasible = n_binding = 0
    for seed in range(400):
        instance = random_instance(seed)
        best = cheapest(instance)
        if best is None:
            n_infeasible += 1
            continue
        n_feasible += 1
        greedy = instance.cost(instance.costs.argmin(axis=1))
        n_binding += greedy < best - 1e-6 * instance.scale
    assert min(n_feasible, n_infeasible, n_binding) > 80
