"""The core program: exact on what it is given, and a bound for the rest."""

from itertools import product

import numpy as np
import pytest

from minirel.assignment.core import open_core
from priced import priced
from thorough import often


@pytest.mark.parametrize("kind", ["plain", "ties", "weights"])
def test_the_core_of_all_pairs_has_the_optimum_and_a_narrow_one_a_valid_bound(kind: str) -> None:
    n_solved = 0
    for seed in range(often(4, 8)):
        at = priced(seed, 8, kind)
        every = [np.array(labels) for labels in product(range(3), repeat=8)]
        fair = [labels for labels in every if at.is_fair(labels)]
        whole = open_core(at.rows, at.best.prices, at.working_set, at.scan, np.inf)
        result = whole.solve(absolute_gap=0.0, target=-np.inf, time_limit=None, node_limit=1_000)
        if not fair:
            assert result.labels is None
            assert result.bound == np.inf
            assert whole.enumerate(np.inf, node_limit=10_000).bound == np.inf
            continue
        n_solved += 1
        optimum = min(at.cost(labels) for labels in fair)
        assert at.cost(result.labels) == pytest.approx(optimum, abs=1e-9)
        assert at.best.bound + result.bound == pytest.approx(optimum, abs=1e-7)
        cutoff = float(np.median(at.scan.regret))
        part = open_core(at.rows, at.best.prices, at.working_set, at.scan, cutoff)
        narrow = part.solve(absolute_gap=0.0, target=-np.inf, time_limit=None, node_limit=1_000)
        assert at.best.bound + min(narrow.bound, cutoff) <= optimum + 1e-7

        tried = whole.enumerate(np.inf, node_limit=10_000)
        assert tried.finished
        assert at.cost(tried.labels) == pytest.approx(optimum, abs=1e-9)
        assert at.best.bound + tried.bound == pytest.approx(optimum, abs=1e-9)
    assert n_solved >= often(2, 4)
