"""What is refused at once is what a fit refuses, in the same words."""

from typing import Any

import numpy as np
import pytest

from minirel import MiniReL, ParameterError
from minirel.clustering.parameters import check_parameters
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights

GROUPS = np.array(["a", "b"] * 10)
X = np.random.default_rng(0).normal(size=(len(GROUPS), 2))

BAD: dict[str, list[Any]] = {
    "n_clusters": [0, 2.5, "three", 21],
    "max_iter": [0],
    "n_init": [0, None],
    "n_swaps": [-1, 0.5],
    "tol": [-1, "small"],
    "gap": [-0.1],
    "time_limit": [0, "long"],
    "n_jobs": [0, 0.5],
    "connect": ["yes"],
    "alpha": [0, 2, {"a": 0.5}, {"a": 0.5, "b": 0.5, "c": 0.5}],
    "beta": [-1, "parity", {"c": 1}],
    "min_members": [-1],
    "exclusive": ["yes"],
    "min_share": [2],
    "max_share": [-1],
    "min_size": [0, -1, [1, 1]],
    "max_size": [-1],
}


def checked(model: MiniReL) -> None:
    groups = read_groups(GROUPS)
    check_parameters(model.get_params(deep=False), groups, read_weights(None, len(GROUPS)))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in BAD for value in BAD[name]])
def test_the_same_words(name: str, value: object) -> None:
    model = MiniReL(**{"n_clusters": 3, "beta": 1, name: value})
    with pytest.raises(ParameterError) as of_fit:
        model.fit(X, sensitive_features=GROUPS)
    with pytest.raises(type(of_fit.value)) as at_once:
        checked(model)
    assert str(at_once.value) == str(of_fit.value)


def test_what_can_be_had_is_not_refused() -> None:
    checked(MiniReL(3, beta=1))
    few = {"n_clusters": 3, "alpha": 0.5, "beta": 1, "min_size": 1, "max_size": None, "exclusive": False}
    check_parameters(
        few | {"gap": 0, "time_limit": None}, read_groups(GROUPS), read_weights(None, len(GROUPS))
    )


def test_pairs_that_can_be_read_only_once_are_refused() -> None:
    model = MiniReL(2, prefix=iter([("a", 1)]))
    for _ in range(2):
        with pytest.raises(ParameterError, match=r"^prefix must be a list .* list_iterator: give list"):
            model.fit([[0.0], [1], [2], [3]], sensitive_features=list("abab"))


def test_a_truth_value_is_no_seed() -> None:
    with pytest.raises(ParameterError, match=r"^random_state must be a whole number .* but is True"):
        MiniReL(2, random_state=True).fit([[0.0], [1]])
