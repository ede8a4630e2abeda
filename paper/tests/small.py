"""Small experiments on iris, and how they are done."""

from pathlib import Path

from paper.data import IRIS, DataSource
from paper.engine import work
from paper.experiment import PROOF, Experiment, Grid
from paper.plan import Plan, make_plan
from paper.results import Results, read_results
from paper.run import EQUAL_OPPORTUNITY, K_MEANS, STATISTICAL_PARITY, Record, Run
from paper.store import Store

METHODS = {"k-means": K_MEANS, "fair, SP": STATISTICAL_PARITY, "EqOp": EQUAL_OPPORTUNITY}


class Told:
    """A progress that remembers which runs were done, and which were so before."""

    def __init__(self) -> None:
        self.now: list[Run] = []
        self.before: list[Run] = []

    def done(self, run: Run, record: Record, *, before: bool) -> None:
        assert record["seed"] == run.seed
        (self.before if before else self.now).append(run)


def small(name="small", *, grid=None, **changes) -> Experiment:
    grid = grid or Grid((IRIS,), (4, 5), (0, 1))
    plain = {
        "title": "?",
        "about": "",
        "place": "",
        "methods": METHODS,
        "whole": grid,
        "quick": grid,
        "measured": ("seconds", "prefix_seconds", "iterations", "cost", *PROOF),
        "figures": (),
        "timed": True,
    }
    return Experiment(name, **(plain | changes))


def planned(
    *experiments: Experiment, source=None, quick=False, solvers=("certified",), time_limit=None
) -> Plan:
    return make_plan(experiments, source or DataSource(), quick=quick, solvers=solvers, time_limit=time_limit)


def done(plan: Plan, folder: Path) -> tuple[Told, Results]:
    """Do the plan, and read what came of it."""
    store, told = Store(folder), Told()
    store.open()
    work(plan, store, DataSource(), told)
    return told, read_results(plan, store)


MANY = small(
    grid=Grid((IRIS,), (3, 4, 5), tuple(range(5))),
    methods={"k-means": K_MEANS, "SP": STATISTICAL_PARITY},
)
