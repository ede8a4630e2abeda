"""A limit on how long a call may take, so that a hang is a failure and not a hang of the tests."""

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def promptly(call: Callable[[], Result], seconds: float = 60) -> Result:
    """What the call returns or raises; a failure if it is not back in time.

    A thread that hangs cannot be ended, least of all inside a compiled solver: it is left behind, and goes
    with the process.
    """
    result: list[Result] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            result.append(call())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), f"hangs: not back after {seconds:g} seconds"
    if raised:
        raise raised[0]
    return result[0]
