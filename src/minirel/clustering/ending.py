"""The end of a run: its clustering, verified, with the bound that is proven."""

from dataclasses import dataclass, replace
from typing import Literal

from minirel.assignment.certificate import price_bound
from minirel.assignment.costs import Costs, own_costs
from minirel.assignment.dual import best_prices
from minirel.assignment.problem import Answer, Problem
from minirel.assignment.solve import Assignment, proven
from minirel.clustering.objectives import Matrix
from minirel.clustering.steps import Previous, Steps
from minirel.clustering.trace import Nearest, Trace, nearest
from minirel.solvers.limits import Deadline

Stop = Literal["converged", "max_iter", "time_limit", "callback"]

_GRACE = 0.3  # seconds after a time limit, to find prices for the last centers


@dataclass(frozen=True, eq=False)
class Clustering:
    """The result of a run: the centers are those of the labels, and the bound is for these centers.

    `answer` is the assignment before it was verified, from which a search can go on. Of `n_runs` that were
    made it is the best, and k-means, the start of its trace, has had `start_swaps`.
    """

    centers: Matrix
    answer: Answer
    assignment: Assignment
    stop: Stop
    trace: Trace
    n_runs: int = 1
    start_swaps: int = 0


def stop_reason(deadline: Deadline, otherwise: Stop) -> Stop:
    """Why a run ends now."""
    if deadline.was_cut:
        return "callback"
    return "time_limit" if deadline.passed() else otherwise


def stopped(steps: Steps, centers: Matrix, costs: Costs, previous: Previous, start: Nearest) -> Clustering:
    """The result where time or iterations are up, with the bound of prices at the last centers."""
    answer, holders, rules = previous.answer, previous.holders, steps.rules
    assert answer is not None
    problem = steps.request.problem(costs, holders, rules.workers)
    stop = stop_reason(rules.deadline, otherwise="max_iter")
    prices = None
    if holders is not None and answer.prices is not None:
        deadline = Deadline(None if stop == "max_iter" else _GRACE)
        prices = best_prices(problem, holders, answer.prices.of(holders), deadline)
    bound = price_bound(problem, holders or (), prices)
    answer = replace(answer, lower_bound=bound, prices=prices, end="time limit")
    return ended(centers, problem, answer, rules.gap, 0.0, stop, start)


def ended(
    centers: Matrix,
    problem: Problem,
    answer: Answer,
    gap: float,
    rounding: float,
    stop: Stop,
    start: Nearest,
) -> Clustering:
    """The result, after the assignment is verified."""
    assignment = proven(problem, answer, gap, rounding)
    if assignment.status == "time limit" and stop == "max_iter":
        assignment = replace(assignment, status="iteration limit")
    own_cost = own_costs(problem.costs, answer.labels, problem.workers)
    end = nearest(problem.costs, problem.workers)
    return Clustering(centers, answer, assignment, stop, Trace(start, end, own_cost))
