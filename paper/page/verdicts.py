"""Verdicts as they are shown: with a sign and words, never by colour alone."""

from collections.abc import Iterable, Sequence

from minirel.report.markup import Markup, tag
from paper.claims.claim import Judged, Outcome
from paper.experiments.search import N_SWAPS
from paper.run import SOLVERS

_BADGES: dict[Outcome, tuple[str, str]] = {
    "holds": ("✓", "good"),
    "does not hold": ("✗", "bad"),
    "not tested": ("–", "open"),
}
_WAYS = {
    "certified": "our own solver (certified)",
    "highs": "the paper's integer program, solved by HiGHS (highs)",
    "search": "minirel's search in place of the paper's method (search)",
    "swaps": f"that search and {N_SWAPS} swaps (swaps)",
}


def badge(outcome: Outcome) -> Markup:
    """A verdict."""
    sign, kind = _BADGES[outcome]
    return tag("span", tag("span", f"{sign} ", aria_hidden="true"), outcome, class_=kind)


def way_words(way: str) -> str:
    """What a solver or a search is."""
    return _WAYS.get(way, way)


def ways_of(judged: Iterable[Judged]) -> list[str]:
    """All solvers and searches that there are verdicts for, ours first."""
    found = dict.fromkeys(way for each in judged for way in each.findings)
    return sorted(found, key=lambda way: SOLVERS.index(way) if way in SOLVERS else len(SOLVERS))


def counted(judged: Sequence[Judged], way: str) -> dict[Outcome, int]:
    """How many claims have each verdict."""
    found = [each.findings[way].outcome for each in judged if way in each.findings]
    return {outcome: found.count(outcome) for outcome in _BADGES}
