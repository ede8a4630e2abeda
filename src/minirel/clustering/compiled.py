"""Squared distances, compiled with numba: imported only for large data."""

from typing import Any

import numpy as np

from minirel.assignment.compiled import PADDING, compiled

# Points whose distances are summed side by side: many, but no more than the caches hold.
_MOST_POINTS, _FEWEST_POINTS = 256, 32
_MOST_NUMBERS = 2**15


@compiled
def _n_at_once(n_features: int) -> int:
    return max(_FEWEST_POINTS, min(_MOST_POINTS, _MOST_NUMBERS // n_features))


@compiled
def _turn(X: Any, first: int, n: int, by_feature: Any) -> None:
    """Copy `n` points from `first` on, one row per feature."""
    for i in range(n):
        for f in range(X.shape[1]):
            by_feature[f, i] = np.float64(X[first + i, f])


@compiled
def _sum_squares(by_feature: Any, centers: Any, k: int, total: Any) -> None:
    """Squared distances of the points from a center. Each is summed as if it were alone."""
    total[:] = 0.0
    for f in range(centers.shape[0]):
        at = centers[f, k]
        for i in range(total.shape[0]):
            difference = by_feature[f, i] - at
            total[i] += difference * difference


@compiled
def squared_distances(X: Any, centers: Any, out: Any) -> None:
    """Squared distances of points from centers, the centers given by columns: summed feature by feature."""
    n, n_features = X.shape
    n_clusters = centers.shape[1]
    size = _n_at_once(n_features)
    by_feature = np.zeros((n_features, size + PADDING))
    total = np.empty((n_clusters, size + PADDING))
    for first in range(0, n, size):
        n_points = min(size, n - first)
        _turn(X, first, n_points, by_feature)
        for k in range(n_clusters):
            _sum_squares(by_feature, centers, k, total[k, :size])
        for i in range(n_points):
            for k in range(n_clusters):
                out[first + i, k] = total[k, i]


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
    size = _n_at_once(n_features)
    weighted = weight.shape[0] > 0
    by_feature = np.zeros((n_features, size + PADDING))
    total, best, nearest = np.empty(size), np.empty(size), np.empty(size, dtype=np.int64)
    for first in range(0, n, size):
        n_points = min(size, n - first)
        _turn(X, first, n_points, by_feature)
        best[:] = np.inf
        nearest[:] = 0
        for k in range(centers.shape[1]):
            _sum_squares(by_feature, centers, k, total)
            for i in range(size):  # without branches, which processors would guess wrong
                is_less = total[i] < best[i]
                best[i] = total[i] if is_less else best[i]
                nearest[i] = k if is_less else nearest[i]
        for i in range(n_points):
            label = nearest[i]
            labels[first + i] = label
            unit = weight[first + i] if weighted else 1.0
            weights[label] += unit
            for f in range(n_features):
                sums[label, f] += unit * (np.float64(X[first + i, f]) - np.float64(origin[f]))


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
