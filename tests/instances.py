"""Tiny random instances of the fair assignment problem, and their exact answer by trying every assignment.

Nothing here comes from the package: names of groups, shares, weights and presets are read anew from the
documentation, so that an error there cannot hide here.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALPHAS = (0.07, 0.1, 0.3333333333333333, 0.5, 0.51, 0.6, 0.75, 1.0)
INTEGER_WEIGHTS = (0, 1, 1, 2, 3, 5)
DECIMAL_WEIGHTS = (0.0, 0.1, 0.25, 0.37, 0.5, 1.0, 1.5, 2.3)
PRESETS = ("statistical_parity", "equality_of_opportunity")


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
        features = self.sensitive_features
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
            weight = sum((w for w, inside in zip(self.weights, self.groups[name], strict=True) if inside))
            share = Fraction(weight) / sum(self.weights)
        return math.floor(share * math.floor(1 / self.alpha[name]) * self.n_clusters)

    @property
    def scale(self) -> float:
        """Size of the costs, for tolerances: every point in its worst cluster, whatever the sign."""
        weights = np.array(self.weights, dtype=float)
        return float(weights @ np.abs(self.costs.astype(float)).max(axis=1))

    @cached_property
    def exact_costs(self) -> list[list[Fraction]]:
        """What each point pays in each cluster, its weight included, for the very doubles that were given."""
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
class Optimum:
    """The least cost of any fair assignment, and labels that have it."""

    cost: Fraction
    labels: NDArray[np.integer]


def is_fair(instance: Instance, labels: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which rows of `labels`, an assignment each, keep every promise; exact."""
    return _fair(instance, np.stack([labels == k for k in range(instance.n_clusters)]).astype(float))


def is_feasible(instance: Instance) -> bool:
    """Whether any assignment is fair."""
    return bool(_fair(instance, _every_assignment(instance.n_points, instance.n_clusters)).any())


def cheapest(instance: Instance) -> float | None:
    """The least cost of any fair assignment, or None if there is none."""
    best = optimum(instance)
    return None if best is None else float(best.cost)


def optimum(instance: Instance) -> Optimum | None:
    """The cheapest fair assignment in exact fractions, or None if there is none.

    Doubles find the few that rounding might make the cheapest; fractions compare only these.
    """
    chosen = _every_assignment(instance.n_points, instance.n_clusters)
    fair = np.flatnonzero(_fair(instance, chosen))
    if not len(fair):
        return None
    paid = np.array(instance.exact_costs, dtype=float)
    parts = [chosen[k][fair] for k in range(instance.n_clusters)]
    cost = sum(part @ paid[:, k] for k, part in enumerate(parts))
    rounding = 1e-15 * instance.n_points * sum(part @ np.abs(paid[:, k]) for k, part in enumerate(parts))
    near = fair[cost - rounding <= (cost + rounding).min()]
    labels = chosen[:, near].argmax(axis=0)
    unit = math.lcm(*(paid.denominator for row in instance.exact_costs for paid in row))
    whole = np.array([[int(paid * unit) for paid in row] for row in instance.exact_costs], dtype=object)
    exact = whole[np.arange(instance.n_points), labels].sum(axis=1)
    best = int(exact.argmin())
    return Optimum(Fraction(exact[best], unit), labels[best])


def _fair(instance: Instance, chosen: NDArray[np.float64]) -> NDArray[np.bool_]:
    # Whole numbers of a common unit; products in floats are exact below 2**53.
    common = math.lcm(*(weight.denominator for weight in instance.weights))
    units = np.array([int(weight * common) for weight in instance.weights], dtype=float)
    size = np.stack([part @ units for part in chosen]).astype(np.int64)
    distinct, which = np.unique(size, return_inverse=True)

    smallest = _exact(instance.options.get("min_size", 1))
    largest = instance.options.get("max_size")
    # A smallest size of 1 means not empty, whatever the weights.
    fair = (size > 0 if smallest == 1 else size >= math.ceil(smallest * common)).all(axis=0)
    if largest is not None:
        fair &= (size <= math.floor(_exact(largest) * common)).all(axis=0)

    prefix = instance.options.get("prefix") or []
    for name, member in instance.groups.items():
        count = np.stack([part @ (units * member) for part in chosen]).astype(np.int64)
        least = np.array([math.ceil(instance.alpha[name] * int(s)) for s in distinct], dtype=np.int64)
        represented = count >= least[which].reshape(size.shape)
        fair &= represented[instance.allowed[name]].sum(axis=0) >= instance.beta[name]
        for cluster in {k for g, k in prefix if g == name}:
            fair &= represented[cluster]
    return fair


