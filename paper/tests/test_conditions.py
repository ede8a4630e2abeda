"""Runs of different conditions do not go together."""

import pytest

from minirel import __version__
from paper.conditions import conditions_of, joined
from paper.data import DataSource
from paper.tests.small import planned, small


def test_they_name_versions_and_the_data_that_is_used():
    source = DataSource()
    conditions = conditions_of(planned(small()), source, 60)
    assert conditions["minirel"] == __version__
    assert conditions["cores"] >= 1
    assert [name for name in conditions if name.startswith("fingerprint")] == ["fingerprint of iris"]
    assert conditions["fingerprint of iris"] == source.fingerprint("iris")


def test_what_is_new_is_added_and_what_is_old_stays():
    assert joined({}, {"a": 1}) == {"a": 1}
    assert joined({"a": 1, "b": 2}, {"a": 1, "c": 3}) == {"a": 1, "b": 2, "c": 3}


def test_a_contradiction_is_named():
    with pytest.raises(ValueError, match=r"made with numpy 1, and now it is 2: .* name another folder"):
        joined({"numpy": "1"}, {"numpy": "2"})
