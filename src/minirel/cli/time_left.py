"""The time limit of a command: it includes reading, and what comes after the work."""

# Part of what is left that is kept for what comes after: for what one more cluster would cost, above all.
_OF_THE_REST = 0.2
# Seconds that work has even where reading has taken longer than the limit.
_LEAST = 1e-3


def for_the_work(time_limit: float | None, seconds: float, has_more: bool) -> float | None:
    """What is left of the time limit after so many seconds; a page and the like take their part of it."""
    if time_limit is None or not time_limit > 0:  # the library says what is wrong with it, if anything
        return time_limit
    left = (time_limit - seconds) * (1 - _OF_THE_REST if has_more else 1)
    return max(left, min(time_limit, _LEAST))
