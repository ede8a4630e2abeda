"""The promise that moved a point: the one whose price weighs most in its choice."""

import numpy as np
from numpy.typing import NDArray

from minirel.outcome.result import Result
from minirel.points.groups import Groups
from minirel.points.percent import asked
from minirel.promises.fairness import Fairness
from minirel.promises.kinds import KINDS, OF_SIZES
from minirel.promises.rows import cluster_rows, holder_rows

# Kind, group and cluster of a promise; sizes have no group, and no promise has nothing of it.
Reason = tuple[str, int | None, int | None]
NOBODY = "none"


def in_words(fairness: Fairness, reason: Reason) -> str:
    """What a promise asks of its cluster; the name of its group, if it has one, belongs behind it."""
    kind, g, k = reason
    if kind == NOBODY or k is None:
        return "no single promise"
    if kind == "min_size":
        least = fairness.min_units[k]
        return f"cluster {k} must " + (
            f"hold at least {fairness.weight(least):,}" if least > 1 else "not be empty"
        )
    if kind == "max_size" or g is None:
        return f"cluster {k} may hold at most {fairness.weight(fairness.max_units[k]):,}"
    if kind == "min_members":
        return f"cluster {k} needs at least {fairness.people(max(fairness.min_members[g], 1)):,} of"
    if kind == "min_share":
        return f"cluster {k} must hold at least {asked(fairness.min_share[g])}"
    if kind == "max_share":
        return f"cluster {k} may hold at most {asked(fairness.max_share[g])}"
    return f"cluster {k} is set aside for"


class PricedPromises:
    """Every promise of a clustering with its price.

    Attributes
    ----------
    promises : list of Reason
        Kind, group and cluster of each, those of holders first.
    price : ndarray of shape (n_promises,)
        The prices, zero if there are none.
    """

    def __init__(self, result: Result) -> None:
        fairness, prices = result.fairness, result.prices
        self._rows = rows = holder_rows(fairness, tuple(result.holders)) + cluster_rows(fairness)
        self.promises: list[Reason] = [
            (KINDS[kind], None if KINDS[kind] in OF_SIZES else g, k)
            for kind, g, k in np.stack([rows.kind, rows.group, rows.cluster], axis=1).tolist()
        ]
        self.price = np.zeros(len(rows))
        if prices is not None:
            for place, kind in enumerate(KINDS):
                some = rows.kind == place
                of_kind = np.atleast_2d(prices.of_kind(kind))
                self.price[some] = of_kind[rows.group[some], rows.cluster[some]]
        priced = np.flatnonzero(self.price > 0)
        self._of_cluster = [priced[rows.cluster[priced] == k] for k in range(fairness.n_clusters)]

    def adds(self, groups: Groups, signature: int, cluster: int) -> dict[Reason, float]:
        """What a point of a signature adds to each promise of a cluster, times its price."""
        which = self._of_cluster[cluster]
        rows, counts = self._rows[which], groups.counts
        member = groups.signatures[signature] if counts is None else counts.members[signature]
        total, size = (1, 1) if counts is None else (counts.total[signature], counts.size[signature])
        members = np.append(member, 0)[rows.group]  # sizes name group 0 even where there is none
        scale = np.maximum(np.abs(rows.members.astype(np.float64)), 1)
        added = (rows.members * members + rows.total * total + rows.size * size).astype(np.float64)
        value = self.price[which] * added / scale
        return {self.promises[r]: added for r, added in zip(which.tolist(), value.tolist(), strict=True)}


def reasons_of(moved: NDArray[np.intp], result: Result, promised: PricedPromises) -> list[Reason]:
    """Why each of the points that moved did so.

    A point leaves its nearest cluster because it pays there for what it takes from a promise, and joins
    another because it is paid there for what it adds to one.
    """
    groups = result.groups
    parts = (groups.signature, result.trace.end.labels, result.labels)
    keys: list[tuple[int, int, int]] = list(zip(*(part[moved].tolist() for part in parts), strict=True))
    found: dict[tuple[int, int, int], Reason] = {}
    for s, left, joined in dict.fromkeys(keys):
        weighs = {reason: -added for reason, added in promised.adds(groups, s, left).items()}
        weighs |= promised.adds(groups, s, joined)
        best = max(weighs, key=lambda reason: weighs[reason], default=(NOBODY, None, None))
        found[s, left, joined] = best if weighs.get(best, 0.0) > 0 else (NOBODY, None, None)
    return [found[key] for key in keys]
