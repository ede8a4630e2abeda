"""The contract of every solver in the table, on programs small enough to check by hand or by enumeration."""

import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from minirel.solvers import MIP_SOLVERS, LinearModel, Solution, by_scipy, highs

# HiGHS comes from highspy or from SciPy: both are held to the contract, wherever the table takes it from.
SOLVERS = {**MIP_SOLVERS, "highs by SciPy": by_scipy.solve}
every_solver = pytest.mark.parametrize("name", SOLVERS)
takes_a_start = pytest.mark.parametrize("name", MIP_SOLVERS if highs.uses_highspy() else ["gurobi"])


def build(
    cost: ArrayLike,
    matrix: ArrayLike,
    row_lower: ArrayLike,
    row_upper: ArrayLike,
    *,
    integer: bool,
    lower: float = 0.0,
    upper: float = 1.0,
) -> LinearModel:
    cost = np.asarray(cost, dtype=float)
    return LinearModel(
        cost,
        np.full(cost.size, lower),
        np.full(cost.size, upper),
        np.full(cost.size, integer),
        csr_array(np.asarray(matrix, dtype=float).reshape(-1, cost.size)),
        np.asarray(row_lower, dtype=float),
        np.asarray(row_upper, dtype=float),
    )


def random_binary(seed: int) -> LinearModel:
    """Ten binaries under a floor, a ceiling, a row with two sides and one with none."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-5, 10, size=(4, 10))
    return build(
        rng.normal(size=10),
        matrix,
        [7, -math.inf, 3, -math.inf],
        [math.inf, 15, 20, math.inf],
        integer=True,
    )


def market_split(seed: int, *, with_slack: bool) -> LinearModel:
    """Forty binaries that must hit five totals at once: easy to write, out of reach in a second."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 100, size=(5, 40))
    half = weights.sum(axis=1) // 2
    if not with_slack:
        return build(np.zeros(40), weights, half, half, integer=True)
    model = build(
        np.r_[np.zeros(40), np.ones(10)],
        np.hstack([weights, np.eye(5), -np.eye(5)]),
        half,
        half,
        integer=True,
    )
    upper = np.r_[np.ones(40), np.full(10, 1e4)]
    integer = np.r_[np.ones(40, dtype=bool), np.zeros(10, dtype=bool)]
    return LinearModel(
        model.cost, model.lower, upper, integer, model.matrix, model.row_lower, model.row_upper
    )


def violation(model: LinearModel, x: NDArray[np.float64]) -> float:
    rows = model.matrix @ x
    return max(
        np.max(model.row_lower - rows, initial=0),
        np.max(rows - model.row_upper, initial=0),
        np.max(model.lower - x),
        np.max(x - model.upper),
        np.max(np.abs(x - np.rint(x))[model.integer], initial=0),
    )


def best_by_enumeration(model: LinearModel) -> float:
    points = np.array(list(itertools.product((0, 1), repeat=model.cost.size)))
    rows = points @ model.matrix.T.toarray()
    feasible = ((rows >= model.row_lower) & (rows <= model.row_upper)).all(axis=1)
    return float(np.min(points[feasible] @ model.cost, initial=math.inf))


@every_solver
@pytest.mark.parametrize("seed", range(20))
def test_integer_program_equals_enumeration(name: str, seed: int) -> None:
    model = random_binary(seed)
    best = best_by_enumeration(model)
    solution = SOLVERS[name](model)
    if best == math.inf:
        assert solution.outcome == "infeasible"
        return
    assert solution.outcome == "optimal"
    assert solution.x is not None
    assert violation(model, solution.x) <= 1e-9
    assert solution.objective == pytest.approx(best, abs=1e-9)
    assert solution.objective == pytest.approx(float(model.cost @ solution.x), abs=1e-9)
    assert solution.bound == pytest.approx(best, abs=1e-9)


@every_solver
def test_linear_program_by_hand(name: str) -> None:
    # Diet: x + y >= 4, x <= 3 as a row, 1 <= y <= 5 as a row; cost x + 2y. Optimum (3, 1).
    model = build(
        [1, 2], [[1, 1], [1, 0], [0, 1]], [4, -math.inf, 0.5], [math.inf, 3, 5], integer=False, upper=math.inf
    )
    solution = SOLVERS[name](model)
    assert solution.outcome == "optimal"
    assert solution.x == pytest.approx([3, 1])
    assert solution.objective == solution.bound == pytest.approx(5)


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "gurobi"])
@pytest.mark.parametrize("cost", [math.nan, math.inf, -math.inf])
def test_costs_that_are_no_numbers_do_not_end_the_process(name: str, cost: float) -> None:
    with pytest.raises(RuntimeError, match=f"1 of 2 costs .* the first is {cost}"):
        SOLVERS[name](build([1, cost], [[1, 1]], [1], [math.inf], integer=False, upper=1.0))


@every_solver
@pytest.mark.parametrize("integer", [False, True])
@pytest.mark.parametrize("upper", [1.0, math.inf])
def test_infeasible_has_no_point_and_an_infinite_bound(name: str, integer: bool, upper: float) -> None:
    # The last column is free to run away as far as the rows go: infeasible all the same.
    model = build([1, 1, 0], [[1, 1, 0], [1, 1, 0]], [2, 0], [math.inf, 1], integer=integer, upper=upper)
    solution = SOLVERS[name](model)
    assert solution.outcome == "infeasible"
    assert solution.x is None
    assert solution.objective == solution.bound == math.inf


@every_solver
def test_no_rows(name: str) -> None:
    model = build([1, -1], np.zeros((0, 2)), [], [], integer=True)
    solution = SOLVERS[name](model)
    assert solution.x == pytest.approx([0, 1])


