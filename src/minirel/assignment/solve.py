"""The assignment solvers by name, and the verification of their answers."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from minirel.assignment import certified, integer_program
from minirel.assignment.certificate import Certificate, certify
from minirel.assignment.costs import cheapest_clusters
from minirel.assignment.holders import free_choice
from minirel.assignment.html import assignment_html
from minirel.assignment.nothing_found import easier, either
from minirel.assignment.problem import Answer, Problem, Status
from minirel.points.errors import InfeasibleFairnessError, NothingFoundError
from minirel.points.messages import Message
from minirel.promises.fairness import Prefix
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.diagnosis import explain_infeasible
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline

# Relative to the costs: differences that integer programs in double precision cannot resolve.
_TOLERANCE = 1e-8


@dataclass(frozen=True, eq=False)
class Assignment:
    """A fair assignment and the proof of how good it is.

    Attributes
    ----------
    labels : ndarray of shape (n_points,)
        The cluster of each point.
    cost : float
        What the assignment costs.
    lower_bound : float
        What any assignment costs at least; `covers` says among which.
    gap : float
        ``(cost - lower_bound) / abs(cost)``, the cost is at most this share above the best; 0 if "optimal".
    status : {"optimal", "within gap", "within rounding", "effort limit", "time limit"}
        Whether the gap is closed (to 1e-8 of the points' costs), is as small as was asked, is as small as
        double precision can prove, or is what was proven when the effort limit or the time limit was reached.
    prefix : list of (group, cluster)
        The holders: which clusters represent which groups. Others may happen to represent a group as well.
    covers : {"prefix", "free"}
        Whether the bound holds for these holders only, or for every choice of holders.
    prices : Prices or None
        What one more member would save, by group and cluster, in cost per unit of weight.
    certificate : Certificate
        Counts, shares and sizes, checked exactly from the labels.
    n_scans, n_visited : int
        Passes over all the points, and points visited in all passes, partial ones included; 0 for the
        paper's integer program.
    groups : tuple of hashable
        Names of the groups, in the order of the certificate.

    Examples
    --------
    >>> from minirel import fair_assignment
    >>> minutes = [[3, 9], [4, 7], [9, 2], [8, 3], [5, 6]]
    >>> fair = fair_assignment(minutes, ["F", "F", "M", "M", "F"], alpha=0.5, beta={"F": 2})
    >>> fair.labels.tolist(), fair.cost, fair.status
    ([0, 1, 1, 1, 1], 21.0, 'optimal')
    >>> fair.lower_bound <= fair.cost, fair.certificate.sizes.tolist()
    (True, [1, 4])
    """

    labels: NDArray[np.intp]
    cost: float
    lower_bound: float
    gap: float
    status: Status
    prefix: list[tuple[Hashable, int]]
    covers: Literal["prefix", "free"]
    prices: Prices | None
    certificate: Certificate
    n_scans: int
    n_visited: int
    groups: tuple[Hashable, ...] = ()

    def _repr_html_(self) -> str:
        return str(assignment_html(self))


@dataclass(frozen=True, eq=False)
class Call:
    """A problem and how to solve it.

    `required` are holders that must be kept even where the others are free. `labels`, which keep every
    promise, and `prices` of an earlier, similar problem are a start that saves work. Unless it `needs_proof`,
    a solver may return labels without the proof of the gap where the proof takes long.
    """

    problem: Problem
    required: Prefix
    program: CountProgram
    gap: float
    deadline: Deadline
    labels: NDArray[np.integer] | None = None
    prices: Prices | None = None
    needs_proof: bool = True


def solve(call: Call, solver: str) -> Answer:
    """Solve a problem, or raise `InfeasibleFairnessError` if it is proven to have no solution.

    If no labels are found for holders that were chosen, and not asked for by name, the free problem is solved
    in place; the answer then has other holders.
    """
    prefix = call.problem.prefix
    is_chosen = prefix is not None and set(prefix) != set(call.required)
    try:
        answer = ASSIGNMENT_SOLVERS[solver](call)
    except NothingFoundError:
        if not is_chosen or call.deadline.passed():
            raise
        answer = None
    if answer is None and is_chosen:
        return solve(replace(call, problem=replace(call.problem, prefix=None)), solver)
    if answer is None:
        if call.program.choose(required=call.required).impossible:
            raise explain_infeasible(call.program, call.required)
        raise InfeasibleFairnessError(
            Message(
                "no assignment of undivided points keeps what is asked, although one that divides them "
                "might: ",
                either(easier(call.problem)),
            )
        )
    if not set(call.required) <= set(answer.prefix):
        raise RuntimeError("the solver left out a pair of prefix: a defect of minirel")
    return answer


def _fallback_answer(call: Call) -> Answer | None:
    """Labels that keep every promise, at any cost, for when the time is up before others were found."""
    problem, program = call.problem, _with_grace(call)
    prefix = problem.prefix
    if prefix is None:
        prefix = program.choose(required=call.required).holders
    if prefix is None:
        return None
    labels = program.some_labels(problem.groups, problem.weights, prefix)
    return None if labels is None else Answer(labels, -math.inf, prefix, None, "time limit")


def _with_grace(call: Call) -> CountProgram:
    """The count program, with a few more moments if the time is up."""
    return call.program.until(call.deadline.grace()) if call.deadline.passed() else call.program


def proven(problem: Problem, answer: Answer, gap: float, rounding: float = 0.0) -> Assignment:
    """Verify an answer and make it a result; costs are known to within `rounding`, over units."""
    certificate = certify(problem, answer.labels, answer.prefix, answer.prices)
    cost, unit = certificate.cost, float(problem.weights.unit)
    lower_bound = min(cost, max(answer.lower_bound * unit, certificate.price_bound))
    if lower_bound < 0 and cheapest_clusters(problem.costs, problem.workers)[1].min() >= 0:
        lower_bound = 0.0
    status: Status
    if cost - lower_bound <= _TOLERANCE * problem.cost_and_magnitude(answer.labels)[1] * unit:
        status = "optimal"
    elif cost - lower_bound <= gap * abs(cost) * (1 + 1e-9):
        status = "within gap"
    elif answer.end == "done" or cost - lower_bound <= gap * abs(cost) + rounding * unit:
        status = "within rounding"  # the search is complete: what is left is rounding
    else:
        status = answer.end
    proven_gap = 0.0 if status == "optimal" else (cost - lower_bound) / abs(cost) if cost else math.inf
    names = problem.fairness.names
    return Assignment(
        labels=answer.labels,
        cost=cost,
        lower_bound=lower_bound,
        gap=proven_gap,
        status=status,
        prefix=[(names[g], k) for g, k in answer.prefix],
        covers="free" if problem.prefix is None else "prefix",
        prices=answer.prices,
        certificate=certificate,
        n_scans=answer.n_scans,
        n_visited=answer.n_visited,
        groups=tuple(names),
    )


def by_prices(call: Call) -> Answer | None:
    """The certified solver; any labels that keep every promise if the time is up before it finds some."""
    try:
        return _by_prices(call)
    except NothingFoundError:
        answer = _fallback_answer(call) if call.deadline.passed() else None
        if answer is None:
            raise
        return answer


def _by_prices(call: Call) -> Answer | None:
    problem = call.problem
    if problem.prefix is None:
        return free_choice.solve(
            problem,
            call.required,
            call.program,
            gap=call.gap,
            deadline=call.deadline,
            prices=call.prices,
            incumbent=call.labels,
            needs_proof=call.needs_proof,
        )
    prefix = problem.prefix
    return certified.solve(
        problem,
        prefix,
        gap=call.gap,
        deadline=call.deadline,
        prices=call.prices,
        incumbent=call.labels,
        fallback=lambda: _with_grace(call).some_labels(problem.groups, problem.weights, prefix),
        needs_proof=call.needs_proof,
    )


def by_integer_program(solver: str) -> Callable[[Call], Answer | None]:
    """The paper's integer program, given unchanged to a solver of `MIP_SOLVERS`."""

    def by_solver(call: Call) -> Answer | None:
        return integer_program.solve(
            call.problem, solver=solver, gap=call.gap, deadline=call.deadline, required=call.required
        )

    return by_solver


ASSIGNMENT_SOLVERS: dict[str, Callable[[Call], Answer | None]] = {
    "certified": by_prices,
    "highs": by_integer_program("highs"),
    "gurobi": by_integer_program("gurobi"),
}
