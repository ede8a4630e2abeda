"""How close and how long: the gap to prove and the time for it."""

from minirel.points.errors import ParameterValueError
from minirel.points.messages import NO_LIMIT
from minirel.promises.exact import Number, exact


def read_gap(gap: Number) -> float:
    """Validate a relative gap."""
    within = float(exact(gap, "gap", "a number of at least 0"))
    if within < 0:
        raise ParameterValueError("gap", "must be a number of at least 0", gap, "use 0 for the optimum")
    return within


def read_time_limit(time_limit: Number | None) -> float | None:
    """Validate a time limit in seconds; None is none."""
    seconds = None if time_limit is None else float(exact(time_limit, "time_limit", "a number above 0"))
    if seconds is not None and seconds <= 0:
        raise ParameterValueError("time_limit", "must be a number above 0", time_limit, NO_LIMIT)
    return seconds
