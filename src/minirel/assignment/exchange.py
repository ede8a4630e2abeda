"""Exchanges: a local search by moves, swaps and chains, for points of different weights."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import own_costs
from minirel.assignment.problem import Problem
from minirel.assignment.rows import Rows
from minirel.assignment.working_set import ReferenceScan, Vector
from minirel.points.tally import by_signature
from minirel.solvers.limits import NO_DEADLINE, Deadline

_MAX_POINTS = 6_000  # points that take part, those of least regret
_CANDIDATES = 40  # points of a cluster, the cheapest to move, that are tried in swaps and chains
# Factors for penalties of rows that are violated, and for all once every row holds.
_PENALTY_UP, _PENALTY_DOWN = 3.0, 0.5
# Rounds until labels are feasible: so much work divided by the number of costs, within these limits.
_WORK, _MIN_ROUNDS, _MAX_ROUNDS = 3_000_000, 14, 300
_MAX_PENALTY = 3.0**10  # times the first: beyond that a row starts again with the first
_POLISHING = 8  # further rounds from feasible labels
_ROUNDING = 1e-12
_MOVES_PER_CHECK = 100  # between two checks of the deadline


@dataclass(frozen=True, eq=False)
class MovablePoints:
    """Points that may be exchanged: their costs, and what each adds to every row, in the rows' integers."""

    costs: Vector
    change: NDArray[np.int64]

    @classmethod
    def of(
        cls, rows: Rows, costs: Vector, signature: NDArray[np.int32], units: NDArray[np.int64] | None
    ) -> "MovablePoints":
        """From the points' costs per unit, signatures and units."""
        change = rows.exact[:, signature]
        if units is None:
            return cls(costs, change)
        return cls(costs * units.astype(np.float64)[:, None], change * units.astype(rows.exact.dtype))


