"""Messages that know which of their words are parameters."""

import copy
import pickle

import pytest

from minirel.points.messages import Message, Parameter, joined, shown, spelled


def loud(parameter: Parameter) -> str:
    return f"<{parameter.name}|{parameter.group}|{parameter.value}>"


def test_a_message_is_its_text() -> None:
    message = Message("lower ", Parameter("beta", "F"), f" to {3}")
    assert message == "lower beta['F'] to 3"
    assert f"{message}!" == "lower beta['F'] to 3!"
    assert spelled(message, loud) == "lower <beta|F|None> to 3"


def test_messages_are_made_of_messages() -> None:
    inner = Message("raise ", Parameter("gap", value=0.5))
    outer = Message("so ", Message(inner, ", or ", Parameter("tol")), ".")
    assert outer == "so raise gap=0.5, or tol."
    assert spelled(outer, loud) == "so raise <gap|None|0.5>, or <tol|None|None>."
    assert spelled(joined(" and ", [inner, "rest", Parameter("tol")]), loud) == (
        "raise <gap|None|0.5> and rest and <tol|None|None>"
    )
    assert joined(", ", []) == ""


def test_names_in_the_data_are_not_parameters() -> None:
    assert spelled(Message("the groups are 'beta', gap=1"), loud) == "the groups are 'beta', gap=1"
    assert spelled("beta must be 3", loud) == "beta must be 3"
    assert spelled(Parameter("beta"), loud) == "<beta|None|None>"


def test_values_are_written_as_in_python() -> None:
    assert Parameter("prefix", value="random") == "prefix='random'"
    assert Parameter("beta", ("a", 1), 0) == "beta[('a', 1)]=0"
    assert (shown("3"), shown(3.5), shown(None)) == ("'3'", "3.5", "None")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_know_as_much(again) -> None:
    message = again(Message("lower ", Parameter("beta", "F", 3)))
    assert message == "lower beta['F']=3"
    assert spelled(message, loud) == "lower <beta|F|3>"
