"""What comes first: how many claims hold, what was left out, and all verdicts in one table."""

from collections.abc import Mapping, Sequence

from minirel.points.numbers import amount
from minirel.report.markup import Child, Markup, tag
from minirel.report.table import Cell, Head, paragraph, table, word
from paper.claims.claim import Judged
from paper.page.verdicts import badge, counted, way_words, ways_of
from paper.results import Results


def lead(results: Results, judged: Sequence[Judged]) -> list[Child]:
    """The verdicts in numbers, and what they do not cover."""
    plan = results.plan
    said: list[Child] = [
        paragraph(
            "The experiments of the paper “Fair Minimum Representation Clustering”, run anew, and each of "
            "its claims judged by a rule that is written beside it.",
            class_="about",
        )
    ]
    said += [_in_short(judged, way) for way in ways_of(judged)]
    if plan.quick:
        said.append(
            paragraph(
                tag("b", "This is the quick reproduction: "),
                "samples of the data, few numbers of clusters and few seeds. It shows that everything runs; "
                "its verdicts are about the samples, not about the paper's data.",
            )
        )
    for data, why in plan.left_out.items():
        said.append(paragraph(tag("b", f"Left out is the data set {data}: "), f"{why}."))
    return said


def _in_short(judged: Sequence[Judged], way: str) -> Markup:
    number = counted(judged, way)
    holds, fails, open_ = number["holds"], number["does not hold"], number["not tested"]
    return paragraph(
        f"With {way_words(way)}, of {amount(holds + fails + open_, 'claim')} ",
        tag("b", f"{amount(holds)} {'holds' if holds == 1 else 'hold'}, "),
        tag("b", f"{amount(fails)} {'does' if fails == 1 else 'do'} not hold"),
        f" and {amount(open_)} {'is' if open_ == 1 else 'are'} not tested.",
        class_="verdict",
    )


def claims_table(judged: Sequence[Judged], anchors: Mapping[str, str]) -> Markup:
    """Every claim with its verdicts."""
    ways = ways_of(judged)
    rows = [
        [
            word(tag("a", tag("bdi", each.claim.name), href=f"#{anchors[each.claim.name]}")),
            *(_verdict(each, way) for way in ways),
            word(each.claim.place),
        ]
        for each in judged
    ]
    heads = [
        Head("Claim"),
        *(Head(f"With {way}", note=way_words(way)) for way in ways),
        Head("Where in the paper"),
    ]
    caption = (
        "All claims in the order of the paper. Each leads to what it rests on. Where search has no part in a "
        "claim, there is no verdict on it."
    )
    return tag("div", table(caption, heads, rows, label="All claims"), class_="whole")


def _verdict(each: Judged, way: str) -> Cell:
    return word(badge(each.findings[way].outcome) if way in each.findings else "")
