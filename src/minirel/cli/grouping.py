"""Columns of groups as the library's groups."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import UNKNOWN, Cells
from minirel.cli.many_valued import ManyValued, looks_many_valued
from minirel.cli.messages import UserError, asking_library, warn
from minirel.cli.roles import Who
from minirel.cli.written import read_written
from minirel.points.columns import Numbered
from minirel.points.errors import ParameterError
from minirel.points.percent import floored
from minirel.points.wording import listed

if TYPE_CHECKING:
    from minirel.points.groups import Groups

# Values from which on groups may not be what is meant; of numbers, which can be binned, fewer.
_MANY, _MANY_NUMBERS = 50, 20
# Fewer rows may well have a cluster each.
_FEWEST_ROWS = 10
_ZERO_FIRST = re.compile(r"[-+]?0\d")


def make_groups(columns: Sequence[Cells]) -> "Groups":
    """A group for each value, or for each column and value; missing cells are a group of their own.

    Several columns of nothing but true and false, or 0 and 1, are membership: a group for each column.
    """
    from minirel.points.groups import read_groups

    for cells in columns:
        _check(cells)
    if any(isinstance(cells, ManyValued) for cells in columns):
        with asking_library():
            return read_groups(_memberships(columns))
    truths = [truth for cells in columns if (truth := _truths(cells)) is not None]
    is_membership = 1 < len(columns) == len(truths)
    values = truths if is_membership else [numbered(cells) for cells in columns]
    named = {cells.name: each for cells, each in zip(columns, values, strict=True)}
    with asking_library():
        return read_groups(named if len(named) > 1 else values[0], missing="group")


def groups_of(who: Who, columns: Mapping[str, Cells], row_names: Sequence[str]) -> "Groups":
    """The groups of the rows, or the members that they hold; what is wrong is said of rows by their names."""
    if who.groups:
        return make_groups([columns[name] for name in who.groups])
    from minirel.points.members import read_people

    named = [*who.members, who.total]
    with asking_library(row_names=row_names):
        try:
            return read_people({name: columns[name].numbers for name in named if name is not None}, who.total)
        except ParameterError as error:
            raise error.about("members") from None


def describe_who(groups: "Groups", who: Who) -> dict[str, str]:
    """What each of these columns is used for."""
    uses = {name: describe(groups, name, len(who.groups) > 1) for name in who.groups}
    if groups.counts is not None:
        everybody = int(groups.counts.total[groups.signature].sum())
        for name, members in zip(groups.names, groups.n_members.tolist(), strict=True):
            uses[str(name)] = f"members: {floored(members / everybody)} of {who.total}"
    others = ((who.total, "total"), (who.weight, "weight"), (who.together, "stay together"))
    for column, use in others:
        if column is not None:
            uses[column] = f"{uses[column]}; {use}" if column in uses else use
    return uses


def _memberships(columns: Sequence[Cells]) -> dict[str, NDArray[np.bool_]]:
    """Who is in which group, where a cell may be in several: a column of booleans for each group."""
    found: dict[str, NDArray[np.bool_]] = {}
    for cells in columns:
        start = f"{cells.name}=" if len(columns) > 1 else ""
        if isinstance(cells, ManyValued):
            own = {part: cells.members(number) for number, part in enumerate(cells.parts)}
        else:
            own = {text: cells.codes == code for code, text in sorted_names(cells)}
        if cells.is_missing.any():
            own["missing"] = cells.is_missing
        found |= {f"{start}{name}": members for name, members in own.items()}
    return found


def sorted_names(cells: Cells) -> list[tuple[int, str]]:
    """The distinct values in their order, each with its code: 9 before 10, b after a."""
    names = list(enumerate(cells.names))
    return [(code, str(name)) for code, name in sorted(names, key=lambda pair: pair[1])]


def numbered(cells: Cells) -> Numbered:
    """The cells as the library takes columns that are numbered already."""
    return Numbered(cells.codes, list(cells.names))


def clusters_of(cells: Cells) -> Numbered:
    """The clusters of somebody's clustering, as numbers where they are, so that 8.5 comes before 63.25."""
    if len(cells.codes) >= _FEWEST_ROWS and 2 * len(cells.texts) > len(cells.codes):
        warn(
            f"--cluster {cells.name!r} has {len(cells.texts):,} values in {len(cells.codes):,} rows: it "
            "looks like an identifier or a measurement rather than clusters; --cluster names their column"
        )
    values = [] if cells.values is None else cells.values.tolist()
    is_code = any(_ZERO_FIRST.match(text) for text in cells.texts)  # such as 007
    if isinstance(cells.names[0], int) or is_code or len(set(values)) < len(cells.texts):
        return numbered(cells)
    return Numbered(cells.codes, values)


