"""From the labels at the best prices to labels that keep every promise."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan
from minirel.assignment.working_set import Vector, WorkingSet

_POOL = 1_500
_OF_EACH_CELL = 20
_STEEPER = 4.0
_TRIES = 8


def repair(
    rows: Rows, prices: Vector, working_set: WorkingSet, scan: Scan, temperature: float
) -> NDArray[np.int32] | None:
    """Move points of least regret until every row holds and no single move of theirs lowers the cost.

    What labels cost above the bound is the sum of their reduced costs and of price times slack over the rows.
    Broken rows are fined on top, and each step takes the move that lowers cost and fines the most; where
    fines remain but no move helps, they are raised. Returns labels of the working set's points, or None if
    that leads nowhere. `scan` is the working set's at these prices, and points torn at `temperature` start
    shared out.
    """
    scan = _share_out(rows, prices, working_set, scan, temperature)
    size = _POOL
    while True:
        labels = _descend(rows, prices, working_set, scan, _pool(working_set, scan, size))
        if labels is not None or size >= len(working_set):
            return labels
        size *= 4


def _share_out(rows: Rows, prices: Vector, working_set: WorkingSet, scan: Scan, temperature: float) -> Scan:
    """Divide points that are indifferent, of which there may be thousands, as the smoothed shares say."""
    torn = np.flatnonzero(scan.regret <= 5 * temperature)
    if len(torn) <= 1:
        return scan
    signature = working_set.signature[torn]
    torn = torn[np.lexsort((scan.second[torn], scan.labels[torn], signature))]
    signature = working_set.signature[torn]
    units = np.ones(len(torn)) if working_set.units is None else working_set.units[torn].astype(np.float64)
    share = working_set.costs[torn] + rows.offsets(prices, working_set.costs.shape[1])[signature]
    share = np.exp((share.min(axis=1, keepdims=True) - share) / temperature)
    share *= (units / share.sum(axis=1))[:, None]
    # Each point goes where its signature is furthest behind its shares so far, among clusters it may want.
    labels, behind = scan.labels.copy(), np.zeros(scan.counts.shape)
    for i, s, unit, part in zip(torn, signature, units, share, strict=True):
        behind[s] += part
        k = int(np.where(part > 1e-2 * unit, behind[s], -np.inf).argmax())
        behind[s, k] -= unit
        labels[i] = k
    counts = scan.counts.copy()
    whole = 1 if working_set.units is None else working_set.units[torn]
    np.subtract.at(counts, (signature, scan.labels[torn]), whole)
    np.add.at(counts, (signature, labels[torn]), whole)
    return replace(scan, labels=labels, counts=counts)


def _descend(
    rows: Rows, prices: Vector, working_set: WorkingSet, scan: Scan, pool: NDArray[np.intp]
) -> NDArray[np.int32] | None:
    n_clusters = working_set.costs.shape[1]
    signature, points = working_set.signature[pool], np.arange(len(pool))
    units = np.ones(len(pool), dtype=np.int64) if working_set.units is None else working_set.units[pool]
    labels = scan.labels[pool].astype(np.intp)
    reduced = working_set.costs[pool] + rows.offsets(prices, n_clusters)[signature]
    reduced = (reduced - reduced.min(axis=1)[:, None]) * units[:, None]

    # Points of one signature and weight change the rows alike: a kind.
    kinds, kind = np.unique(np.column_stack([signature, units]), axis=0, return_inverse=True)
    kind = kind.ravel()
    change = rows.exact[:, kinds[:, 0]] * kinds[:, 1].astype(rows.exact.dtype)
    in_cluster = (np.arange(n_clusters)[:, None] == rows.cluster).astype(np.float64)
    slack = rows.slack(scan.counts)
    positive = reduced[reduced > 0]
    typical = float(np.median(positive)) / float(np.median(units) or 1) if len(positive) else 1.0
    fine = 2 * prices + typical
    for _ in range(_TRIES):
        for _ in range(20 * len(pool)):
            now = _fines(rows, prices, fine, slack[:, None])
            join = (in_cluster @ (_fines(rows, prices, fine, slack[:, None] + change) - now)).T
            leave = (in_cluster @ (_fines(rows, prices, fine, slack[:, None] - change) - now)).T
            gain = reduced + join[kind]
            gain += (leave[kind, labels] - reduced[points, labels])[:, None]
            gain[points, labels] = 0.0
            i, k = divmod(int(gain.argmin()), n_clusters)
            if gain[i, k] >= -1e-12 * (np.abs(reduced[i]).max() + typical):
                break
            left, joined = rows.cluster == labels[i], rows.cluster == k
            slack[left] -= change[left, kind[i]]
            slack[joined] += change[joined, kind[i]]
            labels[i] = k
        if (slack >= 0).all():
            result = scan.labels.copy()
            result[pool] = labels
            return result
        fine *= _STEEPER
    return None


def _fines(
    rows: Rows, prices: NDArray[np.float64], fine: NDArray[np.float64], slack: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What the rows' slack costs: the price where a row holds, the fine where it is broken."""
    amount = slack.astype(np.float64) / rows.scale[:, None]
    return np.where(amount >= 0, prices[:, None], -fine[:, None]) * amount


def _pool(working_set: WorkingSet, scan: Scan, size: int) -> NDArray[np.intp]:
    """The working set's points of least regret, over all and within each signature of each cluster."""
    if size >= len(working_set):
        return np.arange(len(working_set))
    least = np.argpartition(scan.regret, size)[:size]
    cell = working_set.signature.astype(np.int64) * working_set.costs.shape[1] + scan.labels
    order = np.lexsort((scan.regret, cell))
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return np.union1d(least, order[rank < _OF_EACH_CELL])
