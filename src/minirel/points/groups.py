"""Sensitive features as named groups of points, which may overlap."""

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minirel.points import wording
from minirel.points.columns import FEATURES, Column, distinct_integers, encode, place, read_table
from minirel.points.counts import Counts
from minirel.points.errors import ParameterValueError
from minirel.points.messages import VALUES_OR_MEMBERS, Message, Parameter

_MISSING = ("error", "group", "none")
# Bytes of membership beyond which a column was surely meant to be binned first.
_MOST_MEMBERSHIPS = 2**32
# Distinct fractions beyond which a column is a measurement, not a name of groups.
MOST_FRACTIONS = 20
_MOST_NAMES_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Groups:
    """Which point belongs to which groups.

    Fairness sees a point only through the set of groups it belongs to, its signature. Signatures are sorted
    so that those of the first group come first: for disjoint groups, signature s is group s. Signatures are
    all that is stored, copied and pickled; the table of points and groups is made of them when asked for.

    Attributes
    ----------
    names : tuple of hashable
        Name of each group, as `alpha`, `beta` and `prefix` call it.
    signature : ndarray of int32, shape (n_points,)
        Row of `signatures` that is the point's own.
    signatures : ndarray of bool, shape (n_signatures, n_groups)
        The distinct sets of groups, one per row.
    counts : Counts or None
        Numbers of members, where points are units of many people: a signature is then what a point holds of
        each group and in all, and its groups are those with any members in it.
    """

    names: tuple[Hashable, ...]
    signature: NDArray[np.int32]
    signatures: NDArray[np.bool_]
    counts: Counts | None = None

    @cached_property
    def membership(self) -> NDArray[np.bool_]:
        """Whether a point belongs to a group, shape (n_points, n_groups); large, so `members` may do."""
        table = self.signatures.take(self.signature, axis=0)
        table.flags.writeable = False
        return table

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "membership"}

    def members(self, group: int) -> NDArray[np.bool_]:
        """Whether each point belongs to a group, or has members of it."""
        return self.signatures[:, group].take(self.signature)

    def shares(self, group: int) -> NDArray[np.float64]:
        """The share of each point that belongs to a group: 0 or 1, unless it holds numbers of members."""
        if self.counts is None:
            return self.members(group).astype(np.float64)
        share = self.counts.members[:, group] / np.maximum(self.counts.total, 1)
        return np.asarray(share.take(self.signature))

    @property
    def n_members(self) -> NDArray[np.intp]:
        """Number of points in each group; of numbers of members their sum, in units."""
        n_points = np.bincount(self.signature, minlength=self.n_signatures)
        return np.asarray(n_points @ (self.signatures if self.counts is None else self.counts.members))

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.signature)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.names)

    @property
    def n_signatures(self) -> int:
        """Number of distinct sets of groups that a point belongs to."""
        return int(self.signatures.shape[0])

    def index(self, name: Hashable, parameter: str) -> int:
        """Index of the group called `name`, which the user gave in `parameter`."""
        if name in self.names:
            return self.names.index(name)
        known = f"the groups are {listed(self.names)}" if self.names else "there are no groups"
        found = f"names an unknown group {name!r}"
        raise ParameterValueError(
            parameter, "must name groups that there are", name, known, found=found, obvious=True
        )

    def including(self, names: Iterable[Hashable]) -> "Groups":
        """The same points, with groups of these names too: without members, unless there are some."""
        absent = tuple(name for name in names if name not in self.names)
        nobody = np.zeros((self.n_signatures, len(absent)), dtype=np.bool_)
        groups = checked(self.names + absent, self.signature, np.hstack([self.signatures, nobody]))
        if self.counts is None:
            return groups
        members = np.hstack([self.counts.members, nobody])
        return replace(groups, counts=replace(self.counts, members=members))


def listed(names: Iterable[Hashable]) -> str:
    """Names of groups for a message, of very many the first."""
    return wording.listed(map(repr, names), most=_MOST_NAMES_SHOWN)


