"""What is asked is read before any work is done."""

import math
import time

import pytest

from minirel.assignment.request import Request, read_options, read_request
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights


def asked(**changes: object) -> Request:
    groups = read_groups(["a", "a", "b", "b", "b"], n_points=5, missing="error")
    plain: dict[str, object] = {
        "alpha": 0.51,
        "beta": 1,
        "prefix": "local_cost",
        "allowed": None,
        "min_size": 1,
        "max_size": None,
    }
    return read_request(groups, read_weights(None, 5), 3, **(plain | changes))  # type: ignore[arg-type]


def test_a_strategy_and_pairs_by_name_are_told_apart() -> None:
    assert (asked().strategy, asked().required) == ("local_cost", ())
    by_name = asked(prefix=[("b", 2), ("a", 0)], beta=None)
    assert (by_name.strategy, by_name.required) == (None, ((0, 0), (1, 2)))
    assert asked(prefix=None).strategy is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prefix": "cheapest"}, "prefix must be one of .*'local_cost'.* but is 'cheapest'"),
        ({"prefix": "local_cost", "beta": None}, "prefix='local_cost' chooses clusters for beta"),
        ({"prefix": [("c", 0)]}, "prefix .*'c'"),
        ({"prefix": [("a", 3)]}, "prefix .*3"),
    ],
)
def test_refusals(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        asked(**changes)


def test_options() -> None:
    gap, deadline = read_options("certified", 0.01, 1000)
    assert gap == 0.01
    assert not deadline.passed()
    _, passed = read_options("highs", 0, 1e-9)
    time.sleep(0.001)
    assert passed.passed()
    assert not read_options("certified", 0, None)[1].passed()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("simplex", 0, None), "solver must be one of .*'certified'.* but is 'simplex'"),
        ((None, 0, None), "solver must be one of"),
        (("certified", -1, None), "gap must be a number of at least 0, but is -1"),
        (("certified", math.nan, None), "gap"),
        (("certified", 0, 0), "time_limit must be a number above 0, but is 0"),
    ],
)
def test_wrong_options(options: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_options(*options)  # type: ignore[arg-type]
