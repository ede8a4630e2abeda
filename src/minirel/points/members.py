"""Numbers of members: sensitive features of points that are units of many people."""

from collections.abc import Callable, Collection, Hashable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from minirel.points.columns import FEATURES, Numbered, Table, distinct_integers, place, read_table
from minirel.points.counts import Counts
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups, checked, listed, read_groups
from minirel.points.messages import Message, Parameter, Row, joined
from minirel.points.weights import Weights, in_units

_MOST_ROWS_NAMED = 5
_WAY_OUT = "fix or drop these points"


def read_people(
    sensitive_features: object,
    total: Hashable,
    *,
    n_points: int | None = None,
    missing: str = "error",
    like: Collection[Hashable] = (),
) -> Groups:
    """Read groups as `read_groups` does, or, with `total`, as numbers of members.

    Parameters
    ----------
    sensitive_features : column, table, Groups or None
        With `total` a table of numbers: that column has the total of each point, and each other column is a
        group, with its members in each point. Numbers are exact for whole ones and for decimals of up to nine
        places. A point's members of a group are at most its total, and groups may overlap.
    total : hashable or None
        Name or index of that column; None for groups of whole points.
    n_points, missing, like
        As in `read_groups`. Numbers must not be missing.

    Examples
    --------
    >>> precincts = {"black": [300, 20, 0], "hispanic": [100, 0, 40], "adults": [501, 200, 100]}
    >>> groups = read_people(precincts, "adults")
    >>> groups.names
    ('black', 'hispanic')
    >>> groups.counts.total[groups.signature]
    array([501, 200, 100])
    """
    if total is None or isinstance(sensitive_features, Groups):
        groups = read_groups(sensitive_features, n_points=n_points, missing=missing, like=like)
        if total is not None and groups.counts is None:
            rule, way_out = (
                "must be None for groups of whole points",
                "give the columns of members and totals",
            )
            raise ParameterValueError("total", rule, total, way_out)
        return groups
    if sensitive_features is None:
        raise ParameterValueError(
            Parameter("total", value=total),
            "must name a column of sensitive_features",
            total,
            Message("give ", FEATURES, ", or leave out ", Parameter("total")),
            found=Message("names a column, but ", FEATURES, " is None"),
            obvious=True,
        )
    table = read_table(sensitive_features)
    if n_points is not None and len(table.columns[0]) != n_points:
        found = f"has {len(table.columns[0])} rows for {n_points} points"
        raise ParameterValueError(FEATURES, "must have one row per point", n_points, found=found)
    place_of_total = _place_of_total(total, table)
    values = np.column_stack([_numbers(*column) for column in zip(table.names, table.columns, strict=True)])
    everybody = values[:, place_of_total]
    names = tuple(name for j, name in enumerate(table.names) if j != place_of_total)
    members = np.delete(values, place_of_total, axis=1)
    of_total = f"must be at most the total, column {table.names[place_of_total]!r}"
    for name, count in zip(names, members.T, strict=True):
        _refuse(count > everybody, of_total, name, partial(_part_told, count, everybody))
    if not like and not everybody.any():  # a batch may hold empty units only
        way_out = "give at least one point a positive total"
        found = f"column {table.names[place_of_total]!r} adds up to 0"
        raise ParameterValueError(FEATURES, "must have a total above 0", total, way_out, found=found)
    units, unit = in_units(values, float(everybody.sum()))
    return people(names, np.delete(units, place_of_total, axis=1), units[:, place_of_total], unit)


def people(
    names: tuple[Hashable, ...], members: NDArray[np.int64], total: NDArray[np.int64], unit: Fraction
) -> Groups:
    """Groups of points with these members and totals, in units."""
    signature, first = _distinct(np.column_stack([members, total]))
    counts = Counts(members[first], total[first], np.ones(len(first), dtype=np.int64), unit)
    return replace(checked(names, signature, counts.members > 0), counts=counts)


