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

    @cached_property
    def units(self) -> NDArray[np.int64]:
        n_points = self.groups.n_points
        return np.ones(n_points, dtype=np.int64) if self.weights.units is None else self.weights.units

    @cached_property
    def represented(self) -> list[NDArray[np.bool_]]:
        """Who is represented where: the tables (group, cluster) of all clusterings of good size."""
        fairness = self.fairness
        labels = np.array(list(product(range(fairness.n_clusters), repeat=self.groups.n_points)))
        here = labels[:, :, None] == np.arange(fairness.n_clusters)
        size = np.einsum("cik,i->ck", here, self.units)
        good = ((size >= fairness.min_units) & (size <= fairness.max_units)).all(1)
        here, size = here[good], size[good]
        tables = np.zeros((len(here), len(fairness.names), fairness.n_clusters), dtype=bool)
        for g, alpha in enumerate(fairness.alpha):
            members = np.einsum("cik,i->ck", here, self.units * self.groups.membership[:, g])
            tables[:, g] = alpha.denominator * members >= alpha.numerator * size
        return list(np.unique(tables, axis=0)) if len(tables) else []

    def counting(self, required=()) -> list[NDArray[np.bool_]]:
        """Represented claims that count, for the clusterings that keep those required."""
        return [t & self.fairness.allowed for t in self.represented if all(t[pair] for pair in required)]

    def is_feasible(self, required=()) -> bool:
        return any((table.sum(1) >= self.fairness.beta).all() for table in self.counting(required))

    def least_cost(self, cost) -> float | None:
        """Cost of the cheapest claims, beta of each group, that one clustering keeps."""
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
    """A case with groups that may overlap or be empty, shares by group, and at times sizes and weights."""
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
    return Case(
        groups,
        weights,
        Fairness(groups.names, n_clusters, alpha, beta, allowed, min_units, max_units, weights.unit),
    )
