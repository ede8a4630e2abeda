"""Points that hold numbers of members: hardly two are alike, so the count program needs other ways."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minirel.promises.feasibility.count_model import CountProblem, SparseRows, caps
from minirel.promises.rows import cluster_rows, holder_rows
from minirel.solvers import LinearModel
from minirel.solvers.limits import Deadline
from minirel.solvers.model import Outcome

# Numbers of points times clusters beyond which no plan is made.
_MOST_PLACED = 2_000_000
# Rounds of moves and swaps after that, and the points of a cluster that are tried in a swap.
_MAX_ROUNDS, _CANDIDATES = 400, 60


@dataclass(frozen=True, eq=False)
class Divided:
    """How a program over points that may be divided ended, and the points by type and cluster, if any."""

    outcome: Outcome
    shares: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Alike:
    """A problem with one cluster for all that have the same holders and sizes: ``times`` says how many.

    Points that may be divided are shared evenly among clusters alike, so nothing is lost.
    """

    problem: CountProblem
    times: NDArray[np.int64]
    kind: NDArray[np.intp]

    @classmethod
    def of(cls, problem: CountProblem) -> "Alike":
        """The clusters of each kind, by the holders held and the sizes."""
        fairness = problem.fairness
        sizes = np.array([fairness.min_units, fairness.max_units], dtype=np.int64)
        columns = np.vstack([sizes, problem.held]).T
        _, first, kind, times = np.unique(
            columns, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        one_of_each = replace(
            fairness,
            n_clusters=len(first),
            allowed=fairness.allowed[:, first],
            min_units=tuple(fairness.min_units[k] for k in first),
            max_units=tuple(fairness.max_units[k] for k in first),
        )
        held = problem.held[:, first]
        number = held.sum(axis=1)
        merged = CountProblem(problem.types, one_of_each, np.zeros(held.shape), number, number, held, held)
        return cls(merged, times, kind.ravel())

    def shares(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The points by type and cluster, from those by type and kind of cluster."""
        return np.asarray((points / self.times)[:, self.kind])


def holder_model(problem: CountProblem, excluded: Sequence[NDArray[np.bool_]]) -> LinearModel:
    """The choice of holders by their numbers alone: a program over holders."""
    n_groups, n_clusters = problem.allowed.shape
    holder, clusters = np.arange(n_groups * n_clusters).reshape(n_groups, n_clusters), np.arange(n_clusters)
    rows = SparseRows(holder.size)
    rows.add(n_groups, (np.arange(n_groups)[:, None], holder, 1.0), lower=problem.fewest, upper=problem.most)
    if problem.fairness.exclusive:
        rows.add(n_clusters, (clusters, holder, 1.0), upper=1.0)
    # An empty cluster, where there may be one, can have any number of holders.
    is_filled = all(problem.fairness.min_units)
    for family, weight, most in caps(problem.types, problem.fairness) if is_filled else ():
        rows.add(n_clusters, (clusters, holder[family], weight[:, None]), upper=most)
    for holders in excluded:
        rows.add(1, (0, holder.ravel(), holders.ravel().astype(np.float64)), upper=holders.sum() - 1)
    largest = np.abs(problem.cost).max(initial=0.0)
    return LinearModel(
        cost=problem.cost.ravel() / (largest if largest > 0 else 1),
        lower=problem.held.ravel().astype(np.float64),
        upper=problem.allowed.ravel().astype(np.float64),
        integer=np.ones(holder.size, dtype=np.bool_),
        matrix=rows.matrix(),
        row_lower=np.concatenate(rows.lower),
        row_upper=np.concatenate(rows.upper),
    )


