"""The costs of points in clusters, read block by block: a table, or what computes rows as they are read."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from minirel.points.workers import SERIAL, Workers

# Rows of a block. Their number is fixed, so that sums over blocks do not depend on the number of threads.
BLOCK = 8_192

Matrix = NDArray[np.floating]
Vector = NDArray[np.floating]
Points = slice | NDArray[np.intp]


class Costs(Protocol):
    """The cost of a unit of weight of each point in each cluster; an array is one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points and of clusters."""
        ...

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """The type of a cost."""
        ...

    @property
    def size(self) -> int:
        """Number of costs."""
        ...

    def __getitem__(self, points: Points, /) -> Matrix:
        """The costs of some points."""
        ...


@runtime_checkable
class OwnCosts(Protocol):
    """Costs that know a quicker way to what each point costs in one cluster than a whole row."""

    def own(self, rows: slice, labels: NDArray[np.integer]) -> Vector:
        """What points cost in the clusters that `labels` give them."""
        ...


def blocks(n_points: int, most: int = BLOCK) -> Iterator[slice]:
    """The rows of each block."""
    return (slice(first, min(first + most, n_points)) for first in range(0, n_points, most))


def own_costs(costs: Costs, labels: NDArray[np.integer], workers: Workers = SERIAL) -> Vector:
    """What each point costs in its own cluster."""
    own = np.empty(len(labels), dtype=costs.dtype)

    def work(rows: slice) -> None:
        own[rows] = own_costs_of(costs, rows, labels[rows])

    workers.map(work, blocks(len(labels)), costs.size)
    return own


def own_costs_of(costs: Costs, rows: slice, labels: NDArray[np.integer]) -> Vector:
    """What some points cost in the clusters that `labels` give them."""
    if isinstance(costs, OwnCosts):
        return costs.own(rows, labels)
    table = costs[rows]
    return np.asarray(table[np.arange(len(table)), labels])


def column(costs: Costs, cluster: int) -> Vector:
    """What each point costs in one cluster."""
    if isinstance(costs, np.ndarray):
        return costs[:, cluster]
    return own_costs(costs, np.full(costs.shape[0], cluster, dtype=np.int32))


def times(costs: Costs, units: NDArray[np.int64]) -> Costs:
    """The costs of whole points that weigh so many units."""
    if isinstance(costs, np.ndarray):
        return np.asarray(costs * units.astype(np.float64)[:, None])
    return _Multiplied(costs, units)


class _Multiplied:
    """Costs times units, multiplied as they are read."""

    def __init__(self, costs: Costs, units: NDArray[np.int64]) -> None:
        self._costs, self._units = costs, units

    @property
    def shape(self) -> tuple[int, ...]:
        return self._costs.shape

    @property
    def dtype(self) -> np.dtype[np.floating]:
        return np.dtype(np.float64)

    @property
    def size(self) -> int:
        return self._costs.size

    def __getitem__(self, points: Points, /) -> Matrix:
        return np.asarray(self._costs[points] * self._units[points].astype(np.float64)[:, None])

    def own(self, rows: slice, labels: NDArray[np.integer]) -> Vector:
        own: NDArray[np.float64] = own_costs_of(self._costs, rows, labels).astype(np.float64)
        return own * self._units[rows]


def cheapest_clusters(costs: Costs, workers: Workers = SERIAL) -> tuple[NDArray[np.intp], Vector]:
    """The cluster where each point costs least, the first of several, and what it costs there."""
    n_points = costs.shape[0]
    labels, least = np.empty(n_points, dtype=np.intp), np.empty(n_points, dtype=costs.dtype)

    def work(rows: slice) -> None:
        table = costs[rows]
        labels[rows] = table.argmin(axis=1)
        least[rows] = table[np.arange(len(table)), labels[rows]]

    workers.map(work, blocks(n_points), costs.size)
    return labels, least
