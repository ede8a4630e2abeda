"""Points that stay together, as one unit."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from minirel import ParameterError
from minirel.points.groups import read_groups
from minirel.points.members import read_people
from minirel.points.together import Together, read_together
from minirel.points.weights import read_weights


def units(*labels: object) -> Together:
    found = read_together(list(labels), len(labels))
    assert found is not None
    return found


def test_points_without_a_label_are_alone() -> None:
    found = units("b", None, "a", "b", None)
    assert found.unit.tolist() == [0, 1, 2, 0, 3]
    frame = read_together(pd.Series([2.0, np.nan, np.nan, 2.0]), 4)
    assert frame is not None
    assert frame.unit.tolist() == [0, 1, 2, 0]


def test_nothing_stays_together_where_all_are_alone() -> None:
    assert read_together(None, 3) is None
    assert read_together([3, 1, 2], 3) is None
    assert read_together([None, None], 2) is None


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([1, 2], "together must have one label per point, but has 2 for 3 points"),
        ({"a": [1, 1, 1], "b": [1, 2, 3]}, "together must be a single column"),
        (7, "together must be"),
    ],
)
def test_bad_labels_are_refused(labels: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        read_together(labels, 3)


def test_a_unit_holds_what_its_points_weigh() -> None:
    together, weights = units("x", "y", "x"), read_weights([1.5, 2, 3], 3)
    groups = read_groups(["F", "M", "M"])
    of_units = together.groups(groups, weights)
    assert of_units.counts is not None
    assert of_units.counts.members[of_units.signature].tolist() == [[3, 6], [0, 4]]
    assert of_units.counts.total[of_units.signature].tolist() == [9, 4]
    assert together.weights(weights).units.tolist() == [9, 4]  # type: ignore[union-attr]
    people = read_people({"a": [1, 2, 3], "all": [4, 5, 6]}, "all")
    summed = together.groups(people, weights)
    assert summed.counts is not None
    assert summed.counts.members[summed.signature].tolist() == [[4], [2]]
    assert summed.counts.total[summed.signature].tolist() == [10, 5]


def test_units_of_one_kind_stay_plain() -> None:
    groups = units("x", "y", "x").groups(read_groups(["F", "M", "F"]), read_weights(None, 3))
    assert groups.counts is None
    assert groups.names == ("F", "M")
    assert groups.signature.tolist() == [0, 1]


@pytest.mark.parametrize("is_sparse", [False, True])
def test_means_and_scatter(is_sparse: bool) -> None:
    X, weights = np.array([[0.0, 1], [4, 5], [3, 1], [8, 8], [8, 8]]), read_weights([1, 5, 2, 0, 0], 5)
    together = units("x", "y", "x", "z", "z")
    values = csr_array(X) if is_sparse else X
    means = together.means(values, weights)
    dense = means.toarray() if is_sparse else means
    np.testing.assert_allclose(dense, [[2, 1], [4, 5], [8, 8]])
    np.testing.assert_allclose(together.scatter(values, weights), [4 + 2, 0, 0], atol=1e-12)


def test_a_point_without_weight_does_not_drown_the_mean() -> None:
    together = read_together(["a", "a", "b", "b"], 4)
    assert together is not None
    values = np.array([[7e5], [0.1], [0.3], [7e5]])
    weights = read_weights([0, 2, 1, 0], 4)
    assert together.means(values, weights).ravel().tolist() == [0.1, 0.3]


def test_the_mean_of_the_same_is_just_that() -> None:
    X = np.full((3, 1), 0.1)
    together = units("x", "x", "x")
    assert together.means(X, read_weights([1, 2, 4], 3)).tolist() == [[0.1]]
