"""Whole fits of every kind, checked from their labels in exact fractions.

`MINIREL_FUZZ_FITS` sets how many; with it some fits have a time limit, too, which is then checked. A failure
names its seed and prints code that repeats it.
"""

import copy
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fits import Fit, Warm, random_fit
from fits_oracle import Checked, check_fit
from instances import is_feasible
from minirel import InfeasibleFairnessError, KMeansStart, MiniReL, NothingFoundError, audit
from promptly import promptly

IS_FUZZ = "MINIREL_FUZZ_FITS" in os.environ
N_FITS = int(os.environ.get("MINIREL_FUZZ_FITS", "60"))
N_BLOCKS = max(10, N_FITS // 50)
# Larger puzzles take the effort limit, ten seconds a fit, and are left to `make fuzz`.
MOST_PUZZLED = 30


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
            ),
            seconds=60 * options.get("n_init", 1),
        )


def check(fit: Fit) -> None:
    try:
        model = fitted(fit)
    except InfeasibleFairnessError as error:
        check_refusal(fit, error)
        return
    except NothingFoundError:
        # A puzzle may be too hard, with or without labels, and a moment too short for anything.
        may_be_hard = is_puzzle(fit) or (points_differ(fit) and not fit.can_be_tried)
        assert may_be_hard or fit.options.get("time_limit", np.inf) <= 0.2, "no labels found"
        return
    check_fit(fit, model)
    if "time_limit" in fit.options:
        check_time(fit)


def is_puzzle(fit: Fit) -> bool:
    """Whether whole points of different weights may have to fill bounds that leave hardly a choice."""
    return points_differ(fit) and fit.witness is not None


def points_differ(fit: Fit) -> bool:
    """Whether points weigh or hold different numbers, so that to fill bounds with them is hard."""
    return fit.sample_weight is not None or "total" in fit.options


def check_time(fit: Fit) -> None:
    """The time limit is kept, in one of three tries: the machine may be busy with something else."""
    limit, took = fit.options["time_limit"], []
    while len(took) < 3:
        start = time.perf_counter()
        fitted(fit)
        took.append(time.perf_counter() - start)
        if took[-1] <= max(1.5 * limit, limit + 2):
            return
    raise AssertionError(f"took {took} seconds with time_limit={limit}")


