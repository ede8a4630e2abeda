"""Errors that say what was wrong in words and in attributes."""

import pickle

import pytest

from minirel import MiniReL, ParameterError, fair_assignment
from minirel.points.errors import (
    InfeasibleFairnessError,
    NothingFoundError,
    ParameterTypeError,
    ParameterValueError,
)
from minirel.points.messages import Message, Parameter, spelled

KINDS = {ParameterValueError: ValueError, ParameterTypeError: TypeError}


@pytest.mark.parametrize("kind", KINDS)
def test_parts_make_the_message(kind: type[ParameterError]) -> None:
    error = kind("gap", "must be at least 0", -1, "use 0")
    assert str(error) == "gap must be at least 0, but is -1: use 0"
    assert (error.parameter, error.rule, error.value, error.way_out) == (
        "gap",
        "must be at least 0",
        -1,
        "use 0",
    )
    assert isinstance(error, ParameterError)
    assert isinstance(error, KINDS[kind])
    assert str(kind("gap", "must be at least 0", "x")) == "gap must be at least 0, but is 'x'"
    assert str(kind("X", "must be 2-d", [1], found="is 1-d")) == "X must be 2-d, but is 1-d"
    assert str(kind("X", "must be 2-d", [1], "reshape it", found="")) == "X must be 2-d: reshape it"


@pytest.mark.parametrize("kind", KINDS)
def test_errors_survive_another_process(kind: type[ParameterError]) -> None:
    error = pickle.loads(
        pickle.dumps(kind(Parameter("beta", "F"), "must be 1", 2, "lower it", found="has 2"))
    )
    assert type(error) is kind
    assert str(error) == "beta['F'] must be 1, but has 2: lower it"
    assert (error.parameter.name, error.parameter.group, error.value) == ("beta", "F", 2)
    assert str(error.about("alpha")) == "alpha must be 1, but has 2: lower it"
    for other in (
        InfeasibleFairnessError(Message("no"), conflict=("beta",)),
        NothingFoundError(Message("no")),
    ):
        again = pickle.loads(pickle.dumps(other))
        assert (str(again), vars(again)) == (str(other), vars(other))


def test_other_parameters_can_be_named_in_every_part() -> None:
    other = Parameter("n_clusters", value=3)
    error = ParameterValueError("beta", Message("must be at most ", other), 4, Message("raise ", other))
    assert str(error) == "beta must be at most n_clusters=3, but is 4: raise n_clusters=3"
    assert spelled(error.args[0], str.upper) == (
        "BETA must be at most N_CLUSTERS=3, but is 4: raise N_CLUSTERS=3"
    )


def test_the_entry_of_a_group_is_named() -> None:
    with pytest.raises(ValueError, match="share above 0") as caught:
        fair_assignment([[0, 1], [1, 0]], ["F", "M"], alpha={"F": 1.5, "M": 0.5}, beta=1)
    error = caught.value
    assert isinstance(error, ParameterError)
    assert error.parameter == "alpha['F']"
    assert (error.parameter.name, error.parameter.group, error.value) == ("alpha", "F", 1.5)


def test_what_cannot_be_met_names_its_parameters() -> None:
    with pytest.raises(InfeasibleFairnessError) as caught:
        MiniReL(3, alpha=0.9, beta={"F": 3}, min_size=2).fit([[0.0]] * 6, sensitive_features=list("FFFMMM"))
    said = spelled(caught.value.args[0], lambda p: f"<{p.name}:{p.group}:{p.value}>")
    assert "<min_size:None:2>" in said
    assert "<beta:F:None> to 1" in said
    assert "<" in said
    assert caught.value.conflict[-1] == "beta['F']"
