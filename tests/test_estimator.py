"""`MiniReL` as an estimator: scikit-learn's own checks, its promises on real data, and what it refuses."""

import importlib.util
import os
import pickle
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from minirel import InfeasibleFairnessError, KMeansStart, MiniReL, ParameterError, fair_assignment

PRESETS = ("statistical_parity", "equality_of_opportunity")
NAN, INF = float("nan"), float("inf")


# Some checks have fewer distinct points than clusters, of which a fit warns, as KMeans does.
@pytest.mark.filterwarnings("ignore:X has .* distinct points:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([MiniReL(), MiniReL(objective="k-medians"), MiniReL(init="k-means++")])
def test_scikit_learn_is_content(estimator: MiniReL, check: Any) -> None:
    check(estimator)


# Data, and promises read off the labels by nothing of the package.


@cache
def iris() -> tuple[np.ndarray, np.ndarray]:
    data = load_iris()
    return data.data, data.target_names[data.target]


@cache
def benchmark_data() -> ModuleType:
    if "MINIREL_DATA" not in os.environ:
        pytest.skip("MINIREL_DATA is not set: it is to name the folder with the UCI files")
    path = Path(__file__).parents[1] / "benchmarks" / "data.py"
    spec = importlib.util.spec_from_file_location("benchmark_data", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def real(name: str) -> tuple[np.ndarray, np.ndarray]:
    """3,000 rows of a data set of the paper, and the sex of each."""
    X, sex = benchmark_data().DATA[name]()
    rows = np.random.default_rng(0).choice(len(X), size=3_000, replace=False)
    return np.ascontiguousarray(X[rows]), sex[rows]


@cache
def adult_people() -> tuple[np.ndarray, pd.DataFrame]:
    """Rows of Adult with race and sex, of which points are a group each: they overlap."""
    data = benchmark_data()
    frame = pd.read_csv(data.folder() / "adult.data", names=data.ADULT_COLUMNS, skipinitialspace=True)
    frame = frame.sample(3_000, random_state=0).reset_index(drop=True)
    frame["race"] = frame["race"].where(frame["race"].isin(["White", "Black"]), "Other")
    numbers = frame[["age", "education-num", "hours-per-week", "capital-gain"]].astype(float)
    X = ((numbers - numbers.mean()) / numbers.std()).to_numpy()
    return np.ascontiguousarray(X), frame[["race", "sex"]]


def members(features: Any) -> dict[Any, np.ndarray]:
    if isinstance(features, pd.DataFrame):
        return {
            f"{column}={value}": (features[column] == value).to_numpy()
            for column in features
            for value in sorted(features[column].unique())
        }
    return {value: np.asarray(features) == value for value in sorted(set(features))}


def check_promises(
    labels: np.ndarray, features: Any, alpha: float, beta: dict[Any, int], n_clusters: int
) -> None:
    sizes = [int((labels == k).sum()) for k in range(n_clusters)]
    assert min(sizes) >= 1
    assert sum(sizes) == len(labels)
    share = Fraction(str(alpha))
    for name, member in members(features).items():
        counts = [int((member & (labels == k)).sum()) for k in range(n_clusters)]
        n_represented = sum(count >= share * size for count, size in zip(counts, sizes, strict=True))
        assert n_represented >= beta[name], f"{name!r} is represented in {n_represented} clusters"


def expected_beta(features: Any, preset: str, alpha: float, n_clusters: int) -> dict[Any, int]:
    groups = members(features)
    cap = int(1 / Fraction(str(alpha)))
    if preset == "statistical_parity":
        return dict.fromkeys(groups, cap * n_clusters // len(groups))
    return {name: int(member.sum()) * cap * n_clusters // len(member) for name, member in groups.items()}


def fit_checked(X: np.ndarray, features: Any, n_clusters: int, preset: str, **options: Any) -> MiniReL:
    """Fit, or lower beta to what the error says can be done, and check the promises."""
    alpha = options.pop("alpha", 0.51)
    beta = expected_beta(features, preset, alpha, n_clusters)
    model = MiniReL(n_clusters, alpha=alpha, beta=preset, random_state=0, **options)
    try:
        model.fit(X, sensitive_features=features)
    except InfeasibleFairnessError as error:
        nearest = error.nearest
        assert set(nearest) == {"beta"}
        lowered = nearest["beta"]
        assert all(lowered[name] <= beta[name] for name in lowered)
        assert any(lowered[name] < beta[name] for name in lowered)
        beta = {name: lowered.get(name, 0) for name in beta}
        model.set_params(beta=lowered).fit(X, sensitive_features=features)
    assert model.beta_ == beta
    check_promises(model.labels_, features, alpha, beta, n_clusters)
    assert model.audit_.satisfied
    assert model.gap_ <= 1e-4
    assert model.status_ in ("optimal", "within gap")
    return model


@pytest.mark.some(6)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("n_clusters", [4, 5, 7, 9, 11, 13, 14, 15])
def test_iris_keeps_every_promise(n_clusters: int, preset: str) -> None:
    fit_checked(*iris(), n_clusters, preset)


@pytest.mark.some(4)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("n_clusters", [4, 10, 15])
@pytest.mark.parametrize("name", ["adult", "default"])
def test_data_of_the_paper_keep_every_promise(name: str, n_clusters: int, preset: str) -> None:
    fit_checked(*real(name), n_clusters, preset)


@pytest.mark.some(3)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("n_clusters", [5, 8, 12])
def test_overlapping_groups_keep_every_promise(n_clusters: int, preset: str) -> None:
    fit_checked(*adult_people(), n_clusters, preset)


# The same answer every time.


@cache
def overlapping(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3)) + 2 * rng.integers(0, 3, size=(n, 1))
    return X, np.column_stack([X[:, 0] + rng.normal(size=n) > 2, rng.random(n) < 0.4])


def test_n_jobs_makes_no_difference() -> None:
    X, groups = overlapping()
    models = [
        MiniReL(5, beta=2, init="random", n_init=2, n_jobs=n_jobs, random_state=3).fit(
            X, sensitive_features=groups
        )
        for n_jobs in (None, 2, -1)
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.labels_, models[0].labels_)
        np.testing.assert_array_equal(model.cluster_centers_, models[0].cluster_centers_)
        assert model.inertia_ == models[0].inertia_
        assert model.prefix_ == models[0].prefix_


@pytest.mark.some(4)
@pytest.mark.parametrize("init", ["k-means", "k-means++", "random"])
@pytest.mark.parametrize("prefix", ["local_cost", "random", None])
def test_same_random_state_same_answer(init: str, prefix: str | None) -> None:
    X, groups = overlapping(50)
    model = MiniReL(4, beta=2, init=init, prefix=prefix, random_state=7)
    first = clone(model).fit(X, sensitive_features=groups)
    again = clone(model).fit(X, sensitive_features=groups)
    np.testing.assert_array_equal(first.labels_, again.labels_)
    np.testing.assert_array_equal(first.cluster_centers_, again.cluster_centers_)
    seeded = clone(model).set_params(random_state=np.random.RandomState(7))
    seeded.fit(X, sensitive_features=groups)
    np.testing.assert_array_equal(first.labels_, seeded.labels_)


# Without promises it is k-means.


@pytest.mark.some(8)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("asks", ["no groups", "beta 0", "beta 0 by group"])
def test_is_k_means_without_promises(seed: int, asks: str) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3)) + 2 * rng.integers(0, 3, size=(150, 1))
    n_clusters = int(rng.integers(2, 7))
    init = X[rng.choice(150, n_clusters, replace=False)]
    weight = rng.integers(1, 5, size=150) if seed % 2 else None
    kmeans = KMeans(n_clusters, init=init, n_init=1, tol=0, max_iter=1_000).fit(X, sample_weight=weight)
    beta: Any = {"no groups": "statistical_parity", "beta 0": 0, "beta 0 by group": {"a": 0, "b": 0}}[asks]
    groups = None if asks == "no groups" else rng.choice(["a", "b"], size=150)
    model = MiniReL(n_clusters, beta=beta, init=init, max_iter=1_000)
    model.fit(X, sensitive_features=groups, sample_weight=weight)
    # It goes on where k-means ends, with moves that pay once the centers follow.
    assert model.inertia_ <= kmeans.inertia_ * (1 + 1e-9)
    again = KMeans(n_clusters, init=model.cluster_centers_, n_init=1, tol=0).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.labels_, again.labels_)
    np.testing.assert_allclose(model.cluster_centers_, again.cluster_centers_, rtol=1e-9, atol=1e-12)
    assert model.inertia_ == pytest.approx(again.inertia_, rel=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.prefix_ == []


def test_promises_have_a_price() -> None:
    """Somewhere labels differ from those of k-means, else the tests above compare nothing."""
    X, species = iris()
    init = KMeans(4, n_init=5, random_state=0).fit(X).cluster_centers_
    free = MiniReL(4, init=init).fit(X)
    fair = MiniReL(4, init=init, beta={"setosa": 3}).fit(X, sensitive_features=species)
    assert fair.inertia_ > free.inertia_ * 1.1


# First centers.


def test_n_init_keeps_the_cheapest() -> None:
    X, species = iris()
    model = MiniReL(6, beta="statistical_parity", init="random", random_state=1, n_init=3)
    costs, kept = [], model.fit(X, sensitive_features=species)
    seeds = np.random.RandomState(1).randint(np.iinfo(np.int32).max, size=3)
    for seed in seeds:
        one = clone(model).set_params(n_init=1, random_state=int(seed)).fit(X, sensitive_features=species)
        costs.append(one.inertia_)
    assert len({round(cost, 6) for cost in costs}) > 1
    assert kept.inertia_ == min(costs)
    assert kept.history_[-1].cost == pytest.approx(kept.inertia_)


# What scikit-learn users expect.


@pytest.fixture(scope="module")
def fitted() -> MiniReL:
    X, species = iris()
    frame = pd.DataFrame(X, columns=["sepal length", "sepal width", "petal length", "petal width"])
    model = MiniReL(6, beta="statistical_parity", random_state=0)
    return model.fit(frame, sensitive_features=pd.Series(species, name="species"))


def frame_of(X: np.ndarray, fitted: MiniReL) -> pd.DataFrame:
    return pd.DataFrame(X, columns=fitted.feature_names_in_)


def test_attributes(fitted: MiniReL) -> None:
    assert fitted.n_features_in_ == 4
    assert fitted.feature_names_in_.tolist() == ["sepal length", "sepal width", "petal length", "petal width"]
    assert fitted.cluster_centers_.shape == (6, 4)
    assert fitted.beta_ == {"setosa": 2, "versicolor": 2, "virginica": 2}
    assert isinstance(fitted.inertia_, float)
    assert isinstance(fitted.n_iter_, int)
    assert fitted.assignment_.cost == fitted.inertia_
    assert fitted.audit_.n_represented == (2, 2, 2)
    np.testing.assert_array_equal(fitted.assignment_.labels, fitted.labels_)


def test_feature_names_are_minded(fitted: MiniReL) -> None:
    X, _ = iris()
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame_of(X, fitted).rename(columns={"petal width": "width"}))
    with pytest.warns(UserWarning, match="feature names"):
        fitted.predict(X)


