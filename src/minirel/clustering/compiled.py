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
        best, label = total[0], 0
        for k in range(1, n_clusters):  # without branches, which processors would guess wrong
            is_less = total[k] < best
            best = total[k] if is_less else best
            label = k if is_less else label
        labels[i] = label
        unit = weight[i] if weighted else 1.0
        weights[label] += unit
        for f in range(n_features):
            sums[label, f] += unit * (np.float64(X[i, f]) - np.float64(origin[f]))


@compiled
def leads(costs: Any, labels: Any, weight: Any, of_cluster: Any, power: int, out: Any) -> float:
    """Write the lead of each point; return the largest distance of one from its own center.

    Points weigh 1 if there are no weights, and centers stay if there are no weights of clusters.
    """
    n, n_clusters = costs.shape
    weighted = weight.shape[0] > 0
    follows = of_cluster.shape[0] > 0
    joining = np.ones(n_clusters)
    others = np.empty(n_clusters)
    farthest = 0.0
    for i in range(n):
        label = labels[i]
        leaving = 1.0
        if follows:
            unit = weight[i] if weighted else 1.0
            if weighted or i == 0:
                for k in range(n_clusters):
                    joining[k] = of_cluster[k] / (of_cluster[k] + unit)
            left = of_cluster[label] - unit
            leaving = of_cluster[label] / left if left > 0 else 0.0
        own = costs[i, label] * leaving
        for k in range(n_clusters):
            others[k] = costs[i, k] * joining[k]
        others[label] = np.inf
        nearest = np.inf
        for k in range(n_clusters):
            nearest = others[k] if others[k] < nearest else nearest
        if power == 2:
            own, nearest = np.sqrt(own), np.sqrt(nearest)
        elif power != 1:
            own, nearest = own ** (1 / power), nearest ** (1 / power)
        out[i] = nearest - own
        farthest = max(farthest, own)
    return farthest