@lru_cache
def _every_assignment(n_points: int, n_clusters: int) -> NDArray[np.float64]:
    """Whether point i is in cluster k in each of the K**n assignments, shape (K, K**n, n)."""
    labels = np.array(list(product(range(n_clusters), repeat=n_points)), dtype=np.int8)
    return np.stack([labels == k for k in range(n_clusters)]).astype(float)


def random_instance(seed: int, *, most_points: int = 9) -> Instance:
    """An instance of every kind that the tests can think of, feasible or not."""
    rng = np.random.default_rng(seed)
    n_clusters = int(rng.choice([1, 2, 2, 3, 3, 3]))
    n_points = int(rng.integers(n_clusters, most_points + 1, size=2).max())
    features = _random_features(rng, n_points)
    options: dict[str, Any] = {}
    shape = Instance(np.zeros((n_points, n_clusters)), features, options)
    names = list(shape.groups)

    if rng.random() < 0.5:
        options["sample_weight"] = random_weights(rng, n_points, n_clusters)
    if rng.random() < 0.7:
        options["alpha"] = float(rng.choice(ALPHAS))
    else:
        options["alpha"] = {name: float(rng.choice(ALPHAS)) for name in names}
    if rng.random() < 0.3:
        options["allowed"] = rng.random((len(names), n_clusters)) < 0.7
    allowed = {name: np.flatnonzero(row).tolist() for name, row in shape.allowed.items()}

    if rng.random() < 0.4:
        pairs = [(name, k) for name in names for k in allowed[name]]
        kept = rng.random(len(pairs)) < rng.choice([0.2, 0.4, 0.7])
        options["prefix"] = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
    if "prefix" not in options or rng.random() < 0.25:
        options["beta"] = _random_beta(rng, {name: len(allowed[name]) for name in names})
    _random_sizes(rng, shape, options)
    return Instance(_random_costs(rng, n_points, n_clusters), features, options)


def random_batch(seed: int) -> Instance:
    """An instance whose clusters may be empty: holders by name, for as little as a single point."""
    rng = np.random.default_rng(seed)
    whole = random_instance(seed)
    n_points = int(rng.integers(1, whole.n_points + 1))
    # As membership, so that there are groups without members.
    features = np.column_stack(list(whole.groups.values()))[:n_points]
    pairs = [(g, k) for g in range(features.shape[1]) for k in range(whole.n_clusters)]
    kept = rng.random(len(pairs)) < rng.choice([0.2, 0.4, 0.7])
    options: dict[str, Any] = {
        "alpha": {g: float(share) for g, share in enumerate(whole.alpha.values())},
        "prefix": [pair for pair, keep in zip(pairs, kept, strict=True) if keep],
        "min_size": 0,
    }
    if "sample_weight" in whole.options:
        options["sample_weight"] = whole.options["sample_weight"][:n_points]
    batch = Instance(whole.costs[:n_points], features, options)
    if rng.random() < 0.3:
        options["max_size"] = math.ceil(sum(batch.weights) / whole.n_clusters) + int(rng.integers(3))
    return batch


def _random_features(rng: np.random.Generator, n_points: int) -> NDArray[Any]:
    n_groups = int(rng.integers(1, 4))
    if rng.random() < 0.5:
        return rng.random((n_points, n_groups)) < rng.choice([0.3, 0.5, 0.8])
    values = np.array([["x", "y", "z"], [7, 8, 9]][int(rng.integers(2))])
    return rng.choice(values[:n_groups], size=n_points)


