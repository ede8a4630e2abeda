"""Single moves: points that can move alone to a cheaper cluster while every promise is kept."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.request import Request
from minirel.points.tally import by_signature, tally_of
from minirel.promises.fairness import Prefix
from minirel.promises.matching import exclusive_holders
from minirel.promises.rows import cluster_rows, holder_rows

# Moves of one round that are checked one by one; after so many, the centers should follow first.
_MAX_MOVES = 2_000
# Relative to the cost of a point: savings that are only rounding, by bytes per number.
_ROUNDING = {4: 1e-6, 8: 1e-12}


class PromiseState:
    """Sizes and members of the clusters, and from these which promises are kept, as points move.

    Only the groups that are asked for anything take part; `asked` are their indices, and all tables have one
    row for each of them.
    """

    def __init__(self, request: Request, labels: NDArray[np.integer]) -> None:
        fairness, groups = request.fairness, request.groups
        counting = {*np.flatnonzero(fairness.beta).tolist(), *(g for g, _ in request.required)}
        self.asked = sorted(counting.union(fairness.bound_groups))
        asked = fairness.of(self.asked)
        # A group that is bound in every cluster but asks for none holds none.
        may_hold = np.array([g in counting for g in self.asked], dtype=np.bool_)
        self.fairness = replace(asked, allowed=asked.allowed & may_hold[:, None])
        everywhere = cluster_rows(asked)
        pairs = [(i, k) for i, g in enumerate(self.asked) if g in counting for k in range(asked.n_clusters)]
        by_pair = holder_rows(asked, tuple(pairs))
        integers = (everywhere + by_pair).dtype(max(fairness.total, fairness.share_total))
        self.everywhere, self.by_pair = (
            rows.tables(len(self.asked), asked.n_clusters, integers) for rows in (everywhere, by_pair)
        )
        cells = by_signature(groups, request.weights, labels, asked.n_clusters)
        # What a point of each signature adds to members, totals and sizes, times its multiple.
        counts, each = groups.counts, np.ones(groups.n_signatures, dtype=np.int64)
        member = groups.signatures if counts is None else counts.members
        self.member: NDArray[np.int64] = member[:, self.asked].T.astype(np.int64).astype(integers)
        self.total_of: NDArray[np.int64] = (each if counts is None else counts.total).astype(integers)
        self.size_of: NDArray[np.int64] = (each if counts is None else counts.size).astype(integers)
        tally = tally_of(groups, cells)
        self.total: NDArray[np.int64] = tally.total.astype(integers)
        self.size: NDArray[np.int64] = tally.size.astype(integers)
        self.count: NDArray[np.int64] = tally.members[self.asked].astype(integers)
        self.beta = np.array(asked.beta, dtype=np.int64)[:, None]
        self.required = np.zeros(asked.allowed.shape, dtype=np.bool_)
        for g, k in request.required:
            self.required[self.asked.index(g), k] = True
        self._has_holders: dict[bytes, bool] = {}

    @property
    def represented(self) -> NDArray[np.bool_]:
        """Which clusters count for each asked group."""
        clusters = np.arange(self.fairness.n_clusters)
        return self.by_pair.holds(self.count, self.total, self.size, clusters)[: len(self.asked)]

    @property
    def all_kept(self) -> bool:
        """Whether every promise is kept."""
        clusters, represented = np.arange(self.fairness.n_clusters), self.represented
        have = (represented & self.fairness.allowed).sum(axis=1, keepdims=True)
        fits = self.everywhere.holds(self.count, self.total, self.size, clusters)
        return bool(
            fits.all()
            and (have >= self.beta).all()
            and (represented | ~self.required).all()
            and (not self.fairness.exclusive or self.holders(represented) is not None)
        )

    def holders(self, represented: NDArray[np.bool_], preferred: Prefix = ()) -> Prefix | None:
        """Exclusive clusters for each asked group; None if there are too few."""
        required = tuple((int(i), int(k)) for i, k in np.argwhere(self.required))
        possible = represented & self.fairness.allowed
        return exclusive_holders(possible, self.fairness.beta, required, preferred)

    def feasible_moves(
        self,
        signature: NDArray[np.integer],
        source: NDArray[np.integer],
        target: NDArray[np.integer],
        multiples: NDArray[np.integer],
    ) -> NDArray[np.bool_]:
        """Which of these moves, each made alone, keep every promise."""
        times = multiples.astype(self.size.dtype)
        moving = self.member[:, signature] * times
        # The clusters that points leave, then those that they join, as they would be.
        changed = np.concatenate([source, target])
        count = self.count[:, changed] + np.hstack([-moving, moving])
        weight, people = self.size_of[signature] * times, self.total_of[signature] * times
        size = self.size[changed] + np.concatenate([-weight, weight])
        total = self.total[changed] + np.concatenate([-people, people])
        fits = self.everywhere.holds(count, total, size, changed).all(axis=0)
        kept = np.logical_and(*np.hsplit(fits, 2))
        n_asked, allowed = len(self.asked), self.fairness.allowed
        left, joined = np.hsplit(self.by_pair.holds(count, total, size, changed)[:n_asked], 2)
        represented = self.represented
        now = represented & allowed
        have = now.sum(axis=1, keepdims=True) - now[:, source] - now[:, target].astype(np.int64)
        have = have + (left & allowed[:, source]) + (joined & allowed[:, target])
        violated = (self.required[:, source] & ~left) | (self.required[:, target] & ~joined)
        kept &= ~((have < self.beta) | violated).any(axis=0)
        if self.fairness.exclusive:
            for j in np.flatnonzero(kept).tolist():
                after = represented.copy()
                after[:, source[j]], after[:, target[j]] = left[:, j], joined[:, j]
                kept[j] = self._has_exclusive_holders(after)
        return np.asarray(kept)

    def _has_exclusive_holders(self, represented: NDArray[np.bool_]) -> bool:
        """Whether the groups can have exclusive clusters; cached, as most moves change nothing about it."""
        key = np.packbits(represented).tobytes()
        if key not in self._has_holders:
            self._has_holders[key] = self.holders(represented) is not None
        return self._has_holders[key]

    def move(self, signature: int, source: int, target: int, multiple: int) -> None:
        """Update sizes and members after the move of a point."""
        for cluster, change in ((source, -multiple), (target, multiple)):
            self.size[cluster] += change * self.size_of[signature]
            self.total[cluster] += change * self.total_of[signature]
            self.count[:, cluster] += change * self.member[:, signature]


def single_moves(
    costs: NDArray[np.floating], some: NDArray[np.intp], labels: NDArray[np.intp], request: Request
) -> NDArray[np.intp] | None:
    """Labels after moves that each lower the cost and keep every promise; None if there is no such move.

    `costs` are those of the points in `some`, the only ones that may move. The moves that save most come
    first. One move may make another infeasible, so each is checked again before it is made.
    """
    own = costs[np.arange(len(some)), labels[some]]
    rounding = _ROUNDING[costs.dtype.itemsize] * np.abs(own)
    rows, targets = np.nonzero(costs < (own - rounding)[:, None])
    saved = own[rows] - costs[rows, targets]
    state = PromiseState(request, labels)
    points, targets = possible_moves(state, request, labels, some[rows], targets, saved)
    if len(points) == 0:
        return None
    result = labels.copy()
    best = np.unique(points, return_index=True)[1]
    result[points[best]] = targets[best]
    if PromiseState(request, result).all_kept:  # all of them together
        return result
    return one_by_one(state, request, labels, points, targets)


def possible_moves(
    state: PromiseState,
    request: Request,
    labels: NDArray[np.intp],
    points: NDArray[np.intp],
    targets: NDArray[np.intp],
    saved: NDArray[np.floating],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The moves of points with some weight that, each made alone, keep every promise: most saved first.

    `saved` is what each saves per unit of weight.
    """
    units = request.weights.numbers(len(labels))
    counts = units[points] > 0
    points, targets, saved = points[counts], targets[counts], saved[counts]
    signature = request.groups.signature
    multiples = request.multiples[points]
    possible = state.feasible_moves(signature[points], labels[points], targets, multiples)
    points, targets, saved = points[possible], targets[possible], saved[possible]
    order = np.lexsort((targets, points, -saved * units[points]))
    return points[order], targets[order]


