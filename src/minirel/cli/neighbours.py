"""The file of neighbours: pairs of rows, by a column that names them or by their numbers."""

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import read_cells
from minirel.cli.messages import UserError
from minirel.cli.table import Source, Table, read_table

_ADVICE = "each of its rows must name two rows of {table}, {how}"


def read_pairs(
    file: str | None, table: Source, key: str | None, delimiter: str | None
) -> NDArray[np.int64] | None:
    """The pairs of a file's first two columns, as indices of the table's rows; None if there is no file."""
    if key is not None:
        table.check_columns([key], "--id")
    if file is None:
        return None
    if not isinstance(table, Table):
        raise UserError("--neighbours is not for files as large as this one: use fewer rows")
    names = row_names(table, key)
    place = {name: i for i, name in enumerate(names)}
    how = (
        f"by {key!r} (--id)"
        if key is not None
        else "by number, the first after the header is 1 (or use --id)"
    )
    advice = _ADVICE.format(table=table.name, how=how)
    if len(place) < len(names):
        twice = next(name for i, name in enumerate(names) if place[name] != i)
        raise UserError(f"--id {key!r} names {twice!r} twice: choose a column that differs in every row")
    pairs = read_table(file, delimiter)
    columns = list(pairs.columns)
    if len(columns) < 2:
        raise UserError(f"--neighbours {pairs.name} has one column: {advice}")
    if all(name.strip() in place for name in columns[:2]):
        first = " and ".join(map(repr, columns[:2]))
        raise UserError(f"--neighbours {pairs.name}: its first line is a pair, {first}: give it a header")
    ends = [_texts(pairs, name) for name in columns[:2]]
    found = np.array([[place.get(name, -1) for name in end] for end in ends], dtype=np.int64).T
    for wrong, what in ((found < 0, "which is no row"), (found[:, :1] == found[:, 1:], "its own neighbour")):
        rows = np.flatnonzero(wrong.any(axis=1))
        if len(rows):
            row = int(rows[0])
            name = ends[int(wrong[row].argmax())][row]
            more = f" ({len(rows):,} such rows)" if len(rows) > 1 else ""
            raise UserError(
                f"--neighbours {pairs.name}: row {row + 1} names {name!r}, {what}{more}: {advice}"
            )
    return found


def among(pairs: NDArray[np.int64] | None, rows: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    """The pairs whose rows are both kept, counted among those that are."""
    if pairs is None:
        return None
    place = np.cumsum(rows) - 1
    return np.asarray(place[pairs[rows[pairs].all(axis=1)]], dtype=np.int64).reshape(-1, 2)


def row_names(table: Table, key: str | None) -> list[str]:
    """The names of the rows in a column, or their numbers."""
    if key is None:
        return [str(number) for number in range(1, table.n_rows + 1)]
    names = _texts(table, key)
    if "" in names:
        raise UserError(f"--id {key!r} has no value in row {names.index('') + 1}: every row needs a name")
    return names


def _texts(table: Table, name: str) -> list[str]:
    cells = read_cells(name, table.columns[name])
    texts = [*cells.texts, ""]
    return [texts[code] for code in cells.codes.tolist()]
