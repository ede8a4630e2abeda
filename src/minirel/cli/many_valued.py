"""Cells that hold several values each, such as "France, Germany"."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import MISSING_WORDS, Cells
from minirel.cli.large_column import LargeColumn
from minirel.cli.messages import UserError, warn

# What separates values, if a column is split and nothing is said about it; and what else is looked for.
SEPARATORS = (",", ";", "|")
_WORDS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
# A column of which so many distinct cells hold a separator looks as if it were meant to be split.
_MOSTLY = 0.3


@dataclass(frozen=True, eq=False)
class ManyValued(Cells):
    """Cells as indices into distinct texts, each of which holds some of the `parts`.

    `own` has the parts of each text, sorted, a row for each; the last is repeated where others have more, and
    `n_own` says how many there are.
    """

    parts: list[str]
    own: NDArray[np.intp]
    n_own: NDArray[np.intp]

    def select(self, rows: NDArray[np.bool_]) -> "ManyValued":
        """The same for some rows, with the values that are left."""
        kept = super().select(rows)
        if len(kept.texts) == len(self.texts):
            return ManyValued(kept.name, kept.codes, kept.texts, None, self.parts, self.own, self.n_own)
        occurs = np.zeros(len(self.texts), dtype=np.bool_)
        occurs[self.codes[rows & ~self.is_missing]] = True
        own = self.own[occurs]
        left, numbered = np.unique(own, return_inverse=True)
        parts = [self.parts[part] for part in left.tolist()]
        numbers = numbered.reshape(own.shape).astype(np.intp)
        return ManyValued(kept.name, kept.codes, kept.texts, None, parts, numbers, self.n_own[occurs])

    def members(self, part: int) -> NDArray[np.bool_]:
        """Which cells hold a part."""
        return np.append((self.own == part).any(axis=1), False)[self.codes]


def read_splits(typed: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Read what separates the values of which column: ``country:','``, or just ``country`` for a comma."""
    splits: dict[str, str] = {}
    for text in typed:
        name, colon, separator = text.rpartition(":")
        if text in columns or not colon:
            name, separator = text, SEPARATORS[0]
        if name not in columns:
            known = ", ".join(list(columns)[:20])
            raise UserError(
                f"--split {text!r}: there is no column {name!r}: write COLUMN or COLUMN:SEPARATOR, such as "
                f"--split country:';'\nThe columns: {known}"
            )
        if len(separator) > 2 and separator[0] == separator[-1] and separator[0] in "'\"":
            separator = separator[1:-1]  # of a shell that leaves quotes as they are
        separator = _WORDS.get(separator.lower(), separator)
        if not separator:
            raise UserError(f"--split {text!r} names no separator: write one, such as --split {name}:';'")
        splits[name] = separator
    return splits


def check_split(cells: Cells, separator: str) -> None:
    """Warn of a separator that no cell holds."""
    if any(separator in text for text in cells.texts):
        return
    other = next((other for other in SEPARATORS if any(other in text for text in cells.texts)), None)
    way_out = "each is one value" if other is None else f"did you mean --split {cells.name}:{other!r}?"
    warn(f"--split {cells.name}:{separator!r}: no cell of this column holds {separator!r}; {way_out}")


def split(cells: Cells, separator: str, na: Sequence[str] = ()) -> ManyValued:
    """Take the cells of a column apart; spaces around a part do not belong to it."""
    missing = {*MISSING_WORDS, *(word.strip().lower() for word in na)}
    found = [
        sorted({part for raw in text.split(separator) if (part := raw.strip()).lower() not in missing})
        for text in cells.texts
    ]
    is_known = np.array([bool(parts) for parts in found], dtype=np.bool_)
    if not is_known.any():
        raise UserError(f"--split {cells.name!r}: no cell holds a value besides {separator!r}")
    parts = sorted({part for some in found for part in some})
    place = {part: number for number, part in enumerate(parts)}
    widest = max(map(len, found))
    own = np.array(
        [[place[part] for part in (*some, *[some[-1]] * (widest - len(some)))] for some in found if some],
        dtype=np.intp,
    )
    texts = [text for text, some in zip(cells.texts, found, strict=True) if some]
    codes = np.append(np.where(is_known, np.cumsum(is_known) - 1, -1), -1)[cells.codes]
    n_own = np.array([len(some) for some in found if some], dtype=np.intp)
    return ManyValued(cells.name, codes, texts, None, parts, own, n_own)


def looks_many_valued(cells: Cells | LargeColumn) -> str | None:
    """What seems to separate several values in the cells of a column, if anything does.

    Taken apart there, the column would have far fewer distinct values than it has distinct cells.
    """
    if cells.values is not None or isinstance(cells, ManyValued):
        return None
    for separator in SEPARATORS:
        holding = [text for text in cells.texts if separator in text]
        if len(holding) < max(_MOSTLY * len(cells.texts), 3):
            continue
        parts = {part.strip() for text in cells.texts for part in text.split(separator)}
        if 2 * len(parts) <= len(cells.texts):
            return separator
    return None
