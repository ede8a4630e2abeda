"""How far the work is, on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite

from minirel.cli.messages import say
from minirel.clustering.history import Connecting, Iteration
from minirel.points.percent import gap
from minirel.points.wording import counted

_FIRST = "k-means ..."
# Where there is no terminal, a long start is heard of this often, in seconds.
_EVERY = 20.0

# Told how many rows of how many were read.
Counter = Callable[[int, int], None]


@contextmanager
def progress(quiet: bool, *, at_once: bool = False) -> Iterator[Callable[[Iteration], None] | None]:
    """A callback that shows how far the work is; None to be quiet.

    Each start ends with a line, at the end of all if several go on `at_once`. Until then a terminal shows
    iterations in place; elsewhere there is a line now and then for what takes long.
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
        starts = _Starts(lambda text: console.print(text, markup=False, soft_wrap=True), at_once)
        with console.status(_FIRST) as status:

            def show(record: Iteration) -> None:
                starts.follow(record)
                status.update(in_words(record))

            yield show
        starts.close()
    else:
        starts = _Starts(say, at_once, _EVERY)
        say(_FIRST)
        yield starts.follow
        starts.close()


class _Starts:
    """A line for each start as soon as the next has begun, and for the swaps behind the last."""

    def __init__(self, say: Callable[[str], None], at_once: bool, every: float | None = None) -> None:
        self._say, self._at_once = say, at_once
        self._every, self._heard = every, time.monotonic()
        self._last: dict[int, Iteration] = {}
        self._swaps: list[Iteration] = []

    def follow(self, record: Iteration) -> None:
        """Take note of a record."""
        if self._every is not None and time.monotonic() - self._heard > self._every:
            self._tell(in_words(record))
        if isinstance(record, Connecting):
            if self._last:
                self.close()
                self._tell("connecting clusters ...")
        elif record.swap:
            self._swaps.append(record)
        elif not self._swaps:
            if not self._at_once:
                self._end([run for run in self._last if run < record.run])
            self._last[record.run] = record

    def close(self) -> None:
        """Tell the rest: all starts have ended."""
        self._end(sorted(self._last))
        if self._swaps:
            paid = sum(record.paid for record in self._swaps)
            cost = self._swaps[-1].cost
            self._tell(f"{counted(len(self._swaps), 'swap')}, of which {paid} paid: cost {cost:.8g}")
            self._swaps.clear()

    def _end(self, runs: list[int]) -> None:
        for run in runs:
            record = self._last.pop(run)
            start = f"start {run} of {record.n_runs}" if record.n_runs > 1 else "start"
            rounds = counted(record.iteration, "iteration")
            self._tell(f"{start}: cost {record.cost:.8g} after {rounds}, {record.elapsed:.1f} s")

    def _tell(self, text: str) -> None:
        self._say(text)
        self._heard = time.monotonic()


@contextmanager
def counting(quiet: bool, done_so_far: str = "read") -> Iterator[Counter]:
    """A function that shows how many rows are read (or sent): on a terminal in place, else once for all."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True, highlight=False).status("...") as status:
            yield lambda done, total: status.update(f"{done_so_far} {done:,} of {total:,} rows")
    else:

        def show(done: int, total: int) -> None:
            if done == total:
                print(f"{done_so_far} {total:,} rows", file=sys.stderr, flush=True)

        yield show


def in_words(record: Iteration) -> str:
    """An iteration in a few words."""
    if isinstance(record, Connecting):
        return f"connecting clusters: {record.done:.0%}"
    start = f"start {record.run} of {record.n_runs}, " if record.n_runs > 1 else ""
    if record.swap:
        return f"{start}swap {record.swap}{' paid' if record.paid else ''}: cost {record.cost:.8g}"
    is_proven = isfinite(record.gap)
    return (
        f"{start}iteration {record.iteration}: cost {record.cost:.8g}, "
        f"{f'proven within {gap(record.gap)} of' if is_proven else 'not proven to be near'} the best for its "
        "centers and holders"
    )
