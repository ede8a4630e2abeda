"""The scale of costs and weights: their products and sums must stay well within the range of a double."""

import math

from minirel.points.errors import ParameterValueError
from minirel.points.messages import Message, Parameter
from minirel.points.weights import Weights

# Prices, temperatures and squares are made of these, so there is room left on either side.
LEAST, MOST = 1e-250, 1e250
_RANGE = f"between {LEAST:g} and {MOST:g}"


def check_scale(
    parameter: str, value: object, what: str, amount: float, weights: Weights, n_points: int
) -> None:
    """Refuse costs, by weight or without, that would overflow or vanish in products and sums.

    `amount` is about as much as `what`, such as "costs", add up to without weights; 0 if all of them are 0.
    """
    rule = f"must have {what} that add up to a number {_RANGE}"
    if not math.isfinite(amount):
        raise ParameterValueError(parameter, rule, value, f"scale {parameter} down", found="they overflow")
    if amount and not LEAST <= amount <= MOST:
        way_out = f"scale {parameter} {_way(amount)}"
        raise ParameterValueError(parameter, rule, value, way_out, found=f"they come to about {amount:.1e}")
    weight = float(weights.total(n_points) * weights.unit)
    if not LEAST <= weight <= MOST:
        rule, found = f"must add up to a number {_RANGE}", f"it comes to {weight:.1e}"
        raise ParameterValueError("sample_weight", rule, weight, f"scale it {_way(weight)}", found=found)
    if amount and not LEAST <= weight * amount <= MOST:
        raise ParameterValueError(
            parameter,
            Message(
                f"must have {what} that, times ", Parameter("sample_weight"), f", come to a number {_RANGE}"
            ),
            value,
            Message(f"scale {parameter} or ", Parameter("sample_weight"), f" {_way(weight * amount)}"),
            found=f"they come to about {amount:.1e} times {weight:.1e}",
        )


def _way(number: float) -> str:
    return "down" if number > 1 else "up"
