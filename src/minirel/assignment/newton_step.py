"""A step of Newton's method over prices that must not be negative."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import nnls

from minirel.assignment.working_set import MANY_ROWS, Matrix, Vector
from minirel.solvers.limits import Deadline

_MAX_PIVOTS = 50
# About what a step takes, per cubed row. No limit is noticed meanwhile, so none begins that would end late.
_SECONDS = 1.5e-11


def has_time_for_step(n_rows: int, deadline: Deadline) -> bool:
    """Whether a step for so many rows will probably be done by the deadline."""
    left = deadline.left()
    return not deadline.passed() and (left is None or left > _SECONDS * n_rows**3)


def newton_step(
    prices: Vector, gradient: Vector, hessian: Matrix, damping: float, deadline: Deadline
) -> Vector:
    """The step to the maximum of the quadratic model over prices >= 0; any ascent step if that fails."""
    # Where hardly any point has shares in two clusters, the Hessian is rounding only: keep the step finite.
    scale = max(float(np.trace(hessian)) / len(prices), 1e-12 * float(np.abs(gradient).max()))
    hessian = hessian / scale
    while True:
        damped = hessian + damping * np.eye(len(prices))
        try:
            factor = np.linalg.cholesky(damped)
            break
        except np.linalg.LinAlgError:
            damping *= 100
    linear = gradient / scale + damped @ prices
    if len(prices) < MANY_ROWS:
        best = _by_least_squares(factor, linear)
    else:
        best = _by_pivots(damped, linear, (prices > 0) | (gradient > 0), deadline)
    if best is None:
        best = np.maximum(prices + gradient / (scale * np.diag(damped)), 0.0)
    return np.asarray(best - prices)


def _by_least_squares(factor: NDArray[np.floating], linear: Vector) -> Vector | None:
    """The least of ``x' H x / 2 - linear' x`` over x >= 0, from a factor F of H = F F'.

    It differs by a constant from half the squared length of F' x - F^-1 linear.
    """
    try:
        return np.asarray(nnls(factor.T, solve_triangular(factor, linear, lower=True))[0])
    except RuntimeError:
        return None


def _by_pivots(hessian: Matrix, linear: Vector, free: NDArray[np.bool_], deadline: Deadline) -> Vector | None:
    """The same by block principal pivoting: from a guess, all variables on the wrong side change it at once.

    Least squares let in one variable after another, which takes minutes with thousands.
    """
    for _ in range(_MAX_PIVOTS):
        if deadline.passed():
            return None
        x = np.zeros(len(linear))
        try:
            x[free] = cho_solve(cho_factor(hessian[np.ix_(free, free)]), linear[free])
        except np.linalg.LinAlgError:
            return None
        excess = hessian @ x - linear
        wrong = np.where(free, x < 0, excess < -1e-12 * np.abs(linear).max())
        if not wrong.any():
            return x
        free = free ^ wrong
    return None
