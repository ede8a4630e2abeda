"""The fair assignment of an iteration, compared with that of the one before."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.holders.search import search_holders
from minirel.assignment.problem import Answer, Problem
from minirel.assignment.request import Request
from minirel.assignment.solve import Call, solve
from minirel.clustering.descend import is_cheaper
from minirel.clustering.rules import Rules
from minirel.promises.fairness import Prefix

# The share of the gap asked for that an assignment is proven to, where there are labels to compare with: so
# that slightly cheaper labels do not start it all over again.
_PROVEN = 0.9
# The share of the cost that is much to save in an iteration.
_MUCH = 3e-3
# The gap from which on labels say nothing for their holders: nothing near the bound was found for these.
_FAR = 0.1


def reassign(
    problem: Problem,
    request: Request,
    rules: Rules,
    before: Answer | None,
    rounding: float,
    out_of_reach: set[Prefix],
) -> tuple[Answer, bool]:
    """A fair assignment, and whether its labels are unchanged; its gap is proven only if that is no effort.

    The labels before are kept if nothing cheaper is found, with other holders neither. These are looked for
    where centers have moved much, so that much is saved, and where nothing is. Other holders for which hardly
    any labels were found are added to `out_of_reach`, and not tried again.
    """
    # A free choice that was asked for is proven each time, except with weights, where proofs are hard.
    is_asked = problem.prefix is None and request.strategy is None
    call = _call(problem, request, rules, before, needs_proof=is_asked and not problem.is_indivisible)
    answer = solve(call, rules.solver)
    if before is None:
        return answer, False
    is_better = _is_better(answer, before, problem, rules, rounding)
    best = answer if is_better else _unchanged(problem, before, answer)
    if is_better:
        cost = problem.cost(best.labels)
        if problem.cost(before.labels) - cost < _MUCH * abs(cost):
            return best, False
    if rules.deadline.passed():
        return best, not is_better
    other = _with_other_holders(call, request, rules, best, out_of_reach)
    if other is not None and is_cheaper(problem, other.labels, problem, best.labels, rounding):
        return other, False
    return best, not is_better


def prove(
    problem: Problem, request: Request, rules: Rules, unchanged: Answer, rounding: float
) -> tuple[Answer, bool]:
    """The same labels, proven to be within the gap, or cheaper ones; and whether they are the same."""
    is_proven = _is_within_gap(unchanged.labels, unchanged.lower_bound, problem, rules, rounding)
    if is_proven or rules.deadline.passed():
        return unchanged, True
    answer = solve(_call(problem, request, rules, unchanged, needs_proof=True), rules.solver)
    if _is_better(answer, unchanged, problem, rules, rounding):
        return answer, False
    return _unchanged(problem, unchanged, answer), True


def _call(problem: Problem, request: Request, rules: Rules, before: Answer | None, needs_proof: bool) -> Call:
    gap = rules.gap if before is None else _PROVEN * rules.gap
    labels, prices = (None, None) if before is None else (before.labels, before.prices)
    return Call(
        problem,
        request.required,
        request.program,
        gap,
        rules.deadline,
        labels,
        prices,
        needs_proof=needs_proof,
    )


def _is_within_gap(
    labels: NDArray[np.intp], bound: float, problem: Problem, rules: Rules, rounding: float
) -> bool:
    """Whether a lower bound proves the gap of labels."""
    cost = problem.cost(labels)
    return cost - min(bound, cost) <= rules.gap * abs(cost) + rounding


def _is_better(answer: Answer, before: Answer, problem: Problem, rules: Rules, rounding: float) -> bool:
    """Whether an answer is cheaper, and does not prove that the labels before are good enough.

    What the proof at the end leaves to spare is not worth another iteration.
    """
    if _is_within_gap(before.labels, answer.lower_bound, problem, rules, rounding):
        return False
    spare = (1 - _PROVEN) * rules.gap * abs(problem.cost(answer.labels))
    return is_cheaper(problem, answer.labels, problem, before.labels, max(rounding, spare))


def _unchanged(problem: Problem, before: Answer, answer: Answer) -> Answer:
    lower_bound = min(answer.lower_bound, problem.cost(before.labels))
    return replace(answer, labels=before.labels, prefix=before.prefix, lower_bound=lower_bound)


def _with_other_holders(
    call: Call, request: Request, rules: Rules, before: Answer, out_of_reach: set[Prefix]
) -> Answer | None:
    """The assignment for other holders, if holders may be chosen and others look better; None if not."""
    if request.strategy != "assignment" or call.problem.prefix is None:
        return None
    found = search_holders(
        call.problem, before.prefix, request.required, request.program, before.prices, ruled_out=out_of_reach
    )
    if found.holders == before.prefix:
        return None
    problem = replace(call.problem, prefix=found.holders)
    answer = solve(replace(call, problem=problem, labels=None, prices=found.prices), rules.solver)
    if not rules.deadline.passed() and not _is_near(answer, problem):
        out_of_reach.add(found.holders)
    return answer


def _is_near(answer: Answer, problem: Problem) -> bool:
    cost = problem.cost(answer.labels)
    return cost - answer.lower_bound <= _FAR * abs(cost)
