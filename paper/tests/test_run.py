"""One run: its name, and that its record says what an independent fit and count say."""

import json
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from minirel import MiniReL, explain
from minirel.assignment.holders.costs import PREFIX_COSTS
from minirel.datasets import Dataset, load_iris
from paper.data import ADULT, ADULT_BY_RACE, DEFAULT, IRIS
from paper.experiment import PROOF, SETTING
from paper.run import _INITS, K_MEANS, SAMPLED, SOLVERS, STARTS, Method, Run, perform

FAIR = ("statistical_parity", "equality_of_opportunity")
READ_OF_EVERY = {"seconds", "iterations", "cost", "time_limit", "groups", *SETTING} - {"method"}
READ_OF_FAIR = {*READ_OF_EVERY, "prefix_seconds", "k_means_cost", "smallest_held", *PROOF}

methods = st.builds(
    Method,
    st.sampled_from([None, *FAIR]),
    st.sampled_from(list(STARTS)),
    st.sampled_from([None, *PREFIX_COSTS]),
    st.sampled_from([0, 1, 30]),
)
runs = st.builds(
    Run,
    data=st.sampled_from([IRIS, ADULT, DEFAULT, ADULT_BY_RACE]),
    sample=st.none() | st.integers(1, 50_000),
    method=methods,
    n_clusters=st.integers(1, 200),
    seed=st.integers(0, 2**32 - 1),
    solver=st.sampled_from([None, *SOLVERS]),
    time_limit=st.none() | st.floats(1e-3, 1e7) | st.integers(1, 10**7),
)
CERTIFIED = Run(IRIS, None, Method("statistical_parity"), 5, 3, "certified")
LIMITED = replace(CERTIFIED, time_limit=1_000_000)


@given(runs, runs)
@example(LIMITED, replace(CERTIFIED, time_limit=1_000_000.5))
@example(replace(CERTIFIED, sample=2), replace(CERTIFIED, n_clusters=52))
def test_distinct_runs_have_distinct_keys(one, other):
    # Some file systems tell no capitals.
    assert (one.key.casefold() == other.key.casefold()) == (one == other)


@given(
    runs,
    st.sampled_from(["data", "sample", "method", "n_clusters", "seed", "solver", "time_limit"]),
    st.data(),
)
def test_every_part_of_a_run_is_part_of_its_key(run, part, data):
    other = replace(run, **{part: getattr(data.draw(runs), part)})
    assert (run.key == other.key) == (run == other)


def test_distinct_ways_have_distinct_keys():
    ways = product([None, *FAIR], _INITS, [None, *PREFIX_COSTS, "random", "assignment"], [0, 30])
    every = [Method(*parts) for parts in ways]
    assert len({replace(CERTIFIED, method=method).key for method in every}) == len(set(every)) >= 60


@given(runs)
def test_keys_fit_file_names(run):
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9+_.-]*", run.key)
    assert len(f"{run.key}.json.unfinished") < 200


def counted(labels, groups):
    """In how many clusters each group has 51% or more."""
    in_cluster, in_both = Counter(labels.tolist()), Counter(zip(groups, labels.tolist(), strict=True))
    return {
        group: sum(Fraction(in_both[group, k], size) >= Fraction(51, 100) for k, size in in_cluster.items())
        for group in dict.fromkeys(groups)
    }


def spread(labels):
    """The cost, by its definition."""
    iris = load_iris()
    parts = [iris.X[labels == k] for k in np.unique(labels)]
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)


@pytest.mark.parametrize("seed", [0, 3])
def test_k_means(seed):
    iris = load_iris()
    record = perform(Run(IRIS, None, K_MEANS, 6, seed, None), iris)
    assert record.keys() >= READ_OF_EVERY - {"prefix_seconds"}
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    model = KMeans(6, n_init=1, random_state=seed).fit(iris.X)
    assert record["cost"] == pytest.approx(model.inertia_, rel=1e-12)
    assert record["cost"] == pytest.approx(spread(model.labels_), rel=1e-9)
    assert record["iterations"] == model.n_iter_
    assert {g["group"]: g["represented"] for g in record["groups"]} == counted(model.labels_, iris.groups)
    assert [(g["size"], g["promised"]) for g in record["groups"]] == [(50, 0)] * 3
    assert (record["points"], record["solver"], record["beta"], record["seed"]) == (150, None, None, seed)
    assert record["seconds"] > 0


