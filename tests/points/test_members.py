"""Numbers of members: what is read, what is refused, and in which words."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from minirel import ParameterError
from minirel.points.groups import Groups, read_groups
from minirel.points.members import read_people, weighed
from minirel.points.weights import read_weights

PEOPLE = {"black": [3, 0, 2, 3], "old": [1, 1, 0, 1], "all": [5, 1, 2, 5]}


def held(groups: Groups) -> tuple[list[list[int]], list[int]]:
    """Members and totals of each point, in units."""
    assert groups.counts is not None
    of_points = groups.counts.members[groups.signature], groups.counts.total[groups.signature]
    return of_points[0].tolist(), of_points[1].tolist()


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_columns_are_members_and_a_total(make: Any) -> None:
    groups = read_people(make(PEOPLE), "all")
    assert groups.names == ("black", "old")
    assert held(groups) == ([[3, 1], [0, 1], [2, 0], [3, 1]], [5, 1, 2, 5])
    assert groups.n_signatures == 3
    assert groups.members(0).tolist() == [True, False, True, True]
    assert groups.n_members.tolist() == [8, 3]
    np.testing.assert_allclose(groups.shares(0), [0.6, 0, 1, 0.6])


def test_columns_without_names_are_numbered() -> None:
    table = np.array([[5, 3], [1, 0]])
    groups = read_people(table, 0)
    assert groups.names == (1,)
    assert held(groups) == ([[3], [0]], [5, 1])
    by_index = read_people({"total": [5, 1], "black": [3, 0]}, 0)
    assert by_index.names == ("black",)


def test_decimals_are_exact() -> None:
    groups = read_people({"a": [0.1, 0.25], "all": [0.3, 0.5]}, "all")
    assert groups.counts is not None
    assert groups.counts.unit == Fraction(1, 20)
    assert held(groups) == ([[2], [5]], [6, 10])


def test_weights_are_part_of_a_signature() -> None:
    groups = read_people(PEOPLE, "all")
    found = weighed(groups, read_weights([7, 2, 2, 9], 4))
    assert found.counts is not None
    assert found.counts.size[found.signature].tolist() == [7, 2, 2, 9]
    assert held(found) == held(groups)
    assert found.n_signatures == 4
    assert weighed(groups, read_weights(None, 4)) is groups


def test_groups_that_do_not_occur_have_no_members() -> None:
    groups = read_people(PEOPLE, "all").including(["young"])
    assert groups.names == ("black", "old", "young")
    assert held(groups)[0][0] == [3, 1, 0]


BAD = {
    "more members than people": (
        {"a": [1, 7, 9], "all": [2, 5, 8]},
        "all",
        r"must be at most the total, column 'all', but in column 'a' row 1 \(7 of 5\), row 2 \(9 of 8\) are",
    ),
    "negative": ({"a": [-1, 2], "all": [1, 2]}, "all", r"at least 0, but in column 'a' row 0 \(-1\) is not"),
    "infinite": ({"a": [1, 2], "all": [1, np.inf]}, "all", r"must be finite, but in column 'all' row 1"),
    "missing": (
        {"a": [1, None], "all": [1, 2]},
        "all",
        "must not have missing values.*in column 'a' row 1 is",
    ),
    "missing in a frame": (
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "all": [1, 2]}),
        "all",
        "must not have missing values.*in column 'a' row 1 is",
    ),
    "nobody": (
        {"a": [0, 0], "all": [0, 0]},
        "all",
        "must have a total above 0, but column 'all' adds up to 0",
    ),
    "words": (
        {"a": ["x", "y"], "all": [1, 2]},
        "all",
        "must hold numbers with total, but column 'a' does not",
    ),
    "truths": ({"a": np.array([True, False]), "all": [1, 2]}, "all", "column 'a' does not"),
    "unknown": ({"a": [1], "all": [1]}, "vap", "must be the name or the index of a column.*'a', 'all'"),
    "alone": ({"all": [1, 2]}, "all", "must be a table with total='all'.*has 1 column"),
    "a column": ([1, 2], "all", "is a single column"),
    "none": (None, "all", "names a column, but sensitive_features is None"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_numbers_are_refused(case: str) -> None:
    features, total, words = BAD[case]
    with pytest.raises(ParameterError, match=words):
        read_people(features, total)


def test_groups_of_whole_points_have_no_totals() -> None:
    with pytest.raises(ParameterError, match="total must be None for groups of whole points, but is 'all'"):
        read_people(read_groups(["F", "M"]), "all")
    groups = read_people(PEOPLE, "all")
    assert read_people(groups, "all") is groups


def test_rows_must_be_as_many_as_points() -> None:
    with pytest.raises(ParameterError, match="has 4 rows for 3 points"):
        read_people(PEOPLE, "all", n_points=3)


def test_of_many_bad_rows_the_first_are_named() -> None:
    with pytest.raises(ParameterError, match=r"row 4 \(2 of 1\), 5 more are not"):
        read_people({"a": [2] * 10, "all": [1] * 10}, "all")
