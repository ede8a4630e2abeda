"""Where the algorithm ends: every promise kept, exact centers, a cost that never rose, no move left."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from instances import ALPHAS, DECIMAL_WEIGHTS, INTEGER_WEIGHTS, Instance, is_fair
from minirel import MiniReL
from minirel.prefix import PREFIX_COSTS

OBJECTIVES = ("k-means", "k-medians")
PRESETS = ("statistical_parity", "equality_of_opportunity")
N_INSTANCES, N_BLOCKS = 200, 20


@dataclass(frozen=True, eq=False)
class Case:
    """What `MiniReL` is given; its repr is code that runs it."""

    X: np.ndarray
    features: np.ndarray
    options: dict[str, Any]
    sample_weight: list[Any] | None = None

    def __repr__(self) -> str:
        options = ", ".join(
            f"{k}=np.array({v.tolist()})" if isinstance(v, np.ndarray) else f"{k}={v!r}"
            for k, v in self.options.items()
        )
        return (
            f"MiniReL({options}).fit(\n    np.array({self.X.tolist()}),\n"
            f"    sensitive_features=np.array({self.features.tolist()}),\n"
            f"    sample_weight={self.sample_weight},\n)"
        )

    def fit(self, **change: Any) -> MiniReL:
        model = MiniReL(**{**self.options, **change})
        return model.fit(self.X, sensitive_features=self.features, sample_weight=self.sample_weight)


def distances(X: np.ndarray, centers: np.ndarray, objective: str) -> np.ndarray:
    """Costs of a unit of weight, from the definition."""
    difference = X.astype(np.longdouble)[:, None] - centers.astype(np.longdouble)
    each = difference**2 if objective == "k-means" else np.abs(difference)
    return each.sum(axis=2).astype(np.float64)


def promised(case: Case, model: MiniReL) -> Instance:
    """What was asked, as `tests/instances.py` reads it: by nothing of the package."""
    given = {key: case.options.get(key) for key in ("allowed", "max_size")}
    prefix = case.options.get("prefix")
    options = {
        "alpha": case.options.get("alpha", 0.51),
        "beta": case.options.get("beta", "equality_of_opportunity"),
        "min_size": case.options.get("min_size", 1),
        "prefix": prefix if isinstance(prefix, list) else None,
        "sample_weight": case.sample_weight,
        **{key: value for key, value in given.items() if value is not None},
    }
    costs = distances(case.X, model.cluster_centers_, case.options.get("objective", "k-means"))
    return Instance(costs, case.features, options)


def planted(seed: int) -> Case:
    """A random request that some clustering keeps, because it was read off one."""
    rng = np.random.default_rng(seed)
    n, n_clusters = int(rng.integers(8, 41)), int(rng.integers(2, 5))
    X = random_points(rng, n)
    features = random_features(rng, n)
    weight = random_weights(rng, n, n_clusters)
    shape = Instance(np.zeros((n, n_clusters)), features, {"alpha": 1, "sample_weight": weight})
    names = list(shape.groups)
    options: dict[str, Any] = {"n_clusters": n_clusters, "random_state": seed}
    options["alpha"] = float(rng.choice(ALPHAS))
    if rng.random() < 0.4:
        options["alpha"] = {name: float(rng.choice(ALPHAS)) for name in names}
    if rng.random() < 0.3:
        options["allowed"] = rng.random((len(names), n_clusters)) < 0.7
    shape = Instance(shape.costs, features, {**options, "sample_weight": weight})

    labels = planted_labels(rng, features, shape.weights, n_clusters)
    sizes = [sum(w for w, k in zip(shape.weights, labels, strict=True) if k == j) for j in range(n_clusters)]
    holds = {
        name: [k for k in np.flatnonzero(shape.allowed[name]).tolist() if share(shape, name, labels, k)]
        for name in names
    }
    options["beta"] = {
        name: len(holds[name]) - int(rng.random() < 0.2 and holds[name] != []) for name in names
    }
    pairs = [(name, k) for name in names for k in holds[name]]
    match int(rng.integers(3)):
        case 0:
            options["prefix"] = None
        case 1:
            chosen = rng.random(len(pairs)) < 0.5
            options["prefix"] = [pair for pair, is_chosen in zip(pairs, chosen, strict=True) if is_chosen]
        case 2:
            options["prefix"] = str(rng.choice(list(PREFIX_COSTS)))
    if rng.random() < 0.4:
        options["min_size"] = plain(min(sizes))
    if rng.random() < 0.4:
        options["max_size"] = plain(max(sizes))
    options["objective"] = OBJECTIVES[seed % 2]
    options["init"] = str(rng.choice(["k-means", "k-means++", "random"]))
    if rng.random() < 0.3:
        options["gap"] = 0
    return Case(X, features, options, weight)


def plain(number: Fraction | int) -> float:
    return int(number) if Fraction(number).denominator == 1 else float(number)


def share(instance: Instance, name: Any, labels: np.ndarray, k: int) -> bool:
    """Whether a group has its share of a cluster, in fractions."""
    inside = [
        (w, g) for w, g, j in zip(instance.weights, instance.groups[name], labels, strict=True) if j == k
    ]
    return sum(w for w, g in inside if g) >= instance.alpha[name] * sum(w for w, _ in inside)


def random_points(rng: np.random.Generator, n: int) -> np.ndarray:
    n_features = int(rng.integers(1, 4))
    match str(rng.choice(["normal", "blobs", "grid", "duplicates", "far", "tiny"])):
        case "normal":
            return rng.normal(size=(n, n_features))
        case "blobs":
            return rng.normal(size=(n, n_features)) + 4 * rng.integers(0, 3, size=(n, 1))
        case "grid":
            return rng.integers(0, 4, size=(n, n_features)).astype(float)
        case "duplicates":
            return rng.normal(size=(n // 2 + 1, n_features))[rng.integers(0, n // 2 + 1, size=n)]
        case "far":
            return rng.normal(size=(n, n_features)) + 1e4
    return 1e-6 * rng.normal(size=(n, n_features))


def random_features(rng: np.random.Generator, n: int) -> np.ndarray:
    n_groups = int(rng.integers(1, 4))
    if rng.random() < 0.6:
        return rng.random((n, n_groups)) < rng.choice([0.3, 0.5, 0.8])
    return rng.choice(np.array(["x", "y", "z"])[:n_groups], size=n)


def random_weights(rng: np.random.Generator, n: int, n_clusters: int) -> list[Any] | None:
    if rng.random() < 0.6:
        return None
    choice = INTEGER_WEIGHTS if rng.random() < 0.5 else DECIMAL_WEIGHTS
    weight = rng.choice(choice, size=n)
    weight[:n_clusters] = choice[-1]
    return weight.tolist()


def planted_labels(
    rng: np.random.Generator, features: np.ndarray, weights: list[Fraction], n_clusters: int
) -> np.ndarray:
    """Clusters that attract points of like groups; the first points, which have weight, fill them all."""
    keys = np.unique(features, axis=0, return_inverse=True)[1].ravel()
    likes = rng.dirichlet(np.full(n_clusters, 0.3), size=keys.max() + 1)
    labels = np.array([rng.choice(n_clusters, p=likes[key]) for key in keys])
    labels[:n_clusters] = np.arange(n_clusters)
    assert all(weights[:n_clusters])
    return labels


@cache
def iris() -> tuple[np.ndarray, np.ndarray]:
    data = load_iris()
    return data.data, data.target_names[data.target]


def check_promises(case: Case, model: MiniReL) -> Instance:
    instance = promised(case, model)
    labels = model.labels_
    assert labels.shape == (len(case.X),)
    assert labels.min() >= 0
    assert labels.max() < instance.n_clusters
    assert is_fair(instance, labels[None])[0]
    assert model.beta_ == instance.beta
    for name, k in model.prefix_:
        assert share(instance, name, labels, k)
        assert instance.allowed[name][k]
    for name, beta in instance.beta.items():
        assert sum(group == name for group, _ in model.prefix_) >= beta
    assert set(instance.options["prefix"] or []) <= set(model.prefix_)
    assert model.audit_.satisfied
    return instance


def check_descent(model: MiniReL) -> None:
    """The cost never rises, and no record's bound is above its cost."""
    history = model.history_
    assert model.n_iter_ == len(history)
    assert [record.iteration for record in history] == list(range(1, len(history) + 1))
    for before, after in pairwise(history):
        assert after.cost <= before.cost
    for record in history:
        assert record.bound <= record.cost
        assert record.gap == pytest.approx(
            (record.cost - record.bound) / record.cost if record.cost > 0 else 0
        )
    assert model.lower_bound_ <= model.inertia_
    assert model.inertia_ <= history[-1].cost + 1e-9 * abs(history[-1].cost) + 1e-12
    if model.lower_bound_ == model.inertia_:
        assert model.gap_ == 0
    else:
        assert model.gap_ == pytest.approx((model.inertia_ - model.lower_bound_) / model.inertia_)


