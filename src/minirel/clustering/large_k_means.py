"""Ordinary k-means over blocks of points, for data of which no copy should be made."""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.objectives import Data, Matrix, Vector
from minirel.points.blocks import map_blocks
from minirel.points.workers import Workers
from minirel.solvers.limits import Deadline

_MAX_ITER = 300


def large_k_means(
    X: Data, weight: Vector | None, centers: Matrix, tol: float, workers: Workers, deadline: Deadline
) -> Matrix:
    """The centers of Lloyd's algorithm, from those given.

    It ends when no label changes, when centers move by a sum of squares of at most `tol`, or at the deadline.
    A cluster without points keeps its center.
    """
    origin = centers.mean(axis=0)  # so that data far from zero does not lose its differences in the sums
    labels: tuple[bytes, ...] = ()
    for _ in range(_MAX_ITER):
        before = labels
        n_costs = X.shape[0] * len(centers)
        found = map_blocks(X, _pass, (weight,), (centers, origin), workers=workers, n_costs=n_costs)
        labels, sums_of_blocks, weights_of_blocks = zip(*found, strict=True)
        if labels == before:
            break
        sums, weights = np.sum(sums_of_blocks, axis=0), np.sum(weights_of_blocks, axis=0)
        has_points = weights > 0
        new = centers.copy()
        new[has_points] = sums[has_points] / weights[has_points, None] + origin
        shift = float(((new.astype(np.float64) - centers) ** 2).sum())
        centers = new
        if shift <= tol or deadline.passed():
            break
    return centers


def _pass(
    X: Matrix, weight: Vector | None, centers: Matrix, origin: Vector
) -> tuple[bytes, NDArray[np.float64], NDArray[np.float64]]:
    """Label some points: a digest of the labels, the sums by cluster from the origin, and the weights."""
    from minirel.clustering.compiled import nearest_sums

    labels = np.empty(len(X), dtype=np.int32)
    by_columns = np.ascontiguousarray(centers.T, dtype=np.float64)
    sums, weights = np.zeros(centers.shape), np.zeros(len(centers))
    nearest_sums(X, by_columns, np.empty(0) if weight is None else weight, origin, labels, sums, weights)
    return blake2b(labels.tobytes(), digest_size=16).digest(), sums, weights
