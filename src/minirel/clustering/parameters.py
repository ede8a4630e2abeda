"""The parameters of a fit, checked before any work, and without any import that takes long."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minirel.assignment.holders.costs import read_strategy
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.messages import GENERATOR, Message, Parameter, Value
from minirel.points.weights import Weights
from minirel.points.wording import counted
from minirel.promises.exact import exact, positive, whole
from minirel.promises.fairness import Fairness, read_fairness
from minirel.promises.limits import read_gap, read_time_limit
from minirel.promises.sizes import by_cluster


def check_parameters(parameters: Mapping[str, Any], groups: Groups, weights: Weights) -> Fairness:
    """Refuse what a fit of these points would refuse, as far as it can be told at once; else what is asked.

    Groups with numbers of members are to be weighed.
    """
    numbers = read_numbers(parameters)
    read_gap(parameters["gap"])
    read_time_limit(parameters["time_limit"])
    if isinstance(parameters.get("prefix"), str):
        read_strategy(parameters["prefix"])
    n_clusters = numbers["n_clusters"]
    asked = asked_of(parameters, groups.n_points, n_clusters, groups)
    return read_fairness(groups, weights, n_clusters, **asked)


def read_numbers(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Validate those that are given of the parameters that are numbers."""
    return {name: read(parameters[name], name) for name, read in _NUMBERS.items() if name in parameters}


def asked_of(parameters: Mapping[str, Any], n: int, n_clusters: int, groups: Groups) -> dict[str, Any]:
    """What is asked of the clusters of `n` points; of what is not given, nothing."""
    if n < n_clusters:
        raise ParameterValueError(
            "n_clusters",
            "must be at most the number of points",
            n_clusters,
            Message("lower ", Parameter("n_clusters")),
            found=Message("is ", Value(n_clusters), " for ", Parameter("n_samples", value=n)),
        )
    if groups.n_points < n_clusters:  # fewer than points where some stay together
        raise ParameterValueError(
            "n_clusters",
            Message("must be at most the number of units that ", Parameter("together"), " makes of points"),
            n_clusters,
            Message("lower ", Parameter("n_clusters"), ", or let fewer points stay together"),
            found=Message("is ", Value(n_clusters), f" for {counted(groups.n_points, 'unit')}"),
        )
    for parameter, size in by_cluster(parameters["min_size"], "min_size", n_clusters):
        if exact(size, parameter, "a size above 0") <= 0:
            rule = "must be above 0, since every cluster has a center"
            way_out = "use 1 for clusters that are just not empty"
            raise ParameterValueError(parameter, rule, size, way_out)
    # Without groups, nothing can be asked for all of them; a group that is named is missing.
    of_groups: dict[str, Any] = {
        "beta": 0,
        "allowed": None,
        "min_share": None,
        "max_share": None,
        "min_members": 1,
    }
    others = ("alpha", "min_size", "max_size", "exclusive")
    return {name: parameters[name] for name in others} | {
        name: given if groups.n_groups or isinstance(given, Mapping) else without
        for name, without in of_groups.items()
        for given in [parameters.get(name, without)]
    }


def _n_swaps(value: object, name: str) -> int:
    rule = "a whole number of at least 0"
    number = whole(value, name, rule)
    if number < 0:
        raise ParameterValueError(name, f"must be {rule}", value)
    return number


def _tol(value: Any, name: str) -> float:
    rule = "a number of at least 0"
    number = float(exact(value, name, rule))
    if number < 0:
        raise ParameterValueError(name, f"must be {rule}", value)
    return number


def _n_jobs(value: object, name: str) -> object:
    if value is not None and whole(value, name, "a whole number, or None") == 0:
        way_out = "use 1 for one thread, -1 for one on each core"
        raise ParameterValueError(name, "must not be 0", value, way_out, found="")
    return value


def _connect(value: object, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ParameterTypeError(name, "must be True or False", value)
    return bool(value)


def _random_state(value: object, name: str) -> object:
    if isinstance(value, bool):  # which counts as 0 or 1 elsewhere
        rule = Message("must be a whole number from 0 to 4294967295", GENERATOR)
        raise ParameterTypeError(name, rule, value, "write 0 or 1 if you mean one of these")
    return value


_NUMBERS: dict[str, Callable[[Any, str], Any]] = {
    "n_clusters": positive,
    "max_iter": positive,
    "n_init": positive,
    "n_swaps": _n_swaps,
    "tol": _tol,
    "n_jobs": _n_jobs,
    "connect": _connect,
    "random_state": _random_state,
}
