"""The core program: an exact integer program over the pairs that reduced costs do not rule out."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csr_array, diags_array, eye_array, vstack

from minirel.assignment.enumeration import enumerate_choices
from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan
from minirel.assignment.working_set import Vector, WorkingSet
from minirel.solvers import highs
from minirel.solvers.model import LinearModel, Solution

# How often a solution that violates a row within the solver's tolerance is cut off.
_MAX_CUTS = 8
# The smallest coefficient in the integer program.
_MIN_COEFFICIENT = 1e-7


@dataclass(frozen=True, eq=False)
class CoreResult:
    """Labels of the working set, or None, and a lower bound for all labels of the core.

    The bound is on what they cost above the price bound. `finished` is False if a limit came first, and
    `n_nodes` are those of the integer program.
    """

    labels: NDArray[np.int32] | None
    bound: float
    finished: bool
    n_nodes: int = 0


@dataclass(frozen=True, eq=False)
class Core:
    """The *open* pairs (point, cluster), of reduced cost at most a cutoff; all other points are fixed.

    Labels cost the price bound, plus their reduced costs, plus price times slack over the rows. So the
    objective is what labels cost above the price bound, and labels that use any other pair cost more than the
    cutoff above it. Only the counts need to be integer, since for given counts a transportation problem is
    left, whose vertices are integral. With weights this does not hold, and the pairs themselves are binary.
    """

    rows: Rows
    prices: Vector
    working_set: WorkingSet
    scan: Scan
    points: NDArray[np.intp]
    owner: NDArray[np.intp]  # point of each open pair, as an index into points
    cluster: NDArray[np.intp]
    reduced: NDArray[np.float64]
    cutoff: float

    def enumerate(self, below: float, node_limit: int) -> CoreResult:
        """The cheapest labels of the core that cost less than `below`, by enumeration."""
        units = self._units()
        costs = np.full((len(self.points), self.working_set.costs.shape[1]), np.inf)
        costs[self.owner, self.cluster] = self.reduced * units[self.owner]
        signature, now = self.working_set.signature[self.points], self.scan.labels[self.points]
        exact = self.rows.exact
        change = exact[:, signature] * units.astype(np.int64).astype(exact.dtype)
        slack = self.rows.slack(self.scan.counts)
        here = self.rows.cluster[:, None] == now
        slack = slack - np.where(here, change, 0).sum(axis=1)
        found = enumerate_choices(
            self.rows, self.prices, slack, change, costs, below=below, node_limit=node_limit
        )
        labels = None
        if found.choice is not None:
            labels = self.scan.labels.copy()
            labels[self.points] = found.choice
        return CoreResult(labels, found.cost if found.complete else 0.0, found.complete)

    def solve(
        self,
        *,
        absolute_gap: float,
        target: float,
        time_limit: float | None,
        node_limit: int,
        start: NDArray[np.int32] | None = None,
    ) -> CoreResult:
        """The cheapest labels of the core by an integer program, from `start` if that is feasible in it."""
        model = self._model_by_pair() if self.working_set.scanner.by_point else self._model()
        # The tolerances of HiGHS are absolute, so scale costs to at most 1.
        scale = max(float(np.abs(model.cost).max()), 1e-300)
        model.cost[:] /= scale
        first = None if start is None else self._start(start, model)
        bound, n_nodes = 0.0, 0
        for _ in range(_MAX_CUTS):
            solution = highs.solve(
                model,
                absolute_gap=absolute_gap / scale,
                target=target / scale,
                time_limit=time_limit,
                start=first,
                node_limit=node_limit,
            )
            n_nodes += solution.n_nodes
            node_limit -= solution.n_nodes + node_limit // _MAX_CUTS
            # Each dual may be off by the tolerance, and so the bound by as much for every variable that is 1.
            n_terms = len(self.points) + len(self.rows)
            bound = max(bound, scale * (solution.bound - solution.tolerance * n_terms))
            finished = solution.outcome != "limit" or solution.objective <= target / scale
            if solution.x is None:
                return CoreResult(None, bound, finished, n_nodes)
            pairs = self._integral(model, solution)
            labels, violated = self._labels(pairs)
            if not len(violated):
                return CoreResult(labels, bound, finished, n_nodes)
            if not self.working_set.scanner.is_indivisible or node_limit <= 0:
                break
            model, first = self._cut(model, pairs, violated), None
        return CoreResult(None, bound, False, n_nodes)

    def _cut(self, model: LinearModel, pairs: NDArray[np.float64], clusters: NDArray[np.intp]) -> LinearModel:
        """Cut off what these clusters hold now, which violates a row by less than the tolerance."""
        chosen = np.rint(pairs)
        rows, least = [model.matrix], [model.row_lower]
        for cluster in clusters:
            concerned = np.flatnonzero(self.cluster == cluster)
            # One of its points must leave, or another join.
            values = 1 - 2 * chosen[concerned]
            shape = (1, model.matrix.shape[1])
            rows.append(csr_array((values, (np.zeros(len(concerned), np.intp), concerned)), shape=shape))
            least.append(np.array([1 - chosen[concerned].sum()]))
        return replace(
            model,
            matrix=csr_array(vstack(rows, format="csr")),
            row_lower=np.concatenate(least),
            row_upper=np.concatenate([model.row_upper, np.full(len(clusters), np.inf)]),
        )

    def _model_by_pair(self) -> LinearModel:
        """Columns: open pairs, slacks. Rows: one cluster per point, promises; for points all unlike."""
        rows, n_points, n_pairs, n_rows = self.rows, len(self.points), len(self.owner), len(self.rows)
        signature, pairs = self.working_set.signature[self.points], np.arange(n_pairs)
        fixed_counts = self.scan.counts.copy()
        np.subtract.at(fixed_counts, (signature, self.scan.labels[self.points]), 1)
        assign = csr_array((np.ones(n_pairs), (self.owner, pairs)), shape=(n_points, n_pairs))
        row, pair = np.nonzero(rows.cluster[:, None] == self.cluster)
        adds = rows.coefficients[row, signature[self.owner[pair]]]
        promise = csr_array((adds, (row, pair)), shape=(n_rows, n_pairs))
        step = self._slack_steps(self.reduced, self.prices)
        matrix = block_array([[assign, None], [promise, -diags_array(step)]], format="csr")
        lacking = -rows.slack(fixed_counts).astype(np.float64) / rows.scale
        rhs = np.concatenate([np.ones(n_points), lacking])
        return LinearModel(
            cost=np.concatenate([self.reduced, self.prices * step]),
            lower=np.zeros(n_pairs + n_rows),
            upper=np.concatenate([np.ones(n_pairs), np.full(n_rows, np.inf)]),
            integer=np.repeat([True, False], [n_pairs, n_rows]),
            matrix=csr_array(matrix),
            row_lower=rhs,
            row_upper=rhs,
        )

    def _slack_steps(self, pair_cost: Vector, slack_cost: Vector) -> Vector:
        """What a unit of each slack column stands for, so that costs are of one magnitude."""
        typical = self.cutoff if 0 < self.cutoff < math.inf else float(pair_cost.max(initial=0.0))
        if typical <= 0:
            return np.ones(len(slack_cost))
        return np.maximum(typical / np.maximum(slack_cost, typical), _MIN_COEFFICIENT)

    def _model(self) -> LinearModel:
        """Columns: open pairs, counts, slacks. Rows: one cluster per point, counts, promises."""
        working_set, rows = self.working_set, self.rows
        n_points, n_pairs, n_rows = len(self.points), len(self.owner), len(rows)
        n_clusters = working_set.costs.shape[1]
        n_cells = self.scan.counts.size
        signature = working_set.signature[self.points]
        units = self._units()
        unit = float(units.max())
        fixed_counts = self.scan.counts.astype(np.float64)
        np.subtract.at(fixed_counts, (signature, self.scan.labels[self.points]), units)
        fixed_counts = fixed_counts.ravel() / unit

        weight = units[self.owner] / unit
        cell = signature[self.owner].astype(np.intp) * n_clusters + self.cluster
        ones, pairs = np.ones(n_pairs), np.arange(n_pairs)
        assign = csr_array((ones, (self.owner, pairs)), shape=(n_points, n_pairs))
        count = csr_array((-weight, (cell, pairs)), shape=(n_cells, n_pairs))
        signatures = np.arange(len(self.scan.counts))
        promise = coo_array(
            (
                rows.coefficients.ravel(),
                (
                    np.repeat(np.arange(n_rows), len(signatures)),
                    (signatures * n_clusters + rows.cluster[:, None]).ravel(),
                ),
            ),
            shape=(n_rows, n_cells),
        )
        pair_cost, slack_cost = self.reduced * units[self.owner], self.prices * unit
        step = self._slack_steps(pair_cost, slack_cost)
        matrix = csr_array(
            block_array(
                [
                    [assign, None, None],
                    [count, eye_array(n_cells), None],
                    [None, promise, -diags_array(step)],
                ],
                format="csr",
            )
        )
        upper_counts = fixed_counts.copy()
        np.add.at(upper_counts, cell, weight)
        rhs = np.concatenate([np.ones(n_points), fixed_counts, rows.rhs / unit])
        counts_are_integer = not working_set.scanner.is_indivisible
        return LinearModel(
            cost=np.concatenate([pair_cost, np.zeros(n_cells), slack_cost * step]),
            lower=np.concatenate([np.zeros(n_pairs), fixed_counts, np.zeros(n_rows)]),
            upper=np.concatenate([ones, upper_counts, np.full(n_rows, np.inf)]),
            integer=np.repeat(
                [not counts_are_integer, counts_are_integer, False], [n_pairs, n_cells, n_rows]
            ),
            matrix=matrix,
            row_lower=rhs,
            row_upper=rhs,
        )

    def _units(self) -> NDArray[np.float64]:
        if self.working_set.units is None:
            return np.ones(len(self.points))
        return self.working_set.units[self.points].astype(np.float64)

    def _start(self, labels: NDArray[np.int32], model: LinearModel) -> NDArray[np.float64] | None:
        """The labels as a solution of the model, or None if they use other pairs."""
        outside = self.scan.labels != labels
        outside[self.points] = False
        chosen = labels[self.points][self.owner] == self.cluster
        if outside.any() or chosen.sum() != len(self.points):
            return None
        n_pairs, n_points, n_rows = len(self.owner), len(self.points), len(self.rows)
        pairs = chosen.astype(np.float64)
        link = model.matrix[n_points : len(model.row_lower) - n_rows]
        counts = model.row_lower[n_points : len(model.row_lower) - n_rows] - link[:, :n_pairs] @ pairs
        last = model.matrix[len(model.row_lower) - n_rows :]
        columns = np.concatenate([pairs, counts])
        slack = last[:, : len(columns)] @ columns - model.row_lower[-n_rows:]
        step = -last[:, n_pairs + len(counts) :].diagonal()
        return np.concatenate([columns, np.maximum(slack, 0.0) / step])

    def _integral(self, model: LinearModel, solution: Solution) -> NDArray[np.float64]:
        """The open pairs as zeros and ones: a vertex of the transportation problem at the counts found."""
        x = solution.x
        assert x is not None
        n_pairs = len(self.owner)
        pairs = x[:n_pairs]
        if (np.abs(pairs - np.rint(pairs)) < 1e-6).all():
            return pairs
        counts = np.rint(x[n_pairs : len(x) - len(self.rows)])
        lower, upper = model.lower.copy(), model.upper.copy()
        lower[n_pairs : n_pairs + len(counts)] = upper[n_pairs : n_pairs + len(counts)] = counts
        fixed = replace(model, lower=lower, upper=upper, integer=np.zeros(len(lower), dtype=np.bool_))
        vertex = highs.solve(fixed).x
        return pairs if vertex is None else vertex[:n_pairs]

    def _labels(self, pairs: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        """The labels of a solution, and the clusters of the rows that they violate, counted in integers."""
        table = np.full((len(self.points), self.working_set.costs.shape[1]), -1.0)
        table[self.owner, self.cluster] = pairs
        labels = self.scan.labels.copy()
        labels[self.points] = table.argmax(axis=1)
        counts = self.scan.counts.copy()
        units = self._units().astype(np.int64)
        signature = self.working_set.signature[self.points]
        np.subtract.at(counts, (signature, self.scan.labels[self.points]), units)
        np.add.at(counts, (signature, labels[self.points]), units)
        return labels, np.unique(self.rows.cluster[self.rows.slack(counts) < 0])


def open_core(rows: Rows, prices: Vector, working_set: WorkingSet, scan: Scan, cutoff: float) -> Core:
    """The core of all pairs whose reduced cost over the point's units is at most `cutoff`."""
    units = np.ones(len(working_set)) if working_set.units is None else working_set.units.astype(np.float64)
    # A point of weight 0 costs nothing and changes no row: it is fixed.
    points = np.flatnonzero((scan.regret <= cutoff / np.maximum(units, 1.0)) & (units > 0))
    reduced = (
        working_set.costs[points]
        + rows.offsets(prices, working_set.costs.shape[1])[working_set.signature[points]]
    )
    reduced -= reduced.min(axis=1)[:, None]
    owner, cluster = np.nonzero(reduced * units[points][:, None] <= cutoff)
    return Core(rows, prices, working_set, scan, points, owner, cluster, reduced[owner, cluster], cutoff)
