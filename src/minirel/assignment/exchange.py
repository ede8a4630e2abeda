"""Labels of whole points that weigh different amounts: better ones by moves, swaps and chains."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Problem
from minirel.assignment.rows import Rows
from minirel.assignment.working_set import ReferenceScan, Vector
from minirel.solvers.limits import NO_DEADLINE, Deadline

_EXCHANGED = 6_000  # points that take part, those of least regret
_CANDIDATES = 40  # points of a cluster that are tried in swaps and chains with another: the cheapest to move
_STEEPER, _FLATTER = 3.0, 0.5
# Rounds in which broken rows get steeper, until labels hold: as many as a number of costs allows.
_COSTS, _FEWEST, _MOST = 3_000_000, 14, 300
_STEEPEST = 3.0**10  # times the first: then a row starts anew
_ROUNDS = 8  # further rounds, between slopes that are just too flat and just steep target
_ROUNDING = 1e-12
_STEPS = 100  # between two looks at the clock


@dataclass(frozen=True, eq=False)
class Pieces:
    """Points that may be exchanged: their costs, and what each adds to every row, in the rows' integers."""

    costs: Vector
    change: NDArray[np.int64]

    @classmethod
    def of(
        cls, rows: Rows, costs: Vector, signature: NDArray[np.int32], units: NDArray[np.int64]
    ) -> "Pieces":
        """The pieces that some points are, of costs for a unit each."""
        change = rows.exact[:, signature] * units.astype(rows.exact.dtype)
        return cls(costs * units.astype(np.float64)[:, None], change)


