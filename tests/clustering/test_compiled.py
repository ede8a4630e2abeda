"""Compiled distances are those of one point alone, to the last bit, however many are summed at once."""

import numpy as np
import pytest

from minirel.clustering.compiled import nearest_sums, squared_distances

SHAPES = [(1, 1, 1), (33, 3, 2), (256, 2, 40), (700, 31, 6), (300, 1_500, 3)]


def points(n: int, n_features: int, n_clusters: int, dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, centers by columns, and squared distances that are summed feature by feature."""
    rng = np.random.default_rng(n)
    X, centers = rng.normal(size=(n, n_features)).astype(dtype), rng.normal(size=(n_features, n_clusters))
    total = np.zeros((n, n_clusters))
    for feature, at in zip(X.T.astype(np.float64), centers, strict=True):
        difference = feature[:, None] - at
        total += difference * difference
    return X, centers, total


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_squared_distances(shape: tuple[int, int, int], dtype: str) -> None:
    X, centers, total = points(*shape, dtype)
    out = np.empty(total.shape, dtype=dtype)
    squared_distances(X, centers, out)
    np.testing.assert_array_equal(out, total.astype(dtype))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_nearest_sums(shape: tuple[int, int, int], weighted: bool) -> None:
    X, centers, total = points(*shape, "f8")
    centers, total = np.repeat(centers, 2, axis=1), np.repeat(total, 2, axis=1)  # ties go to the first
    n, n_clusters = total.shape
    weight = np.random.default_rng(0).random(n) if weighted else np.empty(0)
    labels, sums, weights = np.full(n, -1, np.int32), np.zeros((n_clusters, X.shape[1])), np.zeros(n_clusters)
    origin = X.mean(axis=0)
    nearest_sums(X, centers, weight, origin, labels, sums, weights)
    expected = total.argmin(axis=1)
    np.testing.assert_array_equal(labels, expected)
    assert not (labels % 2).any()
    each = weight if weighted else np.ones(n)
    expected_sums, expected_weights = np.zeros(sums.shape), np.zeros(n_clusters)
    np.add.at(expected_sums, expected, each[:, None] * (X - origin))
    np.add.at(expected_weights, expected, each)
    np.testing.assert_array_equal(sums, expected_sums)
    np.testing.assert_array_equal(weights, expected_weights)
