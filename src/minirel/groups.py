"""Sensitive features as named groups of points, which may overlap."""

import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from numbers import Number
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from narwhals import Series

_Array: TypeAlias = NDArray[Any]
_Values: TypeAlias = "_Array | list[Any] | _Numbered"

_MISSING = ("error", "group", "none")
# Bytes of membership beyond which a column was surely meant to be binned first.
_MOST_MEMBERSHIPS = 2**32
_MOST_NAMES_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Groups:
    """Which point belongs to which groups.

    Fairness sees a point only through the set of groups it belongs to, its signature. Signatures are sorted
    so that those of the first group come first: for disjoint groups, signature s is group s.

    Attributes
    ----------
    names : tuple of hashable
        Name of each group, as `alpha`, `beta` and `prefix` call it.
    membership : ndarray of bool, shape (n_points, n_groups)
        Whether a point belongs to a group.
    signature : ndarray of int32, shape (n_points,)
        Row of `signatures` that is the point's own.
    signatures : ndarray of bool, shape (n_signatures, n_groups)
        The distinct rows of `membership`.
    """

    names: tuple[Hashable, ...]
    membership: NDArray[np.bool_]
    signature: NDArray[np.int32]
    signatures: NDArray[np.bool_]

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.membership.shape[0])

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
        shown = ", ".join(map(repr, self.names[:_MOST_NAMES_SHOWN]))
        more = f" and {self.n_groups - _MOST_NAMES_SHOWN} more" if self.n_groups > _MOST_NAMES_SHOWN else ""
        known = f"the groups are {shown}{more}" if self.names else "there are no groups"
        raise ValueError(f"{parameter} names an unknown group {name!r}: {known}")


def read_groups(sensitive_features: object, *, n_points: int | None = None, missing: str = "error") -> Groups:
    """Make groups of sensitive features.

    Parameters
    ----------
    sensitive_features : column, table, Groups or None
        - A 1-d column makes a group of each of its values, named by the value.
        - A table of several columns makes groups of every column's values, named ``"column=value"``; a
          table of a single column is read as that column.
        - A table of booleans is membership: each column is a group, named by the column.
        - None makes no groups.

        Lists, dicts of columns, NumPy arrays and the series and frames of any library that narwhals knows
        are welcome. Columns without a name are named 0, 1, ... Whole numbers are named without a decimal
        point, because pandas makes floats of integers once one is missing.
    n_points : int, optional
        Number of points that there must be.
    missing : {"error", "group", "none"}, default="error"
        What becomes of missing values: an error, a group of their own named ``"missing"`` (or
        ``"column=missing"``), or points that belong to no group of that column.

    Returns
    -------
    Groups
        Groups in the order of the columns, and of the values where those can be sorted, else as they first
        appear.

    Examples
    --------
    >>> from minirel.groups import read_groups
    >>> read_groups(["Male", "Female", "Male"]).names
    ('Female', 'Male')
    >>> groups = read_groups({"sex": ["M", "F", "M"], "old": [True, False, True]})
    >>> groups.names
    ('sex=F', 'sex=M', 'old=False', 'old=True')
    >>> groups.signature
    array([1, 0, 1], dtype=int32)
    """
    if missing not in _MISSING:
        raise ValueError(f"missing must be one of {', '.join(map(repr, _MISSING))}, but is {missing!r}")
    if sensitive_features is None:
        if n_points is None:
            raise ValueError("sensitive_features is None, so n_points must say how many points there are")
        return _groups((), np.zeros((n_points, 0), dtype=np.bool_))
    if isinstance(sensitive_features, Groups):
        _check_length(sensitive_features.n_points, n_points)
        return sensitive_features

    table = _read_table(sensitive_features)
    _check_length(len(table.columns[0]), n_points)
    if table.matrix is not None and table.matrix.dtype == np.bool_:
        return _groups(table.names, np.array(table.matrix, dtype=np.bool_, order="C"))
    columns = [_encode(name, values) for name, values in zip(table.names, table.columns, strict=True)]
    _check_columns(columns, missing)
    # A column of nothing but missing values is whatever the others are.
    is_membership = table.is_2d and all(c.is_boolean for c in columns) and any(c.values for c in columns)
    if is_membership:
        parts = [_membership_groups(column, missing) for column in columns]
    else:
        parts = [_value_groups(column, missing, with_column=len(columns) > 1) for column in columns]
    names = tuple(name for part_names, _ in parts for name in part_names)
    membership = parts[0][1] if len(parts) == 1 else np.hstack([part for _, part in parts])
    # Missing values come last, after those with a group of the column.
    keys = None if is_membership else [column.codes % (len(column.values) + 1) for column in columns]
    return _groups(names, membership, keys)


