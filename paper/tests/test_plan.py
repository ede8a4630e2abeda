"""Plans: every run once, timed or not, and nothing on data that is not there."""

from collections import Counter

import pytest

from paper.data import ADULT, ADULT_BY_RACE, DEFAULT, IRIS, DataSource
from paper.experiment import Grid
from paper.experiments import EXPERIMENTS
from paper.run import K_MEANS, SOLVERS
from paper.tests.small import planned, small


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    monkeypatch.delenv("MINIREL_DATA", raising=False)


EVERYTHING = DataSource(fetch=True)  # plans load nothing


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("solvers", [("certified",), ("highs",), SOLVERS])
def test_every_run_once(quick, solvers):
    plan = planned(*EXPERIMENTS.values(), source=EVERYTHING, quick=quick, solvers=solvers, time_limit=100)
    timed, untimed = plan.timed, plan.untimed
    assert max(Counter(run.key for run in timed + untimed).values()) == 1
    assert not set(timed) & set(untimed)
    asked = {run for runs in plan.runs.values() for _, run in runs}
    assert {*timed, *untimed} == asked
    assert not plan.left_out
    assert plan.quick == quick
    for experiment in EXPERIMENTS.values():
        due = {
            run
            for solver in solvers
            if solver in experiment.solvers
            for _, run in experiment.runs(
                quick=quick, solver=solver, time_limit=None if solver == "certified" else 100
            )
        }
        assert {run for _, run in plan.runs[experiment.name]} == due


def test_experiments_share_runs():
    names = ("times", "costs", "representation")
    plan = planned(*map(EXPERIMENTS.get, names), source=EVERYTHING)
    assert len(plan.timed) == len(plan.runs["times"]) == 3 * 3 * 12 * 10
    assert not plan.untimed
    assert all(plan.runs[name] == plan.runs["times"] for name in names)
    # What stands beside the paper's method are its own runs.
    with_search = planned(*map(EXPERIMENTS.get, (*names, "search")), source=EVERYTHING, solvers=SOLVERS)
    ours = [run for run in with_search.timed if run.solver != "highs"]
    assert set(plan.timed) < set(ours)
    assert len(ours) == 7 * 3 * 12 * 10
    assert not any(run.solver == "highs" for _, run in with_search.runs["search"])


def test_a_run_that_anybody_times_is_timed():
    loose = small("loose", timed=False, grid=Grid((IRIS,), (4, 5, 6), (0,)))
    strict = small("strict", grid=Grid((IRIS,), (5,), (0, 1)))
    for experiments in ((loose, strict), (strict, loose)):
        plan = planned(*experiments)
        assert {(run.n_clusters, run.seed) for run in plan.timed} == {(5, 0), (5, 1)}
        assert {(run.n_clusters, run.seed) for run in plan.untimed} == {(4, 0), (6, 0)}


def test_k_means_is_run_once_for_all_solvers():
    plan = planned(small(), solvers=("certified", "highs"))
    of = Counter((run.method == K_MEANS, run.solver) for run in plan.timed)
    assert of == {(True, None): 4, (False, "certified"): 8, (False, "highs"): 8}
    assert len(plan.runs["small"]) == len(plan.timed)


def test_a_time_limit_is_for_the_solvers_of_others():
    plan = planned(small(), small("own", time_limit=60), solvers=SOLVERS, time_limit=5)
    limits = {name: {(run.solver, run.time_limit) for _, run in runs} for name, runs in plan.runs.items()}
    assert limits["small"] == {(None, None), ("certified", None), ("highs", 5)}
    assert limits["own"] == {(None, None), ("certified", 60), ("highs", 60)}


def test_data_that_is_not_there(tmp_path):
    (tmp_path / "default_of_credit_card_clients.csv").touch()
    source = DataSource(tmp_path)
    plan = planned(*EXPERIMENTS.values(), source=source)
    assert plan.left_out == {name: source.missing(name) for name in (ADULT, ADULT_BY_RACE)}
    assert {run.data for run in plan.timed + plan.untimed} == {IRIS, DEFAULT}
    assert plan.runs["race"] == ()
    assert plan.experiments == tuple(EXPERIMENTS.values())
    assert len(plan.runs["times"]) == 2 * 3 * 12 * 10
    # What no experiment asks for is not missed.
    assert not planned(small(), source=source).left_out


def test_the_same_plan_every_time():
    plans = [planned(*EXPERIMENTS.values(), source=DataSource(fetch=True), solvers=SOLVERS) for _ in range(2)]
    assert plans[0] == plans[1]
    assert plans[0].timed == plans[1].timed
    assert plans[0].untimed == plans[1].untimed
