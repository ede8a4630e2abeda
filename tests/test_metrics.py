"""Scores that know of promises: more clusters are not simply better, and broken promises never win."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sklearn
from scipy.sparse import coo_array
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from minirel import MiniReL, audit, explain
from minirel.metrics import FairScorer, price_of_fairness

X, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def model() -> MiniReL:
    return MiniReL(4, beta=1, random_state=0).fit(X, sensitive_features=SPECIES)


def test_price_is_over_k_means(model: MiniReL) -> None:
    why = explain(model)
    assert price_of_fairness(model) == pytest.approx(why.cost / why.start_cost - 1)
    same = MiniReL(3, random_state=0).fit(np.zeros((6, 1)) + np.repeat([0, 1, 2], 2)[:, None])
    assert price_of_fairness(same) == 0


def test_scores_measure_the_fair_assignment(model: MiniReL) -> None:
    assigned = model.assign(X, SPECIES)
    expected = silhouette_score(X, assigned.labels)
    assert FairScorer()(model, X, sensitive_features=SPECIES) == pytest.approx(expected)
    assert FairScorer("price")(model, X, sensitive_features=SPECIES) == -price_of_fairness(model)
    # On a sample it is about the same, and the same each time.
    some = FairScorer(n_sample=60)(model, X, sensitive_features=SPECIES)
    assert some == FairScorer(n_sample=60)(model, X, sensitive_features=SPECIES)
    assert some == pytest.approx(expected, abs=0.15)


def test_broken_promises_have_no_score(model: MiniReL) -> None:
    assert audit(model.labels_, SPECIES, alpha=0.51, beta={1: 4}).satisfied is False
    for measure in ("silhouette", "price"):
        asked = FairScorer(measure, alpha=0.51, beta={1: 4})
        assert np.isnan(asked(model, X, sensitive_features=SPECIES))
        kept = FairScorer(measure, alpha=0.51, beta=1)
        assert np.isfinite(kept(model, X, sensitive_features=SPECIES))


def test_promises_of_the_scorer_are_of_totals() -> None:
    rng = np.random.default_rng(0)
    points, total = rng.normal(size=(60, 2)), rng.integers(1, 20, 60)
    people = {"a": rng.binomial(total, 0.4), "everybody": total}
    model = MiniReL(3, alpha=0.4, beta={"a": 1}, total="everybody", random_state=0)
    model.fit(points, sensitive_features=people)
    own = FairScorer()(model, points, sensitive_features=people)
    for beta in (1, {"a": 1}):
        assert FairScorer(beta=beta)(model, points, sensitive_features=people) == own
    assert FairScorer(alpha=0.4)(model, points, sensitive_features=people) == own
    assert np.isnan(FairScorer(alpha=0.9)(model, points, sensitive_features=people))


@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "list", "coo"])
def test_a_sample_of_any_table(model: MiniReL, kind: str) -> None:
    names = [f"x{i}" for i in range(X.shape[1])]
    if kind == "pyarrow":
        table: Any = pytest.importorskip("pyarrow").table(dict(zip(names, X.T, strict=True)))
    elif kind == "pandas":
        table = pytest.importorskip("pandas").DataFrame(X, columns=names)
    else:
        table = X.tolist() if kind == "list" else coo_array(X)
    scorer = FairScorer(n_sample=60)
    with warnings.catch_warnings():  # the fit knew no names
        warnings.simplefilter("ignore", UserWarning)
        score = scorer(model, table, sensitive_features=SPECIES)
    assert score == pytest.approx(scorer(model, X, sensitive_features=SPECIES))


def test_a_batch_that_cannot_be_assigned_has_no_score() -> None:
    rng = np.random.default_rng(0)
    points, groups = rng.normal(size=(60, 2)), np.repeat(["a", "b"], 30)
    model = MiniReL(2, alpha=0.5, beta={"a": 2}, random_state=0).fit(points, sensitive_features=groups)
    # A cluster of one "a" and at most one "b" leaves no place for the others.
    assert np.isnan(FairScorer("price")(model, points[29:], sensitive_features=groups[29:]))
    assert np.isfinite(FairScorer("price")(model, points, sensitive_features=groups))


@pytest.mark.parametrize("pipeline", [False, True])
def test_grid_search_routes_the_groups(pipeline: bool) -> None:
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        fair = MiniReL(beta=1, random_state=0).set_fit_request(sensitive_features=True)
        estimator: Any = make_pipeline(StandardScaler(), fair) if pipeline else fair
        name = "minirel__n_clusters" if pipeline else "n_clusters"
        searches = {}
        for scoring in (None, FairScorer("price"), FairScorer()):
            search = GridSearchCV(estimator, {name: [3, 6]}, scoring=scoring, cv=folds)
            searches[scoring and scoring.measure] = search.fit(X, SPECIES, sensitive_features=SPECIES)
    # Cost alone prefers what has most clusters.
    assert searches[None].best_params_[name] == 6
    assert searches["silhouette"].best_params_[name] == 3
    assert np.isfinite(searches["price"].cv_results_["mean_test_score"]).all()


def test_more_clusters_have_no_better_price() -> None:
    """A better local optimum than that of k-means is no merit of a number of clusters."""
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = MiniReL(beta=1, random_state=0).set_fit_request(sensitive_features=True)
        grid, scorer = {"n_clusters": [3, 4, 6, 8]}, FairScorer("price", alpha=0.5, beta=1)
        search = GridSearchCV(model, grid, scoring=scorer, cv=folds)
        search.fit(X, SPECIES, sensitive_features=SPECIES)
    assert search.cv_results_["mean_test_score"].max() == 0
    assert search.best_params_ == {"n_clusters": 3}
    cheaper = MiniReL(8, beta=1, random_state=0).fit(X, sensitive_features=SPECIES)
    result = cheaper.result_
    start = replace(result.trace.start, cost=2 * result.trace.start.cost)
    cheaper.result_ = replace(result, trace=replace(result.trace, start=start))
    assert price_of_fairness(cheaper) < 0
    assert FairScorer("price")(cheaper, X, sensitive_features=SPECIES) == 0


def test_what_is_missing_is_said(model: MiniReL) -> None:
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        FairScorer()(model, X)
    with pytest.raises(ValueError, match="measure must be one of 'silhouette', 'price'"):
        FairScorer("cost")(model, X, sensitive_features=SPECIES)
    with pytest.raises(TypeError, match="estimator must be a fitted MiniReL"):
        FairScorer()(KMeans(3, n_init=1).fit(X), X, sensitive_features=SPECIES)
