"""What every experiment keeps to, and what the paper's ask for."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest

from minirel import MiniReL
from minirel.assignment.holders.costs import PREFIX_COSTS
from minirel.datasets import load_iris
from paper.data import _LOADERS, ADULT, ADULT_BY_RACE, DEFAULT, IRIS
from paper.experiment import SETTING, Grid
from paper.experiments import EXPERIMENTS
from paper.run import _INITS, K_MEANS, SAMPLED, SOLVERS, STARTS, Run, perform
from paper.tests.small import small

BY_GROUP = ("group", "size", "represented", "promised")
K, SEEDS = tuple(range(4, 16)), tuple(range(10))

each = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)


@cache
def tried(method):
    solver = "certified" if method.is_fair else None
    # How many swaps are tried makes no difference to what is in the record.
    few = replace(method, n_swaps=min(method.n_swaps, 2))
    return perform(Run(IRIS, None, few, 4, 0, solver), load_iris())


def runs(experiment, *, quick):
    return [run for _, run in experiment.runs(quick=quick, solver="certified")]


def columns(experiment):
    return (*SETTING, *(BY_GROUP if experiment.by_group else ()), *experiment.measured)


def test_names():
    assert all(name == experiment.name for name, experiment in EXPERIMENTS.items())
    assert all(name.isidentifier() for name in EXPERIMENTS)
    figures = [figure.name for experiment in EXPERIMENTS.values() for figure in experiment.figures]
    assert len(set(figures)) == len(figures) > 0
    assert all(name.isidentifier() for name in figures)


@each
def test_every_method_can_be_performed(experiment):
    assert experiment.methods
    assert len(set(experiment.methods.values())) == len(experiment.methods)
    for method in experiment.methods.values():
        record = tried(method)
        assert record["cost"] > 0
        assert method.is_fair == any(group["promised"] for group in record["groups"])


@each
def test_what_is_measured_is_in_the_records(experiment):
    fair = [tried(method) for method in experiment.methods.values() if method.is_fair]
    assert fair
    for record in fair:
        known = {*record, "method", *(record["groups"][0] if experiment.by_group else ())}
        assert set(columns(experiment)) <= known
    assert len(set(columns(experiment))) == len(columns(experiment))
    assert "promises_kept" in experiment.measured


@each
def test_figures(experiment):
    assert experiment.figures
    for figure in experiment.figures:
        assert figure.measure in columns(experiment)
        assert figure.caption.endswith(".")
        # The run of least cost cannot be told without.
        assert figure.over_seeds != "best" or "cost" in experiment.measured
        assert (figure.kind == "represented") == (figure.measure == "represented")
        assert figure.kind != "represented" or experiment.by_group
        assert {*(figure.methods or ())} <= experiment.methods.keys()
        if figure.over_seeds in ("price", "one fit"):
            assert {"cost", "k_means_cost"} <= {*experiment.measured}


@each
def test_times_are_taken_alone(experiment):
    assert experiment.timed or not {"seconds", "prefix_seconds"} & {*experiment.measured}


@each
def test_the_quick_grid_is_less(experiment):
    quick, whole = experiment.quick, experiment.whole
    assert set(quick.data) == set(whole.data) <= _LOADERS.keys()
    assert set(quick.n_clusters) <= set(whole.n_clusters)
    assert set(quick.seeds) <= set(whole.seeds)
    assert quick.sample is not None
    assert whole.sample is None or quick.sample <= whole.sample
    assert 4 * len(runs(experiment, quick=True)) < len(runs(experiment, quick=False))


@pytest.mark.parametrize("quick", [False, True])
def test_no_time_comes_from_a_run_among_others(quick):
    """A run that is kept from an experiment without times would serve one with."""
    assert {experiment.timed for experiment in EXPERIMENTS.values()} == {True, False}
    for one, other in combinations(EXPERIMENTS.values(), 2):
        if one.timed != other.timed:
            assert not {*runs(one, quick=quick)} & {*runs(other, quick=quick)}


@each
@pytest.mark.parametrize("quick", [False, True])
def test_runs_have_distinct_keys(experiment, quick):
    every = [run for solver in SOLVERS for _, run in experiment.runs(quick=quick, solver=solver)]
    assert len({run.key for run in every}) == len(set(every))


def test_runs():
    grid = Grid((IRIS, ADULT), (4, 5, 6), (7, 8), sample=99)
    experiment = small(grid=grid)
    found = list(experiment.runs(quick=False, solver="highs", time_limit=9))
    assert len(found) == len(set(found)) == 2 * 3 * 2 * 3
    assert {(run.data, run.n_clusters, run.seed, name) for name, run in found} == {
        (data, k, seed, name)
        for data in grid.data
        for k in (4, 5, 6)
        for seed in (7, 8)
        for name in experiment.methods
    }
    for name, run in found:
        assert run.method == experiment.methods[name]
        assert run.sample == 99
        assert (run.solver, run.time_limit) == ((None, None) if name == "k-means" else ("highs", 9))
    # One setting after the other, each with all methods.
    assert [name for name, _ in found[:6]] == [*experiment.methods] * 2
    own = replace(experiment, time_limit=60)
    assert {run.time_limit for name, run in own.runs(quick=False, solver="highs", time_limit=9)} == {None, 60}
    assert {run.time_limit for name, run in own.runs(quick=False, solver="certified")} == {None, 60}


def test_times_of_table_1():
    times = EXPERIMENTS["times"]
    assert times.whole == Grid((IRIS, ADULT, DEFAULT), K, SEEDS)
    assert times.timed
    assert "seconds" in times.measured
    fair = {method.beta for method in times.methods.values() if method.is_fair}
    assert fair == {"statistical_parity", "equality_of_opportunity"}
    assert K_MEANS in times.methods.values()


@pytest.mark.parametrize("name", ["costs", "representation"])
def test_section_5_shares_its_runs(name):
    assert runs(EXPERIMENTS[name], quick=False) == runs(EXPERIMENTS["times"], quick=False)


def test_first_centers():
    first = EXPERIMENTS["first_centers"]
    assert first.whole == Grid((IRIS, ADULT, DEFAULT), K, SEEDS, sample=2_000)
    assert [method.start for method in first.methods.values()] == [*STARTS]
    assert len(STARTS) == 4
    assert STARTS["k-means, best of 100"].n_init == 100
    assert {(method.beta, method.prefix) for method in first.methods.values()} == {
        ("equality_of_opportunity", "local_cost")
    }
    assert {"seconds", "iterations", "cost"} <= {figure.measure for figure in first.figures}


def test_prefix_costs():
    prefix = EXPERIMENTS["prefix_costs"]
    assert {method.prefix for method in prefix.methods.values()} == {*PREFIX_COSTS, "random"}
    assert len(prefix.methods) == 4
    assert prefix.methods["naive"].prefix == "random"
    assert prefix.whole == Grid((IRIS, ADULT, DEFAULT), K, SEEDS)


def test_full_program():
    full = EXPERIMENTS["full_program"]
    assert full.methods["full program"].prefix is None
    assert full.methods["prefix"] == replace(full.methods["full program"], prefix="local_cost")
    assert {run.time_limit for run in runs(full, quick=False)} == {full.time_limit} != {None}


def test_search():
    search = EXPERIMENTS["search"]
    assert search.whole == EXPERIMENTS["times"].whole
    assert search.solvers == ("certified",)
    for name, method in EXPERIMENTS["times"].methods.items():
        assert search.methods[name] == method
    usual = MiniReL()
    for beta in ("statistical_parity", "equality_of_opportunity"):
        ours = [m for m in search.methods.values() if m.beta == beta]
        assert [(m.prefix, m.n_swaps) for m in ours] == [
            ("local_cost", 0),
            (usual.prefix, usual.n_swaps),
            (usual.prefix, 30),
        ]
        assert [m.start for m in ours] == ["k-means", SAMPLED, SAMPLED]
        assert (_INITS[SAMPLED], usual.n_init) == (usual.init, 1)


def test_race():
    race = EXPERIMENTS["race"]
    assert race.whole.data == (ADULT_BY_RACE,)
    assert (min(race.whole.n_clusters), max(race.whole.n_clusters)) == (4, 20)
    assert race.whole.sample is None
    assert race.by_group
