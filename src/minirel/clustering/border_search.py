"""A search among connected clusters: points cross borders, and promises may be broken at a penalty."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.rows import Rows
from minirel.points.neighbours import Neighbours
from minirel.solvers.limits import Deadline

Vector = NDArray[np.float64]
Labels = NDArray[np.int64]

# Sweeps of a run: two for each point, within these limits. Pairs of neighbours drawn in a sweep, for each
# point, and the least of them in a sweep and the most in a run.
_FEWEST_SWEEPS, _MOST_SWEEPS = 200, 2_000
_DRAWS, _FEWEST_DRAWS, _MOST_DRAWS = 5, 500, 100_000_000
# Temperatures relative to what it costs to move a typical point across a border: the first, and the last.
_HOT, _COLD = 30.0, 0.3
# The part of a run in which the temperature falls, while penalties stay within so many times the prices; in
# the rest of it they grow until every promise is kept.
_COOLING, _MOST_PENALTY = 0.7, 3.0
_TOLD = 20  # times that a search says how far it is
# Factors of penalties after a sweep, while cooling and afterwards: of rows that are violated, and that hold.
_ADAPT, _INSIST = (1.05, 0.98), (1.1, 0.95)


@dataclass(frozen=True, eq=False)
class Borders:
    """What a search needs to know of the points and of what is promised.

    `change` has what a point of each signature adds to each row, times `multiple`; rows are sorted by
    cluster, and those of cluster k begin at ``first_row[k]``. `price` is that of a unit of each row.
    """

    neighbours: Neighbours
    source: NDArray[np.int64]
    change: NDArray[np.int64]
    least: NDArray[np.int64]
    cluster: NDArray[np.intp]
    first_row: NDArray[np.int64]
    price: Vector
    signature: NDArray[np.integer]
    multiple: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        neighbours: Neighbours,
        rows: Rows,
        prices: Vector,
        signature: NDArray[np.integer],
        multiple: NDArray[np.int64],
        n_clusters: int,
    ) -> "Borders":
        """From the rows of all promises and their prices."""
        order = np.argsort(rows.cluster, kind="stable")
        # Beyond int64 the search works in doubles; what it finds is checked in integers in any case.
        dtype = np.int64 if rows.exact.dtype == np.int64 else np.float64
        exact: NDArray[np.int64] = rows.exact.astype(dtype)
        least: NDArray[np.int64] = rows.least.astype(dtype)
        return cls(
            neighbours,
            np.repeat(np.arange(neighbours.n_points), np.diff(neighbours.indptr)),
            np.ascontiguousarray(exact[order].T),
            least[order],
            rows.cluster[order],
            np.searchsorted(rows.cluster[order], np.arange(n_clusters + 1)).astype(np.int64),
            (prices / rows.scale)[order],
            signature,
            np.ascontiguousarray(multiple, dtype=exact.dtype),
        )

    def slack(self, labels: Labels) -> NDArray[np.int64]:
        """The slack of each row."""
        slack = -self.least
        for r, cluster in enumerate(self.cluster.tolist()):
            inside = labels == cluster
            slack[r] += (self.change[self.signature[inside], r] * self.multiple[inside]).sum()
        return slack

    def crossing(self, labels: Labels) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The pairs of neighbours across borders, by the cluster of their first, and where each begins."""
        pairs = np.flatnonzero(labels[self.source] != labels[self.neighbours.indices])
        cluster = labels[self.source[pairs]]
        order = np.argsort(cluster, kind="stable")
        return pairs[order], np.searchsorted(cluster[order], np.arange(len(self.first_row)))

    @property
    def typical(self) -> Vector:
        """What a typical point adds to each row, in absolute numbers."""
        adds = np.abs(self.change[self.signature]).astype(np.float64) * self.multiple[:, None]
        return np.asarray(np.maximum(adds.mean(axis=0), np.finfo(np.float64).tiny))


