"""Points of this machine as Dask arrays: sent to the workers, or in a file that they read themselves."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client
from numpy.typing import NDArray

from minirel.dask.cluster import Cluster
from minirel.dask.reading import chunk_bounds

Matrix = NDArray[np.floating]


def sent(X: Matrix, client: Client, count: Callable[[int, int], None]) -> da.Array:
    """Send points to the workers in turn, chunk by chunk; `count` is told how many of how many are there.

    Only the workers hold them then: a worker that dies takes its chunks along.
    """
    workers = sorted(client.nthreads())
    parts = []
    for number, (first, last) in enumerate(pairwise(_bounds(X, client))):
        part = np.ascontiguousarray(X[first:last])
        to = workers[number % len(workers)]
        parts.append((last - first, dask.delayed(client.scatter(part, workers=[to], hash=False))))
        count(last, len(X))
    return _joined(X, parts)


def in_a_file(X: Matrix, path: Path, client: Client) -> da.Array:
    """Write points to a file that the workers, on this machine, map into their memory, also after a loss."""
    with path.open("wb") as file:
        for first, last in pairwise(_bounds(X, client)):
            file.write(np.ascontiguousarray(X[first:last]).data)
    mapped = dask.delayed(_mapped)
    bounds = pairwise(_bounds(X, client))
    return _joined(
        X,
        [(last - first, mapped(path, X.dtype, first, (last - first, X.shape[1]))) for first, last in bounds],
    )


def _mapped(path: Path, dtype: np.dtype[Any], first: int, shape: tuple[int, int]) -> Matrix:
    offset = first * shape[1] * dtype.itemsize
    return np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=shape)


def _bounds(X: Matrix, client: Client) -> list[int]:
    """As a fit cuts them, so that it has nothing to cut anew."""
    return chunk_bounds(len(X), X.shape[1] * X.dtype.itemsize, Cluster(client).n_threads)


def _joined(X: Matrix, parts: list[tuple[int, Any]]) -> da.Array:
    arrays = [da.from_delayed(part, (n_rows, X.shape[1]), X.dtype) for n_rows, part in parts]
    return da.concatenate(arrays)
