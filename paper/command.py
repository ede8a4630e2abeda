"""The command: rerun the paper."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from minirel.cli import options
from minirel.cli.interrupts import raising
from minirel.cli.messages import UserError, say, told
from minirel.cli.usage import VisibleCommand
from paper.claims import judge
from paper.experiment import Experiment
from paper.experiments import EXPERIMENTS
from paper.markdown import blocks, updated
from paper.page.verdicts import ways_of
from paper.progress import RunsProgress
from paper.reproduction import Reproduction, in_short
from paper.run import SOLVERS
from paper.store import StoreError

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)


@app.command(cls=VisibleCommand)
def reproduce(
    quick: Annotated[
        bool, typer.Option("--quick", help="Minutes, not hours: iris and samples, few K and seeds.")
    ] = False,
    solver: Annotated[
        str, typer.Option(metavar="NAME", help="certified, highs (the paper's integer program) or both.")
    ] = "certified",
    only: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these experiments; 'list' tells their names.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FOLDER", help="Where runs are kept, and the page.")
    ] = None,
    data_home: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="UCI's files; by default that in MINIREL_DATA.")
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch", help="Get Adult and default from OpenML.")] = False,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", help="For each fit with highs; stopped fits are marked.")
    ] = 60,
    restore: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Keep the runs in FOLDER's tables: certified, highs or both."),
    ] = None,
    doc: Annotated[
        str | None, typer.Option(metavar="FILE", help="Bring the tables in this Markdown up to date.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Rerun the experiments of the paper, and judge its claims one by one.

    Every run is kept as soon as it is done: stopped or killed, the same command goes on where it was. What is
    timed runs alone, so leave the machine in peace.

    \b
    Examples:
      python -m paper --quick
      python -m paper --out here
      python -m paper --out here --solver highs --only times,costs
    """  # noqa: D301
    with told(), ExitStack() as until_the_end:
        if only == "list":
            for experiment in _chosen(None):
                typer.echo(f"{experiment.name}: {experiment.title} ({experiment.place})")
            return
        folder = Path(out or ("minirel-reproduction-quick" if quick else "minirel-reproduction"))
        kept = () if restore is None else _solvers(restore, "--restore")
        document = None if doc is None else Path(doc)
        if document is not None and not document.is_file():
            raise UserError(f"--doc must be a file, but there is no {doc}")
        try:
            job = Reproduction(
                folder=folder,
                experiments=_chosen(only),
                solvers=_solvers(solver),
                quick=quick,
                data_home=None if data_home is None else Path(data_home),
                fetch=fetch,
                time_limit=_positive(time_limit),
            )
            until_the_end.enter_context(job.opened())
        except ValueError as error:
            raise UserError(str(error)) from error
        if kept:
            n_kept = job.restore(kept)
            say(f"{n_kept:,} runs of {' and '.join(kept)} are taken from the tables in {folder}")
        for name, why in job.plan.left_out.items():
            say(f"{name} is left out: {why}", "yellow")
        with raising(), RunsProgress(job.clock(), quiet) as progress, _kept(folder):
            job.work(progress)
        results = job.results()
        judged = judge(results)
        page = job.write(results, judged, shlex.join(["python", "-m", "paper", *sys.argv[1:]]))
        if document is not None:
            text = document.read_text(encoding="utf-8")
            document.write_text(updated(text, blocks(results, judged)), encoding="utf-8")
        if not quiet:
            for way in ways_of(judged):
                say(in_short(judged, way), "bold")
            say(f"The page, with every figure and number: {page}")


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Say, when the work is cut short, that it is not lost."""
    told_how = f"the runs that are done are kept in {folder}, and the same command goes on from there"
    try:
        yield
    except KeyboardInterrupt:
        say(told_how)
        raise
    except StoreError as error:
        raise UserError(str(error)) from error
    except OSError as error:
        raise UserError(f"{error}; {told_how}") from error


def _chosen(only: str | None) -> tuple[Experiment, ...]:
    if only is None:
        return tuple(EXPERIMENTS.values())
    names = [name.strip() for name in only.split(",")]
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        raise UserError(
            f"--only must name experiments, but there is no {unknown[0]!r}; there are: "
            f"{', '.join(EXPERIMENTS)}"
        )
    return tuple(experiment for name, experiment in EXPERIMENTS.items() if name in names)


def _solvers(solver: str, option: str = "--solver") -> tuple[str, ...]:
    if solver not in (*SOLVERS, "both"):
        raise UserError(f"{option} must be {', '.join(SOLVERS)} or both, but is {solver!r}")
    return SOLVERS if solver == "both" else (solver,)


def _positive(time_limit: float) -> float:
    if not 0 < time_limit < float("inf"):
        raise UserError(f"--time-limit must be a number of seconds above 0, but is {time_limit:g}")
    return time_limit
