"""Who is where: members and sizes of clusters, in units of weight."""

import numpy as np
from numpy.typing import NDArray

from minirel.points.groups import Groups
from minirel.points.weights import Weights

_ROWS = 2**16  # counted at once, so that temporaries stay small


def tally(
    groups: Groups, weights: Weights, labels: NDArray[np.integer], n_clusters: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the units of each group in each cluster, and of all points in each cluster."""
    cells = by_signature(groups, weights, labels, n_clusters)
    members: NDArray[np.int64] = groups.signatures.T.astype(np.int64) @ cells
    return members, cells.sum(axis=0)


def by_signature(
    groups: Groups, weights: Weights, labels: NDArray[np.integer], n_clusters: int
) -> NDArray[np.int64]:
    """Count the units of each signature in each cluster."""
    n_cells = groups.n_signatures * n_clusters
    cells = np.zeros(n_cells, dtype=np.int64)
    for first in range(0, len(labels), _ROWS):
        rows = slice(first, first + _ROWS)
        place = groups.signature[rows].astype(np.int64) * n_clusters + labels[rows]
        units = None if weights.units is None else weights.units[rows]
        # All units together are below 2**53, so the doubles that bincount adds are exact.
        cells += np.bincount(place, weights=units, minlength=n_cells).astype(np.int64)
    return cells.reshape(groups.n_signatures, n_clusters)
