"""What the move of a point costs once the centers of both clusters follow it (Hartigan's k-means)."""

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import blocks
from minirel.clustering.moves import Moves, PromiseState, one_by_one, possible_moves
from minirel.clustering.objectives import Data, Matrix, Vector, dense

# Relative to the cost of a point: savings that are only rounding, by bytes per number.
_ROUNDING = {4: 1e-5, 8: 1e-11}
# Numbers of sparse points that are made dense at a time.
_MOST_VALUES = 1_000_000


def recentred_costs(
    costs: Matrix, labels: NDArray[np.integer], weight: Vector | None, of_cluster: Vector | None
) -> tuple[Vector, Matrix]:
    """What points save in their own cluster by leaving, and what they cost in every other.

    Where a point of weight w leaves a cluster of weight W, the cost falls by W / (W - w) times what the point
    pays there; where it joins one, the cost rises by W / (W + w) times what it would pay. The last point of a
    cluster saves nothing by leaving. Centers that are no means are taken to stay, with factors of 1: then
    `of_cluster`, what each cluster weighs, is None.
    """
    rows = np.arange(len(costs))
    own, others = costs[rows, labels].astype(np.float64), costs.astype(np.float64)
    if of_cluster is not None:
        weight = np.ones(1) if weight is None else weight
        others *= _joining(of_cluster, weight[:, None])
        leaving = _leaving(of_cluster[labels], weight)
        own = np.where(np.isinf(leaving), 0.0, own * np.where(np.isinf(leaving), 0.0, leaving))
    others[rows, labels] = np.inf
    return own, others


def changed_factors(before: Vector, after: Vector, heaviest: float) -> tuple[float, float, float]:
    """How far the roots of these factors change, where clusters come to weigh something else.

    The largest root of a factor, before or after; and by how much at most, relatively, those of leaving grow
    and those of joining shrink. Points weigh up to `heaviest`.
    """
    leaving = np.sqrt([_leaving(before, heaviest), _leaving(after, heaviest)])
    if np.isinf(leaving).any():
        return np.inf, 0.0, 0.0
    joining = np.sqrt([_joining(before, heaviest), _joining(after, heaviest)])
    grown, shrunk = leaving[1] / leaving[0] - 1, 1 - joining[1] / joining[0]
    largest, *worse = (float(part.max(initial=0.0)) for part in (leaving, grown, shrunk))
    return largest, worse[0], worse[1]


def _leaving(of_cluster: Vector, weight: Vector | float) -> Vector:
    """W / (W - w), infinite if that leaves nothing."""
    left = np.asarray(of_cluster - weight)
    factor = np.full(left.shape, np.inf)
    return np.asarray(np.divide(of_cluster, left, out=factor, where=left > 0))


def _joining(of_cluster: Vector, weight: Vector | float) -> Matrix:
    """W / (W + w)."""
    return np.asarray(of_cluster / (of_cluster + weight))


def recentred_moves(
    X: Data,
    centers: Matrix,
    costs: Matrix,
    some: NDArray[np.intp],
    labels: NDArray[np.intp],
    state: PromiseState,
) -> Moves:
    """Moves of single points, each of which lowers the cost when the centers, which are means, follow it.

    `costs` are those of the points in `some` at the centers of the labels. The moves that save most come
    first; each is made if it still saves something and every promise is kept. `state` is that of the labels,
    and afterwards that of the labels after the moves.
    """
    weight, of_cluster = state.weights.values, state.weight_of_clusters
    own, others = recentred_costs(costs, labels[some], None if weight is None else weight[some], of_cluster)
    rounding = _ROUNDING[costs.dtype.itemsize]
    rows, targets = np.nonzero(others < (own * (1 - rounding))[:, None])
    means, saved = Means(X, centers, of_cluster, weight), own[rows] - others[rows, targets]
    points, targets = possible_moves(state, labels, some[rows], targets, saved)

    def pays(*move: int) -> bool:
        return means.saved(*move) > rounding

    return one_by_one(state, labels, points, targets, pays, means.move)


class Means:
    """The means of clusters, while points move; `of_cluster` is what each cluster weighs."""

    def __init__(self, X: Data, centers: Matrix, of_cluster: Vector, weight: Vector | None) -> None:
        self.X, self.weight, self.centers = X, weight, centers.astype(np.float64)
        self.of_cluster = of_cluster.astype(np.float64)

    def follow(self, moves: Moves) -> Matrix:
        """The means after moves, from the points that have moved."""
        moved = moves.points
        weight = np.ones(len(moved)) if self.weight is None else self.weight[moved]
        sums = self.centers * self.of_cluster[:, None]
        for labels, sign in ((moves.source, -1.0), (moves.target, 1.0)):
            for some in blocks(len(moved), most=max(1, _MOST_VALUES // sums.shape[1])):
                rows = dense(self.X[moved[some]]).astype(np.float64)
                np.add.at(sums, labels[some], sign * weight[some, None] * rows)
            np.add.at(self.of_cluster, labels, sign * weight)
        self.centers = sums / self.of_cluster[:, None]
        return self.centers.astype(self.X.dtype)

    def saved(self, i: int, source: int, target: int) -> float:
        """What a move saves, relative to what the point pays where it is."""
        weight = 1.0 if self.weight is None else float(self.weight[i])
        if not self.of_cluster[source] > weight:
            return 0.0
        paid, pays = ((self._row(i) - self.centers[[source, target]]) ** 2).sum(axis=1)
        paid *= self.of_cluster[source] / (self.of_cluster[source] - weight)
        pays *= self.of_cluster[target] / (self.of_cluster[target] + weight)
        return float(1 - pays / paid) if paid > 0 else 0.0

    def move(self, i: int, source: int, target: int) -> None:
        """Move a point, and both centers after it."""
        weight = 1.0 if self.weight is None else float(self.weight[i])
        for cluster, change in ((source, -weight), (target, weight)):
            self.of_cluster[cluster] += change
            self.centers[cluster] += (self._row(i) - self.centers[cluster]) * (
                change / self.of_cluster[cluster]
            )

    def _row(self, i: int) -> Vector:
        return np.asarray(dense(self.X[i : i + 1])[0], dtype=np.float64)
