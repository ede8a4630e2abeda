"""The nearest centers of all points, kept from a fit so that it can be explained."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.objectives import Matrix


@dataclass(frozen=True, eq=False)
class Nearest:
    """Every point at its nearest center, and what a unit of its weight costs there."""

    labels: NDArray[np.intp]
    cost: NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Trace:
    """Nearest centers at the start and at the end, and the cost of a unit of each point in its own cluster.

    After a warm start, `start` is the best clustering of k-means, from as many starts and swaps.
    """

    start: Nearest
    end: Nearest
    own_cost: NDArray[np.floating]


def nearest(costs: Matrix) -> Nearest:
    """The cheapest cluster of each point."""
    labels = costs.argmin(axis=1)
    return Nearest(labels, costs[np.arange(len(costs)), labels])
