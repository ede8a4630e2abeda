"""Points on the workers of a cluster, in chunks of whole blocks."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from minirel.dask.cluster import Cluster
from minirel.dask.packing import Joined, Packed, joined, packed
from minirel.points.blocks import BLOCK, Each, RemotePoints, blocks, rows_of

# Chunks are cut at multiples of this: whatever passes take at a time ends there.
CUT = 2 * BLOCK
# Bytes of points that are kept here once they have been fetched.
_FETCHED = 2**28

Matrix = NDArray[np.floating]


class Chunk(NamedTuple):
    """Some points, and what is known of them; weights are None where every point counts 1."""

    X: Matrix
    signature: NDArray[np.int32]
    units: NDArray[np.int64] | None
    values: NDArray[np.float64] | None


def make_chunk(X: Matrix, signature: NDArray[np.int32] | None, units: Packed | None, unit: Fraction) -> Chunk:
    """A chunk on the worker that holds its points."""
    if signature is None:  # without groups there is one signature
        signature = np.zeros(len(X), dtype=np.int32)
    if units is None:
        return Chunk(X, signature, None, None)
    whole = units.unpacked()
    return Chunk(X, signature, whole, whole.astype(np.float64) * float(unit))


class DaskPoints(RemotePoints):
    """Points in chunks on the workers of a cluster.

    `known` are the arrays of all points that chunks hold rows of, in the order of the fields of `Chunk`:
    passes that read these send nothing.
    """

    def __init__(
        self,
        cluster: Cluster,
        chunks: list[Future],
        bounds: list[int],
        n_features: int,
        dtype: np.dtype[np.floating],
        known: Sequence[NDArray[Any] | None],
    ) -> None:
        self.shape, self.dtype = (bounds[-1], n_features), dtype
        self._cluster, self._chunks, self._bounds, self._known = cluster, chunks, bounds, known
        self._lock = Lock()  # runs side by side fetch at the same time
        self._forget()

    def map(
        self, work: Callable[..., Any], each: Each, small: Sequence[Any], most: int
    ) -> Iterator[tuple[slice, Any]]:
        """The rows of each block and the result of `work` there, in order."""
        fields = [self._field(array) for array in each]
        futures = []
        for chunk, rows in zip(self._chunks, self._spans(), strict=True):
            sent = [
                None if array is None else packed(array[rows]) if field is None else field
                for array, field in zip(each, fields, strict=True)
            ]
            futures.append(self._cluster.submit(_run, chunk, work, sent, tuple(small), most))
        results: list[Joined] = self._cluster.gather(futures)
        for rows, result in zip(self._spans(), results, strict=True):
            inside = list(blocks(rows.stop - rows.start, most))
            for block, found in zip(inside, result.divided(inside), strict=True):
                yield slice(rows.start + block.start, rows.start + block.stop), found

    def __getitem__(self, points: slice | NDArray[np.intp] | list[int]) -> Matrix:
        """Fetch some of the points; those fetched before are here, up to a limit."""
        if isinstance(points, slice) and points.indices(len(self))[:2] == (0, len(self)):
            return np.concatenate(
                self._cluster.gather([self._cluster.submit(_points, c) for c in self._chunks])
            )
        some = np.arange(*points.indices(len(self))) if isinstance(points, slice) else np.asarray(points)
        with self._lock:
            missing = _distinct(some[self._place[some] < 0])
            if len(missing):
                if (self._n_fetched + len(missing)) * self._row_bytes > _FETCHED:
                    self._forget()
                    missing = _distinct(some)
                self._add(missing)
            return self._rows[self._place[some]]

    @property
    def _row_bytes(self) -> int:
        return self.shape[1] * self.dtype.itemsize

    def _forget(self) -> None:
        """Drop what was fetched."""
        self._place = np.full(self.shape[0], -1, dtype=np.int32)
        self._rows, self._n_fetched = np.empty((0, self.shape[1]), dtype=self.dtype), 0

    def _add(self, points: NDArray[np.intp]) -> None:
        """Fetch points, which are sorted and not here."""
        first_of = np.searchsorted(points, self._bounds)
        futures = []
        for number, chunk in enumerate(self._chunks):
            some = points[first_of[number] : first_of[number + 1]] - self._bounds[number]
            if len(some):
                futures.append(self._cluster.submit(_take, chunk, packed(some)))
        last = self._n_fetched + len(points)
        if last > len(self._rows):
            grown = np.empty((max(last, 2 * len(self._rows)), self.shape[1]), dtype=self.dtype)
            grown[: self._n_fetched] = self._rows[: self._n_fetched]
            self._rows = grown
        np.concatenate(self._cluster.gather(futures), out=self._rows[self._n_fetched : last])
        self._place[points] = np.arange(self._n_fetched, last)
        self._n_fetched = last

    def _spans(self) -> list[slice]:
        return [slice(*pair) for pair in pairwise(self._bounds)]

    def _field(self, array: NDArray[Any] | None) -> int | None:
        """The field of `Chunk` that holds rows of this array; None if none does."""
        if array is None:
            return None
        return next((1 + j for j, known in enumerate(self._known) if known is array), None)


def _distinct(points: NDArray[np.intp]) -> NDArray[np.intp]:
    """The points in order, each once; mostly they are so already."""
    return points if (points[1:] > points[:-1]).all() else np.unique(points)


def _run(
    chunk: Chunk, work: Callable[..., Any], sent: list[Packed | int | None], small: tuple[Any, ...], most: int
) -> Joined:
    """Run a pass over the blocks of a chunk."""
    each = [
        chunk[part] if isinstance(part, int) else None if part is None else part.unpacked() for part in sent
    ]
    inside = list(blocks(len(chunk.X), most))
    return joined([work(chunk.X[rows], *rows_of(each, rows), *small) for rows in inside], inside)


def _points(chunk: Chunk) -> Matrix:
    return chunk.X


def _take(chunk: Chunk, points: Packed) -> Matrix:
    return np.asarray(chunk.X[points.unpacked()])
