"""The cells of a column: numbers or categories, and which are missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.cli.messages import UserError

MISSING_WORDS = ("", "na", "n/a", "nan", "null")
UNKNOWN = "?"  # missing among numbers; among categories it is one of them, as in the paper


@dataclass(frozen=True, eq=False)
class Cells:
    """A column as indices into its distinct texts, -1 where missing; `values` if all of them are numbers."""

    name: str
    codes: NDArray[np.intp]
    texts: list[str]
    values: NDArray[np.float64] | None

    @cached_property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        return self.codes < 0

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return int(self.is_missing.sum())

    @property
    def sample(self) -> "Cells":
        """The cells that tell what kind of column it is: all of them."""
        return self

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The number in each cell, NaN where missing."""
        assert self.values is not None
        return np.append(self.values, np.nan)[self.codes]

    @property
    def names(self) -> list[str | int]:
        """The distinct values as names: whole numbers if all are written like one, so that 10 follows 9."""
        whole = [int(text) if text.lstrip("-").isdecimal() else None for text in self.texts]
        if all(n is not None and str(n) == text for n, text in zip(whole, self.texts, strict=True)):
            return [n for n in whole if n is not None]
        return list(self.texts)

    def select(self, rows: NDArray[np.bool_]) -> "Cells":
        """The same for some rows, with the values that are left."""
        codes = self.codes[rows]
        occurs = np.bincount(codes + 1, minlength=len(self.texts) + 1)[1:] > 0
        if occurs.all():
            return Cells(self.name, codes, self.texts, self.values)
        new = np.append(np.cumsum(occurs) - 1, -1)
        texts = [text for text, kept in zip(self.texts, occurs, strict=True) if kept]
        return Cells(self.name, new[codes], texts, None if self.values is None else self.values[occurs])


def read_cells(name: str, column: Any, na: Sequence[str] = ()) -> Cells:
    """Read an Arrow column, in which the words `na`, too, say that a cell is missing.

    Spaces around cells, as in ``a, b``, do not belong to them.
    """
    may_be_numbers = is_typed_number(column.type) or _is_text(column.type)
    column = as_text(name, column.combine_chunks() if column.num_chunks != 1 else column.chunk(0))
    encoded = column.dictionary_encode()
    codes = codes_of(encoded)
    missing = missing_words(na)
    cells = _cells(name, codes, encoded.dictionary, missing, may_be_numbers)
    if cells.values is None and UNKNOWN in cells.texts:
        numbers = _cells(name, codes, encoded.dictionary, (*missing, UNKNOWN), may_be_numbers)
        return cells if numbers.values is None else numbers
    return cells


def missing_words(na: Sequence[str]) -> tuple[str, ...]:
    """The words that say that a cell is missing, in small letters."""
    return (*MISSING_WORDS, *(word.strip().lower() for word in na))


def as_text(name: str, column: Any) -> Any:
    """The text of each cell of an Arrow array."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise UserError(
            f"column {name!r} holds {kind}, not numbers or text: leave it out with --drop {name!r}"
        )
    if pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    return pc.utf8_trim_whitespace(column if _is_text(kind) else column.cast(pa.string()))


def is_typed_number(kind: Any) -> bool:
    """Whether an Arrow type is one of numbers."""
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _cells(
    name: str, codes: NDArray[np.intp], distinct: Any, missing: tuple[str, ...], may_be_numbers: bool
) -> Cells:
    """The cells of a column with the distinct texts given, of which some say that a cell is missing."""
    texts: list[str] = distinct.to_pylist()
    unknown = [number for number, text in enumerate(texts) if text.lower() in missing]
    if unknown:
        is_known = np.ones(len(texts), dtype=np.bool_)
        is_known[unknown] = False
        codes = np.append(np.where(is_known, np.cumsum(is_known) - 1, -1), -1)[codes]
        texts = [text for text, known in zip(texts, is_known, strict=True) if known]
        distinct = _without(distinct, unknown)
    return Cells(name, codes, texts, as_numbers(name, distinct) if may_be_numbers else None)


def codes_of(encoded: Any) -> NDArray[np.intp]:
    """The indices of an Arrow array with a dictionary, -1 where it has none.

    From its buffers, since Arrow's own way to NumPy imports pandas, if that is installed.
    """
    indices = encoded.indices
    codes = _from_buffer(indices, np.dtype(np.int32)).astype(np.intp)
    if indices.null_count:
        bits = np.unpackbits(np.frombuffer(indices.buffers()[0], np.uint8), bitorder="little")
        codes[bits[indices.offset : indices.offset + len(indices)] == 0] = -1
    return codes


def _from_buffer(array: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of an Arrow array; anything where it has none."""
    if not len(array):
        return np.empty(0, dtype)
    return np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * dtype.itemsize)


def _without(array: Any, places: list[int]) -> Any:
    """An Arrow array without a few of its elements."""
    import pyarrow as pa

    ends = [*places, len(array)]
    starts = [0, *(place + 1 for place in places)]
    return pa.concat_arrays([array.slice(a, b - a) for a, b in zip(starts, ends, strict=True)])


def is_number(text: str) -> bool:
    """Whether a cell that is not missing holds a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_numbers(name: str, texts: Any) -> NDArray[np.float64] | None:
    """The numbers that an Arrow array of texts stands for; None if one does not, or if there are none."""
    import pyarrow as pa

    try:
        values = _from_buffer(texts.cast(pa.float64()), np.dtype(np.float64))
    except pa.ArrowInvalid:
        return None
    check_finite(name, values)
    return values if len(texts) else None


def check_finite(name: str, values: NDArray[np.float64]) -> None:
    """Refuse a column of which some numbers are infinite."""
    if not np.isfinite(values).all():
        odd = values[np.argmin(np.isfinite(values))]
        raise UserError(
            f"column {name!r} holds {str(odd)!r}, which is not a finite number: fix it, or --drop {name}"
        )