# ---- from any container to columns ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Numbered:
    """A column as numbers into its distinct values, in any order; -1 is missing, as some values may be."""

    numbers: NDArray[np.integer]
    distinct: list[Any]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class _Table:
    """Columns as they came; `matrix` holds them together if they came as one array."""

    names: tuple[Hashable, ...]
    columns: list[_Values]
    is_2d: bool
    matrix: _Array | None = None

    def __post_init__(self) -> None:
        lengths = [len(column) for column in self.columns]
        if not lengths or not any(lengths):
            raise ValueError(
                "sensitive_features is empty: give a value for each point, or None for no groups"
            )
        if len(set(lengths)) > 1:
            told = ", ".join(f"{name!r} has {n}" for name, n in zip(self.names, lengths, strict=True))
            raise ValueError(f"sensitive_features must have columns of one length, but {told}")
        twice = [name for name, times in Counter(self.names).items() if times > 1]
        if twice:
            raise ValueError(f"sensitive_features has several columns named {twice[0]!r}: rename all but one")


def _read_table(features: object, what: str = "sensitive_features") -> _Table:
    if isinstance(features, Mapping):
        return _Table(tuple(features), [_read_column(name, features[name]) for name in features], is_2d=True)
    if isinstance(features, np.ndarray):
        return _read_array(features)
    if not isinstance(features, str | bytes | Number | np.generic):
        if isinstance(features, Sequence):
            return _read_list(features)
        table = _read_frame(features)
        if table is not None:
            return table
        if hasattr(features, "__array__"):
            return _read_array(np.asarray(features))
    shown = (
        repr(features) if isinstance(features, str | bytes | Number) else f"of type {type(features).__name__}"
    )
    raise TypeError(
        f"{what} must be a column (list, array, Series) or a table (frame, 2-d array, dict of columns) in "
        f"memory, with a row for each point, but is {shown}"
    )


def _read_column(name: Hashable, column: object) -> _Values:
    table = _read_table(column, f"sensitive_features[{name!r}]")
    if table.is_2d:
        raise ValueError(f"sensitive_features must have 1-d columns, but {_place(name)} is 2-d")
    return table.columns[0]


def _read_frame(features: object) -> _Table | None:
    # Importing narwhals takes longer than reading most lists and arrays, so they do without it.
    import narwhals.stable.v1 as nw

    try:
        native = nw.from_native(features, eager_only=True, allow_series=True, pass_through=True)
    except ValueError as error:  # columns of the same name
        raise ValueError(f"sensitive_features cannot be read: {error}") from error
    if isinstance(native, nw.Series):
        name = None if native.name == "" else native.name
        return _Table((name,), [_series_values(native)], is_2d=False)
    if isinstance(native, nw.DataFrame):
        names = native.columns
        return _Table(tuple(names), [_series_values(native.get_column(c)) for c in names], is_2d=True)
    return None


def _series_values(series: "Series[Any]") -> _Values:
    import narwhals.stable.v1 as nw

    kind = str(series.dtype)
    # With a missing value among them, integers would come as floats, large ones rounded.
    is_whole = kind.startswith(("Int", "UInt", "Boolean"))
    if kind.startswith("Float") or (is_whole and not series.null_count()):
        return series.to_numpy()
    # A Python string for each point is what takes time, so the library numbers them where it can.
    if series.implementation.is_pandas() and kind in ("String", "Categorical"):
        numbers, distinct = series.to_native().factorize()
        return _Numbered(numbers, distinct.tolist())
    if series.implementation.is_polars() and kind.startswith(("String", "Categorical", "Enum")):
        strings = series.cast(nw.String())
        names = strings.unique().to_list()
        return _Numbered(strings.replace_strict(names, list(range(len(names)))).to_numpy(), names)
    return series.to_list()


