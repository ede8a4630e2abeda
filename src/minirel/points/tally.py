"""Who is where: members, totals and sizes of clusters, in units."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minirel.points.groups import Groups
from minirel.points.weights import Weights

_ROWS = 2**16  # counted at once, so that temporaries stay small


class Tally(NamedTuple):
    """Members of each group in each cluster, and by cluster what shares are of, and sizes.

    Shares are of all points of the cluster by weight, unless points hold numbers of members: then of their
    totals.
    """

    members: NDArray[np.int64]
    total: NDArray[np.int64]
    size: NDArray[np.int64]


def tally(groups: Groups, weights: Weights, labels: NDArray[np.integer], n_clusters: int) -> Tally:
    """Count members, totals and sizes."""
    return tally_of(groups, by_signature(groups, weights, labels, n_clusters))


def tally_of(groups: Groups, cells: NDArray[np.int64]) -> Tally:
    """The same, from `by_signature`."""
    if groups.counts is None:
        size = cells.sum(axis=0)
        return Tally(groups.signatures.T.astype(np.int64) @ cells, size, size)
    counts = groups.counts
    return Tally(counts.members.T @ cells, counts.total @ cells, counts.size @ cells)


def by_signature(
    groups: Groups, weights: Weights, labels: NDArray[np.integer], n_clusters: int
) -> NDArray[np.int64]:
    """Count the units of each signature in each cluster; of numbers of members, the points."""
    n_cells = groups.n_signatures * n_clusters
    cells = np.zeros(n_cells, dtype=np.int64)
    weighs = weights.units if groups.counts is None else None
    for first in range(0, len(labels), _ROWS):
        rows = slice(first, first + _ROWS)
        place = groups.signature[rows].astype(np.int64) * n_clusters + labels[rows]
        units = None if weighs is None else weighs[rows]
        # All units together are below 2**53, so the doubles that bincount adds are exact.
        cells += np.bincount(place, weights=units, minlength=n_cells).astype(np.int64)
    return cells.reshape(groups.n_signatures, n_clusters)
