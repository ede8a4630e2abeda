"""What each cluster is, against means and shares computed one by one."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from minirel import MiniReL, ParameterError, profile
from minirel.outcome.coordinates import find_coordinates
from minirel.outcome.plane import map_of, plane
from minirel.outcome.profile import CategoricalFeature, NumericFeature

N = 120
RANDOM = np.random.default_rng(0)
X = np.concatenate([RANDOM.normal(place, 0.3, (N // 3, 3)) for place in (0, 2, 5)])
WEIGHT = RANDOM.integers(1, 4, N)
FRAME = pd.DataFrame(
    {
        "age": np.where(RANDOM.random(N) < 0.2, np.nan, 30 + 10 * X[:, 0]),
        "job": np.where(X[:, 0] > 3.5, "cook", np.where(RANDOM.random(N) < 0.5, "smith", "clerk")),
        "rents": X[:, 1] > 1,
        "name": [f"person {i}" for i in range(N)],
        "some": pd.array([None, 1, 2] * (N // 3), dtype="Int64"),
    }
)


@pytest.fixture(scope="module", params=[False, True])
def model(request):
    weight = WEIGHT if request.param else None
    return MiniReL(3, beta=1, alpha=0.1, random_state=0).fit(
        X, sensitive_features=["a", "b"] * (N // 2), sample_weight=weight
    )


def weight_of(model):
    return WEIGHT if model.result_.weights.units is not None else np.ones(N)


def test_means_and_shares(model):
    told = {feature.name: feature for feature in profile(model, FRAME).features}
    assert list(told) == ["age", "job", "rents", "some"]  # names are no categories
    weight, known = weight_of(model), FRAME["age"].notna().to_numpy()
    age = told["age"]
    assert isinstance(age, NumericFeature)
    assert age.mean == pytest.approx(np.average(FRAME["age"][known], weights=weight[known]))
    for k in range(3):
        own = (model.labels_ == k) & known
        assert age.means[k] == pytest.approx(np.average(FRAME["age"][own], weights=weight[own]))
    job = told["job"]
    assert isinstance(job, CategoricalFeature)
    assert job.values == ("clerk", "cook", "smith")
    for k in range(3):
        own = model.labels_ == k
        for value, share in zip(job.values, job.shares[k], strict=True):
            expected = weight[own & (FRAME["job"] == value).to_numpy()].sum() / weight[own].sum()
            assert share == pytest.approx(expected)
    assert job.share.sum() == pytest.approx(1)
    assert isinstance(told["some"], NumericFeature)


def test_what_sets_a_cluster_apart(model):
    told = profile(model, FRAME[["age", "job"]])
    k = int(model.predict([[5.0, 5.0, 5.0]])[0])
    job, age = sorted(told.apart(k), key=lambda each: each.feature, reverse=True)
    assert (job.feature, job.value, job.here) == ("job", "cook", 1.0)
    assert age.score == pytest.approx((age.here - age.everywhere) / told.features[0].spread)
    assert told.apart(k, most=1) == [max((job, age), key=lambda each: abs(each.score))]


def test_a_sparse_matrix_tells_what_the_table_tells(model):
    dense, sparse = profile(model, X), profile(model, csr_array(X), feature_names=list("abc"))
    assert [feature.name for feature in sparse.features] == ["a", "b", "c"]
    for one, other in zip(dense.features, sparse.features, strict=True):
        np.testing.assert_allclose(one.means, other.means, rtol=1e-9)
        assert (one.mean, one.spread) == pytest.approx((other.mean, other.spread))


def test_what_is_refused(model):
    with pytest.raises(ParameterError, match=r"X must hold the 120 points .*, but has 3"):
        profile(model, X[:3])
    with pytest.raises(ParameterError, match="feature_names must hold one name per column of X"):
        profile(model, X, feature_names=["a"])
    with pytest.raises(ParameterError, match="X must be"):
        profile(model, 3)


def test_coordinates():
    assert find_coordinates(["id", "Latitude", " lng "]) == (" lng ", "Latitude")
    assert find_coordinates(["lon", "name"]) is None


def test_a_map(model):
    longitude, latitude = X[:, 0].copy(), X[:, 1].copy()
    longitude[5] = np.nan
    found = map_of(model, longitude, latitude, max_points=50)
    assert found.is_map
    assert len(found.points) == 50
    assert np.isfinite(found.points).all()
    known = np.arange(N) != 5
    for k in range(3):
        own = known & (model.labels_ == k)
        np.testing.assert_allclose(found.centers[k], [longitude[own].mean(), latitude[own].mean()])
    assert map_of(model, longitude, 1000 * latitude, max_points=50) is None


def test_points_of_a_plane_are_drawn_at_random_and_always_the_same(model):
    first, second = (plane(model, X, max_points=30) for _ in range(2))
    assert len(first.points) == 30
    np.testing.assert_array_equal(first.points, second.points)
    assert (first.n_points, first.n_moved) == (N, int((model.labels_ != model.predict(X)).sum()))


def test_what_is_hardly_known_sets_nothing_apart(model):
    first = int(np.flatnonzero(model.labels_ == 0)[0])
    rare, often = np.full(N, np.nan), np.where(model.labels_ == 0, 5.0, RANDOM.random(N))
    rare[model.labels_ != 0], rare[first] = 1.0, 100.0
    told = profile(model, {"rare": rare, "often": often})
    assert [each.feature for each in told.apart(0)] == ["often"]
    weight, own = weight_of(model), model.labels_ == 0
    known = told.features[0].known
    assert known[0] == pytest.approx(weight[first] / weight[own].sum())
    assert known[1:].tolist() == [1, 1]
    assert told.features[1].known is None


def test_years(model):
    year = 1990 + model.labels_
    told = profile(model, {"Year": year, "birth_year": year + 0.5, "votes": year, "year of n": year - 1500})
    assert [feature.is_year for feature in told.features] == [True, False, False, False]
    apart = {each.feature: each.is_year for each in told.apart(0)}
    assert apart["Year"]
    assert not apart["votes"]
