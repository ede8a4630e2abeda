"""What belongs beside "every promise is kept": who was promised nothing, and what is kept by a handful."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minirel.outcome.audit import Audit

# A handful: fewer members than this, and less than this part of what a cluster has on average.
_FEW, _PART = 5, 0.25
_MOST_NAMED = 5


def unpromised(audit: "Audit") -> list[int]:
    """Groups that were promised nothing while others were promised clusters, the largest first."""
    if not any(audit.beta):
        return []
    part = audit.shares_of_all
    return sorted((g for g, b in enumerate(audit.beta) if not b), key=lambda g: (-part[g], g))


def handfuls(audit: "Audit") -> list[tuple[int, list[int]]]:
    """Clusters of a handful of members, and the groups whose promise would be broken without them.

    Without all of them at once, so that of two such clusters each is named although one would do.
    """
    average = audit.sizes.sum() / len(audit.sizes)
    few = (audit.sizes < _FEW) & (audit.sizes < _PART * average)
    counted = audit.represented & audit.allowed
    need = [
        n - lost < b for n, lost, b in zip(counted.sum(1), counted[:, few].sum(1), audit.beta, strict=True)
    ]
    found = [
        (k, [g for g, needs in enumerate(need) if needs and audit.beta[g] and counted[g, k]])
        for k in few.nonzero()[0].tolist()
    ]
    return [(k, groups) for k, groups in found if groups]


def remarks(audit: "Audit", groups: Sequence[str], clusters: Sequence[str]) -> list[str]:
    """Say so in sentences, with the names of groups and clusters as they are to be shown."""
    nothing = unpromised(audit)
    nowhere = [g for g in nothing if not audit.represented[g].any()]
    elsewhere = [g for g in nothing if audit.represented[g].any()]
    said = []
    if nowhere:
        was, is_ = ("was", "is") if len(nowhere) == 1 else ("were", "are")
        said.append(f"{_named(audit, nowhere, groups)} {was} promised nothing and {is_} represented nowhere.")
    if elsewhere:
        was, is_ = ("was", "it is") if len(elsewhere) == 1 else ("were", "they are")
        said.append(
            f"{_named(audit, elsewhere, groups)} {was} promised nothing, though {is_} represented somewhere."
        )
    few = handfuls(audit)
    for k, kept in few[:_MOST_NAMED]:
        size = audit.sizes[k]
        promises, members = (
            "promise" if len(kept) == 1 else "promises",
            "member" if size == 1 else "members",
        )
        said.append(
            f"Cluster {clusters[k]} keeps the {promises} to {_listed([groups[g] for g in kept])} with only "
            f"{size:.6g} {members}."
        )
    if len(few) > _MOST_NAMED:
        said.append(f"So do {len(few) - _MOST_NAMED} more clusters with a handful of members.")
    if few:
        said.append("A larger min_size (--min-size) rules out clusters of a handful of members.")
    return said


def _named(audit: "Audit", which: list[int], groups: Sequence[str]) -> str:
    part = [_percent(share) for share in audit.shares_of_all]
    if len(which) == 1:
        return f"{groups[which[0]]}, {part[which[0]]} of all,"
    return _listed([f"{groups[g]} ({part[g]} of all)" for g in which])


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    first, last = (names[:-1], names[-1]) if more <= 0 else (names[:_MOST_NAMED], f"{more} more")
    return f"{', '.join(first)} and {last}" if first else last


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 or not share else "under 0.1%"
