"""Malformed calls: each is refused with an error that names the parameter and what is wrong with it."""

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest

from minirel import InfeasibleFairnessError, ParameterError, fair_assignment

NAN, INF = float("nan"), float("inf")
COSTS = np.array([[0.0, 5, 9], [1, 4, 8], [1, 3, 7], [4, 0, 6], [5, 1, 2], [6, 2, 0]])
SEX = ["F", "F", "F", "M", "M", "M"]
WEIGHTS = [1, 2, 3, 1, 2, 3]


def costs_with(value: float) -> np.ndarray:
    costs = COSTS.copy()
    costs[4, 1] = value
    return costs


def allowed_with(*pairs: tuple[int, int]) -> np.ndarray:
    """A table that allows all but the given pairs."""
    allowed = np.ones((2, 3), dtype=bool)
    for pair in pairs:
        allowed[pair] = False
    return allowed


@dataclass(frozen=True)
class Bad:
    """A change that spoils a good call; the message must hold every text of `told`."""

    name: str
    change: dict[str, Any]
    told: tuple[str, ...]
    error: type[Exception] | tuple[type[Exception], ...] = ValueError
    costs: Any = field(default_factory=COSTS.copy)
    sensitive_features: Any = field(default_factory=SEX.copy)


def bad_costs(name: str, costs: Any, *told: str, error: Any = ValueError) -> Bad:
    return Bad(f"costs {name}", {}, ("costs", *told), error, costs=costs)


def bad_features(name: str, features: Any, *told: str, error: Any = ValueError, **change: Any) -> Bad:
    return Bad(f"features {name}", change, ("sensitive_features", *told), error, sensitive_features=features)


def bad(parameter: str, value: Any, *told: str, error: Any = ValueError, **more: Any) -> Bad:
    return Bad(f"{parameter}={value!r}", {parameter: value, **more}, (parameter, *told), error)


