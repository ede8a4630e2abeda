"""Doing runs: all of them, none twice, and on from where a killed process was."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest

from paper import engine
from paper.data import IRIS
from paper.experiment import Grid
from paper.run import perform
from paper.store import Store
from paper.tests.small import MANY, done, planned, small

CORES = 2  # that are used at most
# Notes every run that is begun, in a file, and tells of every run that is kept. Functions of a main module
# reach other processes by value, so that those note it too.
WORKER = """
import sys
from dataclasses import replace
from pathlib import Path
from paper import engine
from paper.data import DataSource
from paper.store import Store
from paper.tests.small import MANY, planned

folder, timed = Path(sys.argv[1]), sys.argv[2] == "timed"
begun = str(folder / "begun")

class Progress:
    def done(self, run, record, *, before):
        print("kept", run.key, flush=True)

def noting(function):
    def noted(run, *args):
        with open(begun, "a") as file:
            file.write(f"{run.key}\\n")
        return function(run, *args)
    return noted

if __name__ == "__main__":
    store = Store(folder)
    store.open()
    name = "perform" if timed else "_alone_in_its_thread"
    setattr(engine, name, noting(getattr(engine, name)))
    engine.work(planned(replace(MANY, timed=timed)), store, DataSource(), Progress())
"""


@pytest.fixture
def performed(monkeypatch):
    """The runs that were performed in this process."""
    runs = []

    def counting(run, data):
        runs.append(run)
        return perform(run, data)

    monkeypatch.setattr(engine, "perform", counting)
    return runs


def costs(results):
    """The tables without what differs from time to time."""
    return {name: t.drop(columns=["seconds", "prefix_seconds"]) for name, t in results.tables.items()}


def same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, table in ours.items():
        pd.testing.assert_frame_equal(table, theirs[name], rtol=1e-9, atol=1e-9)


def test_every_run_is_done_once(tmp_path, performed):
    one, other = small("one"), small("other", grid=Grid((IRIS,), (4, 6), (1, 2), sample=None), by_group=True)
    plan = planned(one, other)
    told, results = done(plan, tmp_path)
    assert performed == plan.timed == told.now
    assert not told.before
    assert len(results.tables["one"]) == 3 * 2 * 2
    assert len(results.tables["other"]) == 3 * 2 * 2 * 3
    assert all(Store(tmp_path).get(run) for run in plan.timed)
    performed.clear()
    again, same_results = done(plan, tmp_path)
    assert not performed
    assert not again.now
    assert again.before == plan.timed
    same(dict(results.tables), dict(same_results.tables))
    # A run that was lost is the only one done again.
    (tmp_path / "runs" / f"{plan.timed[3].key}.json").unlink()
    done(plan, tmp_path)
    assert performed == [plan.timed[3]]


def test_a_run_that_fails_keeps_those_before_it(tmp_path, monkeypatch):
    plan = planned(small())

    def failing(run, data):
        if run == plan.timed[4]:
            raise RuntimeError("broke its promise")
        return perform(run, data)

    monkeypatch.setattr(engine, "perform", failing)
    with pytest.raises(RuntimeError, match="broke its promise"):
        done(plan, tmp_path)
    monkeypatch.undo()
    told, _ = done(plan, tmp_path)
    assert told.before == plan.timed[:4]
    assert told.now == plan.timed[4:]


def test_the_first_time_is_not_charged_for_compiling(tmp_path, monkeypatch):
    """What is compiled when first used is used before the first run that is timed."""
    order = []
    warm_up = engine._warm_up
    monkeypatch.setattr(engine, "_warm_up", lambda: order.append("warm") or warm_up())
    monkeypatch.setattr(engine, "perform", lambda run, data: order.append("run") or perform(run, data))
    plan = planned(small(grid=Grid((IRIS,), (4,), (0,))))
    done(plan, tmp_path)
    assert order == ["warm", *["run"] * 3]
    done(plan, tmp_path)
    assert len(order) == 4  # nothing to do, nothing to warm up for


def test_side_by_side_gives_what_runs_alone_give(tmp_path):
    drawn = small("drawn", grid=Grid((IRIS,), (4,), (0,), sample=60))
    both = small(by_group=True), drawn
    alone, beside = planned(*both), planned(*(replace(e, timed=False) for e in both))
    assert set(alone.timed) == set(beside.untimed)
    told, results = done(beside, tmp_path / "beside")
    assert Counter(told.now) == Counter(beside.untimed)
    assert set(results.tables["drawn"]["points"]) == {60}
    same(costs(results), costs(done(alone, tmp_path / "alone")[1]))
    told, _ = done(beside, tmp_path / "beside")
    assert (told.now, told.before) == ([], beside.untimed)


def killed(folder, kind, n_kept):
    """Start to work, kill the process when it tells that so many runs are kept, and say which were begun."""
    script = folder / "worker.py"
    script.write_text(WORKER)
    with subprocess.Popen(
        [sys.executable, str(script), str(folder), kind],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "OPENBLAS_NUM_THREADS": "1",
            "LOKY_MAX_CPU_COUNT": f"{CORES}",
        },
    ) as process:
        for _ in range(n_kept):
            assert process.stdout.readline().startswith("kept")
        begun = (folder / "begun").read_text().split()
        process.kill()
        # Those that it gave work hold its output too: it ends when the last of them is gone.
        process.communicate(timeout=30)
    return begun


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    return costs(done(planned(MANY), tmp_path_factory.mktemp("whole"))[1])


@pytest.mark.parametrize("kind", ["timed", "untimed"])
def test_killed_and_started_again(kind, tmp_path, performed, uninterrupted):
    begun = killed(tmp_path, kind, n_kept=12)
    # What is left is done here one by one: the runs are the same, timed or not.
    plan = planned(MANY)
    told, results = done(plan, tmp_path)
    assert 12 <= len(told.before) < len(plan.timed)
    assert performed == told.now == [run for run in plan.timed if run not in told.before]
    repeated = set(begun) & {run.key for run in performed}
    # Side by side, a core may begin its next run while its last is on the way to the store.
    assert len(repeated) <= (1 if kind == "timed" else 2 * CORES)
    same(costs(results), uninterrupted)
