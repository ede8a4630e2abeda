"""The one door to the solvers: a problem in, an assignment with its proof out."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from minirel.assignment import certified, integer_program
from minirel.assignment.certificate import Certificate, certify
from minirel.assignment.holders import free_choice
from minirel.assignment.problem import Answer, Problem, Status
from minirel.points.errors import EASIER, InfeasibleFairnessError, NothingFoundError
from minirel.points.messages import Message
from minirel.promises.fairness import Prefix
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.diagnosis import explain_infeasible
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline

# Of the costs: what integer programs in double precision cannot tell apart.
_TOLERANCE = 1e-8
# Seconds after a time limit in which any labels that keep every promise are looked for, if there are none.
_GRACE = 0.8


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
        double precision can prove, or is what was proven when the counted effort of the search or the time
        was up.
    prefix : list of (group, cluster)
        The clusters that represent each group by intention; by chance there may be more.
    covers : {"prefix", "free"}
        Whether the bound holds for this choice of clusters only, or for every choice.
    prices : Prices or None
        What one more member would save, by group and cluster, in cost per unit of weight.
    certificate : Certificate
        Counts, shares and sizes, checked exactly from the labels.
    n_scans, n_visited : int
        Passes over all the points, and points visited in all passes, partial ones included; 0 for the
        paper's integer program.
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


@dataclass(frozen=True, eq=False)
class Call:
    """A problem and how to solve it.

    `required` are pairs that must be represented also where the rest of the choice is free. `labels`, which
    keep every promise, and `prices` of an earlier, similar problem save work. Where the proof is what takes
    long, an answer that need not be `needs_proof` does without.
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
    """Solve a problem, unless there is a proof that nothing solves it.

    Pairs that were chosen for the problem, and not asked for by name, give way if whole points cannot keep
    them, or none are found that do: others are then in the answer's prefix.
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
                EASIER,
            )
        )
    if not set(call.required) <= set(answer.prefix):
        raise RuntimeError("the solver left out a pair of prefix: a defect of minirel")
    return answer


def _any_answer(call: Call) -> Answer | None:
    """Labels that keep every promise, at whatever cost, when time is up before any were found."""
    problem, program = call.problem, _patient(call)
    prefix = problem.prefix
    if prefix is None:
        prefix = program.choose(required=call.required).claims
    if prefix is None:
        return None
    labels = program.some_labels(problem.groups, problem.weights, prefix)
    return None if labels is None else Answer(labels, -math.inf, prefix, None, "time limit")


def _patient(call: Call) -> CountProgram:
    """The count program, with a moment more if time is up."""
    return call.program.until(Deadline(_GRACE)) if call.deadline.passed() else call.program


def proven(problem: Problem, answer: Answer, gap: float, rounding: float = 0.0) -> Assignment:
    """The answer as a result, after its proof; costs are known to within `rounding`, over units."""
    certificate = certify(problem, answer.labels, answer.prefix, answer.prices)
    cost, unit = certificate.cost, float(problem.weights.unit)
    bound = min(cost, max(answer.lower_bound * unit, certificate.price_bound))
    if bound < 0 and problem.costs.min() >= 0:
        bound = 0.0
    status: Status
    if cost - bound <= _TOLERANCE * problem.magnitude(answer.labels) * unit:
        status = "optimal"
    elif cost - bound <= gap * abs(cost) * (1 + 1e-9):
        status = "within gap"
    elif answer.end == "done" or cost - bound <= gap * abs(cost) + rounding * unit:
        status = "within rounding"  # with nothing left to search, this is what double precision can tell
    else:
        status = answer.end
    share = 0.0 if status == "optimal" else (cost - bound) / abs(cost) if cost else math.inf
    names = problem.fairness.names
    return Assignment(
        labels=answer.labels,
        cost=cost,
        lower_bound=bound,
        gap=share,
        status=status,
        prefix=[(names[g], k) for g, k in answer.prefix],
        covers="free" if problem.prefix is None else "prefix",
        prices=answer.prices,
        certificate=certificate,
        n_scans=answer.n_scans,
        n_visited=answer.n_visited,
    )


def by_prices(call: Call) -> Answer | None:
    """The certified solver, or any labels that keep every promise if time is up before it found some."""
    try:
        return _by_prices(call)
    except NothingFoundError:
        answer = _any_answer(call) if call.deadline.passed() else None
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
        fallback=lambda: _patient(call).some_labels(problem.groups, problem.weights, prefix),
        needs_proof=call.needs_proof,
    )


def by_integer_program(solver: str) -> Callable[[Call], Answer | None]:
    """The paper's integer program, given to a solver as it stands."""

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