def placed_people(
    problem: CountProblem, shares: NDArray[np.float64], deadline: Deadline
) -> NDArray[np.int64] | None:
    """Whole points of each type by cluster, near to those that were divided; they may break a row.

    The points that matter most first, each where it is wanted most; then moves and swaps while they mend
    what is broken.
    """
    types, n_clusters = problem.types, shares.shape[1]
    if int(types.count.sum()) * n_clusters > _MOST_PLACED:
        return None
    rows = cluster_rows(problem.fairness) + holder_rows(problem.fairness, np.argwhere(problem.held))
    kind = np.repeat(np.arange(len(types.units)), types.count)
    adds = (
        rows.members[:, None] * (types.of_members[:, rows.group].T if len(problem.held) else 0)
        + rows.total[:, None] * types.of_total
        + rows.size[:, None] * types.units
    ).astype(np.float64)
    scale = np.maximum(np.abs(adds) @ types.count / max(len(kind), 1), 1e-300)
    adds, least = adds / scale[:, None], rows.least.astype(np.float64) / scale
    of_cluster = rows.cluster == np.arange(n_clusters)[:, None]
    wanted = np.array([of_cluster[k] * (adds @ shares[:, k]) for k in range(n_clusters)]).sum(axis=0)

    labels = np.zeros(len(kind), dtype=np.intp)
    lacking = wanted.copy()
    for i in np.argsort(-(adds**2).sum(axis=0)[kind], kind="stable").tolist():
        effect = adds[:, kind[i]]
        change = of_cluster @ (effect * (effect - 2 * lacking))
        open_to = shares[kind[i]] > 1e-9 * types.count[kind[i]]
        labels[i] = int(np.where(open_to, change, np.inf).argmin())
        lacking -= effect * of_cluster[labels[i]]
    labels = _mended(labels, adds[:, kind], least, of_cluster, deadline)
    table = np.zeros(shares.shape, dtype=np.int64)
    np.add.at(table, (kind, labels), 1)
    return table


def _mended(
    labels: NDArray[np.intp],
    adds: NDArray[np.float64],
    least: NDArray[np.float64],
    of_cluster: NDArray[np.bool_],
    deadline: Deadline,
) -> NDArray[np.intp]:
    """Labels after moves and swaps, each the best there is, while rows are broken less by them."""
    n_clusters, n_points = len(of_cluster), len(labels)
    rows_of = [np.flatnonzero(here) for here in of_cluster]
    slack = np.array([adds[r, labels == k].sum() for k in range(n_clusters) for r in rows_of[k]])
    place = np.argsort(np.concatenate(rows_of), kind="stable")
    slack = slack[place] - least

    def broken(cluster: int, change: NDArray[np.float64]) -> NDArray[np.float64]:
        here = slack[rows_of[cluster]].reshape(-1, *[1] * (change.ndim - 1))
        return np.asarray(np.maximum(-(here + change), 0.0).sum(axis=0))

    for _ in range(_MAX_ROUNDS):
        now = np.array([broken(k, np.zeros((len(rows_of[k]), 1)))[0] for k in range(n_clusters)])
        if now.sum() <= 0 or deadline.passed():
            break
        join = np.column_stack([broken(k, adds[rows_of[k]]) - now[k] for k in range(n_clusters)])
        leave = np.empty(n_points)
        for k in range(n_clusters):
            inside = labels == k
            leave[inside] = broken(k, -adds[np.ix_(rows_of[k], np.flatnonzero(inside))]) - now[k]
        change = join + leave[:, None]
        change[np.arange(n_points), labels] = 0.0
        i, k = divmod(int(change.argmin()), n_clusters)
        moves = [(i, k)] if change[i, k] < -1e-9 else _swap(labels, adds, rows_of, now, broken)
        if not moves:
            break
        for i, k in moves:
            slack[rows_of[labels[i]]] -= adds[rows_of[labels[i]], i]
            slack[rows_of[k]] += adds[rows_of[k], i]
            labels[i] = k
    return labels


def _swap(
    labels: NDArray[np.intp],
    adds: NDArray[np.float64],
    rows_of: list[NDArray[np.intp]],
    now: NDArray[np.float64],
    broken: Callable[[int, NDArray[np.float64]], NDArray[np.float64]],
) -> list[tuple[int, int]]:
    """The best swap of a point of a cluster that breaks a row with one of another; none if nothing helps."""
    best = -1e-9
    moves: list[tuple[int, int]] = []
    weight = np.abs(adds).sum(axis=0)
    few = []
    for k in range(len(now)):
        inside = np.flatnonzero(labels == k)
        inside = inside[np.argsort(weight[inside], kind="stable")]
        few.append(inside[:: max(1, len(inside) // _CANDIDATES)])
    for a in np.flatnonzero(now > 0).tolist():
        for b in range(len(now)):
            if a == b or not len(few[a]) or not len(few[b]):
                continue
            there = adds[:, few[a]][:, :, None] - adds[:, few[b]][:, None, :]
            change = broken(a, -there[rows_of[a]]) + broken(b, there[rows_of[b]]) - now[a] - now[b]
            i, j = divmod(int(change.argmin()), len(few[b]))
            if change[i, j] < best:
                best, moves = change[i, j], [(int(few[a][i]), b), (int(few[b][j]), a)]
    return moves
