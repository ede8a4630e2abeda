"""The paper's integer program beside our solver, in runs that both made."""

import math

import pandas as pd

from minirel.points.numbers import amount
from minirel.report.markup import Child, Markup, tag
from minirel.report.table import Cell, Head, paragraph, table, word
from paper.experiment import Experiment
from paper.page.times import seconds
from paper.results import Results
from paper.run import SOLVERS

_OURS, _THEIRS = SOLVERS
_UNKNOWN = Cell("–", -1.0, "number")
_RUN = ["data", "method", "n_clusters", "seed"]


def both_solvers(results: Results) -> list[Child]:
    """What both took and found, a table an experiment; nothing if only one was used."""
    tables = [
        _table(experiment, pairs)
        for experiment in results.plan.experiments
        if len(pairs := pairs_of(results.tables[experiment.name]))
    ]
    said = (
        "The same assignments solved in two ways: by our solver (certified), and by the paper's integer "
        "program as HiGHS solves it (highs). Only runs that both made are counted, with the same data, "
        "method, number of clusters and seed. A cost ratio above 1 means that highs found dearer "
        "clusterings. Finished is how many runs ended before the time limit; where some did not, their "
        "seconds are too low: “≥”."
    )
    return [paragraph(said), *tables] if tables else []


def _table(experiment: Experiment, pairs: pd.DataFrame) -> Markup:
    heads = [
        Head("Data set"),
        Head("Method"),
        Head("Runs", number=True, note="that both solvers made"),
        Head("Seconds, certified", number=True, note="mean"),
        Head("Seconds, highs", number=True, note="mean"),
        Head("Seconds, highs / certified", number=True, note="ratio of the means"),
        Head("Cost, highs / certified", number=True, note="mean over runs"),
        Head("Finished, certified", number=True),
        Head("Finished, highs", number=True),
    ]
    rows = [
        [_name(data), _name(method), *_cells(pair)]
        for (data, method), pair in pairs.groupby(["data", "method"], sort=False)
    ]
    # What an experiment does not measure has no column.
    kept = [i for i in range(len(heads)) if any(row[i].shown != _UNKNOWN.shown for row in rows)]
    return table(
        experiment.title,
        [heads[i] for i in kept],
        [[row[i] for i in kept] for row in rows],
        label=f"Both solvers: {experiment.title}",
    )


def pairs_of(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per run that both solvers made, the columns of the other solver ending in its name."""
    measured = [name for name in ("seconds", "cost", "stopped") if name in rows]
    # In a table by group a run has one row per group.
    runs = rows.drop_duplicates([*_RUN, "solver"])[[*_RUN, "solver", *measured]]
    ours, theirs = (runs[runs["solver"] == solver].drop(columns="solver") for solver in (_OURS, _THEIRS))
    return ours.merge(theirs, on=_RUN, suffixes=(f" {_OURS}", f" {_THEIRS}"))


def _cells(pair: pd.DataFrame) -> list[Cell]:
    n = len(pair)
    ours, theirs = (_mean(pair, f"seconds {solver}") for solver in SOLVERS)
    finished = {
        solver: int((pair[f"stopped {solver}"] != "time_limit").sum())
        for solver in SOLVERS
        if f"stopped {solver}" in pair
    }
    costs = pair[f"cost {_THEIRS}"] / pair[f"cost {_OURS}"] if f"cost {_OURS}" in pair else None
    dearer = math.nan if costs is None else float(costs.mean())
    at_least = {solver: "≥ " if finished.get(solver, n) < n else "" for solver in SOLVERS}
    # With both too low, their ratio could be anything.
    ratio = theirs / ours if ours and not at_least[_OURS] else math.nan
    return [
        _number(amount(n), n),
        _number(f"{at_least[_OURS]}{seconds(ours)}", ours),
        _number(f"{at_least[_THEIRS]}{seconds(theirs)}", theirs),
        _number(f"{at_least[_THEIRS]}{ratio:,.1f}", ratio),
        _number(f"{dearer:.4f}", dearer),
        *(_number(f"{finished.get(s, 0)} of {n}", finished.get(s, math.nan)) for s in SOLVERS),
    ]


def _mean(pair: pd.DataFrame, name: str) -> float:
    return float(pair[name].mean()) if name in pair else math.nan


def _name(value: object) -> Cell:
    return word(tag("bdi", str(value), class_="name"))


def _number(shown: str, value: float) -> Cell:
    return Cell(shown, float(value), "number") if math.isfinite(value) else _UNKNOWN
