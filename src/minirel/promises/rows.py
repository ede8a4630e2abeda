"""The one list of promises that every solver reads: linear rows over members and sizes, in exact integers."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.promises.exact import tightest
from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.kinds import KINDS, Kind

# Beyond this, products of counts and coefficients leave int64 for Python's own integers.
_INT64 = 2**62


@dataclass(frozen=True, eq=False)
class RowList:
    """Rows ``members[r] * m + total[r] * t + size[r] * s >= least[r]``.

    Here m is what the members of ``group[r]`` come to in ``cluster[r]``, t is what their share is of, and s
    is what all its points weigh, all in units. Without numbers of members, t and s are the same. ``kind[r]``
    is the place of the row's kind in `KINDS`; for a size the group is 0 and its coefficient is 0.
    """

    kind: NDArray[np.intp]
    group: NDArray[np.intp]
    cluster: NDArray[np.intp]
    members: NDArray[np.int64]
    total: NDArray[np.int64]
    size: NDArray[np.int64]
    least: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, some: NDArray[np.bool_] | NDArray[np.intp]) -> "RowList":
        return RowList(*(part[some] for part in self._parts()))

    def __add__(self, other: "RowList") -> "RowList":
        return RowList(*(np.concatenate(pair) for pair in zip(self._parts(), other._parts(), strict=True)))

    def _parts(self) -> tuple[NDArray[np.int64], ...]:
        return self.kind, self.group, self.cluster, self.members, self.total, self.size, self.least

    def slack(
        self, members: NDArray[np.int64], total: NDArray[np.int64], size: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """By how much each row holds, for members by group and cluster, totals and sizes by cluster."""
        dtype = self.dtype(max(int(total.sum()), int(size.sum())))
        slack: NDArray[np.int64] = self.size.astype(dtype) * size[self.cluster].astype(dtype) - self.least
        slack = slack + self.total.astype(dtype) * total[self.cluster].astype(dtype)
        if len(members):
            slack = slack + self.members.astype(dtype) * members[self.group, self.cluster].astype(dtype)
        return slack

    def tables(self, n_groups: int, n_clusters: int, dtype: type) -> "RowTables":
        """The rows of each kind by group and cluster; where there is none, 0 >= 0."""
        tables = []
        for kind in np.unique(self.kind):
            some = self[self.kind == kind]
            table: NDArray[Any] = np.zeros((4, max(n_groups, 1), n_clusters), dtype=dtype)
            table[:, some.group, some.cluster] = some.members, some.total, some.size, some.least
            tables.append(table)
        return RowTables(tables)

    def dtype(self, total: int) -> type:
        """The integers that hold products with counts of up to `total` units."""
        largest = max(int(np.abs(part).max(initial=1)) for part in (self.members, self.total, self.size))
        return np.int64 if 2 * largest * total < _INT64 else object

    def worst(self, most_total: NDArray[np.int64], most_size: NDArray[np.int64]) -> NDArray[np.int64]:
        """The most that a row can lack in a cluster of at most this total and size: the paper's big M."""
        members, total, size = (part.astype(object) for part in (self.members, self.total, self.size))
        of_total = np.minimum(np.minimum(total, members + total) * most_total.astype(object), 0)
        return np.asarray(self.least - of_total - np.minimum(size * most_size.astype(object), 0))


@dataclass(frozen=True, eq=False)
class RowTables:
    """Rows as tables by group and cluster, to look up those of many clusters at once."""

    tables: list[NDArray[Any]]

    def holds(
        self,
        members: NDArray[Any],
        total: NDArray[Any],
        size: NDArray[Any],
        cluster: NDArray[np.integer],
    ) -> NDArray[np.bool_]:
        """Which groups have all their rows hold, by group and column.

        Column c speaks of a state of ``cluster[c]``: of its `total` and `size`, and of the `members` of each
        group in it.
        """
        holds = np.ones((max(len(members), 1), len(cluster)), dtype=np.bool_)
        for table in self.tables:
            of_members, of_total, of_size, least = table[:, :, cluster]
            value = of_total * total + of_size * size + (of_members * members if len(members) else 0)
            holds &= (value >= least).astype(np.bool_)
        return holds


def cluster_rows(fairness: Fairness) -> RowList:
    """What must hold in every cluster, whoever its holders are."""
    clusters = np.arange(fairness.n_clusters)
    rows = _rows("min_size", 0, clusters, 0, 0, 1, np.array(fairness.min_units))
    largest = np.array(fairness.max_units)
    some = np.flatnonzero(largest < fairness.total)
    rows += _rows("max_size", 0, some, 0, 0, -1, -largest[some])
    for g, share in enumerate(fairness.min_share):
        if share > 0:
            p, q = _terms([tightest(share, most) for most in fairness.max_totals])
            rows += _rows("min_share", g, clusters, q, -p, 0, 0)
    for g, share in enumerate(fairness.max_share):
        if share < 1:
            p, q = _terms([1 - tightest(1 - share, most) for most in fairness.max_totals])
            rows += _rows("max_share", g, clusters, -q, p, 0, 0)
    return rows


def holder_rows(fairness: Fairness, holders: Prefix | NDArray[np.intp], *, tight: bool = True) -> RowList:
    """What it takes for each of these clusters to count for its group.

    Shares are replaced by the smallest that a cluster can have at all (`tightest`) unless not `tight`.
    """
    pairs = np.array(holders, dtype=np.intp).reshape(-1, 2)
    group, cluster = pairs.T

    @cache
    def share_of(alpha: Fraction, most: int) -> Fraction:
        return tightest(alpha, most) if tight else alpha

    shares = [share_of(fairness.alpha[g], fairness.max_totals[k]) for g, k in pairs.tolist()]
    p, q = _terms(shares)
    rows = _rows("share", group, cluster, q, -p, 0, 0)
    least = np.array(fairness.min_members, dtype=np.int64)[group]
    if (
        fairness.counts_people
    ):  # a cluster that is not empty may have a total of 0, and then represents nobody
        is_filled = np.array(fairness.min_units)[cluster] > 0
        least = np.maximum(least, is_filled.astype(np.int64))
    some = np.flatnonzero(least)
    return rows + _rows("min_members", group[some], cluster[some], 1, 0, 0, least[some])


def every_pair(shape: tuple[int, ...]) -> NDArray[np.intp]:
    """Every pair of a group and a cluster, in the order of a table of this shape."""
    return np.argwhere(np.ones(shape, dtype=np.bool_))


def _rows(kind: Kind, *parts: object) -> RowList:
    place = KINDS.index(kind)
    group, cluster, members, total, size, least = np.broadcast_arrays(*parts)  # type: ignore[arg-type]
    return RowList(
        np.full(len(cluster), place),
        group.astype(np.intp),
        cluster.astype(np.intp),
        *(part if part.dtype == object else part.astype(np.int64) for part in (members, total, size, least)),
    )


def _terms(shares: list[Fraction]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    dtype = np.int64 if all(share.denominator < _INT64 for share in shares) else object
    return (
        np.array([share.numerator for share in shares], dtype=dtype),
        np.array([share.denominator for share in shares], dtype=dtype),
    )
