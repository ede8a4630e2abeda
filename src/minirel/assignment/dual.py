"""The best prices: Newton's method on the smoothed dual, over the points still on the fence.

At fixed prices the problem falls apart, each point going where its priced cost is least; the sum of those
minima is a lower bound, concave in the prices. It has kinks where points are indifferent, so the minimum is
smoothed at a *heat* that is lowered step by step: each smooth problem takes a few Newton steps from the
answer to the last. Two facts keep this cheap:

- The best prices of a sample stratified by first and second choice are nearly those of all the points.
- A point whose regret exceeds the change of offsets since its last scan has not moved, so after one scan of
  everything only the points of least regret, the fence, take part in the steps.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from minirel.assignment.fence import Fence, Matrix, Vector, fence_of, sample_of
from minirel.assignment.problem import Deadline
from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan, Scanner

Outcome = Literal["converged", "enough", "at edge", "slow"]

SMALLEST_FENCE = 3_000
_MAX_SCANS = 30
_COOLING = 5.0
_MAX_STEPS = 15
_HALVINGS = 10
_LEAST_DAMPING = 1e-9
# Of the fence's radius, what prices may use; the rest keeps the smoothed minimum of those outside exact.
_TRUST = 0.8


@dataclass(frozen=True, eq=False)
class Dual:
    """Prices, the scan of all points at them, and the scale of heats that suits the problem."""

    prices: Vector
    offsets: Matrix
    scan: Scan
    bound: float
    spread: float
    coldest: float


def optimise(
    rows: Rows, scanner: Scanner, start: Vector | None, deadline: Deadline, enough: float = np.inf
) -> Dual:
    """Prices that (nearly) maximise the bound, or raise it above `enough`; from `start` if it is known."""
    n, n_clusters = scanner.costs.shape

    def at(prices: Vector) -> Dual:
        offsets = rows.offsets(prices, n_clusters)
        scan = scanner(offsets)
        return Dual(prices, offsets, scan, scan.value + float(prices @ rows.floor), spread, coldest)

    spread = coldest = 0.0
    best = at(np.zeros(len(rows)) if start is None else start)
    spread = _spread(best.scan)
    coldest = spread * 20 / n  # a few points of each row are undecided at this heat
    best = replace(best, spread=spread, coldest=coldest)
    if _is_optimal(rows, best):
        return best
    prices = best.prices
    if start is None:
        sample = sample_of(scanner, best.scan, best.offsets)
        for heat in spread / 4.0 ** np.arange(5):
            prices, _ = newton(sample, rows, prices, heat, 1e-3 * scanner.total)
        trial = at(prices)
        best = trial if trial.bound > best.bound else best

    size = max(SMALLEST_FENCE, n // 20)
    for _ in range(_MAX_SCANS):
        if deadline.passed() or best.bound > enough or _is_optimal(rows, best):
            break
        fence = fence_of(scanner, best.scan, best.offsets, size)
        prices, at_edge = anneal(fence, rows, best.prices, spread, coldest, enough)
        trial = at(prices)
        best = trial if trial.bound > best.bound else best
        if not at_edge:
            break
        size *= 3
    return best


def anneal(
    fence: Fence, rows: Rows, prices: Vector, spread: float, coldest: float, enough: float = np.inf
) -> tuple[Vector, bool]:
    """Maximise the dual over the fence down to the heat `coldest`, and say if the fence was too narrow.

    Prices near the best are found at little heat. Where that fails, the way there leads over stretches
    without points, which only more heat can see across.
    """
    tolerance = 1e-2 if fence.units is None else 1e-2 * float(fence.units.mean())
    heat, warmest = 25 * coldest, min(spread, fence.radius / 20)
    while True:
        trial, outcome = newton(fence, rows, prices, heat, tolerance, enough)
        if outcome in ("converged", "enough") or heat >= warmest:
            break
        heat *= _COOLING
    while outcome in ("converged", "slow") and heat > coldest:
        heat = max(heat / _COOLING, coldest)
        trial, outcome = newton(fence, rows, trial, heat, tolerance, enough)
    return trial, outcome == "at edge"


def newton(
    fence: Fence, rows: Rows, prices: Vector, heat: float, tolerance: float, enough: float = np.inf
) -> tuple[Vector, Outcome]:
    """Maximise the smoothed dual over prices >= 0 by projected Newton steps.

    They end with the broken rows adding up to `tolerance` or less ("converged"), with a value that is
    "enough", where the fence is too narrow for the next step ("at edge"), or after too many ("slow").
    """
    n_clusters = fence.costs.shape[1]
    reserve = (1 - _TRUST) * fence.radius if np.isfinite(fence.radius) else 0.0
    at_edge = False
    damping = _LEAST_DAMPING
    value, gradient, hessian = fence.smooth(rows, prices, heat)
    for _ in range(_MAX_STEPS):
        if np.abs(gradient[(prices > 0) | (gradient > 0)]).sum() <= tolerance:
            return prices, "converged"
        if value > enough:
            return prices, "enough"
        step = _step(prices, gradient, hessian, damping)
        length, found = 1.0, False
        for _ in range(_HALVINGS):
            trial = prices + length * step
            if fence.room(rows.offsets(trial, n_clusters)) < reserve:
                at_edge = True
            else:
                new_value, new_gradient, new_hessian = fence.smooth(rows, trial, heat)
                expected = 1e-4 * length * float(gradient @ step)
                found = new_value >= value + expected - 1e-13 * abs(value)
                if found:
                    break
            length /= 2
        if not found:
            if damping > 1:
                break
            damping = max(damping * 1e3, 1e-4)
            continue
        damping = max(damping / 100, _LEAST_DAMPING) if length == 1.0 else damping * 10
        gain = new_value - value
        prices, value, gradient, hessian = trial, new_value, new_gradient, new_hessian
        if at_edge and gain <= 1e-7 * abs(value):
            break
    return prices, "at edge" if at_edge else "slow"


def _step(prices: Vector, gradient: Vector, hessian: Matrix, damping: float) -> Vector:
    """The way to the maximum of the quadratic model over prices >= 0, by nonnegative least squares.

    With a factor F of the damped Hessian H = F F' the model differs by a constant from half the squared
    length of F' x - F^-1 (gradient + H prices), x being the new prices.
    """
    # Where hardly a point is torn the Hessian is rounding only; a step then shall still be finite.
    scale = max(float(np.trace(hessian)) / len(prices), 1e-12 * float(np.abs(gradient).max()))
    hessian = hessian / scale
    while True:
        damped = hessian + damping * np.eye(len(prices))
        try:
            factor = np.linalg.cholesky(damped)
            break
        except np.linalg.LinAlgError:
            damping *= 100
    right = solve_triangular(factor, gradient / scale + damped @ prices, lower=True)
    best, _ = nnls(factor.T, right)
    return np.asarray(best - prices)


def _is_optimal(rows: Rows, dual: Dual) -> bool:
    """Whether the scan's own labels keep every promise, with no slack that has a price."""
    slack = rows.slack(dual.scan.counts)
    return bool(((slack >= 0) & ((slack == 0) | (dual.prices == 0))).all())


def _spread(scan: Scan) -> float:
    """The scale of the differences between costs."""
    differing = scan.regret[np.isfinite(scan.regret) & (scan.regret > 0)]
    return float(np.median(differing)) if len(differing) else 1.0
