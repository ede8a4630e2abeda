"""A claim of the paper, and what a reproduction says of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    """

    name: str
    experiment: str | None
    place: str
    says: str
    rule: str
    test: Callable[[Results, str], Finding]

    def judge(self, results: Results, solver: str) -> Finding:
        """The verdict: where anything it needs is missing, it is not tested, and why."""
        try:
            return self.test(results, solver)
        except NotTestedError as why:
            return Finding("not tested", str(why))


@dataclass(frozen=True)
class Judged:
    """A claim with its findings, one for each solver, ours first."""

    claim: Claim
    findings: dict[str, Finding]
