"""How small and how large a cluster may be, in units of weight."""

import math
from fractions import Fraction

from minirel.points.errors import ParameterValueError
from minirel.points.weights import Weights
from minirel.promises.exact import exact, plain


def read_sizes(min_size: object, max_size: object, weights: Weights, total: int) -> tuple[int, int]:
    """Read the smallest and the largest size of a cluster in units, of which all points have `total`.

    Whether they fit the points and each other is for the count program to say.
    """
    smallest = _read_size(min_size, "min_size", weights, least="at least 0")
    # 1 is the promise that no cluster is empty: it must not turn into a weight when weights are small.
    min_units = 1 if smallest == 1 else math.ceil(smallest / weights.unit)
    if max_size is None:
        return min_units, total
    largest = _read_size(max_size, "max_size", weights, least="above 0")
    return min_units, min(math.floor(largest / weights.unit), total)


def as_min_size(units: int, unit: Fraction) -> int | float:
    """Say the smallest size such that it is read as no more than these units."""
    size = plain(units * unit)
    return size if Fraction(str(size)) <= units * unit else math.nextafter(size, 0)


def as_max_size(units: int, unit: Fraction) -> int | float:
    """Say the largest size such that it is read as no less than these units."""
    size = plain(units * unit)
    return size if Fraction(str(size)) >= units * unit else math.nextafter(size, math.inf)


def _read_size(value: object, parameter: str, weights: Weights, least: str) -> Fraction:
    kind = "whole number of points" if weights.units is None else "weight"
    size = exact(value, parameter, f"a {kind} {least}")
    is_too_small = size < 0 or (size == 0 and least == "above 0")
    if is_too_small or (weights.units is None and size.denominator != 1):
        raise ParameterValueError(parameter, f"must be a {kind} {least}", value)
    return size
