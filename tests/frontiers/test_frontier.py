"""A frontier: monotone, audited from labels, proven, the same for any number of threads."""

import os
import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning

from minirel import Frontier, InfeasibleFairnessError, MiniReL, ParameterError, audit, explain, frontier
from minirel.clustering.known import Known
from minirel.frontiers.asked import read_values
from minirel.frontiers.fits import Fits, from_starts
from minirel.frontiers.shape import knees
from minirel.frontiers.work import Progress
from minirel.solvers.limits import Deadline
from promptly import promptly

X, SPECIES = (values[::2] for values in load_iris(return_X_y=True))
ALPHAS, BETAS = (0.51, 0.75), ({1: 1}, 1, {1: 2}, {1: 3})


@pytest.fixture(scope="module")
def iris() -> Frontier:
    return frontier(X, SPECIES, n_clusters=[3, 5], alpha=ALPHAS, beta=BETAS, random_state=0)


def check_all(found: Frontier, points: Any, groups: Any, weight: Any = None) -> None:
    """What must hold of every frontier, from its table and its models alone."""
    table = found.to_frame()
    kept = [i for i in range(len(found)) if table.feasible[i]]
    for i in kept:
        row = table.loc[i]
        model = found.model(i)
        assert model.inertia_ == row.cost
        assert row.lower_bound <= row.cost * (1 + 1e-12)
        assert row.price >= 0
        result = audit(
            model.labels_,
            groups,
            alpha=row.alpha,
            beta=row.beta,
            max_share=found.requests[i].values["max_share"],
            sample_weight=weight,
            n_clusters=row.n_clusters,
        )
        assert result.satisfied
        cost = _cost(points, model.labels_, row.n_clusters, weight)
        assert cost == pytest.approx(row.cost, rel=1e-6)
        assert explain(model).start_cost == pytest.approx(row.kmeans_cost, rel=1e-9)
    for i, j in product(kept, kept):
        if found.is_stricter(i, j):
            assert table.cost[j] <= table.cost[i], (i, j)
    refused = [i for i in range(len(found)) if table.feasible[i] is not None and not table.feasible[i]]
    for i in refused[:: max(1, len(refused) // 3)]:
        _check_refusal(found, i, points, groups, weight)


def _cost(points: Any, labels: Any, n_clusters: int, weight: Any) -> float:
    weight = np.ones(len(points)) if weight is None else np.asarray(weight)
    total = 0.0
    for k in range(n_clusters):
        own = labels == k
        center = np.average(points[own], axis=0, weights=weight[own])
        total += (weight[own, None] * (points[own] - center) ** 2).sum()
    return total


def _check_refusal(found: Frontier, i: int, points: Any, groups: Any, weight: Any) -> None:
    """Nobody can keep it, and what is called the nearest can be kept."""
    values = {name: value for name, value in found.requests[i].values.items() if value is not None}
    assert found.why(i)
    with pytest.raises(InfeasibleFairnessError):
        found.model(i)
    with pytest.raises((InfeasibleFairnessError, ParameterError)):
        MiniReL(**values, random_state=0).fit(points, sensitive_features=groups, sample_weight=weight)
    nearest = found.nearest(i)
    assert nearest
    near = MiniReL(**{**values, **nearest}, random_state=0, gap=1, max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert near.fit(points, sensitive_features=groups, sample_weight=weight).audit_.satisfied


def test_iris(iris: Frontier) -> None:
    assert len(iris) == 16
    check_all(iris, X, SPECIES)
    table = iris.to_frame()
    names = ["n_clusters", "alpha", "beta", "feasible", "why", "cost", "price", "lower_bound"]
    assert list(table.columns[: len(names)]) == names
    assert set(table.feasible) == {True, False}
    # Never dearer than one fit after another, but for rounding in what these start from.
    alone = []
    for one in iris.requests:
        model = MiniReL(**one.values, random_state=0)
        try:
            alone.append(model.fit(X, sensitive_features=SPECIES).inertia_)
        except InfeasibleFairnessError:
            alone.append(np.nan)
    assert np.isnan(alone).tolist() == (~table.feasible.astype(bool)).tolist()
    assert np.nanmean(table.cost / alone) <= 1 + 1e-9
    best = KMeans(3, n_init=10, random_state=0).fit(X).inertia_
    assert (table.kmeans_cost[table.n_clusters == 3] <= best * 1.001).all()


def test_notebooks_show_prices(iris: Frontier) -> None:
    shown = iris._repr_html_()
    assert f"{int(iris.to_frame().feasible.sum())} of 16 requests can be kept." in shown
    assert "cannot be kept" in shown
    assert "<th" in shown


def test_within_is_what_nothing_betters(iris: Frontier) -> None:
    for budget in (0.0, 0.05, 0.5, 100):
        table, within = iris.to_frame(), iris.within(budget)
        assert (within.price <= budget).all()
        assert list(within.columns) == list(table.columns)
        some = [i for i in range(len(iris)) if table.price[i] <= budget]
        for i in some:
            bettered = any(iris.is_stricter(j, i) for j in some)
            same = [j for j in some if iris.requests[j].key == iris.requests[i].key]
            assert (i in within.index) == (not bettered and i == same[0])


def test_best_beta_is_a_maximum(iris: Frontier) -> None:
    table = iris.to_frame()
    for group, budget in product((0, 1, 2), (0.0, 0.3)):
        best = iris.best_beta(group, budget)
        for row in best.itertuples():
            rows = table[(table.n_clusters == row.n_clusters) & (table.alpha == row.alpha)]
            promised = [
                p[group] for p, price in zip(rows.promised, rows.price, strict=True) if price <= budget
            ]
            assert row.beta == max(promised, default=0)
            assert (row.beta == 0) == pd.isna(row.row)
    with pytest.raises(ValueError, match="unknown group 'nobody'"):
        iris.best_beta("nobody", 0.1)


def test_dominated_and_knees(iris: Frontier) -> None:
    table = iris.to_frame()
    for i in range(len(iris)):
        better = [
            j for j in range(len(iris)) if iris.is_stricter(j, i) and table.price[j] <= table.price[i] + 1e-9
        ]
        assert table.dominated[i] == bool(better)
        assert not (table.knee[i] and table.dominated[i])
    # Two with as many clusters are no step of the price: only the cheapest is on the curve.
    others = [{0: 1}, {1: 2}, {0: 2}, {0: 3}]
    requests = frontier(X, SPECIES, n_clusters=4, beta=others, random_state=0).requests
    assert knees(requests, [0.0, 0.0, 5.0, 5.0], [None] * 4) == [False, True, False, False]
    assert knees(requests[:3], [0.0, 0.0, 5.0], [None] * 3) == [False] * 3


def test_any_number_of_jobs_gives_the_same() -> None:
    points, home = make_blobs(80, centers=5, n_features=2, random_state=1)
    groups = np.where(np.random.default_rng(1).random(80) < home / 5, "a", "b")
    made = [
        frontier(
            points,
            groups,
            n_clusters=4,
            alpha=0.5,
            beta=[1, 2],
            n_init=2,
            n_swaps=1,
            random_state=3,
            n_jobs=n_jobs,
        ).to_frame()
        for n_jobs in (None, 3)
    ]
    for other in made[1:]:
        pd.testing.assert_frame_equal(made[0], other)
    assert (made[0].cost.notna() == made[0].feasible.astype(bool)).all()


def test_weights_overlaps_and_bounds() -> None:
    rng = np.random.default_rng(0)
    points, weight = rng.normal(size=(60, 2)), rng.integers(1, 4, 60)
    groups = pd.DataFrame({"a": points[:, 0] + rng.normal(size=60) > 0, "b": rng.random(60) < 0.3})
    found = frontier(
        points,
        groups,
        n_clusters=3,
        alpha=[0.4, {"a": 0.5, "b": 0.4}],
        beta=[1, {"a": 2}, 4],
        max_share=[None, {"a": 0.8}],
        sample_weight=weight,
        random_state=0,
    )
    assert len(found) == 12
    check_all(found, points, groups, weight)
    with_bounds = found.to_frame()
    assert "max_share" in with_bounds
    # More clusters than there are for one of the numbers is no error of the whole.
    rows = with_bounds[with_bounds.beta == 4]
    assert (rows.feasible == False).all()  # noqa: E712
    assert rows.why.str.contains("there are n_clusters=3").all()


@pytest.mark.parametrize(
    "options",
    [
        {"prefix": None},
        {"prefix": "local_cost"},
        {"objective": "k-medians"},
        {"init": "k-means++", "n_init": 2},
        {"exclusive": True},
        {"min_members": 5, "min_size": 10},
    ],
    ids=str,
)
def test_parameters_of_the_estimator(options: dict[str, Any]) -> None:
    found = frontier(
        X, SPECIES, n_clusters=4, alpha=[0.4, 0.6], beta=[{1: 1}, {1: 2}], random_state=0, **options
    )
    table = found.to_frame()
    assert table.feasible.all()
    for i in range(4):
        model = found.model(i)
        assert model.audit_.satisfied
        for name, value in options.items():
            assert model.get_params()[name] == value
        assert model.predict(X[:2]).shape == (2,)
    for i, j in product(range(4), range(4)):
        if found.is_stricter(i, j):
            assert table.cost[j] <= table.cost[i]


def test_time_limit_and_callback_leave_the_rest_open() -> None:
    told: list[Progress] = []

    def enough(progress: Progress) -> bool:
        told.append(progress)
        return progress.done == 6

    with pytest.warns(ConvergenceWarning, match="stopped by callback: .* requests are open"):
        found = frontier(
            X, SPECIES, n_clusters=[3, 4], beta=[1, {0: 1}, {1: 1}, 2], random_state=0, callback=enough
        )
    assert found.stop == "callback"
    assert [progress.done for progress in told] == [1, 2, 3, 4, 5, 6]
    assert told[-1].total >= 10
    assert "of 10 fits" in str(told[0])
    table = found.to_frame()
    assert table.feasible.isna().any()
    assert (table.why[table.feasible.isna()] == "not reached").all()
    check_all(found, X, SPECIES)
    with pytest.warns(ConvergenceWarning, match="stopped at time_limit"):
        found = frontier(X, SPECIES, n_clusters=[3, 4], beta=[1, 2], random_state=0, time_limit=1e-6)
    assert found.stop == "time_limit"
    assert found.to_frame().feasible.isna().any()


def test_starts_that_are_left_are_made_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cheapest so far was not cut short itself, but it is not what all starts would have found."""
    found = frontier(X, SPECIES, n_clusters=4, alpha=0.75, beta={1: 3}, n_init=3, random_state=0)
    fits, asked = replace(found._fits, deadline=Deadline(None)), found.requests[0]
    starts = [fits.k_means(4, seed=seed) for seed in fits.seeds]
    fair, n_fits = Fits.fair, []

    def cutting(self: Fits, *args: Any, **options: Any) -> Any:
        n_fits.append(1)
        made = fair(self, *args, **options)
        self.deadline.cut()
        return made

    assert not from_starts(fits, asked, starts, starts[0]).was_cut
    monkeypatch.setattr(Fits, "fair", cutting)
    assert from_starts(fits, asked, starts, starts[0]).was_cut
    assert len(n_fits) == 1


def test_interrupts_end_with_what_is_done() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done == 5:
            raise KeyboardInterrupt

    for n_jobs in (None, 2):
        with pytest.warns(ConvergenceWarning, match="interrupted: "):
            found = frontier(
                X,
                SPECIES,
                n_clusters=[3, 4],
                beta=[1, {0: 1}, {1: 1}],
                random_state=0,
                callback=interrupt,
                n_jobs=n_jobs,
            )
        assert found.stop == "interrupted"
        assert found.to_frame().feasible.notna().sum() >= 3
        check_all(found, X, SPECIES)


def test_an_interrupt_between_two_fits_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("minirel.frontiers.search._try_neighbours", interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted: 0 of 2 requests are open"):
        found = frontier(X, SPECIES, n_clusters=3, alpha=[0.5, 0.75], beta=1, random_state=0)
    assert found.stop == "interrupted"
    check_all(found, X, SPECIES)


def test_choose_k(iris: Frontier) -> None:
    table = iris.choose_k(alpha=0.75, beta={1: 3}, n_seeds=1, n_sample=80)
    assert table.n_clusters.tolist() == [3, 5]
    assert table.feasible.tolist() == [False, True]
    assert table.loc[1:, ["stability", "silhouette"]].notna().all().all()
    assert table.kmeans_stability.between(-1, 1 + 1e-12).all()
    assert np.isnan(table.silhouette[0])
    assert table.kmeans_silhouette.between(0.2, 0.7).all()
    pd.testing.assert_frame_equal(table, iris.choose_k(alpha=0.75, beta={1: 3}, n_seeds=1, n_sample=80))
    with pytest.raises(ValueError, match="alpha must be one of those that were asked for"):
        iris.choose_k(alpha=0.9)


def test_choose_k_has_no_limit_but_its_own() -> None:
    """A frontier that was ended has a deadline that is over, which is none for the fits of other seeds."""
    asked: dict[str, Any] = {"n_clusters": [3, 4], "alpha": 0.6, "beta": 1, "random_state": 0}
    whole = frontier(X, SPECIES, **asked)
    ended = []
    with pytest.warns(ConvergenceWarning, match="stopped by callback: 0 of 2"):
        ended.append(frontier(X, SPECIES, **asked, callback=lambda told: told.done == told.total))

    def interrupt(told: Progress) -> None:
        if told.done == told.total:
            raise KeyboardInterrupt

    with pytest.warns(ConvergenceWarning, match="interrupted: 0 of 2"):
        ended.append(frontier(X, SPECIES, **asked, callback=interrupt))
    for found in ended:
        pd.testing.assert_frame_equal(found.choose_k(), whole.choose_k())
    # Where a limit fell says nothing of the clusters.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cut = whole.choose_k(time_limit=1e-6)
    assert cut[["stability", "kmeans_stability"]].isna().all().all()
    assert cut[["silhouette", "kmeans_silhouette"]].notna().all().all()
    with pytest.raises(ValueError, match="time_limit must be a number above 0"):
        whole.choose_k(time_limit=0)
    key = whole.requests[0].key
    whole._answers[key] = replace(whole._answers[key], stop="time_limit")
    table = whole.choose_k(n_seeds=1)
    assert table.stability.isna().tolist() == [True, False]
    assert table.kmeans_stability.notna().all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"beta": []}, "beta must be one value or a list of at least one, but is empty"),
        ({"alpha": np.zeros((2, 2))}, "alpha must be one value or a list of values, but has shape"),
        ({"n_clusters": {3, 4}}, "n_clusters must be one value or a list of values, in their order"),
        ({"n_clusters": [3, 0]}, "n_clusters must be a whole number of at least 1, but is 0"),
        ({"alpha": [0.5, 1.5]}, "alpha must be a share above 0 and at most 1, but is 1.5"),
        ({"beta": [1, "parity"]}, "beta must be a whole number"),
        ({"beta": [{7: 1}]}, "beta names an unknown group 7"),
        (
            {"alpha": list(np.linspace(0.01, 1, 100)), "beta": [{0: b} for b in range(100)]},
            "10,000 .100 of alpha x 100",
        ),
        ({"max_requests": 0}, "max_requests must be a whole number of at least 1"),
        ({"n_clusters": 200}, "n_clusters must be at most the number of points"),
        ({"colour": 1}, "colour must be a parameter of frontier or of MiniReL"),
        ({"gap": -1}, "gap must be a number of at least 0"),
        ({"n_init": 0}, "n_init must be a whole number of at least 1, but is 0"),
        ({"n_init": "a"}, "n_init must be a whole number of at least 1"),
        ({"n_swaps": "a"}, "n_swaps must be a whole number of at least 0"),
        ({"n_swaps": -1}, "n_swaps must be a whole number of at least 0, but is -1"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, but is 0"),
        ({"tol": -1}, "tol must be a number of at least 0, but is -1"),
        ({"connect": "no"}, "connect must be"),
        ({"time_limit": 0}, "time_limit must be a number above 0"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"callback": 1}, "callback must be a function of a Progress"),
        ({"objective": "k-modes"}, "objective must be one of"),
        ({"min_share": 0.5, "max_share": [0.4]}, "max_share"),
        ({"connect": True}, "connect must be False in a frontier"),
        ({"resume": "/no/such/folder/file"}, "resume must be in a folder"),
        ({"min_size": 30, "max_size": 20}, "min_size must be at most max_size"),
        ({"min_size": 30, "n_clusters": [3, 4]}, "min_size=30 asks for 3 clusters of 90 points in all"),
        ({"min_share": {0: 0.6}, "beta": [0, 1]}, "min_share asks that every cluster is at least 60% 0"),
        ({"init": X[:3], "n_clusters": [3, 4]}, "init must hold n_clusters=4 centers of 4 features"),
        ({"init": "k-mean"}, "init must be one of"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_refused_before_any_work(
    options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_work(*args: object, **parameters: object) -> None:
        raise AssertionError("work was begun")

    monkeypatch.setattr(MiniReL, "fit", no_work)
    given: dict[str, Any] = {"n_clusters": 3, "random_state": 0} | options
    with pytest.raises((ValueError, TypeError), match=said):
        frontier(X, SPECIES, **given)


def test_many_values_are_refused_at_once() -> None:
    shares = [Fraction(i, 200_000) for i in range(1, 200_000)]
    with pytest.raises(ValueError, match="is 1000 for 199,999 "):
        promptly(lambda: frontier(X, SPECIES, n_clusters=3, alpha=shares))
    with pytest.raises(ValueError, match="is 1000 for 100,000 "):
        promptly(lambda: frontier(X, SPECIES, n_clusters=3, beta=[{0: i} for i in range(100_000)]))
    # Of equal values the first is kept.
    alike = [0.5, Fraction(1, 2), {0: 0.5, 1: 0.4}, {1: 0.4, 0: Fraction(1, 2)}, np.float64(0.5), {0: 0.5}]
    kept = [one["alpha"] for one in read_values(10, n_clusters=3, alpha=alike)]
    assert list(map(repr, kept)) == ["0.5", "{0: 0.5, 1: 0.4}", "{0: 0.5}"]


def test_sizes_that_some_number_of_clusters_can_keep_are_rows() -> None:
    table = frontier(X, SPECIES, n_clusters=[4, 3], min_size=20, beta=[0, 1], random_state=0).to_frame()
    assert table.feasible.tolist() == [False, False, True, True]


def test_budgets_and_rows_are_checked(iris: Frontier) -> None:
    for ask in (iris.within, lambda budget: iris.best_beta(1, budget)):
        with pytest.raises(ValueError, match=r"budget must be a share of at least 0.* but is -0\.1"):
            ask(-0.1)
        with pytest.raises(TypeError, match="budget must be a share"):
            ask("2%")
    with pytest.raises(ValueError, match="i must be a row from 0 to 15"):
        iris.model(16)
    assert iris.model(-16).inertia_ == iris.to_frame().cost[0]
    with pytest.raises(ValueError, match="sensitive_features must hold groups"):
        frontier(X, None, n_clusters=3)


def test_frames_keep_the_names_of_features() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    found = frontier(frame, SPECIES, n_clusters=3, beta=[1], random_state=0)
    model = found.model(0)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert model.predict(frame).shape == (75,)


@pytest.mark.skipif(
    "MINIREL_DATA" not in os.environ, reason="MINIREL_DATA does not name a folder with UCI files"
)
@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["adult", "default"])
def test_real_data(name: str) -> None:
    from minirel import datasets

    data = getattr(datasets, f"load_{name}")()
    some = np.random.default_rng(0).choice(len(data.X), 300, replace=False)
    points, groups = data.X[some], np.asarray(data.groups)[some]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = frontier(
            points,
            groups,
            n_clusters=5,
            alpha=[0.4, 0.55],
            beta=[1, 2],
            random_state=0,
        )
    check_all(found, points, groups)


def test_units_of_many_people_that_stay_together() -> None:
    """Shares of totals, and points that go to one cluster: both as in a fit of one request."""
    rng = np.random.default_rng(0)
    points, household = rng.normal(size=(60, 2)), rng.integers(0, 25, 60)
    people = pd.DataFrame({"a": rng.integers(0, 9, 60), "adults": rng.integers(9, 20, 60)})
    asked: dict[str, Any] = {"n_clusters": 3, "alpha": [0.3, 0.4], "beta": [{"a": 1}, {"a": 2}]}
    found = frontier(points, people, **asked, total="adults", together=household, random_state=0)
    table = found.to_frame()
    assert table.feasible.any()
    for i in np.flatnonzero(table.feasible):
        model = found.model(i)
        assert model.inertia_ == pytest.approx(_cost(points, model.labels_, 3, None), rel=1e-9)
        assert all(len(set(model.labels_[household == h])) == 1 for h in set(household))
        result = audit(model.labels_, people, alpha=table.alpha[i], beta=table.beta[i], total="adults")
        assert result.satisfied
        alone = MiniReL(3, alpha=table.alpha[i], beta=table.beta[i], total="adults", random_state=0)
        alone.fit(points, sensitive_features=people, together=household)
        assert table.cost[i] <= alone.inertia_ * (1 + 1e-9)
        assert table.lower_bound[i] <= table.cost[i] * (1 + 1e-12)
    for i, j in product(np.flatnonzero(table.feasible), repeat=2):
        if found.is_stricter(i, j):
            assert table.cost[j] <= table.cost[i]
    with pytest.raises(ValueError, match="together must be None unless objective='k-means'"):
        frontier(points, people, **asked, total="adults", together=household, objective="k-medians")


def test_a_limit_is_told_once() -> None:
    """When the frontier is made, and not by each of its models."""
    found = frontier(X, SPECIES, n_clusters=4, beta={1: 3}, random_state=0)
    own = found.clustering(0)
    assert own is not None
    loose = replace(own, status="effort limit", lower_bound=0.9 * own.cost, gap=0.1, prices=None)
    found._answers[found.requests[0].key] = loose
    assert found.model(0).status_ == "effort limit"


def _two_groups(seed: int, n: int, share: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    return points, np.where(rng.random(n) < share, "x", "y")


NAMED: dict[str, Any] = {"prefix": [("x", 0)], "random_state": 0}


@pytest.mark.parametrize(
    "asked",
    [
        {"alpha": [0.9, 0.3], "beta": 0},
        {"alpha": [{"x": 0.9, "y": 0.5}, {"x": 0.3, "y": 0.5}], "beta": {"y": 1}},
        {"alpha": [0.6, 0.3], "beta": [0, {"x": 1}]},
    ],
    ids=str,
)
def test_shares_of_named_holders_are_asked_without_beta(asked: dict[str, Any]) -> None:
    """Where beta is 0, alpha is still what the holders in prefix are to have."""
    points, groups = _two_groups(0, 30, 0.4)
    found = frontier(points, groups, n_clusters=3, **asked, **NAMED)
    costs = found.to_frame().cost
    for i, one in enumerate(found.requests):
        model = found.model(i)
        assert model.prefix_[0] == ("x", 0)
        assert (groups[model.labels_ == 0] == "x").mean() >= float(one.fairness.alpha[0])
        alone = MiniReL(**one.values, **NAMED).fit(points, sensitive_features=groups)
        assert costs[i] <= alone.inertia_ * (1 + 1e-9)
    last = len(found) // 2  # the same beta with the lower share
    assert found.is_stricter(0, last)
    assert not found.is_stricter(last, 0)
    assert found.best_within(99)[0] < last


def test_each_share_of_named_holders_has_its_own_reason() -> None:
    points, groups = _two_groups(0, 30, 0.4)
    refused = frontier(points, groups, n_clusters=1, alpha=[0.4, 0.7], beta=0, **NAMED)
    for i, share in enumerate(("40%", "70%")):
        assert f"at least {share}" in refused.why(i)


@pytest.mark.parametrize(("seed", "prefix"), [(1, None), (5, None), (1, [("x", 0)]), (5, [("x", 0)])])
def test_exclusive_clusters_are_found_anew_for_each_request(seed: int, prefix: Any) -> None:
    """A clustering of another request brings holders that are too few, or in the way, for this one."""
    points, groups = _two_groups(seed, 40, 0.4)
    betas = [0, {"x": 1}, 1, {"x": 2}]
    found = frontier(
        points, groups, n_clusters=3, alpha=0.5, beta=betas, prefix=prefix, exclusive=True, random_state=0
    )
    table = found.to_frame()
    assert table.feasible.all()
    for i, beta in enumerate(betas):
        model = found.model(i)
        assert len({k for _, k in model.prefix_}) == len(model.prefix_)
        assert set(prefix or ()) <= set(model.prefix_)
        assert audit(model.labels_, groups, alpha=0.5, beta=beta, exclusive=True).satisfied
    for i, j in product(range(len(found)), repeat=2):
        assert not found.is_stricter(i, j) or table.cost[j] <= table.cost[i]


def test_a_named_cluster_is_none_for_others() -> None:
    """K-means has a cluster for each group, but the only one of "y" is named for "x", and exclusive."""
    points = np.repeat([0.0, 10.0], 4)[:, None] + np.tile([0.0, 0.1, 0.2, 0.3], 2)[:, None]
    groups = np.array(list("xxyyxxxx"))
    asked: dict[str, Any] = {"n_clusters": 2, "alpha": 0.5, "exclusive": True, "random_state": 0}
    for place in (0, 1):
        found = frontier(points, groups, beta={"y": 1}, prefix=[("x", place)], **asked)
        holders = dict(found.model(0).prefix_)
        assert holders == {"x": place, "y": 1 - place}


@pytest.mark.parametrize("is_final", [False, True])
def test_holders_of_a_lower_share_are_replaced(is_final: bool) -> None:
    """Labels keep a higher share in another cluster than the one that held the lower share."""
    points = np.repeat([0.0, 10.0], 10)[:, None] + np.tile(np.linspace(0, 1, 10), 2)[:, None]
    groups = np.array(list("xxxxxxyyyy" + "xxxxxxxxyy"))
    known = Known(np.array([[0.5], [10.5]]), np.repeat([0, 1], 10), holders=((0, 0),), is_final=is_final)
    model = MiniReL(2, alpha=0.7, beta={"x": 1}, prefix=None, init=known, random_state=0)
    assert model.fit(points, sensitive_features=groups).prefix_ == [("x", 1)]


def test_none_is_shown_as_asked() -> None:
    points, groups = _two_groups(0, 12, 0.5)
    asked: dict[str, Any] = {"n_clusters": 2, "prefix": None, "random_state": 0}
    found = frontier(points, groups, beta=[1, None], max_share=[0.95, None], **asked)
    table = found.to_frame()
    assert list(table.max_share) == [0.95, None, 0.95, None]
    assert list(map(repr, table.beta)) == ["1", "1", "None", "None"]
    some = found.within(99)
    assert list(some.max_share) == [found.requests[i].values["max_share"] for i in some.index]
    words = frontier(points, groups, beta=["statistical_parity", None], **asked).to_frame()
    assert list(words.beta) == ["statistical_parity", None]
