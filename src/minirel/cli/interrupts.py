"""Interrupts (Ctrl-C) and terminations: what they end, what they have to wait for, and what is undone."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143
_BOTH = (signal.SIGINT, signal.SIGTERM)

Handler = Callable[[int, FrameType | None], None]


def end_at_once() -> None:
    """From now on an interrupt ends the process with one line, whatever it is doing.

    Raised as an exception it would come up in the middle of an import or of a callback, where it can get lost
    or be shown as a traceback. Code that has something to undo asks for exceptions (`raising`).
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for a job in the background
        signal.signal(signal.SIGINT, _end)


def ignore() -> None:
    """From now on an interrupt does nothing: all is done, and Python is only tidying up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def raising() -> Iterator[Callable[[], None]]:
    """Let interrupts and terminations be exceptions, for work that could be left half done.

    Yields a function that raises what has come once more, if something has: Python cannot pass on exceptions
    that come up in a destructor or in a callback of C.
    """
    came: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        came.append(number)
        _raise(number)

    def again() -> None:
        if came:
            _raise(came[0])

    with _handled(handler):
        try:
            yield again
        except Exception:
            again()  # C may also have made another error of it, as NumPy 1.26 does where it compares
            raise


@contextmanager
def uninterrupted(*, at_the_end: bool = False) -> Iterator[None]:
    """Hold them back until the block is through; at the end of all there is nothing left to stop."""
    held: list[int] = []
    with _handled(lambda number, frame: held.append(number)):
        yield
    if held and not at_the_end:
        signal.raise_signal(held[0])


@contextmanager
def not_for_children() -> Iterator[None]:
    """Keep processes that are started inside from a terminal's Ctrl-C, which is sent to all: we end them."""
    if sys.platform == "win32":
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # when multiprocessing starts it, it lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _BOTH}
    before = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _raise(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(TERMINATED)


def _end(number: int, frame: FrameType | None) -> None:
    # The progress on a terminal hides the cursor and leaves a line open.
    shown = b"\x1b[?25h\ninterrupted\n" if sys.stderr.isatty() else b"interrupted\n"
    try:
        os.write(2, shown)
    finally:
        os._exit(INTERRUPTED)