def test_parameters_are_left_as_given() -> None:
    X, species = iris()
    alpha, beta = {"setosa": 0.6, "versicolor": 0.51, "virginica": 0.51}, {"setosa": 2, "virginica": 1}
    init, allowed = X[[0, 50, 70, 100, 120]].copy(), np.ones((3, 5), dtype=bool)
    given: dict[str, Any] = {"alpha": alpha, "beta": beta, "init": init, "allowed": allowed}
    copies = pickle.loads(pickle.dumps(given))
    model = MiniReL(5, prefix=[("setosa", 0)], **given).fit(X, sensitive_features=species)
    for name, value in given.items():
        assert getattr(model, name) is value
        np.testing.assert_equal(value, copies[name])
    assert model.prefix == [("setosa", 0)]


def test_clone_and_pickle(fitted: MiniReL) -> None:
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "labels_")
    X, species = iris()
    frame = frame_of(X, fitted)
    np.testing.assert_array_equal(copy.fit(frame, sensitive_features=species).labels_, fitted.labels_)
    thawed = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(thawed.labels_, fitted.labels_)
    np.testing.assert_array_equal(thawed.predict(frame), fitted.predict(frame))
    assert thawed.audit_.satisfied
    assert thawed.history_ == fitted.history_
    named = clone(MiniReL(init=KMeansStart(5)))
    assert named.init == KMeansStart(5)


