"""Initialisers: how the first centers are placed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.utils import check_array

from minirel.clustering.large_k_means import large_k_means
from minirel.clustering.objectives import (
    Data,
    LocalData,
    Matrix,
    Objective,
    Vector,
    dense,
    is_dense,
    mean_variance,
)
from minirel.points.blocks import RemotePoints
from minirel.points.errors import ParameterError, ParameterTypeError, ParameterValueError
from minirel.points.workers import SERIAL, Workers, one_thread
from minirel.promises.exact import positive
from minirel.solvers.limits import NO_DEADLINE, Deadline

# Up to this many points, a repeated row gives the same centers as a weight, for which rows are sorted.
_ORDERED_UP_TO = 1_000
_MOST_VALUES = 1_000_000
# Up to so many products per iteration, k-means runs without checks of the deadline; above, it is checked
# after so many iterations.
_SHORT, _A_FEW = 20_000_000, 10
# Runs of k-means on a sample of so many points, and of two that are so much alike the first is as good.
_SAMPLE, _SAMPLE_PER_CLUSTER, _SAMPLE_RUNS, _ALIKE = 1_000, 100, 10, 1e-6
# Values from which on k-means makes no copy of the data, as that of scikit-learn does; and points of a larger
# sample on which it settles first.
_LARGE, _LARGE_SAMPLE = 10_000_000, 2**17
# Rows per block in the search for distinct points.
_ROWS = 2_048

# What a user may give; `read_init` makes an array of anything array-like.
Init: TypeAlias = "str | KMeansStart | ArrayLike | Callable[..., object]"


@dataclass(frozen=True, eq=False)
class Start:
    """What an initialiser gets."""

    X: Data
    weight: Vector | None
    objective: Objective
    n_clusters: int
    tol: float
    random: np.random.RandomState
    deadline: Deadline = NO_DEADLINE
    workers: Workers = SERIAL


def here(X: Data) -> LocalData:
    """The points themselves, for k-means of scikit-learn: fetched if they are elsewhere."""
    return X[:] if isinstance(X, RemotePoints) else X


def at_random(start: Start) -> Matrix:
    """Points drawn without replacement, by weight."""
    n = start.X.shape[0]
    share = None if start.weight is None else start.weight / start.weight.sum()
    if share is not None and np.count_nonzero(share) < start.n_clusters:
        share = None
    chosen = start.random.choice(n, start.n_clusters, replace=False, p=share)
    return dense(start.X[chosen])


def k_means_plus_plus(start: Start) -> Matrix:
    """Points drawn far apart."""
    centers, _ = kmeans_plusplus(
        here(start.X), start.n_clusters, sample_weight=start.weight, random_state=start.random
    )
    return dense(centers)


def k_means(start: Start) -> Matrix:
    """Centers of k-means, from the best of several runs on a sample of the points.

    These take less time than one choice of points far apart among all of them, and mostly lead to a better
    optimum.
    """
    n = start.X.shape[0]
    size = max(_SAMPLE, _SAMPLE_PER_CLUSTER * start.n_clusters)
    X, weight = start.X, start.weight
    if n > size:
        some = _drawn(start.random, n, size)
        if weight is None or np.count_nonzero(weight[some]) >= start.n_clusters:
            X, weight = X[some], None if weight is None else weight[some]
    runs, points = [], here(X)
    with one_thread():  # more would wait for each other, on so few points
        for _ in range(_SAMPLE_RUNS):
            kmeans = KMeans(start.n_clusters, n_init=1, tol=start.tol, random_state=start.random)
            runs.append(kmeans.fit(points, sample_weight=weight))
            if start.deadline.passed():  # with many clusters, each run takes seconds
                break
    # The first of the best: of runs that end alike, rounding must not choose.
    enough = min(run.inertia_ for run in runs) * (1 + _ALIKE)
    first = next(run for run in runs if run.inertia_ <= enough)
    if X is start.X:
        return _own_centers(start, first)
    centers = first.cluster_centers_
    if is_dense(start.X) and start.X.size >= _LARGE:
        return _large_k_means(start, start.X, centers)
    return _own_centers(start, _k_means(start, centers))


@dataclass(frozen=True)
class KMeansStart:
    """Centers of ordinary k-means, the best of `n_init` runs from k-means++: the paper's warm start.

    The paper has one run, and also tries 100. ``MiniReL(init="k-means")`` has none of these: it looks for
    better centers on a sample first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import KMeansStart, MiniReL
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(4, init=KMeansStart(n_init=10), random_state=0)
    >>> model.fit(X, sensitive_features=species).audit_.satisfied
    True
    """

    n_init: int = 1

    def __call__(self, start: Start) -> Matrix:
        """Run k-means."""
        return _own_centers(start, _k_means(start, "k-means++", self.n_init))


def _own_centers(start: Start, kmeans: KMeans) -> Matrix:
    """The centers of the clusters of k-means.

    Its own sums depend on the number of threads in their last bits; its labels do not.
    """
    weights = np.bincount(kmeans.labels_, start.weight, start.n_clusters)
    if (weights <= 0).any():  # fewer distinct points than clusters
        return np.asarray(kmeans.cluster_centers_)
    return start.objective.centers(kmeans.labels_, start.n_clusters)


def _drawn(random: np.random.RandomState, n: int, size: int) -> NDArray[np.intp]:
    """Points drawn without replacement, in order; a few less than `size` of very many."""
    if n <= _MOST_VALUES:
        return np.sort(random.choice(n, size, replace=False))
    return np.unique(random.randint(n, size=size))  # the other way shuffles all of them


def _large_k_means(start: Start, X: Data, centers: Matrix) -> Matrix:
    """Centers of k-means on a larger sample, from where those of all points are a few passes away."""
    tol = start.tol * mean_variance(X, start.workers)
    n, ending = X.shape[0], (tol, start.workers, start.deadline)
    if n > 4 * _LARGE_SAMPLE:
        some = _drawn(start.random, n, _LARGE_SAMPLE)
        weight = None if start.weight is None else start.weight[some]
        centers = large_k_means(X[some], weight, centers, *ending)
    return large_k_means(X, start.weight, centers, *ending)


def _k_means(start: Start, init: str | Matrix, n_init: int = 1) -> KMeans:
    """The best run of k-means, a few iterations at a time where a time limit could pass in one of them."""
    X, (n, n_features) = here(start.X), start.X.shape
    kmeans = KMeans(start.n_clusters, init=init, n_init=n_init, tol=start.tol, random_state=start.random)
    is_short = n * n_features * start.n_clusters * n_init < _SHORT
    if is_short or start.deadline.left() is None:
        return kmeans.fit(X, sample_weight=start.weight)
    best = None
    for _ in range(n_init):
        kmeans = clone(kmeans).set_params(n_init=1, max_iter=_A_FEW, random_state=start.random)
        kmeans.set_params(init=init).fit(X, sample_weight=start.weight)
        for _ in range(KMeans().max_iter // _A_FEW - 1):
            if kmeans.n_iter_ < _A_FEW or start.deadline.passed():
                break
            kmeans.set_params(init=kmeans.cluster_centers_).fit(X, sample_weight=start.weight)
        if best is None or kmeans.inertia_ < best.inertia_:
            best = kmeans
        if start.deadline.passed():
            break
    assert best is not None
    return best


INITIALISERS: dict[str, Callable[[Start], Matrix]] = {
    "k-means": k_means,
    "k-means++": k_means_plus_plus,
    "random": at_random,
}


Placed: TypeAlias = str | KMeansStart | NDArray[np.floating] | Callable[..., object]


def read_init(init: Init, n_clusters: int, X: Data) -> Placed:
    """Validate a user's `init`."""
    if isinstance(init, str) and init in INITIALISERS:
        if init == "k-means++":
            _check_fetched(init, X)
        return init
    if isinstance(init, str) or init is None:
        known = ", ".join(map(repr, INITIALISERS))
        rule = f"must be one of {known}, a KMeansStart, an array of centers or a function"
        raise ParameterValueError("init", rule, init)
    if isinstance(init, type) and issubclass(init, KMeansStart):
        rule, found = "must be a KMeansStart, not the class itself", f"is {init.__name__}"
        raise ParameterTypeError("init", rule, init, "write KMeansStart()", found=found)
    if isinstance(init, KMeansStart):
        init = replace(init, n_init=_n_init(init))
    if callable(init):
        _check_fetched(init, X)
        return init
    try:
        centers = check_array(init, dtype=X.dtype, input_name="init")
    except (TypeError, ValueError) as error:
        rule = "must hold finite centers, one row per cluster"
        raise ParameterValueError("init", rule, init, str(error), found="") from error
    if centers.shape != (n_clusters, X.shape[1]):
        rule = f"must hold n_clusters={n_clusters} centers of {X.shape[1]} features"
        raise ParameterValueError("init", rule, init, found=f"has shape {centers.shape}")
    return np.asarray(centers)


