"""Whole units of many people: how good and how fast fits with weights and tight sizes are, in one run.

    python benchmarks/units.py

2,300 units of 0 to 5,000 people in clustered places. The linear relaxation of one assignment, in which units
may be divided, is given to HiGHS on the same costs: no whole units cost less. Then the precincts of Alabama
(numbers of members), read from the folder `MINIREL_DATA`.
"""

import os
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, kron, vstack
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from measure import header, row
from minirel import InfeasibleFairnessError, MiniReL, fair_assignment


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
    size = kron(csr_array(people[None, :]), eye_array(n_clusters))
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


def alabama() -> None:
    """Districts of precincts with a Black majority of voters, if the data is in the folder `MINIREL_DATA`."""
    file = Path(os.environ.get("MINIREL_DATA", ".")) / "alabama_precincts_2020.csv"
    if not file.exists():
        print(f"\nNo {file}: the districts of Alabama are left out.")
        return
    table = np.genfromtxt(file, delimiter=",", names=True)
    east = table["longitude"] * np.cos(np.radians(table["latitude"].mean()))
    X, people = np.column_stack([east, table["latitude"]]), table["population"]
    members = {"black": table["black_vap"].astype(np.int64), "vap": table["vap"].astype(np.int64)}
    print()
    header("K", "sizes within", "districts", "swaps", "processor seconds", "cost", "gap", "status")
    for n_clusters, within, beta, n_swaps, gap in (
        (7, 0.01, 2, 0, 2e-3),
        (7, 0.01, 2, 30, 2e-3),
        (7, 0.01, 5, 0, 2e-3),
        (35, 0.01, 6, 0, 2e-2),
        (35, 0.05, 6, 0, 2e-2),
    ):
        mean = people.sum() / n_clusters
        model = MiniReL(
            n_clusters,
            alpha=0.5,
            beta={"black": beta},
            total="vap",
            min_size=int(np.ceil(mean * (1 - within))),
            max_size=int(mean * (1 + within)),
            n_swaps=n_swaps,
            gap=gap,
            random_state=0,
        )
        start = time.process_time()
        try:
            model.fit(X, sensitive_features=members, sample_weight=people)
            found = f"{model.inertia_:.6g}", f"{model.gap_:.1e}", model.status_
        except InfeasibleFairnessError as error:
            found = "-", "-", f"refused: at most {error.largest_beta['black']}"
        seconds = time.process_time() - start
        row(n_clusters, f"{within:.0%}", beta, n_swaps, f"{seconds:.1f}", *found)


if __name__ == "__main__":
    main()
    alabama()
