"""The fair assignment problem as data: costs, groups, weights and the promises to keep."""

import weakref
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Costs, Part, over_blocks, times
from minirel.points.groups import Groups
from minirel.points.tally import Tally, tally
from minirel.points.weights import Weights
from minirel.points.workers import SERIAL, Workers
from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.prices import Prices

Status = Literal[
    "optimal",
    "within gap",
    "within rounding",
    "effort limit",
    "time limit",
    "iteration limit",
    "heuristic",
]
Labels: TypeAlias = NDArray[np.integer]
# Why a search ended: nothing was left to do, a limit came first, or it sought what no bound asks for.
End = Literal["done", "effort limit", "time limit", "heuristic"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Equations (1) to (6) of the paper with the centers fixed.

    ``costs[i, k]`` is the cost of a point of weight one; `prefix` are the holders, the (group,
    cluster) pairs that must be represented, or None if their choice is part of the problem. `workers` are the
    threads for passes over many points.
    """

    costs: Costs
    groups: Groups
    weights: Weights
    fairness: Fairness
    prefix: Prefix | None
    workers: Workers = SERIAL
    # What labels cost that were asked for before, as long as somebody has them.
    _known: "dict[int, tuple[weakref.ref[Labels], tuple[float, float]]]" = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.costs.shape[0])

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.costs.shape[1])

    @property
    def units(self) -> NDArray[np.int64]:
        """What each point weighs, in units."""
        return self.weights.numbers(self.n_points)

    @property
    def is_indivisible(self) -> bool:
        """Whether points differ in what they add to rows, so that whole points are a matter of their own."""
        return self.weights.units is not None or self.groups.counts is not None

    @property
    def multiples(self) -> NDArray[np.int64] | None:
        """How many times each point counts what its signature does; None if once."""
        return self.weights.units if self.groups.counts is None else None

    @cached_property
    def signature_costs(self) -> Costs:
        """The cost of a point that counts once: of a unit of weight, or of the whole point."""
        if self.groups.counts is None or self.weights.units is None:
            return self.costs
        return times(self.costs, self.weights.units)

    def cost(self, labels: NDArray[np.integer]) -> float:
        """Cost of labels, over units."""
        return self.cost_and_magnitude(labels)[0]

    def cost_and_magnitude(self, labels: NDArray[np.integer]) -> tuple[float, float]:
        """Cost of labels, over units, and the sum of the absolute costs: what rounding is relative to.

        Labels must not be written to afterwards.
        """
        known = self._known.get(id(labels))
        if known is not None and known[0]() is labels:
            return known[1]
        each = labels, self.weights.units
        sums = over_blocks(_cost_and_magnitude, (self.costs,), each, workers=self.workers)
        costs, magnitudes = zip(*sums, strict=True)
        self._known[id(labels)] = weakref.ref(labels), (sum(costs), sum(magnitudes))
        return sum(costs), sum(magnitudes)

    def tally(self, labels: NDArray[np.integer]) -> Tally:
        """Members, totals and sizes of the clusters, in units."""
        return tally(self.groups, self.weights, labels, self.n_clusters)


def costs_of(part: Part, labels: NDArray[np.integer], units: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """What each point of a block costs in the cluster of its label, over its units."""
    costs: NDArray[np.float64] = part.own(labels).astype(np.float64)
    return costs if units is None else costs * units


def _cost_and_magnitude(
    part: Part, labels: NDArray[np.integer], units: NDArray[np.int64] | None
) -> tuple[float, float]:
    each = costs_of(part, labels, units)
    return float(each.sum()), float(np.abs(each).sum())


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver of the fair assignment problem returns, not yet verified.

    `prefix` are the holders that the labels represent. `prices` prove a bound of their own, which
    `lower_bound` may exceed after a search. `end` says why the search ended. ``n_scans`` counts passes over
    all points, ``n_visited`` the points of all passes, partial ones included.
    """

    labels: NDArray[np.intp]
    lower_bound: float
    prefix: Prefix
    prices: Prices | None
    end: End = "done"
    n_scans: int = 0
    n_visited: int = 0

    @property
    def finished(self) -> bool:
        """Whether the search came to its end."""
        return self.end == "done"
