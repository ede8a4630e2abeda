"""The question of how good the answer is, and what is proven."""

from collections.abc import Sequence

from minirel.clustering.history import Iteration
from minirel.estimator import MiniReL
from minirel.outcome.proven import STATUSES, covers
from minirel.report.markup import Markup
from minirel.report.names import Names
from minirel.report.numbers import amount, at_least, at_most, cost, gap, listed
from minirel.report.page import section
from minirel.report.table import Cell, Head, facts, number, paragraph, table

QUESTION = "How good is this answer, and what is proven?"
_MOST_ITERATIONS, _MOST_GROUPS = 30, 12
# Gaps that do not show in the digits of a cost.
_UNSEEN = 1e-8


def in_short(model: MiniReL) -> str:
    """The answer in one sentence."""
    scope = covers(model.assignment_)
    if model.status_ == "optimal":
        return f"It is proven to be the cheapest that keeps every promise, for {scope}."
    if not model.lower_bound_ > 0:
        return "It keeps every promise, but how close it is to the cheapest has not been proven."
    least = gap(model.gap_)
    return f"It is proven that nothing that keeps every promise is more than {least} cheaper, for {scope}."


def proof(place: int, model: MiniReL, groups: Names) -> Markup:
    """Gap, bound, status and what they cover."""
    closed, proven = model.lower_bound_ == model.inertia_, model.lower_bound_ > 0
    bound = cost(model.lower_bound_) if closed else at_least(model.lower_bound_) if proven else "0"
    room = "nothing" if closed else gap(model.gap_) if proven else "not known"
    scope = covers(model.assignment_)
    terms = [
        ("Cost of this clustering", cost(model.inertia_) if closed else at_most(model.inertia_)),
        (f"For {scope}, no answer can cost less than", bound),
        (f"So, for {scope}, it can be improved by at most", room),
        ("Status", f"{model.status_}: {STATUSES[model.status_]}"),
        ("What the proof covers", _scope(model, groups)),
        (
            "What it does not cover",
            "Other centers"
            + ("" if model.assignment_.covers == "free" or not model.prefix_ else ", and other holders")
            + ". The method improves centers and clusters in turns until nothing changes, so another start "
            "may end with a cheaper answer; more starts (n_init, --n-init) look for one.",
        ),
        (
            "Work done",
            f"{amount(model.n_iter_, 'round')} of improvement, "
            + ("from one start." if model.n_init == 1 else f"the best of {amount(model.n_init)} starts."),
        ),
    ]
    return section(
        place,
        QUESTION,
        paragraph(in_short(model), class_="answer"),
        facts(terms),
        _rounds(model.history_),
    )


def _scope(model: MiniReL, groups: Names) -> str:
    everyone = "Every way to put the points into clusters around these centers that keeps all promises"
    if model.assignment_.covers == "free":
        return f"{everyone}, whichever clusters serve which groups."
    if not model.prefix_:
        return f"{everyone}."
    at = {name: g for g, name in enumerate(model._record.fairness.names)}
    served: dict[int, list[str]] = {}
    for name, k in model.prefix_:
        served.setdefault(at[name], []).append(str(k))
    pairs = [f"{groups.short[g]} in {listed(served[g])}" for g in sorted(served)]
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
    return table(caption, heads, rows, label="Rounds of improvement", fixed=True)
