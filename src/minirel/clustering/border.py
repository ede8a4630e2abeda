"""Points near a border between clusters: only these can change cluster while centers move little."""

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.objectives import Matrix, Objective

_SHARE = 0.1  # of the points are near the border


class Border:
    """The points whose own center is not much nearer than every other.

    A point's *lead* is the distance to the nearest other center minus that to its own. By the triangle
    inequality, it stays nearest to its own center until two centers together have moved by more than its lead
    (the bound of Hamerly's k-means). Without a metric, every point is on the border.
    """

    def __init__(
        self, objective: Objective, centers: Matrix, costs: Matrix, labels: NDArray[np.integer]
    ) -> None:
        self._objective, self._centers = objective, centers
        self._known_costs: Matrix | None = costs
        self.points = np.arange(len(labels))
        self._cutoff = np.inf  # all points of at most this lead are on the border
        power = objective.metric_power
        if power is None or len(centers) == 1:
            return
        distance = np.sqrt(costs) if power == 2 else costs ** (1 / power)
        own = distance[self.points, labels]
        distance[self.points, labels] = np.inf
        lead = distance.min(axis=1) - own
        cutoff = float(np.quantile(lead, _SHARE))
        points = np.flatnonzero(lead <= cutoff)
        if cutoff > 0 and 2 * len(points) < len(lead):
            self.points, self._cutoff, self._known_costs = points, cutoff, costs[points]

    def is_valid(self, centers: Matrix) -> bool:
        """Whether at these centers all other points are still nearest to their own."""
        if np.isinf(self._cutoff):
            return True
        moved = self._objective.distances(centers, self._centers).diagonal()
        return bool(2 * float(moved.max()) < self._cutoff)

    def costs(self, centers: Matrix) -> Matrix:
        """Costs of the points on the border."""
        known, self._known_costs = self._known_costs, None
        if known is not None and centers is self._centers:
            return known
        return self._objective.costs(centers, self.points)
