"""How small and how large a cluster may be, in units of weight."""

import math
from fractions import Fraction

import numpy as np

from minirel.points.errors import ParameterValueError
from minirel.points.messages import Parameter
from minirel.points.weights import Weights
from minirel.promises.exact import exact, plain


def read_sizes(
    min_size: object, max_size: object, weights: Weights, total: int, n_clusters: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Read the smallest and the largest size of each cluster in units, of which all points have `total`.

    Whether they fit the points and each other is for the count program to say.
    """
    smallest = [
        _read_size(size, name, weights, least="at least 0")
        for name, size in by_cluster(min_size, "min_size", n_clusters)
    ]
    largest = [
        Fraction(total) * weights.unit if size is None else _read_size(size, name, weights, least="above 0")
        for name, size in by_cluster(max_size, "max_size", n_clusters)
    ]
    # 1 is the promise that no cluster is empty: it must not turn into a weight when weights are small.
    min_units = tuple(1 if size == 1 else math.ceil(size / weights.unit) for size in smallest)
    return min_units, tuple(min(math.floor(size / weights.unit), total) for size in largest)


def by_cluster(value: object, parameter: str, n_clusters: int) -> list[tuple[str, object]]:
    """The size of each cluster, and what it is called."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return [(parameter, value)] * n_clusters
    if len(value) != n_clusters:
        rule = f"must be a number, or {n_clusters} of them: one for each cluster"
        raise ParameterValueError(parameter, rule, value, found=f"has {len(value)}")
    return [(Parameter(parameter, k), size) for k, size in enumerate(value)]


def as_min_size(units: int, unit: Fraction) -> int | float:
    """Say the smallest size such that it is read as no more than these units."""
    size = plain(units * unit)
    return size if Fraction(str(size)) <= units * unit else math.nextafter(size, 0)


def as_max_size(units: int, unit: Fraction) -> int | float:
    """Say the largest size such that it is read as no less than these units."""
    size = plain(units * unit)
    return size if Fraction(str(size)) >= units * unit else math.nextafter(size, math.inf)


def _read_size(value: object, parameter: str, weights: Weights, least: str) -> Fraction:
    rule = f"a {'whole number of points' if weights.units is None else 'weight'}, {least}"
    size = exact(value, parameter, rule)
    is_too_small = size < 0 or (size == 0 and least == "above 0")
    if is_too_small or (weights.units is None and size.denominator != 1):
        raise ParameterValueError(parameter, f"must be {rule}", value)
    return size
