"""Splits share a problem between two parts; what they say of the part below is true of all labels in it."""

from itertools import product

import numpy as np

from minirel.assignment import dual
from minirel.assignment.problem import Problem
from minirel.assignment.rows import promised_rows
from minirel.assignment.scan import Scanner
from minirel.assignment.splits import splits
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.solvers.limits import Deadline


def test_no_labels_below_a_split_cost_less_than_it_says() -> None:
    n_checked = n_positive = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        costs, groups = rng.random((8, 2)), read_groups(rng.random((8, 1)) < 0.4)
        weights = read_weights(None, 8)
        fairness = read_fairness(groups, weights, 2, alpha=(0.51, 0.6, 0.7)[seed % 3], beta=None, asked={0})
        problem = Problem(costs, groups, weights, fairness, ((0, 0),))
        rows, scanner = promised_rows(problem, ((0, 0),)), Scanner(problem)
        start = dual.evaluate(rows, scanner, np.zeros(len(rows)))
        temperatures = dual.temperature_range(start.reference.scan)
        best = dual.optimise(rows, start, temperatures, Deadline(None), sampling="first")
        offsets = rows.offsets(best.prices, 2)
        scan = scanner(offsets)
        proven = scan.value + float(best.prices @ rows.rhs)
        for split in splits(
            rows, best.prices, best.reference.working_set().counts(offsets, temperatures.lowest)
        ):
            n_checked += 1
            least = proven + split.cost_below(rows, scan, groups.signature)
            n_positive += least > proven + 1e-6
            (below, _), (above, prices) = split.below(rows, best.prices), split.above(rows, best.prices)
            assert (prices >= 0).all()
            for labels in map(np.array, product(range(2), repeat=8)):
                counts = np.zeros((groups.n_signatures, 2), dtype=np.int64)
                np.add.at(counts, (groups.signature, labels), 1)
                if not (rows.slack(counts) >= 0).all():
                    continue
                is_below = bool((below.slack(counts) >= 0).all())
                assert is_below != bool((above.slack(counts) >= 0).all())
                if is_below:
                    assert costs[np.arange(8), labels].sum() >= least - 1e-9
    assert n_checked > 15
    assert n_positive > 3


def test_no_split_is_made_twice() -> None:
    """Counts are smoothed and may be just outside the part that a split left: no reason to split again."""
    groups, weights = read_groups(["a"] * 20 + ["b"] * 20), read_weights(None, 40)
    fairness = read_fairness(groups, weights, 2, alpha=0.51, beta=None, asked={0})
    problem = Problem(np.ones((40, 2)), groups, weights, fairness, ((0, 0),))
    rows = promised_rows(problem, ((0, 0),))
    prices = np.where(rows.is_share, 1.0, 0.0)
    [first] = splits(rows, prices, np.array([[10.3, 9.7], [10.0, 10.0]]))
    assert (first.form.tolist(), first.floor) == ([1, -1], 0)
    just_below, just_above = np.array([[10.9, 9.1], [10.0, 10.0]]), np.array([[10.1, 9.9], [10.0, 10.0]])
    for part, counts in ((first.above, just_below), (first.below, just_above)):
        inside, _ = part(rows, prices)
        assert splits(inside, np.append(prices, 0.0), counts) == []
    # Further inside there is still something to split on.
    inside, _ = first.above(rows, prices)
    [second] = splits(inside, np.append(prices, 0.0), np.array([[12.4, 7.6], [10.0, 10.0]]))
    assert second.floor == 2
