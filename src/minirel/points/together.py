"""Points that stay together: they go to one cluster, as one unit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from minirel.points.columns import encode, read_table
from minirel.points.errors import ParameterError, ParameterValueError
from minirel.points.groups import Groups, read_groups
from minirel.points.members import people
from minirel.points.messages import Parameter
from minirel.points.weights import Weights

_TOGETHER = Parameter("together")


@dataclass(frozen=True, eq=False)
class Together:
    """Which unit each point belongs to; units are numbered as they first appear.

    Attributes
    ----------
    unit : ndarray of shape (n_points,)
        The unit of each point.
    n_units : int
        Number of units.
    """

    unit: NDArray[np.intp]
    n_units: int

    def labels(self, of_units: NDArray[np.intp]) -> NDArray[np.intp]:
        """The labels of the points, from those of the units."""
        return of_units[self.unit]

    def weights(self, weights: Weights) -> Weights:
        """What each unit weighs: all its points together."""
        return Weights(self._sums(weights.numbers(len(self.unit))), weights.unit)

    def groups(self, groups: Groups, weights: Weights) -> Groups:
        """What each unit holds: numbers of members, or a set of groups where all its points have the same."""
        if groups.n_groups == 0:
            return read_groups(None, n_points=self.n_units)
        first = self._first
        signature = groups.signature[first]
        if groups.counts is not None:
            counts = groups.counts
            members, total = (self._sums(part[groups.signature]) for part in (counts.members, counts.total))
            return people(groups.names, members, total, counts.unit)
        if np.array_equal(signature[self.unit], groups.signature):
            return Groups(groups.names, signature, groups.signatures)
        units = weights.numbers(len(self.unit))
        members = self._sums(groups.signatures.astype(np.int64)[groups.signature] * units[:, None])
        return people(groups.names, members, self._sums(units), weights.unit)

    def means(self, values: Any, weights: Weights) -> Any:
        """The mean of the rows of each unit, by weight; of rows that are the same, just these."""
        units = weights.numbers(len(self.unit)).astype(np.float64)
        whole = np.bincount(self.unit, units, self.n_units)
        # Of units that weigh nothing every point counts the same.
        units = np.where(whole[self.unit] > 0, units, 1.0)
        part = units / np.bincount(self.unit, units, self.n_units)[self.unit]
        mean = csr_array((part, (self.unit, np.arange(len(part)))), shape=(self.n_units, len(part)))
        if issparse(values):
            sparse: csr_array = csr_array(values)  # type: ignore[call-overload]
            return (mean @ sparse).astype(sparse.dtype)
        table = np.asarray(values)
        # From the heaviest point of each unit: one far away that hardly counts would leave its rounding.
        order = np.lexsort((-units, self.unit))
        some = table[order[np.searchsorted(self.unit[order], np.arange(self.n_units))]].astype(np.float64)
        return (some + mean @ (table - some[self.unit])).astype(table.dtype)

    def scatter(self, values: Any, weights: Weights) -> NDArray[np.float64]:
        """What the points of each unit are from its mean, squared and by weight, over units of weight."""
        units = weights.numbers(len(self.unit)).astype(np.float64)
        mean = self.means(values, weights)
        if issparse(values):
            squares = (part.multiply(part).sum(axis=1) for part in (csr_array(values), mean))  # type: ignore[call-overload]
            of_points, of_means = (np.asarray(part, dtype=np.float64).ravel() for part in squares)
            whole = np.bincount(self.unit, units, self.n_units)
            away = np.bincount(self.unit, units * of_points, self.n_units) - whole * of_means
            return np.maximum(away, 0.0)
        table = np.asarray(values, dtype=np.float64)
        away = ((table - np.asarray(mean, dtype=np.float64)[self.unit]) ** 2).sum(axis=1)
        return np.asarray(np.bincount(self.unit, units * away, self.n_units), dtype=np.float64)

    @property
    def _first(self) -> NDArray[np.intp]:
        """A point of each unit."""
        return np.unique(self.unit, return_index=True)[1]

    def _sums(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        sums = np.zeros((self.n_units, *values.shape[1:]), dtype=np.int64)
        np.add.at(sums, self.unit, values)
        return sums


def read_together(together: object, n_points: int) -> Together | None:
    """Read one label per point; points of one label are a unit, and those without one are alone.

    None if every point is alone.

    Examples
    --------
    >>> read_together(["a", None, "b", "a"], 4).unit
    array([0, 1, 2, 0])
    """
    if together is None:
        return None
    try:
        table = read_table(together)
        column = encode(None, table.columns[0])
    except ParameterError as error:
        raise error.about(_TOGETHER) from error
    if len(table.columns) > 1:
        rule, found = "must be a single column, one label per point", f"has {len(table.columns)} columns"
        raise ParameterValueError(_TOGETHER, rule, together, found=found)
    codes = column.codes
    if len(codes) != n_points:
        found = f"has {len(codes)} for {n_points} points"
        raise ParameterValueError(_TOGETHER, "must have one label per point", together, found=found)
    alone = codes < 0
    codes = np.where(alone, len(column.values) + np.cumsum(alone), codes)
    _, first, unit = np.unique(codes, return_index=True, return_inverse=True)
    if len(first) == n_points:
        return None
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first, kind="stable")] = np.arange(len(first))
    return Together(place[unit.ravel()], len(first))