def random_weights(rng: np.random.Generator, n_points: int, n_clusters: int) -> list[int] | list[float]:
    """Whole numbers, small, large or with zeros, or decimals, coarse or fine; some for every cluster."""
    kind = rng.choice(["whole", "decimal", "cents", "large", "fine"], p=[0.3, 0.25, 0.25, 0.1, 0.1])
    match kind:
        case "cents":
            weights = np.round(rng.uniform(0.2, 2, size=n_points), 2)
        case "large":
            weights = rng.integers(0, 5001, size=n_points)
            weights[:n_clusters] += 1
        case "fine":
            weights = np.round(rng.uniform(0, 3, size=n_points), 9)
        case _:
            choice = INTEGER_WEIGHTS if kind == "whole" else DECIMAL_WEIGHTS
            weights = rng.choice(choice, size=n_points)
            # A point that counts for every cluster, and never all ones, which would be no weights at all.
            weights[:n_clusters] = rng.choice(choice[1:], size=n_clusters)
            weights[0] = choice[-1]
    return weights.tolist()


def _random_beta(rng: np.random.Generator, n_allowed: dict[Any, int]) -> str | int | dict[Any, int]:
    kind = rng.random()
    if kind < 0.65:
        return {
            name: int(rng.integers(0, min(n, 2) + 1)) for name, n in n_allowed.items() if rng.random() < 0.9
        }
    if kind < 0.8:
        return min(int(rng.integers(0, 3)), *n_allowed.values(), 2)
    return str(rng.choice(PRESETS))


def _random_sizes(rng: np.random.Generator, shape: Instance, options: dict[str, Any]) -> None:
    total = sum(shape.weights)
    mean = total / shape.n_clusters
    if rng.random() < 0.35:
        steps = [1, 2, 3] if total.denominator == 1 else [0.1, 0.5, 0.85, 1.0, 1.2]
        smallest = steps[int(rng.integers(len(steps)))]
        if shape.options.get("sample_weight") is not None and rng.random() < 0.5:
            smallest = round(float(mean) * rng.uniform(0.3, 1.05), 2)
        options["min_size"] = max(smallest, 0.01)
    if rng.random() < 0.35:
        # From too little for all points to more than enough.
        extra = int(rng.choice([-1, 0, 0, 1, 2, 3])) * max(1, int(mean) // 50)
        most = max(1, math.ceil(mean) + extra)
        options["max_size"] = most if rng.random() < 0.7 or total.denominator == 1 else most + 0.15


def _random_costs(rng: np.random.Generator, n_points: int, n_clusters: int) -> NDArray[np.floating]:
    kind = rng.choice(
        [
            "distances",
            "ties",
            "duplicates",
            "negative",
            "single",
            "large",
            "small",
            "offset",
            "zero",
            "mixed",
        ],
        p=[0.15, 0.15, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.15],
    )
    points = rng.normal(size=(n_points, 2))
    if kind == "duplicates":
        points = points[rng.integers(0, max(1, n_points // 3), size=n_points)]
    costs = ((points[:, None] - rng.normal(size=(n_clusters, 2))) ** 2).sum(axis=2)
    match kind:
        case "ties":
            return rng.integers(0, 3, size=costs.shape).astype(float)
        case "negative":
            return costs - 2
        case "single":
            return costs.astype(np.float32)
        case "large":
            return costs * 1e6
        case "small":
            return costs * 1e-6
        case "offset":
            return costs + 1e4
        case "zero":
            return np.zeros(costs.shape)
        case "mixed":
            return _many_magnitudes(rng, costs)
    return costs


def _many_magnitudes(rng: np.random.Generator, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 1e-8 to 1e8 in one table: by point, by cluster, or one by one."""
    shape = [(len(costs), 1), (1, costs.shape[1]), costs.shape][int(rng.integers(3))]
    return costs * 10.0 ** rng.uniform(-8, 8, size=shape)


def _exact(value: float | Fraction) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(repr(value))
