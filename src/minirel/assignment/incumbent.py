"""The incumbent of a search: the best feasible labels so far, and when they are good enough."""

import math

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Problem

# Relative to the points' costs: upper and lower bounds that differ by less differ by rounding only.
_ROUNDING = 1e-11


class Incumbent:
    """The cheapest labels found, whose cost is the upper bound of the search.

    Attributes
    ----------
    gap : float
        The relative gap asked for.
    labels : ndarray of shape (n_points,), or None
        The labels, which keep every promise.
    cost : float
        Their cost, over units: the upper bound; infinite while there are none.
    """

    def __init__(self, problem: Problem, gap: float, rounding_error: float = 0.0) -> None:
        self.gap, self._problem, self._rounding_error = gap, problem, rounding_error
        self.labels: NDArray[np.int32] | None = None
        self.cost = math.inf
        self._rounding = rounding_error

    def offer(self, labels: NDArray[np.integer]) -> bool:
        """Take labels that keep every promise if they are cheaper; return whether they are."""
        cost, magnitude = self._problem.cost_and_magnitude(labels)
        if not cost < self.cost:
            return False
        self.labels, self.cost = labels.astype(np.int32, copy=False), cost
        self._rounding = max(self._rounding_error, _ROUNDING * magnitude)
        return True

    @property
    def tolerance(self) -> float:
        """How far below the cost a lower bound may stay: the gap asked for, or rounding if that is more."""
        return max(self.gap * abs(self.cost), self._rounding) if math.isfinite(self.cost) else 0.0

    @property
    def cutoff(self) -> float:
        """A node of the search with a lower bound of at least this can be pruned."""
        return self.cost - self.tolerance
