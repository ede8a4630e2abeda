"""Moved points and their reasons, against what the labels, the costs and the prices say by themselves."""

import sys

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from minirel import MiniReL, explain

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
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_moved_points_are_those_away_from_their_nearest_center(case: dict[str, object]) -> None:
    model = fitted(**case)
    why = explain(model)
    norm = 1 if model.objective == "k-medians" else 2
    costs = (np.abs(X[:, None] - model.cluster_centers_) ** norm).sum(axis=2)
    weight = np.asarray(case.get("sample_weight", np.ones(150)))
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


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_reasons_are_promises_with_a_price_that_concern_the_move(case: dict[str, object]) -> None:
    model = fitted(**case)
    why, prices = explain(model), model.assignment_.prices
    names, groups = list(model.beta_), model.result_.groups
    assert set(why.kind) - {"none"}
    for i, kind, group, k, left, joined in zip(
        why.points, why.kind, why.group, why.cluster, why.nearest, why.assigned, strict=True
    ):
        if kind == "share":
            g = names.index(group)
            assert (group, k) in model.prefix_
            assert prices.groups[g, k] > 0
            # Pushed out of a cluster that others hold, or pulled into one that its own group holds.
            assert (k == left and not groups.membership[i, g]) or (k == joined and groups.membership[i, g])
        elif kind == "max_size":
            assert k == left
            assert prices.largest[k] > 0
        elif kind == "min_size":
            assert k == joined
            assert prices.smallest[k] > 0
        else:
            assert kind == "none"


def test_the_start_is_k_means() -> None:
    big, sex = np.random.default_rng(0).normal(size=(1500, 2)), np.arange(1500) % 3 == 0
    model = MiniReL(5, beta=1, random_state=3, tol=0).fit(big, sensitive_features=sex)
    kmeans = KMeans(5, n_init=1, random_state=3, tol=0).fit(big)
    assert explain(model).start_cost == pytest.approx(kmeans.inertia_)
    np.testing.assert_array_equal(model.result_.trace.start.labels, kmeans.labels_)


def test_by_group_adds_up() -> None:
    model = fitted()
    why = explain(model)
    assert sum(row["members"] for row in why.by_group) == 150
    assert sum(row["moved"] for row in why.by_group) == len(why.points)
    assert sum(row["cost"] for row in why.by_group) == pytest.approx(why.cost)
    assert sum(row["nearest_cost"] for row in why.by_group) == pytest.approx(why.nearest_cost)


@pytest.mark.parametrize("options", [{"prefix": None}, {"solver": "highs"}], ids=str)
def test_without_prices_nobody_is_blamed(options: dict[str, object]) -> None:
    why = explain(fitted(**options))
    assert set(why.kind) <= {"none"}
    assert all(row["price"] is None for row in why.prices)


def test_frame_with_and_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    why = explain(fitted())
    frame = why.to_frame()
    columns = ["point", "nearest", "assigned", "extra_cost", "kind", "group", "cluster"]
    assert list(frame) == columns
    monkeypatch.setitem(sys.modules, "pandas", None)
    plain = why.to_frame()
    assert isinstance(plain, dict)
    assert {name: frame[name].tolist() for name in columns} == plain


def test_needs_a_fitted_model() -> None:
    with pytest.raises(NotFittedError):
        explain(MiniReL())
