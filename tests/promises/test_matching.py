"""Clusters that count for one group only, against trying every way to share them out."""

from itertools import product

import numpy as np
import pytest

from minirel.promises.matching import exclusive_holders


def every_way(possible: np.ndarray, beta: list[int], required: list[tuple[int, int]]) -> bool:
    """Whether some way to give each cluster to one group, or to none, has what is asked."""
    n_groups, n_clusters = possible.shape
    for owners in product(range(n_groups + 1), repeat=n_clusters):
        pairs = {(g, k) for k, g in enumerate(owners) if g < n_groups}
        if (
            pairs.issuperset(required)
            and all(possible[pair] or pair in required for pair in pairs)
            and all(owners.count(g) >= beta[g] for g in range(n_groups))
        ):
            return True
    return False


def random_case(seed: int) -> tuple[np.ndarray, list[int], list[tuple[int, int]], list[tuple[int, int]]]:
    rng = np.random.default_rng(seed)
    n_groups, n_clusters = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    possible = rng.random((n_groups, n_clusters)) < rng.choice([0.3, 0.5, 0.8])
    beta = rng.integers(0, max(2, 2 * n_clusters // n_groups), size=n_groups).tolist()
    pairs = [(g, k) for g in range(n_groups) for k in range(n_clusters)]
    required = [pair for pair in pairs if rng.random() < rng.choice([0, 0.1])]
    preferred = [pair for pair in pairs if rng.random() < 0.3]
    return possible, beta, required, preferred


@pytest.mark.parametrize("block", range(4))
def test_there_are_holders_exactly_where_some_way_has_them(block):
    outcomes = []
    for seed in range(400 * block, 400 * (block + 1)):
        possible, beta, required, preferred = random_case(seed)
        found = exclusive_holders(possible, beta, tuple(required), tuple(preferred))
        assert (found is not None) == every_way(possible, beta, required), seed
        outcomes.append(found is not None)
        if found is None:
            continue
        groups, clusters = [g for g, _ in found], [k for _, k in found]
        assert list(found) == sorted(found)
        assert len(set(clusters)) == len(clusters), seed
        assert set(required) <= set(found), seed
        assert all(possible[pair] or pair in required for pair in found), seed
        for g, number in enumerate(beta):
            # As many as are asked, or as are required.
            assert groups.count(g) == max(number, sum(h == g for h, _ in required)), seed
    assert 100 < sum(outcomes) < 390


def test_what_can_stay_stays():
    """Of holders that are as many as asked, none changes."""
    n_kept = 0
    for seed in range(400):
        possible, beta, required, _ = random_case(seed)
        rng = np.random.default_rng(seed)
        order = rng.permutation(possible.shape[1])
        found = exclusive_holders(possible[:, order], beta)
        if found is None or required:
            continue
        mine = tuple((g, int(order[k])) for g, k in found)
        assert exclusive_holders(possible, beta, (), mine) == tuple(sorted(mine))
        n_kept += bool(mine)
    assert n_kept > 50


def test_one_makes_way_for_another():
    possible = np.array([[True, True, False], [True, False, False]])
    assert exclusive_holders(possible, (1, 1)) == ((0, 1), (1, 0))
    assert exclusive_holders(possible, (1, 1), preferred=((0, 0),)) == ((0, 1), (1, 0))
    assert exclusive_holders(possible, (2, 1)) is None
    # But not what was required.
    assert exclusive_holders(possible, (1, 1), required=((0, 0),)) is None
    assert exclusive_holders(possible, (1, 0), required=((0, 0), (1, 0))) is None


def test_a_cluster_required_twice_by_one_group_is_one():
    possible = np.ones((1, 2), dtype=bool)
    assert exclusive_holders(possible, (1,), required=((0, 1), (0, 1))) == ((0, 1),)


def test_nothing_asked():
    assert exclusive_holders(np.ones((2, 3), dtype=bool), (0, 0)) == ()
    assert exclusive_holders(np.zeros((0, 3), dtype=bool), ()) == ()
