"""The fair assignment of an iteration, beside that of the one before."""

from dataclasses import replace

from minirel.assignment.problem import Answer, Problem
from minirel.assignment.request import Request
from minirel.assignment.solve import Call, solve
from minirel.clustering.descend import is_cheaper
from minirel.clustering.rules import Rules


def reassign(
    problem: Problem,
    request: Request,
    rules: Rules,
    before: Answer | None,
    rounding: float,
    needs_proof: bool = False,
) -> tuple[Answer, bool]:
    """A fair assignment, and whether it is that of before: it stays if it is within the gap or rounding.

    Where a proof takes long, it is not asked for before the labels stay.
    """
    labels, prices = (None, None) if before is None else (before.labels, before.prices)
    call = Call(
        problem,
        request.required,
        request.program,
        rules.gap,
        rules.deadline,
        labels,
        prices,
        needs_proof=needs_proof,
    )
    answer = solve(call, rules.solver)
    if before is None:
        return answer, False
    known = problem.cost(before.labels)
    least = min(answer.lower_bound, known)
    is_close = known - least <= rules.gap * abs(known) + rounding
    if not is_close and is_cheaper(problem, answer.labels, problem, before.labels, rounding):
        return answer, False
    if not is_close and not needs_proof and not rules.deadline.passed():
        return reassign(problem, request, rules, before, rounding, needs_proof=True)
    return replace(answer, labels=before.labels, prefix=before.prefix, lower_bound=least), True
