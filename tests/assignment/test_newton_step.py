"""Steps with many rows against those with few."""

import numpy as np

from minirel.assignment import newton_step
from minirel.solvers.limits import NO_DEADLINE, Deadline


def test_many_rows_have_the_same_step() -> None:
    """Pivots and nonnegative least squares have the same solution, from whatever guess."""
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 30, 100, 100, 100):
        factor = rng.normal(size=(n, n)) * rng.exponential(size=n)
        hessian = factor @ factor.T / n + 1e-3 * np.eye(n)
        linear = rng.normal(size=n)
        expected = newton_step._by_least_squares(np.linalg.cholesky(hessian), linear)
        for guess in (np.zeros(n, bool), np.ones(n, bool), rng.random(n) < 0.5):
            found = newton_step._by_pivots(hessian, linear, guess, NO_DEADLINE)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
        assert newton_step._by_pivots(hessian, linear, guess, Deadline(0.0)) is None


def test_no_step_begins_that_would_end_long_after_the_deadline() -> None:
    assert newton_step.has_time_for_step(100_000, NO_DEADLINE)
    assert newton_step.has_time_for_step(100, Deadline(1.0))
    assert not newton_step.has_time_for_step(100_000, Deadline(1.0))
    assert not newton_step.has_time_for_step(1, Deadline(0.0))
