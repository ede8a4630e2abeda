"""The promises as rows over units by signature, to which a search can add splits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Problem
from minirel.promises.fairness import Prefix
from minirel.promises.kinds import KINDS, OF_GROUPS
from minirel.promises.prices import Prices
from minirel.promises.rows import RowList, cluster_rows, holder_rows

_SPLIT = len(KINDS)  # the kind of a row that a search adds
_MANY = 1_000  # signatures


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows over units by signature: ``sum_s exact[r, s] * counts[s, cluster[r]] >= least[r]``.

    ``counts[s, k]`` are units of signature s in cluster k, or points if these hold numbers of members.
    Divided by `scale`, `exact` and `least` are `coefficients` of about 1 and a right-hand side `rhs`, to
    which prices belong: a price of `Prices` is `per_unit` of these.
    """

    listed: RowList
    exact: NDArray[np.int64]
    least: NDArray[np.int64]
    scale: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    rhs: NDArray[np.float64]
    per_unit: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.listed)

    @property
    def cluster(self) -> NDArray[np.intp]:
        """The cluster that each row concerns."""
        return self.listed.cluster

    def by_cluster(self) -> dict[int, NDArray[np.intp]]:
        """The rows that concern each cluster of which there are any."""
        return {k: np.flatnonzero(self.cluster == k) for k in np.unique(self.cluster).tolist()}

    @property
    def is_split(self) -> NDArray[np.bool_]:
        """Which rows a search has added."""
        return np.asarray(self.listed.kind == _SPLIT)

    @property
    def is_share(self) -> NDArray[np.bool_]:
        """Which rows compare the members of a group with all of the cluster."""
        return np.asarray((self.listed.kind < len(OF_GROUPS)) & (self.listed.total != 0))

    def slack(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slack of each row, exactly; negative where it is violated."""
        of_cluster = counts.T[self.cluster].astype(self.exact.dtype)
        return np.asarray((self.exact * of_cluster).sum(axis=1) - self.least)

    def offsets(self, prices: NDArray[np.float64], n_clusters: int) -> NDArray[np.float64]:
        """What the prices add to the cost of a unit of each signature in each cluster."""
        offsets = np.zeros((n_clusters, self.coefficients.shape[1]))
        if offsets.shape[1] < _MANY:
            np.add.at(offsets, self.cluster, -prices[:, None] * self.coefficients)
        else:
            for r in np.flatnonzero(prices).tolist():
                offsets[self.cluster[r]] -= prices[r] * self.coefficients[r]
        return np.ascontiguousarray(offsets.T)

    def split(self, row: int, form: NDArray[np.int64], least: int) -> "Rows":
        """One more row, about the cluster and group of another: ``form @ counts[:, cluster] >= least``."""
        one, nothing = np.array([row]), np.zeros(1, dtype=np.int64)
        about = self.listed.group[one], self.listed.cluster[one]
        added = RowList(np.array([_SPLIT]), *about, nothing, nothing, nothing, nothing)
        return Rows(
            listed=self.listed + added,
            exact=np.vstack([self.exact, form.astype(self.exact.dtype)]),
            least=np.append(self.least, least),
            scale=np.append(self.scale, 1.0),
            coefficients=np.vstack([self.coefficients, form.astype(np.float64)]),
            rhs=np.append(self.rhs, float(least)),
            per_unit=np.append(self.per_unit, 1.0),
        )

    def as_prices(self, prices: NDArray[np.float64], n_groups: int, n_clusters: int) -> Prices:
        """The prices by kind, group and cluster; those of splits are dropped."""
        table = np.vstack([Prices.none(n_groups, n_clusters).table, np.zeros((1, n_clusters))])
        table[self._places(n_groups), self.cluster] = prices * self.per_unit
        return Prices(table[:-1])

    def from_prices(self, prices: Prices) -> NDArray[np.float64]:
        """The price of each row, the reverse of `as_prices`; 0 for rows that have none."""
        table = np.vstack([prices.table, np.zeros((1, prices.table.shape[1]))])
        return np.asarray(table[self._places(len(prices.groups)), self.cluster] / self.per_unit)

    def _places(self, n_groups: int) -> NDArray[np.intp]:
        """The line of the price table that each row belongs to; splits go to an extra last line."""
        kind, of_groups = self.listed.kind, len(OF_GROUPS)
        return np.where(
            kind < of_groups,
            kind * n_groups + self.listed.group,
            of_groups * n_groups + kind - of_groups,
        )


def promised_rows(problem: Problem, holders: Prefix) -> Rows:
    """The rows of all that is promised with these holders."""
    fairness, groups = problem.fairness, problem.groups
    listed = holder_rows(fairness, holders) + cluster_rows(fairness)
    dtype = listed.dtype(max(fairness.total, fairness.share_total))
    counts = groups.counts
    holds = groups.signatures if counts is None else counts.members
    member = np.column_stack([holds, np.zeros(len(holds), dtype=holds.dtype)])  # so that there is one
    # Contiguous, because loops run along its rows.
    of_group: NDArray[np.int64] = np.ascontiguousarray(member.T)[listed.group].astype(dtype)
    exact: NDArray[np.int64] = listed.members.astype(dtype)[:, None] * of_group
    scale = np.maximum(np.abs(listed.members), 1).astype(np.float64)
    per_unit = np.ones(len(listed))
    if counts is None:
        exact = exact + (listed.total + listed.size).astype(dtype)[:, None]
    else:
        exact = exact + listed.total.astype(dtype)[:, None] * counts.total.astype(dtype)
        exact = exact + listed.size.astype(dtype)[:, None] * counts.size.astype(dtype)
        # The typical point adds about 1 to a row. Powers of two, so that prices are converted exactly.
        everybody = np.where(listed.kind < len(OF_GROUPS), fairness.share_total, fairness.total)
        per_unit[:] = 2.0 ** -np.round(np.log2(np.maximum(everybody / problem.n_points, 1.0)))
        scale = scale / per_unit
    least: NDArray[np.int64] = listed.least.astype(dtype)
    return Rows(
        listed=listed,
        exact=exact,
        least=least,
        scale=scale,
        coefficients=exact.astype(np.float64) / scale[:, None],
        rhs=least.astype(np.float64) / scale,
        per_unit=per_unit,
    )
