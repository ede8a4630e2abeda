"""The whole of it: a folder in which runs gather, and what is made of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from joblib import cpu_count

from paper.claims import Judged
from paper.clock import Clock
from paper.conditions import conditions_of, joined
from paper.data import DataSource
from paper.engine import Progress, work
from paper.experiment import Experiment
from paper.experiments import EXPERIMENTS
from paper.figures import as_png, as_svg, draw
from paper.page import reproduction_page
from paper.plan import Plan, make_plan
from paper.restore import restore
from paper.results import Results, read_results, to_csv
from paper.run import SOLVERS
from paper.store import Store, write
from paper.stories import stories
from paper.table_1 import table_1

PAGE = "reproduction.html"


@dataclass(frozen=True)
class Reproduction:
    """What is asked for, and where it goes."""

    folder: Path
    experiments: tuple[Experiment, ...]
    solvers: tuple[str, ...]
    quick: bool
    data_home: Path | None
    fetch: bool
    time_limit: float

    @cached_property
    def source(self) -> DataSource:
        """The data sets."""
        return DataSource(self.data_home, self.fetch)

    @cached_property
    def store(self) -> Store:
        """The runs."""
        return Store(self.folder)

    @cached_property
    def plan(self) -> Plan:
        """The runs that are asked for."""
        return self._plan(self.experiments, self.solvers)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the folder, and see that what is in it goes with what is to come."""
        with self.store.opened():
            now = conditions_of(self.plan, self.source, self.time_limit)
            self.store.keep_conditions(joined(self.store.conditions() or {}, now))
            yield

    def restore(self, solvers: tuple[str, ...]) -> int:
        """Take runs of these solvers from the tables that are in the folder; returns how many."""
        everything = self._plan(tuple(EXPERIMENTS.values()), SOLVERS)
        return restore(everything, self.store, self.source, solvers)

    def clock(self) -> Clock:
        """A clock for the runs that are asked for."""
        return Clock(self.plan, cpu_count())

    def work(self, progress: Progress) -> None:
        """Do the runs that are not done yet."""
        work(self.plan, self.store, self.source, progress)

    def results(self) -> Results:
        """All that is in the folder, whenever it was asked for."""
        everything = self._plan(tuple(EXPERIMENTS.values()), SOLVERS)
        here = tuple(
            e
            for e in everything.experiments
            if e in self.experiments or any(self.store.get(run) for _, run in everything.runs[e.name])
        )
        return read_results(self._plan(here, SOLVERS), self.store)

    def write(self, results: Results, judged: list[Judged], command: str) -> Path:
        """Write tables, figures and the page; returns the page's path."""
        figures = self.folder / "figures"
        figures.mkdir(exist_ok=True)
        pictures: dict[str, bytes] = {}
        for experiment in results.plan.experiments:
            table = results.tables[experiment.name]
            write(self.folder / f"{experiment.name}.csv", to_csv(table))
            for figure in experiment.figures if len(table) else ():
                drawn = draw(figure, experiment, table)
                pictures[figure.name] = as_svg(drawn)
                write(figures / f"{figure.name}.svg", pictures[figure.name])
                write(figures / f"{figure.name}.png", as_png(drawn))
        if "times" in results.tables:
            write(self.folder / "table_1.csv", to_csv(table_1(results.tables["times"])))
        if "search" in results.tables:
            write(self.folder / "stories.csv", to_csv(stories(results.tables["search"])))
        page = self.folder / PAGE
        conditions = self.store.conditions() or {}
        write(page, reproduction_page(results, judged, pictures, conditions, command).encode())
        return page

    def _plan(self, experiments: tuple[Experiment, ...], solvers: tuple[str, ...]) -> Plan:
        return make_plan(
            experiments, self.source, quick=self.quick, solvers=solvers, time_limit=self.time_limit
        )


def in_short(judged: list[Judged], way: str) -> str:
    """How many claims hold, of those that are judged for a solver or a search."""
    outcomes = [claim.findings[way].outcome for claim in judged if way in claim.findings]
    return (
        f"With {way}, of {len(outcomes)} claims {outcomes.count('holds')} hold, "
        f"{outcomes.count('does not hold')} do not, and {outcomes.count('not tested')} are not tested."
    )
