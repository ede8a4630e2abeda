"""What is proven, in words."""

from typing import get_args

from minirel.assignment.problem import Status
from minirel.outcome.proven import STATUSES


def test_every_status_has_its_sentence() -> None:
    assert {*get_args(Status), "effort limit", "within rounding"} <= STATUSES.keys()
    for sentence in STATUSES.values():
        assert sentence.endswith(".")
