"""Of several runs the cheapest is kept, and the scale of tol is that of scikit-learn."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster._kmeans import _tolerance
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from minirel import MiniReL, ParameterError
from minirel.clustering.objectives import mean_variance

X, SPECIES = load_iris(return_X_y=True)


def test_the_cheapest_of_all_starts_is_kept() -> None:
    model = MiniReL(7, beta="statistical_parity", init="random", n_init=3, random_state=3)
    best = model.fit(X, sensitive_features=SPECIES)
    # The starts draw their seeds from that of the fit.
    seeds = np.random.RandomState(3).randint(np.iinfo(np.int32).max, size=3)
    alone = [
        MiniReL(7, beta="statistical_parity", init="random", random_state=int(seed))
        .fit(X, sensitive_features=SPECIES)
        .inertia_
        for seed in seeds
    ]
    assert len(set(alone)) > 1
    assert best.inertia_ == min(alone)


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_the_scale_of_tol_is_that_of_k_means(make: type) -> None:
    data = make(np.vstack([X] * 20))  # more rows than are handled at once
    assert mean_variance(data) == pytest.approx(_tolerance(data, 1.0), rel=1e-12)


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_distances_that_overflow_are_refused_before_any_work(make: type) -> None:
    huge = make(np.array([[1e200], [-1e200], [0.0], [1.0]]))
    with pytest.raises(ValueError, match="overflow: scale X down"):
        MiniReL(2).fit(huge, sensitive_features=[0, 1, 0, 1])


@pytest.mark.parametrize(
    ("x", "weight", "told"),
    [
        (1.0, 1e-310, "sample_weight must add up .* scale it up"),
        (1.0, 1e295, "sample_weight must add up .* scale it down"),
        (1e100, 1e100, "scale X or sample_weight down"),
        (1e-100, 1e-100, "scale X or sample_weight up"),
        (1e-155, 1.0, "scale X up"),
        (1e-200, 1.0, "scale X up"),  # squares are 0
        (np.float32(1e-20), 1.0, "scale X up"),
    ],
)
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_costs_by_weight_beyond_doubles_are_refused(make: type, x: float, weight: float, told: str) -> None:
    data = make(np.asarray(X, dtype=np.asarray(x).dtype) * x)
    with pytest.raises(ParameterError, match=told):
        MiniReL(3, random_state=0).fit(data, sensitive_features=SPECIES, sample_weight=np.full(150, weight))


@pytest.mark.parametrize("scale", [1e-140, 1e-126, 1e126, 1e140])
def test_distances_of_k_medians_have_a_wider_range(scale: float) -> None:
    """Its costs are not squared."""
    model = MiniReL(3, objective="k-medians", beta=1, alpha=0.5, random_state=0)
    usual = model.fit(X, sensitive_features=SPECIES).inertia_
    assert model.fit(X * scale, sensitive_features=SPECIES).inertia_ == pytest.approx(scale * usual, rel=1e-3)
    assert model.audit_.satisfied


@pytest.mark.parametrize(
    ("scale", "told"), [(1e-160, "distances of .* scale X up"), (1e160, "distances .* scale X down")]
)
def test_distances_of_k_medians_whose_squares_overflow_are_refused(scale: float, told: str) -> None:
    with pytest.raises(ParameterError, match=told) as refused:
        MiniReL(3, objective="k-medians").fit(X * scale, sensitive_features=SPECIES)
    assert "squared" not in str(refused.value)


@pytest.mark.parametrize("make", [lambda centers: centers, lambda centers: lambda *_, random_state: centers])
@pytest.mark.parametrize("prefix", ["local_cost", None])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_centers_whose_distances_overflow_are_refused(make: object, prefix: str | None, dtype: type) -> None:
    far = np.array(X[:3])
    far[0, 0] = 1e155 if dtype is np.float64 else 1e20
    model = MiniReL(3, beta=1, alpha=0.5, init=make(far), prefix=prefix)  # type: ignore[operator]
    with pytest.raises(ParameterError, match=r"init must have squared distances .* scale init down"):
        model.fit(X.astype(dtype), sensitive_features=SPECIES)


@pytest.mark.parametrize("weight", [None, np.full(150, 1e100)])
def test_points_far_from_the_centers_are_refused_by_name(weight: np.ndarray | None) -> None:
    model = MiniReL(3, random_state=0).fit(X, sensitive_features=SPECIES)
    for scale in (1e140, 1e200):
        with pytest.raises(
            ParameterError, match=r"^X must have squared distances from the centers .* scale X"
        ):
            model.assign(X * scale, SPECIES, sample_weight=weight)


def test_equal_points_have_no_scale() -> None:
    with pytest.warns(ConvergenceWarning, match="1 distinct"):
        assert (
            MiniReL(2, beta=1, random_state=0).fit(np.zeros((6, 2)), sensitive_features=[0, 1] * 3).inertia_
            == 0
        )
