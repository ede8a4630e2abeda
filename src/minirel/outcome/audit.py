"""The representation of any clustering, whoever made it."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minirel.outcome.findings import Audit
from minirel.outcome.labels import read_clusters, read_labels, read_pairs
from minirel.points.errors import ParameterValueError
from minirel.points.groups import Groups
from minirel.points.members import read_people
from minirel.points.weights import Weights, read_weights
from minirel.promises.by_group import read_alpha, read_bounds, read_exclusive, read_members
from minirel.promises.exact import Number
from minirel.promises.fairness import Fairness, Share, Size, read_counts, read_preset, shares_of
from minirel.promises.sizes import read_sizes

if TYPE_CHECKING:  # SciPy takes long to import, and is needed for neighbours only
    from scipy.sparse import sparray, spmatrix

    from minirel.points.neighbours import Neighbours

__all__ = ["Asked", "Audit", "audit", "audit_fit"]


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
    total: Hashable
    sample_weight: ArrayLike | None
    neighbours: "ArrayLike | sparray | spmatrix | None"
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
    total: Hashable = None,
    sample_weight: ArrayLike | None = None,
    neighbours: "ArrayLike | sparray | spmatrix | None" = None,
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
    total : name or index of a column, default=None
        Where points are units of many people, the column of `sensitive_features` with the total of each.
        Every other column is a group, with its number of members in each unit, and shares are of the totals.
    sample_weight : array of shape (n_points,), default=None
        Weight of each point in sizes, and without `total` in shares.
    neighbours : array-like of shape (n_pairs, 2) or sparse matrix of shape (n_points, n_points), default=None
        Which points are neighbours, as pairs of their indices or as an adjacency matrix. With it, the audit
        says in how many pieces each cluster is; that is no promise, so none is broken by it.
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
    n_known = n_points if no_groups else None
    groups = read_people(sensitive_features, total, n_points=n_known, missing=missing)
    if groups.n_points != n_points:
        raise ParameterValueError(
            "labels",
            "must hold one cluster per point",
            labels,
            "pass both for the same points",
            found=f"has {n_points} for the {groups.n_points} points of sensitive_features",
        )
    weights = read_weights(sample_weight, n_points)
    graph = None
    if neighbours is not None:
        from minirel.points.neighbours import read_neighbours

        graph = read_neighbours(neighbours, n_points)
    clusters, codes = read_clusters(column, n_clusters)

    # Not read_fairness: it refuses what no clustering can keep, and clusters that weigh nothing.
    pairs = read_pairs(allowed, groups, clusters)
    promised = () if isinstance(beta, str) else read_counts(beta, groups)
    needed = {g for g in range(groups.n_groups) if isinstance(beta, str) or promised[g]}
    shares = read_alpha(alpha, groups, needed)
    if isinstance(beta, str):
        promised = read_preset(beta, groups, weights, pairs, shares)
    least, most = read_bounds(min_share, max_share, groups)
    units, n_named = weights.total(n_points), len(clusters)
    smallest, largest = read_sizes(0 if min_size is None else min_size, max_size, weights, units, n_named)
    asked = Fairness(
        names=groups.names,
        n_clusters=n_named,
        alpha=shares,
        beta=promised,
        allowed=pairs,
        min_units=smallest,
        max_units=largest,
        min_share=least,
        max_share=most,
        min_members=read_members(min_members, groups, weights),
        exclusive=read_exclusive(exclusive),
        total=units,
        unit=weights.unit,
        **shares_of(groups, weights),
    )
    return _count(codes, clusters, groups, weights, asked, graph)


def audit_fit(
    labels: NDArray[np.integer],
    groups: Groups,
    weights: Weights,
    fairness: Fairness,
    neighbours: "Neighbours | None" = None,
) -> Audit:
    """The same for labels 0, 1, ... of a request that has been read already."""
    # That no cluster is empty is not a promise of its own.
    asked = replace(fairness, min_units=tuple(units if units > 1 else 0 for units in fairness.min_units))
    return _count(labels, tuple(range(fairness.n_clusters)), groups, weights, asked, neighbours)


def _count(
    codes: NDArray[np.integer],
    clusters: tuple[Hashable, ...],
    groups: Groups,
    weights: Weights,
    asked: Fairness,
    neighbours: "Neighbours | None",
) -> Audit:
    """Count members by group and cluster, by code that shares nothing with what made the clusters."""
    # Totals are below 2**53, so sums of doubles are exact; products with the terms of alpha may not be, so
    # from here on they are Python's integers.
    units = weights.numbers(len(codes))
    size = np.bincount(codes, units, len(clusters)).astype(np.int64).astype(object)
    count, total = np.zeros(asked.allowed.shape, dtype=object), size
    people = groups.counts
    if people is not None:
        total = (
            np.bincount(codes, people.total[groups.signature], len(clusters)).astype(np.int64).astype(object)
        )
    for g in range(groups.n_groups):
        member = groups.members(g)
        adds = units[member] if people is None else people.members[groups.signature[member], g]
        count[g] = np.bincount(codes[member], adds, len(clusters)).astype(np.int64)
    p, q = _terms(asked.alpha)
    lack, is_empty = p * total - q * count, total == 0
    few = np.array(asked.min_members, dtype=object).reshape(-1, 1) - count
    represented = (lack <= 0) & (few <= 0) & ~is_empty
    # Whoever joins adds q to count * q and p to total * p.
    joining = np.maximum(np.maximum(-(-lack // np.maximum(q - p, 1)), few), 1) * asked.member_unit
    is_never = (p == q) & (lack > 0)
    (low, low_of), (high, high_of) = _terms(asked.min_share), _terms(asked.max_share)
    least, most = (np.array(units, dtype=object) for units in (asked.min_units, asked.max_units))
    result = Audit(
        groups=groups.names,
        clusters=clusters,
        counts=_told(count, asked.member_unit, asked.share_total),
        sizes=_told(size, asked.unit, asked.total),
        totals=_told(total, asked.member_unit, asked.share_total),
        shares=(count / np.maximum(total, 1)).astype(np.float64),
        represented=represented.astype(np.bool_),
        alpha=tuple(map(float, asked.alpha)),
        beta=asked.beta,
        allowed=asked.allowed.copy(),
        shortfall=np.where(represented, 0, np.where(is_never, np.inf, joining)).astype(np.float64),
        min_members=tuple(float(max(units, 0) * asked.member_unit) or 1.0 for units in asked.min_members),
        exclusive=asked.exclusive,
        min_share=tuple(map(float, asked.min_share)),
        max_share=tuple(map(float, asked.max_share)),
        below=(low_of * count < low * total).astype(np.bool_),
        above=(high_of * count > high * total).astype(np.bool_),
        min_size=tuple(float(units if units <= 1 else units * weights.unit) for units in asked.min_units),
        max_size=tuple(float(u * weights.unit) if u < asked.total else np.inf for u in asked.max_units),
        too_small=(size < least).astype(np.bool_),
        too_large=(size > most).astype(np.bool_),
        pieces=None if neighbours is None else neighbours.pieces_by_cluster(codes, len(clusters)),
    )
    for array in (value for value in vars(result).values() if isinstance(value, np.ndarray)):
        array.flags.writeable = False
    return result


def _told(
    units: NDArray[np.object_], unit: Fraction, all_units: int
) -> NDArray[np.int64] | NDArray[np.float64]:
    """Units as the numbers that were given, whole ones if they can be; 1e300 is a whole number, too."""
    is_whole = unit.denominator == 1 and all_units * unit < 2**63
    told: NDArray[np.object_] = units * unit
    return told.astype(np.int64) if is_whole else told.astype(np.float64)


def _terms(shares: tuple[Fraction, ...]) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Numerators and denominators, one row per group."""
    above = np.array([share.numerator for share in shares], dtype=object).reshape(-1, 1)
    return above, np.array([share.denominator for share in shares], dtype=object).reshape(-1, 1)
