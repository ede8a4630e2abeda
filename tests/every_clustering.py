"""An oracle for tiny cases: all clusterings of a few points, one by one."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from minirel.points.groups import Groups
from minirel.points.weights import Weights, read_weights
from minirel.promises.fairness import Fairness


def make_groups(membership, names: str = "ABCDEFGHIJ") -> Groups:
    member = np.asarray(membership, dtype=bool)
    signatures, signature = np.unique(member, axis=0, return_inverse=True)
    return Groups(tuple(names[: member.shape[1]]), signature.ravel().astype(np.int32), signatures)


@dataclass(frozen=True, eq=False)
class Case:
    """A few points and a request."""

    groups: Groups
    weights: Weights
    fairness: Fairness

    def asking(self, **changes) -> "Case":
        return replace(self, fairness=replace(self.fairness, **changes))

    def weighing(self, weights: Weights) -> "Case":
        """The same with other weights, without sizes, which are in units."""
        total, n_clusters = weights.total(self.groups.n_points), self.fairness.n_clusters
        fairness = replace(
            self.fairness,
            min_units=(1,) * n_clusters,
            max_units=(total,) * n_clusters,
            min_members=tuple(m * total // self.fairness.total for m in self.fairness.min_members),
            total=total,
            unit=weights.unit,
        )
        return Case(self.groups, weights, fairness)

    @cached_property
    def units(self) -> NDArray[np.int64]:
        n_points = self.groups.n_points
        return np.ones(n_points, dtype=np.int64) if self.weights.units is None else self.weights.units

    @cached_property
    def represented(self) -> list[NDArray[np.bool_]]:
        """Who is represented where: tables (group, cluster) of all clusterings of good size and shares."""
        fairness = self.fairness
        labels = np.array(list(product(range(fairness.n_clusters), repeat=self.groups.n_points)))
        here = labels[:, :, None] == np.arange(fairness.n_clusters)
        size = np.einsum("cik,i->ck", here, self.units)
        good = ((size >= fairness.min_units) & (size <= fairness.max_units)).all(1)
        tables = np.zeros((len(here), len(fairness.names), fairness.n_clusters), dtype=bool)
        for g in range(len(fairness.names)):
            members = np.einsum("cik,i->ck", here, self.units * self.groups.membership[:, g])
            good &= _is_at_least(members, fairness.min_share[g], size).all(1)
            good &= _is_at_least(-members, -fairness.max_share[g], size).all(1)
            tables[:, g] = _is_at_least(members, fairness.alpha[g], size)
            tables[:, g] &= members >= fairness.min_members[g]
        return list(np.unique(tables[good], axis=0)) if good.any() else []

    def counting(self, required=()) -> list[NDArray[np.bool_]]:
        """Holders that count, for the clusterings that keep those required."""
        counted = [t & self.fairness.allowed for t in self.represented if all(t[pair] for pair in required)]
        if not self.fairness.exclusive:
            return counted
        # Every way to share them out, each cluster to one group or to nobody.
        n_groups, n_clusters = self.fairness.allowed.shape
        owners = np.array(list(product(range(n_groups + 1), repeat=n_clusters)))
        shared = owners[:, None, :] == np.arange(n_groups)[:, None]
        shared = [way for way in shared if all(way[pair] for pair in required)]
        return [way for t in counted for way in shared if not (way & ~t).any()]

    def is_kept(self, labels, holders) -> bool:
        """Whether these labels keep the holders and all that is asked of every cluster, point by point."""
        fairness, n_clusters = self.fairness, self.fairness.n_clusters
        size, members = [0] * n_clusters, [[0] * n_clusters for _ in fairness.names]
        for i, (k, units) in enumerate(zip(labels, self.units.tolist(), strict=True)):
            size[k] += units
            for g in range(len(members)):
                members[g][k] += units * int(self.groups.membership[i, g])
        return (
            all(fairness.min_units[k] <= size[k] <= fairness.max_units[k] for k in range(n_clusters))
            and all(
                fairness.min_share[g] * s <= m <= fairness.max_share[g] * s
                for g in range(len(members))
                for m, s in zip(members[g], size, strict=True)
            )
            and all(
                members[g][k] >= max(fairness.alpha[g] * size[k], fairness.min_members[g]) for g, k in holders
            )
            and not (fairness.exclusive and len({k for _, k in holders}) < len(holders))
        )

    def is_feasible(self, required=()) -> bool:
        return any((table.sum(1) >= self.fairness.beta).all() for table in self.counting(required))

    def least_cost(self, cost) -> float | None:
        """Cost of the cheapest holders, beta of each group, that one clustering keeps."""
        return min(
            (
                sum(
                    np.sort(row[has])[:beta].sum()
                    for row, has, beta in zip(cost, t, self.fairness.beta, strict=True)
                )
                for t in self.counting()
                if (t.sum(1) >= self.fairness.beta).all()
            ),
            default=None,
        )


def _is_at_least(members, share: Fraction, size) -> NDArray[np.bool_]:
    """Whether members are at least this share of the size, in integers of any length."""
    return (share.denominator * members.astype(object) >= share.numerator * size.astype(object)).astype(bool)


SHARES = [
    Fraction(7, 100),
    Fraction(1, 4),
    Fraction(1, 3),
    Fraction(34, 100),
    Fraction(1, 2),
    Fraction(51, 100),
]
SHARES += [Fraction(2, 3), Fraction(3, 4), Fraction(1)]


def random_case(seed: int, most_points: int = 7) -> Case:
    """A case with groups that may overlap or be empty, shares by group, and at times every other promise."""
    rng = np.random.default_rng(seed)
    n_clusters = int(rng.integers(1, 4))
    n_points = int(rng.integers(n_clusters, most_points + 1))
    n_groups = int(rng.integers(1, 4))
    if rng.random() < 0.4:
        membership = rng.integers(n_groups + 1, size=n_points)[:, None] == np.arange(n_groups)
    else:
        membership = rng.random((n_points, n_groups)) < rng.uniform(0.2, 0.8, size=n_groups)
    groups = make_groups(membership)
    weights = read_weights(None, n_points)
    if rng.random() < 0.4:
        weights = read_weights(rng.integers(1, 5, size=n_points) * rng.choice([1, 0.5, 3]), n_points)
    total = weights.total(n_points)
    allowed = rng.random((n_groups, n_clusters)) < (1 if rng.random() < 0.6 else 0.7)
    alpha = tuple(SHARES[i] for i in rng.integers(len(SHARES), size=n_groups))
    beta = tuple(int(rng.integers(0, most + 1)) for most in allowed.sum(1))
    min_units = int(rng.integers(1, total // n_clusters + 1)) if rng.random() < 0.4 else 1
    max_units = int(rng.integers(-(-total // n_clusters), total + 1)) if rng.random() < 0.4 else total
    fairness = Fairness(
        names=groups.names,
        n_clusters=n_clusters,
        alpha=alpha,
        beta=beta,
        allowed=allowed,
        min_units=(min_units,) * n_clusters,
        max_units=(max_units,) * n_clusters,
        min_share=(Fraction(0),) * n_groups,
        max_share=(Fraction(1),) * n_groups,
        min_members=(0,) * n_groups,
        exclusive=False,
        total=total,
        unit=weights.unit,
        share_total=total,
        member_unit=weights.unit,
    )
    return _with_more(np.random.default_rng([seed, 1]), Case(groups, weights, fairness))


def _with_more(rng: np.random.Generator, case: Case) -> Case:
    """At times shares in every cluster, least members, clusters of one's own, and sizes by cluster."""
    fairness, total = case.fairness, case.fairness.total
    n_groups, n_clusters = fairness.allowed.shape
    members = [int(case.units[case.groups.membership[:, g]].sum()) for g in range(n_groups)]
    overall = [Fraction(number, total) for number in members]
    least, most = [Fraction(0)] * n_groups, [Fraction(1)] * n_groups
    if rng.random() < 0.25:
        for g in np.flatnonzero(rng.random(n_groups) < 0.6):
            # Mostly one that all points together have.
            least[g] = SHARES[rng.integers(len(SHARES) - 1)] * (overall[g] if rng.random() < 0.8 else 1)
    if rng.random() < 0.25:
        for g in np.flatnonzero(rng.random(n_groups) < 0.6):
            rest = SHARES[rng.integers(len(SHARES) - 1)] * (1 - overall[g] if rng.random() < 0.8 else 1)
            most[g] = max(least[g], 1 - rest)
    if rng.random() < 0.3:
        smallest = [max(fairness.min_units[0] + int(rng.integers(-2, 2)), 1) for _ in range(n_clusters)]
        largest = [int(rng.integers(total // n_clusters, total + 1)) for _ in range(n_clusters)]
        which = rng.random(2) < 0.7
        case = case.asking(
            min_units=tuple(smallest) if which[0] else fairness.min_units,
            max_units=tuple(largest) if which[1] else fairness.max_units,
        )
    if rng.random() < 0.25:
        few = [int(rng.integers(2, max(number // 2, 2) + 2)) for number in members]
        case = case.asking(min_members=tuple(f * bool(rng.random() < 0.6) for f in few))
    if rng.random() < 0.06:  # clusters may be empty, so that beta cannot count on them
        some = rng.random(n_clusters) < 0.6
        smallest = tuple(0 if s else u for s, u in zip(some, case.fairness.min_units, strict=True))
        case = case.asking(min_units=smallest, beta=(0,) * n_groups)
    return case.asking(min_share=tuple(least), max_share=tuple(most), exclusive=bool(rng.random() < 0.25))