@pytest.mark.parametrize(
    "run",
    [
        CERTIFIED,
        replace(CERTIFIED, method=Method("equality_of_opportunity", "random", "proportion"), n_clusters=7),
        replace(CERTIFIED, method=Method("equality_of_opportunity", "k-means++", None)),
        replace(CERTIFIED, solver="highs", n_clusters=4),
        replace(CERTIFIED, method=Method("statistical_parity", SAMPLED, "assignment"), n_clusters=7),
        replace(CERTIFIED, method=Method("statistical_parity", SAMPLED, "assignment", 5)),
    ],
    ids=lambda run: run.key,
)
def test_minirel(run):
    iris = load_iris()
    record = perform(run, iris)
    assert record.keys() >= READ_OF_FAIR
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    model = MiniReL(
        run.n_clusters,
        alpha=0.51,
        beta=run.method.beta,
        init=_INITS[run.method.start],
        prefix=run.method.prefix,
        n_swaps=run.method.n_swaps,
        solver=run.solver,
        random_state=run.seed,
    ).fit(iris.X, sensitive_features=iris.groups)
    assert record["cost"] == pytest.approx(spread(model.labels_), rel=1e-9)
    assert record["lower_bound"] <= record["cost"]
    assert record["iterations"] == model.n_iter_
    assert {g["group"]: g["represented"] for g in record["groups"]} == counted(model.labels_, iris.groups)
    # The groups are of one size, so that both notions promise the same.
    assert [(g["size"], g["promised"]) for g in record["groups"]] == [(50, run.n_clusters // 3)] * 3
    assert (record["stopped"], record["status"]) == ("converged", model.status_)
    assert 0 <= record["prefix_seconds"] < record["seconds"]
    held = [np.sum(model.labels_ == k) for _, k in model.prefix_]
    assert record["smallest_held"] == min(held) > 0
    if run.method.start.startswith("k-means") and run.method.start != "k-means++":
        assert record["k_means_cost"] == pytest.approx(explain(model).start_cost, rel=1e-12)
    else:
        assert record["k_means_cost"] is None
    assert {name: record[name] for name in ("prefix", "start", "solver", "n_clusters", "seed")} == {
        "prefix": run.method.prefix,
        "start": run.method.start,
        "solver": run.solver,
        "n_clusters": run.n_clusters,
        "seed": run.seed,
    }


def test_more_search_makes_neither_dearer():
    """Neither the fair clustering nor the k-means that it is compared with."""
    few, many = (
        perform(
            replace(CERTIFIED, method=Method("statistical_parity", SAMPLED, "assignment", n)), load_iris()
        )
        for n in (0, 10)
    )
    assert many["cost"] <= few["cost"] * (1 + 1e-9)
    assert many["k_means_cost"] <= few["k_means_cost"] * (1 + 1e-9)


def test_a_majority_is_51_percent():
    """Of two places one has 51 of 100, which is enough, the other 101 of 200, which is not."""
    groups = np.repeat(["a", "b", "a", "b"], [51, 49, 101, 99]).astype(object)
    places = np.repeat([[0.0, 0.0], [1.0, 1.0]], [100, 200], axis=0)
    made = Dataset("made", places + np.linspace(0, 0.01, 300)[:, None], ("x", "y"), groups, groups)
    record = perform(replace(CERTIFIED, method=K_MEANS, n_clusters=2, solver=None), made)
    assert [(g["group"], g["size"], g["represented"]) for g in record["groups"]] == [
        ("a", 152, 1),
        ("b", 148, 0),
    ]


def test_data_that_cannot_be_written_to():
    """As it comes to a process that shares it."""
    iris = load_iris()
    iris.X.setflags(write=False)
    alike = ("cost", "iterations", "groups")
    for run in (CERTIFIED, replace(CERTIFIED, method=K_MEANS, solver=None)):
        record, usual = perform(run, iris), perform(run, load_iris())
        assert {name: record[name] for name in alike} == {name: usual[name] for name in alike}


def test_a_broken_promise_is_no_result(monkeypatch):
    fit = MiniReL.fit

    def careless(self, *args, **options):
        fit(self, *args, **options)
        self.labels_ = np.where(self.labels_ == 0, 0, 1)  # those of setosa and all others
        return self

    monkeypatch.setattr(MiniReL, "fit", careless)
    run = replace(CERTIFIED, n_clusters=3)
    with pytest.raises(
        RuntimeError, match=f"^{re.escape(run.key)} broke its promise to .*vi.*: this is a defect"
    ):
        perform(run, load_iris())


def test_a_time_limit_is_recorded():
    run = replace(CERTIFIED, method=Method("equality_of_opportunity", "random"), time_limit=1e-6)
    record = perform(run, load_iris())
    assert (record["stopped"], record["time_limit"], record["promises_kept"]) == ("time_limit", 1e-6, True)
    assert perform(replace(run, time_limit=None), load_iris())["stopped"] == "converged"
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_nothing_found_in_time_is_a_record():
    """Or all other runs would wait for this one for ever."""
    record = perform(replace(CERTIFIED, solver="highs", time_limit=1e-6), load_iris())
    assert (record["stopped"], record["cost"], record["groups"]) == ("time_limit", None, [])
    assert record.keys() >= READ_OF_FAIR
    assert json.loads(json.dumps(record, allow_nan=False)) == record
