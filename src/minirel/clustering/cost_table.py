"""The costs of all points at some centers: kept while they are few, else computed wherever they are read."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Costs, Matrix, Part, Points, Vector, over_blocks
from minirel.clustering.objectives import InBlocks, KMeansObjective, Objective
from minirel.points.blocks import Each, RemotePoints
from minirel.points.workers import SERIAL, Workers

KEPT = 2**28  # bytes up to which a table is kept


def cost_table(objective: Objective, centers: Matrix, workers: Workers = SERIAL) -> Costs:
    """The costs of all points at these centers."""
    if not isinstance(objective, InBlocks):
        return objective.costs(centers)
    if isinstance(objective, KMeansObjective) and isinstance(objective.X, RemotePoints):
        return RemoteCosts(objective, centers)
    costs = ComputedCosts(objective, centers)
    if costs.size * costs.dtype.itemsize > KEPT:
        return costs
    table = np.empty(costs.shape, dtype=costs.dtype)
    over_blocks(Part.table, (costs,), workers=workers, keep=table.__setitem__)
    return table


class ComputedCosts:
    """Costs that are computed anew wherever they are read."""

    def __init__(self, objective: InBlocks, centers: Matrix) -> None:
        self._objective, self._centers = objective, centers
        self.shape = (objective.X.shape[0], len(centers))
        self.dtype = np.dtype(objective.X.dtype)
        self.size = self.shape[0] * self.shape[1]

    def __getitem__(self, points: Points) -> Matrix:
        """The costs of some points."""
        return self._objective.costs(self._centers, points)

    def own(self, rows: slice, labels: NDArray[np.integer]) -> Vector:
        """What points cost in the clusters that `labels` give them."""
        return self._objective.own_costs(self._centers, rows, labels)


class RemoteCosts(ComputedCosts):
    """Costs of points kept elsewhere: computed there in passes, and here of points that are fetched."""

    def __init__(self, objective: KMeansObjective, centers: Matrix) -> None:
        super().__init__(objective, centers)
        self.centers, self._points, self._is_large = centers, objective.X, objective.is_large

    def map(
        self,
        work: Callable[..., Any],
        others: Sequence[Costs],
        each: Each,
        small: Sequence[Any],
        most: int,
    ) -> Iterator[tuple[slice, Any]]:
        """The rows of each block and the result of `work` there, in order."""
        assert isinstance(self._points, RemotePoints)
        centers = [costs.centers for costs in (self, *others) if isinstance(costs, RemoteCosts)]
        return self._points.map(partial(_with_costs, work, centers, self._is_large), each, small, most)


def _with_costs(
    work: Callable[..., Any], centers: list[Matrix], is_large: bool, X: Matrix, *others: Any
) -> Any:
    """Call `work` on a block of points with its costs at some centers."""
    objective = KMeansObjective(X, None, is_large)
    parts = (Part(ComputedCosts(objective, these), slice(0, len(X))) for these in centers)
    return work(*parts, *others)
