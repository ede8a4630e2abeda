"""Callbacks: functions that are called with every record of a fit, and can end it."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeAlias

import numpy as np

from minirel.clustering.history import Iteration
from minirel.points.errors import ParameterTypeError
from minirel.solvers.limits import Deadline

Callback: TypeAlias = Callable[[Iteration], object]


class Callbacks:
    """Calls functions with every record of all runs, until one of them returns True or fails.

    Runs go in parallel, but only one call is made at a time. A function that returns True ends all runs, as a
    time limit does; so does one that raises, and then the fit raises its error.
    """

    def __init__(self, functions: Sequence[Callback], deadline: Deadline) -> None:
        self._functions, self._deadline = functions, deadline
        self._lock = Lock()

    def __call__(self, record: Iteration) -> None:
        """Call all functions with a record."""
        with self._lock:
            if self._deadline.was_cut:
                return
            try:
                answers = [function(record) for function in self._functions]
            except BaseException:
                self._deadline.cut()
                raise
            # Only True itself: a lambda may return whatever the call inside it returns.
            if any(isinstance(answer, bool | np.bool_) and answer for answer in answers):
                self._deadline.cut()


def print_record(record: Iteration) -> None:
    """Print one line per iteration: the callback of `verbose`."""
    start = f"start {record.run}  " if record.n_runs > 1 else ""
    print(f"{start}{record}", flush=True)


def read_callbacks(callback: object, verbose: object) -> list[Callback]:
    """Validate a user's `callback`; `verbose` is one more."""
    callbacks: list[Callback] = [print_record] if verbose else []
    if callback is None:
        return callbacks
    if not callable(callback):
        found = f"is {callback!r} of type {type(callback).__name__}"
        raise ParameterTypeError(
            "callback", "must be a function of a record of history_, or None", callback, found=found
        )
    return [*callbacks, callback]
