from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minirel import ParameterError
from minirel.points.weights import read_weights


@pytest.mark.parametrize(
    ("sample_weight", "units", "unit"),
    [
        ([2, 4, 6], [1, 2, 3], Fraction(2)),
        ([0.1, 0.2, 0.3], [1, 2, 3], Fraction(1, 10)),
        ([0.07, 0.0, 1.0], [7, 0, 100], Fraction(1, 100)),
        ([1.5, 2.5], [3, 5], Fraction(1, 2)),
        ([0.7, 0.7], [1, 1], Fraction(7, 10)),
        ([1e15, 3e15], [1, 3], Fraction(10**15)),
    ],
)
def test_decimals_and_integers_are_exact(
    sample_weight: list[float], units: list[int], unit: Fraction
) -> None:
    weights = read_weights(sample_weight, len(sample_weight))
    assert weights.units is not None
    assert weights.units.tolist() == units
    assert weights.unit == unit


def test_weights_of_one_are_no_weights() -> None:
    assert read_weights([1.0, 1.0, 1.0], 3).units is None
    assert read_weights(None, 3).units is None
    assert read_weights(None, 3).total(3) == 3


@example([125000000000.8125])
@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=20).filter(any))
def test_any_weights_are_kept_to_the_last_bits_of_their_total(sample_weight: list[float]) -> None:
    weights = read_weights(sample_weight, len(sample_weight))
    if weights.units is None:
        assert set(sample_weight) == {1.0}
        return
    assert (weights.units >= 0).all()
    assert weights.total(len(sample_weight)) < 2**53
    total = sum(map(Fraction, sample_weight))
    for weight, units in zip(sample_weight, weights.units.tolist(), strict=True):
        # Decimals are taken as they are written, which is within rounding of the double.
        assert abs(Fraction(weight) - units * weights.unit) <= total / 2**50


def test_sums_of_units_are_exact() -> None:
    weights = read_weights(np.random.default_rng(0).random(1000), 1000)
    assert weights.units is not None
    assert int(weights.units.sum()) == sum(weights.units.tolist()) == int(weights.units.astype(float).sum())


def test_weights_as_numbers() -> None:
    assert read_weights(None, 3).numbers(3).tolist() == [1, 1, 1]
    weights = read_weights([0.5, 1.5, 0], 3)
    assert weights.numbers(3).tolist() == [1, 3, 0]
    costs = np.array([1, 2, 3], dtype=np.float32)
    assert weights.times(costs).tolist() == [0.5, 3.0, 0.0]
    assert read_weights(None, 3).times(costs).tolist() == [1.0, 2.0, 3.0]
    assert weights.times(costs).dtype == np.float64


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (["a", "b"], TypeError, "sample_weight must be numbers, one per point: "),
        (
            [1e308, 1e308],
            ValueError,
            "must add up to a finite number, but its largest is 1e.308",
        ),
    ],
)
def test_weights_that_are_none(given, kind, message):
    with pytest.raises(kind, match=message):
        read_weights(given, 2)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (np.array([1 + 0j, 2]), "complex"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "dates"),
        (np.array([1, 2], dtype="m8[s]"), "durations"),
    ],
)
def test_what_only_looks_like_numbers_is_refused(given: np.ndarray, told: str) -> None:
    with pytest.raises(ParameterError, match=f"^sample_weight must be numbers.*{told}"):
        read_weights(given, 2)
