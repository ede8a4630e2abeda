"""The question of whether every promise is kept."""

from collections.abc import Sequence

import numpy as np

from minirel.outcome.audit import Audit
from minirel.outcome.pieces import pieces_in_words
from minirel.outcome.remarks import remarks
from minirel.outcome.verdict import bounds_in_words, broken, n_promises, sizes_in_words
from minirel.points.numbers import amount
from minirel.points.percent import asked
from minirel.points.wording import agreeing, listed
from minirel.report.markup import Child, Markup, tag
from minirel.report.names import Names
from minirel.report.page import section
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "Is every promise kept?"
_MOST_GROUPS, _MOST_CLUSTERS = 200, 12
# Height and largest width of what stands for a cluster, and the room for all of them: two such columns and
# a list of clusters have to fit on a page.
_PIP, _ROOM = 12, 72


def verdict(
    result: Audit, groups: Names, clusters: Names, price: Child = None, left_out: Sequence[str] = ()
) -> Markup:
    """The answer in one line, what it costs, and what belongs beside it: who is not in it comes first."""
    said = [
        *left_out,
        *remarks(result, groups.short, clusters.short),
        *pieces_in_words(result, clusters.short),
    ]
    besides = tag("div", (paragraph(sentence) for sentence in said), class_="besides") if said else None
    paid = None if price is None else tag("p", price, class_="price")
    return tag("div", _answer(result, groups, clusters), paid, besides)


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
    return Cell(tag("span", "nothing promised", class_="keep"), 1)


def promises(
    place: int,
    result: Audit,
    groups: Names,
    clusters: Names,
    before: tuple[str, Audit] | None = None,
    price: Child = None,
    left_out: Sequence[str] = (),
) -> Markup:
    """The answer, what was asked of all clusters, and a row for each group: promised, has, share needed.

    `before` is what there was without promises, with its name, `price` what they cost, and
    `left_out` says which rows are not among all these.
    """
    answer = [verdict(result, groups, clusters, price, left_out), *_besides(result)]
    if not len(groups):
        return section(place, QUESTION, answer, paragraph("There are no groups."))
    held, lacks = result.n_represented, result.n_lacking
    members: list[float] = result.counts.sum(axis=1).tolist()
    counted = result.represented & result.allowed
    states = [_state(result, g, lacks[g]) for g in range(len(groups))]
    # Broken promises first, then those that were made; within these the order of the data.
    order = sorted(range(len(groups)), key=lambda g: ([2, 0, 1].index(int(states[g].value or 0)), g))
    largest = max(*held, *result.beta, *(before[1].n_represented if before else ()), 1)
    some_members = any(number != 1 for number in result.min_members)
    rows = []
    for g in order[:_MOST_GROUPS]:
        where = [clusters.short[k] for k in np.flatnonzero(counted[g]).tolist()]
        row = [
            word(groups.whole(g)),
            states[g],
            number(amount(result.beta[g]), result.beta[g]),
            *([] if before is None else [_pips(before[1], g, largest)]),
            _pips(result, g, largest),
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
        Head("Promised", True, "In how many clusters the group was promised to be represented"),
        *(
            []
            if before is None
            else [
                Head(
                    tag("span", before[0], class_="keep"),
                    note=f"In how many clusters it is represented with {before[0]}",
                )
            ]
        ),
        Head("Has" if before is None else "Now", note="In how many clusters it is represented"),
        Head("Share needed", True, "Share of a cluster's members from which on it represents the group"),
    ]
    if some_members:
        heads.append(
            Head("Members needed", True, "Members of the group that a cluster needs besides to count")
        )
    if result.is_bounded:
        heads.append(Head("In every cluster", True, "Bounds on the share of the group in each cluster"))
    heads += [Head("Members", True), Head("In clusters", note="Clusters in which it is represented")]
    caption = "Clusters in which each group is represented. Shares are compared exactly, without rounding."
    return section(
        place,
        QUESTION,
        answer,
        table(caption, heads, rows, label="Promises by group", n_in_all=len(groups), folded=False),
    )


def _pips(result: Audit, g: int, largest: int) -> Cell:
    """The clusters that a group has as full squares, and those it lacks as hollow ones."""
    held, lacks = result.n_represented[g], result.n_lacking[g]
    state = "short" if lacks else "enough" if result.beta[g] else "besides"
    step = min(_PIP, _ROOM / largest)
    wide = 0.75 * step if step > 3 else step  # narrower ones are told apart by nobody
    squares = [
        tag("rect", x=f"{i * step + 1:.1f}", y=1, width=f"{wide:.2f}", height=_PIP - 3, class_=f"pip {kind}")
        for i, kind in enumerate([state] * held + ["lack"] * lacks)
    ]
    picture = tag(
        "svg",
        squares,
        viewBox=f"0 0 {min(largest * _PIP, _ROOM)} {_PIP}",
        width=min(largest * _PIP, _ROOM),
        height=_PIP,
        class_="pips",
        aria_hidden="true",
    )
    return Cell([tag("span", amount(held), class_="count"), picture], held, "keep")
