"""What crosses the network comes out as it went in."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minirel.dask.packing import joined, packed
from minirel.points.blocks import blocks


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_integers(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    again = packed(array).unpacked()
    assert again.dtype == array.dtype
    np.testing.assert_array_equal(again, array)


def test_labels_take_a_byte() -> None:
    assert packed(np.arange(200)).array.itemsize == 1
    assert packed(np.arange(300, dtype=np.int32)).array.itemsize == 2


@given(st.integers(1, 30), st.integers(1, 8))
def test_results_of_blocks(n_points: int, most: int) -> None:
    """An array by row, one of another shape (which may happen to have as many rows), a number and bytes."""
    parts = list(blocks(n_points, most))
    results = [
        (
            np.arange(rows.start, rows.stop),
            np.full((3, 2), rows.start / 7),
            float(rows.stop),
            b"x" * rows.start,
        )
        for rows in parts
    ]
    for before, after in zip(results, joined(results, parts).divided(parts), strict=True):
        for mine, theirs in zip(before, after, strict=True):
            np.testing.assert_array_equal(mine, theirs)
