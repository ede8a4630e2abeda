"""A column that is read in batches: what is known of all of its cells, and the cells of a batch."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import (
    UNKNOWN,
    Cells,
    as_numbers,
    as_text,
    check_finite,
    codes_of,
    is_number,
    is_typed_number,
    missing_words,
)
from minirel.cli.messages import UserError

_MOST_TEXTS = 100_000  # distinct


class Scaled(NamedTuple):
    """Numbers of some rows from 0 to 1, their mean where missing."""

    numbers: NDArray[np.float64]
    is_missing: NDArray[np.bool_]


class LargeColumn:
    """A column of numbers or categories, whose batches are added one by one.

    What it says of the whole column is called as it is in `Cells`: `texts` are the distinct ones of
    categories, and of numbers one or two; `values` are the least and the largest number. `sample` are the
    cells of its first rows, and `is_missing` is to be set once all rows are known.
    """

    def __init__(self, name: str, kind: Any, sample: Cells, na: Sequence[str] = ()) -> None:
        """Begin a column of an Arrow type, or of "text", whatever its type is."""
        self._missing_words = missing_words(na)
        self._missing_numbers = [float(word) for word in self._missing_words if is_number(word)]
        self.name, self.sample = name, sample
        self.is_missing: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._is_typed_number = kind != "text" and is_typed_number(kind)
        self._place: dict[str, int] = {}  # of each text, in the order of their first appearance
        self._numbers: NDArray[np.float64] | None = None  # that the texts stand for
        self.restart()

    def restart(self) -> None:
        """Forget the cells, but not what is known of texts."""
        self.n_missing = self._n_known = 0
        self._low, self._high, self._sum = np.inf, -np.inf, 0.0
        self._count: NDArray[np.int64] = np.zeros(len(self._place), dtype=np.int64)

    def add(self, column: Any, keep: NDArray[np.bool_] | None = None) -> None:
        """Count the cells of a batch, or those to keep."""
        cells: NDArray[Any]
        known: NDArray[Any]
        if self._is_typed_number:
            cells = self._typed_numbers(column)
            known = cells[~np.isnan(cells) if keep is None else keep & ~np.isnan(cells)]
            if len(known):
                self._low, self._high = min(self._low, known.min()), max(self._high, known.max())
                self._sum += float(known.sum())
        else:
            cells = self.codes(column, grow=keep is None)
            known = cells[cells >= 0 if keep is None else keep & (cells >= 0)]
            count = np.bincount(known, minlength=len(self._place))
            count[: len(self._count)] += self._count
            self._count = count
        self._n_known += len(known)
        self.n_missing += (len(cells) if keep is None else int(keep.sum())) - len(known)

    def settle(self) -> None:
        """Once all batches are known: texts that are all numbers are numbers, and ``?`` is then missing."""
        if self._is_typed_number or self._numbers is not None:
            return
        import pyarrow as pa  # type: ignore[import-untyped]

        texts = list(self._place)
        known = [text for text in texts if text != UNKNOWN]
        numbers = as_numbers(self.name, pa.array(known, pa.string()))
        if numbers is not None:
            is_number = np.array([text != UNKNOWN for text in texts], dtype=np.bool_)
            self._numbers = np.full(len(texts) + 1, np.nan)
            self._numbers[np.flatnonzero(is_number)] = numbers
            n_unknown = int(self._count[~is_number].sum())
            self.n_missing, self._n_known = self.n_missing + n_unknown, self._n_known - n_unknown
            self._count[~is_number] = 0
            if n_unknown:
                self._place[UNKNOWN] = -1

    def read(self, column: Any) -> NDArray[Any]:
        """The cells of a batch: numbers, NaN where missing, or codes into `texts`, -1 where missing."""
        if self._is_typed_number:
            return self._typed_numbers(column)
        codes = self.codes(column)
        return self._places_of_texts()[codes] if self._numbers is None else self._numbers[codes]

    def lacks(self, column: Any) -> NDArray[np.bool_]:
        """Which cells of a batch are missing."""
        cells = self.read(column)
        return np.isnan(cells) if cells.dtype.kind == "f" else cells < 0

    def part(self, column: Any, keep: NDArray[np.bool_]) -> Cells | Scaled:
        """The rows to keep of a batch, as features are made of them."""
        cells = self.read(column)[keep]
        if self.values is None:
            return Cells(self.name, cells, self.texts, None)
        low, high = self.values / 2  # so that their difference is finite
        is_missing = np.isnan(cells)
        if is_missing.any():
            cells = np.where(is_missing, self.mean, cells)
        return Scaled((cells / 2 - low) / ((high - low) or 1.0), is_missing)

    def as_cells(self, codes: NDArray[np.intp]) -> Cells:
        """Cells of these `codes`."""
        texts = list(self._place)
        if self._numbers is None:
            return Cells(self.name, codes, texts, None)
        is_known = ~np.isnan(self._numbers[:-1])
        new = np.append(np.where(is_known, np.cumsum(is_known) - 1, -1), -1)
        known = [text for text in texts if text != UNKNOWN]
        return Cells(self.name, new[codes], known, self._numbers[:-1][is_known])

    @property
    def texts(self) -> list[str]:
        """The distinct texts of the cells that were counted; of numbers the least and the largest."""
        if self.values is not None:
            return [f"{value:g}" for value in np.unique(self.values)]
        return [text for text, n in zip(self._place, self._count, strict=True) if n]

    @property
    def values(self) -> NDArray[np.float64] | None:
        """The least and the largest number; None for categories."""
        if self._is_typed_number:
            return np.array([self._low, self._high] if self._n_known else [])
        if self._numbers is None:
            return None
        known = self._known_numbers()
        return np.array([known.min(), known.max()] if len(known) else [])

    @property
    def mean(self) -> float:
        """The mean of the numbers."""
        if self._is_typed_number:
            return self._sum / self._n_known
        assert self._numbers is not None
        numbers = np.nan_to_num(self._numbers[:-1])
        return float(numbers @ self._count) / self._n_known

    def _known_numbers(self) -> NDArray[np.float64]:
        assert self._numbers is not None
        numbers = self._numbers[:-1][self._count > 0]
        return np.asarray(numbers[~np.isnan(numbers)])

    def _places_of_texts(self) -> NDArray[np.intp]:
        """For each code the place among the texts that occur; -1 for none, and for what is missing."""
        occurs = self._count > 0
        return np.append(np.where(occurs, np.cumsum(occurs) - 1, -1), -1)

    def _typed_numbers(self, column: Any) -> NDArray[np.float64]:
        import pyarrow as pa

        numbers = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        if self._missing_numbers:
            numbers = np.where(np.isin(numbers, self._missing_numbers), np.nan, numbers)
        check_finite(self.name, numbers[~np.isnan(numbers)])
        return np.asarray(numbers)

    def codes(self, column: Any, *, grow: bool = False) -> NDArray[np.intp]:
        """The number of each cell's text in a batch, -1 where it is missing; new texts make it `grow`."""
        encoded = as_text(self.name, column).dictionary_encode()
        codes = codes_of(encoded)
        texts = encoded.dictionary.to_pylist()
        if grow:
            for text in texts:
                if text.lower() not in self._missing_words:
                    self._place.setdefault(text, len(self._place))
            if len(self._place) > _MOST_TEXTS:
                raise UserError(
                    f"column {self.name!r} has more than {_MOST_TEXTS:,} different texts: leave it out with "
                    f"--drop {self.name!r}"
                )
        place = np.array([*(self._place.get(text, -1) for text in texts), -1], dtype=np.intp)
        return np.asarray(place[codes])
