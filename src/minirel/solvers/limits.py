"""Limits of work: time that the user gave, and effort that is counted."""

import time


class Deadline:
    """The time left, for work that may be cut short.

    Attributes
    ----------
    was_cut : bool
        Whether the time was ended by `cut`.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self.was_cut = False

    def left(self) -> float | None:
        """Seconds left, at least 0, or None without a limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def passed(self) -> bool:
        """Whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end

    def cut(self) -> None:
        """End the time now, for all the work that shares it."""
        self.was_cut = True  # before the time is up, so that whoever finds it up knows why
        self._end = time.monotonic()


NO_DEADLINE = Deadline(None)


class Effort:
    """How much work may still be done, of which one program may take a part, 1 in `parts`."""

    def __init__(self, work: int, parts: int) -> None:
        self.left, self._parts = work, parts

    def part(self) -> int:
        """The most that the next program may take."""
        return self.left // self._parts
