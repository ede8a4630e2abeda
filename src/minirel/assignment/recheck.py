"""The certificate's pass over the points, compiled with numba: imported only for large data."""

from typing import Any

import numpy as np

from minirel.assignment.compiled import compiled


@compiled
def least_sum(
    costs: Any,
    membership: Any,
    of_cluster: Any,
    of_groups: Any,
    relative_error: float,
    cluster_errors: Any,
    units: Any,
) -> tuple[float, float]:
    """Sum over points of the least priced cost: plus the prices of the cluster, minus those of the groups.

    Also the same sum with every priced cost lowered by its rounding error: `relative_error` of the cost, plus
    the `cluster_errors` of the prices. Both are Neumaier's compensated sums.
    """
    n, n_clusters = costs.shape
    priced = np.empty(n_clusters)
    totals = np.zeros(2)
    lost = np.zeros(2)
    terms = np.empty(2)
    for i in range(n):
        for k in range(n_clusters):
            priced[k] = costs[i, k] + of_cluster[k]
        for g in range(membership.shape[1]):
            if membership[i, g]:
                for k in range(n_clusters):
                    priced[k] -= of_groups[g, k]
        least = priced[0]
        safe = priced[0] - (relative_error * abs(costs[i, 0]) + cluster_errors[0])
        for k in range(1, n_clusters):
            least = min(least, priced[k])
            safe = min(safe, priced[k] - (relative_error * abs(costs[i, k]) + cluster_errors[k]))
        unit = float(units[i]) if units.shape[0] > 0 else 1.0
        terms[0] = least * unit
        terms[1] = safe * unit
        for j in range(2):
            after = totals[j] + terms[j]
            if abs(totals[j]) >= abs(terms[j]):
                lost[j] += (totals[j] - after) + terms[j]
            else:
                lost[j] += (terms[j] - after) + totals[j]
            totals[j] = after
    return totals[0] + lost[0], totals[1] + lost[1]
