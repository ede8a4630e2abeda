"""Tables in a folder that the user names, checked by their columns and rows."""

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from minirel.datasets.dataset import Folder


@dataclass(frozen=True)
class Source:
    """A file: its name, its number of rows, the columns that are read, and where it comes from."""

    file: str
    n_rows: int
    columns: tuple[str, ...]
    origin: str

    @property
    def advice(self) -> str:
        """What to put where."""
        return (
            f"put {self.file} ({self.origin}) into a folder, and name the folder in the environment variable "
            "MINIREL_DATA or as data_home"
        )


@dataclass(frozen=True, eq=False)
class Cells:
    """The columns of a file as text, and how to read them as numbers."""

    source: Source
    path: Path
    columns: dict[str, list[str]]

    def __getitem__(self, column: str) -> list[str]:
        return self.columns[column]

    def numbers(self, column: str, missing: tuple[str, ...] = ()) -> NDArray[np.float64]:
        """A column of numbers; NaN where one of the words for a missing number stands."""
        values = []
        for row, text in enumerate(self.columns[column], 1):
            try:
                values.append(float("nan") if text in missing else float(text))
            except ValueError:
                raise ValueError(
                    f"{self.path} must have a number in every row of {column!r}, but row {row:,} has "
                    f"{text!r}: {self.source.advice}"
                ) from None
        return np.array(values)

    def counts(self, column: str) -> NDArray[np.int64]:
        """A column of whole numbers of at least 0."""
        numbers = self.numbers(column)
        wrong = np.flatnonzero(~((numbers >= 0) & (numbers == np.round(numbers))))
        if len(wrong):
            raise ValueError(
                f"{self.path} must have a whole number of at least 0 in every row of {column!r}, but row "
                f"{wrong[0] + 1:,} has {self.columns[column][wrong[0]]!r}: {self.source.advice}"
            )
        return numbers.astype(np.int64)


def read_file(source: Source, data_home: Folder | None) -> Cells:
    """Read a file, and check that it is the one that is meant."""
    folder = os.environ.get("MINIREL_DATA") if data_home is None else data_home
    if not folder:
        raise FileNotFoundError(f"no folder is named that has {source.file}: {source.advice}")
    path = Path(folder).expanduser() / source.file
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}: {source.advice}")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head, *rows = csv.reader(file)
    except ValueError as error:  # no line at all, or not text
        raise ValueError(
            f"{path} must be a CSV, but cannot be read as one ({error}): {source.advice}"
        ) from error
    lacking = [name for name in source.columns if name not in head]
    if lacking:
        raise ValueError(
            f"{path} must have the columns {', '.join(source.columns[:20])}, but {lacking[0]!r} is missing: "
            f"{source.advice}"
        )
    if len(rows) != source.n_rows:
        raise ValueError(f"{path} must have {source.n_rows:,} rows, but has {len(rows):,}: {source.advice}")
    short = next((number for number, row in enumerate(rows, 1) if len(row) != len(head)), None)
    if short is not None:
        raise ValueError(
            f"{path} must have {len(head)} cells in every row, but row {short:,} has {len(rows[short - 1])}: "
            f"{source.advice}"
        )
    place = {name: head.index(name) for name in source.columns}
    return Cells(source, path, {name: [row[at].strip() for row in rows] for name, at in place.items()})
