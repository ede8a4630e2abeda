"""Branch and bound on counts, with the prices of the Lagrangian for bounds."""

import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from minirel.assignment import dual
from minirel.assignment.core import Core, CoreResult, open_core
from minirel.assignment.exchange import exchange_labels
from minirel.assignment.incumbent import Incumbent
from minirel.assignment.problem import End, Problem
from minirel.assignment.repair import repair
from minirel.assignment.rows import Rows
from minirel.assignment.splits import Split, splits
from minirel.assignment.working_set import ReferenceScan, Vector, WorkingSet
from minirel.solvers.limits import Deadline, Effort

_LOOSE_GAP = 1e-2  # relative; while centers still move, labels as good as that will do
_SMALL_CORE = 50  # open points up to which a core program is cheaper than another branching
_FIRST_CORE = 400  # open points of a node's first core program
_CORE_GROWTH = 4
# The share of the tolerance by which what a core program leaves out may be better than the labels at hand.
_OF_TOLERANCE = 0.99
_MAX_NODES = 100  # and one more for 20 points: then a single core program takes over
_MAX_LOOSE_NODES = 20  # where no proof is asked for, which hardly ever takes more than two
# What a search for a proof may look at, in costs and entries of Hessians: some 15 seconds' worth, or so many
# times the costs of all points. A core program counts as so much for each pair, and for each of them and node
# as so much more, of which it has many at most.
_WORK, _WORK_BY_COSTS = 1_000_000_000, 100
_OF_PAIR, _OF_PAIR_AND_NODE, _MANY_NODES = 1_000, 100, 1_000_000
# All repairs of a search, in costs looked at: ten times what a fit of 300,000 points took that ended well.
_REPAIRS = 1_000_000_000
# Core programs of so few open points (the second with weights) are enumerated, up to so many choices.
_ENUMERATED, _ENUMERATED_WEIGHTED, _MAX_CHOICES = 12, 40, 20_000
# With weights a proof may be out of reach. So a core program has a node limit, by its number of columns and
# within these bounds, and a node has so many core programs.
_NODES_TIMES_COLUMNS, _MIN_CORE_NODES, _MAX_CORE_NODES, _MAX_CORES = 30_000, 50, 1_000, 1


@dataclass(order=True)
class Node:
    """A subproblem: its rows (promises and splits), good prices, and the lower bound they prove."""

    bound: float
    order: int
    rows: Rows = field(compare=False)
    prices: Vector = field(compare=False)
    reference: ReferenceScan = field(compare=False)


