"""Which runs there are to do, and which of them can be done."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from paper.data import DataSource
from paper.experiment import Experiment
from paper.run import Run


@dataclass(frozen=True)
class Plan:
    """What is asked for, and the runs that this takes.

    Attributes
    ----------
    experiments : tuple of Experiment
        What is asked for.
    runs : mapping of str to tuple of (str, Run)
        The runs of each experiment by its name, each with the name of its method.
    left_out : mapping of str to str
        The data sets that are not there, and why.
    quick : bool
        Whether this is the quick reproduction.
    """

    experiments: tuple[Experiment, ...]
    runs: Mapping[str, tuple[tuple[str, Run], ...]]
    left_out: Mapping[str, str]
    quick: bool

    @property
    def timed(self) -> list[Run]:
        """Runs that need the machine to themselves, each once, seed by seed."""
        return _once(run for e in self.experiments if e.timed for _, run in self.runs[e.name])

    @property
    def untimed(self) -> list[Run]:
        """The others, each once, seed by seed."""
        timed = set(self.timed)
        every = _once(run for e in self.experiments for _, run in self.runs[e.name])
        return [run for run in every if run not in timed]


def make_plan(
    experiments: Iterable[Experiment],
    source: DataSource,
    *,
    quick: bool,
    solvers: Iterable[str],
    time_limit: float | None,
) -> Plan:
    """Plan all runs of the experiments whose data can be had; `time_limit` is for all solvers but ours."""
    experiments = tuple(experiments)
    every_data = {data for experiment in experiments for data in experiment.grid(quick).data}
    left_out = {data: why for data in sorted(every_data) if (why := source.missing(data)) is not None}
    solvers = tuple(solvers)
    runs = {
        experiment.name: tuple(
            dict.fromkeys(
                (name, run)
                for solver in solvers
                if solver in experiment.solvers
                for name, run in experiment.runs(
                    quick=quick, solver=solver, time_limit=None if solver == "certified" else time_limit
                )
                if run.data not in left_out
            )
        )
        for experiment in experiments
    }
    return Plan(experiments, runs, left_out, quick)


def _once(runs: Iterable[Run]) -> list[Run]:
    # With one seed of everything done it is known how long the rest takes, and there is something to see.
    return sorted(dict.fromkeys(runs), key=lambda run: run.seed)
