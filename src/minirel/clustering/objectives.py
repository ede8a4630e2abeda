"""Clustering objectives, k-means and k-medians: costs of points in clusters, and centers of clusters."""

from functools import cached_property
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.utils.extmath import row_norms
from sklearn.utils.sparsefuncs import mean_variance_axis

from minirel.assignment.costs import BLOCK, COMPILE_FROM, blocks
from minirel.points.blocks import RemotePoints, map_blocks
from minirel.points.errors import ParameterValueError
from minirel.points.workers import SERIAL, Workers

LocalData: TypeAlias = "NDArray[np.floating] | csr_array | csr_matrix"
Data: TypeAlias = "LocalData | RemotePoints"
Matrix = NDArray[np.floating]
Vector = NDArray[np.floating]
Points = slice | NDArray[np.intp]

# Relative to the squared norms of point and center: smaller squared distances suffer from cancellation.
_CANCELLATION = 1e-5


class Objective(Protocol):
    """A clustering objective over fixed data: each point pays its weight times a cost in its cluster.

    `metric_power` is p where a cost is the p-th power of a distance that obeys the triangle inequality, else
    None; it lets points far from any border be skipped when centers hardly move. Where costs are squared
    distances and `centers_are_means`, it is known what a move costs when both centers follow it.
    """

    accepts_sparse: bool
    metric_power: int | None
    centers_are_means: bool

    def __init__(self, X: Data, weight: Vector | None) -> None: ...

    def costs(self, centers: Matrix, points: Points | None = None) -> Matrix:
        """Cost of a unit of weight of each point, or of some (indices or a slice), in each cluster."""
        ...

    def centers(self, labels: NDArray[np.integer], n_clusters: int) -> Matrix:
        """The centers that are cheapest for these labels, of clusters that all have some weight."""
        ...

    def distances(self, X: LocalData, centers: Matrix) -> Matrix:
        """Distance of any points from the centers, for `transform` and `predict`."""
        ...


@runtime_checkable
class InBlocks(Protocol):
    """An objective whose costs may be computed block by block, so that no table of all is needed."""

    X: Data

    def costs(self, centers: Matrix, points: Points | None = None) -> Matrix:
        """As of any objective, in the precision of `X`."""
        ...

    def own_costs(self, centers: Matrix, rows: slice, labels: NDArray[np.integer]) -> Vector:
        """Costs of some points, each in the cluster of its label: those of `costs`, to the last digit."""
        ...


class KMeansObjective:
    """Squared Euclidean distance to the mean."""

    accepts_sparse = True
    metric_power: int | None = 2
    centers_are_means = True

    def __init__(self, X: Data, weight: Vector | None, is_large: bool | None = None) -> None:
        self.X, self.weight = X, weight
        # All costs of a fit are computed in the same way: processors may round products and sums in one step.
        # So whoever computes those of a block has to say whether it is one of many.
        self.is_large = is_dense(X) and X.size >= COMPILE_FROM if is_large is None else is_large

    @cached_property
    def _origin(self) -> Vector:
        """Means are taken from here, so that data far from zero does not lose its differences in the sums."""
        return feature_means(self.X) if is_dense(self.X) else np.zeros(self.X.shape[1], dtype=self.X.dtype)

    def costs(self, centers: Matrix, points: Points | None = None) -> Matrix:
        """Squared distances."""
        return squared_distances(self.X[slice(None) if points is None else points], centers, self.is_large)

    def own_costs(self, centers: Matrix, rows: slice, labels: NDArray[np.integer]) -> Vector:
        """Squared distances from the centers of labels."""
        part = self.X[rows]
        if not isinstance(part, np.ndarray):
            return np.asarray(self.costs(centers, rows)[np.arange(len(labels)), labels])
        if self.is_large:
            from minirel.clustering.compiled import own_distances

            own = np.empty(len(part), dtype=part.dtype)
            own_distances(part, centers.astype(np.float64), labels, own)
            return own
        return _summed((part.astype(np.float64) - centers[labels]) ** 2, part.dtype)

    def centers(self, labels: NDArray[np.integer], n_clusters: int) -> Matrix:
        """Means by weight."""
        small = self._origin, n_clusters, self.is_large
        sums = sum(map_blocks(self.X, _sums, (labels, self.weight), small))
        total = np.bincount(labels, weights=self.weight, minlength=n_clusters)
        return np.asarray(sums / total[:, None] + self._origin, dtype=self.X.dtype)

    def distances(self, X: LocalData, centers: Matrix) -> Matrix:
        """Euclidean distances."""
        costs = squared_distances(X, centers)
        return np.sqrt(costs, out=costs)


