"""Fits on a Dask cluster next to those in memory: the same labels, workers that die, and time.

    python benchmarks/cluster.py                    # same, killed, lost, million
    python benchmarks/cluster.py same               # one part: same, killed, lost, million, ten

The data of scale.py: forty overlapping blobs of ten features in single precision, K = 20, gap 1e-4. Workers
are processes of one thread on this machine, which read the points from a file.
"""

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import minirel
from measure import header, row, run_parts
from minirel.dask import MiniReL, WorkersLostError
from scale import N_CLUSTERS, N_FEATURES, Peak, points

SMALL = 200_000


@contextmanager
def cluster(n_workers: int) -> Iterator[Client]:
    where: dict[str, Any] = {"processes": True, "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, **where) as workers,
        Client(workers) as client,
    ):
        yield client


def _read(path: str, first: int, last: int, n: int) -> np.ndarray:
    return np.array(np.memmap(path, np.float32, "r", shape=(n, N_FEATURES))[first:last])


def from_file(path: Path, n: int, rows: int) -> da.Array:
    """The points as a Dask array that workers read from the file, so many rows to a chunk."""
    parts = []
    for first in range(0, n, rows):
        last = min(first + rows, n)
        part = dask.delayed(_read)(str(path), first, last, n)
        parts.append(da.from_delayed(part, (last - first, N_FEATURES), dtype=np.float32))
    return da.concatenate(parts)


def _chunked(values: np.ndarray | None, rows: int) -> da.Array | None:
    return None if values is None else da.from_array(values, chunks=rows)


def _requests(n: int, groups: np.ndarray) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    rng = np.random.default_rng(1)
    two = np.column_stack([groups, rng.choice(3, n, p=[0.6, 0.3, 0.1])])
    weight = rng.integers(1, 4, n)
    return {
        "one column of groups": (groups, None, {"beta": "statistical_parity"}),
        "two columns": (two, None, {"beta": {"0=1": 5, "1=2": 1}}),
        "weights": (groups, weight, {"beta": {1: 5}}),
        "sizes": (groups, None, {"beta": {1: 5}, "min_size": n // 40, "max_size": n // 10}),
    }


def same() -> None:
    """200,000 points, four requests, on 1, 2 and 4 workers with chunks of odd sizes."""
    header("request", "workers", "in memory, s", "on the cluster, s", "same labels", "same cost and bound")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points"
        X, groups = points(SMALL, path)
        for name, (features, weight, options) in _requests(SMALL, groups).items():
            began = time.perf_counter()
            local = minirel.MiniReL(N_CLUSTERS, random_state=0, **options)
            local.fit(X, sensitive_features=features, sample_weight=weight)
            in_memory = time.perf_counter() - began
            for n_workers, rows in ((1, 33_333), (2, 7_919), (4, 50_021)):
                with cluster(n_workers):
                    began = time.perf_counter()
                    model = MiniReL(N_CLUSTERS, random_state=0, **options).fit(
                        from_file(path, SMALL, rows),
                        sensitive_features=_chunked(features, 2 * rows),
                        sample_weight=_chunked(weight, rows + 1),
                    )
                    seconds = time.perf_counter() - began
                    equal = bool((model.labels_.compute() == local.labels_).all())
                proven = (model.inertia_, model.lower_bound_) == (local.inertia_, local.lower_bound_)
                row(name, n_workers, f"{in_memory:.1f}", f"{seconds:.1f}", equal, proven)


def killed() -> None:
    """200,000 points, two workers, one of them killed at a random moment, ten times."""
    header("fit", "killed after, s", "fit, s", "same labels")
    rng = np.random.default_rng()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points"
        X, groups = points(SMALL, path)
        local = minirel.MiniReL(N_CLUSTERS, beta="statistical_parity", random_state=0)
        local.fit(X, sensitive_features=groups)
        seconds = 0.0
        for number in range(11):
            with cluster(2) as client:
                pids = list(client.run(os.getpid).values())
                after = float(rng.uniform(0, seconds / 2))  # later ones are quicker: the compiler's time
                timer = threading.Timer(after, os.kill, (pids[number % 2], signal.SIGKILL))
                if number:  # the first fit says how long it takes
                    timer.start()
                began = time.perf_counter()
                model = MiniReL(N_CLUSTERS, beta="statistical_parity", random_state=0)
                model.fit(from_file(path, SMALL, 30_011), sensitive_features=_chunked(groups, 70_001))
                took = time.perf_counter() - began
                seconds = seconds if number else took
                timer.cancel()
                equal = bool((model.labels_.compute() == local.labels_).all())
            row(number, f"{after:.1f}" if number else "not", f"{took:.1f}", equal)


def lost() -> None:
    """All workers killed for good in mid-fit: how long until the error."""
    header("workers", "seconds until the error", "error")
    with tempfile.TemporaryDirectory() as folder, cluster(2) as client:
        path = Path(folder) / "points"
        _, groups = points(SMALL, path)
        gone = [0.0]

        def stop(record: object) -> None:
            client.cluster.scale(0)  # nobody restarts them
            gone[0] = time.perf_counter()

        model = MiniReL(N_CLUSTERS, beta="statistical_parity", random_state=0, callback=stop)
        try:
            model.fit(from_file(path, SMALL, 30_011), sensitive_features=_chunked(groups, 70_001))
        except WorkersLostError as error:
            row(2, f"{time.perf_counter() - gone[0]:.0f}", error)


def _speed(n: int) -> None:
    header(
        "points", "in memory, s", "2 workers, s", "ratio", "same labels", "memory here beyond the start, GB"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points"
        X, groups = points(n, path)
        minirel.MiniReL(4, random_state=0).fit(X[:60_000], sensitive_features=groups[:60_000])
        began = time.perf_counter()
        local = minirel.MiniReL(N_CLUSTERS, beta="statistical_parity", random_state=0)
        local.fit(X, sensitive_features=groups)
        in_memory = time.perf_counter() - began
        labels = local.labels_
        del local
        with cluster(2):
            some = MiniReL(4, random_state=0)  # the compiler's time is paid once
            some.fit(
                from_file(path, n, n // 10)[:60_000], sensitive_features=_chunked(groups[:60_000], 20_000)
            )
            with Peak() as peak:
                began = time.perf_counter()
                model = MiniReL(N_CLUSTERS, beta="statistical_parity", random_state=0)
                model.fit(from_file(path, n, n // 10), sensitive_features=_chunked(groups, n // 3))
                seconds = time.perf_counter() - began
            equal = bool((model.labels_.compute() == labels).all())
        told = f"{seconds / in_memory:.2f}", equal, f"{peak.most:.2f}"
        row(f"{n:,}", f"{in_memory:.1f}", f"{seconds:.1f}", *told)


def million() -> None:
    """1,000,000 points, two workers next to the fit in memory."""
    _speed(1_000_000)


def ten() -> None:
    """10,000,000 points."""
    _speed(10_000_000)


if __name__ == "__main__":
    sizes = (same, killed, lost, million) if len(sys.argv) < 2 else (same, killed, lost, million, ten)
    run_parts({part.__name__: part for part in sizes})
