"""The representation of any clustering, whoever made it."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minirel.outcome.audit_text import told
from minirel.outcome.labels import read_clusters, read_labels, read_pairs, read_promises
from minirel.outcome.remarks import handfuls, unpromised
from minirel.outcome.verdict import lacking, n_broken
from minirel.points.errors import ParameterValueError
from minirel.points.groups import Groups, read_groups
from minirel.points.weights import Weights, read_weights
from minirel.points.wording import counted
from minirel.promises.exact import Number
from minirel.promises.fairness import (
    Fairness,
    Share,
    Size,
    read_alpha,
    read_bounds,
    read_exclusive,
    read_members,
    read_preset,
)
from minirel.promises.sizes import read_sizes


@dataclass(frozen=True, eq=False)
class Audit:
    """Who is represented where, and what is missing.

    What is said of a group is a tuple in the order of `groups`; what is said of clusters is an array in the
    order of `groups` and `clusters`. With sample weights, members and sizes are weights.

    Attributes
    ----------
    groups : tuple of hashable
        Name of each group.
    clusters : tuple of hashable
        Name of each cluster, its label.
    counts : ndarray of int64 or float64, shape (n_groups, n_clusters)
        Members of a group in a cluster; whole numbers unless weights are not.
    sizes : ndarray of int64 or float64, shape (n_clusters,)
        Members of a cluster.
    shares : ndarray of float64, shape (n_groups, n_clusters)
        Share of a cluster's members that belong to a group, 0 in an empty cluster.
    represented : ndarray of bool, shape (n_groups, n_clusters)
        Whether the share reaches alpha, and the members `min_members`, compared exactly and wherever it is;
        never in an empty cluster.
    alpha : tuple of float
        Share that each group needs.
    beta : tuple of int
        Number of clusters that each group was promised.
    allowed : ndarray of bool, shape (n_groups, n_clusters)
        Whether a cluster counts towards the promise.
    shortfall : ndarray of float64, shape (n_groups, n_clusters)
        How many more members of the group would have to join the cluster, all else unchanged, for it to be
        represented: the smallest such number, with weights the smallest multiple of their common unit. It
        is 0 where the group is represented, and infinite where others are in the cluster and alpha is 1.
    min_members : tuple of float
        Members of each group with which a cluster counts for it.
    exclusive : bool
        Whether a cluster counts for one group only.
    min_share, max_share : tuple of float
        Bounds on the share of each group in every cluster: 0 and 1 where there are none.
    below, above : ndarray of bool, shape (n_groups, n_clusters)
        Where a share is out of these bounds, compared exactly; never in an empty cluster.
    min_size, max_size : tuple of float
        Smallest and largest size of each cluster: 0 and infinity where there is none.
    too_small, too_large : ndarray of bool, shape (n_clusters,)
        Which clusters are not of such a size, compared exactly.
    """

    groups: tuple[Hashable, ...]
    clusters: tuple[Hashable, ...]
    counts: NDArray[np.int64] | NDArray[np.float64]
    sizes: NDArray[np.int64] | NDArray[np.float64]
    shares: NDArray[np.float64]
    represented: NDArray[np.bool_]
    alpha: tuple[float, ...]
    beta: tuple[int, ...]
    allowed: NDArray[np.bool_]
    shortfall: NDArray[np.float64]
    min_members: tuple[float, ...]
    exclusive: bool
    min_share: tuple[float, ...]
    max_share: tuple[float, ...]
    below: NDArray[np.bool_]
    above: NDArray[np.bool_]
    min_size: tuple[float, ...]
    max_size: tuple[float, ...]
    too_small: NDArray[np.bool_]
    too_large: NDArray[np.bool_]

    @property
    def n_represented(self) -> tuple[int, ...]:
        """For each group, the number of allowed clusters in which it is represented."""
        return tuple((self.represented & self.allowed).sum(axis=1).tolist())

    @property
    def n_lacking(self) -> tuple[int, ...]:
        """For each group, the number of promised clusters that it lacks.

        If clusters are exclusive, they are shared out so that the groups lack as few as possible together.
        """
        return lacking(self.represented & self.allowed, self.beta, exclusive=self.exclusive)

    @property
    def satisfied(self) -> bool:
        """Whether every group has the clusters it was promised, and shares and sizes are within bounds."""
        return n_broken(self) == 0

    @property
    def is_bounded(self) -> bool:
        """Whether the share of some group is bounded in every cluster."""
        return any(self.min_share) or any(share < 1 for share in self.max_share)

    @property
    def is_sized(self) -> bool:
        """Whether the size of some cluster is bounded."""
        return any(self.min_size) or any(size < np.inf for size in self.max_size)

    @property
    def shares_of_all(self) -> tuple[float, ...]:
        """For each group, its share of all members of all clusters."""
        return tuple((self.counts.sum(axis=1) / max(self.sizes.sum(), np.finfo(float).tiny)).tolist())

    @property
    def unpromised(self) -> tuple[Hashable, ...]:
        """Groups that were promised nothing while others were promised clusters, the largest first."""
        return tuple(self.groups[g] for g in unpromised(self))

    @property
    def handfuls(self) -> tuple[tuple[Hashable, tuple[Hashable, ...]], ...]:
        """Clusters that keep promises with a handful of members, each with the groups that need it.

        A handful is fewer than 5 members and less than a quarter of what a cluster has on average. A group
        needs such clusters if it would lack one of those promised without them.
        """
        return tuple((self.clusters[k], tuple(self.groups[g] for g in kept)) for k, kept in handfuls(self))

    def to_frame(self) -> Any:
        """Lay the audit out as a table with a row for each group and cluster.

        Returns
        -------
        pandas.DataFrame or dict of list
            Columns group, cluster, count, size, share, alpha, represented, allowed, shortfall, below and
            above. Without pandas, a dict of the same columns, which other libraries make a frame of.
        """
        n_groups, n_clusters = self.represented.shape
        columns: dict[str, list[Any]] = {
            "group": [name for name in self.groups for _ in range(n_clusters)],
            "cluster": [*self.clusters] * n_groups,
            "count": self.counts.ravel().tolist(),
            "size": self.sizes.tolist() * n_groups,
            "share": self.shares.ravel().tolist(),
            "alpha": [share for share in self.alpha for _ in range(n_clusters)],
            "represented": self.represented.ravel().tolist(),
            "allowed": self.allowed.ravel().tolist(),
            "shortfall": self.shortfall.ravel().tolist(),
            "below": self.below.ravel().tolist(),
            "above": self.above.ravel().tolist(),
        }
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError:
            return columns
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        is_broken = (np.array(self.n_lacking) > 0) | (self.below | self.above).any(axis=1)
        wrong = {"group": is_broken, "cluster": self.too_small | self.too_large}
        said = [counted(int(which.sum()), noun) for noun, which in wrong.items() if which.any()]
        state = f"broken for {' and '.join(said)}" if said else "satisfied"
        size = f"{counted(len(self.groups), 'group')}, {counted(len(self.clusters), 'cluster')}"
        return f"<Audit: {size}, {state}>"

    def __str__(self) -> str:
        return told(self)


class Asked(TypedDict, total=False):
    """What `audit` can be asked besides labels and groups, for those who pass it on."""

    alpha: Number | Mapping[Hashable, Number]
    beta: int | str | Mapping[Hashable, int] | None
    allowed: ArrayLike | Mapping[Hashable, Iterable[Hashable]] | None
    min_share: Share | None
    max_share: Share | None
    min_members: Share
    exclusive: bool
    min_size: Size | None
    max_size: Size | None
    sample_weight: ArrayLike | None
    n_clusters: int | None
    missing: str


def audit(
    labels: object,
    sensitive_features: object,
    *,
    alpha: Number | Mapping[Hashable, Number] = 0.51,
    beta: int | str | Mapping[Hashable, int] | None = None,
    allowed: ArrayLike | Mapping[Hashable, Iterable[Hashable]] | None = None,
    min_share: Share | None = None,
    max_share: Share | None = None,
    min_members: Share = 1,
    exclusive: bool = False,
    min_size: Size | None = None,
    max_size: Size | None = None,
    sample_weight: ArrayLike | None = None,
    n_clusters: int | None = None,
    missing: str = "error",
) -> Audit:
    """Tell who is represented in which cluster of a clustering, and which promises that breaks.

    Parameters
    ----------
    labels : list, 1-d array or Series
        Cluster of each point: numbers, strings or other plain values. Each distinct value is a cluster,
        also the -1 with which some algorithms mark noise.
    sensitive_features : column, table, Groups or None
        The groups, as in `minirel.points.groups.read_groups`.
    alpha : number or dict, default=0.51
        Share of a cluster that represents a group, for all groups or by group name. A group that is left
        out must have no promise in `beta`, and is represented only where it has a cluster to itself.
    beta : int, dict, str or None, default=None
        Number of clusters promised to every group or by group name (a group left out is promised none),
        ``"statistical_parity"`` or ``"equality_of_opportunity"``, or None for no promises. A promise that
        nobody could keep is reported as lacking, like any other.
    allowed : array of bool of shape (n_groups, n_clusters), dict or None, default=None
        Clusters that count towards a promise, as a table in the order of the result or as lists of labels
        by group name (a group left out may count all). None allows all.
    min_share, max_share : number, dict or None, default=None
        Smallest and largest share of a group in every cluster, for all groups or by group name.
    min_members : number or dict, default=1
        Members of a group, by weight, that a cluster needs to count for it besides the share.
    exclusive : bool, default=False
        Whether a cluster counts for one group only.
    min_size, max_size : number, sequence or None, default=None
        Smallest and largest weight of a cluster, its number of points if there are no weights: for all, or
        one for each in the order of the result. A `min_size` of 1 says that no cluster is empty.
    sample_weight : array of shape (n_points,), default=None
        Weight of each point in shares and sizes.
    n_clusters : int, default=None
        Number of clusters, if some may have no points: labels must then be 0 to ``n_clusters - 1``. Without
        it, the clusters are the distinct labels.
    missing : {"error", "group", "none"}, default="error"
        What becomes of missing sensitive features, as in `minirel.points.groups.read_groups`.

    Returns
    -------
    Audit
        Clusters are sorted by label where labels can be sorted, else as they first appear.

    Examples
    --------
    >>> from minirel.outcome.audit import audit
    >>> sex = ["F", "F", "M", "F", "M", "M", "M"]
    >>> result = audit(["a", "a", "a", "b", "b", "b", "b"], sex, alpha=0.6, beta={"F": 2, "M": 1})
    >>> result.represented
    array([[ True, False],
           [False,  True]])
    >>> result.shortfall
    array([[0., 4.],
           [2., 0.]])
    >>> print(result)
    Share of each cluster's members, * where it is enough to represent the group
    <BLANKLINE>
    cluster      a       b
    F        66.6%*  25.0%
    M        33.3%   75.0%*
    size         3       4
    <BLANKLINE>
    group  needs  has clusters  of promised  lacks
    F        60%             1            2      1
    M        60%             1            1      0
    <BLANKLINE>
    Broken: 'F' lacks 1 cluster.
    """
    column = read_labels(labels)
    n_points = len(column.codes)
    no_groups = sensitive_features is None
    groups = read_groups(sensitive_features, n_points=n_points if no_groups else None, missing=missing)
    if groups.n_points != n_points:
        raise ParameterValueError(
            "labels",
            "must hold one cluster per point",
            labels,
            "pass both for the same points",
            found=f"has {n_points} for the {groups.n_points} points of sensitive_features",
        )
    weights = read_weights(sample_weight, n_points)
    clusters, codes = read_clusters(column, n_clusters)

    # Not read_fairness: it refuses what no clustering can keep, and clusters that weigh nothing.
    pairs = read_pairs(allowed, groups, clusters)
    promised = () if isinstance(beta, str) else read_promises(beta, groups)
    needed = {g for g in range(groups.n_groups) if isinstance(beta, str) or promised[g]}
    shares = read_alpha(alpha, groups, needed)
    if isinstance(beta, str):
        promised = read_preset(beta, groups, weights, pairs, shares)
    smallest = 0 if min_size is None else min_size
    asked = _Asked(
        shares,
        promised,
        pairs,
        read_members(min_members, groups, weights),
        read_exclusive(exclusive),
        *read_bounds(min_share, max_share, groups),
        *read_sizes(smallest, max_size, weights, weights.total(n_points), len(clusters)),
    )
    return _count(codes, clusters, groups, weights, asked)


def audit_fit(labels: NDArray[np.integer], groups: Groups, weights: Weights, fairness: Fairness) -> Audit:
    """The same for labels 0, 1, ... of a request that has been read already."""
    asked = _Asked(
        fairness.alpha,
        fairness.beta,
        fairness.allowed,
        fairness.min_members,
        fairness.exclusive,
        fairness.min_share,
        fairness.max_share,
        # That no cluster is empty is not a promise of its own.
        tuple(units if units > 1 else 0 for units in fairness.min_units),
        fairness.max_units,
    )
    return _count(labels, tuple(range(fairness.n_clusters)), groups, weights, asked)


class _Asked(NamedTuple):
    """What was asked of the clusters, in exact numbers."""

    alpha: tuple[Fraction, ...]
    beta: tuple[int, ...]
    allowed: NDArray[np.bool_]
    min_members: tuple[int, ...]
    exclusive: bool
    min_share: tuple[Fraction, ...]
    max_share: tuple[Fraction, ...]
    min_units: tuple[int, ...]
    max_units: tuple[int, ...]


def _count(
    codes: NDArray[np.integer],
    clusters: tuple[Hashable, ...],
    groups: Groups,
    weights: Weights,
    asked: _Asked,
) -> Audit:
    """Count members by group and cluster, by code that shares nothing with what made the clusters."""
    # Totals are below 2**53, so sums of doubles are exact; products with the terms of alpha may not be, so
    # from here on they are Python's integers.
    units = weights.numbers(len(codes))
    size = np.bincount(codes, units, len(clusters)).astype(np.int64).astype(object)
    count = np.zeros(asked.allowed.shape, dtype=object)
    for g in range(groups.n_groups):
        member = groups.members(g)
        count[g] = np.bincount(codes[member], units[member], len(clusters)).astype(np.int64)
    p, q = _terms(asked.alpha)
    lack, is_empty = p * size - q * count, size == 0
    few = np.array(asked.min_members, dtype=object).reshape(-1, 1) - count
    represented = (lack <= 0) & (few <= 0) & ~is_empty
    # Whoever joins adds q to count * q and p to size * p.
    joining = np.maximum(np.maximum(-(-lack // np.maximum(q - p, 1)), few), 1) * weights.unit
    is_never = (p == q) & (lack > 0)
    total = sum(size)
    # Weights of 1e300 are whole numbers, too.
    is_whole = weights.unit.denominator == 1 and total * weights.unit < 2**63
    kind = np.int64 if is_whole else np.float64
    (low, low_of), (high, high_of) = _terms(asked.min_share), _terms(asked.max_share)
    least, most = (np.array(units, dtype=object) for units in (asked.min_units, asked.max_units))
    result = Audit(
        groups=groups.names,
        clusters=clusters,
        counts=(count * weights.unit).astype(kind),
        sizes=(size * weights.unit).astype(kind),
        shares=(count / np.maximum(size, 1)).astype(np.float64),
        represented=represented.astype(np.bool_),
        alpha=tuple(map(float, asked.alpha)),
        beta=asked.beta,
        allowed=asked.allowed.copy(),
        shortfall=np.where(represented, 0, np.where(is_never, np.inf, joining)).astype(np.float64),
        min_members=tuple(float(max(units, 0) * weights.unit) or 1.0 for units in asked.min_members),
        exclusive=asked.exclusive,
        min_share=tuple(map(float, asked.min_share)),
        max_share=tuple(map(float, asked.max_share)),
        below=(low_of * count < low * size).astype(np.bool_),
        above=(high_of * count > high * size).astype(np.bool_),
        min_size=tuple(float(units if units <= 1 else units * weights.unit) for units in asked.min_units),
        max_size=tuple(float(units * weights.unit) if units < total else np.inf for units in asked.max_units),
        too_small=(size < least).astype(np.bool_),
        too_large=(size > most).astype(np.bool_),
    )
    for array in (value for value in vars(result).values() if isinstance(value, np.ndarray)):
        array.flags.writeable = False
    return result


def _terms(shares: tuple[Fraction, ...]) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Numerators and denominators, one row per group."""
    above = np.array([share.numerator for share in shares], dtype=object).reshape(-1, 1)
    return above, np.array([share.denominator for share in shares], dtype=object).reshape(-1, 1)
