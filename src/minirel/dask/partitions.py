"""Dask arrays and frames as futures of their parts, with lengths that are known."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from distributed import Future

from minirel.dask.cluster import Cluster
from minirel.points.errors import ParameterTypeError, ParameterValueError


class Partitions(NamedTuple):
    """The parts of a collection on the workers, and how many rows each has; some may have none."""

    parts: list[Future]
    lengths: list[int]

    @property
    def n_rows(self) -> int:
        """Rows of all parts."""
        return sum(self.lengths)

    def cut(self, cluster: Cluster, bounds: list[int], work: Callable[..., Any], *small: Any) -> list[Future]:
        """The result of ``work(pieces, *small)`` for the rows between each two bounds."""
        starts = np.concatenate([[0], np.cumsum(self.lengths)]).tolist()
        futures = []
        for first, last in pairwise(bounds):
            pieces, slices = [], []
            for part, (start, end) in zip(self.parts, pairwise(starts), strict=True):
                if max(start, first) < min(end, last):
                    pieces.append(part)
                    slices.append(slice(max(first - start, 0), min(last, end) - start))
            futures.append(cluster.submit(_cut, work, slices, small, *pieces))
        return futures


def _cut(work: Callable[..., Any], slices: list[slice], small: tuple[Any, ...], *parts: Any) -> Any:
    rows_of = (getattr(part, "iloc", part)[rows] for part, rows in zip(parts, slices, strict=True))
    return work(list(rows_of), *small)


def is_dask(collection: object) -> bool:
    """Whether it is a Dask array, series or frame."""
    return hasattr(collection, "__dask_graph__") and hasattr(collection, "to_delayed")


def parts_of(
    collection: Any, parameter: str, cluster: Cluster, n_dimensions: tuple[int, ...]
) -> list[Future]:
    """Where the parts of a collection are being computed, each with whole rows."""
    _check(collection, parameter, n_dimensions)
    if hasattr(collection, "chunks"):
        if collection.ndim == 2 and len(collection.chunks[1]) > 1:
            collection = collection.rechunk({1: -1})
        return cluster.computed(collection.to_delayed().ravel().tolist())
    return cluster.computed(collection.to_delayed())


def in_memory(collection: Any, parameter: str, cluster: Cluster, n_dimensions: tuple[int, ...]) -> Any:
    """All of a collection, in the memory of this machine."""
    _check(collection, parameter, n_dimensions)
    return cluster.gather(cluster.computed([collection]))[0]


def _check(collection: Any, parameter: str, n_dimensions: tuple[int, ...]) -> None:
    if not is_dask(collection):
        raise ParameterTypeError(
            parameter,
            "must be a Dask array, series or frame",
            collection,
            "use dask.array.from_array or dask.dataframe.from_pandas, or minirel.MiniReL for data in memory",
            found=f"is a {type(collection).__name__}",
        )
    if collection.ndim not in n_dimensions:
        allowed = " or ".join(map(str, n_dimensions))
        found = f"has {collection.ndim}"
        raise ParameterValueError(parameter, f"must have {allowed} dimensions", collection, found=found)


def lengths_differ(parameter: str, n_rows: int, n_points: int) -> ParameterValueError:
    """The error for a collection that is not of the same points as X."""
    found = f"has {n_rows} rows for {n_points} points"
    return ParameterValueError(parameter, "must have one row per point", n_rows, found=found)
