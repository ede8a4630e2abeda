"""What becomes of missing cells."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells
from minirel.cli.large_column import LargeColumn
from minirel.cli.messages import UserError, warn
from minirel.points.wording import counted, visible

Rows = NDArray[np.bool_]
Column = Cells | LargeColumn


def rows_to_keep(
    features: Sequence[Column], groups: Sequence[Column], must: Sequence[Column], policy: str | None
) -> Rows:
    """Rows that are clustered; those with a missing cell are dropped or filled in as `policy` says.

    ``drop`` drops every such row. ``mean`` and ``category`` fill in features; a missing group drops the row
    with ``mean`` and is a group of its own with ``category``. In the columns of `must` nothing is filled in.
    """
    columns = {cells.name: cells for cells in [*features, *groups, *must]}
    holes = {name: cells.n_missing for name, cells in columns.items() if cells.n_missing}
    n_rows = len(next(iter(columns.values())).is_missing)
    everything = ~_any_missing(columns.values(), n_rows)
    if not holes:
        return everything
    if policy is None:
        told = ", ".join(f"{visible(name)} {count:,}" for name, count in holes.items())
        fill = "mean or category (fill them in), " if features else "category (a group of their own), "
        raise UserError(
            f"missing cells (empty, NA, NaN, null; ? among numbers) in {told} of {n_rows:,} rows\n"
            f"Choose --missing drop ({int(everything.sum()):,} rows are left), {fill}"
            "or leave columns out with --drop."
        )
    if policy == "drop":
        keep = everything
    else:
        for cells in must:
            if cells.n_missing:
                raise UserError(
                    f"column {cells.name!r} has {counted(holes[cells.name], 'missing cell')}, which nothing "
                    "can stand in for: use --missing drop, or fill them in yourself"
                )
        keep = ~_any_missing(groups if policy == "mean" else [], n_rows)
    n_dropped = n_rows - int(keep.sum())
    if n_dropped == n_rows:
        raise UserError("every row has a missing cell: --missing drop leaves nothing; drop columns instead")
    if n_dropped:
        warn(
            f"{n_dropped:,} of {n_rows:,} rows have missing cells and are left out; their cluster stays empty"
        )
    return keep


def _any_missing(columns: Iterable[Column], n_rows: int) -> Rows:
    missing = np.zeros(n_rows, dtype=np.bool_)
    for cells in columns:
        missing |= cells.is_missing
    return missing
