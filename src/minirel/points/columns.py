"""Columns of values from any container: lists, arrays, frames and dicts of columns."""

import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from numbers import Number
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.memory_maps import check_file
from minirel.points.messages import Parameter

if TYPE_CHECKING:
    from narwhals import Series

_Array: TypeAlias = NDArray[Any]
_Values: TypeAlias = "_Array | list[Any] | Numbered"

# The parameter that these readers speak of; whoever reads another one says so with `ParameterError.about`.
FEATURES = Parameter("sensitive_features")


@dataclass(frozen=True)
class Numbered:
    """A column as numbers into its distinct values, in any order; -1 is missing, as some values may be."""

    numbers: NDArray[np.integer]
    distinct: list[Any]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class Table:
    """Columns as they came; `matrix` holds them together if they came as one array."""

    names: tuple[Hashable, ...]
    columns: list[_Values]
    is_2d: bool
    matrix: _Array | None = None

    def __post_init__(self) -> None:
        lengths = [len(column) for column in self.columns]
        if not lengths or not any(lengths):
            way_out = "give a value for each point, or None for no groups"
            raise ParameterValueError(
                FEATURES, "must not be empty", self.columns, way_out, found="is empty", obvious=True
            )
        if len(set(lengths)) > 1:
            told = ", ".join(f"{name!r} has {n}" for name, n in zip(self.names, lengths, strict=True))
            raise ParameterValueError(FEATURES, "must have columns of one length", self.columns, found=told)
        twice = [name for name, times in Counter(self.names).items() if times > 1]
        if twice:
            raise ParameterValueError(
                FEATURES,
                "must have columns of different names",
                self.names,
                "rename all but one",
                found=f"has several columns named {twice[0]!r}",
                obvious=True,
            )


def read_table(features: object, parameter: str = FEATURES) -> Table:
    """Read any container as columns of equal length."""
    if isinstance(features, Mapping):
        return Table(tuple(features), [_read_column(name, features[name]) for name in features], is_2d=True)
    if isinstance(features, np.ndarray):
        return _read_array(features)
    if isinstance(features, Numbered):
        return Table((None,), [features], is_2d=False)
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
    raise ParameterTypeError(
        parameter,
        "must be a column (list, array, Series) or a table (frame, 2-d array, dict of columns) in memory, "
        "with a row for each point",
        features,
        found=f"is {shown}",
    )


def _read_column(name: Hashable, column: object) -> _Values:
    table = read_table(column, f"{FEATURES}[{name!r}]")
    if table.is_2d:
        raise ParameterValueError(FEATURES, "must have 1-d columns", column, found=f"{place(name)} is 2-d")
    return table.columns[0]


def _read_frame(features: object) -> Table | None:
    # Importing narwhals takes longer than reading most lists and arrays, so they do without it.
    import narwhals.stable.v1 as nw

    try:
        native = nw.from_native(features, eager_only=True, allow_series=True, pass_through=True)
    except ValueError as error:  # columns of the same name
        rule = "must be a frame that can be read"
        raise ParameterValueError(
            FEATURES, rule, features, str(error), found="cannot be read", obvious=True
        ) from error
    if isinstance(native, nw.Series):
        name = None if native.name == "" else native.name
        return Table((name,), [_series_values(native)], is_2d=False)
    if isinstance(native, nw.DataFrame):
        names = native.columns
        return Table(tuple(names), [_series_values(native.get_column(c)) for c in names], is_2d=True)
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
        return Numbered(numbers, distinct.tolist())
    if series.implementation.is_polars() and kind.startswith(("String", "Categorical", "Enum")):
        strings = series.cast(nw.String())
        names = strings.unique().to_list()
        return Numbered(strings.replace_strict(names, list(range(len(names)))).to_numpy(), names)
    return series.to_list()


def _read_list(rows: Sequence[Any]) -> Table:
    kinds = set(map(type, rows))
    if np.ndarray in kinds:
        return _read_list([row.tolist() if isinstance(row, np.ndarray) else row for row in rows])
    are_rows = {issubclass(kind, list | tuple) for kind in kinds}
    if True not in are_rows:
        return Table((None,), [list(rows)], is_2d=False)
    if False in are_rows:
        found = "mixes rows and single values"
        raise ParameterValueError(FEATURES, "must have rows of one length", rows, found=found)
    widths = sorted(set(map(len, rows)))
    if len(widths) > 1:
        found = f"has lengths {widths}"
        raise ParameterValueError(FEATURES, "must have rows of one length", rows, found=found)
    if any(isinstance(cell, list | tuple | np.ndarray) for cell in rows[0]):
        found = "its rows hold rows"
        raise ParameterValueError(FEATURES, "must have one or two dimensions", rows, found=found)
    names = tuple(range(widths[0]))
    return Table(names, [list(map(itemgetter(j), rows)) for j in names], is_2d=True)


