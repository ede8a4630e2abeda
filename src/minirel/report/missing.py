"""The question of what is missing."""

import math
from collections.abc import Sequence

import numpy as np

from minirel.outcome.audit import Audit
from minirel.outcome.verdict import n_promises, sizes_in_words
from minirel.points.numbers import amount
from minirel.points.percent import asked
from minirel.report.markup import Markup, tag
from minirel.report.names import Names
from minirel.report.page import section
from minirel.report.shares import out_of_bounds, shown_share
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "What is missing?"
_MOST_ROWS, _MOST_EACH = 200, 3


def missing(
    place: int, result: Audit, groups: Names, clusters: Names, left_out: Sequence[str] = ()
) -> Markup:
    """For each broken promise, the clusters that come closest to keeping it; then rows that were left out."""
    besides = [paragraph(sentence) for sentence in left_out]
    lacks = result.n_lacking
    lacking = [g for g in range(len(groups)) if lacks[g]]
    if result.satisfied:
        nothing = "Nothing of what was promised" if besides else "Nothing"
        said = "every promise is kept." if n_promises(result) else "nothing was promised."
        return section(place, QUESTION, paragraph(f"{nothing}: {said}", class_="answer"), besides)
    return section(
        place,
        QUESTION,
        _clusters(result, lacking, groups, clusters) if lacking else None,
        _out_of_bounds(result, groups, clusters),
        _wrong_sizes(result, clusters),
        besides,
    )


def _clusters(result: Audit, lacking: list[int], groups: Names, clusters: Names) -> list[Markup]:
    """The clusters that come closest to what the groups lack."""
    lacks = result.n_lacking
    rows = []
    for g in lacking:
        total = result.counts[g].sum().item()
        candidates = np.flatnonzero(result.allowed[g] & ~result.represented[g])
        order = candidates[np.lexsort((candidates, result.shortfall[g, candidates]))]
        for k in order[: max(lacks[g], _MOST_EACH)].tolist():
            count = result.counts[g, k].item()
            lack, elsewhere = float(result.shortfall[g, k]), total - count
            if math.isinf(lack):
                remark = "others would have to leave: the group needs the cluster to itself"
            elif count < result.min_members[g] and lack <= elsewhere:
                remark = f"needs at least {amount(result.min_members[g], 'member')}"
            elif lack > elsewhere:
                remark = "the group has too few members elsewhere: others would have to leave"
            else:
                remark = "–"
            rows.append(
                (
                    word(groups.of(g)),
                    number(amount(lacks[g]), lacks[g]),
                    Cell(clusters.of(k), float(k)),
                    number(shown_share(result, g, k), float(result.shares[g, k])),
                    number(asked(result.alpha[g]), result.alpha[g]),
                    number("–" if math.isinf(lack) else amount(lack), lack),
                    number(amount(elsewhere), elsewhere),
                    word(tag("span", remark, class_="remark") if remark != "–" else remark),
                )
            )
    heads = [
        Head("Group"),
        Head("Clusters it lacks", True),
        Head("Closest clusters"),
        Head("Share", True),
        Head("Share needed", True),
        Head("Members missing", True, "How many more members would have to join, all else unchanged"),
        Head("Members elsewhere", True, "Members of the group in all the other clusters"),
        Head("Remark"),
    ]
    caption = (
        "The clusters in which each group is closest to being represented, and how many more of its members "
        "would have to join, all else unchanged."
    )
    shared = "Clusters count for one group only: another may have those in which a group is represented. "
    lead = paragraph(
        shared if result.exclusive else None,
        "Members that join one cluster leave another, so these numbers say how far off a promise is, "
        "not how to keep all of them at once; minirel can find clusters that do.",
        class_="answer",
    )
    if not rows:
        return [lead]
    return [lead, table(caption, heads, rows[:_MOST_ROWS], label="What is missing", n_in_all=len(rows))]


def _out_of_bounds(result: Audit, groups: Names, clusters: Names) -> Markup | None:
    """The shares that are out of the bounds for every cluster."""
    places = np.argwhere(result.below | result.above).tolist()
    if not places:
        return None
    rows = [
        (
            word(groups.of(g)),
            Cell(clusters.of(k), float(k)),
            number(shown_share(result, g, k), float(result.shares[g, k])),
            word(out_of_bounds(result, g, k)),
            number(amount(result.counts[g, k].item()), result.counts[g, k].item()),
            number(amount(result.sizes[k].item()), result.sizes[k].item()),
        )
        for g, k in places[:_MOST_ROWS]
    ]
    heads = [
        Head("Group"),
        Head("Cluster"),
        Head("Share", True),
        Head("Which is"),
        Head("Members", True),
        Head("Of", True, "Members of the cluster"),
    ]
    caption = "Shares that are out of the bounds for every cluster."
    return table(caption, heads, rows, label="Shares out of bounds", n_in_all=len(places))


def _wrong_sizes(result: Audit, clusters: Names) -> Markup | None:
    """The clusters that are too small or too large."""
    places = np.flatnonzero(result.too_small | result.too_large).tolist()
    if not places:
        return None
    asked = sizes_in_words(result)
    rows = [
        (
            Cell(clusters.of(k), float(k)),
            number(amount(result.sizes[k].item()), result.sizes[k].item()),
            Cell(asked[k], class_="number"),
        )
        for k in places[:_MOST_ROWS]
    ]
    heads = [Head("Cluster"), Head("Size", True), Head("Size asked for", True)]
    return table(
        "Clusters that are too small or too large.", heads, rows, label="Sizes", n_in_all=len(places)
    )
