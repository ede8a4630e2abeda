"""How rows are called in messages and on the page: by a column of names, or by their numbers in the file."""

from collections.abc import Callable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from minirel.cli.neighbours import row_names
from minirel.cli.table import Table


class RowNames(Sequence[str]):
    """Names of the rows that are kept, as `name` calls those of the file; made when they are asked for."""

    def __init__(self, rows: NDArray[np.bool_], name: Callable[[int], str] | None = None) -> None:
        self._numbers = np.flatnonzero(rows).astype(np.int32 if len(rows) < 2**31 else np.int64)
        self._name = by_number if name is None else name

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self._name(number) for number in self._numbers[place].tolist()]
        return self._name(int(self._numbers[place]))


def by_number(row: int) -> str:
    """The number of a row; the first after the header is 1."""
    return f"row {row + 1}"


def names_of_rows(table: Table, key: str | None, rows: NDArray[np.bool_]) -> RowNames:
    """The names of the rows to keep in a column, or their numbers."""
    return RowNames(rows, None if key is None else row_names(table, key).__getitem__)
