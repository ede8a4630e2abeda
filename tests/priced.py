"""Small problems at their best prices."""

from dataclasses import dataclass

import numpy as np

from minirel.assignment import dual
from minirel.assignment.problem import Problem
from minirel.assignment.rows import Rows, promised_rows
from minirel.assignment.scan import Scan, Scanner
from minirel.assignment.working_set import WorkingSet
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.solvers.limits import Deadline

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


@dataclass(frozen=True)
class Priced:
    """A problem at its best prices: what repair and core start from."""

    problem: Problem
    rows: Rows
    best: dual.DualPoint
    temperatures: dual.TemperatureRange
    working_set: WorkingSet
    scan: Scan

    def is_fair(self, labels: np.ndarray) -> bool:
        return bool((self.rows.slack(counts_of(self.problem, labels)) >= 0).all())

    def cost(self, labels: np.ndarray) -> float:
        units = 1 if self.problem.weights.units is None else self.problem.weights.units
        return float((self.problem.costs[np.arange(len(labels)), labels] * units).sum())


def priced(seed: int, n: int, kind: str) -> Priced:
    problem = problem_of(seed, n, kind)
    rows = promised_rows(problem, PREFIX)
    start = dual.evaluate(rows, Scanner(problem), np.zeros(len(rows)))
    temperatures = dual.temperature_range(start.reference.scan)
    best = dual.optimise(rows, start, temperatures, Deadline(None), sampling="first")
    working_set = best.reference.working_set()
    return Priced(
        problem, rows, best, temperatures, working_set, working_set.scan(rows.offsets(best.prices, 3))
    )
