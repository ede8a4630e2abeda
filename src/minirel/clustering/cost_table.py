"""The costs of all points at some centers: kept while they are few, else computed wherever they are read."""

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Costs, Matrix, Points, Vector, blocks
from minirel.clustering.objectives import InBlocks, Objective
from minirel.points.workers import SERIAL, Workers

KEPT = 2**28  # bytes up to which a table is kept


def cost_table(objective: Objective, centers: Matrix, workers: Workers = SERIAL) -> Costs:
    """The costs of all points at these centers."""
    if not isinstance(objective, InBlocks):
        return objective.costs(centers)
    costs = ComputedCosts(objective, centers)
    if costs.size * costs.dtype.itemsize > KEPT:
        return costs
    table = np.empty(costs.shape, dtype=costs.dtype)

    def work(rows: slice) -> None:
        table[rows] = costs[rows]

    workers.map(work, blocks(len(table)), table.size)
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