def one_by_one(
    state: PromiseState,
    request: Request,
    labels: NDArray[np.intp],
    points: NDArray[np.intp],
    targets: NDArray[np.intp],
    pays: Callable[[int, int, int], bool] = lambda point, source, target: True,
    follow: Callable[[int, int, int], None] = lambda point, source, target: None,
) -> NDArray[np.intp]:
    """Labels after the first of these moves, each if it still keeps every promise, and `pays`.

    `follow` is called with the point, its cluster before and after for every move that is made.
    """
    multiples, signature = request.multiples, request.groups.signature
    result = labels.copy()
    for j in range(min(len(points), _MAX_MOVES)):
        i, target = points[j : j + 1], targets[j : j + 1]
        source = result[i]
        move = int(i[0]), int(source[0]), int(target[0])
        if source != labels[i] or not pays(*move):
            continue
        if not state.feasible_moves(signature[i], source, target, multiples[i])[0]:
            continue
        state.move(int(signature[i[0]]), *move[1:], int(multiples[i[0]]))
        follow(*move)
        result[i] = target
    return result


def surviving_holders(labels: NDArray[np.integer], prefix: Prefix, request: Request) -> Prefix:
    """The holders of `prefix` that are still represented; the others are replaced by pairs that are."""
    state = PromiseState(request, labels)
    holds = state.represented & state.fairness.allowed
    chosen = {(g, k) for g, k in prefix if g in state.asked and holds[state.asked.index(g), k]}
    if state.fairness.exclusive:
        preferred = tuple(sorted((state.asked.index(g), k) for g, k in chosen))
        matched = state.holders(state.represented, preferred)
        assert matched is not None
        return tuple(sorted((state.asked[i], k) for i, k in matched))
    for row, g in enumerate(state.asked):
        spare = [k for k in np.flatnonzero(holds[row]).tolist() if (g, k) not in chosen]
        missing = request.fairness.beta[g] - sum(pair[0] == g for pair in chosen)
        chosen.update((g, k) for k in spare[: max(missing, 0)])
    return tuple(sorted(chosen))
