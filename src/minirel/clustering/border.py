"""Points near a border between clusters: the only ones that hardly moving centers can make wish to move."""

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.objectives import Matrix, Objective

_SHARE = 0.1  # of the points, which is how many are watched


class Border:
    """The points that are not much nearer to their own center than to another.

    By the triangle inequality the others stay nearest to their own until two centers together have moved by
    more than their lead. Without a metric, every point is watched.
    """

    def __init__(
        self, objective: Objective, centers: Matrix, costs: Matrix, labels: NDArray[np.integer]
    ) -> None:
        self._objective, self._centers = objective, centers
        self._known: Matrix | None = costs
        self.points = np.arange(len(labels))
        self._lead = np.inf
        power = objective.metric_power
        if power is None or len(centers) == 1:
            return
        distance = np.sqrt(costs) if power == 2 else costs ** (1 / power)
        own = distance[self.points, labels]
        distance[self.points, labels] = np.inf
        lead = distance.min(axis=1) - own
        enough = float(np.quantile(lead, _SHARE))
        watched = np.flatnonzero(lead <= enough)
        if enough > 0 and 2 * len(watched) < len(lead):
            self.points, self._lead, self._known = watched, enough, costs[watched]

    def holds(self, centers: Matrix) -> bool:
        """Whether with these centers still nobody else wishes to move."""
        if np.isinf(self._lead):
            return True
        moved = self._objective.distances(centers, self._centers).diagonal()
        return bool(2 * float(moved.max()) < self._lead)

    def costs(self, centers: Matrix) -> Matrix:
        """Costs of the watched points."""
        known, self._known = self._known, None
        if known is not None and centers is self._centers:
            return known
        return self._objective.costs(centers, self.points)
