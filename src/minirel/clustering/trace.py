"""The nearest centers of all points, kept from a fit so that it can be explained."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Costs, cheapest_clusters
from minirel.points.workers import SERIAL, Workers


@dataclass(frozen=True, eq=False)
class Nearest:
    """Every point at its nearest center, and what a unit of its weight costs there."""

    labels: NDArray[np.intp]
    cost: NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Trace:
    """Nearest centers at the start and at the end, and the cost of a unit of each point in its own cluster.

    After a warm start, `start` is the best clustering of k-means, from as many starts, and as many swaps if
    there was time for them.
    """

    start: Nearest
    end: Nearest
    own_cost: NDArray[np.floating]


def nearest(costs: Costs, workers: Workers = SERIAL) -> Nearest:
    """The cheapest cluster of each point."""
    return Nearest(*cheapest_clusters(costs, workers))