def describe(groups: "Groups", column: str, several: bool) -> str:
    """The groups of a column with their shares of the rows."""
    share = groups.n_members / groups.n_points
    prefix = f"{column}=" if several else ""
    own = [
        (str(name).removeprefix(prefix), part)
        for name, part in zip(groups.names, share, strict=True)
        if not several or str(name) == column or str(name).startswith(prefix)
    ]
    return f"group: {listed([f'{name} {floored(part)}' for name, part in own], most=6)}"


def _truths(cells: Cells) -> Numbered | None:
    """The cells as booleans, or as numbers, if all of them are true and false, or 0 and 1."""
    words = [text.lower() for text in cells.texts]
    if cells.values is not None:
        is_true, known = cells.values == 1, [0, 1]
        if not set(cells.values) <= {0, 1}:
            return None
    else:
        is_true, known = np.array([word == "true" for word in words], dtype=bool), [False, True]
        if not set(words) <= {"true", "false"}:
            return None
    # However they are written: 1 and 1.0 are one value.
    return Numbered(np.append(is_true.astype(np.intp), -1)[cells.codes], list(known))


def _check(cells: Cells) -> None:
    from minirel.points.groups import MOST_FRACTIONS

    if isinstance(cells, ManyValued):
        if len(cells.parts) > _MANY:
            warn(f"--group {cells.name!r} makes {len(cells.parts):,} groups, one for each value in its cells")
        return
    n_values = len(cells.texts) + bool(cells.is_missing.any())
    if n_values < 2:
        only = f", {cells.texts[0]!r}" if cells.texts else ""
        raise UserError(
            f"--group {cells.name!r} has one value{only}: everybody is in that group, so there is nothing to "
            "promise; choose another column"
        )
    written = read_written(cells.texts) if cells.values is None else None
    values = cells.values if written is None else written.values
    if values is not None and len(values) > MOST_FRACTIONS and (values != np.rint(values)).any():
        raise UserError(
            f"--group {cells.name!r} holds {len(values):,} distinct numbers that are not whole, each "
            "of which would be a group: bin them into a column of a few values first (20-30, 30-40, ...)"
        )
    if UNKNOWN in cells.texts:
        warn(
            f"--group {cells.name!r} has a group {UNKNOWN!r}: if that says that it is not known, add "
            f"--na {UNKNOWN!r}"
        )
    separator = looks_many_valued(cells) if written is None else None
    if separator is not None:
        example = next(text for text in cells.texts if separator in text)
        warn(
            f"the cells of --group {cells.name!r} look like several values each ({example!r}): "
            f"--split {cells.name}:{separator!r} makes a group of each"
        )
    if len(cells.texts) == len(cells.codes):
        raise UserError(
            f"--group {cells.name!r} has a different value in every row: choose one with few values"
        )
    if values is not None and n_values > _MANY_NUMBERS:
        warn(
            f"--group {cells.name!r} makes {n_values:,} groups, one for each number: bin them "
            "(20-30, 30-40, ...) if that is not what you mean"
        )
    elif n_values > _MANY and separator is None:
        warn(f"--group {cells.name!r} makes {n_values:,} groups: bin its values if that is not what you mean")
