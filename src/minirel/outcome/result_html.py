"""The result of a fit as a notebook shows it."""

from minirel.outcome.audit_html import audit_html
from minirel.outcome.proven import covers
from minirel.outcome.result import Result
from minirel.points.markup import Markup
from minirel.points.numbers import rough
from minirel.points.percent import gap, growth


def result_html(result: Result) -> Markup:
    """The promises, what they cost, and what is proven."""
    start = float(result.weights.times(result.trace.start.cost).sum())
    paid = f"Cost {rough(result.cost)}, {growth(result.cost, start)} against {result.compared_with}."
    if result.status == "optimal":
        proof = f"Proven to be the cheapest for {covers(result)}."
    elif result.lower_bound > 0:
        proof = f"{result.status.capitalize()}: proven to be within {gap(result.gap)} for {covers(result)}."
    else:
        proof = "How close it is to the cheapest has not been proven."
    return audit_html(result.audit, [f"{paid} {proof}"])
