"""Columns of groups as the library's groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells
from minirel.cli.messages import UserError, asking_library, warn

if TYPE_CHECKING:
    from minirel.groups import Groups

_MANY = 50


def make_groups(columns: Sequence[Cells]) -> "Groups":
    """A group for each value, or for each column and value; missing cells are a group of their own."""
    from minirel.groups import read_groups

    for cells in columns:
        _check(cells)
    named = {cells.name: values_of(cells) for cells in columns}
    with asking_library():
        return read_groups(named if len(named) > 1 else next(iter(named.values())), missing="group")


def values_of(cells: Cells) -> list[Any]:
    """The value in each cell, None where missing."""
    values: NDArray[np.object_] = np.array([*cells.names, None], dtype=object)
    return list(values[cells.codes])


def describe(groups: "Groups", column: str, several: bool) -> str:
    """The groups of a column with their shares of the rows."""
    share = groups.membership.mean(axis=0)
    prefix = f"{column}=" if several else ""
    own = [
        (str(name).removeprefix(prefix), part)
        for name, part in zip(groups.names, share, strict=True)
        if not several or str(name).startswith(prefix)
    ]
    shown = ", ".join(f"{name} {part:.1%}" for name, part in own[:6])
    return f"group: {shown}" + (f" and {len(own) - 6} more" if len(own) > 6 else "")


def _check(cells: Cells) -> None:
    n_values = len(cells.texts) + bool(cells.is_missing.any())
    if n_values < 2:
        only = f", {cells.texts[0]!r}" if cells.texts else ""
        raise UserError(
            f"--group {cells.name!r} has one value{only}: everybody is in that group, so there is nothing to "
            "promise; choose another column"
        )
    if len(cells.texts) == len(cells.codes):
        raise UserError(
            f"--group {cells.name!r} has a different value in every row: choose one with few values"
        )
    if n_values > _MANY:
        warn(f"--group {cells.name!r} makes {n_values:,} groups: bin its values if that is not what you mean")