def exchange(
    rows: Rows,
    prices: Vector,
    movable: MovablePoints,
    labels: NDArray[np.integer],
    slack: NDArray[np.int64],
    target: float = -np.inf,
    deadline: Deadline = NO_DEADLINE,
) -> NDArray[np.intp] | None:
    """The cheapest labels found that keep every row, from any labels; None if none were found.

    The cost and a penalty for every violated row are lowered together until no exchange helps. Then the
    penalties of violated rows are raised; once all rows hold, penalties are lowered to just above the prices,
    so that the search alternates between labels that are just infeasible and just feasible. Ends early at
    labels that cost `target` or less.
    """
    state = _State(rows, movable, labels, slack, deadline)
    first_penalty = 2 * prices + state.typical
    lowest_penalty = 1.02 * prices + 0.02 * state.typical
    best, upper_bound = (state.labels.copy(), state.cost()) if (slack >= 0).all() else (None, np.inf)
    n_rounds = int(np.clip(_WORK // max(movable.costs.size, 1), _MIN_ROUNDS, _MAX_ROUNDS))
    penalty, n_left = first_penalty, _POLISHING if best is not None else n_rounds
    while n_left > 0 and upper_bound > target and not deadline.passed():
        state.descend(penalty)
        violated = state.slack < 0
        if not violated.any() and state.cost() < upper_bound:
            if best is None:
                n_left = _POLISHING
            best, upper_bound = state.labels.copy(), state.cost()
        if violated.any():
            penalty = np.where(violated, _PENALTY_UP * penalty, penalty)
            penalty = np.where(penalty > _MAX_PENALTY * first_penalty, first_penalty, penalty)
        else:
            penalty = np.maximum(_PENALTY_DOWN * penalty, lowest_penalty)
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
    """Exchange the points of least regret, and those whose labels differ from the reference scan.

    Takes and returns labels of all points; otherwise as `exchange`.
    """
    signature, units, costs = problem.groups.signature, problem.multiples, problem.signature_costs
    working_set = reference.working_set()
    regret = working_set.scan(rows.offsets(prices, problem.n_clusters)).regret
    differs = np.flatnonzero(labels != reference.scan.labels)
    if len(differs) > _MAX_POINTS:  # those that cost most compared with their cheapest cluster
        table = costs[differs]
        extra = table[np.arange(len(differs)), labels[differs]] - table.min(axis=1)
        extra = extra if units is None else extra * units[differs]
        differs = differs[np.argsort(-extra, kind="stable")[:_MAX_POINTS]]
    some = working_set.points[np.argsort(regret, kind="stable")[:_MAX_POINTS]]
    some = np.union1d(some, differs)
    some = some if units is None else some[units[some] > 0]
    counts = by_signature(problem.groups, problem.weights, labels, problem.n_clusters)
    movable = MovablePoints.of(
        rows, costs[some].astype(np.float64), signature[some], None if units is None else units[some]
    )
    own = own_costs(costs, labels, problem.workers).astype(np.float64)
    total = float(own.sum() if units is None else units @ own)
    here = float(movable.costs[np.arange(len(some)), labels[some]].sum())
    better = exchange(
        rows,
        prices,
        movable,
        labels[some],
        rows.slack(counts),
        target=target - (total - here),
        deadline=deadline,
    )
    if better is None:
        return None
    result = labels.copy()
    result[some] = better
    return result


class _State:
    """Labels, with the change of the penalties that every move would make."""

    def __init__(
        self,
        rows: Rows,
        movable: MovablePoints,
        labels: NDArray[np.integer],
        slack: NDArray[np.int64],
        deadline: Deadline,
    ) -> None:
        self.deadline = deadline
        self.costs, self.change = movable.costs, movable.change
        self.n_points, self.n_clusters = self.costs.shape
        self.labels, self.slack = labels.astype(np.intp), slack.copy()
        self.rows_of = [np.flatnonzero(rows.cluster == k) for k in range(self.n_clusters)]
        self.scale = rows.scale
        self.points = np.arange(self.n_points)
        largest = np.abs(self.change / self.scale[:, None]).max(axis=1, initial=1.0).astype(np.float64)
        spread = np.sort(self.costs, axis=1)
        gaps = spread[:, 1] - spread[:, 0] if self.n_clusters > 1 else spread[:, 0]
        some = gaps[gaps > 0]
        # A rough price of a unit of each row: the regret of a typical point, divided by the units of a large
        # one.
        self.typical = np.full(len(slack), float(np.median(some)) if len(some) else 1.0) / largest
        self.largest_cost = float(np.abs(self.costs).max(initial=0.0))
        self.row_penalty = np.zeros(len(slack))  # for a unit of each row
        # How often each cluster has changed, and the versions at which two clusters were found to have no
        # swap.
        self.version = [0] * self.n_clusters
        self.no_swap: dict[tuple[int, int], tuple[int, int]] = {}

    def cost(self) -> float:
        """Cost of the labels."""
        return float(self.costs[self.points, self.labels].sum())

    def descend(self, penalty: Vector) -> None:
        """Make exchanges that lower cost plus penalties, until there is none left."""
        penalty = penalty / self.scale
        for k, rows in enumerate(self.rows_of):
            self.version[k] += not np.array_equal(penalty[rows], self.row_penalty[rows])
        self.row_penalty = penalty
        self.cluster_penalty = np.zeros(self.n_clusters)
        # By how much the penalty changes if a point joins each cluster, and if it leaves its own.
        self.join = np.empty((self.n_points, self.n_clusters))
        self.leave = np.empty(self.n_points)
        for k in range(self.n_clusters):
            self._update_cluster(k)
        # Penalties are rounded as well: where costs are small beside them, points would go round in circles.
        self.rounding = _ROUNDING * (self.largest_cost + float(self.cluster_penalty.sum()))
        while not self.deadline.passed() and self._moves() + self._swaps() + self._chains():
            pass

    def _penalties(self, cluster: int, change: NDArray[np.int64]) -> Vector:
        """The penalty of a cluster after changes of its rows; rows are the first axis of `change`."""
        rows = self.rows_of[cluster]
        after = self.slack[rows].reshape(-1, *[1] * (change.ndim - 1)) + change
        lack = np.maximum(-after, 0).astype(np.float64)
        of_each = lack.reshape(len(rows), math.prod(change.shape[1:]))
        return np.asarray((self.row_penalty[rows] @ of_each).reshape(change.shape[1:]))

    def _update_cluster(self, cluster: int) -> None:
        rows = self.rows_of[cluster]
        self.cluster_penalty[cluster] = float(
            self._penalties(cluster, np.zeros(len(rows), dtype=self.change.dtype))
        )
        self.join[:, cluster] = self._penalties(cluster, self.change[rows]) - self.cluster_penalty[cluster]
        inside = np.flatnonzero(self.labels == cluster)
        self.leave[inside] = (
            self._penalties(cluster, -self.change[np.ix_(rows, inside)]) - self.cluster_penalty[cluster]
        )

    def _make(self, *moves: tuple[int, int]) -> None:
        """Move points, each to a cluster, and update what depends on it."""
        touched = set()
        for point, target in moves:
            source = int(self.labels[point])
            self.slack[self.rows_of[source]] -= self.change[self.rows_of[source], point]
            self.slack[self.rows_of[target]] += self.change[self.rows_of[target], point]
            self.labels[point] = target
            touched |= {source, target}
        for cluster in sorted(touched):
            self.version[cluster] += 1
            self._update_cluster(cluster)

    def _moves(self) -> int:
        """Single moves, the best first."""
        for count in range(20 * self.n_points):
            if count % _MOVES_PER_CHECK == _MOVES_PER_CHECK - 1 and self.deadline.passed():
                return 0
            own = self.costs[self.points, self.labels] - self.leave
            delta = self.costs + self.join - own[:, None]
            delta[self.points, self.labels] = 0.0
            point, target = divmod(int(delta.argmin()), self.n_clusters)
            if delta[point, target] >= -self.rounding:
                return count
            self._make((point, target))
        return 0

    def _swaps(self) -> int:
        """Swap two points, which may be feasible where neither move alone is."""
        count = 0
        least = self._least_transfers()
        for a, b in itertools.combinations(range(self.n_clusters), 2):
            while (
                least[a, b] + least[b, a] < self.cluster_penalty[a] + self.cluster_penalty[b] - self.rounding
            ):
                state = self.version[a], self.version[b]
                if self.no_swap.get((a, b)) == state:
                    break
                first, there = self._cheapest(a, self.costs[:, b] - self.costs[:, a])
                second, back = self._cheapest(b, self.costs[:, a] - self.costs[:, b])
                delta = there[:, None] + back - (self.cluster_penalty[a] + self.cluster_penalty[b])
                for cluster, sign in ((a, -1), (b, 1)):
                    rows = self.rows_of[cluster]
                    change = self.change[rows]
                    joined, left = change[:, first, None], change[:, None, second]
                    delta += self._penalties(cluster, sign * (joined - left))
                i, j = divmod(int(delta.argmin()), len(second))
                if delta[i, j] >= -self.rounding:
                    self.no_swap[a, b] = state
                    break
                self._make((int(first[i]), b), (int(second[j]), a))
                least[[a, b]] = self._least_transfers((a, b))
                count += 1
        return count

    def _chains(self) -> int:
        """Move one point into a cluster and another from there into a third."""
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
                if (
                    not len(inside)
                    or coming.min() + going.min() >= self.cluster_penalty[middle] - self.rounding
                ):
                    break
                some = np.argsort(coming, kind="stable")[:_CANDIDATES]
                few = np.argsort(going, kind="stable")[:_CANDIDATES]
                others, target, going = inside[few], target[few], going[few]
                change = self.change[self.rows_of[middle]]
                joined, left = change[:, some, None], change[:, None, others]
                delta = (
                    coming[some][:, None]
                    + going
                    - self.cluster_penalty[middle]
                    + self._penalties(middle, joined - left)
                )
                delta[self.labels[some][:, None] == target] = np.inf  # a swap
                i, j = divmod(int(delta.argmin()), len(others))
                if not delta[i, j] < -self.rounding:
                    break
                self._make((int(some[i]), middle), (int(others[j]), int(target[j])))
                count += 1
        return count

    def _cheapest(self, cluster: int, extra: Vector) -> tuple[NDArray[np.intp], Vector]:
        """The points of a cluster of least extra cost, and these extra costs."""
        inside = np.flatnonzero(self.labels == cluster)
        inside = inside[np.argsort(extra[inside], kind="stable")[:_CANDIDATES]]
        return inside, extra[inside]

    def _least_transfers(self, clusters: tuple[int, ...] | None = None) -> Vector:
        """The least extra cost of moving a point of each cluster into each other cluster."""
        least = []
        for k in range(self.n_clusters) if clusters is None else clusters:
            inside = np.flatnonzero(self.labels == k)
            extra = self.costs[inside] - self.costs[inside, k][:, None]
            least.append(extra.min(axis=0, initial=np.inf))
        return np.array(least)
