"""Claims one by one: what the paper says, how it is judged, and what was found."""

from collections.abc import Iterable, Mapping

from minirel.report.markup import Markup, tag
from minirel.report.table import facts, paragraph
from paper.claims.claim import Finding, Judged
from paper.page.verdicts import badge, way_words


def claims_in_full(judged: Iterable[Judged], anchors: Mapping[str, str]) -> list[Markup]:
    """A block a claim."""
    return [_claim(each, anchors[each.claim.name]) for each in judged]


def _claim(each: Judged, anchor: str) -> Markup:
    claim = each.claim
    findings = [
        (f"With {way_words(way)}", [badge(found.outcome), " ", _because(found)])
        for way, found in each.findings.items()
    ]
    return tag(
        "div",
        tag("h3", tag("bdi", claim.name), id=anchor),
        paragraph(claim.says),
        facts([("Where in the paper", claim.place), ("When it holds", claim.rule), *findings]),
        class_="claim",
    )


def _because(found: Finding) -> str:
    return f"because {found.because}." if found.outcome == "not tested" else found.because
