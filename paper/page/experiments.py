"""An experiment on the page: what it asks, what varied, and its pictures."""

from base64 import b64encode
from collections.abc import Mapping, Sequence

from minirel.points.numbers import amount
from minirel.report.markup import Child, Markup, tag
from minirel.report.table import facts, paragraph
from paper.experiment import Experiment, Figure
from paper.results import Results


def experiment_in_full(
    experiment: Experiment, results: Results, pictures: Mapping[str, bytes]
) -> list[Child]:
    """All that comes before tables and claims."""
    return [
        paragraph(experiment.about),
        facts(_varied(experiment, results)),
        *(_figure(figure, experiment, pictures.get(figure.name)) for figure in experiment.figures),
    ]


def _varied(experiment: Experiment, results: Results) -> list[tuple[Child, Child]]:
    grid = experiment.grid(results.plan.quick)
    data = [f"{name} (left out)" if name in results.plan.left_out else name for name in grid.data]
    points = "all" if grid.sample is None else f"at most {grid.sample:,} of each data set, drawn at random"
    limit = "" if experiment.time_limit is None else f"{experiment.time_limit:g} seconds a fit"
    rows: list[tuple[Child, Child]] = [
        ("Where in the paper", experiment.place),
        ("Compared", "; ".join(experiment.methods)),
        ("Data sets", ", ".join(data)),
        ("Points", points),
        ("Numbers of clusters", _spans(grid.n_clusters)),
        ("Seeds", amount(len(grid.seeds))),
        ("Time limit", limit),
        ("Runs done", _done(experiment, results)),
    ]
    return [(name, said) for name, said in rows if said]


def _done(experiment: Experiment, results: Results) -> str:
    """How many of the planned runs there are; a solver that nobody used was not asked for."""
    table = results.tables[experiment.name]
    done = len(table[["data", "method", "solver", "n_clusters", "seed"]].drop_duplicates())
    used = ("", None, *(results.solvers or ["certified"]))
    due = sum(run.solver in used for _, run in results.plan.runs[experiment.name])
    return f"{done:,} of {due:,}" if done < due else f"all {done:,}"


def _spans(numbers: Sequence[int]) -> str:
    """4 to 15, if none is left out between."""
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _figure(figure: Figure, experiment: Experiment, picture: bytes | None) -> Markup:
    if picture is None:
        return paragraph(f"Not drawn, because no run of it is done yet: {figure.caption}", class_="about")
    image = tag(
        "img",
        src=f"data:image/svg+xml;base64,{b64encode(picture).decode()}",
        alt=f"{figure.caption} The numbers are in {experiment.name}.csv.",
    )
    # In a container of its own it scrolls on a small screen: shrunk to it, nobody could read it.
    return tag(
        "figure",
        tag("figcaption", figure.caption),
        tag("div", image, class_="picture", role="region", tabindex=0, aria_label=figure.caption),
        class_="drawn",
    )
