"""How the cells of a file are read: what counts as missing, and which cells hold several values."""

from dataclasses import dataclass

from minirel.cli.cells import Cells, read_cells
from minirel.cli.many_valued import check_split, read_splits, split
from minirel.cli.table import Table


@dataclass(frozen=True, eq=False)
class Reading:
    """A table, the words `na` that say that a cell is missing, and what separates values, by column."""

    table: Table
    na: tuple[str, ...]
    separators: dict[str, str]

    def cells(self, name: str) -> Cells:
        """The cells of a column."""
        cells = read_cells(name, self.table.columns[name], self.na)
        return split(cells, self.separators[name], self.na) if name in self.separators else cells


def read_reading(table: Table, na: list[str], splits: list[str]) -> Reading:
    """Read the options --na and --split."""
    separators = read_splits(splits, list(table.columns))
    for name, separator in separators.items():
        check_split(read_cells(name, table.columns[name], na), separator)
    return Reading(table, tuple(na), separators)
