"""The question of whether every promise is kept."""

import numpy as np

from minirel.outcome.audit import Audit
from minirel.outcome.remarks import remarks
from minirel.points.wording import agreeing, listed
from minirel.report.markup import Markup, tag
from minirel.report.names import Names
from minirel.report.numbers import amount, needed
from minirel.report.page import section
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "Is every promise kept?"
_MOST_GROUPS, _MOST_CLUSTERS = 200, 12


def verdict(result: Audit, groups: Names, clusters: Names) -> Markup:
    """The answer in one line, and what belongs beside it."""
    said = remarks(result, groups.short, clusters.short)
    besides = tag("div", (paragraph(sentence) for sentence in said), class_="besides") if said else None
    return tag("div", _answer(result, groups), besides)


def _answer(result: Audit, groups: Names) -> Markup:
    if not any(result.beta):
        return tag("p", tag("strong", "Nothing was promised,"), " so no promise is broken.", class_="verdict")
    lacks = result.n_lacking
    lacking = [g for g in range(len(groups)) if lacks[g]]
    n_promises = sum(map(bool, result.beta))
    if not lacking:
        kept = (
            "the one group that was"
            if n_promises == 1
            else "both groups that were"
            if n_promises == 2
            else f"all {amount(n_promises)} groups that were"
        )
        return tag(
            "p",
            tag("strong", "✓ Yes, every promise is kept:"),
            f" {kept} promised clusters {agreeing('has', n_promises)} them.",
            class_="verdict kept",
        )
    be = agreeing("is", len(lacking))
    broken = [f"{groups.short[g]} lacks {amount(lacks[g], 'cluster')}" for g in lacking]
    return tag(
        "p",
        tag("strong", f"✗ No, {amount(len(lacking))} of {amount(n_promises, 'promise')} {be} broken:"),
        " ",
        tag("bdi", listed(broken, most=6)),
        ".",
        class_="verdict broken",
    )


def promises(place: int, result: Audit, groups: Names, clusters: Names) -> Markup:
    """The answer, and a row for each group: promised, has, share needed."""
    if not len(groups):
        return section(place, QUESTION, verdict(result, groups, clusters), paragraph("There are no groups."))
    held, lacks = result.n_represented, result.n_lacking
    members = _members(result)
    counted = result.represented & result.allowed
    # Broken promises first, then those that were made; within these the order of the data.
    order = sorted(range(len(groups)), key=lambda g: (-min(lacks[g], 1), -min(result.beta[g], 1), g))
    rows = []
    for g in order[:_MOST_GROUPS]:
        if not result.beta[g]:
            state = Cell("nothing promised", 1)
        elif lacks[g]:
            state = Cell(tag("span", f"✗ no, lacks {amount(lacks[g])}", class_="bad"), 2)
        else:
            state = Cell(tag("span", "✓ yes", class_="good"), 0)
        where = [clusters.short[k] for k in np.flatnonzero(counted[g]).tolist()]
        rows.append(
            (
                word(groups.whole(g)),
                state,
                number(amount(result.beta[g]), result.beta[g]),
                number(amount(held[g]), held[g]),
                number(needed(result.alpha[g]), result.alpha[g]),
                number(amount(members[g]), members[g]),
                word(tag("bdi", listed(where, most=_MOST_CLUSTERS), class_="list") if where else "none"),
            )
        )
    heads = [
        Head("Group"),
        Head("Kept?"),
        Head("Clusters promised", True, "In how many clusters the group was promised to be represented"),
        Head("Clusters it has", True, "In how many clusters it is represented"),
        Head("Share needed", True, "Share of a cluster's members from which on it represents the group"),
        Head("Members", True),
        Head("Represented in clusters"),
    ]
    caption = "What each group was promised and what it has. Shares are compared exactly, without rounding."
    return section(
        place,
        QUESTION,
        verdict(result, groups, clusters),
        table(caption, heads, rows, label="Promises by group", n_in_all=len(groups)),
    )


def _members(result: Audit) -> list[float]:
    total: list[float] = result.counts.sum(axis=1).tolist()
    return total
