"""Points near a border between clusters: only these can change cluster while clusters change little."""

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import COMPILE_FROM, Costs, Part, over_blocks
from minirel.clustering.objectives import Matrix, Objective, Vector
from minirel.clustering.recentring import changed_factors, recentred_costs
from minirel.points.workers import SERIAL, Workers

_SHARE = 0.1  # of the points are watched, besides those that may move at once
_ROUNDING = 16  # in units of the last place of a distance


class Border:
    """The points whose own cluster is not much cheaper than every other, while clusters change.

    A point's *lead* is its distance to the nearest other center minus that to its own, each times the root of
    the factor by which centers that follow change its cost (`recentred_costs`). By the triangle inequality,
    it stays positive until centers have moved or factors have changed by as much (the bound of Hamerly's
    k-means). Points of small leads are watched: what they lose is added up, and only those that may have lost
    all of their lead are looked at, and given a new one. Without a metric, every point is looked at.

    `of_cluster` is what each cluster weighs, or None if centers do not follow the points.
    """

    def __init__(
        self,
        objective: Objective,
        centers: Matrix,
        costs: Costs,
        labels: NDArray[np.integer],
        of_cluster: Vector | None = None,
        weight: Vector | None = None,
        workers: Workers = SERIAL,
    ) -> None:
        self._objective, self._weight = objective, weight
        self._centers, self._of_cluster = centers, of_cluster  # as they were when leads were measured
        self._heaviest = 1.0 if weight is None else float(weight.max(initial=0.0))
        self._precision = _ROUNDING * float(np.finfo(costs.dtype).eps)
        n = len(labels)
        self._farthest, self._power = 0.0, objective.metric_power or 1
        lead: NDArray[np.float64] = np.full(n, -np.inf)
        self._has_leads = objective.metric_power is not None and len(centers) > 1
        if self._has_leads:

            def keep(rows: slice, found: tuple[Vector, float]) -> float:
                lead[rows], farthest = found
                return farthest

            each, small = (labels, weight), (of_cluster, self._power, costs.size >= COMPILE_FROM)
            self._farthest = max(over_blocks(_lead, (costs,), each, small, workers=workers, keep=keep))
        place = min(int(np.count_nonzero(lead <= self._rounding)) + int(_SHARE * n), n - 1)
        cutoff = float(np.partition(lead, place)[place])
        self._watched = np.flatnonzero(lead <= cutoff)
        self._cutoff = cutoff if len(self._watched) < n else np.inf
        # A lead shrinks to at least `_kept` of it, minus the loss. So in units of what is kept, a point has
        # lost its lead once the losses so far come to what they were when it was measured, plus the lead.
        self._kept, self._lost, self._lost_at = 1.0, 0.0, lead[self._watched]
        self._near = np.flatnonzero(self._lost_at <= self._rounding)

    @property
    def _rounding(self) -> float:
        return self._precision * self._farthest

    @property
    def near(self) -> NDArray[np.intp]:
        """The points that may be cheaper elsewhere, in order."""
        return self._watched[self._near]

    def points(
        self, centers: Matrix, of_cluster: Vector | None, moved: NDArray[np.intp]
    ) -> NDArray[np.intp] | None:
        """Those that may be cheaper elsewhere once centers are these; None if too much has changed.

        `moved` are the points that have changed cluster since the last time; these were near.
        """
        if not self._has_leads:
            return self.near
        shift = self._objective.distances(centers, self._centers).diagonal()
        largest, leaving, joining = 1.0, 0.0, 0.0
        if of_cluster is not None and self._of_cluster is not None:
            changed = (shift > 0) | (of_cluster != self._of_cluster)
            weights = self._of_cluster[changed], of_cluster[changed]
            largest, leaving, joining = changed_factors(*weights, self._heaviest)
        if np.isinf(largest) or joining >= 1:
            return None
        farther = self._farthest * leaving + float(shift.max()) * largest
        lost = farther + self._farthest * joining + float(shift.max())
        self._centers, self._of_cluster = centers, of_cluster
        self._farthest += farther
        self._kept *= 1 - joining
        self._lost += lost / self._kept
        limit = self._lost + self._rounding / self._kept
        if limit >= self._cutoff:
            return None
        self._lost_at[np.searchsorted(self._watched, moved)] = -np.inf
        self._near = np.flatnonzero(self._lost_at <= limit)
        return self.near

    def update(self, costs: Matrix, labels: NDArray[np.integer]) -> None:
        """Measure the leads of the points that are near, by their costs at the centers as they are."""
        if self._has_leads and len(self._near):
            weight = None if self._weight is None else self._weight[self.near]
            lead, farthest = _leads(costs, labels, weight, self._of_cluster, self._power)
            self._farthest = max(self._farthest, farthest)
            self._lost_at[self._near] = self._lost + lead / self._kept


def _lead(
    part: Part,
    labels: NDArray[np.integer],
    weight: Vector | None,
    of_cluster: Vector | None,
    power: int,
    is_large: bool,
) -> tuple[Vector, float]:
    """The leads of a block of points."""
    if not is_large:
        return _leads(part.table(), labels, weight, of_cluster, power)
    from minirel.clustering.compiled import leads

    lead, nothing = np.empty(len(labels)), np.empty(0)
    each, of_cluster = (nothing if given is None else given for given in (weight, of_cluster))
    return lead, leads(part.table(), labels, each, of_cluster, power, lead)


def _leads(
    costs: Matrix, labels: NDArray[np.integer], weight: Vector | None, of_cluster: Vector | None, power: int
) -> tuple[Vector, float]:
    """The lead of each point, and the largest distance of one from its own center."""
    own, others = recentred_costs(costs, labels, weight, of_cluster)
    own, nearest = (part ** (1 / power) for part in (own, others.min(axis=1)))
    return nearest - own, float(own.max())
