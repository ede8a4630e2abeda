"""The promises as linear rows over counts."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Prices, Problem
from minirel.promises.exact import tightest
from minirel.promises.fairness import Prefix

# Beyond this, products of counts and coefficients leave int64 for Python's own integers.
_INT64 = 2**62


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows ``sum_s exact[r, s] * counts[s, cluster[r]] >= least[r]``, all in integers.

    ``counts[s, k]`` are units of signature s in cluster k, so each row concerns one cluster. Divided by
    `scale` the coefficients are about one: that is the row prices belong to. `group` is the group a row
    speaks for, or -1 for the smallest size, -2 for the largest, -3 for a split made in the search.
    """

    group: NDArray[np.intp]
    cluster: NDArray[np.intp]
    exact: NDArray[np.int64]
    least: NDArray[np.int64]
    scale: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    floor: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.cluster)

    def slack(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """By how much each row holds, exactly; negative where it is broken."""
        of_cluster = counts.T[self.cluster].astype(self.exact.dtype)
        return np.asarray((self.exact * of_cluster).sum(axis=1) - self.least)

    def offsets(self, prices: NDArray[np.float64], n_clusters: int) -> NDArray[np.float64]:
        """What a unit of each signature pays on top of its cost in each cluster."""
        offsets = np.zeros((n_clusters, self.coefficients.shape[1]))
        np.add.at(offsets, self.cluster, -prices[:, None] * self.coefficients)
        return np.ascontiguousarray(offsets.T)

    def as_prices(self, prices: NDArray[np.float64], n_groups: int, n_clusters: int) -> Prices:
        """The prices by group and cluster, for whoever does not know rows."""
        table = np.zeros((n_groups + 3, n_clusters))
        table[np.where(self.group >= 0, self.group, n_groups - 1 - self.group), self.cluster] = prices
        return Prices(table[:n_groups], table[n_groups], table[n_groups + 1])

    def split(self, cluster: int, form: NDArray[np.int64], least: int) -> "Rows":
        """One more row: ``form @ counts[:, cluster] >= least``."""
        exact = form.astype(self.exact.dtype)
        return Rows(
            group=np.append(self.group, -3),
            cluster=np.append(self.cluster, cluster),
            exact=np.vstack([self.exact, exact]),
            least=np.append(self.least, least),
            scale=np.append(self.scale, 1.0),
            coefficients=np.vstack([self.coefficients, form.astype(np.float64)]),
            floor=np.append(self.floor, float(least)),
        )

    def from_prices(self, prices: Prices) -> NDArray[np.float64]:
        """Undo `as_prices`: the price of each row, zero for one that had none."""
        table = np.vstack([prices.groups, prices.smallest, prices.largest])
        n_groups = len(prices.groups)
        rows = np.where(self.group >= 0, self.group, n_groups - 1 - self.group)
        return np.asarray(table[rows, self.cluster])


def side_rows(problem: Problem, prefix: Prefix) -> Rows:
    """Rows for the pairs of `prefix`, for every smallest size and, where one is asked, largest size."""
    fairness, signatures = problem.fairness, problem.groups.signatures
    total = problem.weights.total(problem.n_points)
    n_signatures, clusters = len(signatures), range(problem.n_clusters)
    thresholds = [tightest(alpha, fairness.max_units) for alpha in fairness.alpha]
    ones = [1] * n_signatures

    entries: list[tuple[int, int, list[int], int, int]] = []
    for g, k in prefix:
        share: Fraction = thresholds[g]
        p, q = share.numerator, share.denominator
        entries.append((g, k, [q * bool(member) - p for member in signatures[:, g]], 0, q))
    entries += [(-1, k, ones, fairness.min_units, 1) for k in clusters]
    if fairness.max_units < total:
        entries += [(-2, k, [-1] * n_signatures, -fairness.max_units, 1) for k in clusters]

    largest = max(q for *_, q in entries) * total
    dtype = np.int64 if largest < _INT64 else object
    exact = np.array([row for _, _, row, _, _ in entries], dtype=dtype)
    scale = np.array([q for *_, q in entries], dtype=np.float64)
    least = np.array([bound for _, _, _, bound, _ in entries], dtype=dtype)
    return Rows(
        group=np.array([g for g, *_ in entries], dtype=np.intp),
        cluster=np.array([k for _, k, *_ in entries], dtype=np.intp),
        exact=exact,
        least=least,
        scale=scale,
        coefficients=exact.astype(np.float64) / scale[:, None],
        floor=least.astype(np.float64) / scale,
    )
