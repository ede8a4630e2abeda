"""An assignment as a notebook shows it."""

from typing import TYPE_CHECKING

from minirel.points.glance import glance
from minirel.points.markup import Markup
from minirel.points.numbers import amount, at_least, at_most
from minirel.points.percent import floored, gap
from minirel.points.wording import listed

if TYPE_CHECKING:
    from minirel.assignment.solve import Assignment

_LONGEST, _MOST_CLUSTERS = 40, 8


def assignment_html(answer: "Assignment") -> Markup:
    """The proof, and who holds which clusters with which shares."""
    proof = f"Cost {at_most(answer.cost)}, proven to be at least {at_least(answer.lower_bound)}"
    verdict = f"\N{CHECK MARK} Every promise is kept. {proof} ({answer.status}, gap {gap(answer.gap)})."
    certificate = answer.certificate
    names = answer.groups or tuple(range(len(certificate.members)))
    holders = {name: [k for group, k in answer.prefix if group == name] for name in names}
    sizes, totals = certificate.sizes, certificate.totals
    rows = []
    for g, name in enumerate(names):
        shares = [
            f"{k} ({floored(float(certificate.members[g, k] / max(totals[k], 1)))})" for k in holders[name]
        ]
        rows.append(
            [
                str(name)[:_LONGEST],
                amount(len(shares)),
                amount(int(certificate.represented[g].sum())),
                listed(shares, most=_MOST_CLUSTERS) or "none",
            ]
        )
    covers = "whoever holds which cluster" if answer.covers == "free" else "for these holders"
    heads = ["group", "holds", "represented in", "its clusters, with its share"]
    counts = f"{amount(len(answer.labels), 'point')} in {amount(len(sizes), 'cluster')}"
    return glance(verdict, heads, rows, [f"{counts}; the bound is true {covers}."], kept=True)
