"""The points that were given, where the clustering was made of units that stay together."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.ending import Clustering
from minirel.clustering.trace import Nearest, Trace
from minirel.points.groups import Groups
from minirel.points.neighbours import Neighbours
from minirel.points.together import Together
from minirel.points.weights import Weights


@dataclass(frozen=True, eq=False)
class Everyone:
    """Groups, weights and neighbours of all points, their units, and the scatter in these.

    With k-means, the points of a unit cost what they would at their mean, and their scatter around it: a
    constant.
    """

    groups: Groups
    weights: Weights
    units: Together | None = None
    scatter: NDArray[np.float64] | None = None
    neighbours: Neighbours | None = None

    @property
    def units_to_connect(self) -> Neighbours | None:
        """The neighbours of the units."""
        if self.neighbours is None or self.units is None:
            return self.neighbours
        return self.neighbours.of(self.units.unit, self.units.n_units)

    @property
    def constant(self) -> float:
        """What all clusterings cost alike."""
        return 0.0 if self.scatter is None else float(self.scatter.sum()) * float(self.weights.unit)

    def expanded(self, best: Clustering) -> Clustering:
        """The clustering of all points, from that of the units."""
        units = self.units
        if units is None or self.scatter is None:
            return best
        found, constant = best.assignment, self.constant
        cost, bound = found.cost + constant, found.lower_bound + constant
        gap = 0.0 if found.status == "optimal" else (cost - bound) / cost if cost else found.gap
        certificate = replace(
            found.certificate,
            cost=found.certificate.cost + constant,
            price_bound=found.certificate.price_bound + constant,
        )
        assignment = replace(
            found,
            labels=units.labels(found.labels),
            cost=cost,
            lower_bound=bound,
            gap=gap,
            certificate=certificate,
        )
        # Each point of a unit is given what the mean one costs, so that sums are right.
        weight = units.weights(self.weights).numbers(units.n_units)
        within = np.divide(self.scatter, weight, out=np.zeros(units.n_units), where=weight > 0)

        def of_points(cost: NDArray[np.floating]) -> NDArray[np.floating]:
            return np.asarray((cost + within)[units.unit])

        def nearest(of_units: Nearest) -> Nearest:
            return Nearest(units.labels(of_units.labels), of_points(of_units.cost))

        trace = Trace(nearest(best.trace.start), nearest(best.trace.end), of_points(best.trace.own_cost))
        return replace(best, assignment=assignment, trace=trace)
