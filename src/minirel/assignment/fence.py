"""The points on the fence: those that a small change of prices can still move."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan, Scanner

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_SAMPLE = 2_000  # points, or a fiftieth of all up to ten times as many
_NARROWEST = 3_000  # points of a fence, or a fiftieth of all
_WIDER = 3
_PRESAMPLE = 100_000  # of more points than this, the sample is drawn from a random part


@dataclass(frozen=True, eq=False)
class Fence:
    """Some points of a problem, with the fixed counts and cost of all the others.

    Outside are only points whose regret at the offsets `centre` exceeds `radius`: they stay put while
    offsets change by less than that, so within the radius every value computed here is that of the whole.
    """

    points: NDArray[np.intp]
    costs: Matrix
    signature: NDArray[np.int32]
    units: NDArray[np.int64] | None
    settled: NDArray[np.int64]
    settled_cost: float
    centre: Matrix
    radius: float
    scanner: Scanner

    def __len__(self) -> int:
        return len(self.points)

    @property
    def is_whole(self) -> bool:
        """Whether every point is inside."""
        return bool(np.isinf(self.radius))

    def room(self, offsets: Matrix) -> float:
        """How much regret at `offsets` every point outside the fence has at least."""
        return self.radius - float(np.ptp(offsets - self.centre, axis=1).max())

    def scan(self, offsets: Matrix) -> Scan:
        """A scan of these points; value and counts are those of the whole problem within the radius."""
        part = self.scanner.part(self.costs, self.signature, offsets, self.units, self.settled)
        value = part.value + self.settled_cost + float((offsets * self.settled).sum())
        return Scan(value, part.labels, part.second, part.regret, part.counts)

    def narrowed(self, offsets: Matrix, radius: float) -> "Fence":
        """The part of this fence within `radius` of `offsets`; itself where that is not much less."""
        if self.room(offsets) < radius:
            return self
        scan = self.scan(offsets)
        inside, outside = _within(scan.regret, radius)
        if 2 * len(inside) > len(self):
            return self
        radius = min(outside, self.room(offsets))
        return _fence(self.scanner, self.points[inside], scan.labels[inside], scan, offsets, radius)

    def smooth(self, rows: Rows, prices: Vector, heat: float) -> tuple[float, Vector, Matrix]:
        """Value, gradient and negated Hessian of the dual with every minimum smoothed at `heat`."""
        offsets = rows.offsets(prices, self.costs.shape[1])
        value, counts, covariance = self._softened(offsets, heat)
        value += self.settled_cost + float((offsets * self.settled).sum() + prices @ rows.floor)
        gradient = rows.floor - (rows.coefficients * counts[:, rows.cluster].T).sum(axis=1)
        # Rows meet in the points of each signature that are torn between the rows' clusters.
        hessian = np.zeros((len(rows), len(rows)))
        for of_rows, torn in zip(rows.coefficients.T, covariance, strict=True):
            hessian += of_rows[:, None] * of_rows * torn[rows.cluster[:, None], rows.cluster]
        return value, gradient, hessian / heat

    def counts(self, offsets: Matrix, heat: float) -> Matrix:
        """Units of each signature in each cluster, in fractions, with the minimum smoothed at `heat`."""
        return self._softened(offsets, heat)[1]

    def _softened(self, offsets: Matrix, heat: float) -> tuple[float, Matrix, NDArray[np.float64]]:
        """Sum of the smoothed minima, all counts, and by signature the covariance of the points' shares."""
        self.scanner.looked_at(len(self))
        counts = self.settled.astype(np.float64)
        n_signatures, n_clusters = counts.shape
        covariance = np.zeros((n_signatures, n_clusters, n_clusters))
        if self.scanner.compiled:
            from minirel.assignment.compiled import smooth_rows

            units = np.empty(0) if self.units is None else self.units.astype(np.float64)

            def work(block: slice) -> tuple[float, Matrix, NDArray[np.float64]]:
                shares, torn = np.zeros(counts.shape), np.zeros(covariance.shape)
                value = smooth_rows(
                    *(self.costs[block], self.signature[block], offsets, units[block], heat, shares, torn)
                )
                return value, shares, torn

            values, shares, torn = zip(*self.scanner.over_blocks(work, len(self)), strict=True)
            return float(np.sum(values)), counts + np.sum(shares, axis=0), np.sum(torn, axis=0)
        share = self.costs + offsets[self.signature]
        best = share.min(axis=1)
        np.subtract(best[:, None], share, out=share)
        share /= heat
        np.exp(share, out=share)
        total = share.sum(axis=1)
        share /= total[:, None]
        least = best - heat * np.log(total)
        weight = np.ones(len(share)) if self.units is None else self.units
        for s in range(n_signatures):
            mine = np.flatnonzero(self.signature == s)
            weighted = share[mine].T * weight[mine]
            cells = weighted.sum(axis=1)
            counts[s] += cells
            covariance[s] = np.diag(cells) - weighted @ share[mine]
        return float(weight @ least), counts, covariance


