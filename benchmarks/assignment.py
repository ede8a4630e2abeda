"""How fast the fair assignment is, next to what it is compared with, in one run.

    python benchmarks/assignment.py        # everything, about ten minutes
    python benchmarks/assignment.py adult  # one: adult, adult_sample, scans, million, exact, free, start

Each part prints the rows of its table in RESULTS.md. Times are medians of five runs, alternating between the
two things compared, so that what else runs on the machine hits both.
"""

import math
import statistics
import subprocess
import sys
import time
from functools import partial
from typing import Any

import highspy
import numpy as np
from scipy.sparse import block_array, csr_array, eye_array, kron, vstack
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances

from data import DATA
from measure import REPEATS, header, megabytes, row, run_parts, side_by_side
from minirel import fair_assignment
from minirel.datasets import load_adult
from minirel.solvers import MIP_SOLVERS, LinearModel

ALPHA = 0.51
PRESETS = ("statistical_parity", "equality_of_opportunity")


def centers_and_costs(X: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    centers = KMeans(n_clusters, n_init=1, random_state=0).fit(X).cluster_centers_
    return centers, euclidean_distances(X, centers, squared=True)


def prefix_of(costs: np.ndarray, groups: np.ndarray, beta: str) -> list[tuple[Any, int]]:
    """The local-cost pre-fix, chosen beforehand: what is timed is the assignment."""
    return fair_assignment(costs, groups, alpha=ALPHA, beta=beta, prefix="local_cost", gap=0.5).prefix


def adult() -> None:
    """The paper's pre-fixed integer program on HiGHS against the certified solver, both to 1e-4."""
    X, groups = DATA["adult"]()
    _against_highs(X, groups, 10)


def adult_sample() -> None:
    """The same for 5,000 rows and 8 clusters."""
    X, groups = DATA["adult"]()
    some = np.random.default_rng(0).choice(len(X), 5_000, replace=False)
    _against_highs(X[some], groups[some], 8)


def _against_highs(X: np.ndarray, groups: np.ndarray, n_clusters: int) -> None:
    _, costs = centers_and_costs(X, n_clusters)
    prefix = prefix_of(costs, groups, PRESETS[0])
    options = {"alpha": ALPHA, "prefix": prefix}
    (slow, paper), (fast, ours) = side_by_side(
        lambda: _paper_on_highs(costs, groups, prefix),
        lambda: fair_assignment(costs, groups, **options),
    )
    header("what", "seconds", "cost", "proven gap")
    gap = f"{1 - paper.mip_dual_bound / paper.objective_function_value:.1e}"
    row("the paper's pre-fixed program, HiGHS", f"{slow:.2f}", f"{paper.objective_function_value:.3f}", gap)
    row("certified, from cold prices", f"{fast:.4f}", f"{ours.cost:.3f}", f"{ours.gap:.1e}")
    row("ratio", f"{slow / fast:.0f}", "", "")


def _paper_on_highs(
    costs: np.ndarray, groups: np.ndarray, prefix: list[tuple[Any, int]]
) -> highspy.HighsInfo:
    """The paper's program with HiGHS at its own defaults, which are faster than the tolerances we ask for."""
    n, n_clusters = costs.shape
    clusters, ones = np.arange(n_clusters), np.ones(n)
    once = kron(eye_array(n), np.ones((1, n_clusters)))
    size = kron(csr_array(ones[None, :]), eye_array(n_clusters))
    share = vstack(
        [
            kron(csr_array(((groups == g) - ALPHA)[None, :]), (clusters == k).astype(float)[None, :])
            for g, k in prefix
        ]
    )
    matrix = csr_array(vstack([once, size, share]))
    lower = np.concatenate([ones, np.ones(n_clusters), np.zeros(len(prefix))])
    upper = np.concatenate([ones, np.full(n_clusters + len(prefix), np.inf)])
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 1e-4)
    rows, columns = matrix.shape
    solver.passModel(
        *(columns, rows, matrix.nnz, 2, 1, 0.0, costs.ravel(), np.zeros(columns), np.ones(columns)),
        *(lower, upper, matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)),
        *(matrix.data.astype(float), np.ones(columns, dtype=np.int32)),
    )
    solver.run()
    return solver.getInfo()


