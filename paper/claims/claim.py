"""A claim of the paper, and what a reproduction says of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from paper.experiments.search import SEARCHES
from paper.results import NotTestedError, Results

Outcome: TypeAlias = Literal["holds", "does not hold", "not tested"]


@dataclass(frozen=True)
class Finding:
    """The verdict, and the numbers that it rests on."""

    outcome: Outcome
    because: str


def found(it_holds: bool, because: str) -> Finding:
    """The verdict of a test that could be made."""
    return Finding("holds" if it_holds else "does not hold", because)


@dataclass(frozen=True)
class Claim:
    """What the paper says, and how it is judged.

    Attributes
    ----------
    name : str
        Short name.
    experiment : str or None
        The experiment that it is judged by; None if none can.
    place : str
        Where the paper says it.
    says : str
        What it says, in our words.
    rule : str
        When it holds, in words.
    test : callable
        Judges the results with one solver; raises `NotTestedError` where data is missing.
    searched : callable or None
        Judges in the same way what one of `SEARCHES` makes of it; None where search has no part in it.
    """

    name: str
    experiment: str | None
    place: str
    says: str
    rule: str
    test: Callable[[Results, str], Finding]
    searched: Callable[[Results, str], Finding] | None = None

    def judge(self, results: Results, way: str) -> Finding:
        """The verdict for a solver or a search: where anything it needs is missing, not tested, and why."""
        test = self.searched if self.searched is not None and way in SEARCHES else self.test
        try:
            return test(results, way)
        except NotTestedError as why:
            return Finding("not tested", str(why))


@dataclass(frozen=True)
class Judged:
    """A claim with its findings: of the paper's method by solver, ours first, then of each search."""

    claim: Claim
    findings: dict[str, Finding]
