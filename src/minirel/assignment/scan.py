"""The scan: one pass over all points at given prices."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import BLOCK, COMPILE_FROM, Costs, Part, blocks, over_blocks
from minirel.assignment.problem import Problem

Result = TypeVar("Result")
# The fields of a `Scan`, of a block.
_OfBlock: TypeAlias = (
    "tuple[float, NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]"
)


@dataclass(frozen=True, eq=False)
class Scan:
    """The cheapest cluster of each point at some prices.

    ``value`` sums the least priced costs over units; `labels` and `second` are the first and the second
    choice, and `regret` is what the second costs more; `counts` are the units of each signature in each
    cluster.
    """

    value: float
    labels: NDArray[np.int32]
    second: NDArray[np.int32]
    regret: NDArray[np.float64]
    counts: NDArray[np.int64]


class Scanner:
    """Scans the points of a problem, and counts all passes over them, those over working sets included.

    Attributes
    ----------
    n_scans, n_visited : int
        Passes over all points, and points of all passes.
    work : int
        Costs that were looked at, and entries of the Hessians made of them.
    """

    def __init__(self, problem: Problem) -> None:
        self.costs = problem.signature_costs
        self.signature = problem.groups.signature
        self.n_signatures = problem.groups.n_signatures
        self.units = problem.multiples
        self.total = problem.n_points if self.units is None else int(self.units.sum())
        self.is_indivisible = problem.is_indivisible
        self.by_point = problem.groups.counts is not None  # signatures are about as many as points
        self.workers = problem.workers
        self.compiled = self.costs.size >= COMPILE_FROM
        self.n_scans = 0
        self.n_visited = 0
        self.work = 0

    def count_visits(self, n_points: int) -> None:
        """Count a pass over so many points."""
        self.n_visited += n_points
        self.work += n_points * self.costs.shape[1]
        self.n_scans += n_points == self.costs.shape[0]

    def __call__(self, offsets: NDArray[np.float64]) -> Scan:
        """Scan all points: a cluster costs its cost plus the offset of the signature."""
        nothing = np.zeros((self.n_signatures, self.costs.shape[1]), dtype=np.int64)
        return self.part(self.costs, self.signature, offsets, self.units, nothing)

    def part(
        self,
        costs: Costs,
        signature: NDArray[np.int32],
        offsets: NDArray[np.float64],
        units: NDArray[np.int64] | None,
        counts: NDArray[np.int64],
    ) -> Scan:
        """Scan some of the points; their counts are added to `counts`."""
        n = costs.shape[0]
        self.count_visits(n)
        if not self.compiled and n <= BLOCK and isinstance(costs, np.ndarray):
            return scan_with_numpy(costs, signature, offsets, units, counts)
        labels, second, regret = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)

        def keep(rows: slice, found: _OfBlock) -> tuple[float, NDArray[np.int64]]:
            value, labels[rows], second[rows], regret[rows], inside = found
            return value, inside

        work = _scan_compiled if self.compiled else _scan_block
        found = over_blocks(work, (costs,), (signature, units), (offsets,), workers=self.workers, keep=keep)
        values, parts = zip(*found, strict=True)
        return Scan(float(np.sum(values)), labels, second, regret, counts + np.sum(parts, axis=0))

    def over_blocks(self, work: Callable[[slice], Result], n_points: int) -> list[Result]:
        """The results of `work` on each block of points, in order, in threads where that pays."""
        return self.workers.map(work, blocks(n_points), n_points * self.costs.shape[1])


def _scan_compiled(
    part: Part, signature: NDArray[np.int32], units: NDArray[np.int64] | None, offsets: NDArray[np.float64]
) -> _OfBlock:
    """Scan a block."""
    from minirel.assignment.compiled import scan_rows

    costs = part.table()
    n, weight = len(costs), np.empty(0, dtype=np.int64) if units is None else units
    labels, second, regret = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
    counts = np.zeros(offsets.shape, dtype=np.int64)
    value = scan_rows(costs, signature, offsets, weight, labels, second, regret, counts)
    return value, labels, second, regret, counts


def _scan_block(
    part: Part, signature: NDArray[np.int32], units: NDArray[np.int64] | None, offsets: NDArray[np.float64]
) -> _OfBlock:
    """Scan a block with NumPy."""
    nothing = np.zeros(offsets.shape, dtype=np.int64)
    scan = scan_with_numpy(part.table(), signature, offsets, units, nothing)
    return scan.value, scan.labels, scan.second, scan.regret, scan.counts


def scan_with_numpy(
    costs: NDArray[np.floating],
    signature: NDArray[np.int32],
    offsets: NDArray[np.float64],
    units: NDArray[np.int64] | None,
    counts: NDArray[np.int64],
) -> Scan:
    """Scan the given points with NumPy; their counts are added to `counts`."""
    priced = costs + offsets[signature]
    points = np.arange(len(costs))
    labels = priced.argmin(axis=1)
    best = priced[points, labels]
    priced[points, labels] = np.inf
    second = priced.argmin(axis=1)
    regret = priced[points, second] - best
    counts = counts.copy()
    np.add.at(counts, (signature, labels), 1 if units is None else units)
    value = float(best.sum() if units is None else units @ best)
    return Scan(value, labels.astype(np.int32), second.astype(np.int32), regret, counts)
