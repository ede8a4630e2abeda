"""Passes over points: a function of a block of them, run wherever the points are."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from minirel.points.workers import SERIAL, Workers

# Rows of a block. Their number is fixed, so that sums over blocks do not depend on who adds them.
BLOCK = 8_192

Result = TypeVar("Result")
# Arrays of which a pass reads the rows of its block; None stays None.
Each: TypeAlias = Sequence[NDArray[Any] | None]
Keep: TypeAlias = Callable[[slice, Any], Any]


def blocks(n_points: int, most: int = BLOCK) -> Iterator[slice]:
    """The rows of each block; of no points there is one, an empty one."""
    return (slice(first, min(first + most, n_points)) for first in range(0, max(n_points, 1), most))


class RemotePoints(ABC):
    """Points that are kept elsewhere, as on the workers of a cluster; dense, and validated already.

    Attributes
    ----------
    shape : tuple of int
        Number of points and of features.
    dtype : numpy.dtype
        Single or double precision.
    """

    shape: tuple[int, int]
    dtype: np.dtype[np.floating]

    @property
    def size(self) -> int:
        """Number of values."""
        return self.shape[0] * self.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    @abstractmethod
    def __getitem__(self, points: slice | NDArray[np.intp] | list[int]) -> NDArray[np.floating]:
        """Fetch some of the points."""

    @abstractmethod
    def map(
        self, work: Callable[..., Any], each: Each, small: Sequence[Any], most: int
    ) -> Iterator[tuple[slice, Any]]:
        """The rows of each block and the result of `work` there, as `map_blocks` says, in order.

        What is sent and what comes back is pickled, `work` by its name.
        """


def map_blocks(
    X: Any,
    work: Callable[..., Any],
    each: Each = (),
    small: Sequence[Any] = (),
    *,
    workers: Workers = SERIAL,
    n_costs: int = 0,
    most: int = BLOCK,
    keep: Keep | None = None,
) -> list[Any]:
    """The results of ``work(block of X, *rows of each, *small)`` for every block, in order.

    A result may be passed to ``keep(rows, result)`` as it comes, and what that returns is taken for it: so
    that arrays by point need not be kept twice. `n_costs` says how much work it is in all.
    """
    if isinstance(X, RemotePoints):
        found = X.map(work, each, small, most)
        return [result if keep is None else keep(rows, result) for rows, result in found]

    def on_block(rows: slice) -> Any:
        result = work(X[rows], *rows_of(each, rows), *small)
        return result if keep is None else keep(rows, result)

    return workers.map(on_block, blocks(X.shape[0], most), n_costs)


def rows_of(each: Each, rows: slice) -> list[NDArray[Any] | None]:
    """Some rows of each array."""
    return [None if array is None else array[rows] for array in each]