def read_groups(
    sensitive_features: object,
    *,
    n_points: int | None = None,
    missing: str = "error",
    like: Collection[Hashable] = (),
) -> Groups:
    """Make groups of sensitive features.

    Parameters
    ----------
    sensitive_features : column, table, Groups or None
        - A 1-d column makes a group of each of its values, named by the value.
        - A table of several columns makes groups of every column's values, named ``"column=value"``; a
          table of a single column is read as that column. Of columns of 0 and 1 beside text a warning says
          so, because they may be meant as membership.
        - A table of booleans is membership: each column is a group, named by the column. So is a table of
          several columns that hold nothing but 0 and 1, as `pandas.get_dummies` and scikit-learn's
          `MultiLabelBinarizer` make them; unless every point is in just one of its groups, a warning says
          so, because codes of two values look the same. ``astype(bool)`` says that membership is meant,
          ``astype(str)`` that a group of each value is.
        - None makes no groups.

        Lists, dicts of columns, NumPy arrays and the series and frames of any library that narwhals knows
        are welcome. Columns without a name are named 0, 1, ... Whole numbers are named without a decimal
        point, because pandas makes floats of integers once one is missing. More than 20 distinct fractions
        in a column are refused: they are to be binned first.
    n_points : int, optional
        Number of points that there must be.
    missing : {"error", "group", "none"}, default="error"
        What becomes of missing values: an error, a group of their own named ``"missing"`` (or
        ``"column=missing"``), or points that belong to no group of that column.
    like : collection of hashable
        Names of the groups of other points, whose columns held the same. Columns of 0 and 1 are then
        membership if they are named there, and otherwise values.

    Returns
    -------
    Groups
        Groups in the order of the columns, and of the values where those can be sorted, else as they first
        appear.

    Examples
    --------
    >>> from minirel.points.groups import read_groups
    >>> read_groups(["Male", "Female", "Male"]).names
    ('Female', 'Male')
    >>> groups = read_groups({"sex": ["M", "F", "M"], "old": [True, False, True]})
    >>> groups.names
    ('sex=F', 'sex=M', 'old=False', 'old=True')
    >>> groups.signature
    array([1, 0, 1], dtype=int32)
    >>> read_groups({"divorced": [1, 0, 0], "married": [0, 1, 1]}).names
    ('divorced', 'married')
    """
    if missing not in _MISSING:
        raise ParameterValueError("missing", f"must be one of {', '.join(map(repr, _MISSING))}", missing)
    if sensitive_features is None:
        if n_points is None:
            rule = f"must say how many points there are where {FEATURES} is None"
            raise ParameterValueError("n_points", rule, n_points)
        nobody = np.zeros((min(n_points, 1), 0), dtype=np.bool_)
        return checked((), np.zeros(n_points, dtype=np.int32), nobody)
    if isinstance(sensitive_features, Groups):
        _check_length(sensitive_features.n_points, n_points)
        return sensitive_features

    table = read_table(sensitive_features)
    _check_length(len(table.columns[0]), n_points)
    if table.matrix is not None and table.matrix.dtype == np.bool_:
        return _of_membership(table.names, table.matrix)
    columns = [encode(name, values) for name, values in zip(table.names, table.columns, strict=True)]
    _check_columns(columns, missing)
    is_membership = table.is_2d and _are_membership(columns, like)
    if not is_membership:
        if not like:
            _warn_of_numbers_beside_text(columns)
        return _of_values(columns, missing)
    parts = [_membership_groups(column, missing) for column in columns]
    names = tuple(name for part_names, _ in parts for name in part_names)
    groups = _of_membership(names, np.hstack([part for _, part in parts]))
    if not like and not all(column.is_boolean for column in columns):
        _warn_of_numbers(groups)
    return groups


# ---- from any container to columns ----------------------------------------------------------------------


def _check_length(n_rows: int, n_points: int | None) -> None:
    if n_points is not None and n_rows != n_points:
        found = f"has {n_rows} rows for {n_points} points"
        raise ParameterValueError(FEATURES, "must have one row per point", n_rows, found=found)


# ---- from columns to codes ------------------------------------------------------------------------------


def _check_columns(columns: list[Column], missing: str) -> None:
    n_points = len(columns[0].codes)
    holes = [f"{column.n_missing} in {place(column.name)}" for column in columns if column.n_missing]
    if holes and missing == "error":
        raise ParameterValueError(
            FEATURES,
            "must not have missing values",
            holes,
            "pass missing='group' to make them a group of their own, missing='none' to leave them out of "
            "every group, or drop these points",
            found=f"has missing values, {', '.join(holes)}, of {n_points} points",
            obvious=True,
        )
    for column in columns:
        if len(column.values) > MOST_FRACTIONS and any(isinstance(value, float) for value in column.values):
            raise ParameterValueError(
                FEATURES,
                "must name groups",
                column.values,
                "bin them first, as with pandas.cut or numpy.digitize, or make them text, astype(str), if "
                "each is a group indeed",
                found=f"{place(column.name)} holds {len(column.values)} distinct numbers that are not whole, "
                "each of which would be a group",
            )
    widest = max(columns, key=lambda column: len(column.values))
    if n_points * sum(len(column.values) for column in columns) > _MOST_MEMBERSHIPS:
        raise ParameterValueError(
            FEATURES,
            "must not make too many groups",
            widest.values,
            f"{place(widest.name)} has {len(widest.values)} distinct values; bin them into fewer",
            found="makes too many groups",
            obvious=True,
        )


def _are_membership(columns: list[Column], like: Collection[Hashable]) -> bool:
    """Whether columns say who is in the group that each of them is named after."""
    if not any(column.values for column in columns):
        return False
    # A column of nothing but missing values is whatever the others are.
    if all(column.is_boolean for column in columns):
        return True
    is_0_1 = len(columns) > 1 and all(column.is_0_1 for column in columns)
    return is_0_1 and (not like or all(column.name in like for column in columns))


