"""Percentages: one look for every message, page and picture, rounded so that they never say too much."""

import math
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from minirel.points.numbers import cost, signed

_TINY_GAP = 1e-6


def asked(share: float | Fraction) -> str:
    """A share that is asked for, to six digits: 51%, 33.3333%."""
    return f"{Decimal(f'{100 * float(share):.6g}').normalize():f}%"


def floored(share: float, places: int = 1) -> str:
    """A share that somebody has, rounded down: nothing short of 51% reads 51%, and nobody is 0.0%."""
    steps = math.floor(100 * 10**places * share + 1e-9)
    return f"{steps / 10**places:.{places}f}%" if steps or not share else f"<{10.0**-places:g}%"


def of_cluster(count: float, size: float, alpha: float, enough: bool | None) -> str:
    """A share of a cluster that reads as enough only if it is `enough`; None if that is open."""
    if not size or not count:
        return floored(0)
    part, least = Fraction(count) / Fraction(size), Fraction(repr(float(alpha)))
    tenths = math.floor(1000 * part)
    # With weights the counts may be rounded doubles; what was compared exactly has the last word.
    if enough is False and part >= least:
        tenths = min(tenths, math.ceil(1000 * least) - 1)
    elif enough and (1000 * least).denominator == 1:
        tenths = max(tenths, int(1000 * least))
    return f"{tenths // 10}.{tenths % 10}%" if tenths > 0 else "<0.1%"


def percent(part: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A part of a whole, with at least two digits: 12.3%, 0.0031%."""
    if not math.isfinite(part):
        return "not known"
    if part == 0:
        return "0%"
    exact = Decimal(repr(float(part))) * 100
    if not -7 <= exact.adjusted() <= 8:
        return f"{cost(float(exact), rounding)}%"
    return signed(f"{exact.quantize(Decimal(1).scaleb(min(exact.adjusted() - 1, -1)), rounding):,f}%")


def growth(new: float, old: float) -> str:
    """By how much `new` is above `old`, with its sign."""
    if old == 0:
        return "0%" if new == 0 else "from nothing"
    part = (new - old) / abs(old)
    return ("+" if part > 0 else "") + percent(part)


def gap(part: float) -> str:
    """A gap, rounded up."""
    return percent(max(part, _TINY_GAP) if part else part, ROUND_CEILING)
