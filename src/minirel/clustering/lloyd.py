"""Algorithm 1 of the paper: Lloyd's algorithm with a fair assignment as its first half."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.certificate import price_bound
from minirel.assignment.dual import best_prices
from minirel.assignment.problem import Answer, Problem
from minirel.assignment.request import Request
from minirel.assignment.solve import Assignment, Call, proven, solve
from minirel.clustering.border import Border
from minirel.clustering.history import History
from minirel.clustering.moves import held, single_moves
from minirel.clustering.objectives import Matrix, Objective
from minirel.clustering.trace import Nearest, Trace, nearest
from minirel.points.workers import SERIAL, Workers
from minirel.promises.fairness import Prefix
from minirel.solvers.limits import Deadline

Stop = Literal["converged", "max_iter", "time_limit"]

_GRACE = 0.3  # seconds after a time limit, for prices that suit the last centers


@dataclass(frozen=True)
class Rules:
    """How assignments are solved, and when to stop: `tol` bounds the centers' squared shift."""

    solver: str
    gap: float
    max_iter: int
    tol: float
    deadline: Deadline
    workers: Workers = SERIAL


@dataclass(frozen=True, eq=False)
class Clustering:
    """Where the algorithm ended: the centers are those of the labels, and the proof is for these centers."""

    centers: Matrix
    assignment: Assignment
    stop: Stop
    trace: Trace


def lloyd(
    objective: Objective,
    centers: Matrix,
    request: Request,
    rules: Rules,
    history: History,
    random: np.random.RandomState,
) -> Clustering:
    """Alternate between the fair assignment to the centers and the centers of the assignment.

    The labels of one iteration are a known answer to the next, so the cost never rises. Where they stay, or
    the centers hardly move, single moves follow; what these lead to is proven by one more assignment.
    """
    answer: Answer | None = None
    prefix: Prefix | None = None
    start: Nearest | None = None
    cost, rounding = math.inf, 0.0
    for _ in range(rules.max_iter):
        with history.timing("costs"):
            costs = objective.costs(centers)
        if start is None:
            with history.timing("prefix"):
                start = nearest(costs)
                prefix = request.choose(costs, random, start.labels)
        with history.timing("assignment"):
            problem = request.problem(costs, prefix, rules.workers)
            if answer is not None:
                # Centers are the cheapest there are, but for rounding: what that adds, and as much again, is
                # no gain to win back.
                rounding = 2 * max(0.0, problem.cost(answer.labels) - cost)
            answer, stays = assign(problem, request, rules, answer, rounding)
            prefix = None if prefix is None else answer.prefix
        cost, bound, n_scans = problem.cost(answer.labels), answer.lower_bound, answer.n_scans
        with history.timing("centers"):
            new = centers if stays else objective.centers(answer.labels, len(centers))
            shift = float(((new - centers) ** 2).sum())
        with history.timing("moves"):
            better = None
            if stays or shift <= rules.tol:
                known = costs if stays else objective.costs(new)
                better = descend(objective, new, known, answer.labels, request, rules.deadline)
        history.record(request.weight(cost), request.weight(bound), shift, n_scans, request.weight(rounding))
        if stays and better is None:
            stop: Stop = "time_limit" if rules.deadline.passed() else "converged"
            return ended(centers, problem, answer, rules.gap, rounding, stop, start)
        if better is not None:
            labels, new = better
            answer = replace(answer, labels=labels, prefix=held(labels, answer.prefix, request))
            prefix = None if prefix is None else answer.prefix
            cost = math.inf
        centers = new
        if rules.deadline.passed():
            break
    assert answer is not None
    assert start is not None
    return stopped(objective, centers, answer, prefix, request, rules, start)


def assign(
    problem: Problem,
    request: Request,
    rules: Rules,
    before: Answer | None,
    rounding: float,
    thorough: bool = False,
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
        thorough=thorough,
    )
    answer = solve(call, rules.solver)
    if before is None:
        return answer, False
    known = problem.cost(before.labels)
    least = min(answer.lower_bound, known)
    is_close = known - least <= rules.gap * abs(known) + rounding
    if not is_close and is_cheaper(problem, answer.labels, problem, before.labels, rounding):
        return answer, False
    if not is_close and not thorough and not rules.deadline.passed():
        return assign(problem, request, rules, before, rounding, thorough=True)
    return replace(answer, labels=before.labels, prefix=before.prefix, lower_bound=least), True


def descend(
    objective: Objective,
    centers: Matrix,
    costs: Matrix,
    labels: NDArray[np.intp],
    request: Request,
    deadline: Deadline,
) -> tuple[NDArray[np.intp], Matrix] | None:
    """Labels and centers after single moves, until there are none left; None if none of them pays.

    Centers are rounded to the precision of the data, so the last moves may chase nothing but rounding: they
    end where labels come again, and count only if they lower the cost by more than that.
    """
    before, start = request.problem(costs, None), labels
    border = Border(objective, centers, costs, labels)
    seen = {labels.tobytes()}
    while not deadline.passed():
        if not border.holds(centers):
            border = Border(objective, centers, objective.costs(centers), labels)
        better = single_moves(border.costs(centers), border.points, labels, request)
        if better is None:
            break
        labels, centers = better, objective.centers(better, len(centers))
        if labels.tobytes() in seen:
            break
        seen.add(labels.tobytes())
    if labels is start:
        return None
    after = request.problem(objective.costs(centers), None)
    return (labels, centers) if is_cheaper(after, labels, before, start) else None


def is_cheaper(
    problem: Problem, labels: NDArray[np.intp], than: Problem, other: NDArray[np.intp], rounding: float = 0.0
) -> bool:
    """Whether labels cost less than others, by more than the rounding of those costs that differ."""
    points, units = np.arange(problem.n_points), problem.weights.units
    here, there = (p.costs[points, of].astype(np.float64) for p, of in ((problem, labels), (than, other)))
    saved = there - here
    finest = float(np.finfo(problem.costs.dtype).eps)
    unsure = np.where(saved != 0, 4 * finest * np.maximum(np.abs(here), np.abs(there)), 0.0)
    weight = np.ones(len(points)) if units is None else units
    return float(weight @ saved) > max(float(weight @ unsure), rounding)


def stopped(
    objective: Objective,
    centers: Matrix,
    answer: Answer,
    prefix: Prefix | None,
    request: Request,
    rules: Rules,
    start: Nearest,
) -> Clustering:
    """What there is when time or iterations are up, with what prices prove at the last centers."""
    problem = request.problem(objective.costs(centers), prefix, rules.workers)
    stop: Stop = "time_limit" if rules.deadline.passed() else "max_iter"
    prices = None
    if prefix is not None and answer.prices is not None:
        deadline = Deadline(_GRACE if stop == "time_limit" else None)
        prices = best_prices(problem, prefix, answer.prices.of(prefix), deadline)
    bound = price_bound(problem, prefix or (), prices)
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
    """The result, after its proof."""
    assignment = proven(problem, answer, gap, rounding)
    if assignment.status == "time limit" and stop == "max_iter":
        assignment = replace(assignment, status="iteration limit")
    own_cost = problem.costs[np.arange(problem.n_points), answer.labels]
    return Clustering(centers, assignment, stop, Trace(start, nearest(problem.costs), own_cost))