def grown(
    labels: Labels,
    neighbours: Neighbours,
    costs: Vector,
    n_clusters: int,
    units: NDArray[np.int64] | None = None,
) -> Labels:
    """Connected clusters: the largest piece of each stays, and all other points join clusters beside them.

    Those join first that cost least compared with their cheapest cluster. `units` are the weights of points:
    a piece without weight is no cluster, so it stays only where there is no other.
    """
    piece = neighbours.pieces(labels)
    extra = costs - costs.min(axis=1, keepdims=True)
    n_points = np.bincount(piece)
    if units is not None:
        n_points[np.bincount(piece, units) == 0] = 0
    cluster_of = np.zeros(len(n_points), dtype=np.int64)
    cluster_of[piece] = labels
    result = np.full(len(labels), -1, dtype=np.int64)
    for k in range(n_clusters):
        own = np.flatnonzero(cluster_of == k)
        if len(own):
            result[piece == own[n_points[own].argmax()]] = k
    heap: list[tuple[float, int, int]] = []

    def offer(point: int) -> None:
        for other in neighbours.indices[neighbours.indptr[point] : neighbours.indptr[point + 1]].tolist():
            if result[other] < 0:
                heapq.heappush(heap, (float(extra[other, result[point]]), other, int(result[point])))

    for point in np.flatnonzero(result >= 0).tolist():
        offer(point)
    while heap:
        _, point, cluster = heapq.heappop(heap)
        if result[point] < 0:
            result[point] = cluster
            offer(point)
    return result


def search(
    borders: Borders,
    labels: Labels,
    costs_for: Callable[[Labels], Vector],
    random: np.random.RandomState,
    deadline: Deadline,
    tell: Callable[[float], None] = lambda done: None,
) -> tuple[Labels | None, Labels]:
    """The cheapest connected labels found that keep every row, or None; and the last labels of the search.

    Simulated annealing from connected labels. `costs_for` has the costs of all points, by weight, at the
    centers of given labels; these follow after every sweep. Penalties start near the prices, which leaves
    room to rearrange clusters, and rise at the end until every row holds. `tell` is called a few times with
    the share that is done.
    """
    from minirel.clustering.border_compiled import move_points

    graph, n = borders.neighbours, len(labels)
    n_draws = max(_DRAWS * n, _FEWEST_DRAWS)
    n_sweeps = max(min(2 * n, _MOST_SWEEPS, _MOST_DRAWS // n_draws), _FEWEST_SWEEPS)
    labels, costs = labels.copy(), costs_for(labels)
    crossing = labels[borders.source] != labels[graph.indices]
    source, target = borders.source[crossing], graph.indices[crossing]
    differences = np.abs(costs[source, labels[target]] - costs[source, labels[source]])
    step = float(np.median(differences)) or float(np.abs(costs).mean()) or 1.0
    rough = 2 * step / borders.typical
    least_penalty, most_penalty = (
        1.05 * borders.price + 0.02 * rough,
        _MOST_PENALTY * (borders.price + 0.1 * rough),
    )
    penalty = 2 * borders.price + 0.1 * rough
    best, least, slack = None, np.inf, borders.slack(labels)
    seen, queue = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for sweep in range(n_sweeps):
        if deadline.passed():
            break
        done = sweep / n_sweeps
        if sweep % (n_sweeps // _TOLD) == 0:
            tell(done)
        temperature = step * _HOT * (_COLD / _HOT) ** min(done / _COOLING, 1.0)
        found = labels.copy()
        saved = move_points(
            random.randint(len(graph.indices), size=n_draws),
            random.random_sample(n_draws),
            1.0 - random.random_sample(n_draws),
            temperature,
            graph.indptr,
            graph.indices,
            borders.source,
            *borders.crossing(labels),
            costs,
            borders.change,
            borders.signature,
            borders.multiple,
            borders.first_row,
            penalty,
            labels,
            slack,
            found,
            seen,
            queue,
        )
        if saved < np.inf:
            cost = float(costs_for(found)[np.arange(n), found].sum())
            if cost < least:
                best, least = found, cost
        up, down = _ADAPT if done < _COOLING else _INSIST
        penalty = np.maximum(penalty * np.where(slack < 0, up, down), least_penalty)
        if done < _COOLING:
            penalty = np.minimum(penalty, most_penalty)
        costs = costs_for(labels)
    return best, labels
