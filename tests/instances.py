"""Tiny instances of the fair assignment problem, and their exact answer by trying every assignment.

Nothing here comes from the package: names of groups, shares, weights and presets are read anew from the
documentation, so that an error there cannot hide here.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The options that say who the points are; all others ask for something.
_ABOUT_POINTS = ("sample_weight", "total")


@dataclass(frozen=True, eq=False)
class Instance:
    """What `fair_assignment` is given; `options` are its keyword arguments. Its repr is code that runs it."""

    costs: NDArray[np.floating]
    sensitive_features: NDArray[Any]
    options: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        options = {
            key: value.tolist() if isinstance(value, np.ndarray) else value
            for key, value in self.options.items()
        }
        if options.get("allowed") is not None:
            options["allowed"] = f"np.array({options['allowed']})"
        told = [
            f"np.array({self.costs.tolist()}, dtype=np.{self.costs.dtype})",
            f"np.array({self.sensitive_features.tolist()})",
            *(f"{key}={value if key == 'allowed' else repr(value)}" for key, value in options.items()),
        ]
        return "fair_assignment(\n    " + ",\n    ".join(told) + ",\n)"

    @property
    def n_points(self) -> int:
        return self.costs.shape[0]

    @property
    def n_clusters(self) -> int:
        return self.costs.shape[1]

    @cached_property
    def groups(self) -> dict[Any, NDArray[np.bool_]]:
        """Name and members of each group."""
        features, total = self.sensitive_features, self.options.get("total")
        if total is not None:
            return {g: features[:, g] > 0 for g in range(features.shape[1]) if g != total}
        if features.ndim == 2:
            return {g: features[:, g] for g in range(features.shape[1])}
        return {value: features == value for value in sorted(set(features.tolist()))}

    @cached_property
    def alpha(self) -> dict[Any, Fraction]:
        given = self.options["alpha"]
        return {name: _exact(given[name] if isinstance(given, dict) else given) for name in self.groups}

    @cached_property
    def allowed(self) -> dict[Any, NDArray[np.bool_]]:
        given = self.options.get("allowed")
        table = np.ones((len(self.groups), self.n_clusters), dtype=bool) if given is None else given
        return dict(zip(self.groups, table, strict=True))

    @cached_property
    def weights(self) -> list[Fraction]:
        given = self.options.get("sample_weight")
        return [Fraction(1)] * self.n_points if given is None else [_exact(weight) for weight in given]

    @cached_property
    def members(self) -> dict[Any, list[Fraction]]:
        """What each point adds to the members of each group: its weight, or the number that it holds."""
        if self.options.get("total") is not None:
            return {
                g: [_exact(number) for number in self.sensitive_features[:, g].tolist()] for g in self.groups
            }
        return {
            name: [weight if inside else Fraction() for weight, inside in zip(self.weights, row, strict=True)]
            for name, row in self.groups.items()
        }

    @cached_property
    def totals(self) -> list[Fraction]:
        """What each point adds to what shares are of."""
        total = self.options.get("total")
        if total is None:
            return self.weights
        return [_exact(number) for number in self.sensitive_features[:, total].tolist()]

    @cached_property
    def units(self) -> list[list[int]]:
        """The points of each unit of several that stay together."""
        labels = self.options.get("together") or []
        named = {label for label in labels if label is not None}
        return [[i for i, label in enumerate(labels) if label == name] for name in named]

    @cached_property
    def beta(self) -> dict[Any, int]:
        given = self.options.get("beta")
        if given is None:
            return dict.fromkeys(self.groups, 0)
        if isinstance(given, dict):
            return {name: given.get(name, 0) for name in self.groups}
        if not isinstance(given, str):
            return dict.fromkeys(self.groups, given)
        return {name: min(self._preset(given, name), int(self.allowed[name].sum())) for name in self.groups}

    def _preset(self, preset: str, name: Any) -> int:
        share = Fraction(1, len(self.groups))
        if preset == "equality_of_opportunity":
            share = Fraction(sum(self.members[name])) / sum(self.totals)
        return math.floor(share * math.floor(1 / self.alpha[name]) * self.n_clusters)

    @cached_property
    def min_share(self) -> dict[Any, Fraction]:
        """Of the groups that are bound."""
        return self._by_group("min_share")

    @cached_property
    def max_share(self) -> dict[Any, Fraction]:
        """Of the groups that are bound."""
        return self._by_group("max_share")

    @cached_property
    def min_members(self) -> dict[Any, Fraction]:
        """Of the groups that need more than a share."""
        # As a smallest size of 1, this is a promise without weights.
        return {name: least for name, least in self._by_group("min_members").items() if least != 1}

    def _by_group(self, option: str) -> dict[Any, Fraction]:
        given = self.options.get(option)
        if given is None:
            return {}
        if not isinstance(given, dict):
            given = dict.fromkeys(self.groups, given)
        assert given.keys() <= self.groups.keys(), f"{option} names unknown groups: {given}"
        return {name: _exact(value) for name, value in given.items()}

    @cached_property
    def min_sizes(self) -> list[Fraction]:
        """Of each cluster; 1 means not empty, whatever the weights."""
        return [_exact(size) for size in self._by_cluster("min_size", 1)]

    @cached_property
    def max_sizes(self) -> list[Fraction | None]:
        """Of each cluster, None without limit."""
        return [None if size is None else _exact(size) for size in self._by_cluster("max_size", None)]

    def _by_cluster(self, option: str, default: int | None) -> list[Any]:
        given = self.options.get(option, default)
        sizes = list(given) if isinstance(given, list | tuple) else [given] * self.n_clusters
        assert len(sizes) == self.n_clusters, f"{option} must have an entry per cluster: {given}"
        return sizes

    @property
    def is_exclusive(self) -> bool:
        return bool(self.options.get("exclusive", False))

    @property
    def required(self) -> set[tuple[Any, int]]:
        """The pairs asked for by name."""
        return set(self.options.get("prefix") or ())

    def asking(self, **changes: Any) -> "Instance":
        """The same points and costs with some options changed."""
        asked = Instance(self.costs, self.sensitive_features, {**self.options, **changes})
        if changes.keys().isdisjoint(_ABOUT_POINTS):
            # Who the points are is read once; all of it is only looked at.
            read = ("groups", "weights", "members", "totals", "exact_costs")
            asked.__dict__.update({name: self.__dict__[name] for name in read if name in self.__dict__})
        return asked

    @property
    def scale(self) -> float:
        """Size of the costs, for tolerances: every point in its worst cluster, whatever the sign."""
        weights = np.array(self.weights, dtype=float)
        return float(weights @ np.abs(self.costs.astype(float)).max(axis=1))

    @cached_property
    def exact_costs(self) -> list[list[Fraction]]:
        """What each point pays in each cluster, its weight included, for the very doubles that were given."""
        if self.options.get("sample_weight") is None:
            return [[Fraction(cost) for cost in row] for row in self.costs.tolist()]
        rows = zip(self.weights, self.costs.tolist(), strict=True)
        return [[weight * Fraction(cost) for cost in row] for weight, row in rows]

    def exact_cost(self, labels: NDArray[np.integer]) -> Fraction:
        return sum((row[k] for row, k in zip(self.exact_costs, labels, strict=True)), Fraction())

    def magnitude(self, labels: NDArray[np.integer]) -> Fraction:
        """Sum of the points' costs, whatever their sign: what rounding is relative to."""
        return sum((abs(row[k]) for row, k in zip(self.exact_costs, labels, strict=True)), Fraction())

    def cost(self, labels: NDArray[np.integer]) -> float:
        return float(self.exact_cost(labels))


