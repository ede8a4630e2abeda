"""What an experiment is: what varies, what is measured, what is drawn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

from paper.run import SOLVERS, Method, Run

# Columns that say which run a row is about, and all that can be measured.
SETTING = ("data", "points", "method", "solver", "n_clusters", "seed")
PROOF = ("lower_bound", "gap", "status", "stopped", "promises_kept")


@dataclass(frozen=True)
class Grid:
    """Every combination of these is run, by every method of the experiment."""

    data: tuple[str, ...]
    n_clusters: tuple[int, ...]
    seeds: tuple[int, ...]
    sample: int | None = None


@dataclass(frozen=True)
class Figure:
    """A measure against the number of clusters: one panel per data set, one line per method."""

    name: str
    caption: str
    measure: str
    label: str
    kind: Literal["lines", "represented"] = "lines"
    log: bool = False
    # "mean": over seeds, with standard errors; "best": the seed of least cost; "price": how many percent the
    # least cost of all seeds is above that of their k-means; "one fit": how many percent a cost is above the
    # least that any k-means found, mean over seeds, with standard errors.
    over_seeds: Literal["mean", "best", "price", "one fit"] = "mean"
    methods: tuple[str, ...] | None = None  # which are drawn; None: all


@dataclass(frozen=True)
class Experiment:
    """One of the paper's experiments.

    Attributes
    ----------
    name : str
        Its short name, for files and for ``--only``.
    title, about : str
        What it asks, and how.
    place : str
        Where it stands in the paper.
    methods : mapping of str to Method
        What is compared, by the name it has in tables and figures.
    whole, quick : Grid
        What varies, in the whole reproduction and in the quick one.
    measured : tuple of str
        Columns of its table, besides those that say which run it is.
    figures : tuple of Figure
        What is drawn.
    timed : bool
        Whether its runs need the machine to themselves.
    by_group : bool
        Whether its table has one row per group.
    time_limit : float or None
        Seconds after which a run returns the best it has.
    solvers : tuple of str
        The solvers that it can be made with.
    """

    name: str
    title: str
    about: str
    place: str
    methods: Mapping[str, Method]
    whole: Grid
    quick: Grid
    measured: tuple[str, ...]
    figures: tuple[Figure, ...]
    timed: bool
    by_group: bool = False
    time_limit: float | None = None
    solvers: tuple[str, ...] = SOLVERS

    def grid(self, quick: bool) -> Grid:
        """What varies."""
        return self.quick if quick else self.whole

    def runs(self, *, quick: bool, solver: str, time_limit: float | None = None) -> Iterator[tuple[str, Run]]:
        """Every run, with the name of its method; `time_limit` holds where the experiment has none."""
        grid = self.grid(quick)
        limit = time_limit if self.time_limit is None else self.time_limit
        # Methods vary fastest: an interrupt leaves whole sets to compare, timed close to each other.
        for data, n_clusters, seed, (name, method) in product(
            grid.data, grid.n_clusters, grid.seeds, self.methods.items()
        ):
            if method.is_fair:
                yield name, Run(data, grid.sample, method, n_clusters, seed, solver, limit)
            else:
                yield name, Run(data, grid.sample, method, n_clusters, seed, None)