def check_centers(case: Case, model: MiniReL) -> None:
    """Means by `math.fsum`; medians no dearer than any value of the cluster."""
    weight = np.ones(len(case.X)) if case.sample_weight is None else np.array(case.sample_weight, dtype=float)
    scale = np.abs(case.X).max() or 1
    for k, center in enumerate(model.cluster_centers_):
        inside = (model.labels_ == k) & (weight > 0)
        for feature, value in enumerate(center):
            x, w = case.X[inside, feature], weight[inside]
            if case.options.get("objective", "k-means") == "k-means":
                mean = math.fsum(w * x) / math.fsum(w)
                assert value == pytest.approx(mean, abs=1e-14 * scale, rel=1e-12)
            else:
                least = min(math.fsum(w * np.abs(x - candidate)) for candidate in x)
                assert math.fsum(w * np.abs(x - value)) <= least + 1e-12 * scale * math.fsum(w)


def check_no_move(instance: Instance, labels: np.ndarray) -> None:
    """Try every point in every other cluster."""
    n = instance.n_points
    own = instance.costs[np.arange(n), labels]
    weights = np.array(instance.weights, dtype=float)
    gain = (own[:, None] - instance.costs) * weights[:, None]
    points, targets = np.nonzero(gain > 1e-9 * max(own.max(), np.abs(instance.costs).max() * 1e-3))
    moved = np.repeat(labels[None], len(points), axis=0)
    moved[np.arange(len(points)), points] = targets
    fair = is_fair(instance, moved) if len(points) else np.zeros(0, dtype=bool)
    left = [(int(i), int(k), float(gain[i, k])) for i, k in zip(points[fair], targets[fair], strict=True)]
    assert not left, f"(point, cluster, gain) of moves that are left: {left}"


