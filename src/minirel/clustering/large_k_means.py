"""Ordinary k-means over blocks of points, for data of which no copy should be made."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Matrix, Vector, blocks
from minirel.points.workers import Workers
from minirel.solvers.limits import Deadline

_MAX_ITER = 300


def large_k_means(
    X: Matrix, weight: Vector | None, centers: Matrix, tol: float, workers: Workers, deadline: Deadline
) -> Matrix:
    """The centers of Lloyd's algorithm, from those given.

    It ends when no label changes, when centers move by a sum of squares of at most `tol`, or at the deadline.
    A cluster without points keeps its center.
    """
    origin = centers.mean(axis=0)  # so that data far from zero does not lose its differences in the sums
    labels = np.full(len(X), -1, dtype=np.int32)
    for _ in range(_MAX_ITER):
        work = partial(_pass, X, weight, centers, origin, labels)
        parts = workers.map(work, blocks(len(X)), len(X) * len(centers))
        n_changed, sums, weights = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
        if n_changed == 0:
            break
        has_points = weights > 0
        new = centers.copy()
        new[has_points] = sums[has_points] / weights[has_points, None] + origin
        shift = float(((new.astype(np.float64) - centers) ** 2).sum())
        centers = new
        if shift <= tol or deadline.passed():
            break
    return centers


def _pass(
    X: Matrix, weight: Vector | None, centers: Matrix, origin: Vector, labels: NDArray[np.int32], rows: slice
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Label some points; how many labels changed, the sums by cluster from the origin, and the weights."""
    from minirel.clustering.compiled import nearest_sums

    by_columns = np.ascontiguousarray(centers.T, dtype=np.float64)
    sums, weights = np.zeros(centers.shape), np.zeros(len(centers))
    some = np.empty(0) if weight is None else weight[rows]
    n_changed = nearest_sums(X[rows], by_columns, some, origin, labels[rows], sums, weights)
    return n_changed, sums, weights
