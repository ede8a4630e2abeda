"""A limit on how long a call may take, so that a hang is a failure and not a hang of the tests."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class _Worker:
    """A thread that makes one call after another: solvers have more to set up in every new one."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], Any]] = SimpleQueue()
        self._ended: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def ask(self, call: Callable[[], Any], seconds: float) -> tuple[Any, BaseException | None]:
        """What the call returns and what it raises."""
        self._calls.put(call)
        return self._ended.get(timeout=seconds)

    def _run(self) -> None:
        while True:
            call, ended = self._calls.get(), (None, None)
            try:
                ended = call(), None
            except BaseException as error:
                ended = None, error
            self._ended.put(ended)
            del call, ended


_idle: list[_Worker] = []


def promptly(call: Callable[[], Result], seconds: float = 60) -> Result:
    """What the call returns or raises; a failure if it is not back in time.

    A thread that hangs cannot be ended, least of all inside a compiled solver: it is left behind, and goes
    with the process.
    """
    worker = _idle.pop() if _idle else _Worker()
    if not worker.is_alive:  # in a process that was forked
        worker = _Worker()
    try:
        result, raised = worker.ask(call, seconds)
    except Empty:
        raise AssertionError(f"hangs: not back after {seconds:g} seconds") from None
    _idle.append(worker)
    if raised is not None:
        raise raised
    return result
