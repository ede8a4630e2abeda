"""What each cluster is, in the data's own units: means, shares of categories, and what sets it apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from minirel.outcome.result import FittedModel, Result, result_of
from minirel.points.columns import Numbered, Table, encode, read_table
from minirel.points.errors import ParameterError, ParameterValueError

Vector: TypeAlias = NDArray[np.float64]

_TINY = np.finfo(float).tiny

# Standardised differences that are worth a word, and shares below which a category is not.
_TELLING, _COMMON = 0.2, 0.1
# A column with more distinct values than this part of the points has names in it, not categories.
_NAMES = 0.5
# A mean of fewer known values than this part of a cluster says little of it.
KNOWN = 0.5
_YEARS = (1000, 2999)


@dataclass(frozen=True, eq=False)
class NumericFeature:
    """A feature that is measured.

    Attributes
    ----------
    name : str
        What it is called.
    mean, spread : float
        Mean and standard deviation over all points, by weight.
    means : ndarray of shape (n_clusters,)
        Mean of each cluster; NaN where no value is known.
    known : ndarray of shape (n_clusters,), optional
        Share of each cluster, by weight, of which the value is known; None if all are.
    is_year : bool, default=False
        Whether the values are years, which are written without separators.
    """

    name: str
    mean: float
    spread: float
    means: Vector
    known: Vector | None = None
    is_year: bool = False


@dataclass(frozen=True, eq=False)
class CategoricalFeature:
    """A feature that is one of several categories, or some of them.

    Attributes
    ----------
    name : str
        What it is called.
    values : tuple of str
        The categories.
    share : ndarray of shape (n_values,)
        Share of all points that are of each category, by weight.
    shares : ndarray of shape (n_clusters, n_values)
        The same in each cluster.
    """

    name: str
    values: tuple[str, ...]
    share: Vector
    shares: Vector


class Difference(NamedTuple):
    """What sets a cluster apart from the whole: a mean, or with `value` the share of a category.

    `score` is the difference in standard deviations of the feature, or of belonging to the category. Numbers
    of which less than half are known in the cluster set nothing apart.
    """

    feature: str
    value: str | None
    here: float
    everywhere: float
    score: float
    is_year: bool = False


@dataclass(frozen=True, eq=False)
class Profile:
    """The features of each cluster in the data's own units.

    Attributes
    ----------
    features : tuple of NumericFeature and CategoricalFeature
        In the order of the data.

    Examples
    --------
    >>> import numpy as np
    >>> from minirel import MiniReL, profile
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]])
    >>> model = MiniReL(2, random_state=0).fit(X)
    >>> told = profile(model, {"age": [20, 30, 60, 70]})
    >>> sorted(told.features[0].means.tolist())
    [25.0, 65.0]
    """

    features: tuple[NumericFeature | CategoricalFeature, ...]

    def apart(self, cluster: int, most: int = 4) -> list[Difference]:
        """What sets a cluster apart from all points, the most telling first: one thing for each feature."""
        found = [_difference(feature, cluster) for feature in self.features]
        telling = [each for each in found if each is not None and abs(each.score) >= _TELLING]
        return sorted(telling, key=lambda each: -abs(each.score))[:most]


def profile(model: FittedModel, X: Any, *, feature_names: Sequence[str] | None = None) -> Profile:
    """Describe the clusters of a fitted model in the units of `X`.

    Parameters
    ----------
    model : MiniReL
        A fitted estimator.
    X : frame, 2-d array, dict of columns or sparse matrix, with one row per point
        The data in its own units, before it was scaled or encoded; columns of words are categories. It need
        not have the columns that the model was fitted to.
    feature_names : sequence of str, optional
        Names of the columns of `X`; by default its own.

    Returns
    -------
    Profile
        Means and shares by cluster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL, profile
    >>> iris = load_iris()
    >>> model = MiniReL(3, random_state=0).fit(iris.data, sensitive_features=iris.target)
    >>> told = profile(model, iris.data, feature_names=iris.feature_names)
    >>> [round(mean, 1) for mean in sorted(told.features[2].means.tolist())]  # petal length (cm)
    [1.5, 4.4, 5.7]
    >>> len(told.apart(0, most=2))
    2
    """
    result = result_of(model)
    names = None if feature_names is None else list(map(str, feature_names))
    if names is None:
        known = getattr(model, "feature_names_in_", None)
        names = None if known is None or hasattr(X, "columns") else list(map(str, known))
    if issparse(X):
        return Profile(_of_sparse(result, X, names))
    try:
        table = read_table(X)
    except ParameterError as error:
        raise error.about("X") from error
    n_rows = len(table.columns[0])
    _check(result, X, n_rows, len(table.columns), names)
    shown = names or [name if isinstance(name, str) else f"feature {name}" for name in table.names]
    return Profile(_of_columns(result, table, shown))


def cluster_weights(result: Result) -> tuple[NDArray[np.intp], Vector, int]:
    """Label and weight of each point, and the number of clusters."""
    return result.labels, result.weights.times(np.ones(len(result.labels))), result.fairness.n_clusters


def numeric(name: str, values: NDArray[Any], result: Result) -> NumericFeature:
    """Means of numbers, of which some may be missing (NaN)."""
    labels, weight, n_clusters = cluster_weights(result)
    values = np.asarray(values, dtype=np.float64)
    is_known, known = ~np.isnan(values), None
    if not is_known.all():
        size = np.bincount(labels, weight, n_clusters)
        known = np.bincount(labels[is_known], weight[is_known], n_clusters) / np.maximum(size, _TINY)
        labels, weight, values = labels[is_known], weight[is_known], values[is_known]
    if not len(values):
        return NumericFeature(name, np.nan, 0.0, np.full(n_clusters, np.nan), known)
    total = np.bincount(labels, weight, n_clusters)
    # Shares of the weight first, so that no sum is larger than the numbers themselves.
    mean = float((weight / weight.sum() * values).sum())
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        means: Vector = np.bincount(labels, values * (weight / total[labels]), n_clusters).astype(np.float64)
        means[total == 0] = np.nan
        spread = float(np.sqrt((weight / weight.sum() * (values - mean) ** 2).sum()))
    return NumericFeature(name, mean, spread, means, known, _are_years(name, values))


def _are_years(name: str, values: Vector) -> bool:
    least, most = _YEARS
    in_range = values.min() >= least and values.max() <= most
    return bool("year" in name.casefold() and in_range and (values % 1 == 0).all())


def categorical(
    name: str, codes: NDArray[np.integer], values: Sequence[str], result: Result
) -> CategoricalFeature:
    """Shares of categories; a code of -1 is none of them."""
    labels, weight, n_clusters = cluster_weights(result)
    is_known, n = codes >= 0, len(values)
    flat = np.bincount(labels[is_known] * n + codes[is_known], weight[is_known], n_clusters * n)
    return from_counts(name, values, flat.astype(np.float64).reshape(n_clusters, n), result)


def from_counts(name: str, values: Sequence[str], counts: Vector, result: Result) -> CategoricalFeature:
    """Shares of categories from their weight in each cluster."""
    labels, weight, n_clusters = cluster_weights(result)
    size = np.bincount(labels, weight, n_clusters)
    shares = counts / np.maximum(size, _TINY)[:, None]
    return CategoricalFeature(name, tuple(values), counts.sum(axis=0) / size.sum(), shares)


def _difference(feature: NumericFeature | CategoricalFeature, cluster: int) -> Difference | None:
    if isinstance(feature, NumericFeature):
        here = float(feature.means[cluster])
        if not feature.spread > 0 or not np.isfinite(here) or not np.isfinite(feature.spread):
            return None
        if feature.known is not None and feature.known[cluster] < KNOWN:
            return None
        score = (here - feature.mean) / feature.spread
        return Difference(feature.name, None, here, feature.mean, float(score), feature.is_year)
    share, own = feature.share, feature.shares[cluster]
    spread = np.sqrt(np.maximum(share * (1 - share), _TINY))
    is_common = (share < 1) & (np.maximum(own, share) >= _COMMON)
    scores = np.where(is_common, (own - share) / spread, 0.0)
    if not len(scores):
        return None
    # What is there says more than what is not.
    best = int(np.argmax(np.where(scores > 0, scores, -scores / 2)))
    return Difference(
        feature.name, feature.values[best], float(own[best]), float(share[best]), float(scores[best])
    )


def _of_columns(
    result: Result, table: Table, names: Sequence[str]
) -> tuple[NumericFeature | CategoricalFeature, ...]:
    features: list[NumericFeature | CategoricalFeature] = []
    for name, values in zip(names, table.columns, strict=True):
        if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
            features.append(numeric(name, values, result))
            continue
        column = encode(name, values)
        numbers = column.values and all(type(value) in (int, float) for value in column.values)
        if numbers and not isinstance(values, Numbered):
            features.append(numeric(name, np.array([*column.values, np.nan], float)[column.codes], result))
        elif len(column.values) <= max(_NAMES * len(column.codes), 2):
            features.append(categorical(name, column.codes, list(map(str, column.values)), result))
    return tuple(features)


def _of_sparse(result: Result, X: Any, names: list[str] | None) -> tuple[NumericFeature, ...]:
    X = X.tocsr()
    _check(result, X, X.shape[0], X.shape[1], names)
    labels, weight, n_clusters = cluster_weights(result)
    size = np.bincount(labels, weight, n_clusters)
    to_cluster = csr_array((weight, (labels, np.arange(len(labels)))), shape=(n_clusters, len(labels)))
    means = np.asarray((to_cluster @ X).todense()) / np.maximum(size, _TINY)[:, None]
    part = weight / weight.sum()
    mean = np.asarray(X.T @ part).ravel()
    spread = np.sqrt(np.maximum(np.asarray(X.power(2).T @ part).ravel() - mean**2, 0))
    shown = names or [f"feature {j}" for j in range(X.shape[1])]
    return tuple(
        NumericFeature(name, float(mean[j]), float(spread[j]), means[:, j]) for j, name in enumerate(shown)
    )


def _check(result: Result, X: object, n_rows: int, n_columns: int, names: list[str] | None) -> None:
    n_points = len(result.labels)
    if n_rows != n_points:
        rule = f"must hold the {n_points} points that the model was fitted to"
        raise ParameterValueError("X", rule, X, found=f"has {n_rows}")
    if names is not None and len(names) != n_columns:
        found = f"has {len(names)} for {n_columns} columns"
        raise ParameterValueError("feature_names", "must hold one name per column of X", names, found=found)
