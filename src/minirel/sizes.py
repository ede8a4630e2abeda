"""How small and how large a cluster may be, in units of weight."""

import math
from collections.abc import Mapping
from fractions import Fraction

from minirel.errors import InfeasibleFairnessError
from minirel.exact import exact, plain
from minirel.groups import Groups
from minirel.weights import Weights


def read_sizes(
    min_size: object, max_size: object, groups: Groups, weights: Weights, n_clusters: int
) -> tuple[int, int]:
    """Read the smallest and the largest size of a cluster in units, and see that they fit the points."""
    total, unit = weights.total(groups.n_points), weights.unit
    smallest = _read_size(min_size, "min_size", weights, least="at least 0")
    # 1 is the promise that no cluster is empty: it must not turn into a weight when weights are small.
    min_units = 1 if smallest == 1 else math.ceil(smallest / unit)
    max_units = total
    if max_size is not None:
        largest = _read_size(max_size, "max_size", weights, least="above 0")
        max_units = min(math.floor(largest / unit), total)
        if smallest > largest and smallest != 1:
            raise _contradiction(
                groups,
                f"min_size must be at most max_size, but min_size={min_size} and max_size={max_size}: "
                f"lower min_size or raise max_size",
                ("min_size", "max_size"),
                {"min_size": plain(largest)},
            )
    if n_clusters * min_units > total:
        most = plain(total // n_clusters * unit)
        raise _contradiction(
            groups,
            f"min_size={min_size} asks for {n_clusters} clusters of weight {plain(min_units * unit)} or "
            f"more, but all points weigh {plain(total * unit)}: lower min_size to at most {most}, or "
            f"n_clusters to at most {total // min_units}",
            ("min_size",),
            {"min_size": most},
        )
    if n_clusters * max_units < total:
        least = plain(-(-total // n_clusters) * unit)
        raise _contradiction(
            groups,
            f"max_size={max_size} leaves room for a weight of {plain(n_clusters * max_units * unit)} in "
            f"{n_clusters} clusters, but all points weigh {plain(total * unit)}: raise max_size to at least "
            f"{least}, or n_clusters",
            ("max_size",),
            {"max_size": least},
        )
    return min_units, max_units


def _read_size(value: object, parameter: str, weights: Weights, least: str) -> Fraction:
    kind = "whole number of points" if weights.units is None else "weight"
    size = exact(value, parameter, f"a {kind} {least}")
    is_too_small = size < 0 or (size == 0 and least == "above 0")
    if is_too_small or (weights.units is None and size.denominator != 1):
        raise ValueError(f"{parameter} must be a {kind} {least}, but is {value}")
    return size


def _contradiction(
    groups: Groups, message: str, conflict: tuple[str, ...], nearest: Mapping[str, object]
) -> InfeasibleFairnessError:
    return InfeasibleFairnessError(
        message, conflict=conflict, largest_beta=dict.fromkeys(groups.names), nearest=nearest
    )
