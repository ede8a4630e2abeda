"""The fair assignment problem as data: costs, groups, weights and the promises to keep."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from minirel.points.groups import Groups
from minirel.points.weights import Weights
from minirel.points.workers import SERIAL, Workers
from minirel.promises.fairness import Fairness, Prefix

Status = Literal["optimal", "within gap", "within rounding", "effort limit", "time limit", "iteration limit"]
# Why a search ended: it had nothing left to do, or one of its limits came first.
End = Literal["done", "effort limit", "time limit"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Equations (1) to (6) of the paper with the centers fixed.

    ``costs[i, k]`` is the cost of a point of weight one; `prefix` holds the (group, cluster) pairs that
    must be represented, or is None if the choice is part of the problem. `workers` pass over many
    points.
    """

    costs: NDArray[np.floating]
    groups: Groups
    weights: Weights
    fairness: Fairness
    prefix: Prefix | None
    workers: Workers = SERIAL

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.costs.shape[0])

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.costs.shape[1])


@dataclass(frozen=True, eq=False)
class Prices:
    """What the promises cost at the margin: zero or more each, zero where nothing is asked.

    Any prices prove a lower bound (that of the Lagrangian); good ones prove a tight one. ``groups[g, k]``
    prices one member of g too few in cluster k, `smallest` and `largest` one unit of size.
    """

    groups: NDArray[np.float64]
    smallest: NDArray[np.float64]
    largest: NDArray[np.float64]

    def of(self, prefix: Prefix) -> "Prices":
        """The same prices, but none on pairs that are not promised."""
        groups = np.zeros_like(self.groups)
        for pair in prefix:
            groups[pair] = self.groups[pair]
        return replace(self, groups=groups)


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver of the fair assignment problem hands back, before anything of it is believed.

    `prefix` holds the pairs that the labels were made to represent. `prices` prove a bound of their own,
    which `lower_bound` may exceed where a search closed the rest. `end` says why the search ended.
    ``n_scans`` counts passes over all the points, ``n_looks`` the points of all passes, partial ones too.
    """

    labels: NDArray[np.intp]
    lower_bound: float
    prefix: Prefix
    prices: Prices | None
    end: End = "done"
    n_scans: int = 0
    n_looks: int = 0

    @property
    def finished(self) -> bool:
        """Whether the search came to its end."""
        return self.end == "done"