def test_repr_names_what_was_changed() -> None:
    assert repr(MiniReL(4, beta=2, alpha=0.6)) == "MiniReL(alpha=0.6, beta=2, n_clusters=4)"


def test_set_output(fitted: MiniReL) -> None:
    X, _ = iris()
    frame = frame_of(X, fitted)
    assert fitted.get_feature_names_out().tolist() == [f"minirel{k}" for k in range(6)]
    table = clone(fitted).fit(frame).set_output(transform="pandas").transform(frame)
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == [f"minirel{k}" for k in range(6)]
    assert table.index.equals(frame.index)


def test_transform_predict_and_score(fitted: MiniReL) -> None:
    X, species = iris()
    frame = frame_of(X, fitted)
    distances = np.sqrt(((X[:, None] - fitted.cluster_centers_) ** 2).sum(axis=2))
    np.testing.assert_allclose(fitted.transform(frame), distances, rtol=1e-9, atol=1e-7)
    np.testing.assert_array_equal(fitted.predict(frame), distances.argmin(axis=1))
    assert fitted.score(frame) == pytest.approx(-(distances.min(axis=1) ** 2).sum())
    weight = np.random.default_rng(0).integers(0, 4, size=150)
    expected = -(weight * distances.min(axis=1) ** 2).sum()
    assert fitted.score(frame, sample_weight=weight) == pytest.approx(expected)
    assert -fitted.score(frame) <= fitted.inertia_
    model = clone(fitted)
    np.testing.assert_array_equal(model.fit_predict(frame, sensitive_features=species), fitted.labels_)
    np.testing.assert_array_equal(
        model.fit_transform(frame, sensitive_features=species), fitted.transform(frame)
    )


def test_score_of_plain_k_means_is_minus_its_cost() -> None:
    X, _ = iris()
    model = MiniReL(4, random_state=0).fit(X)
    assert model.score(X) == pytest.approx(-model.inertia_)
    medians = MiniReL(4, objective="k-medians", random_state=0).fit(X)
    distances = np.abs(X[:, None] - medians.cluster_centers_).sum(axis=2)
    np.testing.assert_allclose(medians.transform(X), distances)
    np.testing.assert_array_equal(medians.predict(X), distances.argmin(axis=1))
    assert medians.score(X) == pytest.approx(-medians.inertia_)
    assert medians.inertia_ == pytest.approx(distances.min(axis=1).sum())


@pytest.mark.parametrize("method", ["predict", "transform", "score", "assign"])
def test_must_be_fitted_first(method: str) -> None:
    more = {"sensitive_features": iris()[1]} if method == "assign" else {}
    with pytest.raises(NotFittedError):
        getattr(MiniReL(), method)(iris()[0], **more)


@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
def test_single_precision_stays(objective: str) -> None:
    X, species = iris()
    model = MiniReL(5, objective=objective, random_state=0)
    double = clone(model).fit(X, sensitive_features=species)
    single = model.fit(X.astype(np.float32), sensitive_features=species)
    assert single.cluster_centers_.dtype == np.float32
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert single.predict(X.astype(np.float32)).dtype.kind == "i"
    assert double.cluster_centers_.dtype == np.float64
    check_promises(single.labels_, species, 0.51, single.beta_, 5)
    assert single.inertia_ == pytest.approx(double.inertia_, rel=0.05)


