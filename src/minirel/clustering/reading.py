"""What a fit is asked, read and checked before any work: units, neighbours and promises."""

from collections.abc import Iterator, Mapping
from typing import Any

from minirel.assignment.request import Request, read_request
from minirel.clustering.data import ArrayOrSparse
from minirel.clustering.parameters import asked_of
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.messages import Message, Parameter
from minirel.points.neighbours import Neighbours, read_neighbours
from minirel.points.together import Together, read_together
from minirel.points.weights import Weights


def read_units(together: object, n: int, objective: str) -> Together | None:
    """The units of points that stay together, which need an objective of means."""
    units = read_together(together, n)
    if units is not None and objective != "k-means":
        raise ParameterValueError(
            "together",
            Message("must be None unless ", Parameter("objective", value="k-means")),
            together,
            "points of one label are as one at their mean, which holds for squared distances only: use "
            "k-means, or fair_assignment with the costs of centers of your own",
            found=Message(Parameter("objective"), f" is {objective!r}"),
        )
    return units


def read_graph(
    neighbours: ArrayOrSparse | None, n: int, units: Together | None, *, connect: bool
) -> Neighbours | None:
    """The neighbours of the points, those of one unit included, which must be joined in order to connect."""
    if neighbours is None:
        if connect:
            raise ParameterValueError(
                Parameter("connect", value=True),
                "must be False without neighbours",
                True,
                Message("give ", Parameter("neighbours")),
                found="needs to know which points are neighbours",
                obvious=True,
            )
        return None
    graph = read_neighbours(neighbours, n)
    if units is not None:
        graph = graph.with_units(units.unit)
    if connect:
        graph.check_one_part()
    return graph


def request_of(
    parameters: Mapping[str, Any], n: int, n_clusters: int, groups: Groups, weights: Weights
) -> Request:
    """The request that the parameters of a fit of `n` points make."""
    if isinstance(parameters["prefix"], Iterator):
        rule, found = (
            "must be a list of (group, cluster) pairs",
            f"is a {type(parameters['prefix']).__name__}",
        )
        way_out = "give list(...) of it, since a second fit would find it empty"
        raise ParameterTypeError("prefix", rule, parameters["prefix"], way_out, found=found)
    asked = asked_of(parameters, n, n_clusters, groups)
    return read_request(groups, weights, n_clusters, prefix=parameters["prefix"], **asked)