@dataclass(frozen=True, eq=False)
class Tally:
    """Sizes, totals and counts of clusters, in exact fractions: ``counts[name][cluster]``."""

    sizes: list[Fraction]
    totals: list[Fraction]
    counts: dict[Any, list[Fraction]]
    represented: dict[Any, list[bool]]


def tally(asked: Instance, labels: NDArray[np.integer]) -> Tally:
    """Count who is where; a group is represented by its share and, if more are asked for, its members."""

    def add_up(numbers: list[Fraction]) -> list[Fraction]:
        total = [Fraction()] * asked.n_clusters
        for k, number in zip(labels.tolist(), numbers, strict=True):
            total[k] += number
        return total

    sizes, totals = add_up(asked.weights), add_up(asked.totals)
    counts = {name: add_up(members) for name, members in asked.members.items()}
    represented = {
        name: [
            total > 0 and count >= max(asked.alpha[name] * total, asked.min_members.get(name, 0))
            for count, total in zip(row, totals, strict=True)
        ]
        for name, row in counts.items()
    }
    return Tally(sizes, totals, counts, represented)


@dataclass(frozen=True, eq=False)
class Optimum:
    """The least cost of any fair assignment, and labels that have it."""

    cost: Fraction
    labels: NDArray[np.integer]


def is_fair(instance: Instance, labels: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which rows of `labels`, an assignment each, keep every promise; exact."""
    inside = np.concatenate([labels == k for k in range(instance.n_clusters)])
    return _fair(instance, inside, np.arange(len(inside)).reshape(instance.n_clusters, -1))


def is_feasible(instance: Instance) -> bool:
    """Whether any assignment is fair."""
    _, subsets, taken = _every_assignment(instance.n_points, instance.n_clusters)
    return bool(_fair(instance, subsets, taken).any())


def cheapest(instance: Instance) -> float | None:
    """The least cost of any fair assignment, or None if there is none."""
    best = optimum(instance)
    return None if best is None else float(best.cost)


def optimum(instance: Instance) -> Optimum | None:
    """The cheapest fair assignment in exact fractions, or None if there is none.

    Doubles find the few that rounding might make the cheapest; fractions compare only these.
    """
    every, subsets, taken = _every_assignment(instance.n_points, instance.n_clusters)
    fair = np.flatnonzero(_fair(instance, subsets, taken))
    if not len(fair):
        return None
    paid = np.array(instance.exact_costs, dtype=float)
    cost, size = (
        sum((subsets @ column)[part[fair]] for column, part in zip(table.T, taken, strict=True))
        for table in (paid, np.abs(paid))
    )
    rounding = 1e-15 * instance.n_points * size
    labels = every[fair[cost - rounding <= (cost + rounding).min()]]
    unit = math.lcm(*(paid.denominator for row in instance.exact_costs for paid in row))
    whole = np.array([_in_units(row, unit) for row in instance.exact_costs], dtype=object)
    exact = whole[np.arange(instance.n_points), labels].sum(axis=1)
    best = int(exact.argmin())
    return Optimum(Fraction(exact[best], unit), labels[best])


def _fair(instance: Instance, subsets: NDArray[np.bool_], taken: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which assignments are fair, where cluster k of assignment a is the set `subsets[taken[k, a]]`."""
    # Whole numbers of a common unit; products in floats are exact below 2**53.
    common, (size,) = _sums(subsets, instance.weights)
    unit, (total, *counts) = _sums(subsets, instance.totals, *instance.members.values())
    distinct, which = np.unique(total, return_inverse=True)

    def at_most(limit: Fraction) -> NDArray[np.int64]:
        """The largest whole count that is no more than this share of each total."""
        most = [limit.numerator * s // limit.denominator for s in distinct.tolist()]
        return np.array(most, dtype=np.int64)[which]

    def at_least(limit: Fraction) -> NDArray[np.int64]:
        return -at_most(-limit)

    # What cluster k may be.
    good = np.ones((instance.n_clusters, len(size)), dtype=bool)
    for here, smallest, largest in zip(good, instance.min_sizes, instance.max_sizes, strict=True):
        # A smallest size of 1 means not empty, whatever the weights.
        here &= size > 0 if smallest == 1 else size >= math.ceil(smallest * common)
        if largest is not None:
            here &= size <= math.floor(largest * common)
    for together in instance.units:  # all of them or none
        good &= subsets[:, together].all(axis=1) | ~subsets[:, together].any(axis=1)
    # Only where a cluster may be empty can it have holders without anybody in it.
    has_somebody = (total > 0) | (np.array(instance.min_sizes) == 0)[:, None]
    holds = {}
    for name, count in zip(instance.groups, counts, strict=True):
        if name in instance.min_share:
            good &= count >= at_least(instance.min_share[name])
        if name in instance.max_share:
            good &= count <= at_most(instance.max_share[name])
        represented = count >= at_least(instance.alpha[name])
        if name in instance.min_members:
            represented &= count >= math.ceil(instance.min_members[name] * unit)
        for cluster in (k for g, k in instance.required if g == name):
            good[cluster] &= represented & has_somebody[cluster]
        holds[name] = represented & has_somebody & instance.allowed[name][:, None]

    fair = np.take_along_axis(good, taken, axis=1).all(axis=0)
    held = {
        name: np.take_along_axis(sets, taken, axis=1)
        for name, sets in holds.items()
        if instance.is_exclusive or instance.beta[name]
    }
    for name, clusters in held.items():
        fair &= clusters.sum(axis=0) >= instance.beta[name]
    return fair & _each_its_own(instance, held) if instance.is_exclusive else fair


def _sums(subsets: NDArray[np.bool_], *numbers: list[Fraction]) -> tuple[int, list[NDArray[np.int64]]]:
    """The common denominator of all numbers, and the sum of each list over each set, in units of it."""
    common = math.lcm(*(number.denominator for some in numbers for number in some))
    whole = np.array([_in_units(some, common) for some in numbers], dtype=float)
    return common, list((subsets @ whole.T).T.astype(np.int64))


def _in_units(numbers: list[Fraction], common: int) -> list[int]:
    """How often 1 / `common`, of which all of them are multiples, goes into each."""
    return [number.numerator * (common // number.denominator) for number in numbers]


def _each_its_own(instance: Instance, holds: dict[Any, NDArray[np.bool_]]) -> NDArray[np.bool_] | bool:
    """Whether the clusters that groups hold can be shared out, those required first, each to one of them.

    By Hall's theorem they can if any groups together hold as many of those left as they still need together.
    """
    required = instance.required
    left = [k for k in range(instance.n_clusters) if k not in {k for _, k in required}]
    if len(left) + len(required) > instance.n_clusters:
        return False
    needs = {
        name: max(least - sum(g == name and instance.allowed[g][k] for g, k in required), 0)
        for name, least in instance.beta.items()
    }
    return np.logical_and.reduce(
        [
            np.any([holds[name][left] for name in some], axis=0).sum(axis=0) >= sum(needs[g] for g in some)
            for n in range(1, len(needs) + 1)
            for some in combinations(needs, n)
        ]
    )


@lru_cache
def _every_assignment(
    n_points: int, n_clusters: int
) -> tuple[NDArray[np.integer], NDArray[np.bool_], NDArray[np.integer]]:
    """The labels of all K**n assignments, all 2**n sets of points, and which of them each cluster is.

    A promise is about the points of a cluster, so it is looked at once for every set.
    """
    digits = n_clusters ** np.arange(n_points)[::-1]
    labels = (np.arange(n_clusters**n_points)[:, None] // digits % n_clusters).astype(np.int8)
    if n_clusters == 1:  # all points, however many
        return labels, np.ones((1, n_points), dtype=bool), np.zeros((1, 1), dtype=int)
    bits = 1 << np.arange(n_points)
    subsets = (np.arange(2**n_points)[:, None] & bits) > 0
    return labels, subsets, np.stack([(labels == k) @ bits for k in range(n_clusters)])


@lru_cache(10_000, typed=True)
def _exact(value: float | Fraction) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(repr(value))
