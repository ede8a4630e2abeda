"""Repair: a local search from the labels at the best prices to labels that keep every promise."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan
from minirel.assignment.working_set import Vector, WorkingSet
from minirel.solvers.limits import Deadline, Effort

_POOL = 500  # points of least regret that may move at first
_OF_EACH_CELL = 10  # and so many of each signature in each cluster
_PENALTY_GROWTH = 4.0
_MAX_ROUNDS = 8
_TIES_PER_CHECK = 1_000  # between two looks at the deadline


class _Budget:
    """A part of an effort, in costs looked at, until a deadline."""

    def __init__(self, effort: Effort, deadline: Deadline) -> None:
        self._effort, self._deadline = effort, deadline
        self._least = effort.left - max(effort.part(), 0)

    def spend(self, work: int) -> None:
        self._effort.left -= work

    def is_spent(self) -> bool:
        return self._effort.left < self._least or self._deadline.passed()


def repair(
    rows: Rows,
    prices: Vector,
    working_set: WorkingSet,
    scan: Scan,
    temperature: float,
    effort: Effort,
    deadline: Deadline,
) -> NDArray[np.int32] | None:
    """Move points of least regret until every row holds and no single move of theirs lowers the cost.

    What labels cost above the bound is the sum of their reduced costs and of price times slack over the rows.
    Violated rows pay a penalty on top, and each step takes the move that lowers cost and penalties the most.
    Where rows stay violated and no move helps, penalties are raised. `scan` is that of the working set at
    these prices; points that are indifferent at `temperature` are first divided among their clusters. Returns
    labels of the working set, or None if none were found with a part of the effort, or by the deadline.
    """
    scan = _divide_ties(rows, prices, working_set, scan, temperature, deadline)
    size, budget = _POOL, _Budget(effort, deadline)
    while True:
        labels = _descend(rows, prices, working_set, scan, _pool(working_set, scan, size), budget)
        if labels is not None or size >= len(working_set) or budget.is_spent():
            return labels
        size *= 4


def _divide_ties(
    rows: Rows, prices: Vector, working_set: WorkingSet, scan: Scan, temperature: float, deadline: Deadline
) -> Scan:
    """Divide indifferent points, of which there may be thousands, among clusters by their smoothed shares."""
    tied = np.flatnonzero(scan.regret <= 5 * temperature)
    if len(tied) <= 1 or deadline.passed():
        return scan
    signature = working_set.signature[tied]
    tied = tied[np.lexsort((scan.second[tied], scan.labels[tied], signature))]
    signature = working_set.signature[tied]
    units = np.ones(len(tied)) if working_set.units is None else working_set.units[tied].astype(np.float64)
    share = working_set.costs[tied] + rows.offsets(prices, working_set.costs.shape[1])[signature]
    share = np.exp((share.min(axis=1, keepdims=True) - share) / temperature)
    share *= (units / share.sum(axis=1))[:, None]
    # Each point goes where its signature is furthest behind its shares so far, among clusters it has a share
    # of.
    labels, deficit = scan.labels.copy(), np.zeros(scan.counts.shape)
    for step, (i, s, unit, part) in enumerate(zip(tied, signature, units, share, strict=True)):
        if step % _TIES_PER_CHECK == 0 and deadline.passed():
            return scan
        deficit[s] += part
        k = int(np.where(part > 1e-2 * unit, deficit[s], -np.inf).argmax())
        deficit[s, k] -= unit
        labels[i] = k
    counts = scan.counts.copy()
    moved = 1 if working_set.units is None else working_set.units[tied]
    np.subtract.at(counts, (signature, scan.labels[tied]), moved)
    np.add.at(counts, (signature, labels[tied]), moved)
    return replace(scan, labels=labels, counts=counts)


def _descend(
    rows: Rows,
    prices: Vector,
    working_set: WorkingSet,
    scan: Scan,
    pool: NDArray[np.intp],
    budget: _Budget,
) -> NDArray[np.int32] | None:
    n_clusters = working_set.costs.shape[1]
    signature, points = working_set.signature[pool], np.arange(len(pool))
    units = np.ones(len(pool), dtype=np.int64) if working_set.units is None else working_set.units[pool]
    labels = scan.labels[pool].astype(np.intp)
    reduced = working_set.costs[pool] + rows.offsets(prices, n_clusters)[signature]
    reduced = (reduced - reduced.min(axis=1)[:, None]) * units[:, None]

    # Points of one signature and weight are of one kind: they change the rows alike.
    kinds, kind = np.unique(np.column_stack([signature, units]), axis=0, return_inverse=True)
    kind = kind.ravel()
    change = rows.exact[:, kinds[:, 0]] * kinds[:, 1].astype(rows.exact.dtype)
    by_cluster = np.argsort(rows.cluster, kind="stable")
    concerned, first = np.unique(rows.cluster[by_cluster], return_index=True)

    def in_clusters(of_rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over the rows of each cluster, by kind: added up, since products round as machines do."""
        total = np.zeros((n_clusters, of_rows.shape[1]))
        total[concerned] = np.add.reduceat(of_rows[by_cluster], first, axis=0)
        return total.T

    slack = rows.slack(scan.counts)
    positive = reduced[reduced > 0]
    typical = float(np.median(positive)) / float(np.median(units) or 1) if len(positive) else 1.0
    penalty = 2 * prices + typical
    for _ in range(_MAX_ROUNDS):
        for _ in range(20 * len(pool)):
            budget.spend(reduced.size)
            if budget.is_spent():
                break
            now = _slack_cost(rows, prices, penalty, slack[:, None])
            join = in_clusters(_slack_cost(rows, prices, penalty, slack[:, None] + change) - now)
            leave = in_clusters(_slack_cost(rows, prices, penalty, slack[:, None] - change) - now)
            delta = reduced + join[kind]
            delta += (leave[kind, labels] - reduced[points, labels])[:, None]
            delta[points, labels] = 0.0
            i, k = divmod(int(delta.argmin()), n_clusters)
            if delta[i, k] >= -1e-12 * (np.abs(reduced[i]).max() + typical):
                break
            left, joined = rows.cluster == labels[i], rows.cluster == k
            slack[left] -= change[left, kind[i]]
            slack[joined] += change[joined, kind[i]]
            labels[i] = k
        if (slack >= 0).all():
            result = scan.labels.copy()
            result[pool] = labels
            return result
        if budget.is_spent():
            break
        penalty *= _PENALTY_GROWTH
    return None


def _slack_cost(
    rows: Rows, prices: NDArray[np.float64], penalty: NDArray[np.float64], slack: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The cost of the rows' slack: the price of what is left, the penalty of what is lacking."""
    amount = slack.astype(np.float64) / rows.scale[:, None]
    return np.where(amount >= 0, prices[:, None], -penalty[:, None]) * amount


def _pool(working_set: WorkingSet, scan: Scan, size: int) -> NDArray[np.intp]:
    """The points of least regret in the working set, overall and within each signature of each cluster."""
    if size >= len(working_set):
        return np.arange(len(working_set))
    least = np.argpartition(scan.regret, size)[:size]
    cell = working_set.signature.astype(np.int64) * working_set.costs.shape[1] + scan.labels
    order = np.lexsort((scan.regret, cell))
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return np.union1d(least, order[rank < _OF_EACH_CELL])