def _sums(
    part: LocalData,
    labels: NDArray[np.integer],
    weight: Vector | None,
    origin: Vector,
    n_clusters: int,
    is_large: bool,
) -> NDArray[np.float64]:
    """The sums of some points by cluster, times their weights, from the origin."""
    if is_large:
        from minirel.clustering.compiled import add_to_sums

        sums = np.zeros((n_clusters, part.shape[1]))
        add_to_sums(part, labels, np.empty(0) if weight is None else weight, origin, sums)
        return sums
    size = len(labels)
    weight = np.ones(size) if weight is None else weight
    one_each = np.arange(size + 1, dtype=np.int32)
    belongs = csr_array((weight, labels, one_each), shape=(size, n_clusters)).T
    if isinstance(part, np.ndarray):
        return np.asarray(belongs @ (part - origin))
    return np.asarray((belongs @ csr_array(part)).toarray())


def squared_distances(X: LocalData, centers: Matrix, is_large: bool = False) -> Matrix:
    """Squared Euclidean distances, in the precision of `X`.

    Differences are squared and summed in double precision, feature by feature. The product of matrices that
    ``|x|^2 - 2 x c + |c|^2`` would need is no faster for few centers, loses small distances between large
    terms, and rounds differently on every processor. For sparse points differences are costly: they are
    used only where cancellation is severe.
    """
    if is_large:
        from minirel.clustering.compiled import squared_distances as compiled_distances
    costs = np.empty((X.shape[0], len(centers)), dtype=X.dtype)
    for rows in blocks(X.shape[0]):
        part = X[rows]
        if isinstance(part, np.ndarray):
            if is_large:
                by_columns = np.ascontiguousarray(centers.T, dtype=np.float64)
                compiled_distances(part, by_columns, costs[rows])
            else:
                costs[rows] = cdist(part, centers, "sqeuclidean")
        else:
            costs[rows] = _sparse_distances(csr_array(part), centers.astype(np.float64))
    return costs


