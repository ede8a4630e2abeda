"""Where nothing was found, only what was asked is advised to be asked less of."""

from typing import Any

import numpy as np
import pytest

from minirel.assignment.nothing_found import nothing_found
from minirel.assignment.problem import Problem
from minirel.points.groups import read_groups
from minirel.points.messages import spelled
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness

CASES: dict[str, tuple[dict[str, Any], str]] = {
    "shares and numbers": ({}, "lower <alpha> or lower <beta>"),
    "weights": ({"sample_weight": [1, 2, 3, 4]}, "lower <alpha>, lower <beta> or divide the heaviest points"),
    "sizes": (
        {"beta": 0, "min_size": 2, "max_size": 3},
        "lower <min_size> or raise <max_size>",
    ),
    "all else": (
        {"min_members": 2, "max_share": 0.9, "exclusive": True},
        "raise <max_share>, lower <alpha>, lower <beta>, lower <min_members> or drop <exclusive>",
    ),
    "holders by name": (
        {"beta": None, "prefix": ((0, 1),)},
        "lower <alpha> or drop pairs from <prefix>",
    ),
}


@pytest.mark.parametrize("end", ["time limit", "effort limit"])
@pytest.mark.parametrize("case", CASES)
def test_what_is_asked_is_what_could_be_less(case: str, end: str) -> None:
    asked, advice = CASES[case]
    asked = {"alpha": 0.5, "beta": 1, **asked}
    weights, prefix = read_weights(asked.pop("sample_weight", None), 4), asked.pop("prefix", None)
    groups = read_groups(["F", "M", "M", "F"])
    problem = Problem(np.ones((4, 2)), groups, weights, read_fairness(groups, weights, 2, **asked), prefix)
    said = spelled(nothing_found(problem, end).args[0], lambda term: f"<{term}>")
    assert said.startswith("no labels were found that keep every promise, nor a proof that there are none, ")
    assert said.endswith(advice)
    assert ("before <time_limit>: raise it" in said) == (end == "time limit")
    assert ("within the effort of the search: " in said) == (end != "time limit")
