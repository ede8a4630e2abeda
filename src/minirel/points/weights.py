"""Sample weights as exact integers."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.memory_maps import check_file

# Sums of units stay exact in a double as well as in int64.
_MOST_UNITS = 2**53
_MOST_DECIMALS = 9
# Kinds of arrays that NumPy would make doubles of, and what they hold.
_NO_NUMBERS = {"c": "complex", "M": "dates", "m": "durations"}


@dataclass(frozen=True, eq=False)
class Weights:
    """How much each point counts.

    Shares and sizes are compared in integers, so weights are whole numbers of a common `unit`: exactly for
    integers and for decimals of up to nine places, else rounded to 1/2**52 of their total.
    """

    units: NDArray[np.int64] | None
    unit: Fraction

    @cached_property
    def values(self) -> NDArray[np.float64] | None:
        """The weights themselves, rounded to doubles; None if every point counts 1."""
        return None if self.units is None else self.units.astype(np.float64) * float(self.unit)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "values"}

    def total(self, n_points: int) -> int:
        """Units of all points together."""
        return n_points if self.units is None else int(self.units.sum())

    def numbers(self, n_points: int) -> NDArray[np.int64]:
        """Units of each point, not to be written to; 1 without weights, which takes no memory."""
        return np.broadcast_to(np.int64(1), n_points) if self.units is None else self.units

    def times(self, each: NDArray[np.floating]) -> NDArray[np.float64]:
        """What points cost by weight, from what each costs per unit of weight."""
        costs, weight = each.astype(np.float64), self.values
        return costs if weight is None else costs * weight


def read_weights(sample_weight: "ArrayLike | Weights | None", n_points: int) -> Weights:
    """Validate `sample_weight` and find its unit; weights that have been read stay as they are."""
    if sample_weight is None:
        return Weights(None, Fraction(1))
    if isinstance(sample_weight, Weights):
        return sample_weight
    parameter = "sample_weight"
    check_file(sample_weight, parameter)
    try:
        if (kind := np.asarray(sample_weight).dtype.kind) in _NO_NUMBERS:
            raise TypeError(f"they are {_NO_NUMBERS[kind]}, so convert them first")
        values = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        rule = "must be numbers, one per point"
        raise ParameterTypeError(parameter, rule, sample_weight, str(error), found="") from error
    if values.shape != (n_points,):
        rule = f"must hold one weight per point, shape ({n_points},)"
        raise ParameterValueError(parameter, rule, sample_weight, found=f"has shape {values.shape}")
    for is_bad, rule in ((~np.isfinite(values), "must be finite"), (values < 0, "must be at least 0")):
        if is_bad.any():
            first = int(np.argmax(is_bad))
            found = (
                f"{int(is_bad.sum())} of {n_points} are not; the first is {values[first]} at point {first}"
            )
            raise ParameterValueError(parameter, rule, sample_weight, "fix or drop these points", found=found)
    with np.errstate(over="ignore"):
        total = values.sum()
    if not np.isfinite(total):
        rule, found = "must add up to a finite number", f"its largest is {values.max()}"
        raise ParameterValueError(parameter, rule, sample_weight, "scale it down", found=found)
    if not values.any():
        way_out = "give at least one point a positive weight"
        raise ParameterValueError(parameter, "must not be all zero", sample_weight, way_out, found="")
    if (values == values[0]).all() and values[0] == 1:
        return Weights(None, Fraction(1))
    return Weights(*in_units(values, float(total)))


def in_units(values: NDArray[np.float64], total: float) -> tuple[NDArray[np.int64], Fraction]:
    """Numbers of at least 0, of which none is more than `total`, as multiples of a common unit."""
    for decimals in range(_MOST_DECIMALS + 1):
        if total * 10.0**decimals >= _MOST_UNITS:
            break
        scaled = values * 10.0**decimals
        units = np.rint(scaled)
        # A decimal times a power of ten is off its integer by rounding only, and never by much of a unit.
        if (np.abs(scaled - units) <= np.minimum(4e-15 * units, 1e-2)).all():
            return _reduced(units.astype(np.int64), Fraction(1, 10**decimals))
    exponent = 52 - int(np.ceil(np.log2(total)))
    return _reduced(np.rint(np.ldexp(values, exponent)).astype(np.int64), Fraction(2) ** -exponent)


def _reduced(units: NDArray[np.int64], unit: Fraction) -> tuple[NDArray[np.int64], Fraction]:
    common = int(np.gcd.reduce(units, axis=None)) or 1
    return units // common, unit * common
