"""The NP-hardness proof of the paper (Theorem 2.1, Appendix A), run: fair assignments solve 3-SAT."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from minirel import InfeasibleFairnessError, fair_assignment

# A literal is (variable, sign); a clause is three of them.
Literal = tuple[int, bool]
Clause = tuple[Literal, Literal, Literal]


def random_formula(seed: int) -> tuple[int, list[Clause]]:
    """Three-literal clauses over up to six variables; literals may repeat or contradict within one."""
    rng = np.random.default_rng(seed)
    n_variables = int(rng.integers(1, 7))
    # About 4.3 clauses a variable is where satisfiable turns into unsatisfiable; small formulas need more.
    n_clauses = int(rng.integers(1, 7 * n_variables + 1))
    variables = rng.integers(0, n_variables, size=(n_clauses, 3)).tolist()
    signs = (rng.random((n_clauses, 3)) < 0.5).tolist()
    clauses = [tuple(zip(*pair, strict=True)) for pair in zip(variables, signs, strict=True)]
    return n_variables, clauses


def satisfies(values: tuple[bool, ...], clauses: list[Clause]) -> bool:
    return all(any(values[variable] == sign for variable, sign in clause) for clause in clauses)


def is_satisfiable(n_variables: int, clauses: list[Clause]) -> bool:
    return any(satisfies(values, clauses) for values in product((False, True), repeat=n_variables))


def solve_by_fair_assignment(
    n_variables: int, clauses: list[Clause], *, solver: str, costs: np.ndarray | None = None
) -> tuple[bool, ...] | None:
    """Appendix A: points 2v and 2v + 1 are variable v and its negation; cluster 0 holds what is true."""
    n_points, n_groups = 2 * n_variables, n_variables + len(clauses)
    membership = np.zeros((n_points, n_groups), dtype=bool)
    allowed = np.ones((n_groups, 2), dtype=bool)
    for variable in range(n_variables):
        membership[2 * variable : 2 * variable + 2, variable] = True
    for group, clause in enumerate(clauses, start=n_variables):
        membership[[2 * variable + (not sign) for variable, sign in clause], group] = True
        allowed[group, 1] = False
    beta = {group: 2 if group < n_variables else 1 for group in range(n_groups)}
    try:
        answer = fair_assignment(
            np.zeros((n_points, 2)) if costs is None else costs,
            membership,
            alpha=Fraction(1, n_points),
            beta=beta,
            allowed=allowed,
            min_size=1,
            solver=solver,
        )
    except InfeasibleFairnessError:
        return None
    true = np.asarray(answer.labels).reshape(n_variables, 2) == 0
    assert (true.sum(axis=1) == 1).all(), "a variable and its negation must be on opposite sides"
    return tuple(true[:, 0].tolist())


def check(seed: int, *, solver: str) -> bool:
    n_variables, clauses = random_formula(seed)
    expected = is_satisfiable(n_variables, clauses)
    values = solve_by_fair_assignment(n_variables, clauses, solver=solver)
    told = f"seed {seed}: {n_variables} variables, clauses {clauses}"
    assert (values is not None) == expected, told
    if values is not None:
        assert satisfies(values, clauses), told
    return expected


@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize("block", range(5))
def test_fair_assignment_decides_3sat(block: int) -> None:
    answers = [check(seed, solver="certified") for seed in range(12 * block, 12 * (block + 1))]
    assert len(set(answers)) == 2, "each block must hold satisfiable and unsatisfiable formulas"


@pytest.mark.usefixtures("unexplained")
@pytest.mark.parametrize("solver", ["highs", "gurobi"])
def test_the_papers_integer_program_decides_3sat(solver: str) -> None:
    answers = [check(seed, solver=solver) for seed in range(12)]
    assert len(set(answers)) == 2


def test_costs_choose_among_the_satisfying_values() -> None:
    # (a or b or b) with truth priced at 3 for a and 1 for b: b alone is cheapest.
    costs = np.zeros((4, 2))
    costs[0, 0], costs[2, 0] = 3, 1
    clauses: list[Clause] = [((0, True), (1, True), (1, True))]
    assert solve_by_fair_assignment(2, clauses, solver="certified", costs=costs) == (False, True)


def test_unsatisfiable_by_hand() -> None:
    clauses: list[Clause] = [((0, True),) * 3, ((0, False),) * 3]
    assert solve_by_fair_assignment(1, clauses, solver="certified") is None