def _read_list(rows: Sequence[Any]) -> _Table:
    kinds = set(map(type, rows))
    if np.ndarray in kinds:
        return _read_list([row.tolist() if isinstance(row, np.ndarray) else row for row in rows])
    are_rows = {issubclass(kind, list | tuple) for kind in kinds}
    if True not in are_rows:
        return _Table((None,), [list(rows)], is_2d=False)
    if False in are_rows:
        raise ValueError("sensitive_features must have rows of one length, but mixes rows and single values")
    widths = sorted(set(map(len, rows)))
    if len(widths) > 1:
        raise ValueError(f"sensitive_features must have rows of one length, but has lengths {widths}")
    if any(isinstance(cell, list | tuple | np.ndarray) for cell in rows[0]):
        raise ValueError("sensitive_features must have one or two dimensions, but its rows hold rows")
    names = tuple(range(widths[0]))
    return _Table(names, [list(map(itemgetter(j), rows)) for j in names], is_2d=True)


def _read_array(array: _Array) -> _Table:
    mask = np.ma.getmask(array)
    array = np.asarray(array)
    if mask.any():
        array = array.astype(object)
        array[mask] = None
    if array.ndim == 1:
        return _Table((None,), [array], is_2d=False)
    if array.ndim == 2:
        return _Table(tuple(range(array.shape[1])), list(array.T), is_2d=True, matrix=array)
    raise ValueError(f"sensitive_features must have one or two dimensions, but has shape {array.shape}")


def _check_length(n_rows: int, n_points: int | None) -> None:
    if n_points is not None and n_rows != n_points:
        raise ValueError(
            f"sensitive_features must have one row a point, but has {n_rows} rows for {n_points} points"
        )


# ---- from columns to codes ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """A column as indices into its sorted distinct values, -1 where missing."""

    name: Hashable
    values: tuple[Hashable, ...]
    codes: NDArray[np.intp]

    @property
    def is_boolean(self) -> bool:
        return all(isinstance(value, bool) for value in self.values)

    @property
    def n_missing(self) -> int:
        return int(np.count_nonzero(self.codes < 0))


def _encode(name: Hashable, values: _Values) -> _Column:
    if isinstance(values, np.ndarray) and values.dtype.kind in "biu":
        distinct, codes = _distinct_integers(values.view(np.uint8) if values.dtype == np.bool_ else values)
        return _Column(name, tuple(distinct.astype(values.dtype).tolist()), codes)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        is_known = ~np.isnan(values)
        codes = np.full(len(values), -1, dtype=np.intp)
        distinct, codes[is_known] = np.unique(values[is_known], return_inverse=True)
        return _Column(name, tuple(map(_plain, distinct.tolist())), codes)
    if isinstance(values, _Numbered):
        return _sort_values(name, values)
    return _encode_objects(name, _python_values(values) if isinstance(values, np.ndarray) else values)


def _encode_objects(name: Hashable, values: list[Any]) -> _Column:
    # Numbered as they appear, by the very objects of the column: every NaN is a key of its own.
    numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.intp, count=len(values))
    except TypeError as error:
        raise TypeError(
            "sensitive_features must hold plain values such as numbers and strings, but "
            f"{_place(name)} does not: {error}"
        ) from error
    column = _sort_values(name, _Numbered(codes, list(numbers)))
    # Only here can True have been taken for 1. A missing value may be NaN, a float among booleans.
    if 0 in column.values or 1 in column.values:
        known = compress(values, (column.codes >= 0).tolist()) if column.n_missing else values
        _check_kinds(name, set(map(type, known)))
    return column


def _sort_values(name: Hashable, column: _Numbered) -> _Column:
    present = [(number, _plain(v)) for number, v in enumerate(column.distinct) if not _is_missing(v)]
    try:
        present.sort(key=itemgetter(1))
    except TypeError:  # values that do not compare stay as they appear
        present.sort(key=itemgetter(0))
    # One more than there are values: number -1 reads the last.
    code = np.full(len(column.distinct) + 1, -1, dtype=np.intp)
    code[[number for number, _ in present]] = np.arange(len(present))
    return _Column(name, tuple(value for _, value in present), code[column.numbers])


def _check_kinds(name: Hashable, kinds: set[type]) -> None:
    booleans = {kind for kind in kinds if issubclass(kind, bool | np.bool_)}
    if booleans and any(issubclass(kind, Number) for kind in kinds - booleans):
        raise ValueError(
            f"sensitive_features must not mix booleans and numbers, but {_place(name)} does, and Python "
            "holds that True == 1: make them all of one kind"
        )