class Anchor:
    """A scan of all points at some offsets, with fences of growing width around it."""

    def __init__(self, scanner: Scanner, offsets: Matrix) -> None:
        self.scanner, self.offsets = scanner, offsets
        self.scan = scanner(offsets)
        self._typical = typical_regret(self.scan)
        self._fences: list[Fence] = []

    def fence(self, width: int = 0) -> Fence:
        """The narrowest fence, or the one `width` steps wider."""
        n = len(self.scan.regret)
        while len(self._fences) <= width:
            size = max(_NARROWEST, n // 50) * _WIDER ** len(self._fences)
            if size >= n:
                points, radius = np.arange(n), np.inf
            else:
                # Many points may tie, to the last bit or nearly: all of them are in.
                least = np.partition(self.scan.regret, size)[size]
                points, radius = _within(self.scan.regret, max(float(least), 1_000 * self._typical / n))
            labels = self.scan.labels[points]
            self._fences.append(_fence(self.scanner, points, labels, self.scan, self.offsets, radius))
        return self._fences[width]

    def sample(self) -> Fence:
        """Points spread evenly over signature, first and second choice and regret, standing for all."""
        return _sample(self.scanner, self.scan, self.offsets)


def typical_regret(scan: Scan) -> float:
    """The scale of the differences between costs."""
    some = scan.regret[:: max(1, len(scan.regret) // 10_000)]
    differing = some[np.isfinite(some) & (some > 0)]
    return float(np.median(differing)) if len(differing) else 1.0


def _within(regret: Vector, radius: float) -> tuple[NDArray[np.intp], float]:
    """The points up to a regret, and the least regret of all others."""
    is_inside = regret <= radius
    return np.flatnonzero(is_inside), float(regret[~is_inside].min(initial=np.inf))


def _fence(
    scanner: Scanner,
    points: NDArray[np.intp],
    labels: NDArray[np.int32],
    scan: Scan,
    offsets: Matrix,
    radius: float,
) -> Fence:
    """A fence of `points`, whose labels are given; value and counts of `scan` are those of all points."""
    signature = scanner.signature[points]
    units = None if scanner.units is None else scanner.units[points]
    costs = scanner.costs[points].astype(np.float64)
    inside = costs[np.arange(len(points)), labels]
    cost_inside = float(inside.sum() if units is None else units @ inside)
    settled_cost = scan.value - float((offsets * scan.counts).sum()) - cost_inside
    settled = scan.counts.copy()
    np.subtract.at(settled, (signature, labels), 1 if units is None else units)
    return Fence(
        points=points,
        costs=costs,
        signature=signature,
        units=units,
        settled=settled,
        settled_cost=settled_cost,
        centre=offsets,
        radius=radius,
        scanner=scanner,
    )


def _sample(scanner: Scanner, scan: Scan, offsets: Matrix) -> Fence:
    n, n_clusters = scanner.costs.shape
    points = np.arange(n)
    if n > _PRESAMPLE:
        points = np.unique(np.random.default_rng(0).integers(0, n, _PRESAMPLE))
    cell = scanner.signature[points].astype(np.int64) * n_clusters + scan.labels[points]
    order = np.lexsort((scan.regret[points], scan.second[points], cell))
    size = int(np.clip(n // 50, _SAMPLE, 10 * _SAMPLE))
    # Each cell of first choices keeps at least one point, and in all its weight in the whole.
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    chosen = np.union1d(points[order[:: max(1, len(points) // size)]], points[order[first]])
    index = scanner.signature[chosen], scan.labels[chosen]
    units = np.ones(len(chosen)) if scanner.units is None else scanner.units[chosen].astype(np.float64)
    sampled = np.zeros(scan.counts.shape)
    np.add.at(sampled, index, units)
    factor = np.divide(scan.counts, sampled, out=np.zeros_like(sampled), where=sampled > 0)
    return Fence(
        points=chosen,
        costs=scanner.costs[chosen].astype(np.float64),
        signature=scanner.signature[chosen],
        units=units * factor[index],  # type: ignore[arg-type]  # fractions, to stand for others
        settled=np.where(sampled > 0, 0, scan.counts),
        settled_cost=0.0,
        centre=offsets,
        radius=np.inf,
        scanner=scanner,
    )
