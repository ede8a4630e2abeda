"""Moved points and their reasons, against what the labels, the costs and the prices say by themselves."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from minirel import Explanation, KMeansStart, MiniReL, explain
from minirel.outcome.result import Result
from minirel.report.names import Names
from minirel.report.proof import proof

X, SPECIES = load_iris(return_X_y=True)


def fitted(**options: object) -> MiniReL:
    fit = {name: options.pop(name) for name in ("sensitive_features", "sample_weight") if name in options}
    model = MiniReL(**{"n_clusters": 4, "beta": {1: 3}, "random_state": 0, **options})
    return model.fit(X, **{"sensitive_features": SPECIES, **fit})


CASES = {
    "binding": {},
    "weights": {"sample_weight": np.random.default_rng(0).choice([1, 2.5, 4], size=150)},
    "sizes": {"beta": {1: 2}, "min_size": 30, "max_size": 42},
    "overlapping": {
        "sensitive_features": {"species": SPECIES.tolist(), "wide": (X[:, 1] > 3.2).tolist()},
        "beta": {"species=1": 2, "wide=True": 2},
    },
    "k-medians": {"objective": "k-medians"},
    "shares": {"beta": 0, "min_share": {0: 0.1}, "max_share": {1: 0.45}},
    "members": {"beta": {1: 2, 2: 1}, "min_members": {1: 24, 2: 40}, "n_clusters": 5},
    "sizes by cluster": {"beta": 0, "min_size": [10, 20, 40, 50], "max_size": [None, 60, 41, 60]},
    "all": {
        "beta": {1: 2},
        "min_share": 0.05,
        "max_share": 0.8,
        "min_members": 20,
        "max_size": 60,
        "exclusive": True,
    },
}


@cache
def explained(case: str) -> tuple[MiniReL, Explanation]:
    """The model of a case and why its points were moved, for all that only read them."""
    model = fitted(**CASES[case])
    return model, explain(model)


@pytest.mark.parametrize("case", CASES)
def test_moved_points_are_those_away_from_their_nearest_center(case: str) -> None:
    model, why = explained(case)
    norm = 1 if model.objective == "k-medians" else 2
    costs = (np.abs(X[:, None] - model.cluster_centers_) ** norm).sum(axis=2)
    weight = np.asarray(CASES[case].get("sample_weight", np.ones(150)))
    own = costs[np.arange(150), model.labels_] * weight
    nearest = costs.min(axis=1) * weight
    moved = np.flatnonzero(own > nearest + 1e-12)
    assert set(moved) <= set(why.points.tolist())
    np.testing.assert_allclose(why.extra_cost, (own - nearest)[why.points], atol=1e-9)
    assert (np.diff(why.extra_cost) <= 0).all()
    np.testing.assert_array_equal(why.assigned, model.labels_[why.points])
    assert (why.nearest != why.assigned).all()
    assert why.cost == pytest.approx(model.inertia_)
    assert why.nearest_cost == pytest.approx(nearest.sum())
    assert sum(row["cost"] for row in why.prices) == pytest.approx(why.extra_cost.sum())


@pytest.mark.parametrize("case", CASES)
def test_reasons_are_promises_with_a_price_that_concern_the_move(case: str) -> None:
    model, why = explained(case)
    prices = model.assignment_.prices
    names, groups = list(model.beta_), model.result_.groups
    assert set(why.kind) - {"none"}
    for i, kind, group, k, left, joined in zip(
        why.points, why.kind, why.group, why.cluster, why.nearest, why.assigned, strict=True
    ):
        is_member = group is not None and bool(groups.membership[i, names.index(group)])
        if kind in ("share", "min_share", "max_share", "min_members"):
            assert prices.of_kind(kind)[names.index(group), k] > 0
        if kind in ("share", "min_members"):
            assert (group, k) in model.prefix_
        if kind in ("share", "min_share"):
            # Pushed out of a cluster that is short of others, or pulled into one that is short of its own.
            assert (k == left and not is_member) or (k == joined and is_member)
        elif kind == "max_share":
            assert (k == left and is_member) or (k == joined and not is_member)
        elif kind == "min_members":
            assert k == joined
            assert is_member
        elif kind == "max_size":
            assert k == left
            assert prices.largest[k] > 0
        elif kind == "min_size":
            assert k == joined
            assert prices.smallest[k] > 0
        else:
            assert kind == "none"


@pytest.mark.parametrize(
    ("case", "kinds", "words"),
    [
        ("binding", {"share"}, "is set aside for 1"),
        ("sizes", {"share", "min_size", "max_size"}, "may hold at most 42"),
        ("shares", {"min_share", "max_share"}, "may hold at most 45% 1"),
        ("members", {"share", "min_members"}, "needs at least 40 of 2"),
        ("sizes by cluster", {"min_size", "max_size"}, "cluster 3 must hold at least 50"),
    ],
)
def test_every_kind_of_promise_can_be_the_reason(case: str, kinds: set[str], words: str) -> None:
    _, why = explained(case)
    assert set(why.kind) - {"none"} <= kinds
    assert any(words in said for said in why.because), set(why.because)
    listed = {(row["kind"], row["group"], row["cluster"]): row for row in why.prices}
    assert {*zip(why.kind, why.group, why.cluster, strict=True)} - {("none", None, None)} <= {*listed}
    assert all(row["price"] > 0 for reason, row in listed.items() if reason[0] != "share")


def test_compared_with_k_means_of_as_many_starts_and_swaps() -> None:
    """Else more starts would make a clustering cheaper and its stated price higher."""
    X, groups = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) % 3 == 0
    costs = []
    for options in ({}, {"n_init": 3}, {"n_init": 3, "n_swaps": 2}):
        model = MiniReL(7, beta=2, init=KMeansStart(1), random_state=3, **options)
        costs.append(explain(model.fit(X, sensitive_features=groups)).start_cost)
    best = min(
        KMeans(7, n_init=1, random_state=int(seed)).fit(X).inertia_
        for seed in np.random.RandomState(3).randint(np.iinfo(np.int32).max, size=3)
    )
    assert costs[1] == pytest.approx(best, rel=1e-3)
    assert costs[2] <= costs[1] * (1 + 1e-12)
    assert model.result_.compared_with == "k-means (the best of 3 starts and 2 swaps)"
    assert model.set_params(init="random").fit(X, sensitive_features=groups).result_.compared_with == (
        "the first centers"
    )


@pytest.mark.filterwarnings("ignore:stopped by callback:sklearn.exceptions.ConvergenceWarning")
def test_what_was_stopped_is_compared_with_what_there_was_time_for() -> None:
    X, groups = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) % 3 == 0

    def result(ends: Callable[[Any], bool], **options: Any) -> Result:
        model = MiniReL(7, beta=2, random_state=3, callback=ends, **options)
        return model.fit(X, sensitive_features=groups).result_

    stopped = result(lambda record: record.swap == 2, n_swaps=1000)
    assert (stopped.n_swaps, stopped.start_swaps) == (2, 0)
    assert stopped.compared_with == "k-means (one start, without the 2 swaps of this fit)"
    some = replace(stopped, n_swaps=1200, start_swaps=5)
    assert some.compared_with == "k-means (one start and 5 of the 1,200 swaps of this fit)"
    first = result(lambda record: True, n_init=200)
    assert (first.n_init, first.compared_with) == (1, "k-means (one start)")
    assert "from one start." in str(proof(0, first, Names(first.groups.names, "group")))


def test_the_start_is_k_means() -> None:
    big, sex = np.random.default_rng(0).normal(size=(1500, 2)), np.arange(1500) % 3 == 0
    model = MiniReL(5, beta=1, init=KMeansStart(1), random_state=3, tol=0).fit(big, sensitive_features=sex)
    kmeans = KMeans(5, n_init=1, random_state=3, tol=0).fit(big)
    assert explain(model).start_cost == pytest.approx(kmeans.inertia_)
    np.testing.assert_array_equal(model.result_.trace.start.labels, kmeans.labels_)


def test_by_group_adds_up() -> None:
    _, why = explained("binding")
    assert sum(row["members"] for row in why.by_group) == 150
    assert sum(row["moved"] for row in why.by_group) == len(why.points)
    assert sum(row["cost"] for row in why.by_group) == pytest.approx(why.cost)
    assert sum(row["nearest_cost"] for row in why.by_group) == pytest.approx(why.nearest_cost)


@pytest.mark.parametrize("options", [{"prefix": None}, {"solver": "highs"}], ids=str)
def test_without_prices_nobody_is_blamed(options: dict[str, object]) -> None:
    why = explain(fitted(beta={1: 2}, **options))
    assert set(why.kind) <= {"none"}
    assert all(row["price"] is None for row in why.prices)


def test_frame_with_and_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    _, why = explained("binding")
    frame = why.to_frame()
    columns = ["point", "nearest", "assigned", "extra_cost", "kind", "group", "cluster", "because"]
    assert list(frame) == columns
    monkeypatch.setitem(sys.modules, "pandas", None)
    plain = why.to_frame()
    assert isinstance(plain, dict)
    assert {name: frame[name].tolist() for name in columns} == plain


def test_needs_a_fitted_model() -> None:
    with pytest.raises(NotFittedError):
        explain(MiniReL())