EITHER = (TypeError, ValueError)
CASES = [
    bad_costs("NaN", costs_with(NAN), "nan", "point 4", "cluster 1"),
    bad_costs("inf", costs_with(INF), "inf", "point 4", "cluster 1"),
    bad_costs("-inf", costs_with(-INF), "-inf", "point 4", "cluster 1"),
    bad_costs("both infinities", np.array([[INF, -INF], *COSTS[1:, :2]]), "2 are not", "point 0"),
    bad_costs("NaN in float32", costs_with(NAN).astype(np.float32), "nan", "point 4"),
    bad_costs("strings", [["near", "far"]] * 6, "near", error=EITHER),
    bad_costs("a string", "near", "near", error=EITHER),
    bad_costs("objects", [[{}, {}]] * 6, error=EITHER),
    bad_costs("complex", COSTS + 1j, error=EITHER),
    bad_costs("None", None, error=EITHER),
    bad_costs("scalar", 3.0, "()", error=EITHER),
    bad_costs("1-d", COSTS[:, 0], "(6,)"),
    bad_costs("3-d", COSTS[None], "(1, 6, 3)"),
    bad_costs("empty", [], "(0,)"),
    bad_costs("no points", np.zeros((0, 3)), "(0, 3)"),
    bad_costs("no clusters", np.zeros((6, 0)), "(6, 0)"),
    bad_costs("beyond what doubles can add up", np.full((6, 3), 1.7e308), "overflow", "scale costs down"),
    bad_costs("too large for prices", COSTS * 1e306, "1.6e+308", "scale costs down"),
    bad_costs("too small for prices", COSTS * 1e-308, "1e-250", "scale costs up"),
    bad("sample_weight", np.full(6, 1e-310), "6.0e-310", "scale it up"),
    bad("sample_weight", np.full(6, 1e300), "6.0e+300", "scale it down"),
    Bad(
        "costs by weight", {"sample_weight": np.full(6, 1e200)}, ("sample_weight down",), costs=COSTS * 1e200
    ),
    bad_costs("masked", np.ma.masked_equal(COSTS, 9.0), "mask", "point 0", "cluster 2"),
    bad_costs("ragged", [[0, 1, 2], [3, 4], [5]], error=EITHER),
    bad_features("short", SEX[:5], "5 rows", "6 points"),
    bad_features("long", [*SEX, "F"], "7 rows", "6 points"),
    bad_features("transposed", np.ones((3, 6), dtype=bool), "3 rows", "6 points"),
    bad_features("short frame", pd.DataFrame({"sex": SEX[:4], "old": [1, 0, 1, 0]}), "4 rows"),
    bad_features("a string", "FFFMMM", "FFFMMM", error=EITHER),
    bad_features("a number", 1, "but is 1", error=EITHER),
    bad_features("None missing", ["F", None, "F", "M", "M", "M"], "missing", "1 in", "6 points"),
    bad_features("NaN missing", np.array([0, NAN, 0, 1, NAN, 1]), "missing", "2 in", "6 points"),
    bad_features("unhashable", [{"F"}] * 6, "set", error=EITHER),
    bad_features("3-d", np.zeros((6, 2, 2), dtype=bool), "(6, 2, 2)"),
    bad_features("empty", [], "empty"),
    bad_features("ragged", [["F", 1], ["M"]] * 3, "[1, 2]"),
    bad_features("columns of a name", pd.DataFrame([["F", "M"]] * 6, columns=["sex", "sex"]), "sex"),
    bad("missing", "drop", "'drop'", "'error'", "'group'", "'none'"),
    bad("missing", None, "None"),
    bad("alpha", 0, "is 0"),
    bad("alpha", 1.5, "1.5"),
    bad("alpha", -1, "-1"),
    bad("alpha", NAN, "nan"),
    bad("alpha", INF, "inf"),
    bad("alpha", "a half", "a half", error=EITHER),
    bad("alpha", None, "None", error=EITHER),
    bad("alpha", True, "True", error=TypeError),
    bad("alpha", [0.5, 0.5], "[0.5, 0.5]", error=EITHER),
    bad("alpha", {"F": 0.5, "M": 0.5, "X": 0.5}, "'X'", "'F', 'M'"),
    bad("alpha", {"F": 0.5}, "'M'", "beta"),
    bad("alpha", {"F": 0.5, "M": 2}, "alpha['M']", "is 2"),
    bad("alpha", {"F": 0.5, "M": "half"}, "alpha['M']", "half", error=EITHER),
    bad("beta", -1, "-1"),
    bad("beta", 1.5, "1.5"),
    bad("beta", 4, "is 4", "n_clusters=3"),
    bad("beta", NAN, "nan"),
    bad("beta", INF, "inf"),
    bad("beta", True, "True", error=TypeError),
    bad("beta", "parity", "'parity'", "statistical_parity", "equality_of_opportunity"),
    bad("beta", [1, 1], "[1, 1]", error=EITHER),
    bad("beta", {"X": 1}, "'X'", "'F', 'M'"),
    bad("beta", {"F": -1}, "beta['F']", "-1"),
    bad("beta", {"F": 4}, "beta['F']", "is 4", "n_clusters=3"),
    bad("beta", {"F": "one"}, "beta['F']", "one", error=EITHER),
    bad("beta", {"F": False}, "beta['F']", "False", error=TypeError),
    bad("beta", None, "prefix", "None"),
    bad("beta", {"F": 2, "M": 2}, "'F'", "'M'", "lower", error=InfeasibleFairnessError, alpha=0.51),
    bad("beta", {"F": 3}, "'F'", "3 clusters", "75%", error=InfeasibleFairnessError, alpha=0.75),
    bad("beta", {"F": 2}, "allowed", "group, 1", "is 2", allowed=allowed_with((0, 0), (0, 1))),
    bad("prefix", [("X", 0)], "'X'", "'F', 'M'"),
    bad("prefix", [("F", 3)], "names 3", "0 to 2"),
    bad("prefix", [("F", -1)], "-1", "0 to 2"),
    bad("prefix", [("F", 0.5)], "0.5", "0 to 2"),
    bad("prefix", [("F", "first")], "first", error=EITHER),
    bad("prefix", [("F", True)], "True", error=TypeError),
    bad("prefix", [(["F"], 0)], "['F']", "'F', 'M'", error=EITHER),
    bad("prefix", {"F": 0}, "'F'", "pairs", error=EITHER),
    bad("prefix", ["F", "M"], "'F'", "pairs", error=EITHER),
    bad("prefix", [("F", 0, 1)], "('F', 0, 1)", "pairs", error=EITHER),
    bad("prefix", 7, "is 7", "pairs", error=EITHER),
    bad("prefix", "nearest", "'nearest'", "local_cost", "random"),
    bad("prefix", "local_cost", "'local_cost'", "beta", beta=None),
    bad("prefix", [("F", 1)], "('F', 1)", "allowed", "[0, 2]", allowed=allowed_with((0, 1))),
    bad("prefix", [("F", 0), ("M", 0)], "'F'", "'M'", error=InfeasibleFairnessError, alpha=0.51),
    bad("allowed", np.ones((3, 2), dtype=bool), "(3, 2)", "(2, 3)"),
    bad("allowed", [True, True, True], "(3,)", "(2, 3)"),
    bad("allowed", True, "()", "(2, 3)", error=EITHER),
    bad("allowed", np.ones((2, 3)), "float64", "bool", error=EITHER),
    bad("allowed", [["yes"] * 3] * 2, "bool", error=EITHER),
    bad("allowed", [[True], [True, False]], "(2, 3)", error=EITHER),
    bad("allowed", {"X": [0]}, "'X'", "'F', 'M'"),
    bad("allowed", {"F": [3]}, "allowed['F']", "names 3", "0 to 2"),
    bad("allowed", {"F": 1}, "allowed['F']", "1", error=EITHER),
    bad("min_size", 0, "min_size=0", "an empty cluster represents nobody", "use min_size=1"),
    bad("min_size", -2, "-2"),
    bad("min_size", NAN, "nan"),
    bad("min_size", 1.5, "1.5", "whole"),
    bad("min_size", "two", "two", error=EITHER),
    bad("min_size", True, "True", error=TypeError),
    bad("min_size", None, "None", error=EITHER),
    bad("min_size", 3, "min_size=3", "max_size=2", max_size=2, error=InfeasibleFairnessError),
    bad("min_size", 3, "3 clusters", "lower min_size to 2", error=InfeasibleFairnessError),
    bad("max_size", 1, "max_size=1", "raise max_size to 2", error=InfeasibleFairnessError),
    bad("max_size", 0, "is 0"),
    bad("max_size", -1, "-1"),
    bad("max_size", 2.5, "2.5", "whole"),
    bad("max_size", NAN, "nan"),
    bad("max_size", "many", "many", error=EITHER),
    bad("sample_weight", WEIGHTS[:5], "(5,)", "(6,)"),
    bad("sample_weight", [WEIGHTS], "(1, 6)", "(6,)"),
    bad("sample_weight", 2.0, "()", "(6,)"),
    bad("sample_weight", [1, 2, -3, 1, 2, 3], "-3", "point 2"),
    bad("sample_weight", [1, NAN, 3, 1, 2, 3], "nan", "point 1"),
    bad("sample_weight", [1, 2, 3, 1, 2, INF], "inf", "point 5"),
    bad("sample_weight", [0] * 6, "zero"),
    bad("sample_weight", [1.7e308, *[1.6e308] * 5], "1.7e+308"),
    bad("sample_weight", ["heavy"] * 6, "heavy", error=EITHER),
    bad("gap", -1e-4, "-0.0001", "at least 0"),
    bad("gap", NAN, "nan", "at least 0"),
    bad("gap", "small", "small", "at least 0", error=EITHER),
    bad("gap", None, "None", "at least 0", error=EITHER),
    bad("gap", True, "True", error=TypeError),
    bad("time_limit", 0, "is 0"),
    bad("time_limit", -1, "-1"),
    bad("time_limit", NAN, "nan"),
    bad("time_limit", "an hour", "an hour", error=EITHER),
    bad("time_limit", True, "True", error=TypeError),
    bad("solver", "cplex", "'cplex'", "'certified'", "'highs'", "'gurobi'"),
    bad("solver", None, "None", "'certified'", error=EITHER),
    bad("solver", ["highs"], "['highs']", "'certified'", error=EITHER),
    Bad(
        "more clusters than points",
        {"prefix": None},
        ("is 3 for n_samples=2", "at most 2"),
        costs=COSTS[:2],
        sensitive_features=SEX[2:4],
    ),
    Bad(
        "fewer points of weight than clusters",
        {"sample_weight": [1, 2, 0, 0, 0, 0]},
        ("is 3 for 2 points of weight above 0", "n_clusters to at most 2"),
    ),
    Bad(
        "group without members",
        {"beta": {"b": 1}},
        ("beta", "'b'", "no members"),
        InfeasibleFairnessError,
        sensitive_features=pd.DataFrame({"a": [True] * 6, "b": [False] * 6}),
    ),
    Bad(
        "prefix of no groups",
        {"beta": None, "prefix": [("F", 0)]},
        ("prefix", "'F'", "no groups"),
        sensitive_features=None,
    ),
]


