"""The search by single moves: how it notices that labels repeat."""

import itertools

import numpy as np

from minirel.clustering.descend import _difference
from minirel.clustering.moves import Moves


def difference(before: np.ndarray, after: np.ndarray, n_clusters: int) -> int:
    points = np.flatnonzero(before != after)
    return _difference(Moves(points, before[points], after[points]), n_clusters)


def test_changes_that_come_back_cancel() -> None:
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 5, size=300) for _ in range(4)]
    around = [*labels, labels[0]]
    digest = 0
    for before, after in itertools.pairwise(around):
        digest ^= difference(before, after, 5)
        assert (digest == 0) == np.array_equal(after, labels[0])


def test_other_labels_have_other_numbers() -> None:
    """All single and double changes of a few points are told apart."""
    start = np.zeros(12, dtype=np.intp)
    seen = {0}
    for i in range(12):
        for j in range(i, 12):
            for a in range(1, 4):
                for b in range(1, 4):
                    changed = start.copy()
                    changed[i] = a
                    changed[j] = b
                    seen.add(difference(start, changed, 4))
    assert len(seen) == 1 + 12 * 3 + 66 * 9