class BranchAndBound:
    """A search, best bound first, from the prices of the root.

    The bound of the prices is that of the linear relaxation. It is below the optimum because a row such as
    ``49 F - 51 M >= 0`` can be tight at fractional counts. So the search branches on the integer ``F - M``:
    once that is fixed in every tight row, what is left is a network flow, whose solutions are integral. A
    branch adds a row with a price, so a node is a problem like the root; and as its best prices are mostly
    close to its parent's, the parent's working set will do, without a scan of all points.

    Attributes
    ----------
    incumbent : Incumbent
        The best labels so far.
    lower_bound : float
        What all labels are proven to cost at least.
    """

    def __init__(
        self,
        problem: Problem,
        rows: Rows,
        root: dual.DualPoint,
        incumbent: Incumbent,
        temperatures: dual.TemperatureRange,
        deadline: Deadline,
        cutoff: float,
    ) -> None:
        self.problem, self.incumbent, self.deadline = problem, incumbent, deadline
        self.temperatures, self.cutoff = temperatures, cutoff
        self.is_weighted = problem.is_indivisible
        self.lower_bound = root.bound - dual.rounding_error(rows, root)
        self._order = itertools.count()
        self._root = Node(self.lower_bound, next(self._order), rows, root.prices, root.reference)
        self._fathomed_bound = math.inf  # the least bound among fathomed nodes
        self._loose_gap = 0.0  # relative; good enough where no proof is needed
        self._needs_proof = True
        self._scanner = root.reference.scanner
        self._work = max(
            _WORK, _WORK_BY_COSTS * problem.costs.size
        )  # what is left is this less the scanner's
        self._repairs = Effort(_REPAIRS, parts=3)
        self._hit_effort_limit = False  # whether a node was fathomed without a proof of the gap

    def run(self, fallback: Callable[[], NDArray[np.integer] | None], needs_proof: bool) -> End:
        """Search until the gap is proven, nothing is left, or a limit; see `certified.solve`."""
        root, self._needs_proof = self._root, needs_proof
        if not self._is_done():
            self._repair(root)
        if not needs_proof:
            if self.is_weighted and self.incumbent.labels is not None:
                return self._end()
            self._loose_gap = _LOOSE_GAP
        if not self._is_done():
            self._dive(root)
        if not self._is_proven():  # any labels are better than to search on without
            self._take(fallback)
        nodes, n_nodes = [root], 0
        while nodes:
            self.lower_bound = max(self.lower_bound, min(nodes[0].bound, self._fathomed_bound))
            if self._is_done() or self.deadline.passed() or self._work_left() <= 0:
                break
            if not needs_proof and n_nodes >= _MAX_LOOSE_NODES and self.incumbent.labels is not None:
                break
            node = heapq.heappop(nodes)
            if n_nodes > _MAX_NODES + self.problem.n_points // 20:  # start over with the root as one core
                node, nodes, self._fathomed_bound = root, [], math.inf
                branches = None
            else:
                branches = self._branches(node)
            n_nodes += 2
            if branches is None:
                self._fathomed_bound = min(self._fathomed_bound, self._fathom(node))
            for rows, prices in branches or ():
                child = self._child(rows, prices, node)
                if child.bound >= self.incumbent.cutoff:
                    self._fathomed_bound = min(self._fathomed_bound, child.bound)
                else:
                    heapq.heappush(nodes, child)
                    self._repair(child)
        else:
            self.lower_bound = max(self.lower_bound, min(self._fathomed_bound, self.incumbent.cost))
        if self.lower_bound < self.cutoff:
            self._take(fallback)
            if self.incumbent.labels is None and self.deadline.passed() and math.isinf(self.cutoff):
                self._repair(root, self.deadline.grace())
        return self._end(is_complete=not nodes and not self._hit_effort_limit)

    def _take(self, fallback: Callable[[], NDArray[np.integer] | None]) -> None:
        """Take the labels of `fallback` where there are no others."""
        if self.incumbent.labels is None and (labels := fallback()) is not None:
            self.incumbent.offer(labels)
            self._exchange(self._root, labels.astype(np.int32))

    def _end(self, is_complete: bool = False) -> End:
        """Why the search ends; `is_complete` if nothing is left to search."""
        if self._is_proven():
            return "done"
        if self.deadline.passed():
            return "time limit"
        return "done" if is_complete else "effort limit"

    def _work_left(self) -> int:
        return self._work - self._scanner.work

    def _is_proven(self) -> bool:
        is_within_gap = self.incumbent.cost - self.lower_bound <= self.incumbent.tolerance
        return is_within_gap or self.lower_bound > self.cutoff

    def _is_done(self) -> bool:
        if self._is_proven() or self.incumbent.labels is None:
            return self._is_proven()
        return self.incumbent.cost - self.lower_bound <= self._loose_gap * abs(self.incumbent.cost)

    def _offsets(self, node: Node) -> NDArray[np.float64]:
        return node.rows.offsets(node.prices, self.problem.n_clusters)

    # ---- bounds and branching
    # --------------------------------------------------------------------------------

    def _child(self, rows: Rows, prices: Vector, parent: Node) -> Node:
        """A child of `parent` with these rows, and with good prices found from those given."""
        cutoff = min(self.cutoff, self.incumbent.cutoff)
        reference, offsets = parent.reference, rows.offsets(prices, self.problem.n_clusters)
        if reference.working_set().margin(offsets) <= 0:  # beyond the radius its values are not those of all
            reference = ReferenceScan(reference.scanner, offsets)
        working_set = reference.working_set()
        prices, hit_radius = dual.anneal(working_set, rows, prices, self.temperatures, self.deadline, cutoff)
        scan = working_set.scan(rows.offsets(prices, self.problem.n_clusters))
        best = dual.DualPoint(prices, scan.value + float(prices @ rows.rhs), reference)
        if hit_radius:
            best = dual.evaluate(rows, reference.scanner, prices)
            best = dual.optimise(
                rows, best, self.temperatures, self.deadline, sampling="never", cutoff=cutoff
            )
        bound = max(parent.bound, best.bound - dual.rounding_error(rows, best))
        return Node(bound, next(self._order), rows, best.prices, best.reference)

    def _splits(self, node: Node) -> list[Split]:
        if self.is_weighted:
            return []
        counts = node.reference.working_set().counts(self._offsets(node), self.temperatures.lowest)
        return splits(node.rows, node.prices, counts)

    def _branches(self, node: Node) -> list[tuple[Rows, Vector]] | None:
        """The rows of the children, which cover the node, with prices to start from.

        None if the node is small or has nothing to branch on. Where the lower side of a split is pruned at
        once, only the upper side is left; all such splits go into one child.
        """
        working_set, offsets = node.reference.working_set(), self._offsets(node)
        open_gap = self.incumbent.cost - node.bound
        if working_set.margin(offsets) >= open_gap:
            n_open = (working_set.scan(offsets).regret <= open_gap).sum()
            if n_open <= _SMALL_CORE:
                return None
        choices = self._splits(node)
        if not choices:
            return None
        scan, signature = node.reference.scanner(offsets), self.problem.groups.signature
        price_bound = scan.value + float(node.prices @ node.rows.rhs)
        rows, prices = node.rows, node.prices
        for split in choices:
            bound_below = price_bound + split.cost_below(node.rows, scan, signature)
            if bound_below >= self.incumbent.cutoff:
                self._fathomed_bound = min(self._fathomed_bound, bound_below)
                rows, prices = split.above(rows, prices)
        if rows is not node.rows:
            return [(rows, prices)]
        split = choices[0]
        return [split.below(rows, prices), split.above(rows, prices)]

    # ---- labels
    # ----------------------------------------------------------------------------------------------

    def _repair(self, node: Node, deadline: Deadline | None = None) -> None:
        deadline = self.deadline if deadline is None else deadline
        for width in itertools.count():
            working_set = node.reference.working_set(width)
            scan = working_set.scan(self._offsets(node))
            at = node.rows, node.prices, working_set, scan, self.temperatures.lowest
            labels = repair(*at, self._repairs, deadline)
            if labels is not None:
                self.incumbent.offer(_all_labels(node.reference, working_set, labels))
            if self.is_weighted and not self._is_done():
                self._exchange(node, _all_labels(node.reference, working_set, scan.labels))
                if self.incumbent.labels is not None:
                    self._exchange(node, self.incumbent.labels)
            if self.incumbent.labels is not None or working_set.is_complete or deadline.passed():
                return

    def _exchange(self, node: Node, labels: NDArray[np.int32]) -> None:
        """With weights: exchange points of different weights, starting from any labels of all points."""
        if not self.is_weighted:
            return
        better = exchange_labels(
            self.problem,
            node.rows,
            node.prices,
            node.reference,
            labels,
            target=self.lower_bound + self.incumbent.tolerance,
            deadline=self.deadline,
        )
        if better is not None:
            self.incumbent.offer(better)

    def _dive(self, node: Node) -> None:
        """Repair the child on the upper side of every split at once, which often leads to good labels."""
        rows, prices = node.rows, node.prices
        for split in self._splits(node):
            rows, prices = split.above(rows, prices)
        if rows is not node.rows:
            self._repair(self._child(rows, prices, node))

    # ---- core programs
    # ---------------------------------------------------------------------------------------

    def _fathom(self, node: Node) -> float:
        """Solve a node by core programs of growing size; return a lower bound on all its labels."""
        n_open, width, offsets = _FIRST_CORE, 0, self._offsets(node)
        rounding = dual.rounding_error(node.rows, dual.DualPoint(node.prices, node.bound, node.reference))
        bound, n_cores = node.bound, 0
        while True:
            working_set = node.reference.working_set(width)
            scan = working_set.scan(offsets)
            # The bound of the node's own prices, to which reduced costs refer; node.bound may be its
            # parent's.
            price_bound = scan.value + float(node.prices @ node.rows.rhs) - rounding
            open_gap = self.incumbent.cost - price_bound
            core_cutoff = min(open_gap, _core_cutoff(scan.regret, working_set.units, n_open))
            # Of a large core, only what may be better than the labels at hand by more than the gap.
            enough = open_gap - _OF_TOLERANCE * self.incumbent.tolerance
            if n_open > _FIRST_CORE and core_cutoff < open_gap:
                core_cutoff = min(core_cutoff, enough)
            if core_cutoff > working_set.margin(offsets):
                width += 1
                continue
            cost_before = self.incumbent.cost
            core = open_core(node.rows, node.prices, working_set, scan, core_cutoff)
            is_complete = core_cutoff >= open_gap  # nothing that it leaves out can be better
            result = self._solve_core(core, node, price_bound, open_gap, core_cutoff >= enough)
            n_cores += 1
            self._work -= len(core.owner) * (_OF_PAIR + _OF_PAIR_AND_NODE * result.n_nodes)
            if result.labels is not None:
                self.incumbent.offer(_all_labels(node.reference, working_set, result.labels))
            tolerance = self.incumbent.tolerance
            bound = max(bound, price_bound + min(result.bound, core_cutoff))
            if self.incumbent.cost - bound <= tolerance:
                return bound
            may_repeat = is_complete and not (self.is_weighted and n_cores > _MAX_CORES)
            gained = cost_before - self.incumbent.cost
            if may_repeat and gained > max(1e-3 * (cost_before - price_bound), tolerance):
                continue  # with a smaller open gap, pairs of very large reduced costs drop out
            if not result.finished:
                self._hit_effort_limit = True
            if is_complete or not result.finished:
                return bound
            if self.is_weighted and n_cores == _MAX_CORES:
                self._hit_effort_limit = True
                return bound
            n_open *= _CORE_GROWTH

    def _solve_core(
        self, core: Core, node: Node, price_bound: float, open_gap: float, may_prove: bool
    ) -> CoreResult:
        """Enumerate a core of few points; give a larger one to an integer program."""
        if len(core.points) <= (_ENUMERATED_WEIGHTED if self.is_weighted else _ENUMERATED):
            result = core.enumerate(min(open_gap, core.cutoff), _MAX_CHOICES)
            if result.finished:
                return result
            if result.labels is not None:
                self.incumbent.offer(_all_labels(node.reference, core.working_set, result.labels))
        if not self._needs_proof and len(core.points) >= _FIRST_CORE and self.incumbent.labels is not None:
            return CoreResult(None, 0.0, finished=False)  # not worth an integer program of its own
        n_pairs = max(len(core.owner), 1)
        if self.is_weighted:
            node_limit = int(np.clip(_NODES_TIMES_COLUMNS // n_pairs, _MIN_CORE_NODES, _MAX_CORE_NODES))
        else:
            by_work = self._work_left() // (_OF_PAIR_AND_NODE * n_pairs)
            node_limit = int(np.clip(by_work, _MIN_CORE_NODES, _MANY_NODES))
        tolerance = self.incumbent.tolerance
        target = -math.inf  # asked for the optimum, the program does not end at labels that are good enough
        if self.incumbent.gap > 0:
            target = 0.99 * tolerance + self.lower_bound - price_bound
        return core.solve(
            absolute_gap=0.5 * tolerance if may_prove else max(0.2 * open_gap, 0.5 * tolerance),
            target=target,
            time_limit=self.deadline.left(),
            node_limit=node_limit,
            start=self._incumbent_within(node.reference, core.working_set),
        )

    def _incumbent_within(
        self, reference: ReferenceScan, working_set: WorkingSet
    ) -> NDArray[np.int32] | None:
        """The incumbent's labels of the working set, or None if it differs from the scan elsewhere."""
        labels = self.incumbent.labels
        if labels is None:
            return None
        differs = labels != reference.scan.labels
        differs[working_set.points] = False
        return None if differs.any() else labels[working_set.points]


def _all_labels(
    reference: ReferenceScan, working_set: WorkingSet, labels: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Labels of all points: those given for the working set, and those of the scan elsewhere."""
    every = reference.scan.labels.copy()
    every[working_set.points] = labels
    return every


def _core_cutoff(regret: Vector, units: NDArray[np.int64] | None, n_open: int) -> float:
    """The cutoff at which about `n_open` points are open; infinite if that is all of them."""
    if n_open >= len(regret):
        return math.inf
    total = regret if units is None else np.where(units > 0, regret * units, np.inf)
    return float(np.partition(total, n_open)[n_open])
