"""The points of a file of any size, with what became of its columns."""

from minirel.cli.messages import UserError, say
from minirel.cli.points import Points, read_points
from minirel.cli.progress import counting
from minirel.cli.reading import read_reading
from minirel.cli.roles import Who
from minirel.cli.shown import show_columns
from minirel.cli.table import Source, Table

_ON_CLUSTER = "do without --workers and --dask, which need a table of them"


def read_any_points(
    table: Source,
    columns: tuple[Who, list[str], list[str], str | None],
    na: list[str],
    split: list[str],
    objective: str,
    quiet: bool,
    *,
    on_cluster: bool = False,
) -> Points:
    """Read the points, and say what is made of each column unless `quiet`.

    `columns` are who is in a row, the options --features and --drop, and what to do about missing cells.
    Points for a cluster are never sparse.
    """

    def to_be_sparse() -> str:
        return _ON_CLUSTER if on_cluster else _to_be_sparse(objective)

    if isinstance(table, Table):
        reading = read_reading(table, na, split)
        points = read_points(reading, *columns, to_be_sparse=to_be_sparse)
    else:
        from minirel.cli.large_parquet import LargeTable
        from minirel.cli.large_points import read_large_points

        assert isinstance(table, LargeTable)
        if split:
            raise UserError(
                "--split is not for files as large as this one: make a column for each value first"
            )
        with counting(quiet) as count:
            points = read_large_points(table, *columns, na=na, to_be_sparse=to_be_sparse, count=count)
    if not quiet:
        n_features = points.features.X.shape[1]
        size = f"{table.n_rows:,} rows, {len(table.columns)} columns"
        say(f"{table.name}: {size} -> {n_features} features", "bold")
        show_columns(points.uses)
    return points


def _to_be_sparse(objective: str) -> str:
    """What would have to change for features to be sparse; nothing, where the objective takes them."""
    from minirel.clustering.objectives import OBJECTIVES

    if OBJECTIVES[objective].accepts_sparse:
        return ""
    return "use --objective k-means, which needs no table of them"
