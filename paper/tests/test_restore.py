"""Runs read back from tables: as they were, and none that is another."""

import shutil

import pytest

from paper.data import IRIS, DataSource
from paper.experiment import Grid
from paper.restore import read_table, restore
from paper.results import read_results, to_csv
from paper.run import SOLVERS
from paper.store import Store
from paper.tests.small import done, planned, small

TIMES = small("times", measured=("seconds", "iterations", "promises_kept"))
COSTS = small("costs", measured=("cost", "stopped", "promises_kept"))
GROUPS = small("groups", by_group=True, measured=("cost", "promises_kept"), timed=False)
PLAN = planned(TIMES, COSTS, GROUPS, solvers=SOLVERS)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    _, results = done(PLAN, folder)
    for name, table in results.tables.items():
        (folder / f"{name}.csv").write_bytes(to_csv(table))
    return folder


@pytest.fixture
def cloned(made, tmp_path):
    """The tables without the runs, as they are committed."""
    for path in made.glob("*.csv"):
        shutil.copy(path, tmp_path)
    store = Store(tmp_path)
    store.open()
    return store


def test_tables_are_written_as_they_were(made, cloned):
    assert restore(PLAN, cloned, DataSource(), SOLVERS) == len(PLAN.timed)
    for name, table in read_results(PLAN, cloned).tables.items():
        assert to_csv(table) == (made / f"{name}.csv").read_bytes()
    # Nothing is left to do, and nothing to restore.
    told, _ = done(PLAN, cloned.folder)
    assert not told.now
    assert restore(PLAN, cloned, DataSource(), SOLVERS) == 0


@pytest.mark.parametrize(("solver", "of"), [("highs", {"highs"}), ("certified", {"certified", None})])
def test_only_of_the_solvers_asked_for(cloned, solver, of):
    """K-means goes with ours: beside old runs of another solver it is made anew."""
    n_restored = restore(PLAN, cloned, DataSource(), (solver,))
    kept = [run for run in PLAN.timed if cloned.get(run)]
    assert {run.solver for run in kept} == of
    assert len(kept) == n_restored == sum(run.solver in of for run in PLAN.timed)


def test_what_is_there_stays(made, cloned):
    run = PLAN.timed[0]
    cloned.keep(run, {"cost": 1.0})
    restore(PLAN, cloned, DataSource(), SOLVERS)
    assert cloned.get(run) == {"cost": 1.0}


def test_runs_of_which_more_is_needed_are_left_to_be_done(cloned):
    wants_more = small("times", measured=("seconds", "prefix_seconds"))
    assert restore(planned(wants_more, solvers=SOLVERS), cloned, DataSource(), SOLVERS) == 0
    missing = small("missing")
    assert read_table(cloned.folder, missing) is None
    assert restore(planned(COSTS, missing), cloned, DataSource(), SOLVERS) == 0
    assert restore(planned(COSTS), cloned, DataSource(), SOLVERS) == 12


def test_a_sample_is_another_run(cloned):
    drawn = small("costs", grid=Grid((IRIS,), (4, 5), (0, 1), sample=60), measured=COSTS.measured)
    assert restore(planned(drawn), cloned, DataSource(), SOLVERS) == 0
