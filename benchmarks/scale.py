"""How fits grow with the number of points: time next to k-means, and memory beyond the data.

    python benchmarks/scale.py                      # 100,000 to 10,000,000 points
    python benchmarks/scale.py million              # one part: small, million, four, ten, hundred
    python benchmarks/scale.py hundred              # 100,000,000 points in a file of 4 GB, without k-means

Forty overlapping blobs of ten features in single precision, two groups of uneven spread, K = 20, statistical
parity, gap 1e-4. Each size runs in a process of its own, because memory is measured as its peak.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from measure import header, row, run_parts
from minirel import MiniReL

N_FEATURES, N_CLUSTERS = 10, 20
_CHUNK = 2**20


def points(n: int, path: Path | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The points, in a file that is mapped into memory if it is named, and their groups."""
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=2, size=(40, N_FEATURES)).astype(np.float32)
    likes = 0.8 * rng.random(40)
    shape = (n, N_FEATURES)
    X = np.empty(shape, np.float32) if path is None else np.memmap(path, np.float32, "w+", shape=shape)
    groups = np.empty(n, dtype=np.int8)
    for first in range(0, n, _CHUNK):
        rows = slice(first, min(first + _CHUNK, n))
        home = rng.integers(40, size=rows.stop - first)
        X[rows] = centers[home] + 1.2 * rng.standard_normal((len(home), N_FEATURES), dtype=np.float32)
        groups[rows] = rng.random(len(home)) < likes[home]
    if path is None:
        return X, groups
    del X
    return np.memmap(path, np.float32, "r", shape=shape), groups


class Peak:
    """The most memory of this process, beyond what it had and beyond files mapped into it, in gigabytes."""

    def __enter__(self) -> "Peak":
        self.before, self.most, self._ended = self._now(), 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self.most = max(self.most, self._now() - self.before)

    def _now(self) -> float:
        lines = Path("/proc/self/status").read_text().splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
        return kilobytes / 2**20


def _measure(n: int, is_mapped: bool) -> None:
    """Print the row of one size; a mapped file is not given to k-means, which would copy it."""
    with tempfile.TemporaryDirectory() as folder:
        X, groups = points(n, Path(folder) / "points" if is_mapped else None)
        warm = MiniReL(4, random_state=0)  # the compiler's time is paid once
        warm.fit(X[:60_000], sensitive_features=groups[:60_000])
        kmeans, seconds = None, 0.0
        if not is_mapped:
            began = time.perf_counter()
            kmeans = KMeans(N_CLUSTERS, n_init=1, random_state=0).fit(X)
            seconds = time.perf_counter() - began
        with Peak() as peak:
            began = time.perf_counter()
            model = MiniReL(N_CLUSTERS, beta="statistical_parity", random_state=0)
            model.fit(X, sensitive_features=groups)
            ours = time.perf_counter() - began
        phases: Counter[str] = Counter()
        for record in model.history_:
            phases.update(record.seconds)
        told = ", ".join(f"{name} {spent:.1f}" for name, spent in phases.most_common())
        row(
            f"{n:,}",
            "" if kmeans is None else f"{seconds:.1f}",
            f"{ours:.1f}",
            "" if kmeans is None else f"{ours / seconds:.2f}",
            "" if kmeans is None else f"{model.inertia_ / kmeans.inertia_:.4f}",
            f"{model.gap_:.1e}",
            sum(record.scans for record in model.history_),
            f"{peak.most:.2f}",
            told,
        )


def _part(n: int, is_mapped: bool = False) -> None:
    command = [sys.executable, __file__, "_measure", str(n), str(int(is_mapped))]
    subprocess.run(command, check=True, env=os.environ)


def _header() -> None:
    header(
        "points",
        "k-means, s",
        "minirel, s",
        "ratio",
        "cost ratio",
        "gap",
        "scans",
        "memory beyond the data, GB",
        "s by phase",
    )


def small() -> None:
    """100,000 points."""
    _header()
    _part(100_000)


def million() -> None:
    """1,000,000 points."""
    _header()
    _part(1_000_000)


def four() -> None:
    """4,000,000 points."""
    _header()
    _part(4_000_000)


def ten() -> None:
    """10,000,000 points."""
    _header()
    _part(10_000_000)


def hundred() -> None:
    """100,000,000 points in a file, mapped into memory."""
    _header()
    _part(100_000_000, is_mapped=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["_measure"]:
        _measure(int(sys.argv[2]), bool(int(sys.argv[3])))
    else:
        sizes = (small, million, four, ten) if len(sys.argv) < 2 else (small, million, four, ten, hundred)
        run_parts({part.__name__: part for part in sizes})
