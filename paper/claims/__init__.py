"""The paper's claims, one by one, and the verdicts on them."""

from paper.claims import (
    fairness,
    full_program,
    opening,
    prefix,
    theory,
    times,
    warm_start,
)
from paper.claims.claim import Claim, Finding, Judged
from paper.experiments.search import SEARCHES
from paper.results import Results

__all__ = ["CLAIMS", "Claim", "Finding", "Judged", "judge"]

# In the order of the paper.
CLAIMS = (
    *opening.CLAIMS,
    *theory.CLAIMS,
    *warm_start.CLAIMS,
    *prefix.CLAIMS,
    *full_program.CLAIMS,
    *fairness.CLAIMS,
    *times.CLAIMS,
)


def judge(results: Results) -> list[Judged]:
    """Every claim with a verdict for each solver that was used, and for search where it has a part."""
    solvers = results.solvers or ["certified"]
    judged = []
    for claim in CLAIMS:
        ways = [*solvers, *(SEARCHES if claim.searched else ())]
        judged.append(Judged(claim, {way: claim.judge(results, way) for way in ways}))
    return judged
