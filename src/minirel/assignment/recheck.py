"""The certificate's pass over the points, compiled; imported only for many of them."""

from typing import Any

import numpy as np

from minirel.assignment.compiled import compiled


@compiled
def least_sum(costs: Any, membership: Any, of_cluster: Any, of_groups: Any, units: Any) -> float:
    """Sum over points of the least cost after all prices: those of the cluster, less those of the groups."""
    n, n_clusters = costs.shape
    priced = np.empty(n_clusters)
    total = 0.0
    for i in range(n):
        for k in range(n_clusters):
            priced[k] = costs[i, k] + of_cluster[k]
        for g in range(membership.shape[1]):
            if membership[i, g]:
                for k in range(n_clusters):
                    priced[k] -= of_groups[g, k]
        least = priced[0]
        for k in range(1, n_clusters):
            least = min(least, priced[k])
        total += least * units[i] if units.shape[0] > 0 else least
    return total
