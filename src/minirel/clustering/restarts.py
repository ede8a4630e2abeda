"""Whole runs from different first centers, of which the cheapest is kept."""

from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from minirel.assignment.request import Request
from minirel.clustering.history import History
from minirel.clustering.initialise import Placed, Start, first_centers
from minirel.clustering.lloyd import Clustering, Rules, lloyd
from minirel.clustering.objectives import Data, Objective

_ROWS = 2_048  # handled at once, so that temporaries stay in the cache


@dataclass(frozen=True, eq=False)
class Restarts:
    """What every run has in common; `rules` has the tolerance relative to the variance of the features."""

    X: Data
    objective: type[Objective]
    init: Placed
    request: Request
    rules: Rules

    def best_of(
        self, n_init: int, chance: np.random.RandomState, *, verbose: bool
    ) -> tuple[Clustering, History]:
        """The cheapest of `n_init` runs, each with a chance of its own, so that their order is no matter."""
        variance = mean_variance(self.X)
        if not np.isfinite(variance):
            raise ValueError(
                "X must have squared distances that are finite numbers, but they overflow: scale X down"
            )
        weight = self.request.weights.values
        objective = self.objective(self.X, weight)
        rules = replace(self.rules, tol=self.rules.tol * variance)
        chances = [chance]  # so that k-means with the same seed starts alike
        if n_init > 1:
            chances = [np.random.RandomState(s) for s in chance.randint(np.iinfo(np.int32).max, size=n_init)]

        def run(number: int) -> tuple[Clustering, History]:
            random = chances[number]
            history = History(verbose, f"start {number + 1}  " if n_init > 1 else "")
            n_clusters = self.request.fairness.n_clusters
            with history.timing("start"):
                start = Start(
                    self.X, weight, objective, n_clusters, self.rules.tol, random, self.rules.deadline
                )
                centers = first_centers(self.init, start)
            return lloyd(objective, centers, self.request, rules, history, random), history

        # Threads, so that runs share the data; the work is done outside the interpreter's lock.
        side_by_side = Parallel(n_jobs=self.rules.workers.n_jobs, require="sharedmem")
        runs = side_by_side(delayed(run)(i) for i in range(n_init))
        best: tuple[Clustering, History] = min(runs, key=lambda pair: pair[0].assignment.cost)
        return best


def mean_variance(X: Data) -> float:
    """The scale of `tol`, as in scikit-learn's KMeans; infinite or not a number if that overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _variance(X)


def _variance(X: Data) -> float:
    if issparse(X):
        return float(mean_variance_axis(X, axis=0)[1].mean())
    mean = X.mean(axis=0)
    parts = (X[start : start + _ROWS] - mean for start in range(0, len(X), _ROWS))
    return sum(float(np.einsum("ij,ij->", part, part)) for part in parts) / X.size
