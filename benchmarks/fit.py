"""How long a whole fair fit takes, next to what it is compared with, in one run.

    python benchmarks/fit.py              # everything, about fifteen minutes
    python benchmarks/fit.py ratio        # one part: ratio, local_cost, sizes, memory

Each part prints its table of RESULTS.md. Times are medians of runs that alternate between the things
compared, so that what else runs on the machine hits both.
"""

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus

from data import DATA
from measure import header, megabytes, row, run_parts, side_by_side
from minirel import MiniReL

PRESETS = ("statistical_parity", "equality_of_opportunity")


def ratio() -> None:
    """Whole fits, warm start included, against scikit-learn's KMeans(n_init=1) with the same seed and tol."""
    _against_k_means()


def local_cost() -> None:
    """The same with holders by local cost."""
    _against_k_means(prefix="local_cost")


def _against_k_means(**options: Any) -> None:
    header("data", "K", "beta", "k-means", "MiniReL", "ratio", "iterations", "largest gap", "cost / k-means")
    ratios: dict[str, list[float]] = {name: [] for name in DATA}
    for name, load in DATA.items():
        X, groups = load()
        # The compiler's time is paid once.
        MiniReL(4, random_state=0, **options).fit(X, sensitive_features=groups)
        for n_clusters in range(4, 16):
            for beta in PRESETS:
                kmeans = KMeans(n_clusters, n_init=1, random_state=0)
                model = MiniReL(n_clusters, beta=beta, random_state=0, **options)
                (plain, _), (fair, _) = side_by_side(
                    lambda kmeans=kmeans, X=X: kmeans.fit(X),
                    lambda model=model, X=X, groups=groups: model.fit(X, sensitive_features=groups),
                )
                assert model.audit_.satisfied
                ratios[name].append(fair / plain)
                gap = max(record.gap for record in model.history_)
                row(
                    *(name, n_clusters, beta, f"{plain:.3f}", f"{fair:.3f}", f"{fair / plain:.2f}"),
                    *(model.n_iter_, f"{gap:.1e}", f"{model.inertia_ / kmeans.inertia_:.4f}"),
                )
    for name, values in [*ratios.items(), ("both", [r for some in ratios.values() for r in some])]:
        mean = math.exp(float(np.log(values).mean()))
        row(name, "all", "both", "", "", f"geometric mean {mean:.2f}, worst {max(values):.2f}", "", "", "")


def sizes() -> None:
    """Adult, K=10, only sizes bounded (n/2K to 2n/K), against k-means-constrained from the same centers."""
    X, _ = DATA["adult"]()
    n, n_clusters = len(X), 10
    centers, _ = kmeans_plusplus(X, n_clusters, random_state=0)
    smallest, largest = n // (2 * n_clusters), 2 * n // n_clusters
    ours = MiniReL(n_clusters, min_size=smallest, max_size=largest, init=centers).fit(X)
    [(fast, _)] = side_by_side(lambda: ours.fit(X))
    with tempfile.TemporaryDirectory() as folder:
        start, labels = Path(folder, "start.npy"), Path(folder, "labels.npy")
        np.save(start, centers)
        script = Path(__file__).with_name("constrained.py")
        command = [sys.executable, str(script), str(start), str(smallest), str(largest), str(labels)]
        env = {**os.environ, "PYTHONPATH": str(Path(sys.prefix) / "rivals")}  # as `make bench` installs it
        told = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout.split()
        theirs = np.load(labels)
    cost = sum(((X[theirs == k] - X[theirs == k].mean(axis=0)) ** 2).sum() for k in range(n_clusters))
    header("what", "seconds", "iterations", "cost", "smallest", "largest")
    for name, seconds, n_iter, value, of in (
        ("k-means-constrained", float(told[0]), told[1], cost, theirs),
        ("MiniReL", fast, ours.n_iter_, ours.inertia_, ours.labels_),
    ):
        row(name, f"{seconds:.2f}", n_iter, f"{value:.1f}", *np.sort(np.bincount(of))[[0, -1]])
    row("ratio", f"{float(told[0]) / fast:.0f}", "", f"{ours.inertia_ / cost:.5f}", "", "")


def memory() -> None:
    """Peak memory of a fit of 1,000,000 x 10 points, K=20, beyond the data, in cost matrices."""
    header("groups", "seconds", "iterations", "peak beyond the data / cost matrix", "gap")
    subprocess.run([sys.executable, __file__, "_memory"], check=True)  # its peak is its own


def _memory() -> None:
    n, n_clusters = 1_000_000, 20
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10))[rng.integers(0, 40, n)] + 0.7 * rng.normal(size=(n, 10))
    groups = (X[:, 0] + rng.normal(size=n) > 0.8).astype(int)
    MiniReL(2, random_state=0).fit(X[:60_000], sensitive_features=groups[:60_000])
    before = megabytes()
    model = MiniReL(n_clusters, random_state=0)
    [(seconds, _)] = side_by_side(lambda: model.fit(X, sensitive_features=groups), repeats=1)
    peak = (megabytes() - before) / (n * n_clusters * 8 / 2**20)
    row(2, f"{seconds:.1f}", model.n_iter_, f"{peak:.2f}", f"{model.gap_:.1e}")


PARTS = {part.__name__: part for part in (ratio, local_cost, sizes, memory, _memory)}

if __name__ == "__main__":
    run_parts(PARTS)
