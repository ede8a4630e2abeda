"""An audit as a notebook shows it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from minirel.outcome.remarks import remarks
from minirel.outcome.text_table import short
from minirel.outcome.verdict import broken, n_promises
from minirel.points.glance import glance
from minirel.points.markup import Markup
from minirel.points.numbers import amount
from minirel.points.percent import asked, floored
from minirel.points.wording import agreeing, listed

if TYPE_CHECKING:
    from minirel.outcome.findings import Audit

_LONGEST, _MOST_CLUSTERS = 40, 8


def audit_html(audit: "Audit", notes: Iterable[str] = ()) -> Markup:
    """The verdict, what each group was promised and has, and what belongs beside it."""
    groups = [short(name, _LONGEST) for name in audit.groups]
    clusters = [short(name, _LONGEST) for name in audit.clusters]
    wrong = broken(audit, groups, clusters)
    n_made = n_promises(audit)
    if wrong:
        broken_of = f"{len(wrong)} of {amount(n_made, 'promise')} {agreeing('is', len(wrong))} broken"
        verdict = f"\N{BALLOT X} {broken_of}: {listed(wrong, most=4)}."
    else:
        verdict = "\N{CHECK MARK} Every promise is kept." if n_made else "Nothing was promised."
    counts = audit.represented & audit.allowed
    # What is promised first, and of that what is broken.
    order = sorted(range(len(groups)), key=lambda g: (-audit.n_lacking[g], audit.beta[g] == 0, g))
    rows = [
        [
            groups[g],
            amount(audit.beta[g]),
            amount(audit.n_represented[g]),
            asked(audit.alpha[g]),
            floored(float(audit.shares[g].max())) if audit.shares[g].size else "-",
            listed([clusters[k] for k in counts[g].nonzero()[0].tolist()], most=_MOST_CLUSTERS) or "none",
        ]
        for g in order
    ]
    heads = ["group", "promised", "has", "share needed", "largest share", "in clusters"]
    said = [*notes, *remarks(audit, groups, clusters)]
    return glance(verdict, heads, rows, said, kept=not wrong if n_made else None)
