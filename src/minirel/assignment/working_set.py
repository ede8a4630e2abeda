"""Working sets: the points of least regret, which alone can change cluster when prices change a little."""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import blocks
from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan, Scanner

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

# From so many rows on, products of matrices pay off. They round in another order, which differs between
# processors, so that requests of ordinary size have none.
MANY_ROWS = 500
_PRODUCTS = 1_000_000  # of rows by rows by signatures that are held at a time
_SAMPLE = 2_000  # points of a sample, or a fiftieth of all, up to ten times as many or what is asked for
_SMALLEST = 3_000  # points of the smallest working set, or a fiftieth of all
_GROWTH = 3  # each working set has so many times the points of the one before
_WHOLE = 1 - 2.0**-50  # a share of a cluster that is as good as all of it
_PRESAMPLE = 100_000  # with more points than this, the sample is drawn from a random subset


@dataclass(frozen=True, eq=False)
class WorkingSet:
    """Some points of a problem; all others are fixed, with counts and a cost that are known.

    Every point left out has a regret above `radius` at the `reference_offsets`. It keeps its cluster while
    offsets change by less than that, so within the radius every value computed here is that of all points.
    """

    points: NDArray[np.intp]
    costs: Matrix
    signature: NDArray[np.int32]
    units: NDArray[np.int64] | None
    fixed_counts: NDArray[np.int64]
    fixed_cost: float
    reference_offsets: Matrix
    radius: float
    scanner: Scanner

    def __len__(self) -> int:
        return len(self.points)

    @property
    def is_complete(self) -> bool:
        """Whether it holds every point."""
        return bool(np.isinf(self.radius))

    def margin(self, offsets: Matrix) -> float:
        """A lower bound on the regret at `offsets` of every point left out; negative beyond the radius."""
        return self.radius - float(np.ptp(offsets - self.reference_offsets, axis=1).max())

    def scan(self, offsets: Matrix) -> Scan:
        """A scan of these points; within the radius, value and counts are those of the whole problem."""
        part = self.scanner.part(self.costs, self.signature, offsets, self.units, self.fixed_counts)
        value = part.value + self.fixed_cost + float((offsets * self.fixed_counts).sum())
        return Scan(value, part.labels, part.second, part.regret, part.counts)

    def narrowed(self, offsets: Matrix, radius: float) -> "WorkingSet":
        """The smaller working set of this `radius` around `offsets`; itself if that is not much smaller."""
        if self.margin(offsets) < radius:
            return self
        scan = self.scan(offsets)
        inside, outside = _within(scan.regret, radius)
        if 2 * len(inside) > len(self):
            return self
        radius = min(outside, self.margin(offsets))
        return _working_set(self.scanner, self.points[inside], scan.labels[inside], scan, offsets, radius)

    def smoothed_dual(self, rows: Rows, prices: Vector, temperature: float) -> tuple[float, Vector, Matrix]:
        """Value, gradient and negated Hessian of the dual with every minimum smoothed at a temperature."""
        if self.scanner.by_point:
            return self._smoothed_dual_by_point(rows, prices, temperature)
        offsets = rows.offsets(prices, self.costs.shape[1])
        value, counts, covariance = self._smoothed_minima(offsets, temperature)
        value += self.fixed_cost + float((offsets * self.fixed_counts).sum() + prices @ rows.rhs)
        gradient = rows.rhs - (rows.coefficients * counts[:, rows.cluster].T).sum(axis=1)
        # Two rows interact through the points of each signature that have shares in both clusters.
        self.scanner.work += len(rows) ** 2 * len(covariance)
        hessian = np.zeros((len(rows), len(rows)))
        if len(rows) < MANY_ROWS:
            of_rows = np.ascontiguousarray(rows.coefficients.T)
            by_pair = covariance.reshape(len(covariance), -1)
            for some in blocks(len(rows), max(1, _PRODUCTS // max(of_rows.size, 1))):
                pairs = rows.cluster[some, None] * covariance.shape[1] + rows.cluster
                shared = of_rows[:, some, None] * of_rows[:, None] * np.take(by_pair, pairs, axis=1)
                hessian[some] = shared.sum(axis=0)
            return value, gradient, hessian / temperature
        rows_of = rows.by_cluster()
        for (k, first), (j, second) in itertools.product(rows_of.items(), repeat=2):
            shared = rows.coefficients[first] * covariance[:, k, j]
            hessian[np.ix_(first, second)] = shared @ rows.coefficients[second].T
        return value, gradient, hessian / temperature

    def _smoothed_dual_by_point(
        self, rows: Rows, prices: Vector, temperature: float
    ) -> tuple[float, Vector, Matrix]:
        """The same where hardly any two points have the same signature: a product over points."""
        offsets = rows.offsets(prices, self.costs.shape[1])
        self.scanner.count_visits(len(self))
        value = self.fixed_cost + float((offsets * self.fixed_counts).sum() + prices @ rows.rhs)
        of_fixed = (rows.coefficients * self.fixed_counts[:, rows.cluster].T).sum(axis=1)
        gradient, hessian = rows.rhs - of_fixed, np.zeros((len(rows), len(rows)))
        product = _einsum if len(rows) < MANY_ROWS else _matmul
        for block in blocks(len(self)):
            share = self.costs[block] + offsets[self.signature[block]]
            best, total = _soften(share.T, temperature)
            weight = np.ones(len(share)) if self.units is None else self.units[block].astype(np.float64)
            value += float(weight @ (best - temperature * np.log(total)))
            # Points with shares in several clusters are few, and the others are as good as fixed.
            label = share.argmax(axis=1)
            is_soft = share[np.arange(len(share)), label] < _WHOLE
            hard = np.flatnonzero(~is_soft)
            counts = np.zeros(self.fixed_counts.shape)
            np.add.at(counts, (self.signature[block][hard], label[hard]), weight[hard])
            # What each point adds to each row, and by how much of it, on the average, it does.
            adds = rows.coefficients.T[self.signature[block][is_soft]]
            added = adds * share[is_soft][:, rows.cluster]
            weighted = added * weight[is_soft][:, None]
            gradient -= weighted.sum(axis=0) + (rows.coefficients * counts[:, rows.cluster].T).sum(axis=1)
            hessian -= product(weighted, added)
            for own in rows.by_cluster().values():
                hessian[np.ix_(own, own)] += product(weighted[:, own], adds[:, own])
        return value, gradient, hessian / temperature

    def counts(self, offsets: Matrix, temperature: float) -> Matrix:
        """Fractional units of each signature in each cluster, with the minimum smoothed at a temperature."""
        return self._smoothed_minima(offsets, temperature)[1]

    def _smoothed_minima(
        self, offsets: Matrix, temperature: float
    ) -> tuple[float, Matrix, NDArray[np.float64]]:
        """Sum of the smoothed minima, counts, and for each signature the covariance of its points' shares."""
        self.scanner.count_visits(len(self))
        counts = self.fixed_counts.astype(np.float64)
        n_signatures, n_clusters = counts.shape
        covariance = np.zeros((n_signatures, n_clusters, n_clusters))
        if self.scanner.compiled:
            from minirel.assignment.compiled import smooth_rows

            units = np.empty(0) if self.units is None else self.units.astype(np.float64)

            def work(block: slice) -> tuple[float, Matrix, NDArray[np.float64]]:
                shares, shared = np.zeros(counts.shape), np.zeros(covariance.shape)
                value = smooth_rows(
                    *(self.costs[block], self.signature[block], offsets, units[block]),
                    *(temperature, shares, shared),
                )
                return value, shares, shared

            values, shares, shared = zip(*self.scanner.over_blocks(work, len(self)), strict=True)
            return float(np.sum(values)), counts + np.sum(shares, axis=0), np.sum(shared, axis=0)
        order, parts, priced = self._by_signature
        weight = np.ones(len(self)) if self.units is None else self.units[order]
        share = priced + offsets.T[:, self.signature[order]]
        best, total = _soften(share, temperature)
        least, weighted = best - temperature * np.log(total), share * weight
        value, cells, every = 0.0, np.zeros(counts.shape), np.arange(n_clusters)
        for s, some in parts:
            value += float(weight[some] @ least[some])
            cells[s] = weighted[:, some].sum(axis=1)
            covariance[s] -= weighted[:, some] @ share[:, some].T
        covariance[:, every, every] += cells
        return value, counts + cells, covariance

    @cached_property
    def _by_signature(self) -> tuple[NDArray[np.intp], list[tuple[int, slice]], Matrix]:
        """The points in the order of their signatures, those of each signature, and the costs in this order.

        One row of costs per cluster: NumPy finds the least of each point at once then, not point by point.
        """
        order = np.argsort(self.signature, kind="stable")
        present, first = np.unique(self.signature[order], return_index=True)
        bounds = itertools.pairwise([*first.tolist(), len(order)])
        parts = [(s, slice(*ends)) for s, ends in zip(present.tolist(), bounds, strict=True)]
        return order, parts, np.ascontiguousarray(self.costs[order].T)


def _einsum(first: Matrix, second: Matrix) -> Matrix:
    return np.asarray(np.einsum("ir,is->rs", first, second))


def _matmul(first: Matrix, second: Matrix) -> Matrix:
    return np.asarray(first.T @ second)


def _soften(priced: Matrix, temperature: float) -> tuple[Vector, Vector]:
    """Turn priced costs, one row per cluster, into shares, in place.

    Also return the least cost of each point, and the sum of its shares before it was made 1.
    """
    best = priced.min(axis=0)
    np.subtract(best, priced, out=priced)
    priced /= temperature
    np.exp(priced, out=priced)
    total = priced.sum(axis=0)
    priced /= total
    return best, total


class ReferenceScan:
    """A scan of all points at some offsets, and working sets of growing size around it."""

    def __init__(self, scanner: Scanner, offsets: Matrix) -> None:
        self.scanner, self.offsets = scanner, offsets
        self.scan = scanner(offsets)
        self._typical = typical_regret(self.scan)
        self._working_sets: list[WorkingSet] = []

    def working_set(self, width: int = 0) -> WorkingSet:
        """The smallest working set, or the one `width` steps larger."""
        n = len(self.scan.regret)
        while len(self._working_sets) <= width:
            size = max(_SMALLEST, n // 50) * _GROWTH ** len(self._working_sets)
            if size >= n:
                points, radius = np.arange(n), np.inf
            else:
                # Many points may tie, exactly or nearly: take all of them.
                least = np.partition(self.scan.regret, size)[size]
                points, radius = _within(self.scan.regret, max(float(least), 1_000 * self._typical / n))
            labels = self.scan.labels[points]
            self._working_sets.append(
                _working_set(self.scanner, points, labels, self.scan, self.offsets, radius)
            )
        return self._working_sets[width]

    def sample(self, most: int = 10 * _SAMPLE) -> WorkingSet:
        """A sample stratified by signature, first and second choice and regret, weighted to stand for all."""
        return _sample(self.scanner, self.scan, self.offsets, most)


def typical_regret(scan: Scan) -> float:
    """The median positive regret: the scale of the differences between costs."""
    some = scan.regret[:: max(1, len(scan.regret) // 10_000)]
    differing = some[np.isfinite(some) & (some > 0)]
    return float(np.median(differing)) if len(differing) else 1.0


def _within(regret: Vector, radius: float) -> tuple[NDArray[np.intp], float]:
    """The points of at most this regret, and the least regret of all others."""
    is_inside = regret <= radius
    return np.flatnonzero(is_inside), float(regret[~is_inside].min(initial=np.inf))


def _working_set(
    scanner: Scanner,
    points: NDArray[np.intp],
    labels: NDArray[np.int32],
    scan: Scan,
    offsets: Matrix,
    radius: float,
) -> WorkingSet:
    """A working set of `points` with these labels; value and counts of `scan` are those of all points."""
    signature = scanner.signature[points]
    units = None if scanner.units is None else scanner.units[points]
    costs = scanner.costs[points].astype(np.float64)
    inside = costs[np.arange(len(points)), labels]
    cost_inside = float(inside.sum() if units is None else units @ inside)
    fixed_cost = scan.value - float((offsets * scan.counts).sum()) - cost_inside
    fixed_counts = scan.counts.copy()
    np.subtract.at(fixed_counts, (signature, labels), 1 if units is None else units)
    return WorkingSet(
        points=points,
        costs=costs,
        signature=signature,
        units=units,
        fixed_counts=fixed_counts,
        fixed_cost=fixed_cost,
        reference_offsets=offsets,
        radius=radius,
        scanner=scanner,
    )


def _sample(scanner: Scanner, scan: Scan, offsets: Matrix, most: int) -> WorkingSet:
    n, n_clusters = scanner.costs.shape
    points = np.arange(n)
    if n > _PRESAMPLE:
        points = np.unique(np.random.default_rng(0).integers(0, n, _PRESAMPLE))
    if scanner.by_point:
        return _sample_of_points(scanner, scan, offsets, points, most)
    cell = scanner.signature[points].astype(np.int64) * n_clusters + scan.labels[points]
    order = _by_choice_and_regret(cell, points, scan, n_clusters)
    size = int(np.clip(n // 50, _SAMPLE, most))
    # Each pair of signature and first choice keeps a point, and its points are weighted to its whole weight.
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    chosen = np.union1d(points[order[:: max(1, len(points) // size)]], points[order[first]])
    index = scanner.signature[chosen], scan.labels[chosen]
    units = np.ones(len(chosen)) if scanner.units is None else scanner.units[chosen].astype(np.float64)
    sampled = np.zeros(scan.counts.shape)
    np.add.at(sampled, index, units)
    factor = np.divide(scan.counts, sampled, out=np.zeros_like(sampled), where=sampled > 0)
    return WorkingSet(
        points=chosen,
        costs=scanner.costs[chosen].astype(np.float64),
        signature=scanner.signature[chosen],
        units=units * factor[index],  # type: ignore[arg-type]  # fractions, to stand for others
        fixed_counts=np.where(sampled > 0, 0, scan.counts),
        fixed_cost=0.0,
        reference_offsets=offsets,
        radius=np.inf,
        scanner=scanner,
    )


def _sample_of_points(
    scanner: Scanner, scan: Scan, offsets: Matrix, points: NDArray[np.intp], most: int
) -> WorkingSet:
    """A sample stratified by first and second choice and regret, of points that all differ."""
    n, labels = scanner.costs.shape[0], scan.labels[points]
    size = int(np.clip(n // 50, _SAMPLE, most))
    n_clusters = scanner.costs.shape[1]
    order = _by_choice_and_regret(labels.astype(np.int64), points, scan, n_clusters)
    first = np.flatnonzero(np.diff(labels[order], prepend=-1))
    chosen = np.union1d(points[order[:: max(1, len(points) // size)]], points[order[first]])
    in_all, sampled = (np.bincount(some, minlength=n_clusters) for some in (scan.labels, scan.labels[chosen]))
    factor = in_all / np.maximum(sampled, 1)
    return WorkingSet(
        points=chosen,
        costs=scanner.costs[chosen].astype(np.float64),
        signature=scanner.signature[chosen],
        units=factor[scan.labels[chosen]],  # type: ignore[arg-type]  # fractions, to stand for others
        fixed_counts=np.zeros_like(scan.counts),
        fixed_cost=0.0,
        reference_offsets=offsets,
        radius=np.inf,
        scanner=scanner,
    )


def _by_choice_and_regret(
    first: NDArray[np.int64], points: NDArray[np.intp], scan: Scan, n_clusters: int
) -> NDArray[np.intp]:
    """The order of points by first choice, second choice and regret."""
    by_regret = np.argsort(scan.regret[points], kind="stable")
    choice = first * n_clusters + scan.second[points]
    # NumPy sorts small integers without comparing them, far faster than it would sort by three keys.
    small = choice.astype(np.min_scalar_type(int(choice.max(initial=0))))
    return np.asarray(by_regret[np.argsort(small[by_regret], kind="stable")])
