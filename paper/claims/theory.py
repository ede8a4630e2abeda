"""Sections 2 and 3: what is proved rather than measured."""

from paper.claims.claim import Claim, Finding, found
from paper.claims.measures import finished
from paper.data import ALL_DATA
from paper.experiments.comparison import FAIR
from paper.results import NotTestedError, Results


def _converges(results: Results, solver: str) -> Finding:
    rows = finished(results.need("times", solver, data=ALL_DATA, methods=FAIR))
    settled = rows["stopped"] == "converged"
    return found(
        bool(settled.all()),
        f"{int(settled.sum()):,} of {len(rows):,} fits settled, after {rows['iterations'].mean():.1f} "
        f"iterations on average and at most {rows['iterations'].max()}.",
    )


def _proved(results: Results, solver: str) -> Finding:
    raise NotTestedError("it is a theorem with a proof, which runs can neither confirm nor refute")


def _preserved(results: Results, solver: str) -> Finding:
    raise NotTestedError(
        "it is a statement about the best possible choice of holders, which no way of choosing finds for "
        "sure; what the choices made here cost is judged above"
    )


CLAIMS = (
    Claim(
        name="MiniReL converges",
        experiment="times",
        place="Section 2, theorem on convergence",
        says="MiniReL converges to a local optimum in finite time.",
        rule="Every fit settles before its 100 iterations are used up.",
        test=_converges,
    ),
    Claim(
        name="Fair assignment is hard",
        experiment=None,
        place="Section 2, theorem on complexity",
        says="Even finding a feasible fair assignment is NP-complete.",
        rule="None: it is proved.",
        test=_proved,
    ),
    Claim(
        name="Pre-fixing can keep the optimum",
        experiment=None,
        place="Section 3.2",
        says="Where a cluster can represent one group only, pre-fixing preserves the optimal solution.",
        rule="None: it speaks of the right holders, not of those that are chosen.",
        test=_preserved,
    ),
)
