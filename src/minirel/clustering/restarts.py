"""Restarts: whole runs from different first centers, of which the cheapest is kept."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed

from minirel.assignment.problem import Answer
from minirel.assignment.request import Request, without_promises
from minirel.clustering.callbacks import Callback, Callbacks
from minirel.clustering.clock import Clock
from minirel.clustering.connect import connect
from minirel.clustering.ending import Clustering, stop_reason
from minirel.clustering.history import History
from minirel.clustering.initialise import KMeansStart, Placed, Start, few_points, first_centers
from minirel.clustering.known import Known, go_on
from minirel.clustering.lloyd import lloyd
from minirel.clustering.objectives import Data, Matrix, Objective, mean_variance, name_of_costs
from minirel.clustering.rules import Rules
from minirel.clustering.small_groups import centers_for_small_groups
from minirel.clustering.steps import Previous, Steps
from minirel.clustering.swaps import State, search, settle
from minirel.clustering.trace import Nearest, nearest
from minirel.points.errors import NothingFoundError, ParameterValueError
from minirel.points.neighbours import Neighbours
from minirel.points.scale import LEAST, check_scale

# What squared distances may add up to, where costs are not squared.
_MOST_SQUARED = 1e300


@dataclass(frozen=True, eq=False)
class Restarts:
    """What all runs have in common; `rules.tol` is relative to the mean variance of the features.

    If there are `neighbours`, the clusters of the best run are to be connected at the end.
    """

    X: Data
    objective: type[Objective]
    init: Placed
    request: Request
    rules: Rules
    constant: float = 0.0  # what all clusterings cost alike, for the history
    neighbours: Neighbours | None = None

    def best_of(
        self, n_init: int, n_swaps: int, random: np.random.RandomState, callbacks: Sequence[Callback] = ()
    ) -> tuple[Clustering, History]:
        """The cheapest of `n_init` runs, each with its own random state, so that their order does not matter.

        It is then improved by swaps, in which centers of the other runs have a part. Where runs start from
        k-means, its trace starts with the best clustering of k-means from as many starts and swaps, or as
        many swaps as there is time for.

        When time is up, runs that have not begun are left out, and so are those that have found nothing.
        """
        began = time.perf_counter()
        variance = mean_variance(self.X, self.rules.workers)
        self._check_scale(variance)
        weight = self.request.weights.values
        objective = self.objective(self.X, weight)
        rules = replace(self.rules, tol=self.rules.tol * variance)
        random_states = [random]  # so that k-means with the same seed gives the same start
        if n_init > 1:
            random_states = [
                np.random.RandomState(s) for s in random.randint(np.iinfo(np.int32).max, size=n_init)
            ]

        notify = Callbacks(callbacks, rules.deadline)

        def run(number: int) -> tuple[Clustering, History, Steps] | NothingFoundError | StopIteration | None:
            if number > 0 and rules.deadline.passed():
                return None
            random_of_run, clock = random_states[number], Clock(began)
            history = History(clock, number + 1, n_init, notify, self.constant)
            try:
                with clock.phase("start"):
                    n_clusters = self.request.fairness.n_clusters
                    start = Start(
                        self.X,
                        weight,
                        objective,
                        n_clusters,
                        self.rules.tol,
                        random_of_run,
                        rules.deadline,
                        rules.workers,
                    )
                    centers, others = first_centers(self.init, start), None
                    self._check_far(centers, objective)
                    if self._is_of_k_means and self.request.chooses_holders:
                        others = centers_for_small_groups(start, self.request)
                steps = Steps(self.X, objective, self.request, rules, random_of_run, clock)
                if isinstance(self.init, Known) and self.init.labels is not None:
                    return go_on(steps, self.init, history), history, steps
                if others is None:
                    return lloyd(steps, centers, history), history, steps
                ordinary = nearest(steps.costs(centers), rules.workers)
                centers, previous = _more_promising(steps, centers, others)
                return lloyd(steps, centers, history, (ordinary, previous)), history, steps
            except StopIteration as error:  # of a callback: raised here, it would end the generator of joblib
                return error
            except NothingFoundError as error:
                if not rules.deadline.passed():
                    raise
                return error

        # Threads, so that runs share the data; most of the work releases the interpreter lock.
        parallel = Parallel(n_jobs=self.rules.workers.n_jobs, require="sharedmem")
        runs = parallel(delayed(run)(i) for i in range(n_init))
        for ended in runs:
            if isinstance(ended, StopIteration):
                raise ended
        found = [ended for ended in runs if isinstance(ended, tuple)]
        if not found:
            raise next(ended for ended in runs if ended is not None)
        best, history, steps = min(found, key=lambda run: run[0].assignment.cost)
        others = [clustering.centers for clustering, _, _ in found if clustering is not best]
        best = _with_swaps(steps, best, history, n_swaps, others)
        if self.neighbours is not None:
            best = connect(steps, best, self.neighbours, history)
        starts = [clustering.trace.start for clustering, _, _ in found]
        start = min(starts, key=lambda start: float(self.request.weights.times(start.cost).sum()))
        made = 0
        if isinstance(self.init, KMeansStart) or (isinstance(self.init, str) and self.init == "k-means"):
            start, made = _ordinary(steps, start, n_swaps)
        trace = replace(best.trace, start=start)
        return replace(best, trace=trace, n_runs=len(found), start_swaps=made), history

    def _check_scale(self, variance: float) -> None:
        """Refuse points whose distances, to the power of costs, by weight or without, overflow or vanish.

        Squared distances must not either, whatever the costs: first centers and `tol` are of these.
        """
        is_squared = self.objective.metric_power != 1
        n_points, what = self.X.shape[0], name_of_costs(self.objective)
        typical = variance
        if not is_squared:
            typical = math.sqrt(variance) if variance * self.X.size <= _MOST_SQUARED else math.inf
        check_scale("X", self.X, what, typical * self.X.size, self.request.weights, n_points)
        # Below this, single precision has not all its digits; and 0 may be what is left of differences.
        precision = np.finfo(self.X.dtype)
        least = float(precision.tiny) / float(precision.eps)
        least = max(LEAST, least if is_squared else math.sqrt(least))
        if typical < least and (variance > 0 or few_points(self.X, None, 2) is None):
            rule = f"must have {what} of {least:.1e} or more, unless all points are the same"
            found = f"the mean one is {typical:.1e}"
            raise ParameterValueError("X", rule, self.X, "scale X up", found=found)

    def _check_far(self, centers: Matrix, objective: Objective) -> None:
        """Refuse given centers so far away that costs of points there overflow: one point will show it."""
        if not isinstance(self.init, str | KMeansStart | Known):
            n_points, what = self.X.shape[0], f"{name_of_costs(self.objective)} from points"
            with np.errstate(over="ignore"):
                amount = max(1.0, float(objective.costs(centers, slice(0, 1)).max()) * n_points)
            check_scale("init", self.init, what, amount, self.request.weights, n_points)

    @property
    def _is_of_k_means(self) -> bool:
        """Whether the first centers are those of k-means, for which small groups have others to compare."""
        if isinstance(self.init, Known):
            return self.init.labels is None
        return isinstance(self.init, str) and self.init == "k-means"


def _more_promising(steps: Steps, *starts: Matrix) -> tuple[Matrix, Previous]:
    """Of several first centers, those that lead to the least cost in iterations at prices; their holders."""
    found = []
    for centers in starts:
        costs = steps.costs(centers)
        _, previous = steps.choose_holders(costs)
        if previous.holders is None or steps.rules.deadline.passed():
            return centers, previous
        with steps.clock.phase("start"):
            settled = settle(steps, centers, costs, previous.holders)
        found.append((np.inf if settled is None else settled.bound, centers, previous))
    _, centers, previous = min(found, key=lambda start: start[0])
    return centers, previous


def _with_swaps(
    steps: Steps, found: Clustering, history: History, n_swaps: int, others: list[Matrix]
) -> Clustering:
    """The clustering after swaps, proven like any other; the same if none of them paid."""
    if n_swaps == 0 or steps.rules.deadline.passed():
        return found
    costs = steps.costs(found.centers)
    holders = None if found.assignment.covers == "free" else found.answer.prefix
    cost = steps.request.problem(costs, holders).cost(found.answer.labels)
    state = State(found.centers, costs, holders, found.answer, cost)
    better = search(steps, state, n_swaps, history, others)
    if better is None:
        return replace(found, stop=stop_reason(steps.rules.deadline, otherwise=found.stop))
    return lloyd(steps, better.centers, history, (found.trace.start, better.previous))


def _ordinary(steps: Steps, start: Nearest, n_swaps: int) -> tuple[Nearest, int]:
    """Ordinary k-means after as many swaps: what a clustering with promises is fairly compared with.

    With the number of swaps that were made.
    """
    n_clusters = steps.request.fairness.n_clusters
    sizes = np.bincount(start.labels, steps.request.weights.values, n_clusters)
    if n_swaps == 0 or steps.rules.deadline.passed() or not (sizes > 0).all():
        return start, 0
    request = without_promises(steps.request)
    steps = replace(steps, request=request)
    centers = steps.objective.centers(start.labels, n_clusters)
    costs = steps.costs(centers)
    answer = Answer(start.labels, 0.0, (), None)
    cost = request.problem(costs, ()).cost(answer.labels)
    state = State(centers, costs, (), answer, cost)
    history = History(steps.clock)
    better = search(steps, state, n_swaps, history)
    made = len(history.records)
    return (start if better is None else nearest(better.costs, steps.rules.workers)), made