@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_sparse_gives_what_dense_gives(kind: Any) -> None:
    X, species = iris()
    X = X * (X > 1.5)
    model = MiniReL(5, beta="statistical_parity", init=X[[0, 40, 70, 100, 130]])
    dense = clone(model).fit(X, sensitive_features=species)
    sparse = clone(model).fit(kind(X), sensitive_features=species)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, rtol=1e-9, atol=1e-12)
    assert isinstance(sparse.cluster_centers_, np.ndarray)
    np.testing.assert_allclose(sparse.transform(kind(X)), dense.transform(X), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(sparse.predict(X), dense.predict(kind(X)))


# New points.


def test_assign_is_fair_to_new_points(fitted: MiniReL) -> None:
    X, species = iris()
    rows = np.random.default_rng(2).choice(150, size=90, replace=False)
    new, groups = frame_of(X[rows] + 0.1, fitted), species[rows]
    free = fitted.assign(new, sensitive_features=groups, prefix=None)
    check_promises(free.labels, groups, 0.51, dict.fromkeys(set(groups), 2), 6)
    assert free.covers == "free"
    own = {"setosa": 1, "versicolor": 3, "virginica": 2}
    other = fitted.assign(new, sensitive_features=groups, beta=own, prefix=None)
    check_promises(other.labels, groups, 0.51, own, 6)
    costs = ((new.to_numpy()[:, None] - fitted.cluster_centers_) ** 2).sum(axis=2)
    best = fair_assignment(costs, groups, alpha=0.51, beta=own, gap=0)
    assert best.cost <= other.cost * (1 + 1e-9) <= best.cost * (1 + 1.1e-4)
    assert other.cost <= fitted.assign(new, groups, beta=own).cost * (1 + 1e-4)
    held = fitted.assign(new, groups)
    assert (held.covers, set(held.prefix)) == ("prefix", set(fitted.prefix_))
    np.testing.assert_array_equal(fitted.assign(new, groups, prefix=fitted.prefix_).labels, held.labels)
    assert free.cost <= held.cost * (1 + 1e-4)
    weight = np.random.default_rng(0).integers(1, 4, size=90)
    heavy = fitted.assign(new, sensitive_features=groups, sample_weight=weight)
    for name, k in heavy.prefix:
        inside = heavy.labels == k
        assert 100 * weight[inside & (groups == name)].sum() >= 51 * weight[inside].sum()


def test_assign_leaves_the_model_as_it_is(fitted: MiniReL) -> None:
    X, species = iris()
    before = pickle.dumps(fitted.cluster_centers_), fitted.labels_.copy(), fitted.get_params()
    fitted.assign(frame_of(X, fitted), sensitive_features=species, beta=0)
    assert pickle.dumps(fitted.cluster_centers_) == before[0]
    np.testing.assert_array_equal(fitted.labels_, before[1])
    assert fitted.get_params() == before[2]


def test_assign_says_what_new_points_cannot_keep(fitted: MiniReL) -> None:
    X, species = iris()
    few = np.r_[0:40, 50:52]  # setosa, and two versicolor in six clusters
    with pytest.raises(InfeasibleFairnessError) as caught:
        fitted.assign(frame_of(X[few], fitted), sensitive_features=species[few], beta={"versicolor": 3})
    nearest = caught.value.nearest["beta"]
    assert nearest == {"versicolor": 2}
    result = fitted.assign(frame_of(X[few], fitted), sensitive_features=species[few], beta=nearest)
    check_promises(result.labels, species[few], 0.51, {"setosa": 0, **nearest}, 6)


# Pipelines and searches.


@pytest.fixture
def routing() -> Any:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_pipeline_without_routing() -> None:
    X, species = iris()
    pipe = Pipeline([("scale", StandardScaler()), ("minirel", MiniReL(6, random_state=0))])
    pipe.fit(X, minirel__sensitive_features=species)
    check_promises(pipe["minirel"].labels_, species, 0.51, expected_beta(species, PRESETS[1], 0.51, 6), 6)
    labels = pipe.fit_predict(X, minirel__sensitive_features=species)
    np.testing.assert_array_equal(labels, pipe["minirel"].labels_)


@pytest.mark.usefixtures("routing")
def test_pipeline_with_routing() -> None:
    X, species = iris()
    weight = np.random.default_rng(0).integers(1, 3, size=150)
    model = MiniReL(6, beta="statistical_parity", random_state=0)
    model.set_fit_request(sensitive_features=True, sample_weight=False)
    pipe = Pipeline([("scale", StandardScaler().set_fit_request(sample_weight=False)), ("minirel", model)])
    pipe.fit(X, sensitive_features=species)
    check_promises(pipe["minirel"].labels_, species, 0.51, dict.fromkeys(set(species), 2), 6)
    np.testing.assert_array_equal(pipe.fit_predict(X, sensitive_features=species), pipe["minirel"].labels_)
    assert pipe.transform(X).shape == (150, 6)
    model.set_fit_request(sample_weight=True)
    pipe.fit(X, sensitive_features=species, sample_weight=weight)
    assert pipe["minirel"].audit_.sizes.sum() == weight.sum()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("as_frame", [False, True])
def test_grid_search_with_routing(as_frame: bool) -> None:
    X, species = iris()
    order = np.random.default_rng(0).permutation(150)
    X, features = X[order], species[order]
    if as_frame:
        features = pd.DataFrame({"species": species[order], "wide": X[:, 1] > 3})
    model = MiniReL(random_state=0).set_fit_request(sensitive_features=True)
    pipe = Pipeline([("scale", StandardScaler()), ("minirel", model)])
    search = GridSearchCV(pipe, {"minirel__n_clusters": [2, 5]}, cv=3, error_score="raise")
    search.fit(X, sensitive_features=features)
    assert search.best_params_ == {"minirel__n_clusters": 5}
    best = search.best_estimator_["minirel"]
    assert sum(best.beta_.values()) > 0
    assert best.audit_.satisfied
    check_promises(best.labels_, features, 0.51, best.beta_, 5)
    assert (search.cv_results_["mean_test_score"] < 0).all()


@pytest.mark.usefixtures("routing")
def test_routing_must_be_asked_for() -> None:
    X, species = iris()
    pipe = Pipeline([("scale", StandardScaler()), ("minirel", MiniReL(4))])
    with pytest.raises(ValueError, match="sensitive_features"):
        pipe.fit(X, sensitive_features=species)


# Weights.


@pytest.mark.some(6)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("prefix", [None, [("a", 0), ("b", 1)]])
def test_weights_are_repeated_points_that_stay_together(seed: int, prefix: Any) -> None:
    """Repeated points may part, so they bound the first fair assignment to the same centers from below."""
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(24, 2)), rng.integers(1, 4, size=24)
    groups = rng.choice(["a", "b"], size=24, p=[0.4, 0.6])
    model = MiniReL(3, alpha=0.6, beta=1, init=X[:3], prefix=prefix, gap=0)
    heavy = clone(model).fit(X, sensitive_features=groups, sample_weight=weight)
    apart = clone(model).fit(np.repeat(X, weight, axis=0), sensitive_features=np.repeat(groups, weight))
    assert apart.history_[0].bound <= heavy.history_[0].cost * (1 + 1e-9)
    for k in range(3):
        assert heavy.audit_.sizes[k] == weight[heavy.labels_ == k].sum()
        inside = (heavy.labels_ == k) & (groups == "a")
        assert heavy.audit_.counts[0, k] == weight[inside].sum()
        mean = np.average(X[heavy.labels_ == k], axis=0, weights=weight[heavy.labels_ == k])
        np.testing.assert_allclose(heavy.cluster_centers_[k], mean)
    cost = (weight * ((X - heavy.cluster_centers_[heavy.labels_]) ** 2).sum(axis=1)).sum()
    assert heavy.inertia_ == pytest.approx(cost)


