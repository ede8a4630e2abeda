"""The costs of points in clusters, read block by block: a table, or what computes rows as they are read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from minirel.points.blocks import BLOCK as BLOCK
from minirel.points.blocks import Each, Keep, rows_of
from minirel.points.blocks import blocks as blocks
from minirel.points.workers import SERIAL, Workers

# From this many costs on, compiled code is worth the time to load it: small problems never load numba.
COMPILE_FROM = 100_000

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


@runtime_checkable
class CostsElsewhere(Protocol):
    """Costs of points that are kept elsewhere, where passes over them run as well."""

    def map(
        self,
        work: Callable[..., Any],
        others: Sequence[Costs],
        each: Each,
        small: Sequence[Any],
        most: int,
    ) -> Iterator[tuple[slice, Any]]:
        """The rows of each block and the result of `work` there, as `over_blocks` says, in order."""
        ...


class Part(NamedTuple):
    """The costs of a block of points."""

    costs: Costs
    rows: slice

    def table(self) -> Matrix:
        """The cost of each point in each cluster."""
        return self.costs[self.rows]

    def own(self, labels: NDArray[np.integer]) -> Vector:
        """What each point costs in the cluster of its label."""
        if isinstance(self.costs, OwnCosts):
            return self.costs.own(self.rows, labels)
        table = self.table()
        return np.asarray(table[np.arange(len(table)), labels])


def over_blocks(
    work: Callable[..., Any],
    costs: Sequence[Costs],
    each: Each = (),
    small: Sequence[Any] = (),
    *,
    workers: Workers = SERIAL,
    most: int = BLOCK,
    keep: Keep | None = None,
) -> list[Any]:
    """The results of ``work(*parts, *rows of each, *small)`` for every block, in order.

    There is a part for each of the `costs`, which are of the same points. `work` must not depend on anything
    else: it may run in another process. A result may be passed to ``keep(rows, result)`` as it comes, and
    what that returns is taken for it.
    """
    first, *others = costs
    if isinstance(first, CostsElsewhere):
        found = first.map(work, others, each, small, most)
        return [result if keep is None else keep(rows, result) for rows, result in found]

    def on_block(rows: slice) -> Any:
        result = work(*(Part(of, rows) for of in costs), *rows_of(each, rows), *small)
        return result if keep is None else keep(rows, result)

    return workers.map(on_block, blocks(first.shape[0], most), first.size)


def own_costs(costs: Costs, labels: NDArray[np.integer], workers: Workers = SERIAL) -> Vector:
    """What each point costs in its own cluster."""
    own = np.empty(len(labels), dtype=costs.dtype)
    over_blocks(Part.own, (costs,), (labels,), workers=workers, keep=own.__setitem__)
    return own


def column(costs: Costs, cluster: int) -> Vector:
    """What each point costs in one cluster."""
    if isinstance(costs, np.ndarray):
        return costs[:, cluster]
    of_points = np.empty(costs.shape[0], dtype=costs.dtype)
    over_blocks(_column, (costs,), small=(cluster,), keep=of_points.__setitem__)
    return of_points


def _column(part: Part, cluster: int) -> Vector:
    return part.own(np.full(part.rows.stop - part.rows.start, cluster, dtype=np.int32))


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
        own: NDArray[np.float64] = Part(self._costs, rows).own(labels).astype(np.float64)
        return own * self._units[rows]


def cheapest_clusters(costs: Costs, workers: Workers = SERIAL) -> tuple[NDArray[np.intp], Vector]:
    """The cluster where each point costs least, the first of several, and what it costs there."""
    n_points = costs.shape[0]
    labels, least = np.empty(n_points, dtype=np.intp), np.empty(n_points, dtype=costs.dtype)

    def keep(rows: slice, found: tuple[NDArray[np.intp], Vector]) -> None:
        labels[rows], least[rows] = found

    over_blocks(_cheapest, (costs,), small=(costs.size >= COMPILE_FROM,), workers=workers, keep=keep)
    return labels, least


def _cheapest(part: Part, is_large: bool) -> tuple[NDArray[np.intp], Vector]:
    table = part.table()
    if not is_large:
        labels = table.argmin(axis=1)
        return labels, table[np.arange(len(table)), labels]
    from minirel.assignment.compiled import least_rows

    labels, least = np.empty(len(table), dtype=np.intp), np.empty(len(table), dtype=table.dtype)
    least_rows(table, labels, least)
    return labels, least
