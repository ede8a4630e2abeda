"""The nearest center, by definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minirel.clustering.trace import nearest


@given(arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.integers(0, 3)))
def test_nearest_is_the_first_of_the_cheapest(costs: np.ndarray) -> None:
    found = nearest(costs)
    assert found.labels.tolist() == [list(row).index(min(row)) for row in costs]
    assert found.cost.tolist() == [min(row) for row in costs]
