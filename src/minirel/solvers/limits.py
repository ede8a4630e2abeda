"""Limits on work: a deadline in seconds, and an effort budget in counted operations."""

import time

# If a time limit passes before any feasible labels are found: so many more seconds to find some.
GRACE = 0.8


class Deadline:
    """A time limit that several computations share.

    Attributes
    ----------
    was_cut : bool
        Whether `cut` ended it before the time was up.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self.was_cut = False
        self._grace: Deadline | None = None

    def left(self) -> float | None:
        """Seconds left, at least 0, or None without a limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def passed(self) -> bool:
        """Whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end

    def grace(self) -> "Deadline":
        """The moments after this deadline, for feasible labels; they begin when first asked for, and once."""
        if self._grace is None:
            self._grace = Deadline(GRACE)
        return self._grace

    def cut(self) -> None:
        """Let the deadline pass now, for everything that shares it."""
        self.was_cut = True  # set first, so that whoever sees the deadline passed can tell why
        self._end = time.monotonic()


NO_DEADLINE = Deadline(None)


class Effort:
    """A budget of counted work; one program may use at most 1 / `parts` of what is left."""

    def __init__(self, work: int, parts: int) -> None:
        self.left, self._parts = work, parts

    def part(self) -> int:
        """The most that the next program may use."""
        return self.left // self._parts
