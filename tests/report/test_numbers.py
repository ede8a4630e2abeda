"""Numbers for people."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minirel.report import numbers


@given(size=st.integers(1, 10**6), part=st.floats(0, 1), alpha=st.integers(1, 1000))
def test_a_share_reads_as_enough_only_if_it_is(size: int, part: float, alpha: int) -> None:
    count = int(part * size)
    needed = alpha / 1000
    represented = Fraction(count, size) >= Fraction(alpha, 1000)
    shown = numbers.share(count, size, needed, represented)
    if shown != "under 0.1%":
        read = Fraction(shown.rstrip("%")) / 100
        assert (read >= Fraction(alpha, 1000)) == represented
        assert read <= Fraction(count, size) < read + Fraction(1, 1000)


@pytest.mark.parametrize(
    ("count", "size", "alpha", "represented", "shown"),
    [
        (5099999, 10**7, 0.51, False, "50.9%"),
        (51, 100, 0.51, True, "51.0%"),
        (7, 100, 0.07, True, "7.0%"),
        (9999, 10000, 1.0, False, "99.9%"),
        (1, 10**6, 0.5, False, "under 0.1%"),
        (0, 10, 0.5, False, "0.0%"),
        (0, 0, 0.5, False, "0.0%"),
        # What was compared exactly has the last word over doubles.
        (0.3, 0.1 + 0.2 + 0.3, 0.5, True, "50.0%"),
        (0.51, 1.0, 0.51, False, "50.9%"),
    ],
)
def test_shares(count: float, size: float, alpha: float, represented: bool, shown: str) -> None:
    assert numbers.share(count, size, alpha, represented) == shown


@pytest.mark.parametrize(
    ("alpha", "shown"),
    [(0.51, "51%"), (0.515, "51.5%"), (1.0, "100%"), (1 / 3, "about 33.3333%"), (0.1, "10%"), (1e-3, "0.1%")],
)
def test_needed(alpha: float, shown: str) -> None:
    assert numbers.needed(alpha) == shown


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


@given(st.floats(1e-12, 1))
def test_a_gap_is_rounded_up(gap: float) -> None:
    shown = numbers.gap(gap).removeprefix("under ").rstrip("%")
    assert Fraction(shown) / 100 >= Fraction(gap)


def test_small_things() -> None:
    assert numbers.amount(48842, "point") == "48,842 points"
    assert numbers.amount(1, "cluster") == "1 cluster"
    assert numbers.amount(2.5) == "2.500000"
    assert numbers.rough(0.1) == "0.1000"
    assert numbers.change(2809.2) == "+2,809"
    assert numbers.change(-0.25) == "−0.2500"
    assert numbers.change(0) == "0"
    assert numbers.growth(11, 10) == "+10.0%"
    assert numbers.growth(9, 10) == "−10.0%"
    assert numbers.growth(1, 0) == "from nothing"
    assert numbers.growth(0, 0) == "0%"
    assert numbers.gap(0) == "0%"
    assert numbers.percent(float("inf")) == "not known"
