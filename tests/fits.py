"""Random fits of every kind: data, groups, requests and starts that users, or their enemies, might come with.

Nothing here comes from the package. Most requests are planted: some labels are known to keep them, so that
calling them infeasible is an error, whatever the number of points.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instances import Instance, tally
from planted import Pair, one_group_each, plant, written_size
from random_instances import PRESETS, random_numbers, random_weights

ALPHAS = (0.51, 0.5, 1 / 3, 2 / 3, 1.0, 0.999999, 1e-6, 0.25)
STRATEGIES = ("local_cost", "weighted_proportion", "proportion", "random")
STARTS = ("k-means", "k-means++", "random")
# Assignments that are tried one by one.
MOST_TRIED = 20_000
# What is asked of labels.
PROMISES = (
    "alpha",
    "beta",
    "allowed",
    "min_size",
    "max_size",
    "min_share",
    "max_share",
    "min_members",
    "exclusive",
    "total",
)


@dataclass(frozen=True)
class Warm:
    """Stands for `minirel.KMeansStart`, which only the package has."""

    n_init: int

    def __repr__(self) -> str:
        return f"KMeansStart({self.n_init})"


@dataclass(frozen=True, eq=False)
class Fit:
    """What `MiniReL(**options).fit` is given, and labels that keep it all, if known. Its repr is code."""

    X: NDArray[np.floating]
    sensitive_features: NDArray[Any] | None
    sample_weight: list[int] | list[float] | None
    options: dict[str, Any]
    witness: NDArray[np.integer] | None = None

    @property
    def n_points(self) -> int:
        return len(self.X)

    @property
    def n_clusters(self) -> int:
        return int(self.options["n_clusters"])

    @property
    def can_be_tried(self) -> bool:
        """Whether there are few enough labels to try them all."""
        return self.n_clusters**self.n_points <= MOST_TRIED

    @property
    def required(self) -> list[Pair]:
        """The pairs asked for by name."""
        prefix = self.options["prefix"]
        return prefix if isinstance(prefix, list) else []

    def assignment(self, costs: NDArray[Any] | None = None, prefix: list[Pair] = ()) -> Instance:
        """What is asked of the labels, as a fair assignment problem that requires the pairs of `prefix`."""
        n = self.n_points
        features = (
            np.zeros((n, 0), dtype=bool) if self.sensitive_features is None else self.sensitive_features
        )
        asked = {key: self.options[key] for key in PROMISES if key in self.options}
        asked["prefix"], asked["sample_weight"] = list(prefix), self.sample_weight
        return Instance(np.zeros((n, self.n_clusters)) if costs is None else costs, features, asked)

    def __repr__(self) -> str:
        def told(value: object) -> str:
            if isinstance(value, np.ndarray):
                return f"np.array({value.tolist()}, dtype={value.dtype.str!r})"
            return repr(value)

        options = ", ".join(f"{key}={told(value)}" for key, value in self.options.items())
        return (
            f"X = {told(self.X)}\nfeatures = {told(self.sensitive_features)}\n"
            f"weight = {told(self.sample_weight)}\n"
            f"MiniReL({options}).fit(X, sensitive_features=features, sample_weight=weight)"
        )


def random_fit(seed: int, *, timed: bool = False) -> Fit:
    """A fit of any kind; `timed` lets some have a limit of time."""
    rng = np.random.default_rng(seed)
    n_clusters = int(rng.choice([1, 2, 2, 3, 3, 4, 5, 6, 7]))
    n_points = _random_size(rng, n_clusters)
    X = _random_points(rng, n_points)
    features = _random_groups(rng, n_points)
    weights = None
    if rng.random() < 0.5:
        weights = rng.permutation(np.array(random_weights(rng, n_points, n_clusters))).tolist()
    options: dict[str, Any] = {"n_clusters": n_clusters, "alpha": 1.0, "beta": 0, "prefix": "local_cost"}
    # From numbers of their own, so that other fits are the same without.
    people = np.random.default_rng([seed, 2])
    if people.random() < 0.2:
        features, options["total"] = random_numbers(people, n_points)
    fit = Fit(X, features, weights, options)
    groups = fit.assignment().groups
    options["alpha"] = float(rng.choice(ALPHAS))
    if groups and rng.random() < 0.4:
        options["alpha"] = {name: float(rng.choice(ALPHAS)) for name in groups}
    if groups and rng.random() < 0.1:
        options["allowed"] = rng.random((len(groups), n_clusters)) < 0.75
    witness = _random_labels(rng, fit) if rng.random() < 0.8 else None
    # From numbers of their own, so that the rest of a fit is much the same with and without.
    more = np.random.default_rng([seed, 1])
    options |= plant(more, fit.assignment(), _random_labels(more, fit) if witness is None else witness)
    if witness is None:
        _ask_anything(rng, fit)
    else:
        _ask_what_is_so(rng, fit, witness)
    _random_way(rng, fit, seed)
    if isinstance(options["prefix"], str) and more.random() < 0.4:
        options["prefix"] = "assignment"
    if more.random() < 0.2:
        options["n_swaps"] = int(more.integers(1, 4))
    if timed and rng.random() < 0.15:
        options["time_limit"] = float(rng.choice([0.01, 0.2, 1.0]))
    return Fit(X, features, weights, options, witness)


def _random_size(rng: np.random.Generator, n_clusters: int) -> int:
    kind = rng.random()
    if kind < 0.5:  # few enough to try every assignment
        most = 12 if n_clusters == 1 else int(np.log(MOST_TRIED) / np.log(n_clusters))
        return int(rng.integers(max(2, n_clusters), max(2, n_clusters, most) + 1))
    return int(rng.integers(max(8, n_clusters), 61)) if kind < 0.97 else 300


def _random_points(rng: np.random.Generator, n: int) -> NDArray[np.floating]:
    n_features = int(rng.choice([1, 1, 2, 2, 2, 3, 5]))
    blobs = rng.normal(size=(int(rng.integers(1, 5)), n_features)) * rng.choice([1, 5])
    X = blobs[rng.integers(len(blobs), size=n)] + rng.normal(size=(n, n_features))
    match rng.choice(["plain", "duplicates", "grid", "equal", "outlier"], p=[0.4, 0.15, 0.15, 0.05, 0.25]):
        case "duplicates":
            X = X[rng.integers(0, max(1, n // 3), size=n)]
        case "grid":
            X = np.rint(X)
        case "equal":
            X[:] = X[0]
        case "outlier":
            X[rng.integers(n)] *= 10 ** rng.uniform(3, 8)
    if rng.random() < 0.3:
        X = X * 10 ** rng.uniform(-8, 8)
    if rng.random() < 0.25:
        X = X + 10 ** rng.uniform(0, 8)
    return X.astype(np.float32) if rng.random() < 0.25 else X


def _random_groups(rng: np.random.Generator, n: int) -> NDArray[Any] | None:
    n_groups = int(rng.integers(1, 5))
    match rng.choice(
        ["none", "values", "overlapping", "nested", "everybody"], p=[0.05, 0.4, 0.25, 0.15, 0.15]
    ):
        case "values":
            values = np.array([["a", "b", "c", "d"], [7, 8, 9, 11]][int(rng.integers(2))])
            return rng.choice(values[:n_groups], size=n, p=rng.dirichlet([2] * n_groups))
        case "overlapping":
            return rng.random((n, n_groups)) < rng.uniform(0.1, 0.9, size=n_groups)
        case "nested":
            return rng.random(n)[:, None] < np.sort(rng.random(n_groups))
        case "everybody":
            member = rng.random((n, n_groups)) < 0.4
            member[:, 0] = True
            return member
    return None


def _random_labels(rng: np.random.Generator, fit: Fit) -> NDArray[np.integer]:
    """Labels in which groups keep to some clusters, and no cluster is without weight."""
    asked = fit.assignment()
    labels = rng.integers(fit.n_clusters, size=fit.n_points)
    if asked.groups and rng.random() < 0.8:
        members = list(asked.groups.values())
        host = rng.integers(len(members), size=fit.n_clusters)
        loyal = rng.choice([0.7, 0.9, 1.0])
        for i in range(fit.n_points):
            homes = [k for k in range(fit.n_clusters) if members[host[k]][i]]
            if homes and rng.random() < loyal:
                labels[i] = rng.choice(homes)
    some = rng.permutation([i for i, weight in enumerate(asked.weights) if weight > 0])[: fit.n_clusters]
    labels[some] = np.arange(fit.n_clusters)
    return labels


def _ask_what_is_so(rng: np.random.Generator, fit: Fit, labels: NDArray[np.integer]) -> None:
    """Ask for no more than these labels keep."""
    options, asked = fit.options, fit.assignment()
    found = tally(asked, labels)
    pairs = [
        (name, k)
        for name, row in found.represented.items()
        for k, is_so in enumerate(row)
        if is_so and asked.allowed[name][k]
    ]
    if asked.is_exclusive:
        pairs = one_group_each(rng, pairs)
    have = {name: sum(pair[0] == name for pair in pairs) for name in asked.groups}
    kind = rng.random()
    options["beta"] = {name: int(rng.integers(0, n + 1)) for name, n in have.items() if rng.random() < 0.9}
    if kind < 0.3:
        options["beta"] = dict(have)
    elif kind < 0.45:
        options["beta"] = min(have.values(), default=0)
    elif kind < 0.75:
        preset = str(rng.choice(PRESETS))
        beta = Instance(asked.costs, asked.sensitive_features, {**asked.options, "beta": preset}).beta
        if all(beta[name] <= have[name] for name in have):
            options["beta"] = preset
    options["prefix"] = _random_prefix(rng, pairs)
    sizes = sorted(found.sizes)
    if rng.random() < 0.35 and "min_size" not in options:
        options["min_size"] = _written(sizes[0] if rng.random() < 0.6 else sizes[0] / 2, fit)
    if rng.random() < 0.35 and "max_size" not in options:
        options["max_size"] = _written(sizes[-1] if rng.random() < 0.6 else sizes[-1] * 3 / 2, fit)


def _ask_anything(rng: np.random.Generator, fit: Fit) -> None:
    """Ask for what may or may not be possible."""
    options, asked = fit.options, fit.assignment()
    n_allowed = {name: int(row.sum()) for name, row in asked.allowed.items()}
    kind = rng.random()
    if kind < 0.4:
        options["beta"] = {name: int(rng.integers(0, n + 1)) for name, n in n_allowed.items()}
    elif kind < 0.6:
        options["beta"] = min(int(rng.integers(0, 3)), *n_allowed.values(), fit.n_clusters)
    else:
        options["beta"] = str(rng.choice(PRESETS))
    pairs = [(name, k) for name, row in asked.allowed.items() for k in np.flatnonzero(row).tolist()]
    if asked.is_exclusive:
        pairs = one_group_each(rng, pairs)
    options["prefix"] = _random_prefix(rng, pairs)
    mean = sum(asked.weights) / fit.n_clusters
    if rng.random() < 0.3 and "min_size" not in options:
        options["min_size"] = _written(mean * Fraction(int(rng.integers(30, 105)), 100), fit)
    if rng.random() < 0.3 and "max_size" not in options:
        options["max_size"] = _written(mean * Fraction(int(rng.integers(98, 180)), 100), fit)


def _random_prefix(rng: np.random.Generator, pairs: list[Pair]) -> object:
    kind = rng.random()
    if kind < 0.55:
        return str(rng.choice(STRATEGIES))
    if kind < 0.75:
        return None
    share = rng.choice([0.2, 0.6, 1.0])
    return [pair for pair in pairs if rng.random() < share]


def _written(size: Fraction, fit: Fit) -> int | float:
    return written_size(size, fit.sample_weight is not None)


def _random_way(rng: np.random.Generator, fit: Fit, seed: int) -> None:
    """How the fit is to go about it."""
    options = fit.options
    options["objective"] = str(rng.choice(["k-means", "k-means", "k-medians"]))
    options["gap"] = float(rng.choice([0, 0, 1e-6, 1e-4, 1e-4, 0.01, 0.05, 0.2]))
    options["random_state"] = seed
    options["n_init"] = int(rng.choice([1, 1, 2, 3]))
    kind = rng.random()
    if kind < 0.75:
        options["init"] = str(rng.choice(STARTS))
    elif kind < 0.85:
        options["init"] = Warm(int(rng.integers(1, 4)))
    else:
        rows = fit.X[rng.integers(fit.n_points, size=fit.n_clusters)].astype(np.float64)
        options["init"] = rows * rng.choice([1.0, 1.0, 0.9, -3.0])
        options["n_init"] = 1
    if rng.random() < 0.15:
        options["max_iter"] = int(rng.integers(1, 4))
    if rng.random() < 0.15:
        options["tol"] = 0.0
