"""Numbers for people, rounded so that they never claim too much."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from minirel.points.wording import agreeing

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MINUS = "−"
# Significant digits of a cost, of what is compared at a glance, and of a share that was asked for.
_COST_DIGITS, _ROUGH_DIGITS, _ALPHA_DIGITS = 7, 4, 6
_TINY_GAP = 1e-6


def amount(number: float, noun: str = "") -> str:
    """A count or a weight, with separators: 48,842, or 48,842 points."""
    shown = f"{int(number):,}" if float(number).is_integer() and abs(number) < 1e15 else cost(number)
    return f"{shown} {agreeing(noun, number)}" if noun else shown


def share(count: float, size: float, alpha: float, enough: bool | None) -> str:
    """A share in percent, rounded down: it reads as enough only if it is `enough`; None if that is open."""
    if not size or not count:
        return "0.0%"
    part = Fraction(count) / Fraction(size)
    tenths = math.floor(1000 * part)
    # With weights the counts may be rounded doubles; what was compared exactly has the last word.
    least = math.ceil(1000 * Fraction(repr(float(alpha))))
    if enough is False:
        tenths = min(tenths, least - 1) if part >= Fraction(repr(float(alpha))) else tenths
    elif enough and least == 1000 * Fraction(repr(float(alpha))):
        tenths = max(tenths, least)
    return f"{tenths // 10}.{tenths % 10}%" if tenths > 0 else "under 0.1%"


def needed(alpha: float) -> str:
    """A share that was asked for, in percent: 51%."""
    exact = Decimal(repr(float(alpha))) * 100
    rounded = Decimal(f"{exact:.{_ALPHA_DIGITS}g}")
    return f"{rounded.normalize():f}%" if rounded == exact else f"about {rounded.normalize():f}%"


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


def percent(part: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A share of a whole in percent, with at least two digits: 12.3%, 0.0031%."""
    if not math.isfinite(part):
        return "not known"
    if part == 0:
        return "0%"
    exact = Decimal(float(part)) * 100
    step = Decimal(1).scaleb(min(exact.adjusted() - 1, -1))
    shown = exact.quantize(step, rounding)
    if exact.adjusted() < -7 or exact.adjusted() > 8:
        return f"{cost(float(exact), rounding)}%"
    return _signed(f"{shown:,f}%")


def growth(new: float, old: float) -> str:
    """By how much `new` is above `old`, in percent with its sign."""
    if old == 0:
        return "0%" if new == 0 else "from nothing"
    part = (new - old) / abs(old)
    return ("+" if part > 0 else "") + percent(part)


def gap(part: float) -> str:
    """A gap in percent, rounded up."""
    return percent(part, ROUND_CEILING) if part == 0 or part >= _TINY_GAP else "under 0.0001%"


def _to_digits(number: float, digits: int, rounding: str = ROUND_HALF_EVEN) -> str:
    if math.isnan(number) or math.isinf(number):
        return "not known" if math.isnan(number) else ("∞" if number > 0 else f"{_MINUS}∞")
    exact = Decimal(float(number))
    exponent = exact.adjusted() if exact else 0
    if not -5 <= exponent < 15:
        shown = exact.scaleb(-exponent).quantize(Decimal("0.0001"), rounding)
        return _signed(f"{shown.normalize():f} × 10{str(exponent).translate(_SUPERSCRIPTS)}")
    if exact == exact.to_integral_value():
        return _signed(f"{exact.to_integral_value():,f}")
    return _signed(f"{exact.quantize(Decimal(1).scaleb(min(exponent - digits + 1, 0)), rounding):,f}")


def _signed(shown: str) -> str:
    return shown.replace("-", _MINUS)