def _warn_of_numbers(groups: Groups) -> None:
    """Codes of two values, such as a sex of 0 or 1, look like membership unless the groups share out all."""
    if (groups.signatures.sum(axis=1) == 1).all():
        return
    warnings.warn(
        Message(
            FEATURES,
            f" holds nothing but 0 and 1, which is read as membership of the groups {listed(groups.names)}: "
            "nothing is promised to whoever has 0. Make the columns boolean to say so, or text for a group "
            "of each value",
        ),
        UserWarning,
        stacklevel=4,
    )


def _warn_of_numbers_beside_text(columns: list[Column]) -> None:
    """Beside codes numbers are codes, but beside text they may be meant as membership."""
    flags = [
        column for column in columns if column.is_0_1 and len(column.values) > 1 and not column.is_boolean
    ]
    if not flags or not any(isinstance(value, str) for column in columns for value in column.values):
        return
    places = wording.listed(place(column.name) for column in flags)
    warnings.warn(
        Message(
            FEATURES,
            f" holds nothing but 0 and 1 in {places}, which is read as values, because others are text: "
            "whoever has 0 is in a group as well. ",
            VALUES_OR_MEMBERS,
        ),
        UserWarning,
        stacklevel=4,
    )


# ---- from codes to groups -------------------------------------------------------------------------------

_Part: TypeAlias = tuple[list[Hashable], NDArray[np.bool_]]


def _of_values(columns: list[Column], missing: str) -> Groups:
    """A group of each value of each column."""
    parts = [_value_groups(column, missing, with_column=len(columns) > 1) for column in columns]
    names = tuple(name for part_names, _ in parts for name in part_names)
    # Missing values come last, after those with a group of the column.
    keys = [column.codes % (len(column.values) + 1) for column in columns]

    def rows(points: NDArray[np.intp]) -> NDArray[np.bool_]:
        # Code -1, missing, reads the last row: its own group or none.
        tables = zip(columns, parts, strict=True)
        return np.hstack([table.take(column.codes[points], axis=0) for column, (_, table) in tables])

    return _groups(names, keys, rows)


def _value_groups(column: Column, missing: str, *, with_column: bool) -> _Part:
    """Names of the groups of a column, and for each of its codes the group it stands for."""
    n_values = len(column.values)
    names = [f"{column.name}={value}" if with_column else value for value in column.values]
    has_group = missing == "group" and column.n_missing > 0
    if has_group:
        extra = f"{column.name}=missing" if with_column else "missing"
        if extra in names:
            raise ParameterValueError(
                Parameter("missing", value=missing),
                "must not make a second group of a name",
                missing,
                "rename that value, or pass missing='none'",
                found=f"would make a second group {extra!r}, because {place(column.name)} holds the value "
                "'missing' itself",
                obvious=True,
            )
        names.append(extra)
    return names, np.eye(n_values + 1, n_values + has_group, dtype=np.bool_)


def _membership_groups(column: Column, missing: str) -> _Part:
    is_true = np.array([*column.values, False], dtype=np.bool_)
    names, parts = [column.name], [is_true[column.codes]]
    if missing == "group" and column.n_missing:
        names.append(f"{column.name}=missing")
        parts.append(column.codes < 0)
    return names, np.column_stack(parts)


def _of_membership(names: tuple[Hashable, ...], membership: NDArray[np.bool_]) -> Groups:
    # Eight groups per key, inverted because a row that starts with True comes first.
    return _groups(names, (~np.packbits(membership, axis=1)).T, membership.__getitem__)


def _groups(
    names: tuple[Hashable, ...],
    keys: Iterable[NDArray[np.integer]],
    rows: Callable[[NDArray[np.intp]], NDArray[np.bool_]],
) -> Groups:
    """Find the signatures: the integers `keys` tell points apart, and sort them; `rows` has their groups."""
    signature: NDArray[np.intp] = np.zeros(1, dtype=np.intp)
    for key in keys:
        # Renumbered each time, so that the numbers stay small however many groups there are.
        _, signature = distinct_integers(signature * (int(key.max()) + 1) + key)
    any_point = np.zeros(int(signature.max()) + 1, dtype=np.intp)
    any_point[signature] = np.arange(len(signature))
    return checked(names, signature.astype(np.int32), rows(any_point))


def checked(
    names: tuple[Hashable, ...], signature: NDArray[np.int32], signatures: NDArray[np.bool_]
) -> Groups:
    """Groups of different names."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ParameterValueError(
            FEATURES,
            "must make groups of different names",
            names,
            "rename a column or a value",
            found=f"makes several groups named {twice[0]!r}",
            obvious=True,
        )
    signatures = np.ascontiguousarray(signatures)
    for array in (signature, signatures):
        array.flags.writeable = False
    return Groups(names, signature, signatures)
