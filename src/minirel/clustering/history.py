"""What happened in a fit, iteration by iteration."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields


@dataclass(frozen=True)
class Iteration:
    """One assignment and the centers after it.

    Attributes
    ----------
    iteration : int
        Its number, from 1.
    cost : float
        Cost of the assignment to the centers it was made for.
    bound : float
        What any assignment to these centers costs at least, as far as it was proven.
    gap : float
        ``(cost - bound) / cost``.
    shift : float
        Sum of the squared distances by which the centers moved after it.
    scans : int
        Passes over all the points that the assignment took.
    seconds : dict of str to float
        Time since the last record, by phase.
    """

    iteration: int
    cost: float
    bound: float
    gap: float
    shift: float
    scans: int
    seconds: dict[str, float]

    def __getitem__(self, name: str) -> object:
        """The field called `name`, so that a record also reads like a dict."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def keys(self) -> list[str]:
        """Names of the fields."""
        return [f.name for f in fields(self)]

    def __str__(self) -> str:
        took = ", ".join(f"{phase} {seconds:.3f}" for phase, seconds in self.seconds.items())
        return (
            f"iteration {self.iteration:3d}  cost {self.cost:.8g}  gap {self.gap:.1e}  "
            f"shift {self.shift:.2e}  seconds: {took}"
        )


@dataclass
class History:
    """The records of one run, printed as they come if it is verbose."""

    verbose: bool = False
    name: str = ""
    records: list[Iteration] = field(default_factory=list)
    _seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timing(self, phase: str) -> Iterator[None]:
        """Add the time of the block to a phase of the next record."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[phase] = self._seconds.get(phase, 0.0) + time.perf_counter() - start

    def record(self, cost: float, bound: float, shift: float, scans: int, rounding: float = 0.0) -> None:
        """Close an iteration, in which costs are known to within `rounding`."""
        if self.records and cost <= self.records[-1].cost + rounding:
            cost = min(cost, self.records[-1].cost)
        bound = min(cost, bound)
        gap = (cost - bound) / cost if cost > 0 else 0.0
        number = len(self.records) + 1
        self.records.append(Iteration(number, cost, bound, gap, shift, scans, self._seconds))
        self._seconds = {}
        if self.verbose:
            print(f"{self.name}{self.records[-1]}", flush=True)
