"""The cheapest cluster of each point: the first of several, whoever looks for it."""

import numpy as np
import pytest

from minirel.assignment import costs as module
from minirel.assignment.costs import cheapest_clusters


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_clusters", [1, 3, 20])
def test_compiled_code_finds_what_numpy_finds(n_clusters: int, dtype: type) -> None:
    rng = np.random.default_rng(0)
    costs = rng.integers(-3, 4, size=(9_000, n_clusters)).astype(dtype)  # with many ties
    for compile_from in (10**9, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "COMPILE_FROM", compile_from)
            labels, least = cheapest_clusters(costs)
        np.testing.assert_array_equal(labels, costs.argmin(axis=1))
        np.testing.assert_array_equal(least, costs.min(axis=1))
        assert least.dtype == dtype
