"""The representation of any clustering, whoever made it."""

from collections.abc import Hashable, Iterable, Mapping, Sized
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minirel.outcome.remarks import handfuls, remarks, unpromised
from minirel.points.columns import Column, encode, read_table
from minirel.points.errors import ParameterError, ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups, read_groups
from minirel.points.messages import Parameter
from minirel.points.weights import Weights, read_weights
from minirel.points.wording import asked_share, counted, visible
from minirel.promises.exact import Number, whole
from minirel.promises.fairness import Fairness, read_allowed, read_alpha, read_count, read_preset

_LINE, _GAP = 96, "  "
_LONGEST_GROUP, _LONGEST_CLUSTER = 24, 12


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
        Whether the share reaches alpha, compared exactly and wherever it is; never in an empty cluster.
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

    @property
    def n_represented(self) -> tuple[int, ...]:
        """For each group, the number of allowed clusters in which it is represented."""
        return tuple((self.represented & self.allowed).sum(axis=1).tolist())

    @property
    def n_lacking(self) -> tuple[int, ...]:
        """For each group, the number of promised clusters that it lacks."""
        return tuple(max(b - n, 0) for b, n in zip(self.beta, self.n_represented, strict=True))

    @property
    def satisfied(self) -> bool:
        """Whether every group has the clusters that it was promised."""
        return not any(self.n_lacking)

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
            Columns group, cluster, count, size, share, alpha, represented, allowed and shortfall. Without
            pandas, a dict of the same columns, which other libraries make a frame of.
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
        }
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError:
            return columns
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        n_broken = sum(map(bool, self.n_lacking))
        state = f"broken for {counted(n_broken, 'group')}" if n_broken else "satisfied"
        size = f"{counted(len(self.groups), 'group')}, {counted(len(self.clusters), 'cluster')}"
        return f"<Audit: {size}, {state}>"

    def __str__(self) -> str:
        names = [_short(name, _LONGEST_GROUP) for name in self.groups]
        heads = [_short(name, _LONGEST_CLUSTER) for name in self.clusters]
        marks = np.where(self.represented, np.where(self.allowed, "*", "~"), " ")
        # Rounded down, so that no share short of 51% reads 51.0%.
        shown = np.floor(1000 * self.shares + 1e-9) / 1000
        cells = [
            [f"{head} ", *map("{:.1%}{}".format, shares, mark), f"{size:.12g} "]
            for head, shares, mark, size in zip(heads, shown.T, marks.T, self.sizes, strict=True)
        ]
        first = ["cluster", *names, "size"]
        widest = max(len(cell) for column in cells for cell in column) + len(_GAP)
        step = (_LINE - max(map(len, first))) // widest
        blocks = [_table([first, *cells[start : start + step]]) for start in range(0, len(cells), step)]
        promises = [
            ["group", *names],
            ["needs", *map(asked_share, self.alpha)],
            ["has clusters", *map(str, self.n_represented)],
            ["of promised", *map(str, self.beta)],
            ["lacks", *map(str, self.n_lacking)],
        ]
        legend = "Share of each cluster's members, * where it is enough to represent the group"
        if (self.represented & ~self.allowed).any():
            legend += ", ~ where it is enough but does not count"
        broken = ", ".join(
            (f"'{text}'" if isinstance(name, str) else text) + f" lacks {counted(lacks, 'cluster')}"
            for name, text, lacks in zip(self.groups, names, self.n_lacking, strict=True)
            if lacks
        )
        kept = "Every promise is kept." if any(self.beta) else "Nothing was promised."
        closing = [f"Broken: {broken}." if broken else kept, *remarks(self, names, heads)]
        last = "\n".join(fill(sentence, _LINE) for sentence in closing)
        return "\n\n".join([fill(legend, _LINE), *blocks, _table(promises), last])


