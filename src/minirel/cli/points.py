"""From the table to what the estimator takes: points, groups and weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells, is_number
from minirel.cli.features import NO_FEATURES, Features, leave_out, prepare
from minirel.cli.grouping import describe_who, groups_of, numbered
from minirel.cli.large_column import LargeColumn
from minirel.cli.messages import UserError
from minirel.cli.missing import check_not_empty, rows_to_keep
from minirel.cli.reading import Reading
from minirel.cli.roles import Identifier, LeftOut, Roles, Who, read_roles
from minirel.cli.row_names import RowNames, names_of_rows
from minirel.cli.table import Source
from minirel.cli.written import as_written, meant
from minirel.outcome.coordinates import find_coordinates
from minirel.points.columns import Numbered

if TYPE_CHECKING:
    from minirel.points.groups import Groups


@dataclass(frozen=True, eq=False)
class Points:
    """The rows that are clustered (`rows` of all), and the use that is made of each column.

    `missing` is what was to be done about missing cells; `coordinates` are longitude and latitude, where the
    file has them.
    """

    rows: NDArray[np.bool_]
    features: Features
    groups: "Groups"
    weights: NDArray[np.float64] | None
    together: Numbered | None
    uses: dict[str, str]
    row_names: Sequence[str]
    missing: str | None
    coordinates: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def spread(self, labels: NDArray[np.integer]) -> NDArray[np.intp]:
        """Labels for all rows, -1 for those that were left out."""
        everywhere = np.full(len(self.rows), -1, dtype=np.intp)
        everywhere[self.rows] = labels
        return everywhere


def read_points(
    reading: Reading,
    who: Who,
    features: list[str],
    drop: list[str],
    policy: str | None,
    *,
    to_be_sparse: Callable[[], str],
) -> Points:
    """Read the columns that are used, settle what is missing, and prepare the rest."""
    table = reading.table
    roles = read_roles(table, who, features, drop)
    cells = {name: reading.cells(name) for name in (*who.groups, *roles.features)}
    columns, reasons = leave_out([as_written(cells[name]) for name in roles.features], chosen=roles.chosen)
    if not columns:
        raise UserError(NO_FEATURES)
    numbers = read_numbers(reading, who)
    rows = rows_to_keep(columns, [cells[name] for name in who.groups], list(numbers.values()), policy)
    if not rows.all():
        columns = [column.select(rows) for column in columns]
    counted = {name: column.select(rows) for name, column in numbers.items()}
    names = names_of_rows(table, who.key, rows) if who.key is not None else _names(cells, reasons, rows)
    groups = groups_of(who, {name: cells[name].select(rows) for name in who.groups} | counted, names)
    prepared = prepare(columns, policy, to_be_sparse=to_be_sparse)
    weights = read_weights(who, counted, rows)
    together = None
    if who.together is not None:
        together = numbered(reading.cells(who.together).select(rows))
    uses = describe_uses(table, roles, groups, reasons | prepared.uses)
    return Points(
        rows,
        prepared,
        groups,
        weights,
        together,
        uses,
        names,
        policy,
        _coordinates(reading, rows),
    )


def describe_uses(table: Source, roles: Roles, groups: "Groups", others: Mapping[str, str]) -> dict[str, str]:
    """What is made of each column; `others` says it of those that could be features."""
    uses: dict[str, str] = dict.fromkeys(table.columns, LeftOut("left out: not in --features"))
    uses |= dict.fromkeys(roles.dropped, LeftOut("left out: --drop"))
    who = roles.who
    uses |= describe_who(groups, who)
    if who.key is not None and who.key not in {*who.named, who.total, who.weight, who.together}:
        uses[who.key] = "names of the rows"
    for name, use in others.items():
        uses[name] = use if name not in who.columns else f"{uses[name]}; {use}"
    return uses


def read_numbers(reading: Reading, who: Who) -> dict[str, Cells]:
    """The columns of weights, members and totals, which must be numbers."""
    found = {}
    for name, option in numbers_of(who).items():
        found[name] = as_written(reading.cells(name))
        check_numbers(found[name], option)
    return found


def read_weights(
    who: Who, columns: Mapping[str, Cells], rows: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """The weights of some rows, if there are any; the first row after the header is 1."""
    if who.weight is None:
        return None
    weights = columns[who.weight].numbers
    wrong = np.flatnonzero(weights < 0)
    if len(wrong):
        first = int(np.flatnonzero(rows)[wrong[0]]) + 1
        raise UserError(
            f"--weight {who.weight!r} must be at least 0, but {len(wrong):,} of {len(weights):,} rows have "
            f"less: the first is {weights[wrong[0]]:g} in row {first:,} (the first after the header is 1); "
            "fix or leave out these rows"
        )
    return weights


def numbers_of(who: Who) -> dict[str, str]:
    """The columns of weights, members and totals, and the option that names each."""
    options = dict.fromkeys(who.members, "--members")
    return options | {
        name: option for name, option in ((who.total, "--total"), (who.weight, "--weight")) if name
    }


def check_numbers(cells: Cells | LargeColumn, option: str) -> None:
    """See that a column holds numbers, as an option needs it."""
    if cells.values is None:
        check_not_empty(cells)
        text, name = next((text for text in cells.texts if not is_number(text)), ""), cells.name
        likely = meant(cells)
        way_out = f"it {likely}" if likely else "choose another column"
        raise UserError(f"{option} {name!r} must hold numbers, but holds {text!r}: {way_out}")


def _coordinates(
    reading: Reading, rows: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Longitude and latitude, if the file has columns of these names with numbers."""
    found = find_coordinates(reading.table.columns)
    if found is None:
        return None
    longitude, latitude = (reading.cells(name) for name in found)
    if longitude.values is None or latitude.values is None:
        return None
    return longitude.select(rows).numbers, latitude.select(rows).numbers


def _names(cells: dict[str, Cells], reasons: dict[str, LeftOut], rows: NDArray[np.bool_]) -> RowNames:
    """Names of the rows where no column is to name them: the first identifier, else their numbers."""
    key = next((cells[name] for name, reason in reasons.items() if isinstance(reason, Identifier)), None)
    if key is None:
        return RowNames(rows)
    texts = [*key.texts, "missing"]
    return RowNames(rows, lambda row: texts[key.codes[row]])
