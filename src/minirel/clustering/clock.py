"""Timing of a run by phase."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Clock:
    """Adds up the seconds of each phase until they are read.

    `began` is when the fit did, by `time.perf_counter`; runs side by side share it.
    """

    def __init__(self, began: float | None = None) -> None:
        self._began = time.perf_counter() if began is None else began
        self._seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of the block to a phase."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - start

    def read(self) -> dict[str, float]:
        """Seconds by phase since the last reading."""
        seconds, self._seconds = self._seconds, {}
        return seconds

    def elapsed(self) -> float:
        """Seconds since the fit began."""
        return time.perf_counter() - self._began


class Timed(Protocol):
    """An object whose methods report their time."""

    @property
    def clock(self) -> Clock:
        """The clock to report to."""
        ...


T = TypeVar("T", bound=Timed)


def timed(phase: str) -> Callable[[Callable[Concatenate[T, P], R]], Callable[Concatenate[T, P], R]]:
    """Decorate a method so that its time is added to a phase of its object's clock."""

    def decorate(method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
        @wraps(method)
        def measured(self: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
            with self.clock.phase(phase):
                return method(self, *args, **kwargs)

        return measured

    return decorate
