"""The tables of a reproduction: one row per run, or per run and group."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from paper.experiment import SETTING, Experiment
from paper.plan import Plan
from paper.run import SOLVERS, Record
from paper.store import Store

BY_GROUP = ("group", "size", "represented", "promised")
# Significant digits: times are not known better, and costs compare to the last that is shown.
_DIGITS = {"seconds": 4, "prefix_seconds": 4, "gap": 3}
_COST_DIGITS = 10


class NotTestedError(Exception):
    """A claim cannot be judged, and why."""


@dataclass(frozen=True)
class Results:
    """What was planned and what came of it.

    Attributes
    ----------
    plan : Plan
        What was asked for.
    tables : mapping of str to DataFrame
        The table of each experiment by its name, in the order of the plan; runs not yet done are absent.
    """

    plan: Plan
    tables: Mapping[str, pd.DataFrame]

    @property
    def solvers(self) -> list[str]:
        """The solvers that any run used, ours first."""
        used = {solver for table in self.tables.values() for solver in table["solver"]}
        return [solver for solver in SOLVERS if solver in used]

    def need(
        self,
        experiment: str,
        solver: str,
        *,
        data: Iterable[str],
        methods: Iterable[str] | None = None,
        all_points: bool = False,
    ) -> pd.DataFrame:
        """All rows of these data sets and methods with one solver; ordinary k-means goes with any.

        Raises
        ------
        NotTestedError
            If the experiment was not asked for, a data set is not there, a run is not done, or
            `all_points` are needed and a sample was drawn.
        """
        asked = {e.name: e for e in self.plan.experiments}
        if experiment not in asked:
            raise NotTestedError(f"the experiment {experiment!r} was not asked for")
        grid = asked[experiment].grid(self.plan.quick)
        wanted, ways = list(data), list(methods or asked[experiment].methods)
        for name in wanted:
            if name in self.plan.left_out:
                raise NotTestedError(f"{name} is left out: {self.plan.left_out[name]}")
            if name not in grid.data:
                raise NotTestedError(f"{name} is not part of this run of the experiment")
        table = self.tables[experiment]
        rows = table[
            table["data"].isin(wanted) & table["method"].isin(ways) & table["solver"].isin(["", solver])
        ]
        done = len(rows[["data", "method", "n_clusters", "seed"]].drop_duplicates())
        due = len(wanted) * len(ways) * len(grid.n_clusters) * len(grid.seeds)
        if not due or done < due:
            raise NotTestedError(f"only {done:,} of its {due:,} runs with {solver} are done")
        n_without = int(rows.loc[rows["solver"] != "", "promises_kept"].isna().sum())
        if n_without:
            raise NotTestedError(f"{n_without:,} of its runs with {solver} found no clustering in time")
        drawn = rows.loc[rows["points"] == grid.sample, "data"].unique()
        if all_points and len(drawn):
            raise NotTestedError(
                f"it is about all points, and of {' and '.join(drawn)} only {grid.sample:,} were drawn"
            )
        return rows


def read_results(plan: Plan, store: Store) -> Results:
    """The tables of what is done so far."""
    return Results(plan, {e.name: _table(e, plan, store) for e in plan.experiments})


def best_runs(table: pd.DataFrame) -> pd.DataFrame:
    """Of all seeds that of least cost, as the paper reports k-means: all its rows, one per group or one."""
    setting = ["data", "method", "solver", "n_clusters"]
    # Several seeds may reach the same cost: the first counts.
    least = table.sort_values(["cost", "seed"], kind="stable").drop_duplicates(setting)
    return table.merge(least[[*setting, "seed"]])


def to_csv(table: pd.DataFrame) -> bytes:
    """A table as it is committed: short numbers, the same bytes for the same runs."""
    shown = table.copy()
    for name in table.columns:
        if table[name].dtype.kind == "f":
            digits = _DIGITS.get(name, _COST_DIGITS)
            shown[name] = [_short(value, digits) for value in table[name]]
    return str(shown.to_csv(index=False, lineterminator="\n")).encode()


def _short(value: float, digits: int) -> str:
    return "" if pd.isna(value) else f"{value:.{digits}g}"


def _table(experiment: Experiment, plan: Plan, store: Store) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for method, run in plan.runs[experiment.name]:
        record = store.get(run)
        if record is not None:
            rows.extend(_rows(record | {"method": method, "solver": run.solver or ""}, experiment))
    columns = [*SETTING, *(BY_GROUP if experiment.by_group else ()), *experiment.measured]
    return pd.DataFrame(rows, columns=columns)


def _rows(record: Record, experiment: Experiment) -> list[Record]:
    if not experiment.by_group:
        return [record]
    return [record | group for group in record["groups"]]
