"""Tiny random instances of the fair assignment problem, of every kind that the tests can think of."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instances import Instance, is_fair, tally
from planted import one_group_each, plant

ALPHAS = (0.07, 0.1, 0.3333333333333333, 0.5, 0.51, 0.6, 0.75, 1.0)
INTEGER_WEIGHTS = (0, 1, 1, 2, 3, 5)
DECIMAL_WEIGHTS = (0.0, 0.1, 0.25, 0.37, 0.5, 1.0, 1.5, 2.3)
PRESETS = ("statistical_parity", "equality_of_opportunity")
# Random labels among which some are sought that keep what is asked.
_TRIES = 200


def random_instance(
    seed: int, *, most_points: int = 9, people: bool = False, together: bool = False
) -> Instance:
    """An instance of every kind that the tests can think of, feasible or not.

    With `people` points hold numbers of members; with `together` some stay together.
    """
    rng = np.random.default_rng(seed)
    n_clusters = int(rng.choice([1, 2, 2, 3, 3, 3]))
    n_points = int(rng.integers(n_clusters, most_points + 1, size=2).max())
    features = _random_features(rng, n_points)
    options: dict[str, Any] = {}
    if people:
        features, options["total"] = random_numbers(rng, n_points)
    if together:
        options["together"] = _random_units(rng, n_points)
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
    if together and _n_units(shape) < n_clusters:  # a cluster that must not be empty would be
        del options["together"]
    _random_sizes(rng, shape, options)
    costs = _random_costs(rng, n_points, n_clusters)
    # From numbers of their own, so that the rest of an instance is the same with and without.
    return _with_further_promises(np.random.default_rng([seed, 1]), Instance(costs, features, options))


def random_people(seed: int, *, most_points: int = 9) -> Instance:
    """An instance of points that hold numbers of members, that stay together, or both."""
    rng = np.random.default_rng([seed, 3])
    kind = rng.choice(["people", "together", "both"], p=[0.5, 0.2, 0.3])
    return random_instance(
        seed, most_points=most_points, people=kind != "together", together=kind != "people"
    )


def random_numbers(rng: np.random.Generator, n_points: int) -> tuple[NDArray[Any], int]:
    """Members of some groups and a total, in one table, and which column has the total."""
    n_groups = int(rng.integers(1, 4))
    kind = rng.choice(["small", "large", "tenths", "fine"], p=[0.5, 0.25, 0.15, 0.1])
    most, decimals = {"small": (6, 0), "large": (5_000, 0), "tenths": (4, 1), "fine": (2, 9)}[kind]
    total = np.round(rng.uniform(0, most, size=n_points), decimals)
    total[rng.integers(n_points)] = most
    if rng.random() < 0.2:
        total[:] = total.max()
    share = rng.uniform(size=(n_points, n_groups)) ** rng.choice([0.4, 1, 3])
    members = np.minimum(np.round(share * total[:, None], decimals), total[:, None])
    place = int(rng.integers(n_groups + 1))
    table = np.insert(members, place, total, axis=1)
    return (table.astype(np.int64) if decimals == 0 else table), place


def _n_units(shape: Instance) -> int:
    """How many units have any weight."""
    labels = enumerate(shape.options["together"])
    names = [("alone", i) if label is None else ("with", label) for i, label in labels]
    return len({name for name, weight in zip(names, shape.weights, strict=True) if weight > 0})


def _random_units(rng: np.random.Generator, n_points: int) -> list[int | None]:
    """Which points stay together: about half of them with another."""
    labels = rng.integers(max(2, int(n_points * rng.choice([0.5, 1, 1.5]))), size=n_points).tolist()
    return [None if rng.random() < 0.3 else label for label in labels]


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
    return _with_further_promises(np.random.default_rng([seed, 2]), batch)


def _with_further_promises(rng: np.random.Generator, instance: Instance) -> Instance:
    """Add some that labels keep, often such labels as keep the rest."""
    tried = rng.integers(instance.n_clusters, size=(_TRIES, instance.n_points))
    labels = tried[is_fair(instance, tried).argmax() if rng.random() < 0.6 else 0]
    counts_none = not any(instance.beta.values())
    asked = instance.asking(**plant(rng, instance, labels, may_be_empty=counts_none))
    if not asked.is_exclusive:
        return asked
    if "prefix" in asked.options:
        asked = asked.asking(prefix=one_group_each(rng, asked.options["prefix"]))
    if counts_none or rng.random() < 0.3:
        return asked
    # As many clusters as there are to share out, those of the prefix first.
    taken = {k for _, k in asked.required}
    free = [
        (name, k)
        for name, row in tally(asked, labels).represented.items()
        for k, is_so in enumerate(row)
        if is_so and asked.allowed[name][k] and k not in taken
    ]
    shared = [name for name, _ in [*asked.required, *one_group_each(rng, free)]]
    return asked.asking(beta={name: shared.count(name) for name in asked.groups})


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
