"""The request: which share, in how many clusters, where and of what size, read once and exactly."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.messages import BY_GROUP, Message, Parameter, Value
from minirel.points.weights import Weights
from minirel.promises.by_group import by_group, read_alpha, read_bounds, read_exclusive, read_members
from minirel.promises.exact import Number, plain, positive, whole
from minirel.promises.sizes import read_sizes

T = TypeVar("T")

# The (group, cluster) pairs that must be represented, by index.
Prefix = tuple[tuple[int, int], ...]
# What users give: a number for all, or one by group or by cluster.
Share = Number | Mapping[Hashable, Number]
Size = Number | Sequence[Number | None]


@dataclass(frozen=True, eq=False)
class Fairness:
    """A validated request, in exact fractions and integers.

    A cluster counts for group g when members of the group weigh ``min_members[g]`` or more in it and make up
    a share ``alpha[g]`` or more of it; ``beta[g]`` of the clusters that ``allowed[g]`` marks must. If it is
    `exclusive`, each counts for one group only. In every cluster k the share of group g is between
    ``min_share[g]`` and ``max_share[g]``, and the size between ``min_units[k]`` and ``max_units[k]``. Sizes
    are in units of weight, of which all points have `total`: the weight of one unit is `unit` (without
    weights a unit is a point). Members are in multiples of `member_unit`, and shares are of `share_total` of
    these in all: the same units, unless the request `counts_people`. A `min_members` of 0 asks for nothing
    beyond the share.
    """

    names: tuple[Hashable, ...]
    n_clusters: int
    alpha: tuple[Fraction, ...]
    beta: tuple[int, ...]
    allowed: NDArray[np.bool_]
    min_units: tuple[int, ...]
    max_units: tuple[int, ...]
    min_share: tuple[Fraction, ...]
    max_share: tuple[Fraction, ...]
    min_members: tuple[int, ...]
    exclusive: bool
    total: int
    unit: Fraction
    share_total: int
    member_unit: Fraction
    counts_people: bool = False

    @property
    def max_totals(self) -> tuple[int, ...]:
        """The most that shares can be of in each cluster."""
        return (self.share_total,) * self.n_clusters if self.counts_people else self.max_units

    @property
    def bound_groups(self) -> list[int]:
        """Groups whose share is bounded in every cluster."""
        bounds = enumerate(zip(self.min_share, self.max_share, strict=True))
        return [g for g, (least, most) in bounds if least > 0 or most < 1]

    def of(self, groups: Sequence[int]) -> "Fairness":
        """What is asked of some of the groups, in their order."""

        def some(values: tuple[T, ...]) -> tuple[T, ...]:
            return tuple(values[g] for g in groups)

        return replace(
            self,
            names=some(self.names),
            alpha=some(self.alpha),
            beta=some(self.beta),
            allowed=self.allowed[list(groups)],
            min_share=some(self.min_share),
            max_share=some(self.max_share),
            min_members=some(self.min_members),
        )

    def weight(self, units: int) -> int | float:
        """Say a number of units as a weight."""
        return plain(units * self.unit)

    def people(self, units: int) -> int | float:
        """Say a number of units of members as the number that was given."""
        return plain(units * self.member_unit)


def read_fairness(
    groups: Groups,
    weights: Weights,
    n_clusters: int,
    *,
    alpha: Number | Mapping[Hashable, Number],
    beta: int | str | Mapping[Hashable, int] | None,
    allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None = None,
    min_size: Size = 1,
    max_size: Size | None = None,
    min_share: Share | None = None,
    max_share: Share | None = None,
    min_members: Share = 1,
    exclusive: bool = False,
    asked: Iterable[int] = (),
) -> Fairness:
    """Validate a request and make it exact.

    Parameters
    ----------
    groups : Groups
        The groups that the request speaks of.
    weights : Weights
        Weight of each point in shares and sizes.
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
    min_size, max_size : number or sequence
        Smallest and largest weight of a cluster, for all or one for each. A `min_size` of 1 asks only that
        the cluster is not empty, whatever the scale of the weights, and 0 not even that: then nothing is
        counted to beta.
    min_share, max_share : number, dict or None
        Smallest and largest share of a group in every cluster, for all groups or by group name (a group left
        out is not bounded).
    min_members : number or dict
        Weight of the members of a group with which a cluster counts for it, for all groups or by group name.
        1 asks for nothing beyond the share, whatever the scale of the weights.
    exclusive : bool
        Whether a cluster counts for one group only.
    asked : iterable of int
        Groups (by index) that need an alpha although beta asks nothing of them.

    Returns
    -------
    Fairness
        Whether any clustering can keep it is for the count program to say.
    """
    n_clusters = positive(n_clusters, "n_clusters")
    total = weights.total(groups.n_points)
    smallest, largest = read_sizes(min_size, max_size, weights, total, n_clusters)
    _check_n_clusters(n_clusters, groups, weights, n_filled=sum(map(bool, smallest)))
    pairs = read_allowed(allowed, groups, n_clusters)
    counts = None if isinstance(beta, str) else _read_beta(beta, groups, pairs)
    needed = set(range(groups.n_groups)) if counts is None else {g for g, b in enumerate(counts) if b > 0}
    shares = read_alpha(alpha, groups, needed.union(asked))
    if isinstance(beta, str):
        counts = read_preset(beta, groups, weights, pairs, shares)
    assert counts is not None
    if not all(smallest) and any(counts):
        raise ParameterValueError(
            Parameter("min_size", value=0),
            "must be above 0 where beta counts clusters",
            min_size,
            "use min_size=1, or beta=None and name the clusters in prefix",
            found="lets clusters be empty, and an empty cluster represents nobody, so that beta cannot count "
            "on it",
            obvious=True,
        )
    least_share, most_share = read_bounds(min_share, max_share, groups)
    return Fairness(
        names=groups.names,
        n_clusters=n_clusters,
        alpha=shares,
        beta=counts,
        allowed=pairs,
        min_units=smallest,
        max_units=largest,
        min_share=least_share,
        max_share=most_share,
        min_members=read_members(min_members, groups, weights),
        exclusive=read_exclusive(exclusive),
        total=total,
        unit=weights.unit,
        **shares_of(groups, weights),
    )


class SharesOf(TypedDict):
    """What shares are of: the fields of `Fairness` about it."""

    share_total: int
    member_unit: Fraction
    counts_people: bool


def shares_of(groups: Groups, weights: Weights) -> SharesOf:
    """What the shares of these groups are of."""
    if groups.counts is None:
        return SharesOf(
            share_total=weights.total(groups.n_points), member_unit=weights.unit, counts_people=False
        )
    everybody = int(groups.counts.total[groups.signature].sum())
    return SharesOf(share_total=max(everybody, 1), member_unit=groups.counts.unit, counts_people=True)


def statistical_parity(groups: Groups, weights: Weights, n_clusters: int, cap: int, group: int) -> int:
    """As many clusters for every group (definition 3 of the paper)."""
    return cap * n_clusters // groups.n_groups


def equality_of_opportunity(groups: Groups, weights: Weights, n_clusters: int, cap: int, group: int) -> int:
    """Clusters in proportion to the weight of the group (definition 4 of the paper), or to its members."""
    if groups.counts is not None:
        everybody = int(groups.counts.total[groups.signature].sum())
        return int(groups.n_members[group]) * cap * n_clusters // max(everybody, 1)
    member = groups.membership[:, group]
    units = int(member.sum()) if weights.units is None else int(weights.units[member].sum())
    return units * cap * n_clusters // weights.total(groups.n_points)


BETA_PRESETS: dict[str, Callable[[Groups, Weights, int, int, int], int]] = {
    "statistical_parity": statistical_parity,
    "equality_of_opportunity": equality_of_opportunity,
}


def _check_n_clusters(number: int, groups: Groups, weights: Weights, n_filled: int) -> None:
    """Check that the `n_filled` clusters that may not be empty can have a point of some weight each."""
    most = groups.n_points if weights.units is None else int(np.count_nonzero(weights.units))
    if n_filled > most:
        points = (
            Parameter("n_samples", value=most)
            if weights.units is None
            else f"{most} points of weight above 0"
        )
        parameter = Parameter("n_clusters")
        raise ParameterValueError(
            parameter,
            "must be at most the number of points, since no cluster may be empty",
            number,
            Message("lower ", parameter, f" to at most {most}"),
            found=Message("is ", Value(number), " for ", points),
        )


def read_counts(beta: object, groups: Groups) -> tuple[int, ...]:
    """Read the number of clusters for each group, also more than there are."""
    return by_group({} if beta is None else beta, "beta", groups, _read_count, 0)


def _read_beta(beta: object, groups: Groups, allowed: NDArray[np.bool_]) -> tuple[int, ...]:
    counts = read_counts(beta, groups)
    n_clusters = allowed.shape[1]
    for g, count in enumerate(counts):
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
    return counts


def _read_count(value: object, parameter: str) -> int:
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
    """Read the name of a preset as the number of clusters of each group."""
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
    """Read which clusters may count for which group."""
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
        rule = f"must have one row per group and one column per cluster, shape {shape}"
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
