"""Points, groups and weights of a large Parquet file, read in batches."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from minirel.cli.cells import Cells, read_cells
from minirel.cli.features import (
    MOST_FEATURES,
    Features,
    Layout,
    dense,
    lay_out,
    leave_out,
    sparse,
)
from minirel.cli.grouping import groups_of, numbered
from minirel.cli.identifiers import is_identifier
from minirel.cli.large_column import LargeColumn
from minirel.cli.large_parquet import LargeTable
from minirel.cli.missing import rows_to_keep
from minirel.cli.points import Points, check_numbers, describe_uses, numbers_of, read_weights
from minirel.cli.progress import Counter
from minirel.cli.roles import Roles, Who, read_roles
from minirel.cli.row_names import RowNames, by_number
from minirel.cli.temporary import check_room, temporary_files

_SAMPLE = 100_000  # rows that tell whether a column is an identifier
_IN_MEMORY = 2**31  # bytes of features beyond which they are kept in a file


def read_large_points(
    table: LargeTable,
    who: Who,
    features: list[str],
    drop: list[str],
    policy: str | None,
    *,
    na: Sequence[str] = (),
    to_be_sparse: Callable[[], str],
    count: Counter,
) -> Points:
    """Do what `read_points` does, in single precision and a few passes over the file."""
    roles = read_roles(table, who, features, drop)
    columns = _Columns(table, roles, na)
    columns.summarise(count)
    kept, reasons = leave_out(list(columns.features.values()), chosen=roles.chosen)
    used = {column.name for column in kept}
    columns.features = {name: column for name, column in columns.features.items() if name in used}
    for name, option in numbers_of(who).items():
        check_numbers(columns.numbers[name], option)
    columns.find_missing(count)
    groups, numbers = (list(some.values()) for some in (columns.groups, columns.numbers))
    rows = rows_to_keep(kept, groups, numbers, policy)
    if not rows.all():
        columns.summarise(count, rows)
    filled = columns.fill(lay_out(kept, policy), rows, to_be_sparse, count)
    names = RowNames(rows, None if who.key is None else partial(_name, table, who.key))
    made = groups_of(who, filled.cells, names)
    return Points(
        rows,
        filled.features,
        made,
        read_weights(who, filled.cells, rows),
        None if who.together is None else numbered(filled.cells[who.together]),
        describe_uses(table, roles, made, reasons | filled.features.uses),
        names,
        policy,
    )


class _Filled(NamedTuple):
    """The features, and the cells of the columns that say who is in a row."""

    features: Features
    cells: dict[str, Cells]


class _Columns:
    """The columns of a file by their use."""

    def __init__(self, table: LargeTable, roles: Roles, na: Sequence[str]) -> None:
        self.table, who = table, roles.who
        samples = _samples(table, [*dict.fromkeys([*roles.features, *who.columns])], na)

        def column(name: str, kind: Any) -> LargeColumn:
            return LargeColumn(name, kind, samples[name], na)

        self.features = {name: column(name, table.columns[name]) for name in roles.features}
        self.groups = {name: column(name, "text") for name in who.groups}
        self.numbers = {name: column(name, table.columns[name]) for name in numbers_of(who)}
        self.together = {} if who.together is None else {who.together: column(who.together, "text")}
        # Of an identifier that is no feature, a few cells are enough.
        keys = [] if roles.chosen else [name for name in roles.features if is_identifier(samples[name])]
        self._keys = {id(self.features[name]) for name in keys}

    @property
    def _others(self) -> list[LargeColumn]:
        return [*self.groups.values(), *self.numbers.values(), *self.together.values()]

    @property
    def _all(self) -> list[LargeColumn]:
        return [*self.features.values(), *self._others]

    def summarise(self, count: Counter, rows: NDArray[np.bool_] | None = None) -> None:
        """Look at all cells; or again at those of the rows to keep."""
        columns = self._all
        for column in columns:
            column.restart()
        for batch, some in _batches(self.table, columns, count):
            for column in columns:
                if id(column) not in self._keys or some.start == 0:
                    column.add(batch[column.name], None if rows is None else rows[some])
        for column in columns:
            column.settle()

    def find_missing(self, count: Counter) -> None:
        """Find out in which rows cells are missing."""
        nowhere = np.broadcast_to(np.False_, self.table.n_rows)
        for column in self._all:
            column.is_missing = np.zeros(self.table.n_rows, np.bool_) if column.n_missing else nowhere
        columns = [column for column in self._all if column.n_missing]
        for batch, some in _batches(self.table, columns, count) if columns else ():
            for column in columns:
                column.is_missing[some] = column.lacks(batch[column.name])

    def fill(
        self,
        layout: Layout[LargeColumn],
        rows: NDArray[np.bool_],
        to_be_sparse: Callable[[], str],
        count: Counter,
    ) -> _Filled:
        """The features of the rows to keep, and who is in them."""
        n_rows, n_features, at = int(rows.sum()), len(layout.names), 0
        is_sparse = layout.is_mostly_zero and n_features <= MOST_FEATURES and not to_be_sparse()
        store = _Sparse() if is_sparse else _Dense(layout, n_rows)
        codes = {name: np.empty(n_rows, dtype=np.intp) for name in (*self.groups, *self.together)}
        numbers = {name: np.empty(n_rows) for name in self.numbers}
        needed = [*(column for column, _ in layout.used), *self._others]
        for batch, some in _batches(self.table, needed, count):
            keep = rows[some]
            mine = slice(at, at + int(keep.sum()))
            at = mine.stop
            parts = ((column.part(batch[column.name], keep), n) for column, n in layout.used)
            if isinstance(store, _Sparse):
                store.add(sparse(parts, layout, at - mine.start, np.float32))
            else:
                store.add(dense(parts, np.zeros((at - mine.start, n_features), np.float32)))
            for name, column in (self.groups | self.together).items():
                codes[name][mine] = column.codes(batch[name])[keep]
            for name, column in self.numbers.items():
                numbers[name][mine] = column.read(batch[name])[keep]
        cells = {name: column.as_cells(codes[name]) for name, column in (self.groups | self.together).items()}
        everyone = np.ones(n_rows, dtype=np.bool_)
        of_numbers = {name: Cells(name, np.arange(n_rows), [], each) for name, each in numbers.items()}
        chosen = {name: each.select(everyone) for name, each in cells.items()}
        return _Filled(layout.features(store.all()), chosen | of_numbers)


class _Sparse:
    """A sparse matrix from those of its blocks of rows."""

    def __init__(self) -> None:
        self._blocks: list[csr_array] = []

    def add(self, block: csr_array) -> None:
        self._blocks.append(block)

    def all(self) -> csr_array:
        return csr_array(vstack(self._blocks, format="csr"))


class _Dense:
    """A table from its blocks of rows: in memory, or in a file that has no name and ends with the process."""

    def __init__(self, layout: Layout[LargeColumn], n_rows: int) -> None:
        self._shape = n_rows, len(layout.names)
        n_bytes = 4 * n_rows * len(layout.names)
        is_large = n_bytes > _IN_MEMORY
        if is_large:
            check_room(n_bytes, f"{n_rows:,} rows of {len(layout.names):,} features")
        self._file = tempfile.TemporaryFile() if is_large else None  # noqa: SIM115 -- it stays open
        self._table = np.empty(self._shape if self._file is None else (0, 0), dtype=np.float32)
        self._at = 0

    def add(self, block: NDArray[np.float32]) -> None:
        if self._file is None:
            self._table[self._at : self._at + len(block)] = block
        else:
            with temporary_files():
                try:
                    self._file.write(block.tobytes())  # not through a map, which a full disk would kill
                except OSError:
                    self._file.close()
                    raise
        self._at += len(block)

    def all(self) -> NDArray[np.float32]:
        if self._file is None:
            return self._table
        with temporary_files(), self._file:  # the map holds on to what is in it
            self._file.flush()
            return np.memmap(self._file, dtype=np.float32, mode="r", shape=self._shape)


def _name(table: LargeTable, key: str, row: int) -> str:
    """What a column calls a row, which is read when it is asked for; its number, where the cell is empty."""
    return table.text(key, row) or by_number(row)


def _samples(table: LargeTable, names: list[str], na: Sequence[str]) -> dict[str, Cells]:
    import pyarrow as pa  # type: ignore[import-untyped]

    first: list[Any] = []
    for batch in table.batches(names):
        first.append(batch)
        if sum(each.num_rows for each in first) >= _SAMPLE:
            break
    sample = pa.Table.from_batches(first).slice(0, _SAMPLE)
    return {name: read_cells(name, sample.column(name), na) for name in names}


def _batches(
    table: LargeTable, columns: Sequence[LargeColumn], count: Counter
) -> Iterator[tuple[dict[str, Any], slice]]:
    """The batches of some columns, by name, and which rows each has."""
    names, at = list(dict.fromkeys(column.name for column in columns)), 0
    for batch in table.batches(names):
        some = slice(at, at + batch.num_rows)
        yield {name: batch.column(name) for name in names}, some
        at = some.stop
        count(at, table.n_rows)