def call(case: Bad) -> None:
    options = {"alpha": 0.5, "beta": 1, **case.change}
    fair_assignment(case.costs, case.sensitive_features, **options)


def flat(value: Any) -> Any:
    """A copy that compares by ==, NaN included."""
    if isinstance(value, pd.DataFrame):
        return [list(value.columns), value.to_numpy().tolist()]
    return copy.deepcopy(value)


def test_the_call_that_the_cases_spoil_is_good() -> None:
    call(Bad("good", {}, ()))
    call(Bad("good with weights", {"sample_weight": WEIGHTS, "min_size": 1.5, "max_size": 8}, ()))


def test_case_names_are_distinct() -> None:
    keys = [(case.name, str(case.change)) for case in CASES]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_is_refused_with_a_reason(case: Bad) -> None:
    before = [flat(case.costs), flat(case.sensitive_features), flat(case.change)]
    with pytest.raises(case.error) as caught:
        call(case)
    message = str(caught.value)
    assert isinstance(caught.value, ParameterError | InfeasibleFairnessError)
    missing = [text for text in case.told if text not in message]
    assert not missing, f"{type(caught.value).__name__} does not tell {missing}: {message}"
    assert len(message) > 30, message
    # What was given is left as it was.
    after = [case.costs, case.sensitive_features, case.change]
    np.testing.assert_equal([flat(value) for value in after], before)


@pytest.mark.parametrize("solver", ["certified", "highs", "gurobi"])
def test_every_solver_says_that_it_cannot_be_done(solver: str) -> None:
    with pytest.raises(InfeasibleFairnessError) as caught:
        fair_assignment(COSTS, SEX, alpha=0.75, beta={"F": 3}, solver=solver)
    error = caught.value
    assert error.status == "infeasible"
    assert error.conflict == ("beta['F']",)
    # Three women make two clusters of three quarters at most, each with no man: and those are alone.
    assert error.largest_beta == {"F": 2}
    assert error.nearest["beta"] == {"F": 2}
    nearest = {"alpha": 0.75, **error.nearest}
    assert fair_assignment(COSTS, SEX, **nearest, solver=solver).status in ("optimal", "within gap")
