"""`minirel audit`: look at a clustering, whoever made it."""

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from minirel.cli import options
from minirel.cli.by_cluster import read_bounds
from minirel.cli.by_group import Typed, for_groups, read_promises
from minirel.cli.messages import UserError, asking_library, told
from minirel.cli.output import check_outputs, write_outputs
from minirel.cli.table import read_table
from minirel.cli.typed import typed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from minirel import Audit
    from minirel.cli.reading import Reading
    from minirel.cli.roles import Who


def audit(
    file: options.File,
    group: options.Group = [],  # noqa: B006 -- typer reads the default
    cluster: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the clusters.")] = "cluster",
    alpha: options.Alpha = "0.51",
    beta: options.Beta = "equality_of_opportunity",
    min_members: options.MinMembers = None,
    exclusive: options.Exclusive = False,
    min_share: options.MinShare = None,
    max_share: options.MaxShare = None,
    min_size: options.MinSize = None,
    max_size: options.MaxSize = None,
    json: options.Json = None,
    report: options.Report = None,
    members: options.Members = [],  # noqa: B006
    total: options.Total = None,
    weight: options.Weight = None,
    neighbours: options.Neighbours = None,
    id_: options.Id = None,
    missing: Annotated[
        options.Missing | None,
        typer.Option(help="Rows with missing cells: drop them (mean too), or make them a group (category)."),
    ] = None,
    na: options.Na = [],  # noqa: B006 -- typer reads the default
    split: options.Split = [],  # noqa: B006
    delimiter: options.Delimiter = None,
) -> None:
    """Tell who is represented in which cluster, and which promises are broken (exit code 1).

    \b
    Example: minirel audit clustered.csv --cluster cluster --group sex --beta Female:2,Male:3
    """  # noqa: D301
    with told():
        started = time.perf_counter()
        check_outputs({"--json": json, "--report": report}, file)
        promises = read_promises(
            alpha=alpha, beta=beta, min_members=min_members, min_share=min_share, max_share=max_share
        )
        everywhere = {"exclusive": exclusive, **read_bounds(min_size, max_size, least=0)}
        table = read_table(file, delimiter)
        from minirel.cli.neighbours import read_pairs
        from minirel.cli.reading import read_reading
        from minirel.cli.roles import read_who

        reading = read_reading(table, list(na), list(split))
        who = read_who(table, list(group), list(members), total, weight, key=id_)
        pairs = read_pairs(neighbours, table, id_, delimiter)
        result, uses, rows = _audit(reading, cluster, who, promises, everywhere, missing, pairs)
        contents: dict[str, bytes] = {}
        if json is not None:
            from minirel.cli.as_json import describe_audit, describe_input, to_bytes

            contents[json] = to_bytes(describe_input(table, typed(), uses) | describe_audit(result))
        if report is not None:
            from minirel.cli.page import audit_page

            contents[report] = audit_page(result, table, uses, rows, missing, time.perf_counter() - started)
        if json != "-" and report != "-":
            contents["-"] = f"{result}\n".encode(sys.stdout.encoding or "utf-8", "replace")
        write_outputs(contents)
    if not result.satisfied:
        raise typer.Exit(1)


def _audit(
    reading: "Reading",
    cluster: str,
    who: "Who",
    promises: dict[str, Typed],
    everywhere: dict[str, Any],
    policy: str | None,
    pairs: "NDArray[np.int64] | None",
) -> tuple["Audit", dict[str, str], "NDArray[np.bool_]"]:
    from minirel.cli.grouping import clusters_of, describe_who, groups_of
    from minirel.cli.missing import check_clusters, rows_to_keep, rows_with_cluster
    from minirel.cli.neighbours import among
    from minirel.cli.points import read_numbers, read_weights
    from minirel.cli.row_names import names_of_rows
    from minirel.outcome.audit import audit as audit_library

    table = reading.table
    table.check_columns([cluster], "--cluster")
    if cluster in who.named:
        other = "--group" if who.groups else "--members"
        raise UserError(f"column {cluster!r} is both --cluster and {other}: choose another for one of them")
    labels = reading.cells(cluster)
    columns = {name: reading.cells(name) for name in who.groups}
    numbers = read_numbers(reading, who)
    rows = rows_with_cluster(labels, list(columns.values()))
    grouped = [column.select(rows) for column in columns.values()]
    others = [column.select(rows) for column in (labels, *numbers.values())]
    if policy is None:
        check_clusters(others[0], grouped)
    rows[rows] = rows_to_keep([], grouped, others, policy)
    chosen = {name: column.select(rows) for name, column in (columns | numbers).items()}
    groups = groups_of(who, chosen, names_of_rows(table, who.key, rows))
    uses = dict.fromkeys(table.columns, "not used") | {cluster: "clusters"} | describe_who(groups, who)
    if who.key is not None and uses[who.key] == "not used":
        uses[who.key] = "names of the rows"
    weights = read_weights(who, chosen, rows)
    with asking_library():
        result = audit_library(
            clusters_of(labels.select(rows)),
            groups,
            **for_groups(promises, groups.names),
            **everywhere,
            neighbours=among(pairs, rows),
            sample_weight=weights,
        )
    return result, uses, rows
