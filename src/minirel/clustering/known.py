"""Clusterings that are known already, from which a run goes on."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Answer, End
from minirel.clustering.ending import Clustering, ended, stop_reason
from minirel.clustering.history import History
from minirel.clustering.lloyd import lloyd
from minirel.clustering.moves import surviving_holders
from minirel.clustering.objectives import Matrix
from minirel.clustering.steps import Previous, Steps
from minirel.clustering.trace import nearest
from minirel.promises.fairness import Prefix
from minirel.promises.prices import Prices


@dataclass(frozen=True, eq=False)
class Known:
    """First centers of k-means that are known already, or a whole clustering; the `init` of such a fit.

    A run from centers alone chooses holders, as from any first centers. `labels` keep every promise of the
    request, for instance because they keep stricter ones. The run then starts from them, with their holders
    and prices, and its result never costs more. If it `is_final`, there is no run: the labels are the result,
    once they have been verified, with the `lower_bound` (over units) and the `end` of an earlier search.
    """

    centers: Matrix
    labels: NDArray[np.integer] | None = None
    holders: Prefix | None = None
    prices: Prices | None = None
    lower_bound: float = -np.inf
    end: End = "done"
    is_final: bool = False

    def __call__(self, X: object, n_clusters: int, random_state: Any) -> Matrix:
        """The centers."""
        return self.centers


def go_on(steps: Steps, known: Known, history: History) -> Clustering:
    """The clustering to which labels that are known lead."""
    assert known.labels is not None
    centers = known.centers.astype(steps.X.dtype)
    costs = steps.costs(centers)
    start, request = nearest(costs, steps.rules.workers), steps.request
    # Also where the choice is free: what held a cluster for other promises need not hold it for these.
    kept = _enough(steps, known)
    holders = None if _are_free(steps) else kept
    problem = request.problem(costs, holders, steps.rules.workers)
    labels = known.labels.astype(np.intp)
    prices = None if known.prices is None else known.prices.of(kept)
    answer = Answer(labels, known.lower_bound, kept, prices, known.end)
    cost = problem.cost(labels)
    if known.is_final:
        history.record(request.weight(cost), request.weight(known.lower_bound), 0.0, 0)
        stop = stop_reason(steps.rules.deadline, otherwise="converged")
        return ended(centers, problem, answer, steps.rules.gap, 0.0, stop, start)
    answer = replace(answer, lower_bound=-np.inf)  # a bound for other promises is none for these
    return lloyd(steps, centers, history, (start, Previous(holders, answer, cost)))


def _are_free(steps: Steps) -> bool:
    """Whether the choice of holders is part of each assignment."""
    required, beta = steps.request.required, steps.request.fairness.beta
    missing = (sum(g == group for g, _ in required) < n for group, n in enumerate(beta))
    return steps.request.strategy is None and any(missing)


def _enough(steps: Steps, known: Known) -> Prefix:
    """As many of the holders as are promised: those required, then those whose promises cost least.

    Where they are too few, clusters in which the labels represent a group are added.
    """
    assert known.labels is not None
    request = steps.request
    kept, left = list(request.required), list(request.fairness.beta)
    for g, _ in kept:
        left[g] -= 1
    others = [holder for holder in known.holders or () if holder not in request.required]
    if known.prices is not None:
        price = known.prices.groups
        others.sort(key=lambda holder: (price[holder], holder))
    for g, k in others:
        if left[g] > 0:
            kept.append((g, k))
            left[g] -= 1
    return surviving_holders(known.labels, tuple(sorted(kept)), request)
