"""The scan: NumPy and compiled code agree to the last tie, and with a plain loop over points."""

import math
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from minirel.assignment import scan
from minirel.assignment.problem import Problem
from minirel.assignment.scan import Scan, Scanner
from minirel.points import workers
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.points.workers import Workers
from minirel.promises.fairness import read_fairness

BLOCK = 8_192  # rows of a block of the compiled scan


def make_problem(costs: NDArray[np.floating], membership: NDArray[np.bool_], weights=None) -> Problem:
    groups = read_groups(membership)
    units = read_weights(weights, len(costs))
    fairness = read_fairness(groups, units, costs.shape[1], alpha=0.5, beta=0)
    return Problem(costs, groups, units, fairness, ())


def random_problem(
    seed: int, n: int, n_clusters: int, *, kind: str = "continuous", weighted: bool = False
) -> tuple[Problem, NDArray[np.float64]]:
    """A problem and offsets for it."""
    rng = np.random.default_rng(seed)
    costs = rng.exponential(size=(n, n_clusters))
    if kind == "duplicates":
        costs = costs[rng.integers(0, max(1, n // 8), size=n)]
    elif kind == "ties":
        costs = rng.integers(0, 3, size=(n, n_clusters)).astype(float)
    elif kind == "float32":
        costs = costs.astype(np.float32)
    elif kind == "negative":
        costs = -1e6 * costs
    weights = rng.integers(0, 6, size=n) + np.arange(n) % 2 if weighted else None
    problem = make_problem(costs, rng.random((n, 2)) < 0.4, weights)
    offsets = rng.normal(size=(problem.groups.n_signatures, n_clusters))
    if kind == "ties":
        offsets = np.rint(offsets)
    return problem, offsets


def scan_both(problem: Problem, offsets: NDArray[np.float64]) -> list[Scan]:
    """What NumPy and the compiled code say."""
    scans = []
    for compile_from in (math.inf, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scan, "COMPILE_FROM", compile_from)
            scans.append(Scanner(problem)(offsets))
    return scans


def assert_same(left: Scan, right: Scan) -> None:
    assert left.value == pytest.approx(right.value, rel=1e-12)
    np.testing.assert_array_equal(left.labels, right.labels)
    np.testing.assert_array_equal(left.second, right.second)
    np.testing.assert_array_equal(left.regret, right.regret)
    np.testing.assert_array_equal(left.counts, right.counts)


def scan_by_hand(problem: Problem, offsets: NDArray[np.float64]) -> Scan:
    """One point at a time; of equal costs, the first cluster."""
    labels, second, regret, value = [], [], [], 0.0
    counts = np.zeros_like(offsets, dtype=np.int64)
    units = problem.weights.units
    for i, row in enumerate(problem.costs):
        s = problem.groups.signature[i]
        priced = [float(cost) + float(offset) for cost, offset in zip(row, offsets[s], strict=True)]
        first, *others = sorted(range(len(priced)), key=priced.__getitem__)
        unit = 1 if units is None else int(units[i])
        labels.append(first)
        second.append(others[0] if others else 0)
        regret.append(priced[others[0]] - priced[first] if others else np.inf)
        counts[s, first] += unit
        value += unit * priced[first]
    return Scan(value, np.array(labels), np.array(second), np.array(regret), counts)


@pytest.mark.parametrize("weighted", [False, True], ids=["counted", "weighted"])
@pytest.mark.parametrize("n_clusters", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", ["continuous", "ties", "duplicates", "float32", "negative"])
def test_both_scans_agree_with_a_loop(kind: str, n_clusters: int, weighted: bool) -> None:
    for seed, n in enumerate([15 if weighted else n_clusters, 50, 333]):
        problem, offsets = random_problem(seed, n, n_clusters, kind=kind, weighted=weighted)
        by_hand = scan_by_hand(problem, offsets)
        plain, compiled = scan_both(problem, offsets)
        assert_same(plain, by_hand)
        assert_same(compiled, by_hand)


def test_all_equal_costs_go_to_the_first_cluster() -> None:
    problem = make_problem(np.zeros((10, 4)), np.ones((10, 1), dtype=bool))
    for found in scan_both(problem, np.zeros((1, 4))):
        assert found.labels.tolist() == [0] * 10
        assert found.second.tolist() == [1] * 10
        assert found.regret.tolist() == [0.0] * 10
        assert found.counts.tolist() == [[10, 0, 0, 0]]


@pytest.mark.parametrize("n", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 5])
@pytest.mark.parametrize("weighted", [False, True], ids=["counted", "weighted"])
def test_blocks_leave_no_seam(n: int, weighted: bool) -> None:
    problem, offsets = random_problem(n, n, 3, kind="ties", weighted=weighted)
    plain, compiled = scan_both(problem, offsets)
    assert_same(plain, compiled)
    assert compiled.counts.sum() == problem.weights.total(n)


def test_small_problems_do_not_wait_for_the_compiler() -> None:
    script = (
        "import sys, minirel\n"
        "minirel.fair_assignment([[0, 1], [1, 3], [2, 9]], ['a', 'b', 'a'], alpha=0.5, beta=1)\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_value_is_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit: the same labels must come out on every machine."""
    monkeypatch.setattr(workers, "_THREADS_FROM", 0)
    problem, offsets = random_problem(0, 100_000, 3)
    assert problem.costs.size >= scan.COMPILE_FROM
    alone = Scanner(problem)(offsets)
    for n_jobs in (2, 5):
        with Workers(n_jobs) as pool:
            scanner = Scanner(replace(problem, workers=pool))
            together = scanner(offsets)
            at_work = scanner.over_blocks(lambda _: threading.current_thread().name, problem.n_points)
        assert together.value == alone.value
        assert_same(together, alone)
        assert all(name.startswith("minirel") for name in at_work)


def test_scan_counts_its_scans_and_keeps_its_input() -> None:
    problem, offsets = random_problem(0, 40, 3)
    costs, given = problem.costs.copy(), offsets.copy()
    scanner = Scanner(problem)
    first, second = scanner(offsets), scanner(offsets)
    assert scanner.n_scans == 2
    assert_same(first, second)
    np.testing.assert_array_equal(problem.costs, costs)
    np.testing.assert_array_equal(offsets, given)
