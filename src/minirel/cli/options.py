"""Options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer

File = Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV or Parquet; - is CSV on standard input.")]
Group = Annotated[
    list[str],
    typer.Option("--group", "-g", metavar="COLUMN", help="Column of the groups; repeat for several."),
]
Members = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="In place of --group, where rows are units of many people: column with the number of members of "
        "a group; repeat for several.",
    ),
]
Total = Annotated[str | None, typer.Option(metavar="COLUMN", help="With --members: column with the total.")]
Together = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Rows of one value, a household say, go together."),
]
Alpha = Annotated[
    str, typer.Option(metavar="SHARE", help="Share that counts: 0.51, or Female:0.4,Male:0.51.")
]
Beta = Annotated[
    str,
    typer.Option(
        metavar="CLUSTERS",
        help="Clusters for each group: a number, Female:3,Male:4 (with several columns sex=Female:3), "
        "equality_of_opportunity (by size) or statistical_parity (the same for all).",
    ),
]
MinShare = Annotated[
    str | None, typer.Option(metavar="SHARE", help="Least share of a group in every cluster.")
]
MaxShare = Annotated[
    str | None, typer.Option(metavar="SHARE", help="Largest share of a group in every cluster.")
]
MinMembers = Annotated[str | None, typer.Option(metavar="N", help="Members with which a cluster counts.")]
MinSize = Annotated[str | None, typer.Option(metavar="N", help="Smallest size, or by cluster: 10,20,30.")]
MaxSize = Annotated[str | None, typer.Option(metavar="N", help="Largest size, or by cluster: 10,-,30.")]
Exclusive = Annotated[bool, typer.Option("--exclusive", help="A cluster counts for one group only.")]
Names = Annotated[list[str], typer.Option(metavar="A,B", help="Use only these columns as features.")]
Dropped = Annotated[list[str], typer.Option(metavar="C,D", help="Leave these columns out.")]
Weight = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with the weight of each row.")]
Neighbours = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="CSV of pairs of neighbouring rows, by --id or number: count pieces."),
]
Id = Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="Column that names the rows.")]
Delimiter = Annotated[str | None, typer.Option(metavar="CHAR", help="What separates the cells of a CSV.")]
Na = Annotated[
    list[str],
    typer.Option("--na", metavar="TEXT", help="Another word for a missing cell."),
]
Split = Annotated[
    list[str],
    typer.Option("--split", metavar="COLUMN:SEP", help="Cells of several values, such as country:';'."),
]
Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the whole result; - to show.")
]
Report = Annotated[str | None, typer.Option(metavar="FILE", help="Write a report: one HTML page.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only warnings; with output files, no table.")]


class Missing(StrEnum):
    """What becomes of rows with missing cells."""

    drop = "drop"
    mean = "mean"
    category = "category"


class Objective(StrEnum):
    """What a clustering costs."""

    k_means = "k-means"
    k_medians = "k-medians"


MissingCells = Annotated[Missing | None, typer.Option(help="What to do about missing cells.")]
Cost = Annotated[Objective, typer.Option("--objective", help="What a clustering costs.")]
Prefix = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Who holds which cluster; none: part of the problem.",
        callback=lambda name: None if name == "none" else name,
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Same seed, same result.")]
NInit = Annotated[int, typer.Option(metavar="N", help="Starts; the cheapest is kept.")]
Swaps = Annotated[int, typer.Option(metavar="N", help="Swaps of one center to try.")]
Gap = Annotated[float, typer.Option(metavar="G", help="Relative gap to prove.")]
