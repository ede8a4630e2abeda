"""Who is where: members and sizes of clusters, in units of weight."""

import numpy as np
from numpy.typing import NDArray

from minirel.points.groups import Groups
from minirel.points.weights import Weights


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
    place = groups.signature.astype(np.int64) * n_clusters + labels
    # All units together are below 2**53, so the doubles that bincount adds are exact.
    cells = np.bincount(place, weights=weights.units, minlength=groups.n_signatures * n_clusters)
    return cells.astype(np.int64).reshape(groups.n_signatures, n_clusters)
