"""Whole units of many people: how good and how fast fits with weights and tight sizes are, in one run.

    python benchmarks/units.py

2,300 units of 0 to 5,000 people in clustered places. The linear relaxation of one assignment, in which units
may be divided, is given to HiGHS on the same costs: no whole units cost less.
"""

import time
import warnings

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye_array, kron, vstack
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from measure import header, row
from minirel import MiniReL, fair_assignment


def units(n: int = 2_300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Places of units, and their people."""
    rng = np.random.default_rng(seed)
    towns, share = rng.uniform(0, 10, size=(40, 2)), rng.pareto(1.2, 40) + 0.2
    town = rng.choice(40, n, p=share / share.sum())
    X = towns[town] + rng.normal(size=(n, 2)) * rng.uniform(0.05, 0.6, 40)[town][:, None]
    people = np.clip(np.round(rng.gamma(2.5, 550, n)), 0, 5_000)
    people[rng.random(n) < 0.02] = 0
    return X, people


def relaxed(costs: np.ndarray, people: np.ndarray, smallest: float, largest: float) -> float:
    """The least cost if units could be divided."""
    n, n_clusters = costs.shape
    size = kron(people[None, :], eye_array(n_clusters))
    found = linprog(
        (costs * people[:, None]).ravel(),
        A_ub=vstack([size, -size]),
        b_ub=np.repeat([largest, -smallest], n_clusters),
        A_eq=kron(eye_array(n), np.ones((1, n_clusters))),
        b_eq=np.ones(n),
    )
    return float(found.fun)


def main() -> None:
    """Print the table."""
    X, people = units()
    header(
        "K",
        "sizes within",
        "assignment",
        "HiGHS, relaxed",
        "above relaxed",
        "fit",
        "iterations",
        "gap",
        "status",
    )
    for n_clusters, within in ((4, 0.005), (35, 0.05)):
        mean = people.sum() / n_clusters
        bounds = {"min_size": mean * (1 - within), "max_size": mean * (1 + within)}
        kmeans = KMeans(n_clusters, n_init=1, random_state=0).fit(X, sample_weight=people)
        costs = ((X[:, None] - kmeans.cluster_centers_) ** 2).sum(axis=2)
        seconds = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the status says so
            start = time.perf_counter()
            fair = fair_assignment(costs, None, alpha=0.5, sample_weight=people, **bounds)
            seconds["assignment"] = time.perf_counter() - start
            start = time.perf_counter()
            least = relaxed(costs, people, **dict(zip(("smallest", "largest"), bounds.values(), strict=True)))
            seconds["relaxed"] = time.perf_counter() - start
            start = time.perf_counter()
            model = MiniReL(n_clusters, random_state=0, **bounds).fit(X, sample_weight=people)
            seconds["fit"] = time.perf_counter() - start
        row(
            *(n_clusters, f"{within:.1%}", f"{seconds['assignment']:.1f}", f"{seconds['relaxed']:.1f}"),
            *(f"{fair.cost / least - 1:.1e}", f"{seconds['fit']:.1f}", model.n_iter_, f"{model.gap_:.1e}"),
            model.status_,
        )


if __name__ == "__main__":
    main()
