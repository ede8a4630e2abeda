"""The fair assignment of an iteration, compared with that of the one before."""

from dataclasses import replace

from minirel.assignment.holders.search import search_holders
from minirel.assignment.problem import Answer, Problem
from minirel.assignment.request import Request
from minirel.assignment.solve import Call, solve
from minirel.clustering.descend import is_cheaper
from minirel.clustering.rules import Rules

# The share of the gap asked for that an assignment is proven to, where there are labels to compare with.
_PROVEN = 0.9


def reassign(
    problem: Problem,
    request: Request,
    rules: Rules,
    before: Answer | None,
    rounding: float,
    needs_proof: bool = False,
) -> tuple[Answer, bool]:
    """A fair assignment, and whether its labels are unchanged.

    The labels before are kept if they are proven to be within the gap, or if nothing cheaper is found. A
    proof takes longer than cheaper labels, so it is asked for only once none are found without.
    """
    labels, prices = (None, None) if before is None else (before.labels, before.prices)
    # A little more is proven than asked, so that slightly cheaper labels do not start it all over again.
    gap = rules.gap if before is None else _PROVEN * rules.gap
    call = Call(
        problem,
        request.required,
        request.program,
        gap,
        rules.deadline,
        labels,
        prices,
        needs_proof=needs_proof,
    )
    answer = solve(call, rules.solver)
    if before is None:
        return answer, False
    cost_before = problem.cost(before.labels)
    lower_bound = min(answer.lower_bound, cost_before)
    is_within_gap = cost_before - lower_bound <= rules.gap * abs(cost_before) + rounding
    if not is_within_gap and is_cheaper(problem, answer.labels, problem, before.labels, rounding):
        return answer, False
    if not needs_proof and not rules.deadline.passed():
        other = _with_other_holders(call, request, rules, before)
        if other is not None and is_cheaper(problem, other.labels, problem, before.labels, rounding):
            return other, False
    if rules.proves and not is_within_gap and not needs_proof and not rules.deadline.passed():
        return reassign(problem, request, rules, before, rounding, needs_proof=True)
    return replace(answer, labels=before.labels, prefix=before.prefix, lower_bound=lower_bound), True


def _with_other_holders(call: Call, request: Request, rules: Rules, before: Answer) -> Answer | None:
    """The assignment for other holders, if holders may be chosen and others look better; None if not."""
    if request.strategy != "assignment" or call.problem.prefix is None:
        return None
    found = search_holders(call.problem, before.prefix, request.required, request.program, before.prices)
    if found.holders == before.prefix:
        return None
    problem = replace(call.problem, prefix=found.holders)
    return solve(replace(call, problem=problem, labels=None, prices=found.prices), rules.solver)