def _sparse_distances(points: csr_array, centers: NDArray[np.float64]) -> NDArray[np.float64]:
    points = points.astype(np.float64)
    lengths = row_norms(points, squared=True)[:, None] + row_norms(centers, squared=True)
    costs: NDArray[np.float64] = points @ (-2 * centers.T) + lengths
    row, column = np.nonzero(costs <= _CANCELLATION * lengths)
    for some in blocks(len(row), most=max(1, BLOCK * len(centers) // points.shape[1])):
        difference = points[row[some]].toarray() - centers[column[some]]
        costs[row[some], column[some]] = np.einsum("ij,ij->i", difference, difference)
    return costs


def dense(X: Data) -> Matrix:
    """The same rows as an array."""
    if isinstance(X, RemotePoints):
        return X[:]
    return X if isinstance(X, np.ndarray) else np.asarray(X.toarray())


def is_dense(X: Data) -> bool:
    """Whether it holds every value."""
    return isinstance(X, np.ndarray | RemotePoints)


def _summed(parts: NDArray[np.float64], dtype: np.dtype[np.floating]) -> Vector:
    """The sums of rows, feature by feature, as distances are summed."""
    total = np.zeros(len(parts))
    for feature in parts.T:
        total += feature
    return total.astype(dtype)


class KMediansObjective:
    """Sum of absolute differences to the median of each coordinate."""

    accepts_sparse = False
    metric_power: int | None = 1
    centers_are_means = False

    def __init__(self, X: Data, weight: Vector | None) -> None:
        assert isinstance(X, np.ndarray)
        self.X, self.weight = X, weight

    def costs(self, centers: Matrix, points: Points | None = None) -> Matrix:
        """Manhattan distances."""
        return self.distances(self.X if points is None else self.X[points], centers)

    def own_costs(self, centers: Matrix, rows: slice, labels: NDArray[np.integer]) -> Vector:
        """Manhattan distances from the centers of labels."""
        part = self.X[rows]
        return _summed(np.abs(part.astype(np.float64) - centers[labels]), part.dtype)

    def centers(self, labels: NDArray[np.integer], n_clusters: int) -> Matrix:
        """Medians by weight: halfway between the middle two where half the weight is on either side."""
        order = np.argsort(labels, kind="stable")
        bounds = np.searchsorted(labels, np.arange(n_clusters + 1), sorter=order)
        medians = np.empty((n_clusters, self.X.shape[1]), dtype=self.X.dtype)
        for k in range(n_clusters):
            members = order[bounds[k] : bounds[k + 1]]
            if self.weight is None:
                medians[k] = np.median(self.X[members], axis=0)
            else:
                medians[k] = _weighted_median(self.X[members], self.weight[members])
        return medians

    def distances(self, X: LocalData, centers: Matrix) -> Matrix:
        """Manhattan distances."""
        assert isinstance(X, np.ndarray)
        return np.asarray(cdist(X, centers, "cityblock"), dtype=X.dtype)


def _weighted_median(values: Matrix, weight: Vector) -> Vector:
    values, weight = values[weight > 0], weight[weight > 0]
    order = np.argsort(values, axis=0)
    below = np.cumsum(weight[order], axis=0)
    half = below[-1] / 2
    columns = np.arange(values.shape[1])
    low = (below < half).sum(axis=0)
    high = np.minimum((below <= half).sum(axis=0), len(values) - 1)
    return np.asarray((values[order[low, columns], columns] + values[order[high, columns], columns]) / 2)


OBJECTIVES: dict[str, type[Objective]] = {"k-means": KMeansObjective, "k-medians": KMediansObjective}


def read_objective(name: object) -> type[Objective]:
    """The objective of this name, validated."""
    if not isinstance(name, str) or name not in OBJECTIVES:
        raise ParameterValueError("objective", f"must be one of {', '.join(map(repr, OBJECTIVES))}", name)
    return OBJECTIVES[name]


def name_of_costs(objective: type[Objective]) -> str:
    """What costs are of, for messages."""
    return "distances" if objective.metric_power == 1 else "squared distances"


def mean_variance(X: Data, workers: Workers = SERIAL) -> float:
    """The scale of `tol`, as in scikit-learn's KMeans; infinite or not a number if that overflows."""
    if not is_dense(X):
        with np.errstate(over="ignore", invalid="ignore"):
            return float(mean_variance_axis(X, axis=0)[1].mean())
    means = feature_means(X, workers)
    return float(sum(map_blocks(X, _squares, small=(means,), workers=workers, n_costs=X.size))) / X.size


def feature_means(X: Data, workers: Workers = SERIAL) -> Vector:
    """The mean of each feature, of points that are dense."""
    mean = sum(map_blocks(X, _sum_of_rows, workers=workers, n_costs=X.size)) / X.shape[0]
    return np.asarray(mean, dtype=X.dtype)


def _sum_of_rows(part: Matrix) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(part.sum(axis=0, dtype=np.float64))


def _squares(part: Matrix, mean: Vector) -> float:
    """The sum of the squared distances from the mean."""
    with np.errstate(over="ignore", invalid="ignore"):
        part = part - mean
        return float(np.einsum("ij,ij->", part, part))
