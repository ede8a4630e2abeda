from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minirel.promises.exact import exact, plain, tightest, whole


@pytest.mark.parametrize(
    "written",
    [0.51, np.float64(0.51), np.float32(0.51), np.float16(0.51), Fraction(51, 100), Decimal("0.51")],
)
def test_a_number_is_the_decimal_that_was_written(written):
    assert exact(written, "alpha", "a share") == Fraction(51, 100)


def test_the_decimal_decides_where_the_double_would_not():
    assert 0.07 * 100 > 7
    assert exact(0.07, "alpha", "a share") * 100 == 7
    assert exact(1e-5, "alpha", "a share") == Fraction(1, 100000)


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, [0.5]])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TypeError, match=r"alpha must be a share, but is .* of type"):
        exact(value, "alpha", "a share")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("-inf"), Decimal("NaN")])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="alpha must be a share, but is"):
        exact(value, "alpha", "a share")


def test_whole_numbers():
    assert whole(2.0, "beta", "whole") == 2
    assert type(whole(np.int64(2), "beta", "whole")) is int
    with pytest.raises(ValueError, match=r"beta must be whole, but is 2\.5"):
        whole(2.5, "beta", "whole")


def test_plain_numbers():
    assert (plain(Fraction(4, 2)), plain(Fraction(1, 4))) == (2, 0.25)
    assert isinstance(plain(Fraction(4, 2)), int)


@given(st.integers(1, 400), st.integers(0, 400), st.integers(1, 60))
def test_tightest_is_the_smallest_fraction_above(numerator, more, largest):
    alpha = Fraction(numerator, numerator + more)
    brute = min(Fraction(-(-alpha.numerator * q // alpha.denominator), q) for q in range(1, largest + 1))
    assert tightest(alpha, largest) == brute


@given(st.floats(1e-6, 1), st.integers(1, 10**9), st.integers(1, 10**9))
def test_tightest_changes_no_answer(share, a, b):
    alpha, (count, size) = Fraction(str(share)), sorted((a, b))
    assert (Fraction(count, size) >= alpha) == (Fraction(count, size) >= tightest(alpha, size))


def test_tightest_is_fast_for_huge_numbers():
    alpha = Fraction(10**4000 + 7, 3 * 10**4000)
    # The next fraction above 1/3 is 1/3 + 1/(3q), for the largest q that leaves a remainder of 2.
    assert tightest(alpha, 10**9) == Fraction(1, 3) + Fraction(1, 3 * (10**9 - 2))
