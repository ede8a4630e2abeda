"""Numbers for people, rounded so that they never say too much."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from minirel.points.wording import agreeing

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MINUS = "−"
# Significant digits of a cost, and of what is compared at a glance.
_COST_DIGITS, _ROUGH_DIGITS = 7, 4


def amount(number: float, noun: str = "") -> str:
    """A count or a weight, with separators: 48,842, or 48,842 points."""
    shown = f"{int(number):,}" if float(number).is_integer() and abs(number) < 1e15 else cost(number)
    return f"{shown} {agreeing(noun, number)}" if noun else shown


def cost(number: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A cost to seven digits: 1,234.567."""
    return _to_digits(number, _COST_DIGITS, rounding)


def rough(number: float) -> str:
    """A cost to four digits, for what is compared at a glance."""
    return _to_digits(number, _ROUGH_DIGITS)


def change(number: float) -> str:
    """A difference with its sign, to four digits."""
    return ("+" if number > 0 else "") + rough(number)


def at_least(number: float) -> str:
    """A lower bound, rounded down."""
    return cost(number, ROUND_FLOOR)


def at_most(number: float) -> str:
    """A cost next to its lower bound, rounded up."""
    return cost(number, ROUND_CEILING)


def _to_digits(number: float, digits: int, rounding: str = ROUND_HALF_EVEN) -> str:
    if math.isnan(number) or math.isinf(number):
        return "not known" if math.isnan(number) else ("∞" if number > 0 else f"{_MINUS}∞")
    exact = Decimal(float(number))
    exponent = exact.adjusted() if exact else 0
    if not -5 <= exponent < 15:
        shown = exact.scaleb(-exponent).quantize(Decimal("0.0001"), rounding)
        return signed(f"{shown.normalize():f} × 10{str(exponent).translate(_SUPERSCRIPTS)}")
    if exact == exact.to_integral_value():
        return signed(f"{exact.to_integral_value():,f}")
    return signed(f"{exact.quantize(Decimal(1).scaleb(min(exponent - digits + 1, 0)), rounding):,f}")


def signed(shown: str) -> str:
    """With the sign that is as wide as a plus."""
    return shown.replace("-", _MINUS)
