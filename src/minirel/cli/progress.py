"""How far the work is, on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minirel.clustering.history import Iteration

_FIRST = "k-means ..."

# Told how many rows of how many were read.
Counter = Callable[[int, int], None]


@contextmanager
def progress(quiet: bool) -> "Iterator[Callable[[Iteration], None] | None]":
    """A callback that shows each iteration: in place on a terminal, else line by line; None to be quiet."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True, highlight=False).status(_FIRST) as status:
            yield lambda record: status.update(in_words(record))
    else:
        print(_FIRST, file=sys.stderr, flush=True)
        yield lambda record: print(in_words(record), file=sys.stderr, flush=True)


@contextmanager
def counting(quiet: bool) -> Iterator[Counter]:
    """A function that shows how far reading is: in place on a terminal, else one line for each pass."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True, highlight=False).status("reading ...") as status:
            yield lambda done, total: status.update(f"reading: {done:,} of {total:,} rows")
    else:

        def show(done: int, total: int) -> None:
            if done == total:
                print(f"read {total:,} rows", file=sys.stderr, flush=True)

        yield show


def in_words(record: "Iteration") -> str:
    """An iteration in a few words."""
    start = f"start {record.run} of {record.n_runs}, " if record.n_runs > 1 else ""
    if record.swap:
        return f"{start}swap {record.swap}{' paid' if record.paid else ''}: cost {record.cost:.8g}"
    return (
        f"{start}iteration {record.iteration}: cost {record.cost:.8g}, proven within {record.gap:.1e} of the "
        "best for its centers and holders"
    )
