"""The certificate's pass is the formula that it stands for."""

import numpy as np
import pytest

from minirel.assignment.recheck import least_sum


@pytest.mark.parametrize("is_weighted", [False, True])
def test_least_sum_by_numpy(is_weighted: bool) -> None:
    random = np.random.default_rng(0)
    costs = random.random((200, 5))
    membership = random.random((200, 3)) < 0.4
    of_cluster, of_groups = random.normal(size=5), random.normal(size=(3, 5))
    units = random.random(200) if is_weighted else np.empty(0)
    priced = costs + of_cluster - membership @ of_groups
    slip, slips = 1e-3, random.random(5)
    for lowered, sum_of in zip(
        (priced, priced - slip * costs - slips),
        least_sum(costs, membership, of_cluster, of_groups, slip, slips, units),
        strict=True,
    ):
        expected = (lowered.min(axis=1) * (units if is_weighted else 1)).sum()
        assert sum_of == pytest.approx(expected, rel=1e-12)
