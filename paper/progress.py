"""How far a reproduction is, on standard error: a bar with the time left, or a line now and then."""

import sys
import time
from types import TracebackType
from typing import Any

from paper.clock import Clock
from paper.run import Record, Run

_EVERY = 15.0  # seconds between lines


class RunsProgress:
    """Is told of every run; to be used in a with statement."""

    def __init__(self, clock: Clock, quiet: bool) -> None:
        self._clock = clock
        self._quiet = quiet
        self._bar: Any = None
        self._said = float("-inf")

    def __enter__(self) -> "RunsProgress":
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bar = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.description}"),
                console=Console(stderr=True, highlight=False),
            )
            self._bar.add_task("starting ...", total=self._clock.n_runs)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def done(self, run: Run, record: Record, *, before: bool) -> None:
        """Show a run that ended."""
        clock = self._clock
        clock.done(run, record)
        if self._quiet:
            return
        left = clock.seconds_left()
        told = f"{_duration(left)} left, {run.data}, K={run.n_clusters}, seed {run.seed}"
        if self._bar is not None:
            self._bar.update(0, completed=clock.n_done, description=told)
        elif clock.n_done == clock.n_runs or time.monotonic() - self._said >= _EVERY:
            self._said = time.monotonic()
            print(f"{clock.n_done:,} of {clock.n_runs:,} runs, {told}", file=sys.stderr, flush=True)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "unknown time"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"