def check_end(case: Case, model: MiniReL) -> None:
    """All that is promised of where a fit that converged ends."""
    instance = check_promises(case, model)
    check_descent(model)
    check_centers(case, model)
    check_no_move(instance, model.labels_)
    cost = instance.cost(model.labels_)
    assert model.inertia_ == pytest.approx(cost, rel=1e-9, abs=1e-9 * np.abs(case.X).max() ** 2)
    assert model.status_ in ("optimal", "within gap")
    assert model.gap_ <= case.options.get("gap", 1e-4) * (1 + 1e-6)


# The start's own warning; that it should not be heard at all is tested in test_initialise.py.
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_random_requests(block: int) -> None:
    for seed in range(block * N_INSTANCES // N_BLOCKS, (block + 1) * N_INSTANCES // N_BLOCKS):
        case = planted(seed)
        try:
            check_end(case, case.fit())
        except Exception as error:
            error.add_note(f"seed {seed}:\n{case!r}")
            raise


@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
def test_the_requests_are_of_every_kind() -> None:
    cases = [planted(seed) for seed in range(N_INSTANCES)]
    kinds = {str(case.options["prefix"]) for case in cases if not isinstance(case.options["prefix"], list)}
    assert kinds == {"None", *PREFIX_COSTS}
    n_binding = 0
    for key in ("allowed", "min_size", "max_size", "gap"):
        assert sum(key in case.options for case in cases) > 20
    assert sum(case.sample_weight is not None for case in cases) > 20
    assert sum(case.features.ndim == 2 for case in cases) > 20
    assert sum(isinstance(case.options["alpha"], dict) for case in cases) > 20
    for case in cases[:60]:
        free = MiniReL(case.options["n_clusters"], objective=case.options["objective"], random_state=0)
        free.fit(case.X, sample_weight=case.sample_weight)
        n_binding += not is_fair(promised(case, free), free.labels_[None])[0]
    # Else the tests above would compare k-means with itself.
    assert n_binding > 20
