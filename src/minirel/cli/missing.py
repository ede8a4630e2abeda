"""What becomes of missing cells."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells
from minirel.cli.large_column import LargeColumn
from minirel.cli.messages import UserError, warn
from minirel.points.wording import counted, listed, visible

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
    for cells in [*groups, *must]:
        check_not_empty(cells)
    if policy is None:
        told = ", ".join(f"{visible(name)} {count:,}" for name, count in holes.items())
        ways_out = _ways_out(features, groups, must, int(everything.sum()))
        raise UserError(
            f"missing cells (empty, NA, NaN, null; ? among numbers) in {told} of {n_rows:,} rows\n"
            f"Choose {listed(ways_out, last=', or ')}."
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
        stays = "; their cluster stays empty" if features else ""
        warn(f"{n_dropped:,} of {n_rows:,} rows have missing cells and are left out{stays}")
    return keep


def check_not_empty(cells: Column) -> None:
    """Refuse a column without any value, where one is needed."""
    if not cells.texts and (cells.values is None or not len(cells.values)):
        raise UserError(f"column {cells.name!r} is empty: every cell of it is missing; name another column")


def rows_with_cluster(labels: Cells, groups: Sequence[Cells]) -> Rows:
    """Rows to look at: all but those that lack both a cluster and a group, as `minirel fit` writes them."""
    check_not_empty(labels)
    left_out = labels.is_missing & _any_missing(groups, len(labels.codes))
    if left_out.any():
        n_rows = int(left_out.sum())
        warn(f"{n_rows:,} of {len(left_out):,} rows have neither a group nor a cluster and are left out")
    return ~left_out


def check_clusters(labels: Cells, groups: Sequence[Cells]) -> None:
    """Refuse rows without a cluster, with a word on values that no row with a cluster has."""
    n_without, n_rows = labels.n_missing, len(labels.codes)
    if not n_without:
        return
    advice = ""
    for cells in groups:
        known = ~cells.is_missing
        everywhere = np.bincount(cells.codes[known], minlength=len(cells.texts))
        without = np.bincount(cells.codes[known & labels.is_missing], minlength=len(cells.texts))
        for code in np.flatnonzero(everywhere == without)[:1].tolist():
            text, name = cells.texts[code], visible(cells.name)
            advice += (
                f", among them all {without[code]:,} with {text!r} in {name} (if that says that the group is "
                f"not known, add --na {text!r})"
            )
    n_left = n_rows - int(_any_missing([labels, *groups], n_rows).sum())
    raise UserError(
        f"{n_without:,} of {n_rows:,} rows have no value in --cluster {labels.name!r}{advice}\n"
        f"--missing drop leaves them out ({n_left:,} rows are left), or fill them in yourself."
    )


def _ways_out(
    features: Sequence[Column], groups: Sequence[Column], must: Sequence[Column], n_left: int
) -> list[str]:
    """What can be done about missing cells; only what `fit` makes features of can be left out."""
    ways_out = [f"--missing drop ({n_left:,} rows are left)"] if n_left else []
    if any(cells.n_missing for cells in must):
        ways_out.append("fill them in yourself")
    elif features and any(cells.n_missing for cells in groups):
        ways_out.append("--missing category (fill them in, and make rows without a group one of their own)")
        ways_out.append("--missing mean (fill them in, and leave out rows without a group)")
    elif features:
        ways_out.append("--missing mean or category (fill them in)")
    else:
        ways_out.append("--missing category (a group of their own)")
    named = {cells.name for cells in [*groups, *must]}
    if any(cells.n_missing for cells in features if cells.name not in named):
        ways_out.append("leave columns out with --drop")
    return ways_out


def _any_missing(columns: Iterable[Column], n_rows: int) -> Rows:
    missing = np.zeros(n_rows, dtype=np.bool_)
    for cells in columns:
        missing |= cells.is_missing
    return missing
