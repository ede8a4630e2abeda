"""Columns of groups as the library's groups."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells
from minirel.cli.messages import UserError, asking_library, warn

if TYPE_CHECKING:
    from minirel.points.groups import Groups

_MANY = 50


def make_groups(columns: Sequence[Cells]) -> "Groups":
    """A group for each value, or for each column and value; missing cells are a group of their own.

    Several columns of nothing but true and false, or 0 and 1, are membership: a group for each column.
    """
    from minirel.points.groups import read_groups

    for cells in columns:
        _check(cells)
    truths = [_truths(cells) for cells in columns]
    is_membership = len(columns) > 1 and None not in truths
    named = {
        cells.name: values_of(cells, truth if is_membership else None)
        for cells, truth in zip(columns, truths, strict=True)
    }
    with asking_library():
        return read_groups(named if len(named) > 1 else next(iter(named.values())), missing="group")


def values_of(cells: Cells, names: Sequence[Hashable] | None = None) -> list[Any]:
    """The value in each cell, None where missing; under these `names` if given."""
    values: NDArray[np.object_] = np.array([*(cells.names if names is None else names), None], dtype=object)
    return list(values[cells.codes])


def describe(groups: "Groups", column: str, several: bool) -> str:
    """The groups of a column with their shares of the rows."""
    share = groups.membership.mean(axis=0)
    prefix = f"{column}=" if several else ""
    own = [
        (str(name).removeprefix(prefix), part)
        for name, part in zip(groups.names, share, strict=True)
        if not several or str(name) == column or str(name).startswith(prefix)
    ]
    shown = ", ".join(f"{name} {part:.1%}" for name, part in own[:6])
    return f"group: {shown}" + (f" and {len(own) - 6} more" if len(own) > 6 else "")


def _truths(cells: Cells) -> Sequence[Hashable] | None:
    """The distinct values as booleans, or as numbers, if all of them are true and false, or 0 and 1."""
    if cells.values is not None:
        return cells.values.astype(int).tolist() if set(cells.values) <= {0, 1} else None
    words = [text.lower() for text in cells.texts]
    return [word == "true" for word in words] if set(words) <= {"true", "false"} else None


def _check(cells: Cells) -> None:
    from minirel.points.groups import MOST_FRACTIONS

    n_values = len(cells.texts) + bool(cells.is_missing.any())
    if n_values < 2:
        only = f", {cells.texts[0]!r}" if cells.texts else ""
        raise UserError(
            f"--group {cells.name!r} has one value{only}: everybody is in that group, so there is nothing to "
            "promise; choose another column"
        )
    if cells.values is not None and len(cells.values) > MOST_FRACTIONS and (cells.values % 1).any():
        raise UserError(
            f"--group {cells.name!r} holds {len(cells.values):,} distinct numbers that are not whole, each "
            "of which would be a group: bin them into a column of a few values first (20-30, 30-40, ...)"
        )
    if len(cells.texts) == len(cells.codes):
        raise UserError(
            f"--group {cells.name!r} has a different value in every row: choose one with few values"
        )
    if n_values > _MANY:
        warn(f"--group {cells.name!r} makes {n_values:,} groups: bin its values if that is not what you mean")
