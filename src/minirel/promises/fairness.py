"""The request: which share, in how many clusters, where and of what size, read once and exactly."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minirel.points.errors import InfeasibleFairnessError, ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.messages import BY_GROUP, Message, Parameter
from minirel.points.weights import Weights
from minirel.promises.exact import Number, exact, plain, positive, whole
from minirel.promises.sizes import read_sizes

__all__ = ["BETA_PRESETS", "Fairness", "InfeasibleFairnessError", "Prefix", "read_cluster", "read_fairness"]

# The (group, cluster) pairs that must be represented, by index.
Prefix = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Fairness:
    """A validated request, in exact fractions and integers.

    Group g is represented in cluster k when its members make up a share ``alpha[g]`` or more of the cluster;
    it must be so in ``beta[g]`` of the clusters that ``allowed[g]`` marks. Sizes are in units of weight: the
    weight of one unit is `unit` (without weights a unit is a point).
    """

    names: tuple[Hashable, ...]
    n_clusters: int
    alpha: tuple[Fraction, ...]
    beta: tuple[int, ...]
    allowed: NDArray[np.bool_]
    min_units: int
    max_units: int
    unit: Fraction

    def weight(self, units: int) -> int | float:
        """Say a number of units as a weight."""
        return plain(units * self.unit)


def read_fairness(
    groups: Groups,
    weights: Weights,
    n_clusters: int,
    *,
    alpha: Number | Mapping[Hashable, Number],
    beta: int | str | Mapping[Hashable, int] | None,
    allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None = None,
    min_size: Number = 1,
    max_size: Number | None = None,
    asked: Iterable[int] = (),
) -> Fairness:
    """Validate a request and make it exact.

    Parameters
    ----------
    groups : Groups
        The groups that the request speaks of.
    weights : Weights
        What each point counts in shares and sizes.
    n_clusters : int
        Number of clusters.
    alpha : number or dict
        Share that a group needs in a cluster, for all groups or by group name. Read as its shortest
        decimal: 0.51 is 51/100.
    beta : int, dict, str or None
        Number of clusters for every group or by group name (a group left out asks for none), the name of
        an entry of `BETA_PRESETS`, or None to ask for nothing.
    allowed : array of bool of shape (n_groups, n_clusters), dict or None
        Clusters that may count for a group, as a table or as lists of clusters by group name (a group left
        out may use all). None allows all.
    min_size, max_size : number
        Smallest and largest weight of a cluster. ``min_size=1`` asks only that no cluster is empty, whatever
        the scale of the weights, and ``min_size=0`` not even that: then nothing is counted to beta.
    asked : iterable of int
        Groups (by index) that need an alpha although beta asks nothing of them.

    Returns
    -------
    Fairness
        Whether any clustering can keep it is for the count program to say.
    """
    n_clusters = _read_n_clusters(n_clusters, groups, weights, may_be_empty=min_size == 0)
    pairs = read_allowed(allowed, groups, n_clusters)
    counts = None if isinstance(beta, str) else _read_beta(beta, groups, pairs)
    needed = set(range(groups.n_groups)) if counts is None else {g for g, b in enumerate(counts) if b > 0}
    shares = read_alpha(alpha, groups, needed.union(asked))
    if isinstance(beta, str):
        counts = read_preset(beta, groups, weights, pairs, shares)
    assert counts is not None
    smallest, largest = read_sizes(min_size, max_size, weights, weights.total(groups.n_points))
    if smallest == 0 and any(counts):
        raise ParameterValueError(
            Parameter("min_size", value=0),
            "must be above 0 where beta counts clusters",
            min_size,
            "use min_size=1, or beta=None and name the clusters in prefix",
            found="lets clusters be empty, and an empty cluster represents nobody, so that beta cannot count "
            "on it",
            obvious=True,
        )
    return Fairness(groups.names, n_clusters, shares, counts, pairs, smallest, largest, weights.unit)


def statistical_parity(groups: Groups, weights: Weights, n_clusters: int, cap: int, group: int) -> int:
    """As many clusters for every group (definition 3 of the paper)."""
    return cap * n_clusters // groups.n_groups


def equality_of_opportunity(groups: Groups, weights: Weights, n_clusters: int, cap: int, group: int) -> int:
    """Clusters in proportion to the weight of the group (definition 4 of the paper)."""
    member = groups.membership[:, group]
    units = int(member.sum()) if weights.units is None else int(weights.units[member].sum())
    return units * cap * n_clusters // weights.total(groups.n_points)


BETA_PRESETS: dict[str, Callable[[Groups, Weights, int, int, int], int]] = {
    "statistical_parity": statistical_parity,
    "equality_of_opportunity": equality_of_opportunity,
}


def _read_n_clusters(n_clusters: object, groups: Groups, weights: Weights, *, may_be_empty: bool) -> int:
    number = positive(n_clusters, "n_clusters")
    # Otherwise no cluster is empty, and points without weight fill none.
    most = groups.n_points if weights.units is None else int(np.count_nonzero(weights.units))
    if number > most and not may_be_empty:
        points = f"n_samples={most}" if weights.units is None else f"{most} points have a weight above 0"
        parameter = Parameter("n_clusters")
        raise ParameterValueError(
            parameter,
            "must be at most the number of points, since no cluster may be empty",
            number,
            Message("lower ", parameter, f" to at most {most}"),
            found=Message(Parameter("n_clusters", value=number), f" and {points}"),
        )
    return number


def read_alpha(alpha: object, groups: Groups, needed: set[int]) -> tuple[Fraction, ...]:
    if not isinstance(alpha, Mapping):
        return (_read_share(alpha, "alpha"),) * groups.n_groups
    shares: dict[int, Fraction] = {}
    for name, value in alpha.items():
        shares[groups.index(name, "alpha")] = _read_share(value, Parameter("alpha", name))
    for g in sorted(needed - shares.keys()):
        raise ParameterValueError(
            "alpha",
            "must give a share for every group that clusters are asked for",
            alpha,
            Message("add it to ", Parameter("alpha"), ", or ask nothing of it in ", Parameter("beta")),
            found=f"leaves out {groups.names[g]!r}",
        )
    return tuple(shares.get(g, Fraction(1)) for g in range(groups.n_groups))


def _read_share(value: object, parameter: str) -> Fraction:
    rule = "a share above 0 and at most 1"
    share = exact(value, parameter, rule)
    if not 0 < share <= 1:
        raise ParameterValueError(parameter, Message("must be ", rule), value)
    return share


def _read_beta(beta: object, groups: Groups, allowed: NDArray[np.bool_]) -> tuple[int, ...]:
    if beta is None:
        return (0,) * groups.n_groups
    if not isinstance(beta, Mapping):
        number = read_count(beta, "beta")
        counts = dict.fromkeys(range(groups.n_groups), number)
    else:
        counts = {
            groups.index(name, "beta"): read_count(value, Parameter("beta", name))
            for name, value in beta.items()
        }
    n_clusters = allowed.shape[1]
    for g, count in counts.items():
        n_allowed, parameter = int(allowed[g].sum()), Parameter("beta", groups.names[g])
        if count > n_clusters:
            raise ParameterValueError(
                parameter,
                Message("must be at most ", Parameter("n_clusters", value=n_clusters)),
                count,
                Message("lower it, or raise ", Parameter("n_clusters")),
            )
        if count > n_allowed:
            raise ParameterValueError(
                parameter,
                f"must be at most the number of clusters that allowed leaves the group, {n_allowed}",
                count,
                "lower it, or allow more clusters",
            )
    return tuple(counts.get(g, 0) for g in range(groups.n_groups))


def read_count(value: object, parameter: str) -> int:
    rule = "a whole number of clusters, at least 0"
    if parameter == "beta":
        rule = Message(f"{rule}, ", BY_GROUP, f", or one of {', '.join(map(repr, BETA_PRESETS))}")
    count = whole(value, parameter, rule)
    if count < 0:
        raise ParameterValueError(parameter, Message("must be ", rule), value)
    return count


def read_preset(
    name: str, groups: Groups, weights: Weights, allowed: NDArray[np.bool_], shares: tuple[Fraction, ...]
) -> tuple[int, ...]:
    if name not in BETA_PRESETS:
        known = ", ".join(map(repr, BETA_PRESETS))
        rule = Message("must be a whole number, ", BY_GROUP, f", or one of {known}")
        raise ParameterValueError("beta", rule, name)
    n_clusters = allowed.shape[1]
    return tuple(
        # 1/alpha groups share a cluster, so for a small alpha the paper's formulas can ask for more than K.
        min(BETA_PRESETS[name](groups, weights, n_clusters, math.floor(1 / share), g), int(allowed[g].sum()))
        for g, share in enumerate(shares)
    )


def read_allowed(allowed: object, groups: Groups, n_clusters: int) -> NDArray[np.bool_]:
    shape = (groups.n_groups, n_clusters)
    if allowed is None:
        return np.ones(shape, dtype=bool)
    if isinstance(allowed, Mapping):
        table = np.ones(shape, dtype=bool)
        for name, clusters in allowed.items():
            g = groups.index(name, "allowed")
            table[g] = False
            if not isinstance(clusters, Iterable):
                raise ParameterTypeError(Parameter("allowed", name), "must be a list of clusters", clusters)
            for cluster in clusters:
                table[g, read_cluster(cluster, Parameter("allowed", name), n_clusters)] = True
        return table
    try:
        given = np.asarray(allowed)
    except ValueError as error:
        rule = f"must be a table of shape {shape}"
        raise ParameterValueError("allowed", rule, allowed, str(error), found="") from error
    if given.shape != shape:
        rule = f"must have a row a group and a column a cluster, shape {shape}"
        raise ParameterValueError("allowed", rule, allowed, found=f"has shape {given.shape}")
    if given.dtype != np.bool_:
        found = f"is of type {given.dtype}"
        raise ParameterTypeError(
            "allowed", "must be boolean", allowed, "write allowed == 1 or the like", found=found
        )
    return given.copy()


def read_cluster(cluster: object, parameter: str, n_clusters: int) -> int:
    """Read the number of a cluster."""
    rule = f"made of clusters, whole numbers from 0 to {n_clusters - 1}"
    number = whole(cluster, parameter, rule)
    if not 0 <= number < n_clusters:
        raise ParameterValueError(parameter, Message("must be ", rule), cluster, found=f"names {cluster}")
    return number
