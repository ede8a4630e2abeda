"""Verdicts as they are shown: with a sign and words, never by colour alone."""

from collections.abc import Iterable, Sequence

from minirel.report.markup import Markup, tag
from paper.claims.claim import Judged, Outcome
from paper.run import SOLVERS

_BADGES: dict[Outcome, tuple[str, str]] = {
    "holds": ("✓", "good"),
    "does not hold": ("✗", "bad"),
    "not tested": ("–", "open"),
}
_SOLVERS = {
    "certified": "our own solver (certified)",
    "highs": "the paper's integer program, solved by HiGHS (highs)",
}


def badge(outcome: Outcome) -> Markup:
    """A verdict."""
    sign, kind = _BADGES[outcome]
    return tag("span", tag("span", f"{sign} ", aria_hidden="true"), outcome, class_=kind)


def solver_words(solver: str) -> str:
    """What a solver is."""
    return _SOLVERS.get(solver, solver)


def solvers_of(judged: Iterable[Judged]) -> list[str]:
    """All solvers that there are verdicts for, ours first."""
    found = dict.fromkeys(solver for each in judged for solver in each.findings)
    return sorted(found, key=lambda solver: SOLVERS.index(solver) if solver in SOLVERS else len(SOLVERS))


def counted(judged: Sequence[Judged], solver: str) -> dict[Outcome, int]:
    """How many claims have each verdict."""
    found = [each.findings[solver].outcome for each in judged if solver in each.findings]
    return {outcome: found.count(outcome) for outcome in _BADGES}
