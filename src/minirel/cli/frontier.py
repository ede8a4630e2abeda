"""`minirel frontier`: what can be promised in a file, and what it costs."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from minirel.cli import options
from minirel.cli.by_cluster import read_bounds
from minirel.cli.by_group import for_groups, read_promises
from minirel.cli.frontier_values import read_budget, read_lists, read_numbers
from minirel.cli.interrupts import INTERRUPTED, raising
from minirel.cli.messages import UserError, asking_library, say, told
from minirel.cli.output import Content, check_outputs, write_outputs
from minirel.cli.table import Table, read_table
from minirel.cli.time_left import for_the_work
from minirel.cli.typed import typed, typed_args
from minirel.points.wording import listed

if TYPE_CHECKING:
    from minirel import Frontier
    from minirel.cli.points import Points
    from minirel.frontiers.work import Progress

# Where there is no terminal, progress is told this often, in seconds.
_EVERY = 10.0


def frontier(
    file: options.File,
    group: options.Group = [],  # noqa: B006 -- typer reads the default
    clusters: Annotated[
        list[str],
        typer.Option("--clusters", "-k", metavar="K,...", help="Numbers of clusters: 4,6,8 or 4-8."),
    ] = ["4-8"],  # noqa: B006
    alpha: Annotated[
        list[str],
        typer.Option(metavar="SHARE,...", help="Shares that count: 0.4,0.51, or F:0.4,M:0.5;F:0.5,M:0.5."),
    ] = ["0.51"],  # noqa: B006
    beta: Annotated[
        list[str],
        typer.Option(
            metavar="CLUSTERS,...",
            help="Clusters for each group: 1,2,equality_of_opportunity, or F:1,M:2;F:2,M:2.",
        ),
    ] = ["1,2,equality_of_opportunity"],  # noqa: B006
    max_share: Annotated[
        list[str], typer.Option(metavar="SHARE,...", help="Largest shares of a group in every cluster.")
    ] = [],  # noqa: B006
    budget: Annotated[
        str, typer.Option(metavar="SHARE", help="What it may cost more than plain k-means.")
    ] = "2%",
    min_members: options.MinMembers = None,
    exclusive: options.Exclusive = False,
    min_share: options.MinShare = None,
    min_size: options.MinSize = None,
    max_size: options.MaxSize = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write a CSV with a row per request.")
    ] = None,
    json: options.Json = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a page to decide with: one HTML file.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep every fit in this file, and go on from it.")
    ] = None,
    features: options.Names = [],  # noqa: B006
    drop: options.Dropped = [],  # noqa: B006
    weight: options.Weight = None,
    members: options.Members = [],  # noqa: B006
    total: options.Total = None,
    together: options.Together = None,
    id_: options.Id = None,
    missing: options.MissingCells = None,
    objective: options.Cost = options.Objective.k_means,
    prefix: options.Prefix = "assignment",
    seed: options.Seed = 0,
    n_init: options.NInit = 1,
    swaps: options.Swaps = 0,
    seeds: Annotated[
        int, typer.Option(metavar="N", help="Other seeds to fit with, for the stability of each K.")
    ] = 2,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop with what is done by then.")
    ] = None,
    gap: options.Gap = 1e-4,
    n_jobs: Annotated[
        int | None, typer.Option("--n-jobs", metavar="N", help="Fits side by side; -1 for one on each core.")
    ] = None,
    max_requests: Annotated[int, typer.Option(metavar="N", help="Refuse to work on more requests.")] = 1000,
    na: options.Na = [],  # noqa: B006
    split: options.Split = [],  # noqa: B006
    delimiter: options.Delimiter = None,
    quiet: options.Quiet = False,
) -> None:
    """Find out what can be promised, and what each promise costs.

    Every combination of the values given is a request. For each there is a clustering with a proof, and its
    price over plain k-means; or the proof that there is none, and the nearest request that can be met.

    \b
    Example: minirel frontier people.csv --group sex -k 4,6,8 --alpha 0.4,0.51 --beta 1,2 \\
               --budget 2% --out frontier.csv --report page.html
    """  # noqa: D301
    with told():
        started = time.perf_counter()
        check_outputs({"--out": out, "--json": json, "--report": report, "--resume": resume}, file)
        share = read_budget(budget)
        lists = {"alpha": read_lists(alpha, "alpha"), "beta": read_lists(beta, "beta")}
        bounds = read_lists(max_share, "max_share")
        numbers = read_numbers(clusters)
        if seeds < 0:
            raise UserError(f"--seeds must be a whole number of at least 0, but is {seeds}")
        promises = read_promises(min_members=min_members, min_share=min_share)
        sizes = read_bounds(min_size, max_size, least=1)
        table = read_table(file, delimiter)
        from minirel.cli.any_points import read_any_points
        from minirel.cli.roles import read_who

        who = read_who(table, list(group), list(members), total, weight, together, id_)
        columns = who, list(features), list(drop), missing
        points = read_any_points(table, columns, list(na), list(split), objective, quiet)
        varied: dict[str, Any] = {
            name: [for_groups({name: one}, points.groups.names)[name] for one in values]
            for name, values in {**lists, "max_share": bounds}.items()
            if values
        }
        fixed = {
            **for_groups(promises, points.groups.names),
            **sizes,
            "exclusive": exclusive,
            "prefix": prefix,
            "n_init": n_init,
            "n_swaps": swaps,
            "gap": gap,
            "time_limit": time_limit,
        }
        left = for_the_work(time_limit, time.perf_counter() - started, has_more=True)
        _check_early(fixed | {"time_limit": left}, numbers, varied, points)
        compares = report is not None or json is not None
        from minirel import frontier as make

        fixed["time_limit"] = for_the_work(time_limit, time.perf_counter() - started, compares)
        found = numbers_table = None
        try:
            with raising() as again:  # until all is there to be written, also where nothing is computed
                with asking_library({"time_limit": time_limit}), _progress(quiet) as show:

                    def tell(progress: "Progress") -> None:
                        again()
                        show(progress)

                    found = make(
                        points.features.X,
                        points.groups,
                        n_clusters=numbers,
                        **varied,
                        **fixed,
                        sample_weight=points.weights,
                        together=points.together,
                        objective=objective.value,
                        random_state=seed,
                        n_jobs=n_jobs,
                        resume=resume,
                        max_requests=max_requests,
                        callback=tell,
                    )
                if compares and found.stop == "done":
                    from minirel.cli.frontier_comparison import compare

                    left = for_the_work(time_limit, time.perf_counter() - started, report is not None)
                    numbers_table = compare(found, share, seeds, left, quiet)
                    again()
            interrupted = found.stop == "interrupted"
        except KeyboardInterrupt:
            if found is None or found.stop != "done":
                raise
            interrupted, numbers_table = True, None
            say("interrupted: numbers of clusters are not compared; everything else is done", "yellow")
        contents = _contents(table, points, found, share, numbers_table, started, (out, json, report))
        if "-" not in contents and not (quiet and contents):
            from minirel.cli.frontier_output import as_text

            contents["-"] = as_text(found, share).encode(sys.stdout.encoding or "utf-8", "replace")
        write_outputs(contents)
        files = [name for name in contents if name != "-"]
        if not quiet:
            from minirel.cli.frontier_output import summary

            say(summary(found, share), "bold")
            if files:
                say(f"written: {listed(files)}")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _check_early(fixed: dict[str, Any], numbers: list[int], varied: dict[str, Any], points: "Points") -> None:
    """Refuse what can be refused at once: `frontier` itself takes seconds to import."""
    from minirel.cli.early import check_request
    from minirel.clustering.parameters import check_parameters
    from minirel.points.members import weighed
    from minirel.points.weights import read_weights

    if points.together is not None:
        return
    weights = read_weights(points.weights, points.groups.n_points)
    groups = weighed(points.groups, weights)
    one = fixed | {"n_clusters": numbers[0], "alpha": varied["alpha"][0], "beta": 0}
    values = [("n_clusters", number) for number in (min(numbers), max(numbers))]
    values += [(name, value) for name in ("alpha", "max_share") for value in varied.get(name, [])]
    with asking_library():
        for name, value in values:
            check_parameters(one | {name: value}, groups, weights)
    refused = []
    for number in dict.fromkeys(numbers):
        try:
            check_request(one | {"n_clusters": number}, points)
        except UserError as error:
            refused.append(error)
        else:
            return
    raise refused[0]


def _contents(
    table: Table,
    points: "Points",
    found: "Frontier",
    budget: float,
    numbers: Mapping[str, Any] | None,
    started: float,
    files: tuple[str | None, str | None, str | None],
) -> dict[str, Content]:
    from minirel.cli.frontier_output import as_csv, describe, why

    out, json, report = files
    contents: dict[str, Content] = {}
    if out is not None:
        contents[out] = as_csv(found)
    if json is not None:
        from minirel.cli.as_json import describe_input, to_bytes

        contents[json] = to_bytes(
            describe_input(table, typed(), points.uses) | describe(found, budget, numbers)
        )
    if report is not None:
        from minirel.cli.frontier_values import fit_command
        from minirel.cli.page import frontier_page

        contents[report] = frontier_page(
            found,
            table,
            points,
            time.perf_counter() - started,
            budget=budget,
            choose_k=numbers,
            commands=[fit_command(typed_args(), one.values) for one in found.requests],
            reasons=[why(found, i) for i in range(len(found))],
        )
    return contents


@contextmanager
def _progress(quiet: bool) -> "Iterator[Callable[[Progress], None]]":
    """A callback that shows how far the work is: in place on a terminal, else now and then."""
    if quiet:
        yield lambda progress: None
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True, highlight=False).status("k-means ...") as status:
            yield lambda progress: status.update(str(progress).replace("[", r"\["))
    else:
        heard = [float("-inf")]

        def show(progress: "Progress") -> None:
            if time.monotonic() - heard[0] >= _EVERY or progress.done == progress.total:
                heard[0] = time.monotonic()
                say(str(progress))

        yield show
