"""First centers: every way of the table, and what users bring themselves."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning

from minirel import KMeansStart, MiniReL, ParameterError
from minirel.clustering import initialise
from minirel.clustering.initialise import INITIALISERS, Start, few_points, first_centers
from minirel.clustering.objectives import OBJECTIVES, KMeansObjective
from minirel.solvers.limits import Deadline

WAYS = (*INITIALISERS, KMeansStart(2))


def start(
    X: Any, n_clusters: int = 4, weight: Any = None, objective: str = "k-means", seed: int = 0
) -> Start:
    data = OBJECTIVES[objective](X, weight)
    return Start(X, weight, data, n_clusters, 1e-4, np.random.RandomState(seed))


def normal(n: int = 60, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 4 * rng.integers(0, 3, size=(n, 1))


def test_the_table() -> None:
    assert list(INITIALISERS) == ["k-means", "k-means++", "random"]


@pytest.mark.some(24)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("n", [60, 1_001])
def test_centers_of_every_way(way: Any, weighted: bool, sparse: bool, dtype: Any, n: int) -> None:
    X = normal(n).astype(dtype)
    weight = np.random.default_rng(1).integers(0, 4, size=n).astype(float) if weighted else None
    data = csr_array(X) if sparse else X
    centers = first_centers(way, start(data, weight=weight))
    assert isinstance(centers, np.ndarray)
    assert centers.shape == (4, 3)
    assert centers.dtype == dtype
    assert np.isfinite(centers).all()
    assert len(np.unique(centers, axis=0)) == 4
    again = first_centers(way, start(data, weight=weight))
    np.testing.assert_array_equal(centers, again)
    if way in ("random", "k-means++"):  # these are points, and have weight
        here = (centers[:, None] == X).all(axis=2)
        assert here.any(axis=1).all()
        if weight is not None:
            assert all(weight[np.flatnonzero(row)].max() > 0 for row in here)


@pytest.mark.parametrize("way", ["random", "k-means++"])
def test_points_without_weight_are_not_drawn(way: str) -> None:
    X = np.arange(10.0)[:, None]
    weight = np.array([0.0, 0, 1, 0, 2, 0, 0, 1, 0, 0])
    for seed in range(20):
        centers = first_centers(way, start(X, 3, weight, seed=seed))
        assert sorted(centers.ravel()) == [2, 4, 7]


def test_random_draws_by_weight() -> None:
    X = np.arange(4.0)[:, None]
    weight = np.array([1.0, 1, 1, 97])
    drawn = [first_centers("random", start(X, 1, weight, seed=seed)).item() for seed in range(100)]
    assert drawn.count(3.0) > 80


def test_different_seeds_different_centers() -> None:
    X = normal()
    for way in ("random", "k-means++"):
        centers = {first_centers(way, start(X, seed=seed)).tobytes() for seed in range(5)}
        assert len(centers) > 1


def test_k_means_starts_where_k_means_ends() -> None:
    X = normal(1_001)
    kmeans = KMeans(4, n_init=1, random_state=np.random.RandomState(0)).fit(X)
    centers = first_centers(KMeansStart(1), start(X))
    np.testing.assert_allclose(centers, kmeans.cluster_centers_, rtol=1e-9)


@pytest.mark.parametrize("n", [300, 5_000])
@pytest.mark.parametrize("sparse", [False, True])
def test_k_means_from_a_sample_ends_where_k_means_stays(n: int, sparse: bool) -> None:
    X, _ = make_blobs(n, centers=12, n_features=3, random_state=1)
    given = csr_array(X) if sparse else X
    centers = first_centers("k-means", start(given, 8))
    labels = KMeansObjective(X, None).costs(centers).argmin(axis=1)
    after = [X[labels == k].mean(axis=0) for k in range(8)]
    np.testing.assert_allclose(centers, after, atol=0.05)
    cost = KMeansObjective(X, None).costs(centers).min(axis=1).sum()
    assert cost <= 1.05 * KMeans(8, n_init=10, random_state=0).fit(X).inertia_


def test_k_means_from_a_sample_without_weight() -> None:
    """A sample of points that weigh nothing has no clusters."""
    X, weight = normal(5_000), np.zeros(5_000)
    weight[:4] = 1
    centers = first_centers("k-means", start(X, weight=weight))
    np.testing.assert_allclose(np.unique(centers, axis=0), np.unique(X[:4], axis=0))


def test_more_runs_of_k_means_are_no_dearer() -> None:
    X = normal(1_001, seed=3)

    def cost(n_init: int) -> float:
        centers = first_centers(KMeansStart(n_init), start(X, 6))
        return float(((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum())

    assert cost(10) <= cost(1) * (1 + 1e-12)
    best = KMeans(6, n_init=10, random_state=0).fit(X).inertia_
    assert cost(10) <= best * 1.01


def test_k_means_of_k_medians_are_medians() -> None:
    X = normal(1_001)
    kmeans = KMeans(4, n_init=1, random_state=np.random.RandomState(0)).fit(X)
    centers = first_centers(KMeansStart(1), start(X, objective="k-medians"))
    medians = [np.median(X[kmeans.labels_ == k], axis=0) for k in range(4)]
    np.testing.assert_allclose(centers, medians)


def test_repeated_rows_are_weights() -> None:
    """Up to a thousand points, only rows and weights matter, not the order or the way they are told."""
    X = normal(40)
    weight = np.random.default_rng(0).integers(1, 4, size=40)
    for way in WAYS:
        heavy = first_centers(way, start(np.r_[X, X[:1]], weight=np.r_[weight, 1.0]))
        repeated = first_centers(way, start(np.r_[np.repeat(X, weight, axis=0), X[:1]]))
        np.testing.assert_allclose(heavy, repeated, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("init", WAYS, ids=str)
def test_fewer_distinct_points_than_clusters(init: Any) -> None:
    """Every cluster gets a point all the same, and one warning tells."""
    X = np.repeat(np.array([[0.0, 0], [1, 1]]), 5, axis=0)
    with pytest.warns(ConvergenceWarning) as told:
        model = MiniReL(4, init=init, random_state=0).fit(X)
    assert [str(warning.message) for warning in told] == [
        "X has 2 distinct points, fewer than n_clusters=4: some clusters will have the same center; lower "
        "n_clusters to 2"
    ]
    assert np.bincount(model.labels_, minlength=4).min() >= 1
    assert np.isfinite(model.cluster_centers_).all()
    # Four clusters of two kinds of points: pure ones cost nothing.
    assert model.inertia_ == pytest.approx(0, abs=1e-12)


@pytest.mark.some(5)
@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
@pytest.mark.parametrize("init", [*WAYS, np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])], ids=str)
def test_one_warning_from_any_start_for_many_points(init: Any, objective: str) -> None:
    X = np.repeat(np.array([[0.0, 0], [1, 1], [0, 1]]), 200, axis=0)
    weight = np.repeat([1.0, 2.0, 0.0], 200)  # the third does not count
    with pytest.warns(ConvergenceWarning) as told:
        model = MiniReL(4, init=init, objective=objective, random_state=0).fit(X, sample_weight=weight)
    (message,) = [str(warning.message) for warning in told]
    assert message.startswith("X has 2 distinct points of weight above 0, fewer than n_clusters=4")
    assert model.inertia_ == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_points(make: type, dtype: type) -> None:
    points = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0], [-0.0, 0, 0]], dtype=dtype)
    X = make(points[np.r_[np.zeros(5_000, dtype=int), 1:4]])
    assert few_points(X, None, 3) is None
    few = few_points(X, None, 4)
    assert few is not None
    assert few.dtype == dtype
    np.testing.assert_array_equal(few, [[0, 0, 0], [0, 3, 0], [2, 0, 1]])
    weight = np.r_[np.zeros(5_000), 1, 0, 1]
    np.testing.assert_array_equal(few_points(X, weight, 2), [[0, 0, 0]])
    assert few_points(X, weight, 1) is None


# Through the estimator.


def iris() -> tuple[np.ndarray, np.ndarray]:
    X, species = load_iris(return_X_y=True)
    return X, species


@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
@pytest.mark.parametrize("init", WAYS, ids=str)
def test_every_way_leads_to_a_fair_clustering(init: Any, objective: str) -> None:
    X, species = iris()
    model = MiniReL(6, beta="statistical_parity", init=init, objective=objective, random_state=0)
    assert model.fit(X, sensitive_features=species).audit_.n_represented >= (2, 2, 2)


def test_array() -> None:
    X, species = iris()
    init = X[[0, 60, 110]]
    model = MiniReL(3, beta=1, init=init).fit(X, sensitive_features=species)
    listed = MiniReL(3, beta=1, init=init.tolist()).fit(X, sensitive_features=species)
    np.testing.assert_array_equal(model.labels_, listed.labels_)
    np.testing.assert_array_equal(init, X[[0, 60, 110]])
    # Clusters keep the order of their first centers, which is what `allowed` and `prefix` speak of.
    for k, row in enumerate((0, 60, 110)):
        assert model.labels_[row] == k
    turned = MiniReL(3, beta=1, init=init[::-1]).fit(X, sensitive_features=species)
    np.testing.assert_array_equal(turned.labels_, 2 - model.labels_)


def test_array_is_taken_in_the_precision_of_the_data() -> None:
    X, _ = iris()
    model = MiniReL(3, init=X[[0, 60, 110]]).fit(X.astype(np.float32))
    assert model.cluster_centers_.dtype == np.float32
    whole = MiniReL(2, init=[[5, 3, 1, 0], [6, 3, 5, 2]]).fit(X)
    assert whole.cluster_centers_.dtype == np.float64


def test_callable_gets_what_it_needs() -> None:
    X, species = iris()
    seen: list[Any] = []

    def init(data: Any, n_clusters: int, random_state: Any) -> np.ndarray:
        seen.append((data, n_clusters, random_state))
        return data[random_state.choice(len(data), n_clusters, replace=False)]

    model = MiniReL(4, init=init, n_init=3, random_state=0).fit(X, sensitive_features=species)
    assert len(seen) == 3
    for data, n_clusters, random_state in seen:
        np.testing.assert_array_equal(data, X)
        assert n_clusters == 4
        assert isinstance(random_state, np.random.RandomState)
    again = clone(model).fit(X, sensitive_features=species)
    np.testing.assert_array_equal(model.labels_, again.labels_)


def test_callable_gives_the_first_centers() -> None:
    X, _ = iris()
    rows = [3, 70, 120]
    given = MiniReL(3, init=lambda data, n_clusters, random_state: data[rows].tolist()).fit(X)
    array = MiniReL(3, init=X[rows]).fit(X)
    np.testing.assert_array_equal(given.labels_, array.labels_)
    assert given.history_[0].cost == array.history_[0].cost


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (np.zeros((2, 4)), r"init must return.*\(3, 4\).*\(2, 4\)"),
        (np.zeros((3, 5)), r"init must return.*\(3, 4\).*\(3, 5\)"),
        (np.zeros(4), r"init must return.*\(3, 4\).*\(4,\)"),
        (np.full((3, 4), np.nan), "init must return finite"),
        (np.full((3, 4), np.inf), "init must return finite"),
        (np.full((3, 4), "a"), "init must return"),
        ([[0.0, 0, 0, 0], [1, 1], [2]], "init must return"),
        (None, "init must return"),
    ],
    ids=["too few", "too wide", "1-d", "NaN", "inf", "strings", "ragged", "None"],
)
def test_callable_that_returns_something_else(result: Any, told: str) -> None:
    X, _ = iris()
    model = MiniReL(3, init=lambda data, n_clusters, random_state: result)
    with pytest.raises(ValueError, match=told):
        model.fit(X)
    assert not hasattr(model, "labels_")


def test_errors_of_a_callable_are_its_own() -> None:
    def init(data: Any, n_clusters: int, random_state: Any) -> np.ndarray:
        raise KeyError("of the user's own making")

    with pytest.raises(KeyError, match="of the user's own making"):
        MiniReL(3, init=init).fit(iris()[0])


def test_first_centers_in_one_place() -> None:
    """Equal first centers part by the promise that no cluster is empty."""
    X, species = iris()
    model = MiniReL(3, beta=1, init=np.tile(X.mean(axis=0), (3, 1))).fit(X, sensitive_features=species)
    assert np.bincount(model.labels_, minlength=3).min() >= 1
    assert model.audit_.satisfied


def test_given_centers_are_run_from_once() -> None:
    X, species = iris()
    model = MiniReL(3, init=X[[0, 60, 120]], n_init=4, random_state=0)
    with pytest.warns(RuntimeWarning, match="would be the same: one is made, not n_init=4"):
        labels = model.fit(X, sensitive_features=species).labels_
    once = clone(model).set_params(n_init=1).fit(X, sensitive_features=species)
    np.testing.assert_array_equal(labels, once.labels_)


def test_given_centers_with_a_prefix_at_random_are_run_from_as_often_as_asked() -> None:
    X, species = iris()
    model = MiniReL(6, beta="statistical_parity", init=X[::25], prefix="random", random_state=0)
    costs = [
        clone(model).set_params(random_state=int(seed)).fit(X, sensitive_features=species).inertia_
        for seed in np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=2)
    ]
    assert len(set(costs)) > 1
    assert model.set_params(n_init=2).fit(X, sensitive_features=species).inertia_ == min(costs)


def test_a_time_limit_ends_k_means_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few iterations at a time lead to the same centers, and time that is up ends them."""
    monkeypatch.setattr(initialise, "_SHORT", 0)
    X = np.random.default_rng(0).normal(size=(400, 3))
    objective = KMeansObjective(X, None)
    spread = []
    for deadline in (Deadline(None), Deadline(1_000), Deadline(1e-9)):
        start = Start(X, None, objective, 8, 0.0, np.random.RandomState(0), deadline)
        centers = KMeansStart(3)(start)
        spread.append(float(objective.costs(centers).min(axis=1).sum()))
    assert spread[0] == pytest.approx(spread[1], rel=1e-9)
    assert spread[2] > spread[0]


def test_a_time_limit_ends_the_runs_on_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    n_runs, run = [0], initialise.KMeans.fit

    def counted(self: object, *args: object, **options: object) -> object:
        n_runs[0] += 1
        return run(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(initialise.KMeans, "fit", counted)
    X = np.random.default_rng(0).normal(size=(50, 3))
    objective = KMeansObjective(X, None)
    initialise.k_means(Start(X, None, objective, 8, 0.0, np.random.RandomState(0), Deadline(0.0)))
    assert n_runs == [1]


@pytest.mark.parametrize("init", [KMeansStart(0), KMeansStart("a"), KMeansStart(True), KMeansStart])  # type: ignore[arg-type]
def test_a_start_of_no_runs_is_refused(init: object) -> None:
    with pytest.raises(ParameterError, match=r"^init must .* but is KMeansStart.*: write KMeansStart\(\)"):
        MiniReL(2, init=init).fit(np.arange(6.0)[:, None])
