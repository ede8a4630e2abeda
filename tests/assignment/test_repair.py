"""Repair: labels that keep every row, and that no single move betters."""

from itertools import product

import pytest

from minirel.assignment.repair import repair
from priced import priced


@pytest.mark.parametrize("kind", ["plain", "ties", "weights"])
def test_repaired_labels_keep_every_row_and_no_single_move_is_better(kind: str) -> None:
    n_repaired = 0
    for seed in range(20):
        at = priced(seed, 80, kind)
        labels = repair(at.rows, at.best.prices, at.working_set, at.scan, at.temperatures.lowest)
        if labels is None:
            continue
        n_repaired += 1
        assert at.is_fair(labels)
        cost = at.cost(labels)
        assert cost >= at.best.bound - 1e-9
        for i, k in product(range(80), range(3)):
            moved = labels.copy()
            moved[i] = k
            if at.is_fair(moved):
                assert at.cost(moved) >= cost - 1e-9
    assert n_repaired >= 15
