"""Numbers without rounding: what a user wrote, as the fraction that was meant."""

from decimal import Decimal
from fractions import Fraction

import numpy as np

from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.messages import Message

Number = int | float | Fraction | Decimal | np.number


def exact(value: object, parameter: str, rule: str) -> Fraction:
    """Read a number as its shortest decimal: 0.51 is 51/100. `rule` says what `parameter` must be."""
    if isinstance(value, bool) or not isinstance(value, Number):
        found = f"is {value!r} of type {type(value).__name__}"
        raise ParameterTypeError(parameter, Message("must be ", rule), value, found=found)
    # The shortest decimal belongs to the type: np.float32(0.51) made a double would be 0.50999999.
    try:
        return Fraction(str(value))
    except ValueError:
        raise ParameterValueError(parameter, Message("must be ", rule), value) from None


def whole(value: object, parameter: str, rule: str) -> int:
    """Read a whole number (2.0 is one); `rule` says what `parameter` must be."""
    number = exact(value, parameter, rule)
    if number.denominator != 1:
        raise ParameterValueError(parameter, Message("must be ", rule), value)
    return number.numerator


def positive(value: object, parameter: str) -> int:
    """Read a whole number of at least 1."""
    rule = "a whole number of at least 1"
    number = whole(value, parameter, rule)
    if number < 1:
        raise ParameterValueError(parameter, Message("must be ", rule), number)
    return number


def plain(number: Fraction) -> int | float:
    """Say a fraction as people write it."""
    return number.numerator if number.denominator == 1 else float(number)


def tightest(alpha: Fraction, largest: int) -> Fraction:
    """Return the smallest fraction of denominator at most `largest` that is no less than `alpha`.

    A share count/size with size at most `largest` reaches `alpha` exactly when it reaches this one, whose
    integers are small.

    Examples
    --------
    >>> tightest(Fraction(51, 100), 7)
    Fraction(4, 7)
    """
    if alpha.denominator <= max(largest, 1):
        return alpha
    # Convergents of alpha's continued fraction until the next denominator is too large: the last one and the
    # last semi-convergent lie on either side of alpha, with no fraction that small between them.
    p0, q0, p1, q1 = 0, 1, 1, 0
    rest, by = alpha.numerator, alpha.denominator
    while q0 + (rest // by) * q1 <= largest:
        term = rest // by
        p0, q0, p1, q1 = p1, q1, p0 + term * p1, q0 + term * q1
        rest, by = by, rest - term * by
    steps = (largest - q0) // q1
    return max(Fraction(p1, q1), Fraction(p0 + steps * p1, q0 + steps * q1))
