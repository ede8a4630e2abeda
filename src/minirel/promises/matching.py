"""Which cluster counts for which group, where each counts for one group only."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from minirel.promises.fairness import Prefix


def exclusive_holders(
    possible: NDArray[np.bool_],
    beta: Sequence[int],
    required: Prefix = (),
    preferred: Prefix = (),
) -> Prefix | None:
    """Give every group g its ``beta[g]`` clusters of those `possible`, no cluster twice; None if that fails.

    A matching by augmenting paths. Pairs of `required` are among the result, and those `preferred` stay
    as far as they can.
    """
    n_groups = len(possible)
    fixed = {k: g for g, k in required}
    if len(fixed) < len(set(required)):
        return None
    owner = dict(fixed)
    have = [sum(g == h for h in fixed.values()) for g in range(n_groups)]
    for g, k in preferred:
        if k not in owner and possible[g, k] and have[g] < beta[g]:
            owner[k] = g
            have[g] += 1

    def give(g: int, seen: set[int]) -> bool:
        """Find a cluster for the group, if need be one that another can do without."""
        for k in np.flatnonzero(possible[g]).tolist():
            if k in seen or k in fixed:
                continue
            seen.add(k)
            if k not in owner or give(owner[k], seen):
                owner[k] = g
                return True
        return False

    for g in range(n_groups):
        for _ in range(beta[g] - have[g]):
            if not give(g, set()):
                return None
    return tuple(sorted((g, k) for k, g in owner.items()))
