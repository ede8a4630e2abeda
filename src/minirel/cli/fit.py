"""`minirel fit`: cluster a file."""

import sys
import time
from decimal import ROUND_FLOOR, Context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minirel.cli import options
from minirel.cli.by_cluster import read_bounds
from minirel.cli.by_group import Typed, for_groups, read_promises
from minirel.cli.cluster import asked_cluster, fit_there, on_cluster
from minirel.cli.messages import UserError, asking_library, say, told, warn
from minirel.cli.output import Content, check_outputs, write_outputs
from minirel.cli.progress import progress
from minirel.cli.table import SUFFIXES, Source, kind_of
from minirel.cli.time_left import for_the_work
from minirel.cli.typed import typed
from minirel.points.percent import percent
from minirel.points.wording import listed, visible

if TYPE_CHECKING:
    from minirel import Explanation, MiniReL
    from minirel.cli.points import Points


def fit(
    file: options.File,
    group: options.Group = [],  # noqa: B006 -- typer reads the default
    clusters: Annotated[int, typer.Option("--clusters", "-k", metavar="K", help="Number of clusters.")] = 8,
    alpha: options.Alpha = "0.51",
    beta: options.Beta = "equality_of_opportunity",
    min_members: options.MinMembers = None,
    exclusive: options.Exclusive = False,
    min_share: options.MinShare = None,
    max_share: options.MaxShare = None,
    min_size: options.MinSize = None,
    max_size: options.MaxSize = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write the input with one more column.")
    ] = None,
    json: options.Json = None,
    report: options.Report = None,
    members: options.Members = [],  # noqa: B006
    total: options.Total = None,
    together: options.Together = None,
    neighbours: options.Neighbours = None,
    id_: options.Id = None,
    connect: Annotated[bool, typer.Option("--connect", help="Connect clusters that are in pieces.")] = False,
    features: options.Names = [],  # noqa: B006
    drop: options.Dropped = [],  # noqa: B006
    weight: options.Weight = None,
    missing: options.MissingCells = None,
    objective: options.Cost = options.Objective.k_means,
    prefix: options.Prefix = "assignment",
    seed: options.Seed = 0,
    n_init: options.NInit = 1,
    swaps: options.Swaps = 0,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop with the best found so far.")
    ] = None,
    gap: options.Gap = 1e-4,
    n_jobs: Annotated[
        int | None, typer.Option("--n-jobs", metavar="N", help="Threads; -1 for one on each core.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Fit on so many Dask workers on this machine.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Fit on the Dask cluster of this scheduler.")
    ] = None,
    na: options.Na = [],  # noqa: B006
    split: options.Split = [],  # noqa: B006
    cluster_name: Annotated[str, typer.Option(metavar="NAME", help="Name of the new column.")] = "cluster",
    delimiter: options.Delimiter = None,
    quiet: options.Quiet = False,
) -> None:
    """Cluster the rows of a file so that every group gets its clusters.

    \b
    Example: minirel fit people.csv --group sex -k 8 --drop id --out clustered.csv --report page.html
    """  # noqa: D301
    others = {
        "--objective k-medians": objective == "k-medians",
        "--members": bool(members),
        "--together": together is not None,
        "--neighbours": neighbours is not None,
        "--connect": connect,
    }
    started = time.perf_counter()
    with told(), asked_cluster(workers, dask, others) as cluster:
        check_outputs({"--out": out, "--json": json, "--report": report}, file)
        promises = read_promises(
            alpha=alpha, beta=beta, min_members=min_members, min_share=min_share, max_share=max_share
        )
        sizes = read_bounds(min_size, max_size, least=1)
        from minirel.cli.large_parquet import open_table

        table = open_table(file, delimiter)
        if out is not None:
            _check_out(out, table, cluster_name)
        from minirel.cli.any_points import read_any_points
        from minirel.cli.early import check_request
        from minirel.cli.neighbours import among, read_pairs
        from minirel.cli.roles import read_who

        who = read_who(table, list(group), list(members), total, weight, together, id_)
        pairs = read_pairs(neighbours, table, id_, delimiter)
        columns = who, list(features), list(drop), missing
        points = read_any_points(
            table, columns, list(na), list(split), objective, quiet, on_cluster=cluster is not None
        )
        asked = {
            "n_clusters": clusters,
            **for_groups(promises, points.groups.names),
            **sizes,
            "exclusive": exclusive,
            "total": total,
            "objective": objective.value,
            "prefix": prefix,
            "n_init": n_init,
            "n_swaps": swaps,
            "connect": connect,
            "gap": gap,
            "time_limit": time_limit,
            "random_state": seed,
            "n_jobs": n_jobs,
        }
        left = for_the_work(time_limit, time.perf_counter() - started, has_more=True)
        check_request(asked | {"time_limit": left}, points, together)
        from minirel import MiniReL

        model = MiniReL(**asked)
        with (
            asking_library({"time_limit": time_limit}, points.row_names),
            on_cluster(cluster, points, quiet) as there,
            progress(quiet, at_once=n_jobs not in (None, 1)) as show,
        ):
            left = for_the_work(time_limit, time.perf_counter() - started, report is not None)
            model.set_params(callback=show, time_limit=left)
            if there is not None:
                model = fit_there(model, there, points)
            else:
                model.fit(
                    points.features.X,
                    sensitive_features=points.groups,
                    sample_weight=points.weights,
                    together=points.together,
                    neighbours=among(pairs, points.rows),
                )
        # Progress on the screen is not part of the request, and the time limit is that of the command.
        model.set_params(callback=None, time_limit=time_limit)
        from minirel import explain

        _warn(model, promises["beta"])
        why = explain(model)
        if not quiet:
            _summarise(model, why)
        contents = _contents(table, points, model, why, started, out, json, report, cluster_name)
        write_outputs(contents)
        # Behind the files, so that there is no table where one of them failed.
        if "-" not in contents and not (quiet and contents):
            shown = f"{model.audit_}\n".encode(sys.stdout.encoding or "utf-8", "replace")
            write_outputs({"-": shown})
        if not quiet:
            _tell_written(contents, out, cluster_name)
    if not model.audit_.satisfied:
        raise typer.Exit(1)