def _distinct_integers(values: NDArray[np.integer]) -> tuple[_Array, NDArray[np.intp]]:
    """Distinct values, sorted, and each value's index among them; without a sort if they lie close."""
    values = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64, copy=False)
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values) + 2**16:
        distinct, codes = np.unique(values, return_inverse=True)
        return distinct, codes.astype(np.intp, copy=False)
    offsets = (values - values.dtype.type(low)).astype(np.intp, copy=False)
    occurs = np.zeros(high - low + 1, dtype=np.bool_)
    occurs[offsets] = True
    rank = np.cumsum(occurs, dtype=np.intp) - 1
    return np.flatnonzero(occurs).astype(values.dtype) + values.dtype.type(low), rank[offsets]


def _python_values(array: _Array) -> list[Any]:
    if array.dtype.kind in "mM" and np.datetime_data(array.dtype)[0] in ("ns", "ps", "fs", "as"):
        # Python's own dates end at the microsecond; NumPy would hand over bare integers.
        array = array.astype(f"{array.dtype.kind}8[us]")
    values: list[Any] = array.tolist()
    return values


def _plain(value: Hashable) -> Hashable:
    if isinstance(value, np.generic):
        (value,) = _python_values(np.array([value]))
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_missing(value: Hashable) -> bool:
    # pandas.NA can only be here if pandas has been imported, and it must not be compared.
    pandas_na = getattr(sys.modules.get("pandas"), "NA", None)
    return value is None or value is pandas_na or bool(value != value)


def _check_columns(columns: list[_Column], missing: str) -> None:
    n_points = len(columns[0].codes)
    holes = [f"{column.n_missing} in {_place(column.name)}" for column in columns if column.n_missing]
    if holes and missing == "error":
        raise ValueError(
            f"sensitive_features has missing values, {', '.join(holes)}, of {n_points} points: pass "
            "missing='group' to make them a group of their own, missing='none' to leave them out of every "
            "group, or drop these points"
        )
    widest = max(columns, key=lambda column: len(column.values))
    if n_points * sum(len(column.values) for column in columns) > _MOST_MEMBERSHIPS:
        raise ValueError(
            f"sensitive_features makes too many groups: {_place(widest.name)} has {len(widest.values)} "
            "distinct values; bin them into fewer"
        )


# ---- from codes to groups -------------------------------------------------------------------------------

_Part: TypeAlias = tuple[list[Hashable], NDArray[np.bool_]]


def _value_groups(column: _Column, missing: str, *, with_column: bool) -> _Part:
    n_values = len(column.values)
    names = [f"{column.name}={value}" if with_column else value for value in column.values]
    has_group = missing == "group" and column.n_missing > 0
    if has_group:
        extra = f"{column.name}=missing" if with_column else "missing"
        if extra in names:
            raise ValueError(
                f"missing='group' would make a second group {extra!r}, because {_place(column.name)} holds "
                "the value 'missing' itself: rename that value, or pass missing='none'"
            )
        names.append(extra)
    # Code -1, missing, reads the last row: its own group or none.
    one_hot = np.eye(n_values + 1, n_values + has_group, dtype=np.bool_)
    return names, one_hot.take(column.codes, axis=0)


def _membership_groups(column: _Column, missing: str) -> _Part:
    is_true = np.array([*column.values, False], dtype=np.bool_)
    names, parts = [column.name], [is_true[column.codes]]
    if missing == "group" and column.n_missing:
        names.append(f"{column.name}=missing")
        parts.append(column.codes < 0)
    return names, np.column_stack(parts)


def _groups(
    names: tuple[Hashable, ...], membership: NDArray[np.bool_], keys: Iterable[_Array] | None = None
) -> Groups:
    """Find the signatures; the integers `keys` tell rows of `membership` apart, and sort them, if given."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(
            f"sensitive_features makes several groups named {twice[0]!r}: rename a column or a value"
        )
    if keys is None:
        # Eight groups a key, inverted because a row that starts with True comes first.
        keys = (~np.packbits(membership, axis=1)).T
    signature = np.zeros(len(membership), dtype=np.intp)
    for key in keys:
        # Renumbered each time, so that the numbers stay small however many groups there are.
        _, signature = _distinct_integers(signature * (int(key.max()) + 1) + key)
    any_point = np.zeros(int(signature.max(initial=-1)) + 1, dtype=np.intp)
    any_point[signature] = np.arange(len(membership))
    groups = Groups(names, membership, signature.astype(np.int32), membership[any_point])
    for array in (groups.membership, groups.signature, groups.signatures):
        array.flags.writeable = False
    return groups


def _place(name: Hashable) -> str:
    return "the column" if name is None else f"column {name!r}"