def check_refusal(fit: Fit, error: InfeasibleFairnessError) -> None:
    """Nobody knows labels that keep the request; the nearest one, where there is one, can be met."""
    assert fit.witness is None, f"called infeasible, but {fit.witness.tolist()} keeps it all: {error}"
    if not fit.can_be_tried:
        return
    asked = fit.assignment(prefix=fit.required)
    assert not is_feasible(asked), f"called infeasible, but is not: {error}"
    if error.nearest:
        assert is_feasible(asked.asking(**error.nearest)), (
            f"the nearest request, {error.nearest}, cannot be met: {error}"
        )


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_fits(block: int) -> None:
    failures = []
    for seed in range(block * N_FITS // N_BLOCKS, (block + 1) * N_FITS // N_BLOCKS):
        fit = random_fit(seed, timed=IS_FUZZ)
        if is_puzzle(fit) and len(fit.X) > MOST_PUZZLED and not IS_FUZZ:
            continue
        try:
            check(fit)
        except Exception as error:
            error.add_note(f"seed {seed}:\n{fit!r}")
            failures.append(error)
    if failures:
        raise ExceptionGroup("fits failed", failures)


def test_fits_are_worth_checking() -> None:
    """Half have weights, half few enough labels to try them all, and most are known to be possible."""
    fits = [random_fit(seed) for seed in range(200)]
    assert 75 < sum(fit.sample_weight is not None for fit in fits) < 125
    assert sum(fit.can_be_tried for fit in fits) > 80
    assert 135 < sum(fit.witness is not None for fit in fits) < 185
    for fit in fits:
        if fit.witness is not None and fit.can_be_tried:
            assert is_feasible(fit.assignment(prefix=fit.required))


SIMPLE = Fit(
    np.array([[0.0], [1.0], [2.5], [3.0], [9.0], [10.0], [11.5], [12.0]]),
    np.array(list("ababaabb")),
    [1, 2, 1, 1, 3, 1, 1, 1],
    {
        "n_clusters": 2,
        "alpha": 0.5,
        "beta": {"a": 2, "b": 1},
        "prefix": "local_cost",
        "objective": "k-means",
        "gap": 0.1,
        "init": "k-means",
        "random_state": 0,
    },
)


def with_labels(model: MiniReL, *labels: int) -> None:
    """Centers, costs and audit of other labels, told as if they were proven to be the best."""
    X, weight = SIMPLE.X[:, 0], np.array(SIMPLE.sample_weight)
    model.labels_ = np.array(labels)
    means = [np.average(X[model.labels_ == k], weights=weight[model.labels_ == k]) for k in (0, 1)]
    model.cluster_centers_ = np.array(means)[:, None]
    model.inertia_ = float(weight @ (X - model.cluster_centers_[model.labels_, 0]) ** 2)
    model.lower_bound_, model.gap_, model.status_ = model.inertia_, 0.0, "optimal"
    model.audit_ = audit(labels, SIMPLE.sensitive_features, alpha=0.5, beta=model.beta_, sample_weight=weight)
    model.prefix_ = [
        (name, k) for name, row in zip("ab", model.audit_.represented, strict=True) for k in (0, 1) if row[k]
    ]
    model.history_ = [replace(model.history_[0], cost=model.inertia_)] * model.n_iter_


def less_is_proven(model: MiniReL, *labels: int) -> None:
    """As `with_labels`, not always the best."""
    with_labels(model, *labels)
    model.lower_bound_, model.gap_, model.status_ = 0.0, 1.0, "effort limit"


WRONG: dict[str, Callable[[Any], object]] = {
    "breaks a promise": lambda model: with_labels(model, 0, 0, 0, 0, 1, 1, 1, 1),
    "is empty": lambda model: setattr(model, "labels_", np.zeros(8, dtype=int)),
    "does not hold cluster": lambda model: setattr(
        model, "prefix_", [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    ),
    "promised 2": lambda model: setattr(model, "prefix_", []),
    "beta_": lambda model: setattr(model, "beta_", {"a": 2, "b": 0}),
    "satisfied": lambda model: setattr(model, "audit_", replace(model.audit_, beta=(3, 3))),
    "Not equal": lambda model: setattr(model, "audit_", replace(model.audit_, sizes=model.audit_.sizes + 1)),
    "represented": lambda model: setattr(
        model, "audit_", replace(model.audit_, represented=np.ones((2, 2), dtype=bool))
    ),
    "center 0 is at": lambda model: setattr(model, "cluster_centers_", model.cluster_centers_ + 1e-12),
    "inertia_ is": lambda model: setattr(model, "inertia_", model.inertia_ * (1 + 1e-10)),
    "lower_bound_": lambda model: setattr(model, "lower_bound_", model.inertia_ * (1 + 1e-10)),
    "the cost rises": lambda model: model.history_.insert(
        0, replace(model.history_.pop(0), cost=1.0, bound=1.0)
    ),
    "status_": lambda model: setattr(model, "status_", "fine"),
    "gap_": lambda model: setattr(model, "gap_", 0.05),
    "the bound exceeds": lambda model: with_labels(model, 0, 0, 0, 0, 0, 1, 0, 0),
    "can go from": lambda model: less_is_proven(model, 0, 0, 0, 1, 0, 1, 0, 0),
}


@pytest.mark.parametrize("complaint", WRONG)
def test_a_wrong_model_is_noticed(complaint: str) -> None:
    model = fitted(SIMPLE)
    check_fit(SIMPLE, model)
    wrong = copy.copy(model)
    wrong.history_ = list(model.history_)
    WRONG[complaint](wrong)
    with pytest.raises(AssertionError, match=complaint):
        check_fit(SIMPLE, wrong)


BROKEN = {
    "max_share": {"a": 0.1},
    "min_share": 0.9,
    "min_size": [100, 1],
    "max_size": [None, 0.1],
    "min_members": 100,
}


@pytest.mark.parametrize("promise", BROKEN)
def test_a_broken_promise_is_noticed(promise: str) -> None:
    asked = replace(SIMPLE, options={**SIMPLE.options, promise: BROKEN[promise]})
    with pytest.raises(AssertionError, match="breaks a promise"):
        check_fit(asked, fitted(SIMPLE))


def test_a_cluster_that_counts_twice_is_noticed() -> None:
    """Group 'a' has half of both clusters, 'b' of one: each can have one of its own, but no more."""
    exclusive = replace(SIMPLE, options={**SIMPLE.options, "exclusive": True})
    model = fitted(SIMPLE)
    with pytest.raises(AssertionError, match="breaks a promise"):
        check_fit(exclusive, model)
    exclusive.options["beta"] = 1
    held = [k for k in (0, 1) if ("b", k) in model.prefix_]
    model.beta_, model.prefix_ = {"a": 1, "b": 1}, [("a", held[0]), ("b", held[0])]
    with pytest.raises(AssertionError, match="a cluster counts twice"):
        check_fit(exclusive, model)
    model.prefix_ = [("a", 1 - held[0]), ("b", held[0])]
    Checked(exclusive, model).check_promises()