def _n_init(init: KMeansStart) -> int:
    try:
        return positive(init.n_init, "n_init")
    except ParameterError as error:
        rule = "must have an n_init that is a whole number of at least 1"
        way_out = "write KMeansStart() for one run, KMeansStart(n_init=100) for the best of 100"
        raise type(error)("init", rule, init, way_out) from error


def _check_fetched(init: object, X: Data) -> None:
    """Refuse what needs all points in one place, if they are elsewhere and many."""
    if isinstance(X, RemotePoints) and X.size >= _LARGE:
        raise ParameterValueError(
            "init",
            f"must be 'k-means', 'random' or centers for {_LARGE:,} distributed values or more",
            init,
            "others would fetch all points to one place",
        )


def init_name(init: Init) -> str:
    """The name of an `init`, for reports."""
    if isinstance(init, str):
        return init
    return "k-means" if isinstance(init, KMeansStart) else "function" if callable(init) else "centers"


def few_points(X: Data, weight: Vector | None, n_clusters: int) -> Matrix | None:
    """The distinct points of positive weight, if there are fewer than clusters; else None, found early."""
    n, n_features = X.shape
    step = max(1, min(_ROWS, _MOST_VALUES // n_features))
    as_bytes = np.dtype((np.void, n_features * X.dtype.itemsize))
    distinct: set[bytes] = set()
    for start in range(0, n, step):
        rows = dense(X[start : start + step])
        if weight is not None:
            rows = rows[weight[start : start + step] > 0]
        rows = np.ascontiguousarray(rows) + 0  # -0.0 becomes 0.0
        distinct.update(map(bytes, rows.view(as_bytes).ravel().tolist()))
        if len(distinct) >= n_clusters:
            return None
    return np.unique(np.frombuffer(b"".join(distinct), dtype=X.dtype).reshape(-1, n_features), axis=0)


def first_centers(init: Placed, start: Start) -> Matrix:
    """Place the first centers as `init` says."""
    if isinstance(init, np.ndarray):
        return init.astype(start.X.dtype)
    if isinstance(init, str | KMeansStart):
        place = INITIALISERS[init] if isinstance(init, str) else init
        start = _ordered(start)
        if start.X.shape[0] <= start.n_clusters:  # a center for every distinct point
            return np.resize(dense(start.X), (start.n_clusters, start.X.shape[1]))
        return place(start).astype(start.X.dtype, copy=False)
    try:
        centers = np.asarray(init(here(start.X), start.n_clusters, random_state=start.random))
    except ValueError as error:
        rule = "must return centers, one row per cluster"
        raise ParameterValueError("init", rule, init, str(error), found="failed") from error
    if centers.dtype.kind not in "fiu" or centers.shape != (start.n_clusters, start.X.shape[1]):
        rule = f"must return centers of shape ({start.n_clusters}, {start.X.shape[1]}), one row per cluster"
        found = f"returned {centers.dtype} of shape {centers.shape}"
        raise ParameterValueError("init", rule, init, found=found)
    if not np.isfinite(centers).all():
        found = "returned some that are not"
        raise ParameterValueError("init", "must return finite centers", init, found=found)
    return centers.astype(start.X.dtype)


def _ordered(start: Start) -> Start:
    """The distinct points in sorted order, weights added up, so that the order of the data is irrelevant."""
    n = start.X.shape[0]
    if n > _ORDERED_UP_TO or n * start.X.shape[1] > _MOST_VALUES:
        return start
    rows = dense(start.X)
    weight = np.ones(n) if start.weight is None else start.weight
    distinct, index = np.unique(rows[weight > 0], axis=0, return_inverse=True)
    if len(distinct) == n:
        return start
    merged = np.bincount(index.ravel(), weights=weight[weight > 0]).astype(np.float64)
    X = distinct if is_dense(start.X) else csr_array(distinct)
    objective = type(start.objective)(X, merged)
    return replace(start, X=X, weight=merged, objective=objective)
