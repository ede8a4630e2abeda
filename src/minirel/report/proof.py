"""The question of how good the answer is, and what is proven."""

from collections.abc import Sequence

from minirel.clustering.history import Iteration
from minirel.outcome.proven import covers, says
from minirel.outcome.result import Result
from minirel.points.numbers import amount, at_least, at_most, cost
from minirel.points.percent import gap
from minirel.points.wording import listed
from minirel.report.markup import Markup
from minirel.report.names import Names
from minirel.report.page import section
from minirel.report.table import Cell, Head, facts, number, paragraph, table

QUESTION = "How good is this answer, and what is proven?"
_MOST_ITERATIONS, _MOST_GROUPS, _MOST_CLUSTERS = 30, 12, 12
# Gaps that do not show in the digits of a cost.
_UNSEEN = 1e-8


def in_short(result: Result) -> str:
    """The answer in one sentence."""
    scope = covers(result)
    if result.status == "optimal":
        return f"It is proven to be the cheapest that keeps every promise, for {scope}."
    if not result.lower_bound > 0:
        return "It keeps every promise, but how close it is to the cheapest has not been proven."
    least = gap(result.gap)
    return f"It is proven that nothing that keeps every promise is more than {least} cheaper, for {scope}."


def proof(place: int, result: Result, groups: Names) -> Markup:
    """Gap, bound, status and what they cover."""
    closed, proven = result.lower_bound == result.cost, result.lower_bound > 0
    bound = cost(result.lower_bound) if closed else at_least(result.lower_bound) if proven else "0"
    room = "nothing" if closed else gap(result.gap) if proven else "not known"
    scope = covers(result)
    iterations = [record for record in result.history if not record.swap]
    swaps = [record for record in result.history if record.swap]
    paid = [record.paid for record in swaps]
    terms = [
        ("Cost of this clustering", cost(result.cost) if closed else at_most(result.cost)),
        (f"For {scope}, no answer can cost less than", bound),
        (f"So, for {scope}, it can be improved by at most", room),
        ("Status", f"{result.status}: {says(result.status, result.stop)}"),
        ("What the proof covers", _scope(result, groups)),
        (
            "What it does not cover",
            "Other centers"
            + ("" if result.covers == "free" or not result.prefix else ", and other holders")
            + ". The method improves centers and clusters in turns until nothing changes, so another start "
            "may end with a cheaper answer; more starts (n_init, --n-init) and swaps of centers (n_swaps, "
            "--swaps) look for one.",
        ),
        (
            "Work done",
            f"{amount(len(iterations), 'round')} of improvement, "
            + ("from one start" if result.n_init == 1 else f"the best of {amount(result.n_init)} starts")
            + (f", and {amount(len(swaps), 'swap')}, of which {sum(paid)} paid." if swaps else "."),
        ),
    ]
    return section(
        place,
        QUESTION,
        paragraph(in_short(result), class_="answer"),
        facts(terms),
        _rounds(result.history),
    )


def _scope(result: Result, groups: Names) -> str:
    everyone = "Every way to put the points into clusters around these centers that keeps all promises"
    if result.covers == "free":
        return f"{everyone}, whichever clusters serve which groups."
    if not result.prefix:
        return f"{everyone}."
    served: dict[int, list[str]] = {}
    for g, k in result.holders:
        served.setdefault(g, []).append(str(k))
    pairs = [f"{groups.short[g]} in {listed(served[g], most=_MOST_CLUSTERS)}" for g in sorted(served)]
    more = f"; and {amount(len(pairs) - _MOST_GROUPS)} more groups" if len(pairs) > _MOST_GROUPS else ""
    return (
        f"{everyone} with these holders: {'; '.join(pairs[:_MOST_GROUPS])}{more}. Another choice "
        "of which cluster serves which group could be cheaper."
    )


def _rounds(history: Sequence[Iteration]) -> Markup:
    shown = history[-_MOST_ITERATIONS:]
    rows = [
        (
            Cell(str(record.iteration), float(record.iteration)),
            number(cost(record.cost) if record.gap < _UNSEEN else at_most(record.cost), record.cost),
            number(cost(record.bound) if record.gap < _UNSEEN else at_least(record.bound), record.bound),
            number(gap(record.gap), record.gap),
        )
        for record in shown
    ]
    heads = [Head("Round"), Head("Cost", True), Head("Proven bound", True), Head("Gap", True)]
    caption = (
        "How the cost fell from round to round. Each bound is proven for the centers and holders of its "
        "round, not for others."
    )
    if len(shown) < len(history):
        caption += f" The last {len(shown)} of {amount(len(history))} are shown."
    return table(caption, heads, rows, label="Rounds of improvement", fixed=True, folded=True)
