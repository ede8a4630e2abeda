"""Runs read back from the tables of a folder: these are committed, and the runs themselves are not."""

from collections.abc import Collection, Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from paper.data import DataSource
from paper.experiment import Experiment
from paper.plan import Plan
from paper.results import BY_GROUP
from paper.run import SOLVERS, Record, Run, described
from paper.store import Store

_RUN = ["data", "method", "solver", "n_clusters", "seed"]


def read_table(folder: Path, experiment: Experiment) -> pd.DataFrame | None:
    """The table of an experiment as it was written, or None if there is none."""
    path = folder / f"{experiment.name}.csv"
    return pd.read_csv(path).fillna({"solver": ""}) if path.exists() else None


def restore(plan: Plan, store: Store, source: DataSource, solvers: Collection[str]) -> int:
    """Keep the runs of these solvers that the tables hold and the store lacks; returns how many.

    Ordinary k-means goes with our solver. A record then has what the tables have, to as many digits, so that
    they are written as they were; a run of which an experiment needs more is left to be done again.
    """
    records: dict[Run, Record] = {}
    partial: set[Run] = set()
    for experiment in plan.experiments:
        rows_of = _by_run(read_table(store.folder, experiment))
        for name, run in plan.runs[experiment.name]:
            if (run.solver or SOLVERS[0]) not in solvers:
                continue
            rows = rows_of.get((run.data, name, run.solver or "", run.n_clusters, run.seed), [])
            n_points = len(source.load(run.data, run.sample).X)
            # Of another sample, or of a time when less was measured, they are no rows of this run.
            if not rows or rows[0]["points"] != n_points or not rows[0].keys() >= {*experiment.measured}:
                partial.add(run)
                continue
            record = records.setdefault(run, described(run, n_points))
            record |= {measure: rows[0][measure] for measure in experiment.measured}
            if experiment.by_group:
                record["groups"] = [{part: row[part] for part in BY_GROUP} for row in rows]
    lacking = [run for run in records if run not in partial and store.get(run) is None]
    for run in lacking:
        store.keep(run, records[run])
    return len(lacking)


def _by_run(table: pd.DataFrame | None) -> Mapping[Hashable, list[dict[str, Any]]]:
    if table is None:
        return {}
    # What is not known is NaN in a table and None in a record.
    plain = table.astype(object).where(table.notna(), None)
    found: dict[Hashable, list[dict[str, Any]]] = {}
    for row in plain.to_dict("records"):
        found.setdefault(tuple(row[part] for part in _RUN), []).append(row)
    return found
