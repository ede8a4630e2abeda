"""What is given for all groups or by group, read exactly."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar

import numpy as np

from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.messages import Message, Parameter
from minirel.points.weights import Weights
from minirel.promises.exact import exact, plain

T = TypeVar("T")


def by_group(
    value: object, parameter: str, groups: Groups, read: Callable[[object, str], T], otherwise: T
) -> tuple[T, ...]:
    """Read what is given for all groups or by group name; `otherwise` for those that are left out."""
    if not isinstance(value, Mapping):
        return (read(value, parameter),) * groups.n_groups
    given = {
        groups.index(name, parameter): read(each, Parameter(parameter, name)) for name, each in value.items()
    }
    return tuple(given.get(g, otherwise) for g in range(groups.n_groups))


def read_alpha(alpha: object, groups: Groups, needed: set[int]) -> tuple[Fraction, ...]:
    """Read the share of each group, which those `needed` must have."""
    shares = by_group(alpha, "alpha", groups, _read_share, Fraction(1))
    given = alpha if isinstance(alpha, Mapping) else groups.names
    for g in sorted(needed):
        if groups.names[g] not in given:
            raise ParameterValueError(
                "alpha",
                "must give a share for every group that clusters are asked for",
                alpha,
                Message("add it to ", Parameter("alpha"), ", or ask nothing of it in ", Parameter("beta")),
                found=f"leaves out {groups.names[g]!r}",
            )
    return shares


def _read_share(value: object, parameter: str) -> Fraction:
    rule = "a share above 0 and at most 1"
    share = exact(value, parameter, rule)
    if not 0 < share <= 1:
        raise ParameterValueError(parameter, Message("must be ", rule), value)
    return share


def read_exclusive(value: object) -> bool:
    """Read whether a cluster counts for one group only."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterTypeError("exclusive", "must be True or False", value)
    return bool(value)


def read_bounds(
    min_share: object, max_share: object, groups: Groups
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Read the bounds on the share of each group in every cluster: 0 and 1 where there are none."""
    smallest = by_group({} if min_share is None else min_share, "min_share", groups, _read_bound, Fraction(0))
    largest = by_group({} if max_share is None else max_share, "max_share", groups, _read_bound, Fraction(1))
    for name, least, most in zip(groups.names, smallest, largest, strict=True):
        if least > most:
            raise ParameterValueError(
                Parameter("min_share", name),
                Message("must be at most ", Parameter("max_share", name)),
                plain(least),
                "lower the one or raise the other",
                found=f"is {plain(least)}, which is more than {plain(most)}",
            )
    return smallest, largest


def _read_bound(value: object, parameter: str) -> Fraction:
    rule = "a share from 0 to 1"
    share = exact(value, parameter, rule)
    if not 0 <= share <= 1:
        raise ParameterValueError(parameter, Message("must be ", rule), value)
    return share


def read_members(value: object, groups: Groups, weights: Weights) -> tuple[int, ...]:
    """Read how many members of each group it takes for a cluster to count, in units; 0 where any will do."""
    counts, is_whole = groups.counts, weights.units is None and groups.counts is None
    rule = "a weight of at least 1" if weights.units is not None else "a whole number of members, at least 1"
    rule, unit = (rule, weights.unit) if counts is None else ("a number of members, at least 1", counts.unit)

    def read(given: object, parameter: str) -> int:
        members = exact(given, parameter, rule)
        if members < 1 or (is_whole and members.denominator != 1):
            raise ParameterValueError(parameter, Message("must be ", rule), given)
        return 0 if members == 1 else math.ceil(members / unit)

    return by_group(value, "min_members", groups, read, 0)
