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
    """Every claim with a verdict for each solver that was used."""
    solvers = results.solvers or ["certified"]
    return [Judged(claim, {solver: claim.judge(results, solver) for solver in solvers}) for claim in CLAIMS]
