"""Of several runs the cheapest is kept, and the scale of tol is that of scikit-learn."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster._kmeans import _tolerance
from sklearn.datasets import load_iris

from minirel import MiniReL
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
