"""What is minimised: k-means and k-medians, as costs of points in clusters and centers of clusters."""

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, issparse
from scipy.spatial.distance import cdist
from sklearn.utils.extmath import row_norms

Data: TypeAlias = "NDArray[np.floating] | csr_array | csr_matrix"
Matrix = NDArray[np.floating]
Vector = NDArray[np.floating]
Points = NDArray[np.intp]

# Of a typical cost, by bytes of a number: the rounding that is put up with for the sake of speed.
_TOLERANCE = {4: 1e-4, 8: 1e-6}


class Objective(Protocol):
    """A clustering objective over fixed data: each point pays its weight times a cost in its cluster.

    `metric_power` is p where a cost is the p-th power of a distance that obeys the triangle inequality, else
    None; it lets points far from any border be left alone when centers hardly move.
    """

    accepts_sparse: bool
    metric_power: int | None

    def __init__(self, X: Data, weight: Vector | None) -> None: ...

    def costs(self, centers: Matrix, points: Points | None = None) -> Matrix:
        """Cost of a unit of weight of each point, or of some, in each cluster."""
        ...

    def centers(self, labels: NDArray[np.integer], n_clusters: int) -> Matrix:
        """The centers that are cheapest for these labels, of clusters that all have some weight."""
        ...

    def distances(self, X: Data, centers: Matrix) -> Matrix:
        """Distance of any points from the centers, for `transform` and `predict`."""
        ...


class KMeansObjective:
    """Squared Euclidean distance to the mean.

    All costs come from one product of matrices: with ones and squared norms as two more columns,
    ``|x|^2 - 2 x c + |c|^2`` is linear in what is known of the point. Dense data is centered first, which
    keeps the terms that cancel small; where they would still drown the costs, differences are squared.
    """

    accepts_sparse = True
    metric_power: int | None = 2

    def __init__(self, X: Data, weight: Vector | None) -> None:
        n, n_features = X.shape
        self.weight = weight
        self._dtype = X.dtype
        self._points: Matrix | csr_array
        if not isinstance(X, np.ndarray):
            self._origin = np.zeros(n_features, dtype=X.dtype)
            self._points = csr_array(X)
            self._norms = row_norms(X, squared=True)
            return
        self._origin = X.mean(axis=0)
        points = np.empty((n, n_features + 2), dtype=X.dtype)
        inside = points[:, :n_features]
        np.subtract(X, self._origin, out=inside)
        points[:, -2] = 1
        points[:, -1] = row_norms(inside, squared=True)
        self._points = points

    def costs(self, centers: Matrix, points: Points | None = None) -> Matrix:
        """Squared distances."""
        shifted = centers - self._origin
        norms = row_norms(shifted, squared=True)
        known = self._points if points is None else self._points[points]
        if isinstance(known, csr_array):
            costs: Matrix = known @ (-2 * shifted.T)
            costs += (self._norms if points is None else self._norms[points])[:, None]
            costs += norms
            return np.maximum(costs, 0, out=costs)
        table = np.column_stack([-2 * shifted, norms, np.ones_like(norms)])
        costs = np.asarray(known @ table.T)
        np.maximum(costs, 0, out=costs)
        typical = float(costs[:: max(1, len(costs) // 1_000)].min(axis=1, initial=np.inf).mean())
        rounding = np.finfo(self._dtype).eps * (float(known[:, -1].max(initial=0)) + float(norms.max()))
        if rounding > _TOLERANCE[self._dtype.itemsize] * typical > 0:
            return np.asarray(cdist(known[:, :-2], shifted, "sqeuclidean"), dtype=self._dtype)
        return costs

    def centers(self, labels: NDArray[np.integer], n_clusters: int) -> Matrix:
        """Means by weight."""
        n, n_features = len(labels), len(self._origin)
        weight = np.ones(n) if self.weight is None else self.weight
        one_each = np.arange(n + 1, dtype=np.int32)
        belongs = csr_array((weight, labels.astype(np.int32), one_each), shape=(n, n_clusters)).T
        product = belongs @ self._points
        sums = product.toarray() if issparse(product) else product[:, :n_features]
        total = np.bincount(labels, weights=self.weight, minlength=n_clusters)
        means = sums / total[:, None] + self._origin
        return np.asarray(means, dtype=self._dtype)

    def distances(self, X: Data, centers: Matrix) -> Matrix:
        """Euclidean distances."""
        costs = KMeansObjective(X, None).costs(centers)
        return np.sqrt(np.maximum(costs, 0, out=costs), out=costs)


class KMediansObjective:
    """Sum of absolute differences to the median of each coordinate."""

    accepts_sparse = False
    metric_power: int | None = 1

    def __init__(self, X: Data, weight: Vector | None) -> None:
        assert isinstance(X, np.ndarray)
        self.X, self.weight = X, weight

    def costs(self, centers: Matrix, points: Points | None = None) -> Matrix:
        """Manhattan distances."""
        return self.distances(self.X if points is None else self.X[points], centers)

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

    def distances(self, X: Data, centers: Matrix) -> Matrix:
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
