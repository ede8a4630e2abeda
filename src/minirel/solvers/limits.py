"""Limits of work: time that the user gave, and effort that is counted."""

import time


class Deadline:
    """The time left, for work that may be cut short."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Seconds left, at least 0, or None without a limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def passed(self) -> bool:
        """Whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end


NO_DEADLINE = Deadline(None)


class Effort:
    """How much work may still be done, of which one program may take a part, 1 in `parts`."""

    def __init__(self, work: int, parts: int) -> None:
        self.left, self._parts = work, parts

    def part(self) -> int:
        """The most that the next program may take."""
        return self.left // self._parts
