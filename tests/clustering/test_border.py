"""The border: whoever is not watched keeps its cluster while centers hardly move."""

import numpy as np
import pytest

from minirel.clustering.border import Border
from minirel.clustering.objectives import OBJECTIVES


@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
@pytest.mark.parametrize("step", [1e-4, 1e-2, 1.0])
def test_points_that_are_not_watched_do_not_wish_to_move(objective: str, step: float) -> None:
    n_held = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, centers = rng.normal(size=(300, 3)), rng.normal(size=(4, 3))
        of_points = OBJECTIVES[objective](X, None)
        costs = of_points.costs(centers)
        labels = costs.argmin(axis=1)
        border = Border(of_points, centers, costs, labels)
        moved = centers + step * rng.normal(size=centers.shape)
        near = border.points(moved, labels)
        if near is None:
            continue
        n_held += 1
        assert len(near) < 150
        others = np.setdiff1d(np.arange(300), near)
        np.testing.assert_array_equal(of_points.costs(moved).argmin(axis=1)[others], labels[others])
    assert (n_held > 10) == (step < 1e-3) or step == 1e-2


def test_without_a_metric_everyone_is_watched() -> None:
    X = np.arange(20.0)[:, None]
    of_points = OBJECTIVES["k-means"](X, None)
    of_points.metric_power = None
    centers = np.array([[2.0], [15.0]])
    costs = of_points.costs(centers)
    labels = costs.argmin(axis=1)
    border = Border(of_points, centers, costs, labels)
    assert border.points(centers + 100, labels).tolist() == list(range(20))
