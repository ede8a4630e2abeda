"""Squared distances, compiled with numba: imported only for large data."""

from typing import Any

import numpy as np

from minirel.assignment.compiled import compiled


@compiled
def squared_distances(X: Any, centers: Any, out: Any) -> None:
    """Squared distances of points from centers, the centers given by columns: summed feature by feature."""
    n, n_features = X.shape
    n_clusters = centers.shape[1]
    total = np.empty(n_clusters)
    for i in range(n):
        total[:] = 0.0
        for f in range(n_features):
            x = np.float64(X[i, f])
            for k in range(n_clusters):
                difference = x - centers[f, k]
                total[k] += difference * difference
        for k in range(n_clusters):
            out[i, k] = total[k]


@compiled
def own_distances(X: Any, centers: Any, labels: Any, out: Any) -> None:
    """Squared distance of each point from the center of its label, the centers given by rows."""
    n, n_features = X.shape
    for i in range(n):
        total = 0.0
        for f in range(n_features):
            difference = np.float64(X[i, f]) - centers[labels[i], f]
            total += difference * difference
        out[i] = total


@compiled
def add_to_sums(X: Any, labels: Any, weight: Any, origin: Any, sums: Any) -> None:
    """Add the points, counted from `origin` and times their weight, to the sums of their clusters."""
    n, n_features = X.shape
    weighted = weight.shape[0] > 0
    for i in range(n):
        k = labels[i]
        for f in range(n_features):
            difference = np.float64(X[i, f]) - np.float64(origin[f])
            sums[k, f] += difference * weight[i] if weighted else difference


@compiled
def nearest_sums(
    X: Any, centers: Any, weight: Any, origin: Any, labels: Any, sums: Any, weights: Any
) -> None:
    """Label each point by its nearest center, and add it to sums and weights.

    The centers are given by columns. Ties go to the first.
    """
    n, n_features = X.shape
    n_clusters = centers.shape[1]
    weighted = weight.shape[0] > 0
    total = np.empty(n_clusters)
    for i in range(n):
        total[:] = 0.0
        for f in range(n_features):
            x = np.float64(X[i, f])
            for k in range(n_clusters):
                difference = x - centers[f, k]
                total[k] += difference * difference
        label = 0
        for k in range(1, n_clusters):
            if total[k] < total[label]:
                label = k
        labels[i] = label
        unit = weight[i] if weighted else 1.0
        weights[label] += unit
        for f in range(n_features):
            sums[label, f] += unit * (np.float64(X[i, f]) - np.float64(origin[f]))