def _warn(model: "MiniReL", counts: Typed) -> None:
    """What belongs beside "every promise is kept", with a way out."""
    from minirel.outcome.pieces import pieces_in_words
    from minirel.outcome.remarks import remarks

    audit = model.audit_
    groups, clusters = ([visible(str(name)) for name in names] for names in (audit.groups, audit.clusters))
    pieces = [] if model.connect or not audit.disconnected else pieces_in_words(audit, clusters)
    for sentence in [*remarks(audit, groups, clusters), *pieces]:
        warn(sentence)
    if isinstance(counts, str) and (audit.unpromised or not any(audit.beta)):
        whom = "no cluster to these groups" if any(audit.beta) else "no cluster to any group"
        warn(
            f"--beta {counts} rounds down, and promises {whom}, too small for one of {model.n_clusters}: "
            "promise one with --beta 1 or by group, or raise --clusters"
        )


def _summarise(model: "MiniReL", why: "Explanation") -> None:
    dearer = why.cost / why.start_cost - 1 if why.start_cost > 0 else 0.0
    change = f"{percent(abs(dearer))} {'more' if dearer >= 0 else 'less'}"
    say(
        f"done: cost {why.cost:.6g}, {change} than {model.result_.compared_with}, {why.start_cost:.6g}; "
        f"{len(why.points):,} of {len(model.labels_):,} rows are not with their nearest center",
        "bold",
    )
    say(f"{model.status_}: {_proof(model)}")


def _proof(model: "MiniReL") -> str:
    from minirel.outcome.proven import covers

    if not model.lower_bound_ > 0:
        return "how close this is to the cheapest has not been proven"
    return (
        f"for {covers(model.assignment_)}, nothing costs less than {_down(model.lower_bound_)}; other starts "
        "(--n-init) may find cheaper"
    )


def _down(bound: float) -> str:
    """Six digits, rounded down, so that no more is said than is proven."""
    return f"{Context(prec=6, rounding=ROUND_FLOOR).create_decimal_from_float(bound):g}"


def _contents(
    table: Source,
    points: "Points",
    model: "MiniReL",
    why: "Explanation",
    started: float,
    out: str | None,
    json: str | None,
    report: str | None,
    cluster_name: str,
) -> dict[str, Content]:
    labels = points.spread(model.labels_)
    contents: dict[str, Content] = {}
    if out is not None:
        from minirel.cli.with_clusters import with_clusters

        contents[out] = with_clusters(table, labels, cluster_name)
    if json is not None:
        from minirel.cli.as_json import describe_fit, describe_input, to_bytes

        source = describe_input(table, typed(), points.uses)
        contents[json] = to_bytes(source | describe_fit(model, why, labels, points.features))
    if report is not None:
        from minirel.cli.page import fit_page

        contents[report] = fit_page(model, why, table, points, started)
    return contents


def _tell_written(contents: dict[str, Content], out: str | None, cluster_name: str) -> None:
    """Say which files were written."""
    files = [
        f"{file} (the input with a column {cluster_name!r})" if file == out else file
        for file in contents
        if file != "-"
    ]
    if files:
        say(f"written: {listed(files)}")


def _check_out(out: str, table: Source, cluster_name: str) -> None:
    from minirel.cli.with_clusters import check_new_name

    check_new_name(table, cluster_name)
    tells = Path(out).suffix.lower() in SUFFIXES
    if tells and kind_of(out) != table.kind:
        raise UserError(
            f"--out {out}: the result has the format of {table.name}, {table.kind.upper()}: "
            "give it a name that says so"
        )
