"""Table 1 as it was typed in: its last row follows from the others."""

from itertools import product

import numpy as np
import pytest

from paper.experiments import EXPERIMENTS
from paper.published import OVERALL, TABLE_1

K_MEANS, MINIREL = 0, 1


def test_it_has_the_settings_of_the_experiment():
    grid = EXPERIMENTS["times"].whole
    assert tuple(TABLE_1) == tuple(OVERALL) == grid.data
    assert all(tuple(rows) == grid.n_clusters for rows in TABLE_1.values())


@pytest.mark.parametrize(("data", "method"), [*product(TABLE_1, (K_MEANS, MINIREL))])
def test_the_last_row_follows_from_the_others(data, method):
    means, deviations = np.array([row[method] for row in TABLE_1[data].values()]).T
    mean, deviation = OVERALL[data][method]
    # Means are rounded to 0.1, deviations to 0.01.
    assert round(means.mean(), 1) == mean
    # The variance over all is that within the rows and that between them.
    low, high = (
        np.hypot(
            np.sqrt((np.maximum(deviations + 0.005 * side, 0) ** 2).mean()), max(means.std() + 0.05 * side, 0)
        )
        for side in (-1, 1)
    )
    assert low - 0.01 <= deviation <= high + 0.01


@pytest.mark.parametrize("data", TABLE_1)
def test_what_the_paper_says_of_it(data):
    """MiniReL takes longer, and "under 30 seconds"."""
    for k_means, minirel in TABLE_1[data].values():
        assert k_means[0] < minirel[0] < 30
        assert min(k_means[1], minirel[1]) >= 0
