"""Points near a border between clusters: only these can change cluster while clusters change little."""

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.objectives import Matrix, Objective, Vector
from minirel.clustering.recentring import Recentring

_SHARE = 0.1  # of the points are near the border
_ROWS = 2**16  # of the cost table handled at once, so that temporaries stay small beside it


class Border:
    """The points whose own cluster is not much cheaper than every other.

    A point's *lead* is its distance to the nearest other center minus that to its own, each times the root of
    the factor by which centers that follow change its cost (`Recentring`). By the triangle inequality, it
    stays positive until centers have moved or factors have changed by too much (the bound of Hamerly's
    k-means). Without a metric, every point is on the border.
    """

    def __init__(
        self,
        objective: Objective,
        centers: Matrix,
        costs: Matrix,
        labels: NDArray[np.integer],
        weight: Vector | None = None,
    ) -> None:
        self._objective, self._centers = objective, centers
        self._known_costs: Matrix | None = costs
        self.points = np.arange(len(labels))
        self._cutoff = np.inf  # all points of at most this lead are on the border
        power = objective.metric_power
        if power is None or len(centers) == 1:
            return
        self._recentring = Recentring(objective, labels, len(centers), weight)
        own, nearest = np.empty(len(labels)), np.empty(len(labels))
        for first in range(0, len(labels), _ROWS):
            rows = slice(first, first + _ROWS)
            own[rows], others = self._recentring.costs(costs[rows], self.points[rows])
            others.min(axis=1, out=nearest[rows])
        own, nearest = (part ** (1 / power) for part in (own, nearest))
        lead = nearest - own
        cutoff = float(np.quantile(lead, _SHARE))
        inside = lead <= cutoff
        if cutoff > 0 and 2 * np.count_nonzero(inside) < len(lead):
            self.points, self._cutoff = np.flatnonzero(inside), cutoff
            self._known_costs = costs[self.points]
            self._farthest = float(own[~inside].max())

    def is_valid(self, centers: Matrix, labels: NDArray[np.integer]) -> bool:
        """Whether at these centers and labels all other points still have their cheapest cluster."""
        if np.isinf(self._cutoff):
            return True
        moved = self._objective.distances(centers, self._centers).diagonal()
        largest, leaving, joining = self._recentring.changed(labels, moved > 0)
        if np.isinf(largest):
            return False
        lost = self._farthest * (joining + leaving) + float(moved.max()) * (1 + largest)
        return self._cutoff * (1 - joining) > lost

    def costs(self, centers: Matrix) -> Matrix:
        """Costs of the points on the border."""
        known, self._known_costs = self._known_costs, None
        if known is not None and centers is self._centers:
            return known
        return self._objective.costs(centers, self.points)
