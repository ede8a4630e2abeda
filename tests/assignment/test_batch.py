"""Batches of new points for a fitted clustering, down to a single one."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from minirel import InfeasibleFairnessError, MiniReL, ParameterError, audit
from thorough import often

N = 240
RANDOM = np.random.default_rng(0)
X = np.concatenate([RANDOM.normal(center, 1, size=(N // 3, 2)) for center in ((0, 0), (4, 0), (0, 5))])
SEX = RANDOM.choice(["F", "M"], size=N, p=[0.4, 0.6])
RACE = RANDOM.choice(["a", "b", "c"], size=N, p=[0.6, 0.3, 0.1])
ALPHA = {"sex=F": 0.51, "sex=M": 0.51, "race=a": 0.51, "race=b": 0.4, "race=c": 0.2}
MODEL = MiniReL(6, alpha=ALPHA, beta={"sex=F": 2, "sex=M": 2, "race=b": 2, "race=c": 1}, random_state=0)
MODEL.fit(X, sensitive_features={"sex": SEX, "race": RACE})


def new_points(seed: int, n: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return rng.normal(1.5, 3, size=(n, 2)), {
        "sex": rng.choice(["F", "M"], size=n),
        "race": rng.choice(["a", "b", "c"], size=n),
    }


def keeps_holders(
    labels: np.ndarray, groups: dict[str, np.ndarray], weight: np.ndarray | None = None
) -> bool:
    """Whether every holder of the fit has its share of what the batch puts into its cluster."""
    weight = np.ones(len(labels), dtype=int) if weight is None else weight
    for name, k in MODEL.prefix_:
        column, value = str(name).split("=")
        inside = labels == k
        count = int(weight[inside & (groups[column] == value)].sum())
        if count < Fraction(str(ALPHA[str(name)])) * int(weight[inside].sum()):
            return False
    return True


@settings(deadline=None, max_examples=often(10, 30))
@given(seed=st.integers(0, 10_000), n=st.integers(1, 40))
def test_holders_of_the_fit_keep_their_shares(seed: int, n: int) -> None:
    points, groups = new_points(seed, n)
    batch = MODEL.assign(points, groups)
    assert keeps_holders(batch.labels, groups)
    assert set(batch.prefix) == set(MODEL.prefix_)
    assert batch.status in ("optimal", "within gap")
    everybody = audit(
        np.concatenate([MODEL.labels_, batch.labels]),
        {"sex": np.concatenate([SEX, groups["sex"]]), "race": np.concatenate([RACE, groups["race"]])},
        alpha=ALPHA,
        beta=MODEL.beta_,
    )
    assert everybody.satisfied


def test_the_cheapest_of_all_that_keep_them() -> None:
    for seed in range(often(6, 20)):
        points, groups = new_points(seed, 4)
        costs = ((points[:, None] - MODEL.cluster_centers_) ** 2).sum(axis=2)
        every = np.array(np.meshgrid(*[range(6)] * 4)).reshape(4, -1).T
        best = min(costs[np.arange(4), labels].sum() for labels in every if keeps_holders(labels, groups))
        assert MODEL.assign(points, groups).cost == pytest.approx(best, rel=2e-4)


def test_weights_count() -> None:
    points, groups = new_points(1, 60)
    weight = np.random.default_rng(1).integers(0, 5, size=60)
    assert keeps_holders(MODEL.assign(points, groups, sample_weight=weight).labels, groups, weight)


def test_a_group_that_does_not_occur_leaves_its_clusters_empty() -> None:
    points, groups = new_points(0, 50)
    groups["sex"][:] = "F"
    held_by_men = [k for name, k in MODEL.prefix_ if name == "sex=M"]
    batch = MODEL.assign(points, groups)
    assert batch.certificate.sizes[held_by_men].sum() == 0
    assert not batch.certificate.represented[:, held_by_men].any()
    anew = MODEL.assign(points, groups, prefix=None)  # nothing is promised to nobody
    assert (anew.certificate.sizes > 0).all()
    assert {name for name, _ in anew.prefix} == {"sex=F", "race=b", "race=c"}


def test_a_group_that_the_fit_did_not_know() -> None:
    points, groups = new_points(0, 50)
    groups["race"] = np.where(groups["race"] == "a", "d", groups["race"])
    with pytest.warns(UserWarning, match="that the fit did not know, 'race=d': nothing is promised to them"):
        batch = MODEL.assign(points, groups)
    assert keeps_holders(batch.labels, groups)
    alpha = MODEL.get_params()["alpha"]
    own = [("race=d", 0)]
    with pytest.raises(ValueError, match=r"alpha .* leaves out 'race=d'"):
        MODEL.assign(points, groups, prefix=own)
    try:
        MODEL.set_params(alpha={**alpha, "race=d": 0.5})
        labels = MODEL.assign(points, groups, prefix=own).labels
    finally:
        MODEL.set_params(alpha=alpha)
    assert 2 * (groups["race"][labels == 0] == "d").sum() >= (labels == 0).sum()


@pytest.mark.parametrize("features", [None, np.array(["F", "M", "F"]), np.array([0, 1, 0])])
def test_groups_that_are_not_those_of_the_fit(features: Any) -> None:
    with pytest.raises(ValueError, match=r"as in the fit, 'sex=F', 'sex=M', 'race=a', .* but it"):
        MODEL.assign(X[:3], features)


def test_columns_of_0_and_1_are_read_as_in_the_fit() -> None:
    codes = pd.DataFrame({"sex": SEX == "F", "race": pd.Series(RACE).map({"a": 0, "b": 1, "c": 2})}).astype(
        int
    )
    model = MiniReL(4, random_state=0).fit(X, sensitive_features=codes)
    few = codes[codes.race < 2][:5]
    assert set(few.race) == {0, 1}
    assert model.assign(X[few.index], few).status == "optimal"
    flags = pd.get_dummies(pd.Series(RACE)).astype(int)
    model = MiniReL(4, random_state=0).fit(X, sensitive_features=flags)
    assert model.assign(X[:1], flags[:1]).status == "optimal"


def test_too_few_points_for_beta() -> None:
    points, groups = new_points(0, 3)
    for asked in ({"prefix": None}, {"prefix": "local_cost"}, {"beta": 1}):
        with pytest.raises(ValueError, match=r"the batch has 3 points for 6 clusters.*'fitted'.*predict"):
            MODEL.assign(points, groups, **asked)
    nothing = MODEL.assign(points, groups, beta=0)
    np.testing.assert_array_equal(nothing.labels, MODEL.predict(points))
    listed = MODEL.assign(points, groups, prefix=[("sex=F", 0)])
    assert (listed.certificate.sizes == 0).sum() >= 3


def test_what_a_batch_cannot_keep_is_said_of_the_batch() -> None:
    model = MiniReL(2, alpha=0.5, prefix=[("F", 0), ("F", 1)], beta=None, random_state=0)
    half = np.tile(["F", "M"], N // 2)
    model.fit(X, sensitive_features=half)
    with pytest.raises(InfeasibleFairnessError) as caught:
        model.assign(X[:3], ["M", "F", "M"])
    message = str(caught.value)
    assert message.startswith("in this batch of 3 points, cluster 0 must be at least 50% 'F' and cluster 1")
    assert "assign more points at once, or use predict" in message
    prefix = caught.value.nearest["prefix"]
    assert len(prefix) == 1
    assert model.assign(X[:3], ["M", "F", "M"], prefix=prefix).status == "optimal"


def test_sizes_are_those_of_the_batch() -> None:
    model = MiniReL(3, beta=0, min_size=60, max_size=100, random_state=0).fit(X, sensitive_features=SEX)
    near = np.repeat(model.cluster_centers_[:1], 9, axis=0)
    assert (model.assign(near, SEX[:9]).labels == 0).all()
    assert model.assign(near, SEX[:9], min_size=2, max_size=4).certificate.sizes[0] == 4


def test_clusters_that_were_allowed_in_the_fit() -> None:
    allowed = np.array([[True, True, False, False], [True] * 4])
    model = MiniReL(4, beta={"F": 1, "M": 1}, allowed=allowed, random_state=0).fit(X, sensitive_features=SEX)
    batch = model.assign(X[:60], ["M"] * 40 + ["F"] * 20, prefix=None)
    assert {k for name, k in batch.prefix if name == "F"} <= {0, 1}
    with pytest.warns(UserWarning, match="did not know, 'X'"):
        model.assign(X[:60], ["X"] * 40 + ["F"] * 20)


def test_a_fit_without_groups() -> None:
    model = MiniReL(4, random_state=0).fit(X)
    np.testing.assert_array_equal(model.assign(X[:2], SEX[:2]).labels, model.predict(X[:2]))
    np.testing.assert_array_equal(model.assign(X[:2], None).labels, model.predict(X[:2]))


def test_a_time_limit_that_passes() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(400, 2))
    weight = rng.integers(1, 1000, size=400)
    groups = {"sex": rng.choice(["F", "M"], 400), "race": rng.choice(["a", "b", "c"], 400)}
    exact = MiniReL(**{**MODEL.get_params(), "gap": 0.0}).fit(
        X, sensitive_features={"sex": SEX, "race": RACE}
    )
    with pytest.warns(ConvergenceWarning, match="time_limit passed"):
        batch = exact.assign(points, groups, prefix=None, sample_weight=weight, time_limit=1e-3)
    assert batch.status == "time limit"
    with pytest.raises(ValueError, match="time_limit must be a number above 0, but is -1"):
        MODEL.assign(points, groups, time_limit=-1)


def test_a_batch_of_points_in_no_group() -> None:
    X = np.arange(12.0)[:, None]
    names = ["a", "b", None] * 4
    model = MiniReL(2, beta={"a": 1}, alpha=0.3, missing="none", random_state=0).fit(
        X, sensitive_features=names
    )
    assert model.assign(X[:1], [None]).labels.tolist() == model.predict(X[:1]).tolist()
    with pytest.raises(ParameterError, match="its groups are 'c'"):
        model.assign(X[:1], ["c"])