@pytest.mark.parametrize("scale", [1, 0.25, 1e-6, 1e6])
def test_the_scale_of_weights_does_not_matter(scale: float) -> None:
    X, species = iris()
    weight = np.random.default_rng(3).integers(1, 5, size=150)
    model = MiniReL(5, beta="statistical_parity", init=X[[0, 40, 70, 100, 130]])
    one = clone(model).fit(X, sensitive_features=species, sample_weight=weight)
    other = clone(model).fit(X, sensitive_features=species, sample_weight=weight * scale)
    np.testing.assert_array_equal(other.labels_, one.labels_)
    np.testing.assert_allclose(other.cluster_centers_, one.cluster_centers_, rtol=1e-9)
    assert other.inertia_ == pytest.approx(one.inertia_ * scale)
    assert other.history_[0].cost == pytest.approx(one.history_[0].cost * scale)


def test_sizes_are_weights() -> None:
    X, species = iris()
    weight = np.random.default_rng(3).choice([0.5, 1.25, 2.0], size=150)
    least, most = 30.5, 60.25
    model = MiniReL(5, min_size=least, max_size=most, random_state=0)
    model.fit(X, sensitive_features=species, sample_weight=weight)
    sizes = [sum(map(Fraction, weight[model.labels_ == k])) for k in range(5)]
    assert all(Fraction(least) <= size <= Fraction(most) for size in sizes)
    free = MiniReL(5, random_state=0).fit(X, sensitive_features=species, sample_weight=weight)
    assert min(weight[free.labels_ == k].sum() for k in range(5)) < least  # so it binds


def test_points_without_weight_change_nothing() -> None:
    X, species = iris()
    weight = np.ones(150)
    weight[::7] = 0
    inside = weight > 0
    model = MiniReL(5, beta="statistical_parity", init=X[[1, 40, 71, 101, 130]])
    all_points = clone(model).fit(X, sensitive_features=species, sample_weight=weight)
    some = clone(model).fit(X[inside], sensitive_features=species[inside])
    np.testing.assert_array_equal(all_points.labels_[inside], some.labels_)
    np.testing.assert_allclose(all_points.cluster_centers_, some.cluster_centers_)
    assert all_points.beta_ == some.beta_
    assert all_points.inertia_ == pytest.approx(some.inertia_)


# Where it is stopped.


def check_truthful(model: MiniReL, X: np.ndarray, groups: np.ndarray) -> None:
    """The bound holds for the last centers, by another solve of its own; all promises are kept."""
    check_promises(model.labels_, groups, 0.51, model.beta_, model.n_clusters)
    costs = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    cost = costs[np.arange(len(X)), model.labels_].sum()
    assert model.inertia_ == pytest.approx(cost, rel=1e-9)
    best = fair_assignment(costs, groups, alpha=0.51, prefix=model.prefix_)
    assert model.lower_bound_ <= best.cost * (1 + 1e-9)
    assert best.lower_bound <= model.inertia_ * (1 + 1e-9)
    assert model.gap_ == pytest.approx((model.inertia_ - model.lower_bound_) / model.inertia_, abs=1e-15)


@pytest.mark.some(3)
@pytest.mark.parametrize("max_iter", [1, 2, 3])
@pytest.mark.parametrize("solver", ["certified", "highs"])
def test_max_iter_is_told(max_iter: int, solver: str) -> None:
    X, species = iris()
    model = MiniReL(7, beta="statistical_parity", init="random", random_state=0, max_iter=max_iter)
    model.set_params(solver=solver)
    with pytest.warns(ConvergenceWarning, match=f"stopped at max_iter={max_iter} .*raise max_iter"):
        model.fit(X, sensitive_features=species)
    assert model.n_iter_ == max_iter
    assert model.stop_ == "max_iter"
    assert (model.status_ == "iteration limit") == (model.gap_ > 1e-4)
    check_truthful(model, X, species)


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_max_iter_with_the_choice_left_open(max_iter: int) -> None:
    X, species = iris()
    model = MiniReL(
        6, beta="statistical_parity", init="random", random_state=0, prefix=None, max_iter=max_iter
    )
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter}"):
        model.fit(X, sensitive_features=species)
    check_promises(model.labels_, species, 0.51, model.beta_, 6)
    assert model.assignment_.covers == "free"
    assert model.lower_bound_ <= model.inertia_


