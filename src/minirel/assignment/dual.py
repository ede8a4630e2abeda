"""The best prices: Newton's method on the smoothed dual, over the points still on the fence.

At fixed prices the problem falls apart, each point going where its priced cost is least; the sum of those
minima is a lower bound, concave in the prices. It has kinks where points are indifferent, so the minimum is
smoothed at a *heat* that is lowered step by step: each smooth problem takes a few Newton steps from the
answer to the last. Two facts keep this cheap:

- The best prices of a sample stratified by first and second choice are nearly those of all the points.
- A point whose regret exceeds the change of offsets since its last scan has not moved, so after one scan of
  everything only the points of least regret, the fence, take part in the steps.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from minirel.assignment.fence import Anchor, Fence, Matrix, Vector, typical_regret
from minirel.assignment.problem import Problem
from minirel.assignment.rows import Rows, promised_rows
from minirel.assignment.scan import Scan, Scanner
from minirel.promises.fairness import Prefix
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline

Outcome = Literal["converged", "enough", "at edge", "slow"]

# Two last digits of a double; a sum is off by as many of them as it has terms, in blocks of so many points.
_DIGITS, _BLOCK = 2.0**-52, 8_192
_MAX_ATTEMPTS = 40
_RESAMPLE_FROM = 200_000  # points
_COOLING = 5.0
_REACH = 40.0  # in heats: how far a point's regret may be for it to matter
_STRIDE = 8.0  # in heats: how far offsets may change in a step
_MAX_STEPS = 15
_HALVINGS = 10
_LEAST_DAMPING = 1e-9
# Of the fence's radius, what prices may use; the rest keeps the smoothed minimum of those outside exact.
_TRUST = 0.8


@dataclass(frozen=True, eq=False)
class Dual:
    """Prices, the bound they prove, and a scan of all points at these or at prices close by."""

    prices: Vector
    bound: float
    anchor: Anchor


class Heat(NamedTuple):
    """The range of heats that suits a problem.

    At the warmest, the typical point is torn between two clusters; at the coldest, a few points of each row.
    """

    warmest: float
    coldest: float


def evaluate(rows: Rows, scanner: Scanner, prices: Vector) -> Dual:
    """Scan all points at these prices."""
    anchor = Anchor(scanner, rows.offsets(prices, scanner.costs.shape[1]))
    return Dual(prices, anchor.scan.value + float(prices @ rows.floor), anchor)


def heat_of(scan: Scan) -> Heat:
    """The range of heats for a problem, from any scan of it."""
    typical = typical_regret(scan)
    return Heat(typical, 20 * typical / len(scan.regret))


def optimise(
    rows: Rows, start: Dual, heat: Heat, deadline: Deadline, *, far: bool, enough: float = np.inf
) -> Dual:
    """Prices that (nearly) maximise the bound, or raise it above `enough`, from those of `start`.

    If the best prices may be `far` from there, a sample leads the way.
    """
    best, scanner = start, start.anchor.scanner
    if best.bound > enough or is_optimal(rows, best):
        return best
    # A sample drawn by the choices at good prices is a better one; with many points it saves wide fences.
    again = (2,) if scanner.costs.shape[0] >= _RESAMPLE_FROM else ()
    for first in (0, *again) if far else ():
        sample, prices = best.anchor.sample(), best.prices
        for step in range(first, 5):
            prices, _ = newton(sample, rows, prices, heat.warmest / 4.0**step, 1e-4 * scanner.total)
        if np.array_equal(prices, best.prices):
            break
        trial = evaluate(rows, scanner, prices)
        best = trial if trial.bound > best.bound else best
    for attempt in range(_MAX_ATTEMPTS):
        width = attempt // 2
        if deadline.passed() or best.bound > enough or is_optimal(rows, best):
            break
        fence = best.anchor.fence(width)
        prices, at_edge = anneal(fence, rows, best.prices, heat, enough)
        if at_edge or width:  # whoever goes on from here expects the narrowest fence to hold the prices
            trial = evaluate(rows, scanner, prices)
        else:
            scan = fence.scan(rows.offsets(prices, scanner.costs.shape[1]))
            trial = Dual(prices, scan.value + float(prices @ rows.floor), best.anchor)
        best = trial if trial.bound > best.bound else best
        if not at_edge:
            break
    return best


def anneal(
    fence: Fence, rows: Rows, prices: Vector, heat: Heat, enough: float = np.inf
) -> tuple[Vector, bool]:
    """Maximise the dual over the fence down to the coldest heat, and say if the fence was too narrow.

    Prices near the best are found at little heat. Where that fails, the way there leads over stretches
    without points, which only more heat can see across.
    """
    tolerance = 1e-2 if fence.units is None else 1e-2 * float(fence.units.mean())
    warmest = max(heat.coldest, min(heat.warmest, fence.radius / _REACH))
    warm = min(25 * heat.coldest, warmest)
    while True:
        trial, outcome = newton(fence, rows, prices, warm, tolerance, enough)
        if outcome in ("converged", "enough") or warm >= warmest:
            break
        warm *= _COOLING
    while outcome in ("converged", "slow") and warm > heat.coldest:
        warm = max(warm / _COOLING, heat.coldest)
        # The colder, the fewer points feel it.
        inner = fence.narrowed(rows.offsets(trial, fence.costs.shape[1]), _REACH * warm)
        trial, outcome = newton(inner, rows, trial, warm, tolerance, enough)
        if outcome == "at edge" and inner is not fence:
            trial, outcome = newton(fence, rows, trial, warm, tolerance, enough)
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
        # The model bends within a few heats: where nothing curves, a whole step would leave it far behind.
        now = rows.offsets(prices, n_clusters)
        change = float(np.ptp(rows.offsets(prices + step, n_clusters) - now, axis=1).max())
        first = min(1.0, _STRIDE * heat / change) if change > 0 else 1.0
        length, found = first, False
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
        damping = max(damping / 100, _LEAST_DAMPING) if length == first else damping * 10
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
    try:
        best, _ = nnls(factor.T, right)
    except RuntimeError:  # too many changes of which prices are zero: any way up will do
        best = np.maximum(prices + gradient / (scale * np.diag(damped)), 0.0)
    return np.asarray(best - prices)


def is_optimal(rows: Rows, dual: Dual) -> bool:
    """Whether the labels of the scan keep every promise, with no slack that has a price."""
    if not np.array_equal(rows.offsets(dual.prices, dual.anchor.offsets.shape[1]), dual.anchor.offsets):
        return False
    slack = rows.slack(dual.anchor.scan.counts)
    return bool(((slack >= 0) & ((slack == 0) | (dual.prices == 0))).all())


def doubt(rows: Rows, best: Dual) -> float:
    """What rounding may have added to a bound from prices, by way of a fence around their anchor."""
    scan = best.anchor.scan
    here = rows.offsets(best.prices, best.anchor.offsets.shape[1])
    terms = sum(float((np.abs(offsets) * scan.counts).sum()) for offsets in (here, best.anchor.offsets))
    n_terms = min(len(scan.labels), _BLOCK) + 2 * len(rows) + 8
    return _DIGITS * n_terms * (terms + 2 * abs(scan.value) + float(best.prices @ np.abs(rows.floor)))


def best_prices(problem: Problem, prefix: Prefix, prices: Prices, deadline: Deadline) -> Prices:
    """Prices that prove about as much as prices can, from those of a similar problem."""
    rows = promised_rows(problem, prefix)
    starts = [rows.from_prices(prices), np.zeros(len(rows))]
    start = max((evaluate(rows, Scanner(problem), known) for known in starts), key=lambda d: d.bound)
    best = optimise(rows, start, heat_of(start.anchor.scan), deadline, far=False)
    return rows.as_prices(best.prices, problem.groups.n_groups, problem.n_clusters)
