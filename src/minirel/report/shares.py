"""A group's share of a cluster, as it is shown and marked on the page."""

from minirel.outcome.audit import Audit
from minirel.points.percent import asked, of_cluster


def shown_share(result: Audit, g: int, k: int) -> str:
    """The share in percent: it reads as enough only if it is enough."""
    count, represented = result.counts[g, k].item(), bool(result.represented[g, k])
    # Where members are too few, that the group is not represented says nothing of its share.
    enough = None if not represented and count < result.min_members[g] else represented
    return of_cluster(count, result.totals[k].item(), result.alpha[g], enough)


def mark(result: Audit, g: int, k: int) -> str:
    """A star where the group is represented, hollow where that does not count."""
    if not result.represented[g, k]:
        return ""
    return "★" if result.allowed[g, k] else "☆"


def out_of_bounds(result: Audit, g: int, k: int) -> str:
    """Which bound for every cluster the share breaks, if any."""
    if result.below[g, k]:
        return f"less than {asked(result.min_share[g])}"
    return f"more than {asked(result.max_share[g])}" if result.above[g, k] else ""