def test_time_limit_is_told() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 8)) + rng.integers(0, 3, size=(20_000, 1))
    groups = (X[:, 0] + rng.normal(size=20_000) > 1.5).astype(int)
    model = MiniReL(8, beta="statistical_parity", init="random", random_state=0, time_limit=0.02)
    with pytest.warns(ConvergenceWarning, match="stopped at time_limit=0.02 .*raise time_limit"):
        model.fit(X, sensitive_features=groups)
    assert model.n_iter_ < 5
    assert model.stop_ == "time_limit"
    assert (model.status_ == "time limit") == (model.gap_ > 1e-4)
    check_truthful(model, X, groups)


def test_a_generous_time_limit_changes_nothing() -> None:
    X, species = iris()
    model = MiniReL(5, beta="statistical_parity", random_state=0)
    free = clone(model).fit(X, sensitive_features=species)
    limited = clone(model).set_params(time_limit=600).fit(X, sensitive_features=species)
    np.testing.assert_array_equal(free.labels_, limited.labels_)
    assert free.stop_ == limited.stop_ == "converged"


def test_verbose_prints_a_line_an_iteration(capsys: pytest.CaptureFixture[str]) -> None:
    X, species = iris()
    model = MiniReL(6, beta="statistical_parity", random_state=0, verbose=1).fit(
        X, sensitive_features=species
    )
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert [line.split()[:2] for line in lines] == [["iteration", str(i + 1)] for i in range(model.n_iter_)]
    assert lines == [str(record) for record in model.history_]
    model.set_params(n_init=2, init="random").fit(X, sensitive_features=species)
    lines = capsys.readouterr().out.splitlines()
    assert {line.split("iteration")[0] for line in lines} == {"start 1  ", "start 2  "}
    model.set_params(verbose=0).fit(X, sensitive_features=species)
    assert capsys.readouterr().out == ""


# What it refuses.

POINTS = np.array([[0.0, 0], [0, 1], [1, 0], [5, 5], [5, 6], [6, 5], [9, 0], [9, 1]])
SEX = ["F", "F", "F", "F", "M", "M", "M", "M"]
WEIGHTS = [1, 2, 3, 1, 2, 3, 1, 2]


def never(X: Any, n_clusters: int, random_state: Any) -> Any:
    raise AssertionError("first centers were placed before the call was refused")


def points_with(value: float) -> np.ndarray:
    points = POINTS.copy()
    points[4, 1] = value
    return points


@dataclass(frozen=True)
class Bad:
    """A change that spoils a good call; the message must hold every text of `told`."""

    name: str
    told: tuple[str, ...]
    change: dict[str, Any] = field(default_factory=dict)
    fit: dict[str, Any] = field(default_factory=dict)
    error: type[Exception] | tuple[type[Exception], ...] = ValueError


def bad(parameter: str, value: Any, *told: str, error: Any = ValueError, **more: Any) -> Bad:
    shown = f"{type(value).__name__} {np.shape(value)}" if isinstance(value, np.ndarray) else repr(value)
    return Bad(f"{parameter}={shown}", (parameter, *told), {parameter: value, **more}, {}, error)


def bad_fit(parameter: str, name: str, value: Any, *told: str, error: Any = ValueError) -> Bad:
    return Bad(f"{parameter} {name}", told, {}, {parameter: value}, error)


