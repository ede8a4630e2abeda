"""Whole fits of every kind, checked from their labels in exact fractions.

`MINIREL_FUZZ_FITS` sets how many; with it some fits have a time limit, too, which is then checked. A failure
names its seed and prints code that repeats it.
"""

import os
import time
import warnings
from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning

from fits import Fit, Warm, random_fit
from fits_oracle import check_fit
from instances import Instance, is_feasible
from minirel import InfeasibleFairnessError, KMeansStart, MiniReL
from promptly import promptly

IS_FUZZ = "MINIREL_FUZZ_FITS" in os.environ
N_FITS = int(os.environ.get("MINIREL_FUZZ_FITS", "100"))
N_BLOCKS = 100 if IS_FUZZ else 10


def fitted(fit: Fit) -> MiniReL:
    options: dict[str, Any] = dict(fit.options)
    if isinstance(options["init"], Warm):
        options["init"] = KMeansStart(options["init"].n_init)
    model = MiniReL(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return promptly(
            lambda: model.fit(
                fit.X, sensitive_features=fit.sensitive_features, sample_weight=fit.sample_weight
            )
        )


def check(fit: Fit) -> None:
    start = time.perf_counter()
    try:
        model = fitted(fit)
    except InfeasibleFairnessError as error:
        check_refusal(fit, error)
        return
    if "time_limit" in fit.options:
        limit, took = fit.options["time_limit"], time.perf_counter() - start
        assert took <= max(1.5 * limit, limit + 2), f"took {took:.1f} seconds with time_limit={limit}"
    check_fit(fit, model)


def check_refusal(fit: Fit, error: InfeasibleFairnessError) -> None:
    """Nobody knows labels that keep the request; the nearest one, where there is one, can be met."""
    assert fit.witness is None, f"called infeasible, but {fit.witness.tolist()} keeps it all: {error}"
    if not fit.can_be_tried:
        return
    asked = fit.assignment(prefix=fit.required)
    assert not is_feasible(asked), f"called infeasible, but is not: {error}"
    if error.nearest:
        nearest = Instance(asked.costs, asked.sensitive_features, {**asked.options, **error.nearest})
        assert is_feasible(nearest), f"the nearest request, {error.nearest}, cannot be met: {error}"


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_fits(block: int) -> None:
    failures = []
    for seed in range(block * N_FITS // N_BLOCKS, (block + 1) * N_FITS // N_BLOCKS):
        fit = random_fit(seed, timed=IS_FUZZ)
        try:
            check(fit)
        except Exception as error:
            error.add_note(f"seed {seed}:\n{fit!r}")
            failures.append(error)
    if failures:
        raise ExceptionGroup("fits failed", failures)


def test_fits_are_worth_checking() -> None:
    """Half have weights, half few enough labels to try them all, and most are known to be possible."""
    fits = [random_fit(seed) for seed in range(400)]
    assert 160 < sum(fit.sample_weight is not None for fit in fits) < 240
    assert sum(fit.can_be_tried for fit in fits) > 160
    assert 280 < sum(fit.witness is not None for fit in fits) < 360
    for fit in fits:
        if fit.witness is not None and fit.can_be_tried:
            assert is_feasible(fit.assignment(prefix=fit.required))