@every_solver
def test_time_limit_without_a_point_is_not_a_solution(name: str) -> None:
    solution = SOLVERS[name](market_split(0, with_slack=False), time_limit=0.3)
    assert solution.outcome == "limit"
    assert solution.x is None
    assert solution.objective == math.inf
    assert solution.bound <= 0


@every_solver
def test_time_limit_with_a_point_keeps_cost_and_bound_apart(name: str) -> None:
    model = market_split(0, with_slack=True)
    solution = SOLVERS[name](model, time_limit=0.5)
    assert solution.outcome == "limit"
    assert solution.x is not None
    assert violation(model, solution.x) <= 1e-6
    assert solution.bound < solution.objective


@every_solver
def test_nodes_end_the_search_whatever_the_clock_says(name: str) -> None:
    model = market_split(0, with_slack=True)
    first, again = (SOLVERS[name](model, node_limit=50) for _ in range(2))
    assert first.outcome == "limit"
    assert (first.objective, first.bound) == (again.objective, again.bound)
    assert first.bound < first.objective


@takes_a_start
def test_start_is_taken(name: str) -> None:
    # With the totals made to fit a hidden point, the start is optimal and nothing else is found in time.
    model = market_split(0, with_slack=False)
    hidden = np.random.default_rng(1).integers(0, 2, size=40).astype(float)
    totals = model.matrix @ hidden
    fitted = LinearModel(model.cost, model.lower, model.upper, model.integer, model.matrix, totals, totals)
    assert SOLVERS[name](fitted, time_limit=0.3).x is None
    solution = SOLVERS[name](fitted, time_limit=0.3, start=hidden)
    assert solution.outcome == "optimal"
    assert solution.x == pytest.approx(hidden)


@takes_a_start
def test_start_that_breaks_rows_does_no_harm(name: str) -> None:
    model = random_binary(0)
    solution = SOLVERS[name](model, start=np.ones(10))
    assert solution.objective == pytest.approx(best_by_enumeration(model), abs=1e-9)


@takes_a_start
@pytest.mark.parametrize("gap", ["absolute_gap", "relative_gap"])
def test_either_gap_ends_the_search(name: str, gap: str) -> None:
    model = market_split(2, with_slack=True)
    first = SOLVERS[name](model, node_limit=1)
    assert first.outcome == "limit"
    assert first.x is not None
    # A gap that a start already keeps ends at once, and is called optimal within the gap.
    width = first.objective - first.bound
    allowed = {gap: 1.01 * (width if gap == "absolute_gap" else width / abs(first.objective))}
    second = SOLVERS[name](model, time_limit=5, start=first.x, **allowed)
    assert second.outcome == "optimal"
    assert second.objective - second.bound <= 1.01 * width


@every_solver
def test_quiet_and_the_same_every_time(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    load = rng.integers(1, 100, size=(5, 40))
    model = build(
        -rng.integers(1, 100, size=40), load, np.full(5, -math.inf), load.sum(axis=1) // 3, integer=True
    )

    def run() -> Solution:
        return SOLVERS[name](model, relative_gap=0.01)

    first, second = run(), run()
    assert first.x is not None
    assert second.x is not None
    np.testing.assert_array_equal(first.x, second.x)
    assert first.bound == second.bound
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


@every_solver
def test_settings_of_one_call_do_not_reach_the_next(name: str) -> None:
    model = random_binary(1)
    best = best_by_enumeration(model)
    SOLVERS[name](model, absolute_gap=1e6, time_limit=1e-3)
    assert SOLVERS[name](model).objective == pytest.approx(best, abs=1e-9)


LICENSED = "GRB_LICENSE_FILE" in os.environ or (Path.home() / "gurobi.lic").exists()


@pytest.mark.skipif(LICENSED, reason="a licence lifts the limit")
@pytest.mark.parametrize(("n", "m"), [(2001, 1), (3, 2001)])
def test_gurobi_says_the_way_out_of_its_size_limit(n: int, m: int) -> None:
    model = build(np.ones(n), np.ones((m, n)), np.ones(m), np.full(m, math.inf), integer=True)
    with pytest.raises(RuntimeError, match=rf"{n:,} variables and {m:,} rows .*2,000.*solver=\"highs\""):
        SOLVERS["gurobi"](model)


def test_gurobi_solves_two_thousand_without_a_licence() -> None:
    model = build(np.ones(2000), np.eye(2000), np.ones(2000), np.full(2000, math.inf), integer=True)
    assert SOLVERS["gurobi"](model).objective == pytest.approx(2000)


def test_gurobi_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gurobipy", None)
    with pytest.raises(ImportError, match=r'pip install "minirel\[gurobi\]"'):
        SOLVERS["gurobi"](random_binary(0))


def test_gurobi_calls_unbounded_an_error() -> None:
    model = build([-1], [[1]], [0], [math.inf], integer=False, upper=math.inf)
    with pytest.raises(RuntimeError, match="status"):
        SOLVERS["gurobi"](model)


def test_an_interrupted_process_ends_well() -> None:
    """It is told of the interrupt, goes on, and exits without a signal of its own."""
    script = (
        "import signal, threading\n"
        "import numpy as np\n"
        "from minirel import fair_assignment\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "random = np.random.default_rng(0)\n"
        "costs, groups = random.random((300, 10)), random.random((300, 6)) < 0.3\n"
        "threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT)).start()\n"
        "try:\n"
        "    fair_assignment(costs, groups, alpha=0.5, beta=4, solver='highs')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, "interrupted\n"), ended.stderr
