"""Repair and core program, from the same prices: the one quick, the other exact."""

from itertools import product

import numpy as np
import pytest

from minirel.assignment import dual
from minirel.assignment.core import open_core
from minirel.assignment.problem import Deadline, Problem
from minirel.assignment.repair import repair
from minirel.assignment.rows import Rows, side_rows
from minirel.assignment.scan import Scanner
from minirel.fairness import read_fairness
from minirel.groups import read_groups
from minirel.weights import read_weights

PREFIX = ((0, 1), (1, 0))


def problem_of(seed: int, n: int, kind: str) -> Problem:
    rng = np.random.default_rng(seed)
    costs = rng.random((n, 3))
    if kind == "ties":
        costs = np.rint(3 * costs)
    groups = read_groups(rng.random((n, 2)) < 0.5)
    weights = read_weights(rng.integers(1, 5, n) if kind == "weights" else None, n)
    fairness = read_fairness(groups, weights, 3, alpha=0.6, beta=None, asked={0, 1})
    return Problem(costs, groups, weights, fairness, PREFIX)


def counts_of(problem: Problem, labels: np.ndarray) -> np.ndarray:
    units = np.ones(len(labels), dtype=np.int64) if problem.weights.units is None else problem.weights.units
    counts = np.zeros((problem.groups.n_signatures, 3), dtype=np.int64)
    np.add.at(counts, (problem.groups.signature, labels), units)
    return counts


def cost_of(problem: Problem, labels: np.ndarray) -> float:
    units = 1 if problem.weights.units is None else problem.weights.units
    return float((problem.costs[np.arange(len(labels)), labels] * units).sum())


def solved(problem: Problem) -> tuple[Rows, dual.Dual, dual.Heat]:
    rows = side_rows(problem, PREFIX)
    start = dual.evaluate(rows, Scanner(problem), np.zeros(len(rows)))
    heat = dual.heat_of(start.anchor.scan)
    return rows, dual.optimise(rows, start, heat, Deadline(None), far=True), heat


@pytest.mark.parametrize("kind", ["plain", "ties", "weights"])
def test_repaired_labels_keep_every_row_and_no_single_move_is_better(kind: str) -> None:
    n_repaired = 0
    for seed in range(20):
        problem = problem_of(seed, 80, kind)
        rows, best, heat = solved(problem)
        fence = best.anchor.fence()
        scan = fence.scan(rows.offsets(best.prices, 3))
        labels = repair(rows, best.prices, fence, scan, heat.coldest)
        if labels is None:
            continue
        n_repaired += 1
        assert (rows.slack(counts_of(problem, labels)) >= 0).all()
        cost = cost_of(problem, labels)
        assert cost >= best.bound - 1e-9
        for i, k in product(range(80), range(3)):
            moved = labels.copy()
            moved[i] = k
            if (rows.slack(counts_of(problem, moved)) >= 0).all():
                assert cost_of(problem, moved) >= cost - 1e-9
    assert n_repaired >= 15


@pytest.mark.parametrize("kind", ["plain", "ties", "weights"])
def test_the_core_of_all_pairs_has_the_optimum_and_a_narrow_one_a_valid_bound(kind: str) -> None:
    n_solved = 0
    for seed in range(8):
        problem = problem_of(seed, 8, kind)
        rows, best, _ = solved(problem)
        fence = best.anchor.fence()
        scan = fence.scan(rows.offsets(best.prices, 3))
        every = [np.array(labels) for labels in product(range(3), repeat=8)]
        fair = [labels for labels in every if (rows.slack(counts_of(problem, labels)) >= 0).all()]
        whole = open_core(rows, best.prices, fence, scan, np.inf)
        result = whole.solve(absolute_gap=0.0, target=-np.inf, time_limit=None)
        if not fair:
            assert result.labels is None
            assert result.bound == np.inf
            continue
        n_solved += 1
        optimum = min(cost_of(problem, labels) for labels in fair)
        assert cost_of(problem, result.labels) == pytest.approx(optimum, abs=1e-9)
        assert best.bound + result.bound == pytest.approx(optimum, abs=1e-7)
        cutoff = float(np.median(scan.regret))
        part = open_core(rows, best.prices, fence, scan, cutoff)
        narrow = part.solve(absolute_gap=0.0, target=-np.inf, time_limit=None)
        assert best.bound + min(narrow.bound, cutoff) <= optimum + 1e-7
    assert n_solved >= 4
