"""Numbers for people."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minirel.points import numbers


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0"),
        (1234567.0, "1,234,567"),
        (1234.56789, "1,234.568"),
        (-0.5, "−0.5000000"),
        (12345678.9, "12,345,679"),
        (1e-9, "1 × 10⁻⁹"),
        (1.5e300, "1.5 × 10³⁰⁰"),
        (np.inf, "∞"),
        (np.nan, "not known"),
        (-np.inf, "−∞"),
    ],
)
def test_costs(number: float, shown: str) -> None:
    assert numbers.cost(number) == shown


@given(st.floats(1e-4, 1e12))
def test_a_bound_is_rounded_down_and_a_cost_beside_it_up(number: float) -> None:
    def value(shown: str) -> Fraction:
        return Fraction(shown.replace(",", ""))

    assert value(numbers.at_least(number)) <= Fraction(number) <= value(numbers.at_most(number))


def test_small_things() -> None:
    assert numbers.amount(48842, "point") == "48,842 points"
    assert numbers.amount(1, "cluster") == "1 cluster"
    assert numbers.amount(2.5) == "2.500000"
    assert numbers.rough(0.1) == "0.1000"
    assert numbers.change(2809.2) == "+2,809"
    assert numbers.change(-0.25) == "−0.2500"
    assert numbers.change(0) == "0"