def weighed(groups: Groups, weights: Weights) -> Groups:
    """Numbers of members with what points weigh, so that a signature says all of a point; else the same."""
    if groups.counts is None or weights.units is None:
        return groups
    signature, first = _distinct(np.column_stack([groups.signature, weights.units]))
    counts = groups.counts.take(groups.signature[first].astype(np.intp))
    counts = replace(counts, size=weights.units[first])
    return Groups(groups.names, signature, counts.members > 0, counts)


def _distinct(rows: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """The number of each row among the distinct ones, and a row for each number."""
    number: NDArray[np.intp] = np.zeros(len(rows), dtype=np.intp)
    for column in rows.T:
        rank = distinct_integers(column)[1]
        number = distinct_integers(number * (int(rank.max()) + 1) + rank)[1]
    first = np.zeros(int(number.max()) + 1, dtype=np.intp)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return number.astype(np.int32), first


def _place_of_total(total: Hashable, table: Table) -> int:
    parameter = Parameter("total", value=total)
    names = table.names
    if not table.is_2d or len(names) < 2:
        raise ParameterValueError(
            FEATURES,
            Message("must be a table with ", parameter, ": a column of totals, and one of members per group"),
            names,
            Message("give the columns of members as well, or leave out ", Parameter("total")),
            found=f"has {len(names)} column" if table.is_2d else "is a single column",
        )
    if total in names:
        return names.index(total)
    if isinstance(total, int | np.integer) and not isinstance(total, bool) and 0 <= total < len(names):
        return int(total)
    raise ParameterValueError(
        Parameter("total"),
        "must be the name or the index of a column of sensitive_features",
        total,
        f"the columns are {listed(names)}",
    )


def _numbers(name: Hashable, column: object) -> NDArray[np.float64]:
    """A column as numbers of at least 0."""
    values = column if not isinstance(column, Numbered) else column.distinct
    is_text = isinstance(column, Numbered) or (
        isinstance(values, np.ndarray) and values.dtype.kind not in "fiuO"
    )
    try:
        if is_text:
            raise TypeError(f"it holds {np.asarray(values).ravel()[0]!r}")
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
            numbers = values.astype(np.float64)
        else:
            numbers = np.array([_number(value) for value in values], dtype=np.float64)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise ParameterTypeError(
            FEATURES,
            Message("must hold numbers with ", Parameter("total")),
            column,
            f"{error}; leave columns of names out, or leave out total",
            found=f"{place(name)} does not",
        ) from error
    _refuse(np.isnan(numbers), "must not have missing values, which cannot be counted", name)
    _refuse(~np.isfinite(numbers), "must be finite", name, lambda i: f"{numbers[i]}")
    _refuse(numbers < 0, "must be at least 0", name, lambda i: f"{numbers[i]:g}")
    return numbers


def _number(value: object) -> float:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, str | bytes | bool):
        raise TypeError(f"it holds {value!r}")
    return float(value)  # type: ignore[arg-type]


def _part_told(count: NDArray[np.float64], of: NDArray[np.float64], row: int) -> str:
    return f"{count[row]:g} of {of[row]:g}"


def _refuse(
    is_bad: NDArray[np.bool_], rule: str, name: Hashable, tell: Callable[[int], str] | None = None
) -> None:
    """Raise an error that names the rows that are bad, if any are."""
    rows = np.flatnonzero(is_bad)
    if not len(rows):
        return
    told: list[str] = [
        Message(Row(i), f" ({tell(i)})" if tell else "") for i in rows[:_MOST_ROWS_NAMED].tolist()
    ]
    if len(rows) > len(told):
        told.append(f"{len(rows) - len(told):,} more")
    are = "is" if len(rows) == 1 else "are"
    found = Message(f"in {place(name)} ", joined(", ", told), f" {are} not")
    raise ParameterValueError(FEATURES, rule, rows, _WAY_OUT, found=found)