EITHER = (TypeError, ValueError)
CASES = [
    bad_fit("X", "NaN", points_with(NAN), "NaN"),
    bad_fit("X", "inf", points_with(INF), "infinity"),
    bad_fit("X", "1-d", POINTS[:, 0], "1D array", "Reshape"),
    bad_fit("X", "3-d", POINTS[None], "3"),
    bad_fit("X", "strings", [["near", "far"]] * 8, "near", error=EITHER),
    bad_fit("X", "complex", POINTS + 1j, "Complex"),
    bad_fit("X", "no points", np.zeros((0, 2)), "0 sample"),
    bad_fit("X", "no features", np.zeros((8, 0)), "0 feature"),
    bad_fit("X", "sparse NaN", csr_array(points_with(NAN)), "NaN"),
    Bad(
        "X of fewer rows than clusters",
        ("n_clusters must be", "but is 3 for n_samples=2", "lower n_clusters"),
        fit={"X": POINTS[:2], "sensitive_features": SEX[:2]},
    ),
    Bad(
        "X sparse with k-medians",
        ("X", "sparse", "objective='k-medians'", "toarray", "k-means"),
        {"objective": "k-medians"},
        {"X": csr_array(POINTS)},
        TypeError,
    ),
    bad("n_clusters", 0, "is 0", "at least 1"),
    bad("n_clusters", -3, "-3", "at least 1"),
    bad("n_clusters", 2.5, "2.5", "whole number"),
    bad("n_clusters", "3", "'3'", "whole number", error=EITHER),
    bad("n_clusters", None, "None", error=EITHER),
    bad("n_clusters", True, "True", error=TypeError),
    bad("n_clusters", NAN, "nan"),
    bad("n_clusters", 9, "9", "8", "lower n_clusters"),
    bad("max_iter", 0, "is 0", "at least 1"),
    bad("max_iter", 1.5, "1.5"),
    bad("max_iter", "many", "many", error=EITHER),
    bad("n_init", 0, "is 0", "at least 1"),
    bad("n_init", "auto", "auto", error=EITHER),
    bad("tol", -1, "-1", "at least 0"),
    bad("tol", NAN, "nan", "at least 0"),
    bad("tol", "small", "small", error=EITHER),
    bad("tol", None, "None", error=EITHER),
    bad("gap", -1, "-1", "at least 0"),
    bad("gap", NAN, "nan"),
    bad("gap", None, "None", error=EITHER),
    bad("time_limit", 0, "is 0", "above 0"),
    bad("time_limit", -2, "-2"),
    bad("time_limit", NAN, "nan"),
    bad("time_limit", "an hour", "an hour", error=EITHER),
    bad("init", "nearest", "'nearest'", "'k-means'", "'k-means++'", "'random'"),
    bad("init", None, "None", "'k-means'", error=EITHER),
    bad("init", POINTS[:2], "(2, 2)", "n_clusters=3"),
    bad("init", POINTS[:3, :1], "(3, 1)", "2 features"),
    bad("init", points_with(NAN)[3:6], "NaN"),
    bad("init", points_with(INF)[3:6], "infinity"),
    bad("init", [["a", "b"]] * 3, error=EITHER),
    bad("init", KMeansStart(0), "n_init", "0"),
    bad("objective", "k-modes", "'k-modes'", "'k-means'", "'k-medians'"),
    bad("objective", None, "None", "'k-means'", error=EITHER),
    bad("objective", ["k-means"], "['k-means']", error=EITHER),
    bad("solver", "cplex", "'cplex'", "'certified'", "'highs'", "'gurobi'"),
    bad("solver", None, "None", error=EITHER),
    bad("prefix", "nearest", "'nearest'", "'local_cost'", "'random'"),
    bad("prefix", [("X", 0)], "'X'", "'F', 'M'"),
    bad("prefix", [("F", 3)], "names 3", "0 to 2"),
    bad("prefix", ["F"], "'F'", "pairs", error=EITHER),
    bad("prefix", 7, "7", "pairs", error=EITHER),
    bad("prefix", [("F", 0), ("M", 0)], "'F'", "'M'", error=InfeasibleFairnessError),
    bad("prefix", [("F", 1)], "('F', 1)", "allowed", allowed={"F": [0, 2]}),
    bad("alpha", 0, "is 0"),
    bad("alpha", 1.5, "1.5", "at most 1"),
    bad("alpha", NAN, "nan"),
    bad("alpha", "half", "half", error=EITHER),
    bad("alpha", None, "None", error=EITHER),
    bad("alpha", {"F": 0.5, "M": 0.5, "X": 0.5}, "'X'", "'F', 'M'"),
    bad("alpha", {"F": 0.5}, "'M'", "leaves out"),
    bad("beta", -1, "-1", "at least 0"),
    bad("beta", 1.5, "1.5"),
    bad("beta", 4, "is 4", "n_clusters=3"),
    bad("beta", "parity", "'parity'", "'statistical_parity'"),
    bad("beta", {"X": 1}, "'X'", "'F', 'M'"),
    bad("beta", {"F": -1}, "beta['F']", "-1"),
    bad("beta", [1, 1], "[1, 1]", error=EITHER),
    bad("beta", {"F": 2, "M": 2}, "'F'", "'M'", "lower", error=InfeasibleFairnessError),
    bad("allowed", np.ones((3, 2), dtype=bool), "(3, 2)", "(2, 3)"),
    bad("allowed", np.ones((2, 3)), "float64", "bool", error=EITHER),
    bad("allowed", {"X": [0]}, "'X'", "'F', 'M'"),
    bad("allowed", {"F": [3]}, "allowed['F']", "3", "0 to 2"),
    bad("min_size", 0, "is 0", "above 0"),
    bad("min_size", 1.5, "1.5", "whole"),
    bad("min_size", "two", "two", error=EITHER),
    bad("min_size", 4, "min_size=4", "max_size=3", max_size=3, error=InfeasibleFairnessError),
    bad("min_size", 3, "3 clusters", "lower min_size to 2", error=InfeasibleFairnessError),
    bad("max_size", 2, "max_size=2", "raise max_size to 3", error=InfeasibleFairnessError),
    bad("max_size", 0, "is 0"),
    bad("max_size", -1, "-1"),
    bad("random_state", "luck", "'luck'", error=EITHER),
    bad("n_jobs", 0, "0"),
    bad("n_jobs", "two", error=EITHER),
    bad_fit("sensitive_features", "short", SEX[:5], "sensitive_features", "5 rows", "8 points"),
    bad_fit("sensitive_features", "missing", ["F", None, *SEX[2:]], "sensitive_features", "missing", "1 in"),
    bad_fit("sensitive_features", "a string", "FFFFMMMM", "sensitive_features", "FFFFMMMM", error=EITHER),
    bad_fit("sensitive_features", "a number", 1, "sensitive_features", error=EITHER),
    bad_fit("sample_weight", "negative", [*WEIGHTS[:7], -2], "sample_weight", "-2", "point 7"),
    bad_fit("sample_weight", "NaN", [NAN, *WEIGHTS[1:]], "sample_weight", "nan", "point 0"),
    bad_fit("sample_weight", "short", WEIGHTS[:5], "sample_weight", "(5,)", "(8,)"),
    bad_fit("sample_weight", "2-d", [WEIGHTS], "sample_weight", "(1, 8)"),
    bad_fit("sample_weight", "zero", [0] * 8, "sample_weight", "zero"),
    bad_fit("sample_weight", "strings", ["heavy"] * 8, "sample_weight", "heavy", error=EITHER),
    bad_fit("sample_weight", "for too few", [1, 2, *[0] * 6], "is 3 for 2 points of weight above 0"),
]


