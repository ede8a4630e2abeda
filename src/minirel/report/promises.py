"""The question of whether every promise is kept."""

import numpy as np

from minirel.outcome.audit import Audit
from minirel.outcome.pieces import pieces_in_words
from minirel.outcome.remarks import remarks
from minirel.outcome.verdict import bounds_in_words, broken, n_promises, sizes_in_words
from minirel.points.numbers import amount
from minirel.points.percent import asked
from minirel.points.wording import agreeing, listed
from minirel.report.markup import Markup, tag
from minirel.report.names import Names
from minirel.report.page import section
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "Is every promise kept?"
_MOST_GROUPS, _MOST_CLUSTERS = 200, 12


def verdict(result: Audit, groups: Names, clusters: Names) -> Markup:
    """The answer in one line, and what belongs beside it."""
    said = [*remarks(result, groups.short, clusters.short), *pieces_in_words(result, clusters.short)]
    besides = tag("div", (paragraph(sentence) for sentence in said), class_="besides") if said else None
    return tag("div", _answer(result, groups, clusters), besides)


def _answer(result: Audit, groups: Names, clusters: Names) -> Markup:
    if not n_promises(result):
        return tag("p", tag("strong", "Nothing was promised,"), " so no promise is broken.", class_="verdict")
    wrong = broken(result, groups.short, clusters.short)
    if not wrong:
        return tag(
            "p", tag("strong", "✓ Yes, every promise is kept:"), f" {_kept(result)}.", class_="verdict kept"
        )
    of_all = f"{amount(len(wrong))} of {amount(n_promises(result), 'promise')}"
    told = f"✗ No, {of_all} {agreeing('is', len(wrong))} broken:"
    return tag("p", tag("strong", told), " ", tag("bdi", listed(wrong, most=6)), ".", class_="verdict broken")


def _kept(result: Audit) -> str:
    n = sum(map(bool, result.beta))
    number = {1: "the one group that was", 2: "both groups that were"}.get(
        n, f"all {amount(n)} groups that were"
    )
    clusters = f"{number} promised clusters {agreeing('has', n)} them" if n else ""
    shares = "every share is within its bounds" if result.is_bounded else ""
    sizes = f"every cluster has {_sizes(result)}" if result.is_sized else ""
    return listed(filter(None, (clusters, shares, sizes)), last=" and ")


def _sizes(result: Audit) -> str:
    """What was asked of the size of every cluster."""
    sizes = {*sizes_in_words(result)}
    return f"{sizes.pop()} members" if len(sizes) == 1 else "a size within its own bounds"


def _besides(result: Audit) -> list[Markup]:
    """What was asked of all groups and clusters."""
    said = []
    if result.exclusive and any(result.beta):
        shared = ", so a group may lack clusters although it is represented in as many as it was promised"
        said.append(f"A cluster counts for one group only{shared if any(result.n_lacking) else ''}.")
    if result.is_sized and not result.satisfied:
        said.append(f"Every cluster was to have {_sizes(result)}.")
    return [paragraph(sentence) for sentence in said]


def _state(result: Audit, g: int, lacks: int) -> Cell:
    """Whether what a group was promised is kept."""
    is_out = bool((result.below[g] | result.above[g]).any())
    wrong = [*([f"lacks {amount(lacks)}"] if lacks else []), *(["out of bounds"] if is_out else [])]
    if wrong:
        return Cell(tag("span", f"✗ no, {' and '.join(wrong)}", class_="bad"), 2)
    if result.beta[g] or result.min_share[g] > 0 or result.max_share[g] < 1:
        return Cell(tag("span", "✓ yes", class_="good"), 0)
    return Cell("nothing promised", 1)


def promises(place: int, result: Audit, groups: Names, clusters: Names) -> Markup:
    """The answer, what was asked of all clusters, and a row for each group: promised, has, share needed."""
    answer = [verdict(result, groups, clusters), *_besides(result)]
    if not len(groups):
        return section(place, QUESTION, answer, paragraph("There are no groups."))
    held, lacks = result.n_represented, result.n_lacking
    members: list[float] = result.counts.sum(axis=1).tolist()
    counted = result.represented & result.allowed
    states = [_state(result, g, lacks[g]) for g in range(len(groups))]
    # Broken promises first, then those that were made; within these the order of the data.
    order = sorted(range(len(groups)), key=lambda g: ([2, 0, 1].index(int(states[g].value or 0)), g))
    some_members = any(number != 1 for number in result.min_members)
    rows = []
    for g in order[:_MOST_GROUPS]:
        where = [clusters.short[k] for k in np.flatnonzero(counted[g]).tolist()]
        row = [
            word(groups.whole(g)),
            states[g],
            number(amount(result.beta[g]), result.beta[g]),
            number(amount(held[g]), held[g]),
            number(asked(result.alpha[g]), result.alpha[g]),
        ]
        if some_members:
            row.append(number(amount(result.min_members[g]), result.min_members[g]))
        if result.is_bounded:
            bounds = result.min_share[g], result.max_share[g]
            row.append(Cell(bounds_in_words(*bounds), bounds[0], "number"))
        row += [
            number(amount(members[g]), members[g]),
            word(tag("bdi", listed(where, most=_MOST_CLUSTERS), class_="list") if where else "none"),
        ]
        rows.append(row)
    heads = [
        Head("Group"),
        Head("Kept?"),
        Head("Clusters promised", True, "In how many clusters the group was promised to be represented"),
        Head("Clusters it has", True, "In how many clusters it is represented"),
        Head("Share needed", True, "Share of a cluster's members from which on it represents the group"),
    ]
    if some_members:
        heads.append(
            Head("Members needed", True, "Members of the group that a cluster needs besides to count")
        )
    if result.is_bounded:
        heads.append(Head("In every cluster", True, "Bounds on the share of the group in each cluster"))
    heads += [Head("Members", True), Head("Represented in clusters")]
    caption = "What each group was promised and what it has. Shares are compared exactly, without rounding."
    return section(
        place,
        QUESTION,
        answer,
        table(caption, heads, rows, label="Promises by group", n_in_all=len(groups)),
    )
