"""The question of what is missing."""

import math

import numpy as np

from minirel.outcome.audit import Audit
from minirel.report.markup import Markup, tag
from minirel.report.names import Names
from minirel.report.numbers import amount, needed, share
from minirel.report.page import section
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "What is missing?"
_MOST_ROWS, _MOST_EACH = 200, 3


def missing(place: int, result: Audit, groups: Names, clusters: Names) -> Markup:
    """For each broken promise, the clusters that come closest to keeping it."""
    lacks = result.n_lacking
    lacking = [g for g in range(len(groups)) if lacks[g]]
    if not lacking:
        said = "Nothing: every promise is kept." if any(result.beta) else "Nothing, as nothing was promised."
        return section(place, QUESTION, paragraph(said, class_="answer"))
    rows = []
    for g in lacking:
        total = result.counts[g].sum().item()
        candidates = np.flatnonzero(result.allowed[g] & ~result.represented[g])
        order = candidates[np.lexsort((candidates, result.shortfall[g, candidates]))]
        for k in order[: max(lacks[g], _MOST_EACH)].tolist():
            count, size = result.counts[g, k].item(), result.sizes[k].item()
            lack, elsewhere = float(result.shortfall[g, k]), total - count
            if math.isinf(lack):
                remark = "others would have to leave: the group needs the cluster to itself"
            elif lack > elsewhere:
                remark = "the group has too few members elsewhere: others would have to leave"
            else:
                remark = "–"
            rows.append(
                (
                    word(groups.of(g)),
                    number(amount(lacks[g]), lacks[g]),
                    Cell(clusters.of(k), float(k)),
                    number(share(count, size, result.alpha[g], False), float(result.shares[g, k])),
                    number(needed(result.alpha[g]), result.alpha[g]),
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
    return section(
        place,
        QUESTION,
        paragraph(
            "Members that join one cluster leave another, so these numbers say how far off a promise is, "
            "not how to keep all of them at once; minirel can find clusters that do.",
            class_="answer",
        ),
        table(caption, heads, rows[:_MOST_ROWS], label="What is missing", n_in_all=len(rows)),
    )
