"""Single moves: points that can move alone to a cheaper cluster while every promise is kept."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.request import Request
from minirel.points.tally import by_signature, tally_of
from minirel.promises.fairness import Prefix
from minirel.promises.matching import exclusive_holders
from minirel.promises.rows import cluster_rows, holder_rows

# Moves of one round that are checked one by one; after so many, the centers should follow first.
_MAX_MOVES = 2_000
# Moves that are looked at together, at most, until one is made.
_MOST_AHEAD = 256
# Relative to the cost of a point: savings that are only rounding, by bytes per number.
_ROUNDING = {4: 1e-6, 8: 1e-12}


class Moves(NamedTuple):
    """Points that move, in order, each once, and the clusters that they leave and join."""

    points: NDArray[np.intp]
    source: NDArray[np.integer]
    target: NDArray[np.integer]

    def __bool__(self) -> bool:
        """Whether there is a move."""
        return len(self.points) > 0

    def some(self, which: slice | NDArray[np.intp] | NDArray[np.bool_]) -> "Moves":
        """Those at these positions."""
        return Moves(self.points[which], self.source[which], self.target[which])

    @property
    def back(self) -> "Moves":
        """The moves that undo these."""
        return Moves(self.points, self.target, self.source)


class PromiseState:
    """Sizes and members of the clusters, and from these which promises are kept, as points move.

    All points are counted once; from then on, a move changes what it changes. Only the groups that are asked
    for anything take part; `asked` are their indices, and all tables have one row for each of them.
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
        self._represented: NDArray[np.bool_] | None = None  # until something moves
        self.signature, self.multiples, self.weights = groups.signature, request.multiples, request.weights

    @property
    def weight_of_clusters(self) -> NDArray[np.float64]:
        """What the points of each cluster weigh."""
        return self.size.astype(np.float64) * float(self.weights.unit)

    @property
    def represented(self) -> NDArray[np.bool_]:
        """Which clusters count for each asked group."""
        if self._represented is None:
            clusters = np.arange(self.fairness.n_clusters)
            holds = self.by_pair.holds(self.count, self.total, self.size, clusters)
            self._represented = holds[: len(self.asked)]
        return self._represented

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
        self, points: NDArray[np.intp], source: NDArray[np.integer], target: NDArray[np.integer]
    ) -> NDArray[np.bool_]:
        """Which of these moves, each made alone, keep every promise."""
        signature, multiples = self.signature[points], self.multiples[points]
        n_clusters = self.fairness.n_clusters
        n_kinds = len(self.size_of) * n_clusters**2
        if len(points) <= n_kinds or (multiples != multiples[0]).any():
            return self._feasible(signature, source, target, multiples)
        # Many moves are of few kinds: of one signature, from one cluster to another.
        kind = (signature.astype(np.intp) * n_clusters + source) * n_clusters + target
        there_is = np.zeros(n_kinds, dtype=np.bool_)
        there_is[kind] = True
        kinds = np.flatnonzero(there_is)
        pair = kinds // n_clusters
        each = pair // n_clusters, pair % n_clusters, kinds % n_clusters
        feasible = np.zeros(n_kinds, dtype=np.bool_)
        feasible[kinds] = self._feasible(*each, np.broadcast_to(multiples[0], len(kinds)))
        return np.asarray(feasible[kind])

    def _feasible(
        self,
        signature: NDArray[np.integer],
        source: NDArray[np.integer],
        target: NDArray[np.integer],
        multiples: NDArray[np.integer],
    ) -> NDArray[np.bool_]:
        """The same, for points of these signatures."""
        times = multiples.astype(self.size.dtype)
        moving = self.member[:, signature] * times
        # The clusters that points leave, then those that they join, as they would be.
        changed = np.concatenate([source, target])
        count = self.count[:, changed] + np.hstack([-moving, moving])
        weight, people = self.size_of[signature] * times, self.total_of[signature] * times
        size = self.size[changed] + np.concatenate([-weight, weight])
        total = self.total[changed] + np.concatenate([-people, people])
        fits = np.asarray(self.everywhere.holds(count, total, size, changed).all(axis=0))
        n_moves, n_asked, allowed = len(source), len(self.asked), self.fairness.allowed
        kept = fits[:n_moves] & fits[n_moves:]
        holds = self.by_pair.holds(count, total, size, changed)[:n_asked]
        left, joined = holds[:, :n_moves], holds[:, n_moves:]
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

    def move(self, moves: Moves) -> None:
        """Update sizes and members after moves."""
        self._represented = None
        signature, times = self.signature[moves.points], self.multiples[moves.points].astype(self.size.dtype)
        for cluster, change in ((moves.source, -times), (moves.target, times)):
            np.add.at(self.size, cluster, change * self.size_of[signature])
            np.add.at(self.total, cluster, change * self.total_of[signature])
            for count, member in zip(self.count, self.member, strict=True):
                np.add.at(count, cluster, change * member[signature])

    def move_if_kept(self, moves: Moves) -> bool:
        """Make all of these moves if that keeps every promise; whether they were made."""
        self.move(moves)
        if self.all_kept:
            return True
        self.move(moves.back)
        return False


