"""How far the work is, on standard error."""

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout

_ITERATION = re.compile(
    r"(?P<start>start +\d+ +)?iteration +(?P<number>\d+) +cost (?P<cost>\S+) +gap (?P<gap>\S+)"
)


@contextmanager
def progress(quiet: bool) -> Iterator[None]:
    """Show the lines that a verbose estimator prints: in place on a terminal, else one by one."""
    if quiet:
        with redirect_stdout(io.StringIO()):
            yield
        return
    if not sys.stderr.isatty():
        lines = _Lines(lambda text: print(text, file=sys.stderr, flush=True))
        lines.show("k-means ...")
        with redirect_stdout(lines):
            yield
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status("k-means ...") as status, redirect_stdout(_Lines(status.update)):
        yield


class _Lines(io.TextIOBase):
    """Takes what is printed, and shows each iteration in a few words."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self.show = show
        self._rest = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            found = _ITERATION.search(line)
            if found:
                start = (found["start"] or "").strip()
                told = (
                    f"iteration {found['number']}: cost {found['cost']}, proven within {found['gap']} of the "
                    "best for its centers and holders"
                )
                self.show(f"{start}, {told}" if start else told)
        return len(text)
