"""First centers for groups that are too small for the clusters they are promised."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from clustering.test_initialise import start
from minirel import MiniReL
from minirel.assignment.request import Request, read_request
from minirel.clustering.initialise import first_centers
from minirel.clustering.small_groups import centers_for_small_groups
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights


def town(n: int = 1_200) -> tuple[np.ndarray, np.ndarray]:
    """Four quarters, and twelve people of another group all over them, one of them far outside."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 2)) + 8 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[rng.integers(0, 4, size=n)]
    groups = np.full(n, "most")
    few = rng.choice(n, 12, replace=False)
    groups[few] = "few"
    X[few[0]] = [30.0, 30.0]
    return X, groups


def request(groups: np.ndarray, n_clusters: int, weight: Any = None, **options: Any) -> Request:
    options = {"alpha": 0.5, "beta": {"few": 1}, "prefix": "assignment"} | options
    limits = {"allowed": None, "min_size": 1, "max_size": None}
    n = len(groups)
    return read_request(
        read_groups(groups, n_points=n), read_weights(weight, n), n_clusters, **limits, **options
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_k_means_of_the_others_and_a_member_for_each_promise(sparse: bool) -> None:
    X, groups = town()
    data = csr_array(X) if sparse else X
    centers = centers_for_small_groups(start(data, 5), request(groups, 5))
    assert centers is not None
    np.testing.assert_allclose(centers[:4], first_centers("k-means", start(data, 4)))
    np.testing.assert_array_equal(centers[4], [30.0, 30.0])  # the member who saves the most
    two = centers_for_small_groups(start(data, 5), request(groups, 5, beta={"few": 2}))
    assert two is not None
    members = {tuple(row) for row in X[groups == "few"]}
    assert all(tuple(row) in members for row in two[3:])
    assert len(np.unique(two, axis=0)) == 5


def test_whoever_weighs_nothing_is_no_center() -> None:
    X, groups = town()
    weight = np.ones(len(X))
    weight[(X == 30).all(axis=1)] = 0
    centers = centers_for_small_groups(start(X, 5, weight), request(groups, 5, weight))
    assert centers is not None
    assert not (centers == 30).any()
    assert tuple(centers[4]) in {tuple(row) for row in X[groups == "few"]}


def test_groups_that_can_fill_their_clusters_change_nothing() -> None:
    X, groups = town()
    assert centers_for_small_groups(start(X, 5), request(groups, 5, beta={"most": 4})) is None
    assert centers_for_small_groups(start(X, 5), request(groups, 5, beta={})) is None
    # Twelve people may be half of 24, a fiftieth of all: an average cluster if there are fifty.
    assert centers_for_small_groups(start(X, 50), request(groups, 50)) is None
    assert centers_for_small_groups(start(X, 49), request(groups, 49)) is not None


def test_one_center_at_least_is_left_for_the_others() -> None:
    X, _ = town()
    everybody = request(np.arange(len(X)).astype(str), 3, beta=1)
    centers = centers_for_small_groups(start(X, 3), everybody)
    assert centers is not None
    assert centers.shape == (3, 2)


def test_the_others_are_clustered_as_if_these_clusters_were_not_there() -> None:
    """From four of five centers of k-means, the others would end in a poor optimum."""
    X, groups = town()
    options: dict[str, Any] = {"beta": {"few": 1}, "random_state": 0}
    fitted = MiniReL(5, **options).fit(X, sensitive_features=groups)
    others = MiniReL(4, beta={}, random_state=0).fit(X[groups == "most"])
    assert fitted.audit_.satisfied
    assert fitted.inertia_ < 1.02 * others.inertia_


def test_it_is_compared_with_k_means_of_as_many_clusters() -> None:
    X, groups = town()
    fair = MiniReL(5, beta={"few": 1}, random_state=0).fit(X, sensitive_features=groups)
    ordinary = MiniReL(5, beta={}, random_state=0).fit(X, sensitive_features=groups)
    start_cost = float(fair.result_.trace.start.cost.sum())
    assert start_cost == pytest.approx(float(ordinary.result_.trace.start.cost.sum()))
