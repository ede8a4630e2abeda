"""The certified solver on medium problems, against the paper's integer program and its own promises."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from minirel import Assignment, fair_assignment

ALPHAS = (0.1, 0.3, 0.5, 0.51, 0.6)
Call = dict[str, Any]


def random_call(seed: int, *, kind: str, overlapping: bool = False, n: int | None = None) -> Call:
    """Arguments of a pre-fixed problem that a labelling drawn by chance solves."""
    rng = np.random.default_rng([seed, overlapping])
    n = int(rng.integers(60, 601)) if n is None else n
    n_clusters = int(rng.integers(3, 7))
    points, centers = rng.normal(size=(n, 3)), rng.normal(size=(n_clusters, 3))
    if kind == "duplicates":
        points = points[rng.integers(0, n // 8, size=n)]
    costs = ((points[:, None] - centers) ** 2).sum(axis=2)
    if kind == "lumpy":
        costs = np.rint(2 * costs)
    # Groups go with the place: nearest clusters are unfair.
    features: NDArray[Any] = np.where(points[:, 0] + rng.normal(scale=0.6, size=n) > 0.4, "b", "a")
    if overlapping:
        features = np.column_stack([features == "a", points[:, 1] > 0.2, points[:, 2] > 0])
    membership = groups_of(features)
    alpha = {name: float(rng.choice(ALPHAS)) for name in membership}
    labels = np.append(np.arange(n_clusters), rng.integers(0, n_clusters, size=n - n_clusters))
    # Clusters of a random labelling are all alike: push some towards some groups.
    for k, name in enumerate(list(membership) * 3):
        if k < n_clusters:
            labels[(labels == k) & ~membership[name] & (rng.random(n) < 0.7)] = n_clusters - 1
    sizes = np.bincount(labels, minlength=n_clusters)
    represented = [
        (name, k)
        for name, inside in membership.items()
        for k in range(n_clusters)
        if int((inside & (labels == k)).sum()) >= Fraction(str(alpha[name])) * int(sizes[k])
    ]
    prefix = [pair for pair in represented if rng.random() < 0.7]
    call: Call = {"costs": costs, "sensitive_features": features, "alpha": alpha, "prefix": prefix}
    if rng.random() < 0.5:
        call["min_size"] = int(sizes.min())
    if rng.random() < 0.5:
        call["max_size"] = int(sizes.max())
    return call


def groups_of(features: NDArray[Any]) -> dict[Any, NDArray[np.bool_]]:
    if features.ndim == 2:
        return dict(enumerate(features.T))
    return {value: features == value for value in sorted(set(features.tolist()))}


def check_fair(call: Call, answer: Assignment) -> None:
    """Every promise, counted anew."""
    labels, n_clusters = answer.labels, call["costs"].shape[1]
    weights = [Fraction(str(w)) for w in call.get("sample_weight", np.ones(len(labels), dtype=int))]

    def weight(inside: NDArray[np.bool_]) -> Fraction:
        return sum((weights[i] for i in np.flatnonzero(inside)), Fraction(0))

    sizes = [weight(labels == k) for k in range(n_clusters)]
    assert min(sizes) > 0
    assert min(sizes) >= call.get("min_size", 0)
    assert max(sizes) <= call.get("max_size", sum(weights))
    if call["sensitive_features"] is not None:
        membership = groups_of(call["sensitive_features"])
        alpha = call["alpha"]
        for name, k in answer.prefix:
            share = Fraction(str(alpha[name] if isinstance(alpha, dict) else alpha))
            assert weight(membership[name] & (labels == k)) >= share * sizes[k]
    cost = sum(float(weights[i]) * call["costs"][i, k] for i, k in enumerate(labels.tolist()))
    assert answer.cost == pytest.approx(cost, rel=1e-12)
    assert answer.lower_bound <= answer.cost
