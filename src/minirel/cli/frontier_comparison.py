"""Numbers of clusters beside each other: the last part of a frontier, which an interrupt only leaves out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from minirel.cli.messages import asking_library, say, warn
from minirel.points.wording import counted
from minirel.solvers.limits import Deadline

if TYPE_CHECKING:
    from minirel import Frontier


def compare(
    found: "Frontier", budget: float, seeds: int, seconds: float | None, quiet: bool
) -> Mapping[str, Any] | None:
    """What speaks for each number of clusters; None if it takes longer than so many seconds."""
    if not quiet:
        others = f", with {counted(seeds, 'other seed')}" if seeds else ""
        say(f"comparing numbers of clusters{others} ...")
    deadline = Deadline(seconds)
    with asking_library():
        numbers: Mapping[str, Any] = found.choose_k(
            **_dearest(found, budget), n_seeds=seeds, time_limit=seconds
        )
    if deadline.passed():
        warn("numbers of clusters are not compared: --time-limit leaves too little for it; all else is done")
        return None
    return numbers


def _dearest(found: "Frontier", budget: float) -> dict[str, Any]:
    """The dearest promise within the budget, for which numbers of clusters are compared."""
    best = found.best_within(budget)
    values = found.requests[max(best, key=found.price)].values if best else {}
    return {name: values[name] for name in ("alpha", "beta") if name in values}