def exchange(
    rows: Rows,
    prices: Vector,
    pieces: Pieces,
    labels: NDArray[np.integer],
    slack: NDArray[np.int64],
    target: float = -np.inf,
    deadline: Deadline = NO_DEADLINE,
) -> NDArray[np.intp] | None:
    """The cheapest labels found that keep every row, from any labels; None if none were found.

    The cost and a fine for every broken row are lowered together until no exchange helps. Broken rows are
    then fined more; once all rows hold, fines go down again to just above the prices, so that the search
    comes to the border of what holds from both sides. Ends early at labels that cost `target` or less.
    """
    state = _State(rows, pieces, labels, slack, deadline)
    first = 2 * prices + state.typical
    lowest = 1.02 * prices + 0.02 * state.typical
    best, least = (state.labels.copy(), state.cost()) if (slack >= 0).all() else (None, np.inf)
    n_rounds = int(np.clip(_COSTS // max(pieces.costs.size, 1), _FEWEST, _MOST))
    steepness, n_left = first, _ROUNDS if best is not None else n_rounds
    while n_left > 0 and least > target and not deadline.passed():
        state.descend(steepness)
        broken = state.slack < 0
        if not broken.any() and state.cost() < least:
            if best is None:
                n_left = _ROUNDS
            best, least = state.labels.copy(), state.cost()
        if broken.any():
            steepness = np.where(broken, _STEEPER * steepness, steepness)
            steepness = np.where(steepness > _STEEPEST * first, first, steepness)
        else:
            steepness = np.maximum(_FLATTER * steepness, lowest)
        n_left -= 1
    return best


def exchange_labels(
    problem: Problem,
    rows: Rows,
    prices: Vector,
    reference: ReferenceScan,
    labels: NDArray[np.int32],
    *,
    target: float,
    deadline: Deadline,
) -> NDArray[np.int32] | None:
    """Exchange the points of least regret, and those that are not where the reference scan has them.

    From any labels of all points; as `exchange` otherwise.
    """
    signature, units = problem.groups.signature, problem.weights.units
    assert units is not None
    working_set = reference.working_set()
    regret = working_set.scan(rows.offsets(prices, problem.n_clusters)).regret
    differs = np.flatnonzero(labels != reference.scan.labels)
    if len(differs) > _EXCHANGED:  # those that cost the most where they are
        table = problem.costs[differs]
        extra = (table[np.arange(len(differs)), labels[differs]] - table.min(axis=1)) * units[differs]
        differs = differs[np.argsort(-extra, kind="stable")[:_EXCHANGED]]
    some = working_set.points[np.argsort(regret, kind="stable")[:_EXCHANGED]]
    some = np.union1d(some[units[some] > 0], differs[units[differs] > 0])
    counts = np.zeros(reference.scan.counts.shape, dtype=np.int64)
    np.add.at(counts, (signature, labels), units)
    pieces = Pieces.of(rows, problem.costs[some].astype(np.float64), signature[some], units[some])
    own = problem.costs[np.arange(len(labels)), labels].astype(np.float64)
    here = float(pieces.costs[np.arange(len(some)), labels[some]].sum())
    better = exchange(
        rows,
        prices,
        pieces,
        labels[some],
        rows.slack(counts),
        target=target - (float(units @ own) - here),
        deadline=deadline,
    )
    if better is None:
        return None
    whole = labels.copy()
    whole[some] = better
    return whole


class _State:
    """Labels, with what every move would change."""

    def __init__(
        self,
        rows: Rows,
        pieces: Pieces,
        labels: NDArray[np.integer],
        slack: NDArray[np.int64],
        deadline: Deadline,
    ) -> None:
        self.deadline = deadline
        self.costs, self.change = pieces.costs, pieces.change
        self.n_points, self.n_clusters = self.costs.shape
        self.labels, self.slack = labels.astype(np.intp), slack.copy()
        self.rows_of = [np.flatnonzero(rows.cluster == k) for k in range(self.n_clusters)]
        self.scale = rows.scale
        self.points = np.arange(self.n_points)
        largest = np.abs(self.change / self.scale[:, None]).max(axis=1, initial=1.0).astype(np.float64)
        spread = np.sort(self.costs, axis=1)
        gaps = spread[:, 1] - spread[:, 0] if self.n_clusters > 1 else spread[:, 0]
        some = gaps[gaps > 0]
        # What a unit of the rows is worth, roughly: the difference that a typical point makes, by its weight.
        self.typical = np.full(len(slack), float(np.median(some)) if len(some) else 1.0) / largest
        self.rounding = _ROUNDING * float(np.abs(self.costs).max(initial=0.0))
        self.steepness = np.zeros(len(slack))
        # How often each cluster has changed, and at which of its states a pair was found to have no swap.
        self.version = [0] * self.n_clusters
        self.no_swap: dict[tuple[int, int], tuple[int, int]] = {}

    def cost(self) -> float:
        """Cost of the labels."""
        return float(self.costs[self.points, self.labels].sum())

    def descend(self, steepness: Vector) -> None:
        """Make exchanges that lower cost and fines, until there is none left."""
        steepness = steepness / self.scale
        for k, rows in enumerate(self.rows_of):
            self.version[k] += not np.array_equal(steepness[rows], self.steepness[rows])
        self.steepness = steepness
        self.fine = np.zeros(self.n_clusters)
        self.join = np.empty((self.n_points, self.n_clusters))
        self.leave = np.empty(self.n_points)
        for k in range(self.n_clusters):
            self._refresh(k)
        while not self.deadline.passed() and self._moves() + self._swaps() + self._chains():
            pass

    def _fines(self, cluster: int, change: NDArray[np.int64]) -> Vector:
        """The fines of a cluster after changes of its rows, which come first in `change`."""
        rows = self.rows_of[cluster]
        after = self.slack[rows].reshape(-1, *[1] * (change.ndim - 1)) + change
        lack = np.maximum(-after, 0).astype(np.float64)
        of_each = lack.reshape(len(rows), math.prod(change.shape[1:]))
        return np.asarray((self.steepness[rows] @ of_each).reshape(change.shape[1:]))

    def _refresh(self, cluster: int) -> None:
        rows = self.rows_of[cluster]
        self.fine[cluster] = float(self._fines(cluster, np.zeros(len(rows), dtype=self.change.dtype)))
        self.join[:, cluster] = self._fines(cluster, self.change[rows]) - self.fine[cluster]
        inside = np.flatnonzero(self.labels == cluster)
        self.leave[inside] = self._fines(cluster, -self.change[np.ix_(rows, inside)]) - self.fine[cluster]

    def _shift(self, *moves: tuple[int, int]) -> None:
        """Move points, each to a cluster."""
        touched = set()
        for point, target in moves:
            source = int(self.labels[point])
            self.slack[self.rows_of[source]] -= self.change[self.rows_of[source], point]
            self.slack[self.rows_of[target]] += self.change[self.rows_of[target], point]
            self.labels[point] = target
            touched |= {source, target}
        for cluster in sorted(touched):
            self.version[cluster] += 1
            self._refresh(cluster)

    def _moves(self) -> int:
        """Single moves, the best first."""
        for count in range(20 * self.n_points):
            if count % _STEPS == _STEPS - 1 and self.deadline.passed():
                return 0
            own = self.costs[self.points, self.labels] - self.leave
            gain = self.costs + self.join - own[:, None]
            gain[self.points, self.labels] = 0.0
            point, target = divmod(int(gain.argmin()), self.n_clusters)
            if gain[point, target] >= -self.rounding:
                return count
            self._shift((point, target))
        return 0

    def _swaps(self) -> int:
        """Two points change places: what either breaks alone, both may keep."""
        count = 0
        least = self._least_transfers()
        for a, b in itertools.combinations(range(self.n_clusters), 2):
            while least[a, b] + least[b, a] < self.fine[a] + self.fine[b] - self.rounding:
                state = self.version[a], self.version[b]
                if self.no_swap.get((a, b)) == state:
                    break
                first, there = self._cheapest(a, self.costs[:, b] - self.costs[:, a])
                second, back = self._cheapest(b, self.costs[:, a] - self.costs[:, b])
                gain = there[:, None] + back - (self.fine[a] + self.fine[b])
                for cluster, sign in ((a, -1), (b, 1)):
                    rows = self.rows_of[cluster]
                    change = self.change[rows]
                    joined, left = change[:, first, None], change[:, None, second]
                    gain += self._fines(cluster, sign * (joined - left))
                i, j = divmod(int(gain.argmin()), len(second))
                if gain[i, j] >= -self.rounding:
                    self.no_swap[a, b] = state
                    break
                self._shift((int(first[i]), b), (int(second[j]), a))
                least[[a, b]] = self._least_transfers((a, b))
                count += 1
        return count

    def _chains(self) -> int:
        """One point joins a cluster and another leaves it for a third."""
        count = 0
        for middle in range(self.n_clusters):
            for _ in range(self.n_points):
                coming = self.costs[:, middle] - self.costs[self.points, self.labels] + self.leave
                coming[self.labels == middle] = np.inf
                inside = np.flatnonzero(self.labels == middle)
                going = self.costs[inside] - self.costs[inside, middle][:, None] + self.join[inside]
                going[:, middle] = np.inf
                target = going.argmin(axis=1)
                going = going.min(axis=1)
                if not len(inside) or coming.min() + going.min() >= self.fine[middle] - self.rounding:
                    break
                some = np.argsort(coming, kind="stable")[:_CANDIDATES]
                few = np.argsort(going, kind="stable")[:_CANDIDATES]
                others, target, going = inside[few], target[few], going[few]
                change = self.change[self.rows_of[middle]]
                joined, left = change[:, some, None], change[:, None, others]
                gain = coming[some][:, None] + going - self.fine[middle] + self._fines(middle, joined - left)
                gain[self.labels[some][:, None] == target] = np.inf  # a swap
                i, j = divmod(int(gain.argmin()), len(others))
                if not gain[i, j] < -self.rounding:
                    break
                self._shift((int(some[i]), middle), (int(others[j]), int(target[j])))
                count += 1
        return count

    def _cheapest(self, cluster: int, extra: Vector) -> tuple[NDArray[np.intp], Vector]:
        """The points of a cluster that would cost the least extra, and what they would."""
        inside = np.flatnonzero(self.labels == cluster)
        inside = inside[np.argsort(extra[inside], kind="stable")[:_CANDIDATES]]
        return inside, extra[inside]

    def _least_transfers(self, clusters: tuple[int, ...] | None = None) -> Vector:
        """What the cheapest point of each cluster would cost more in each other."""
        least = []
        for k in range(self.n_clusters) if clusters is None else clusters:
            inside = np.flatnonzero(self.labels == k)
            extra = self.costs[inside] - self.costs[inside, k][:, None]
            least.append(extra.min(axis=0, initial=np.inf))
        return np.array(least)
