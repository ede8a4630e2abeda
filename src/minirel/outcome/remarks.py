"""What belongs beside "every promise is kept": who was promised nothing, and what is kept by a handful."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minirel.outcome.verdict import lacking
from minirel.points.percent import floored
from minirel.points.wording import agreeing, counted, listed

if TYPE_CHECKING:
    from minirel.outcome.findings import Audit

# A handful: fewer members of a group than this, in a cluster smaller than this part of the average.
_FEW, _PART = 5, 0.25
_MOST_NAMED = 5


def unpromised(audit: "Audit") -> list[int]:
    """Groups that were promised nothing while others were promised clusters, the largest first.

    A least share in every cluster is a promise, too.
    """
    if not any(audit.beta):
        return []
    part = audit.shares_of_all
    nothing = (g for g, b in enumerate(audit.beta) if not b and not audit.min_share[g])
    return sorted(nothing, key=lambda g: (-part[g], g))


def handfuls(audit: "Audit") -> list[tuple[int, list[int]]]:
    """Clusters with a handful of members of a group, and the groups that would lack clusters without them.

    Without all of them at once, so that of two such clusters each is named although one would do.
    """
    average = audit.totals.sum() / len(audit.totals)
    few = (audit.counts < _FEW) & (audit.totals < _PART * average)
    counted = audit.represented & audit.allowed
    without = lacking(counted & ~few, audit.beta, exclusive=audit.exclusive)
    found = [
        (k, [g for g, lacks in enumerate(without) if lacks and counted[g, k] and few[g, k]])
        for k in range(len(audit.totals))
    ]
    return [(k, groups) for k, groups in found if groups]


def remarks(audit: "Audit", groups: Sequence[str], clusters: Sequence[str]) -> list[str]:
    """Say so in sentences, with the names of groups and clusters as they are to be shown."""
    nothing = unpromised(audit)
    nowhere = [g for g in nothing if not audit.represented[g].any()]
    elsewhere = [g for g in nothing if audit.represented[g].any()]
    said = []
    if nowhere:
        was, is_ = (agreeing(verb, len(nowhere)) for verb in ("was", "is"))
        said.append(f"{_named(audit, nowhere, groups)} {was} promised nothing and {is_} represented nowhere.")
    if elsewhere:
        was, is_ = (agreeing(verb, len(elsewhere)) for verb in ("was", "it is"))
        said.append(
            f"{_named(audit, elsewhere, groups)} {was} promised nothing, though {is_} represented somewhere."
        )
    few = handfuls(audit)
    for k, kept in few[:_MOST_NAMED]:
        whom = listed([groups[g] for g in kept], most=_MOST_NAMED, last=" and ")
        most = f"{audit.counts[kept, k].max():.6g}"
        by = f"only {most} of its members" if len(kept) == 1 else f"at most {most} members of each"
        said.append(f"Cluster {clusters[k]} keeps the {agreeing('promise', len(kept))} to {whom} with {by}.")
    if len(few) > _MOST_NAMED:
        n = len(few) - _MOST_NAMED
        do = "does" if n == 1 else "do"
        said.append(f"So {do} {counted(n, 'more cluster')} with a handful of members.")
    if few:
        said.append("A larger min_members (--min-members) keeps a handful of members from counting.")
    return said


def _named(audit: "Audit", which: list[int], groups: Sequence[str]) -> str:
    part = [floored(share) for share in audit.shares_of_all]
    if len(which) == 1:
        return f"{groups[which[0]]}, {part[which[0]]} of all,"
    return listed([f"{groups[g]} ({part[g]} of all)" for g in which], most=_MOST_NAMED, last=" and ")
