"""Connecting clusters: pieces move to where they hang together, and every promise is kept. A heuristic."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.certificate import price_bound
from minirel.assignment.dual import best_prices
from minirel.assignment.problem import Problem
from minirel.assignment.rows import promised_rows
from minirel.assignment.solve import Call, solve
from minirel.clustering.border_search import Borders, Vector, grown, search
from minirel.clustering.ending import Clustering, ended, stop_reason
from minirel.clustering.history import History
from minirel.clustering.moves import PromiseState
from minirel.clustering.objectives import Matrix, Objective
from minirel.clustering.steps import Steps
from minirel.points.errors import NothingFoundError
from minirel.points.neighbours import Neighbours
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline

_RUNS = 2  # of the search, of which the cheapest is kept
_GRACE = 0.3  # seconds after a time limit, to find prices for the last centers
_LOOSE_GAP = 1e-2  # of the labels that are nearest to connected ones


def connect(steps: Steps, found: Clustering, neighbours: Neighbours, history: History) -> Clustering:
    """The clustering with its clusters connected as far as that was found possible, at the least cost found.

    Holders are as before. The bound is that of the fair assignment to the new centers, which asks for no
    connected clusters: it holds for connected ones all the same.
    """
    labels = found.answer.labels.astype(np.int64)
    if neighbours.n_excess(labels) == 0:
        return found
    holders, n_clusters = found.answer.prefix, len(found.centers)
    with steps.clock.phase("connect"):
        problem = steps.request.problem(steps.costs(found.centers), holders, steps.rules.workers)
        prices = found.answer.prices or Prices.none(problem.groups.n_groups, n_clusters)
        rows = promised_rows(problem, holders)
        borders = Borders.of(
            neighbours,
            rows,
            rows.from_prices(prices.of(holders)),
            problem.groups.signature,
            steps.request.multiples,
            n_clusters,
        )
        units = problem.units.astype(np.float64)[:, None]

        def costs_for(labels: NDArray[np.int64]) -> Vector:
            centers = _centers(steps.objective, labels, problem.units, found.centers)
            return np.asarray(steps.objective.costs(centers) * units)

        start = grown(labels, neighbours, costs_for(labels), n_clusters, problem.units)
        candidates = [labels]
        for run in range(_RUNS):

            def tell(done: float, run: int = run) -> None:
                history.connecting((run + done) / _RUNS)

            connected, last = search(borders, start, costs_for, steps.random, steps.rules.deadline, tell)
            if connected is None:
                connected = _nearest_feasible(steps, problem, labels, last)
            candidates.append(connected)
        kept = [some for some in candidates if PromiseState(steps.request, some).all_kept]
        points = np.arange(len(labels))
        best = min(
            kept,
            key=lambda some: (neighbours.n_excess(some), float(costs_for(some)[points, some].sum())),
        )
        return _ended(steps, found, best.astype(np.intp), prices)


def _centers(
    objective: Objective, labels: NDArray[np.int64], units: NDArray[np.int64], known: Matrix
) -> Matrix:
    """The centers for labels on the way, of which clusters without weight have those that are known."""
    has_weight = np.bincount(labels, units, len(known)) > 0
    if has_weight.all():
        return objective.centers(labels, len(known))
    place = np.where(has_weight, np.cumsum(has_weight) - 1, 0)  # points of no weight count nowhere
    centers = known.copy()
    centers[has_weight] = objective.centers(place[labels], int(has_weight.sum()))
    return centers


def _nearest_feasible(
    steps: Steps, problem: Problem, known: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Labels that keep every promise and differ little from connected ones that do not.

    A fair assignment in which it costs much to leave the cluster that is wanted.
    """
    costs = problem.costs[slice(None)].astype(np.float64)
    leaving = np.full(costs.shape, 2 * float(np.ptp(costs)) + 1.0)
    leaving[np.arange(len(wanted)), wanted] = 0.0
    call = Call(
        replace(problem, costs=costs + leaving),
        steps.request.required,
        steps.request.program,
        _LOOSE_GAP,
        steps.rules.deadline,
        labels=known,
        needs_proof=False,
    )
    try:
        return solve(call, steps.rules.solver).labels.astype(np.int64)
    except NothingFoundError:
        return known


def _ended(steps: Steps, found: Clustering, labels: NDArray[np.intp], prices: Prices) -> Clustering:
    """The result for new labels, with the bound of prices at their centers."""
    holders, rules = found.answer.prefix, steps.rules
    stop = stop_reason(rules.deadline, otherwise=found.stop)
    if np.array_equal(labels, found.answer.labels):
        return replace(found, stop=stop)
    centers = steps.objective.centers(labels, len(found.centers))
    problem = steps.request.problem(steps.costs(centers), holders, rules.workers)
    deadline = Deadline(_GRACE) if rules.deadline.passed() else rules.deadline
    prices = best_prices(problem, holders, prices.of(holders), deadline)
    bound = price_bound(problem, holders, prices)
    answer = replace(found.answer, labels=labels, lower_bound=bound, prices=prices, end="heuristic")
    return ended(centers, problem, answer, rules.gap, 0.0, stop, found.trace.start)
