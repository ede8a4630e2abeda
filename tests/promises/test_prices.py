"""Prices by kind, group and cluster."""

import numpy as np
import pytest

from minirel.promises.kinds import KINDS, OF_GROUPS, OF_SIZES
from minirel.promises.prices import Prices

NAMES = dict(
    zip(KINDS, ("groups", "min_members", "min_share", "max_share", "smallest", "largest"), strict=True)
)


def numbered(n_groups: int, n_clusters: int) -> Prices:
    """Every price another."""
    shape = Prices.none(n_groups, n_clusters).table.shape
    return Prices(1.0 + np.arange(shape[0] * shape[1]).reshape(shape))


@pytest.mark.parametrize("n_groups", [0, 1, 3])
@pytest.mark.parametrize("n_clusters", [1, 4])
def test_each_kind_has_a_table_of_its_own(n_groups, n_clusters):
    prices = numbered(n_groups, n_clusters)
    assert prices.table.shape == (4 * n_groups + 2, n_clusters)
    assert not Prices.none(n_groups, n_clusters).table.any()
    for kind in OF_GROUPS:
        assert prices.of_kind(kind).shape == (n_groups, n_clusters)
    for kind in OF_SIZES:
        assert prices.of_kind(kind).shape == (n_clusters,)
    told = np.concatenate([prices.of_kind(kind).ravel() for kind in KINDS])
    assert sorted(told) == sorted(prices.table.ravel())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_name(kind):
    prices = numbered(2, 3)
    np.testing.assert_array_equal(getattr(prices, NAMES[kind]), prices.of_kind(kind))
    prices.of_kind(kind)[:] = 0
    for other in KINDS:
        assert prices.of_kind(other).any() == (other != kind)


def test_prices_of_some_holders():
    prices = numbered(2, 3)
    some = prices.of(((0, 2), (1, 0)))
    held = np.array([[False, False, True], [True, False, False]])
    for kind in ("share", "min_members"):
        np.testing.assert_array_equal(some.of_kind(kind), prices.of_kind(kind) * held)
    for kind in ("min_share", "max_share", *OF_SIZES):
        np.testing.assert_array_equal(some.of_kind(kind), prices.of_kind(kind))
    assert not prices.of(()).groups.any()
    np.testing.assert_array_equal(prices.table, numbered(2, 3).table, "the prices given are the caller's")


def test_prices_without_groups():
    prices = numbered(0, 3)
    np.testing.assert_array_equal(prices.of(()).table, prices.table)
    assert (prices.smallest.tolist(), prices.largest.tolist()) == ([1, 2, 3], [4, 5, 6])
