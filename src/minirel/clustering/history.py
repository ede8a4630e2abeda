"""The history of a fit: one record per iteration."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields

from minirel.clustering.clock import Clock


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
        Time since the last record of the run, by phase.
    run : int
        The run from which it comes, from 1.
    n_runs : int
        Of how many (`n_init`).
    elapsed : float
        Seconds since the first run began.
    swap : int
        Which swap it is the outcome of, from 1; 0 for an iteration. Cost and bound are then those of the best
        clustering so far.
    paid : bool
        Whether that swap was kept.
    """

    iteration: int
    cost: float
    bound: float
    gap: float
    shift: float
    scans: int
    seconds: dict[str, float]
    run: int = 1
    n_runs: int = 1
    elapsed: float = 0.0
    swap: int = 0
    paid: bool = False

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
        what = f"swap {self.swap:8d}" if self.swap else f"iteration {self.iteration:3d}"
        return f"{what}  cost {self.cost:.8g}  gap {self.gap:.1e}  shift {self.shift:.2e}  seconds: {took}"


@dataclass(frozen=True)
class Connecting(Iteration):
    """How far it is with connecting clusters; otherwise the last record again. Told, but not kept.

    Attributes
    ----------
    done : float
        The share of the search that is done.
    """

    done: float = 0.0

    def __str__(self) -> str:
        return f"connecting {self.done:4.0%}"


def _ignore(record: Iteration) -> None:
    pass


@dataclass
class History:
    """The records of one run, each of which is passed to `notify` when it is made."""

    clock: Clock = field(default_factory=Clock)
    run: int = 1
    n_runs: int = 1
    notify: Callable[[Iteration], None] = _ignore
    constant: float = 0.0  # of all costs and bounds
    records: list[Iteration] = field(default_factory=list)

    def record(
        self,
        cost: float,
        bound: float,
        shift: float,
        scans: int,
        rounding: float = 0.0,
        *,
        swap: int = 0,
        paid: bool = False,
    ) -> None:
        """Record an iteration or a swap, in which costs are known to within `rounding`."""
        cost, bound = cost + self.constant, bound + self.constant
        if self.records and cost <= self.records[-1].cost + rounding:
            cost = min(cost, self.records[-1].cost)
        bound = min(cost, bound)
        gap = (cost - bound) / cost if cost > 0 else 0.0
        record = Iteration(
            iteration=len(self.records) + 1,
            cost=cost,
            bound=bound,
            gap=gap,
            shift=shift,
            scans=scans,
            seconds=self.clock.read(),
            run=self.run,
            n_runs=self.n_runs,
            elapsed=self.clock.elapsed(),
            swap=swap,
            paid=paid,
        )
        self.records.append(record)
        self.notify(record)

    def connecting(self, done: float) -> None:
        """Tell, without a record, what share of the search for connected clusters is done."""
        if self.records:
            told = asdict(self.records[-1]) | {"seconds": {}, "elapsed": self.clock.elapsed()}
            self.notify(Connecting(**told, done=done))
