"""Numbers of clusters beside each other: the last part of a frontier, which an interrupt only leaves out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from minirel.cli.messages import asking_library, say
from minirel.points.wording import counted

if TYPE_CHECKING:
    from minirel import Frontier


def compare(found: "Frontier", budget: float, seeds: int, quiet: bool) -> Mapping[str, Any]:
    """What speaks for each number of clusters."""
    if not quiet:
        others = f", with {counted(seeds, 'other seed')}" if seeds else ""
        say(f"comparing numbers of clusters{others} ...")
    with asking_library():
        numbers: Mapping[str, Any] = found.choose_k(**_dearest(found, budget), n_seeds=seeds)
    return numbers


def _dearest(found: "Frontier", budget: float) -> dict[str, Any]:
    """The dearest promise within the budget, for which numbers of clusters are compared."""
    best = found.best_within(budget)
    values = found.requests[max(best, key=found.price)].values if best else {}
    return {name: values[name] for name in ("alpha", "beta") if name in values}
