"""Which rows of a table are drawn together, and what they are called."""

import pandas as pd

from paper.experiment import Experiment
from paper.run import SOLVERS


def series_of(experiment: Experiment, table: pd.DataFrame) -> list[tuple[str, str]]:
    """Methods with their solvers, in the experiment's order; ordinary k-means has the solver ""."""
    there = set(zip(table["method"], table["solver"], strict=True))
    return [
        (method, solver)
        for method in experiment.methods
        for solver in ("", *SOLVERS)
        if (method, solver) in there
    ]


def called(method: str, solver: str) -> str:
    """A method's name in a picture; only a solver that is not ours is named."""
    return method if solver in ("", SOLVERS[0]) else f"{method}, {solver}"


def rows_of(table: pd.DataFrame, method: str, solver: str) -> pd.DataFrame:
    """The rows of one method with one solver."""
    return table[(table["method"] == method) & (table["solver"] == solver)]


def panel_title(rows: pd.DataFrame) -> str:
    """Name of a data set, and how many points it has."""
    points = " or ".join(f"{n:,}" for n in sorted(set(rows["points"])))
    return f"{rows['data'].iloc[0]} ({points} points)"