def scans() -> None:
    """Scans of all points, from cold prices to 1e-4."""
    header("data", "K", "beta", "scans", "visited / n", "seconds", "cost", "proven gap", "status")
    for name in ("adult", "default"):
        X, groups = DATA[name]()
        for n_clusters in (5, 10, 15):
            _, costs = centers_and_costs(X, n_clusters)
            for beta in PRESETS:
                prefix = prefix_of(costs, groups, beta)
                [(seconds, result)] = side_by_side(
                    lambda costs=costs, groups=groups, prefix=prefix: fair_assignment(
                        costs, groups, alpha=ALPHA, prefix=prefix
                    )
                )
                row(
                    *(
                        name,
                        n_clusters,
                        beta,
                        result.n_scans,
                        f"{result.n_visited / len(X):.1f}",
                        f"{seconds:.3f}",
                    ),
                    *(f"{result.cost:.3f}", f"{result.gap:.1e}", result.status),
                )


def million() -> None:
    """A million points, K=20, against 20 iterations of scikit-learn's KMeans on the same 10 features."""
    header("groups", "20 Lloyd iterations", "assignment", "ratio", "proven gap", "peak / cost matrix")
    for n_groups in (2, 5):
        # A process of its own, so that its peak of memory is its own.
        subprocess.run([sys.executable, __file__, f"_million{n_groups}"], check=True)


def _million(n_groups: int) -> None:
    n, n_clusters = 1_000_000, 20
    rng = np.random.default_rng(0)
    blobs = rng.integers(0, 40, n)
    X = rng.normal(size=(40, 10))[blobs] + 0.7 * rng.normal(size=(n, 10))
    shares = rng.dirichlet(np.full(n_groups, 2.0), size=40).cumsum(axis=1)
    groups = np.minimum((rng.random(n)[:, None] > shares[blobs]).sum(axis=1), n_groups - 1)
    kmeans = KMeans(n_clusters, n_init=1, init="random", max_iter=20, tol=0, random_state=0)
    centers = kmeans.fit(X).cluster_centers_
    costs = euclidean_distances(X, centers, squared=True)
    prefix = prefix_of(costs, groups, PRESETS[0])
    before = megabytes()
    result = fair_assignment(costs, groups, alpha=ALPHA, prefix=prefix)
    memory = (megabytes() - before) / (costs.nbytes / 2**20) + 1
    (lloyd, model), (ours, result) = side_by_side(
        lambda: kmeans.fit(X), lambda: fair_assignment(costs, groups, alpha=ALPHA, prefix=prefix)
    )
    lloyd *= 20 / model.n_iter_
    times = (f"{lloyd:.2f} s", f"{ours:.2f} s", f"{ours / lloyd:.2f}")
    row(n_groups, *times, f"{result.gap:.1e}", f"{memory:.2f}")


def exact() -> None:
    """Proven optimal: gap=0 on all of Adult."""
    header("data", "K", "beta", "seconds", "cost", "status")
    for name, n_clusters in (("adult", 5), ("adult", 10), ("adult", 15), ("default", 5), ("default", 10)):
        X, groups = DATA[name]()
        _, costs = centers_and_costs(X, n_clusters)
        for beta in PRESETS:
            prefix = prefix_of(costs, groups, beta)
            start = time.perf_counter()
            result = fair_assignment(costs, groups, alpha=ALPHA, prefix=prefix, gap=0, time_limit=120)
            seconds = time.perf_counter() - start
            row(name, n_clusters, beta, f"{seconds:.2f}", f"{result.cost:.4f}", result.status)