def _read_array(array: _Array) -> Table:
    check_file(array, FEATURES)
    mask = np.ma.getmask(array)
    array = np.asarray(array)
    if mask.any():
        array = array.astype(object)
        array[mask] = None
    if array.ndim == 1:
        return Table((None,), [array], is_2d=False)
    if array.ndim == 2:
        return Table(tuple(range(array.shape[1])), list(array.T), is_2d=True, matrix=array)
    found = f"has shape {array.shape}"
    raise ParameterValueError(FEATURES, "must have one or two dimensions", array, found=found)


@dataclass(frozen=True)
class Column:
    """A column as indices into its sorted distinct values, -1 where missing."""

    name: Hashable
    values: tuple[Hashable, ...]
    codes: NDArray[np.intp]

    @property
    def is_boolean(self) -> bool:
        """Whether every value is True or False."""
        return all(isinstance(value, bool) for value in self.values)

    @property
    def is_0_1(self) -> bool:
        """Whether every value is 0 or 1, as a number or a boolean."""
        return all(isinstance(value, int) and value in (0, 1) for value in self.values)

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return int(np.count_nonzero(self.codes < 0))


def encode(name: Hashable, values: _Values) -> Column:
    """Number the distinct values of a column in their order."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biu":
        distinct, codes = distinct_integers(values.view(np.uint8) if values.dtype == np.bool_ else values)
        return Column(name, tuple(distinct.astype(values.dtype).tolist()), codes)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        is_known = ~np.isnan(values)
        codes = np.full(len(values), -1, dtype=np.intp)
        distinct, codes[is_known] = np.unique(values[is_known], return_inverse=True)
        return Column(name, tuple(map(_plain, distinct.tolist())), codes)
    if isinstance(values, Numbered):
        return _sort_values(name, values)
    return _encode_objects(name, _python_values(values) if isinstance(values, np.ndarray) else values)


def _encode_objects(name: Hashable, values: list[Any]) -> Column:
    # Numbered as they appear, by the very objects of the column: every NaN is a key of its own.
    numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.intp, count=len(values))
    except TypeError as error:
        rule = "must hold plain values such as numbers and strings"
        found = f"{place(name)} does not"
        raise ParameterTypeError(FEATURES, rule, values, str(error), found=found) from error
    column = _sort_values(name, Numbered(codes, list(numbers)))
    # Only here can True have been taken for 1. A missing value may be NaN, a float among booleans.
    if 0 in column.values or 1 in column.values:
        known = compress(values, (column.codes >= 0).tolist()) if column.n_missing else values
        _check_kinds(name, set(map(type, known)))
    return column


def _sort_values(name: Hashable, column: Numbered) -> Column:
    present = [(number, _plain(v)) for number, v in enumerate(column.distinct) if not _is_missing(v)]
    try:
        present.sort(key=itemgetter(1))
    except TypeError:  # values that do not compare stay as they appear
        present.sort(key=itemgetter(0))
    # One more than there are values: number -1 reads the last.
    code = np.full(len(column.distinct) + 1, -1, dtype=np.intp)
    code[[number for number, _ in present]] = np.arange(len(present))
    return Column(name, tuple(value for _, value in present), code[column.numbers])


def _check_kinds(name: Hashable, kinds: set[type]) -> None:
    booleans = {kind for kind in kinds if issubclass(kind, bool | np.bool_)}
    if booleans and any(issubclass(kind, Number) for kind in kinds - booleans):
        raise ParameterValueError(
            FEATURES,
            "must not mix booleans and numbers",
            kinds,
            "make them all of one kind",
            found=f"{place(name)} does, and Python holds that True == 1",
        )


def distinct_integers(values: NDArray[np.integer]) -> tuple[_Array, NDArray[np.intp]]:
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


def place(name: Hashable) -> str:
    """How to call a column in a message."""
    return "the column" if name is None else f"column {name!r}"
