"""Points near a border between clusters: only these can change cluster while clusters change little."""

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Costs, Part, over_blocks
from minirel.clustering.objectives import Matrix, Objective, Vector
from minirel.clustering.recentring import Recentring, recentred_costs
from minirel.points.workers import SERIAL, Workers

_SHARE = 0.1  # of the points are near the border
_ROUNDING = 16  # in units of the last place of a distance


class Border:
    """The points whose own cluster is not much cheaper than every other.

    A point's *lead* is its distance to the nearest other center minus that to its own, each times the root of
    the factor by which centers that follow change its cost (`Recentring`). By the triangle inequality, it
    stays positive until centers have moved or factors have changed by as much (the bound of Hamerly's
    k-means). Without a metric, every point is on the border.
    """

    def __init__(
        self,
        objective: Objective,
        centers: Matrix,
        costs: Costs,
        labels: NDArray[np.integer],
        weight: Vector | None = None,
        workers: Workers = SERIAL,
    ) -> None:
        self._objective, self._centers = objective, centers
        self._lead: Vector | None = None  # of the points of the border
        self._recentring = Recentring(objective, labels, len(centers), weight)
        power = objective.metric_power
        if power is None or len(centers) == 1:
            self._points = np.arange(len(labels))
            return
        lead = np.empty(len(labels))

        def keep(rows: slice, found: tuple[float, Vector]) -> float:
            farthest, lead[rows] = found
            return farthest

        of_cluster = self._recentring.of_cluster if self._recentring.follows else None
        small = of_cluster, power
        self._farthest = max(
            over_blocks(_lead, (costs,), (labels, weight), small, workers=workers, keep=keep)
        )
        place = int(_SHARE * len(lead))
        self._cutoff = float(np.partition(lead, place)[place])
        self._finest = _ROUNDING * float(np.finfo(costs.dtype).eps) * self._farthest
        near = np.flatnonzero(lead <= self._cutoff)
        # The border: points in the order of their lead.
        self._points = near[np.argsort(lead[near], kind="stable")]
        self._lead, self._lead_of_all = lead[self._points], lead

    def points(self, centers: Matrix, labels: NDArray[np.integer]) -> NDArray[np.intp] | None:
        """The points that may be cheaper elsewhere at these centers and labels; None if too much changed."""
        if self._lead is None:
            return self._points
        moved = self._objective.distances(centers, self._centers).diagonal()
        largest, leaving, joining = self._recentring.changed(labels, moved > 0)
        if np.isinf(largest) or joining >= 1:
            return None
        lost = self._farthest * (joining + leaving) + float(moved.max()) * (1 + largest) + self._finest
        most = lost / (1 - joining)
        if most >= self._cutoff and len(self._points) < len(labels):
            return None
        near = self._points[: np.searchsorted(self._lead, most, side="right")]
        changed = np.flatnonzero(labels != self._recentring.labels)
        return np.sort(np.concatenate([near, changed[self._lead_of_all[changed] > most]]))


def _lead(
    part: Part, labels: NDArray[np.integer], weight: Vector | None, of_cluster: Vector | None, power: int
) -> tuple[float, Vector]:
    """The largest distance of a point of a block from its center, and the lead of each."""
    own, others = recentred_costs(part.table(), labels, weight, of_cluster)
    own, nearest = (part ** (1 / power) for part in (own, others.min(axis=1)))
    return float(own.max()), nearest - own