def free() -> None:
    """The choice of clusters left open, against the integer program with whole counts on HiGHS (120 s)."""
    header("rows of Adult", "K", "what", "seconds", "cost", "proven gap")
    X, groups = DATA["adult"]()
    order = np.random.default_rng(0).permutation(len(X))
    for n, n_clusters in ((2_000, 6), (5_000, 8), (len(X), 10)):
        rows = order[:n]
        _, costs = centers_and_costs(X[rows], n_clusters)
        start = time.perf_counter()
        ours = fair_assignment(costs, groups[rows], alpha=ALPHA, beta=PRESETS[0])
        seconds = time.perf_counter() - start
        row(f"{n:,}", n_clusters, "certified", f"{seconds:.2f}", f"{ours.cost:.3f}", f"{ours.gap:.1e}")
        if n > 5_000:
            continue
        start = time.perf_counter()
        model = _count_program(costs, groups[rows] == "Female", n_clusters // 2)
        solution = MIP_SOLVERS["highs"](model, relative_gap=1e-4, time_limit=120)
        seconds = time.perf_counter() - start
        gap = 1 - solution.bound / solution.objective if solution.x is not None else math.inf
        cost = f"{solution.objective:.3f}"
        row(f"{n:,}", n_clusters, "with counts, HiGHS", f"{seconds:.2f}", cost, f"{gap:.1e}")
    _overlapping()


def _overlapping() -> None:
    """Three overlapping groups, on 5,000 rows with K = 10."""
    data = load_adult(group=("race", "sex"))
    some = np.random.default_rng(0).permutation(len(data.X))[:5_000]
    race, sex = (np.asarray(data.groups[name])[some] for name in ("race", "sex"))
    groups = {"not white": race != "White", "Female": sex == "Female", "Male": sex == "Male"}
    _, costs = centers_and_costs(np.asarray(data.X)[some], 10)
    start = time.perf_counter()
    ours = fair_assignment(costs, groups, alpha=ALPHA, beta=PRESETS[0])
    seconds = time.perf_counter() - start
    row("5,000", 10, "three groups that overlap", f"{seconds:.2f}", f"{ours.cost:.3f}", f"{ours.gap:.1e}")


def _count_program(costs: np.ndarray, is_first: np.ndarray, beta: int) -> LinearModel:
    """The paper's free program for two groups, with whole counts in place of whole assignments."""
    n, n_clusters = costs.shape
    members = np.vstack([is_first, ~is_first]).astype(float)
    n_pairs = n * n_clusters
    eye = eye_array(n_clusters)
    assign = kron(eye_array(n), np.ones((1, n_clusters)))
    counts = kron(csr_array(members), eye)
    share = np.array([[1 - ALPHA, -ALPHA], [-ALPHA, 1 - ALPHA]])
    big = ALPHA * n
    matrix = block_array(
        [
            [assign, None, None],
            [-counts, eye_array(2 * n_clusters), None],
            [None, kron(csr_array(np.ones((1, 2))), eye), None],
            [None, kron(csr_array(share), eye), -big * eye_array(2 * n_clusters)],
            [None, None, kron(eye_array(2), np.ones((1, n_clusters)))],
        ],
        format="csr",
    )
    relaxed = np.full(2 * n_clusters, -big)  # where the y of the row is 0
    lower = np.concatenate([np.ones(n), np.zeros(2 * n_clusters), np.ones(n_clusters), relaxed, [beta, beta]])
    upper = np.concatenate([np.ones(n), np.zeros(2 * n_clusters), np.full(3 * n_clusters + 2, np.inf)])
    return LinearModel(
        cost=np.concatenate([costs.ravel(), np.zeros(4 * n_clusters)]),
        lower=np.zeros(n_pairs + 4 * n_clusters),
        upper=np.concatenate([np.ones(n_pairs), np.full(2 * n_clusters, n), np.ones(2 * n_clusters)]),
        integer=np.repeat([False, True], [n_pairs, 4 * n_clusters]),
        matrix=csr_array(matrix),
        row_lower=lower,
        row_upper=upper,
    )


_IRIS = """
import time
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from minirel import fair_assignment
from minirel.datasets import load_adult
X, y = load_iris(return_X_y=True)
costs = KMeans(6, n_init=1, random_state=0).fit(X).transform(X) ** 2
start = time.perf_counter()
fair_assignment(costs, y, alpha=0.51, beta="statistical_parity", prefix="local_cost")
print(time.perf_counter() - start)
"""


def start() -> None:
    """What a fresh process waits for."""

    def run(code: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began

    (sklearn, _), (minirel, _) = side_by_side(
        lambda: run("import sklearn.cluster"), lambda: run("import sklearn.cluster, minirel"), repeats=9
    )
    command = [sys.executable, "-c", _IRIS]
    first = [
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(REPEATS)
    ]
    header("what", "seconds")
    row("import sklearn.cluster", f"{sklearn:.2f}")
    row("import minirel on top", f"{minirel - sklearn:.2f}")
    row("first fair assignment on iris in a fresh process", f"{statistics.median(first):.3f}")


PARTS = {
    **{part.__name__: part for part in (adult, adult_sample, scans, million, exact, free, start)},
    **{f"_million{n}": partial(_million, n) for n in (2, 5)},
}


if __name__ == "__main__":
    run_parts(PARTS)
