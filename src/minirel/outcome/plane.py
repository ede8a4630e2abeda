"""Points in a plane: on a map where there are coordinates, else on two features or principal components."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from minirel.clustering.data import ArrayOrSparse, read_X
from minirel.clustering.objectives import Data, Matrix
from minirel.outcome.result import FittedModel, Result, result_of
from minirel.points.errors import ParameterValueError
from minirel.points.percent import floored

# Points of a drawing on a page.
MOST_POINTS = 2_500
CLUSTER = "cluster"
_MOST_VALUES = 10_000_000  # up to which sparse data is made dense
_MOST_ROWS = 20_000  # that say where the principal components are


@dataclass(frozen=True, eq=False)
class Plane:
    """Some of the points in a plane, drawn at random, so that they stand for all of them.

    Attributes
    ----------
    points : ndarray of shape (n_shown, 2)
        Where they are.
    labels : ndarray of shape (n_shown,)
        Cluster of each.
    moved : ndarray of bool of shape (n_shown,)
        Whether it is not with its nearest center.
    centers : ndarray of shape (n_clusters, 2)
        Where the centers are.
    axis_names : (str, str)
        What the two axes are.
    n_points, n_moved : int
        How many there are in all.
    is_map : bool
        Whether the axes are longitude and latitude.
    """

    points: Matrix
    labels: NDArray[np.intp]
    moved: NDArray[np.bool_]
    centers: Matrix
    axis_names: tuple[str, str]
    n_points: int
    n_moved: int
    is_map: bool = False


def plane(
    model: FittedModel, X: ArrayOrSparse, *, max_points: int, feature_names: Sequence[str] | None = None
) -> Plane:
    """The points that a model was fitted to: two features as they are, more on two principal components."""
    result = result_of(model)
    points, labels = read_X(model, X, result.objective, reset=False), result.labels
    n = points.shape[0]
    if n != len(labels):
        found = f"has {n} rows for {len(labels)} labels"
        raise ParameterValueError("X", "must be the points that the model was fitted to", X, found=found)
    names = getattr(model, "feature_names_in_", None) if feature_names is None else feature_names
    chosen = choose(n, max_points)
    places, centers, axis_names = _project(points, result.centers, labels, names, chosen)
    return _plane(result, places, chosen, centers, axis_names)


def map_of(model: FittedModel, longitude: Matrix, latitude: Matrix, *, max_points: int) -> Plane | None:
    """The points on a map, by their coordinates in degrees; None where these are none."""
    result = result_of(model)
    both = np.column_stack([longitude, latitude]).astype(np.float64)
    is_known = np.isfinite(both).all(axis=1)
    if not is_known.any() or (np.abs(both[is_known]) > [360, 90]).any():
        return None
    labels, n_clusters = result.labels[is_known], result.fairness.n_clusters
    size = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
    centers = np.column_stack([np.bincount(labels, axis, n_clusters) / size for axis in both[is_known].T])
    some = np.flatnonzero(is_known)
    chosen = some[choose(len(some), max_points)]
    return _plane(result, both[chosen], chosen, centers, ("longitude", "latitude"), is_map=True)


def share_colours(centers: Matrix, n_colours: int) -> list[int]:
    """A colour for each cluster: where there are more clusters than colours, those far apart share one."""
    chosen: list[int] = []
    for k, center in enumerate(centers):
        if k < n_colours:
            chosen.append(k)
            continue
        away = np.full(n_colours, np.inf)
        for colour, other in zip(chosen, centers, strict=False):
            away[colour] = min(away[colour], float(np.hypot(*(center - other))))
        chosen.append(int(np.argmax(away)))
    return chosen


def choose(n: int, most: int) -> NDArray[np.intp]:
    """Numbers of points to draw, in their own order: every point with the same chance, always the same."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _plane(
    result: Result,
    places: Matrix,
    chosen: NDArray[np.intp],
    centers: Matrix,
    axis_names: tuple[str, str],
    is_map: bool = False,
) -> Plane:
    moved = result.labels != result.trace.end.labels
    return Plane(
        points=places,
        labels=result.labels[chosen],
        moved=moved[chosen],
        centers=centers,
        axis_names=axis_names,
        n_points=len(moved),
        n_moved=int(moved.sum()),
        is_map=is_map,
    )


def _project(
    X: Data,
    centers: Matrix,
    labels: NDArray[np.intp],
    names: Sequence[str] | None,
    chosen: NDArray[np.intp],
) -> tuple[Matrix, Matrix, tuple[str, str]]:
    """The chosen points and the centers in the plane, and what its axes are."""
    n, n_features = X.shape
    some = X[chosen]
    if n_features <= 2 or n < 2:
        dense = some if isinstance(some, np.ndarray) else some.toarray()
        shown = [f"feature {i}" for i in (0, 1)] if names is None else [str(name) for name in names]
        if n_features == 1:
            numbers = np.arange(len(centers))
            places = np.column_stack([dense, labels[chosen]])
            return places, np.column_stack([centers, numbers]), (shown[0], CLUSTER)
        return np.asarray(dense[:, :2]), centers[:, :2], (shown[0], shown[1])
    basis = X[choose(n, _MOST_ROWS)]
    if not isinstance(basis, np.ndarray) and basis.shape[0] * n_features <= _MOST_VALUES:
        basis = basis.toarray()
    pca = PCA(2, random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # points that are all the same
        pca.fit(basis)
    first, second = np.nan_to_num(pca.explained_variance_ratio_)
    told = (
        f"first principal component ({floored(first)})",
        f"second principal component ({floored(second)} of variance)",
    )
    return np.asarray(pca.transform(some)), np.asarray(pca.transform(centers)), told