def call(case: Bad, model: MiniReL | None = None) -> MiniReL:
    model = MiniReL(**{"n_clusters": 3, "beta": 1, "init": never, **case.change}) if model is None else model
    given = {"X": POINTS, "sensitive_features": SEX, **case.fit}
    return model.fit(given.pop("X"), **given)


def test_the_call_that_the_cases_spoil_is_good() -> None:
    model = call(Bad("good", (), {"init": "k-means", "random_state": 0}))
    check_promises(model.labels_, SEX, 0.51, {"F": 1, "M": 1}, 3)
    call(Bad("good", (), {"init": "random", "random_state": 0, "max_size": 12}, {"sample_weight": WEIGHTS}))
    with pytest.raises(AssertionError, match="before the call was refused"):
        call(Bad("good, had it a start", ()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_is_refused_with_a_reason(case: Bad) -> None:
    model = MiniReL(**{"n_clusters": 3, "beta": 1, "init": never, **case.change})
    before = pickle.loads(pickle.dumps((case.change, case.fit)))
    with pytest.raises(case.error) as caught:
        call(case, model)
    message = str(caught.value)
    missing = [text for text in case.told if text not in message]
    assert not missing, f"{type(caught.value).__name__} does not tell {missing}: {message}"
    # No work was done, and what was given is left as it was.
    assert not hasattr(model, "labels_")
    assert not hasattr(model, "cluster_centers_")
    after = {"change": case.change, "fit": case.fit}
    for (name, value), kept in zip(after.items(), before, strict=True):
        if not any(isinstance(part, csr_array) for part in value.values()):
            np.testing.assert_equal(value, kept, err_msg=name)


def test_case_names_are_distinct() -> None:
    names = [case.name + str(case.change) for case in CASES]
    assert len(set(names)) == len(names) >= 25


@pytest.mark.parametrize("solver", ["certified", "highs", "gurobi"])
def test_infeasible_requests_name_the_nearest(solver: str) -> None:
    model = MiniReL(3, alpha=0.75, beta={"F": 3}, random_state=0, solver=solver)
    features = ["F", "F", "M", "M", "M", "M", "M", "M"]
    with pytest.raises(InfeasibleFairnessError) as caught:
        model.fit(POINTS, sensitive_features=features)
    assert caught.value.status == "infeasible"
    assert caught.value.conflict == ("beta['F']",)
    assert caught.value.nearest == {"beta": {"F": 2}}
    model.set_params(**caught.value.nearest).fit(POINTS, sensitive_features=features)
    check_promises(model.labels_, features, 0.75, {"F": 2, "M": 0}, 3)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("solver", ["highs", "gurobi"])
def test_other_solvers_keep_every_promise(solver: str, preset: str) -> None:
    X, species = iris()
    fit_checked(X[::3], species[::3], 4, preset, solver=solver)


def test_missing_groups() -> None:
    X, species = iris()
    species = species.astype(object)
    species[::10] = None
    with pytest.raises(ValueError, match="missing='group'"):
        MiniReL(4, beta=1, random_state=0).fit(X, sensitive_features=species)
    model = MiniReL(4, beta=1, missing="group", random_state=0).fit(X, sensitive_features=species)
    assert model.beta_["missing"] == 1
    assert model.audit_.satisfied
    model = MiniReL(4, beta=1, missing="none", random_state=0).fit(X, sensitive_features=species)
    assert len(model.beta_) == 3
    assert model.assign(X, sensitive_features=species).status == "optimal"


def test_data_too_large_to_square() -> None:
    X, species = iris()
    with pytest.raises(ValueError, match="scale X down"):
        MiniReL(3).fit(X * 1e160, sensitive_features=species)


def test_how_near_the_best_a_fit_was_when_it_stopped_is_told_in_percent() -> None:
    X, species = iris()
    model = MiniReL(6, beta="statistical_parity", init="random", random_state=0, max_iter=1)
    with pytest.warns(ConvergenceWarning, match=r"proven to be within [\d.]+% of the best for these centers"):
        model.fit(X, sensitive_features=species)


@pytest.mark.parametrize(
    "asked",
    [
        {"beta": {"F": 2}},
        {"min_share": {"F": 0.3}},
        {"max_share": {"F": 0.3}},
        {"allowed": {"F": [0]}},
        {"min_members": {"F": 2}},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_promises_to_a_group_are_not_forgotten_with_the_groups(asked: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="names an unknown group 'F': there are no groups"):
        MiniReL(4, **asked).fit(np.eye(8))
    with pytest.raises(ParameterError, match="there are no groups"):
        MiniReL(4, missing="none", **asked).fit(np.eye(8), sensitive_features=[None] * 8)


def test_more_clusters_than_units_that_stay_together() -> None:
    with pytest.raises(
        ParameterError, match="number of units that together makes of points, but is 4 for 3 units"
    ):
        MiniReL(4).fit(np.eye(9), together=np.arange(9) // 3)


@pytest.mark.parametrize("beta", [2, "statistical_parity"])
def test_groups_that_are_given_as_y_are_missed(beta: object) -> None:
    X, groups = np.random.default_rng(0).normal(size=(40, 2)), np.repeat(["a", "b"], 20)
    with pytest.warns(UserWarning, match="y is ignored, and without sensitive_features nothing is promised"):
        MiniReL(4, beta=beta, random_state=0).fit(X, groups)
    MiniReL(4, beta=beta, random_state=0).fit(X, groups, sensitive_features=groups)
    MiniReL(4, beta=0, random_state=0).fit(X, groups)
