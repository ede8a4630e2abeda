"""Percentages: they never say too much."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minirel.points import percent


@given(size=st.integers(1, 10**6), part=st.floats(0, 1), alpha=st.integers(1, 1000))
def test_a_share_reads_as_enough_only_if_it_is(size: int, part: float, alpha: int) -> None:
    count = int(part * size)
    needed = alpha / 1000
    represented = Fraction(count, size) >= Fraction(alpha, 1000)
    shown = percent.of_cluster(count, size, needed, represented)
    if shown != "<0.1%":
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
        (1, 10**6, 0.5, False, "<0.1%"),
        (0, 10, 0.5, False, "0.0%"),
        (0, 0, 0.5, False, "0.0%"),
        # What was compared exactly has the last word over doubles.
        (0.3, 0.1 + 0.2 + 0.3, 0.5, True, "50.0%"),
        (0.51, 1.0, 0.51, False, "50.9%"),
    ],
)
def test_shares(count: float, size: float, alpha: float, represented: bool, shown: str) -> None:
    assert percent.of_cluster(count, size, alpha, represented) == shown


@pytest.mark.parametrize(
    ("alpha", "shown"),
    [(0.51, "51%"), (0.515, "51.5%"), (1.0, "100%"), (1 / 3, "33.3333%"), (0.1, "10%"), (1e-3, "0.1%")],
)
def test_a_share_that_is_asked_for(alpha: float, shown: str) -> None:
    assert percent.asked(alpha) == shown


@given(st.floats(1e-12, 1))
def test_a_gap_is_rounded_up(gap: float) -> None:
    shown = percent.gap(gap).rstrip("%")
    assert Fraction(shown) / 100 >= Fraction(repr(gap))


@given(st.floats(0, 1), st.integers(0, 3))
def test_a_share_is_rounded_down_but_nobody_is_nothing(share: float, places: int) -> None:
    shown = percent.floored(share, places)
    if shown.startswith("<"):
        assert 0 < share < Fraction(shown.strip("<%")) / 100
    else:
        read, step, rounding = Fraction(shown.rstrip("%")) / 100, Fraction(1, 100 * 10**places), 1e-10
        assert read - rounding <= share < read + step + rounding
        assert read > 0 or share == 0


def test_floored() -> None:
    assert [percent.floored(share) for share in (0.0, 0.0004, 0.032, 0.50999, 1.0)] == [
        *("0.0%", "<0.1%", "3.2%", "50.9%", "100.0%")
    ]
    assert [percent.floored(share, places=0) for share in (0.004, 0.5099999, 0.57)] == ["<1%", "50%", "57%"]


def test_small_things() -> None:
    assert percent.growth(11, 10) == "+10.0%"
    assert percent.growth(9, 10) == "−10.0%"
    assert percent.growth(1, 0) == "from nothing"
    assert percent.growth(0, 0) == "0%"
    assert percent.gap(0) == "0%"
    assert percent.percent(float("inf")) == "not known"
    assert percent.gap(1e-12) == "0.00010%"
    assert percent.gap(1e-4) == "0.010%"
    assert percent.percent(2e-11) == "2 × 10⁻⁹%"