def audit(
    labels: object,
    sensitive_features: object,
    *,
    alpha: Number | Mapping[Hashable, Number] = 0.51,
    beta: int | str | Mapping[Hashable, int] | None = None,
    allowed: ArrayLike | Mapping[Hashable, Iterable[Hashable]] | None = None,
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
    column = _read_labels(labels)
    n_points = len(column.codes)
    no_groups = sensitive_features is None
    groups = read_groups(sensitive_features, n_points=n_points if no_groups else None, missing=missing)
    if groups.n_points != n_points:
        raise ParameterValueError(
            "labels",
            "must hold one cluster a point",
            labels,
            "pass both for the same points",
            found=f"has {n_points} for the {groups.n_points} points of sensitive_features",
        )
    weights = read_weights(sample_weight, n_points)
    clusters, codes = _read_clusters(column, n_clusters)

    # Not read_fairness: it refuses what no clustering can keep, and clusters that weigh nothing.
    pairs = _read_pairs(allowed, groups, clusters)
    promised = () if isinstance(beta, str) else _read_promises(beta, groups)
    needed = {g for g in range(groups.n_groups) if isinstance(beta, str) or promised[g]}
    shares = read_alpha(alpha, groups, needed)
    if isinstance(beta, str):
        promised = read_preset(beta, groups, weights, pairs, shares)
    return _count(codes, clusters, groups, weights, shares, promised, pairs)


def audit_fit(labels: NDArray[np.integer], groups: Groups, weights: Weights, fairness: Fairness) -> Audit:
    """The same for labels 0, 1, ... of a request that has been read already."""
    clusters = tuple(range(fairness.n_clusters))
    return _count(labels, clusters, groups, weights, fairness.alpha, fairness.beta, fairness.allowed)


def _count(
    codes: NDArray[np.integer],
    clusters: tuple[Hashable, ...],
    groups: Groups,
    weights: Weights,
    shares: tuple[Fraction, ...],
    promised: tuple[int, ...],
    pairs: NDArray[np.bool_],
) -> Audit:
    """Count members by group and cluster, by code that shares nothing with what made the clusters."""
    # Totals are below 2**53, so sums of doubles are exact; products with the terms of alpha may not be, so
    # from here on they are Python's integers.
    units = weights.numbers(len(codes))
    size = np.bincount(codes, units, len(clusters)).astype(np.int64).astype(object)
    count = np.zeros(pairs.shape, dtype=object)
    for g in range(groups.n_groups):
        member = groups.members(g)
        count[g] = np.bincount(codes[member], units[member], len(clusters)).astype(np.int64)
    p, q = (
        np.array([getattr(share, term) for share in shares], dtype=object)[:, None]
        for term in ("numerator", "denominator")
    )
    lack, is_empty = p * size - q * count, size == 0
    represented = (lack <= 0) & ~is_empty
    # Whoever joins adds q to count * q and p to size * p.
    joining = np.maximum(-(-lack // np.maximum(q - p, 1)), 1) * weights.unit
    # Weights of 1e300 are whole numbers, too.
    is_whole = weights.unit.denominator == 1 and sum(size) * weights.unit < 2**63
    kind = np.int64 if is_whole else np.float64
    result = Audit(
        groups=groups.names,
        clusters=clusters,
        counts=(count * weights.unit).astype(kind),
        sizes=(size * weights.unit).astype(kind),
        shares=(count / np.maximum(size, 1)).astype(np.float64),
        represented=represented,
        alpha=tuple(map(float, shares)),
        beta=promised,
        allowed=pairs.copy(),
        shortfall=np.where(represented, 0, np.where((p < q) | is_empty, joining, np.inf)).astype(np.float64),
    )
    for array in (value for value in vars(result).values() if isinstance(value, np.ndarray)):
        array.flags.writeable = False
    return result


# ---- what the user gave ---------------------------------------------------------------------------------


def _read_labels(labels: object) -> Column:
    rule = "must be a list, 1-d array or Series with the cluster of each point"
    shape = getattr(labels, "shape", None)
    if shape is None and isinstance(labels, Sized):
        shape = (len(labels),)
    if shape is None or isinstance(labels, str | bytes):
        raise ParameterTypeError("labels", rule, labels, found=f"is of type {type(labels).__name__}")
    if len(shape) != 1:
        raise ParameterValueError("labels", rule, labels, found=f"has shape {shape}")
    if shape[0] == 0:
        raise ParameterValueError("labels", rule, labels, found="is empty")
    try:
        table = read_table(labels)
        if table.is_2d:
            raise ParameterValueError("labels", rule, labels, "pass one of its columns", found="is a table")
        column = encode(None, table.columns[0])
    except ParameterError as error:
        raise error.about("labels") from error
    if column.n_missing:
        raise ParameterValueError(
            "labels",
            "must not be missing",
            labels,
            "drop these points, or name a cluster for them",
            found=f"{column.n_missing} of {len(column.codes)} are",
        )
    return column


def _read_clusters(column: Column, n_clusters: object) -> tuple[tuple[Hashable, ...], NDArray[np.intp]]:
    """Names of the clusters, and the index of each point's own."""
    if n_clusters is None:
        return column.values, column.codes
    rule = "a whole number of at least 1, or None to take the clusters from the labels"
    number = whole(n_clusters, "n_clusters", rule)
    if number < 1:
        raise ParameterValueError("n_clusters", f"must be {rule}", n_clusters)
    for name in column.values:
        if isinstance(name, bool) or name not in range(number):
            raise ParameterValueError(
                "labels",
                f"must be whole numbers from 0 to {number - 1} when n_clusters={number}",
                name,
                "leave n_clusters out to take the clusters from the labels",
                found=f"name {name!r}",
            )
    return tuple(range(number)), np.array(column.values, dtype=np.intp)[column.codes]


def _read_pairs(allowed: object, groups: Groups, clusters: tuple[Hashable, ...]) -> NDArray[np.bool_]:
    """Read `allowed`, in which clusters go by their labels."""
    if not isinstance(allowed, Mapping):
        return read_allowed(allowed, groups, len(clusters))
    indices = {}
    for name, labels in allowed.items():
        if not isinstance(labels, Iterable) or isinstance(labels, str):
            raise ParameterTypeError(Parameter("allowed", name), "must be a list of labels", labels)
        labels = list(labels)
        for unknown in (label for label in labels if label not in clusters):
            raise ParameterValueError(
                Parameter("allowed", name),
                "must be made of labels",
                unknown,
                "leave it out, or pass n_clusters if that cluster is empty",
                found=f"names {unknown!r}, which no point has",
            )
        indices[name] = [clusters.index(label) for label in labels]
    return read_allowed(indices, groups, len(clusters))


def _read_promises(beta: object, groups: Groups) -> tuple[int, ...]:
    if isinstance(beta, Mapping):
        promised = {
            groups.index(name, "beta"): read_count(count, Parameter("beta", name))
            for name, count in beta.items()
        }
        return tuple(promised.get(g, 0) for g in range(groups.n_groups))
    return (0 if beta is None else read_count(beta, "beta"),) * groups.n_groups


# ---- text -----------------------------------------------------------------------------------------------


def _table(columns: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in columns]
    rows = (
        [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in zip(*columns, strict=True)
    )
    return "\n".join(_GAP.join(row).rstrip() for row in rows)


def _short(name: Hashable, longest: int) -> str:
    text = " ".join(visible(str(name)).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
