"""Prices that maximise the Lagrangian bound: Newton's method on the smoothed dual.

At fixed prices the problem separates into points, each going where its priced cost is least. The sum of these
minima is a lower bound: the dual function, concave and piecewise linear in the prices. Its kinks are where
points are indifferent. So the minimum is replaced by a soft minimum at some *temperature*, which is lowered
step by step; each smooth problem takes a few Newton steps from the solution of the one before. Two facts keep
this cheap:

- The best prices of a sample stratified by first and second choice are nearly those of all points.
- A point whose regret exceeds the change of offsets since the last scan keeps its cluster. So after one scan
of
  all points only those of least regret, the working set, take part in the steps.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from minirel.assignment.costs import BLOCK
from minirel.assignment.newton_step import has_time_for_step, newton_step
from minirel.assignment.problem import Problem
from minirel.assignment.rows import Rows, promised_rows
from minirel.assignment.scan import Scan, Scanner
from minirel.assignment.working_set import ReferenceScan, Vector, WorkingSet, typical_regret
from minirel.promises.fairness import Prefix
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline

Outcome = Literal["converged", "cutoff", "at radius", "slow", "late"]
# Where the best prices may be far from those at hand, those of a sample are close.
Sampling = Literal["first", "when far", "never"]

# The spacing of doubles at 1. The rounding error of a sum is at most so much of it for each of its terms.
_EPSILON = 2.0**-52
_MAX_ATTEMPTS = 40
_RESAMPLE_FROM = 200_000  # points
_COOLING = 5.0  # the factor by which the temperature is lowered
_MAX_REGRET = 40.0  # in temperatures: points of more regret have no share in a second cluster
_MAX_CHANGE = 8.0  # in temperatures: how far offsets may change in one Newton step
_MAX_STEPS = 15
_MAX_HALVINGS = 10
_MIN_DAMPING = 1e-9
_GRID = 1 / 256  # in temperatures
# The share of the working set's radius that steps may use. The soft minimum of points that are left out is
# taken to be the plain one, which is true only well within the radius.
_USABLE_RADIUS = 0.8


@dataclass(frozen=True, eq=False)
class DualPoint:
    """Prices, the bound they prove, and a scan of all points at these or at nearby prices."""

    prices: Vector
    bound: float
    reference: ReferenceScan


class TemperatureRange(NamedTuple):
    """The temperatures that suit a problem.

    At the highest, the typical point has a share in two clusters; at the lowest, only a few points of each
    row.
    """

    highest: float
    lowest: float


def evaluate(rows: Rows, scanner: Scanner, prices: Vector) -> DualPoint:
    """Scan all points at these prices."""
    reference = ReferenceScan(scanner, rows.offsets(prices, scanner.costs.shape[1]))
    return DualPoint(prices, reference.scan.value + float(prices @ rows.rhs), reference)


def temperature_range(scan: Scan) -> TemperatureRange:
    """The temperatures for a problem, from any scan of it."""
    typical = typical_regret(scan)
    return TemperatureRange(typical, 20 * typical / len(scan.regret))


def optimise(
    rows: Rows,
    start: DualPoint,
    temperatures: TemperatureRange,
    deadline: Deadline,
    *,
    sampling: Sampling,
    cutoff: float = np.inf,
) -> DualPoint:
    """Prices that (nearly) maximise the bound, or raise it above `cutoff`, from those of `start`.

    `sampling` says when the best prices of a sample are found in between: "first", before a larger working
    set ("when far"), or "never".
    """
    best, scanner = start, start.reference.scanner
    if best.bound > cutoff or is_optimal(rows, best):
        return best
    if sampling == "first":
        best = _from_sample(rows, best, temperatures, deadline)
        # A second sample, stratified by the choices at good prices, is better. With many points it saves
        # large working sets.
        if scanner.costs.shape[0] >= _RESAMPLE_FROM:
            best = _from_sample(rows, best, temperatures, deadline, first_step=2)
    for attempt in range(_MAX_ATTEMPTS):
        width = attempt // 2
        if deadline.passed() or best.bound > cutoff or is_optimal(rows, best):
            break
        if attempt == 2 and sampling == "when far":
            best = _from_sample(rows, best, temperatures, deadline)
        working_set = best.reference.working_set(width)
        prices, hit_radius = anneal(working_set, rows, best.prices, temperatures, deadline, cutoff)
        if hit_radius or width:  # callers expect the prices within the radius of the smallest working set
            trial = evaluate(rows, scanner, prices)
        else:
            scan = working_set.scan(rows.offsets(prices, scanner.costs.shape[1]))
            trial = DualPoint(prices, scan.value + float(prices @ rows.rhs), best.reference)
        best = trial if trial.bound > best.bound else best
        if not hit_radius:
            break
    return best


def _from_sample(
    rows: Rows,
    start: DualPoint,
    temperatures: TemperatureRange,
    deadline: Deadline,
    first_step: int = 0,
) -> DualPoint:
    """The best prices of a sample, from those of `start`; itself if they do not raise the bound."""
    sample, prices, scanner = start.reference.sample(), start.prices, start.reference.scanner
    for step in range(first_step, 5):
        temperature = temperatures.highest / 4.0**step
        prices, _ = newton(sample, rows, prices, temperature, 1e-4 * scanner.total, deadline)
    prices = _rounded(prices, temperatures.lowest)
    if np.array_equal(prices, start.prices):
        return start
    trial = evaluate(rows, scanner, prices)
    return trial if trial.bound > start.bound else start


def anneal(
    working_set: WorkingSet,
    rows: Rows,
    prices: Vector,
    temperatures: TemperatureRange,
    deadline: Deadline,
    cutoff: float = np.inf,
) -> tuple[Vector, bool]:
    """Maximise the dual down to the lowest temperature; also return whether the radius stopped it.

    From prices near the best, a low temperature will do. If that does not converge, there are no points
    between here and there whose shares would show the way, and the temperature is raised first.
    """
    tolerance = 1e-2 if working_set.units is None else 1e-2 * float(working_set.units.mean())
    highest = max(temperatures.lowest, min(temperatures.highest, working_set.radius / _MAX_REGRET))
    temperature = min(25 * temperatures.lowest, highest)
    while True:
        trial, outcome = newton(working_set, rows, prices, temperature, tolerance, deadline, cutoff)
        if outcome in ("converged", "cutoff", "late") or temperature >= highest:
            break
        temperature *= _COOLING
    while outcome in ("converged", "slow") and temperature > temperatures.lowest:
        temperature = max(temperature / _COOLING, temperatures.lowest)
        # The lower the temperature, the fewer points have shares in two clusters.
        inner = working_set.narrowed(
            rows.offsets(trial, working_set.costs.shape[1]), _MAX_REGRET * temperature
        )
        trial, outcome = newton(inner, rows, trial, temperature, tolerance, deadline, cutoff)
        if outcome == "at radius" and inner is not working_set:
            trial, outcome = newton(working_set, rows, trial, temperature, tolerance, deadline, cutoff)
    return _rounded(trial, temperatures.lowest), outcome == "at radius"


def _rounded(prices: Vector, temperature: float) -> Vector:
    """Prices on a grid far finer than the temperature.

    Their last digits differ from one processor to the next. Where points are indifferent, as they often are,
    such digits would decide.
    """
    grid = 2.0 ** np.floor(np.log2(_GRID * temperature))
    return np.asarray(np.rint(prices / grid) * grid)


def newton(
    working_set: WorkingSet,
    rows: Rows,
    prices: Vector,
    temperature: float,
    tolerance: float,
    deadline: Deadline,
    cutoff: float = np.inf,
) -> tuple[Vector, Outcome]:
    """Maximise the smoothed dual over prices >= 0 by projected Newton steps.

    Ends when the gradient adds up to `tolerance` or less ("converged"), when the value exceeds `cutoff`
    ("cutoff"), when the next step would leave the radius of the working set ("at radius"), after too many
    steps ("slow"), or at the deadline ("late"). Any prices prove a bound.
    """
    if deadline.passed():
        return prices, "late"
    n_clusters = working_set.costs.shape[1]
    reserve = (1 - _USABLE_RADIUS) * working_set.radius if np.isfinite(working_set.radius) else 0.0
    hit_radius = False
    damping = _MIN_DAMPING
    value, gradient, hessian = working_set.smoothed_dual(rows, prices, temperature)
    for _ in range(_MAX_STEPS):
        if np.abs(gradient[(prices > 0) | (gradient > 0)]).sum() <= tolerance:
            return prices, "converged"
        if value > cutoff:
            return prices, "cutoff"
        if not has_time_for_step(len(rows), deadline):
            return prices, "late"
        step = newton_step(prices, gradient, hessian, damping, deadline)
        # The quadratic model is good for a few temperatures; where the dual is nearly linear, a whole step
        # would go far beyond that.
        now = rows.offsets(prices, n_clusters)
        change = float(np.ptp(rows.offsets(prices + step, n_clusters) - now, axis=1).max())
        first = min(1.0, _MAX_CHANGE * temperature / change) if change > 0 else 1.0
        length, found = first, False
        for _ in range(_MAX_HALVINGS):
            if deadline.passed():
                return prices, "late"
            trial = prices + length * step
            if working_set.margin(rows.offsets(trial, n_clusters)) < reserve:
                hit_radius = True
            else:
                new_value, new_gradient, new_hessian = working_set.smoothed_dual(rows, trial, temperature)
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
        damping = max(damping / 100, _MIN_DAMPING) if length == first else damping * 10
        prices, value, gradient, hessian = trial, new_value, new_gradient, new_hessian
        if hit_radius:
            break
    return prices, "at radius" if hit_radius else "slow"


def is_optimal(rows: Rows, point: DualPoint) -> bool:
    """Whether the labels of the scan are feasible and complementary: no row has both a slack and a price."""
    if not np.array_equal(
        rows.offsets(point.prices, point.reference.offsets.shape[1]), point.reference.offsets
    ):
        return False
    slack = rows.slack(point.reference.scan.counts)
    return bool(((slack >= 0) & ((slack == 0) | (point.prices == 0))).all())


def rounding_error(rows: Rows, point: DualPoint) -> float:
    """The most that rounding may have added to the bound of a point, computed over a working set."""
    scan = point.reference.scan
    here = rows.offsets(point.prices, point.reference.offsets.shape[1])
    terms = sum(float((np.abs(offsets) * scan.counts).sum()) for offsets in (here, point.reference.offsets))
    n_terms = min(len(scan.labels), BLOCK) + 2 * len(rows) + 8
    return _EPSILON * n_terms * (terms + 2 * abs(scan.value) + float(point.prices @ np.abs(rows.rhs)))


def best_prices(problem: Problem, prefix: Prefix, prices: Prices, deadline: Deadline) -> Prices:
    """Prices of (nearly) the best bound, from those of a similar problem."""
    rows = promised_rows(problem, prefix)
    starts = [rows.from_prices(prices), np.zeros(len(rows))]
    start = max((evaluate(rows, Scanner(problem), known) for known in starts), key=lambda d: d.bound)
    best = optimise(rows, start, temperature_range(start.reference.scan), deadline, sampling="when far")
    return rows.as_prices(best.prices, problem.groups.n_groups, problem.n_clusters)