def single_moves(
    costs: NDArray[np.floating], some: NDArray[np.intp], labels: NDArray[np.intp], state: PromiseState
) -> Moves:
    """Moves that each lower the cost and keep every promise; there are none if no point has one.

    `costs` are those of the points in `some`, the only ones that may move. The moves that save most come
    first. One move may make another infeasible, so each is checked again before it is made. `state` is that
    of the labels, and afterwards that of the labels after the moves.
    """
    own = costs[np.arange(len(some)), labels[some]]
    rounding = _ROUNDING[costs.dtype.itemsize] * np.abs(own)
    rows, targets = np.nonzero(costs < (own - rounding)[:, None])
    saved = own[rows] - costs[rows, targets]
    points, targets = possible_moves(state, labels, some[rows], targets, saved)
    return several_at_once(state, labels, points, targets)


def several_at_once(
    state: PromiseState, labels: NDArray[np.intp], points: NDArray[np.intp], targets: NDArray[np.intp]
) -> Moves:
    """These moves, the first of each point, if together they keep every promise; if not, many of them.

    Then they are made in order, as many at a time as keep every promise, and those that do not fit are left
    out. `state` follows.
    """
    best = np.unique(points, return_index=True)[1]
    every = Moves(points[best], labels[points[best]], targets[best])
    if not every or state.move_if_kept(every):
        return every
    in_order = every.some(np.argsort(best))
    made, first, n_moves, ahead = [], 0, min(len(best), _MAX_MOVES), _MOST_AHEAD
    while first < n_moves:
        some = in_order.some(slice(first, min(first + ahead, n_moves)))
        feasible = np.flatnonzero(state.feasible_moves(*some))
        n_made = len(feasible)
        while n_made > 0 and not state.move_if_kept(some.some(feasible[:n_made])):
            n_made //= 2  # one alone is feasible
        made.append(some.points[feasible[:n_made]])
        # What is feasible alone, but did not fit in with the others, is tried again after them.
        if n_made == len(feasible):
            first, ahead = first + len(some.points), min(2 * ahead, _MOST_AHEAD)
        else:
            first, ahead = first + int(feasible[n_made]), n_made
    return every.some(np.isin(every.points, np.concatenate(made)))


def possible_moves(
    state: PromiseState,
    labels: NDArray[np.intp],
    points: NDArray[np.intp],
    targets: NDArray[np.intp],
    saved: NDArray[np.floating],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The moves of points with some weight that, each made alone, keep every promise: most saved first.

    `saved` is what each saves per unit of weight.
    """
    units = state.weights.numbers(len(labels))
    possible = units[points] > 0
    points, targets, saved = points[possible], targets[possible], saved[possible]
    possible = state.feasible_moves(points, labels[points], targets)
    points, targets, saved = points[possible], targets[possible], saved[possible]
    order = np.lexsort((targets, points, -saved * units[points]))
    return points[order], targets[order]


def one_by_one(
    state: PromiseState,
    labels: NDArray[np.intp],
    points: NDArray[np.intp],
    targets: NDArray[np.intp],
    pays: Callable[[int, int, int], bool],
    follow: Callable[[int, int, int], None],
) -> Moves:
    """The first of these moves, each if it still keeps every promise, and `pays`; `state` follows.

    `follow` is called with the point, its cluster before and after for every move that is made.
    """
    made: dict[int, int] = {}
    source = labels[points]
    first, n_moves, ahead = 0, min(len(points), _MAX_MOVES), 1
    while first < n_moves:
        # As long as nothing moves, what is feasible stays so: look at several at once, more if few are.
        some = slice(first, min(first + ahead, n_moves))
        feasible = state.feasible_moves(points[some], source[some], targets[some])
        first, ahead = some.stop, min(2 * ahead, _MOST_AHEAD)
        for j in (some.start + np.flatnonzero(feasible)).tolist():
            move = int(points[j]), int(source[j]), int(targets[j])
            if move[0] not in made and pays(*move):
                state.move(Moves(points[j : j + 1], source[j : j + 1], targets[j : j + 1]))
                follow(*move)
                made[move[0]] = move[2]
                first, ahead = j + 1, max((j + 1 - some.start) // 2, 1)
                break
    moved = np.array(sorted(made), dtype=np.intp)
    return Moves(moved, labels[moved], np.array([made[i] for i in moved.tolist()], dtype=np.intp))


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
