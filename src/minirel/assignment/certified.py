"""The certified solver of a pre-fixed problem: prices, repair, and a search until the gap is proven."""

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
from minirel.assignment.fence import Anchor, Fence, Vector
from minirel.assignment.problem import Answer, End, Problem
from minirel.assignment.repair import repair
from minirel.assignment.rows import Rows, promised_rows
from minirel.assignment.scan import Scanner
from minirel.assignment.splits import Split, splits
from minirel.points.errors import nothing_found
from minirel.promises.fairness import Prefix
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline

# Below this share of the points' costs, upper and lower bound differ by rounding only.
ROUNDING = 1e-11
_SMALL_CORE = 50  # points: up to here a core program is cheaper than another split
_FIRST_CORE = 400
_WIDER = 4
_PATIENCE = 100  # parts, and one for 20 points
# Up to so many open points (with weights) all choices are tried, up to so many of them.
_FEW, _FEW_WEIGHTED, _CHOICES = 12, 40, 20_000
# With weights points are a puzzle: parts of the search that a core program may take, by its columns, and how
# often a core is made wider.
_NODES, _FEWEST_NODES, _MOST_NODES, _CORES = 30_000, 50, 1_000, 1


def solve(
    problem: Problem,
    prefix: Prefix,
    *,
    gap: float,
    deadline: Deadline,
    prices: Prices | None = None,
    incumbent: NDArray[np.integer] | None = None,
    enough: float = math.inf,
    at_least: Callable[[], NDArray[np.integer] | None] = lambda: None,
    thorough: bool = True,
) -> Answer | None:
    """The cheapest labels that represent the pairs of `prefix`, to within `gap`; None if there are none.

    `prices` and `incumbent` (labels that keep every promise) of an earlier, similar problem save work: an
    incumbent within the gap is the answer. The search ends early, without proof of the gap, once all labels
    are known to cost more than `enough`. If it ends before any labels are found, those of `at_least`, which
    keep every promise, are the answer. With weights, the search has a counted effort; unless it is to be
    `thorough`, labels without the proof of their gap are good enough.

    Raises
    ------
    NothingFoundError
        If a limit came before any labels were found.
    """
    rows = promised_rows(problem, prefix)
    scanner = Scanner(problem)
    cold = np.zeros(len(rows)) if prices is None else rows.from_prices(prices)
    start = dual.evaluate(rows, scanner, cold)
    heat = dual.heat_of(start.anchor.scan)
    content = enough
    if incumbent is not None:
        known = problem.cost(incumbent)
        content = min(enough, known - gap * abs(known))
    is_cold = prices is None
    if not is_cold and content - start.bound > abs(content):  # prices of too different a problem
        zero = dual.evaluate(rows, scanner, np.zeros(len(rows)))
        is_cold, start = (True, zero) if zero.bound > start.bound else (False, start)
    root = dual.optimise(rows, start, heat, deadline, far=is_cold, enough=content)
    search = Search(problem, rows, root, heat, gap, deadline, enough, at_least, thorough)
    if incumbent is not None:
        search.offer(incumbent.astype(np.int32))
    end = search.run()
    if search.labels is None and search.lower < enough:
        raise nothing_found(end)
    if search.labels is None:
        return None
    return Answer(
        labels=search.labels.astype(np.intp),
        lower_bound=min(search.lower, search.upper),
        prefix=prefix,
        prices=rows.as_prices(root.prices, problem.groups.n_groups, problem.n_clusters),
        end=end,
        n_scans=scanner.n_scans,
        n_looks=scanner.n_looks,
    )


@dataclass(order=True)
class Node:
    """A part of the problem: the rows and splits that hold in it, good prices, and the bound they prove."""

    bound: float
    order: int
    rows: Rows = field(compare=False)
    prices: Vector = field(compare=False)
    anchor: Anchor = field(compare=False)


class Search:
    """Branch and bound on counts, with prices for bounds.

    The bound of the prices is that of the linear relaxation, whose points sit on the fence only because a
    row such as ``49 F - 51 M >= 0`` is tight at counts that are not whole. The integer ``F - M`` is what
    to split on: once it is fixed in every tight row, what is left is a network flow and has whole counts.
    A split is one more row with a price, so nothing else is new in a node; and since its prices are mostly
    close to its parent's, the parent's fence will do, without a scan of all the points.
    """

    def __init__(
        self,
        problem: Problem,
        rows: Rows,
        root: dual.Dual,
        heat: dual.Heat,
        gap: float,
        deadline: Deadline,
        enough: float,
        at_least: Callable[[], NDArray[np.integer] | None],
        thorough: bool,
    ) -> None:
        self.problem, self.rows, self.root, self.heat = problem, rows, root, heat
        self.gap, self.deadline, self.enough, self.at_least = gap, deadline, enough, at_least
        self.thorough, self.is_weighted = thorough, problem.weights.units is not None
        self.labels: NDArray[np.int32] | None = None
        self.doubt = dual.doubt(rows, root)
        self.upper, self.rounding = math.inf, self.doubt
        self.lower = root.bound - self.doubt
        self.closed = math.inf  # the least bound among parts searched to the end
        self.is_spent = False  # whether a part was left before its end
        self._order = itertools.count()

    def run(self) -> End:
        """Search to the end, which mostly proves the gap, or until a limit."""
        root = self.root
        nodes = [Node(self.lower, next(self._order), self.rows, root.prices, root.anchor)]
        if not self._done():
            self._repair(nodes[0])
        if not self._done():
            self._dive(nodes[0])
        if self.is_weighted and not self.thorough and self.labels is not None:
            return "done" if self._done() else "effort limit"
        root_node, n_parts = nodes[0], 0
        while nodes:
            self.lower = max(self.lower, min(nodes[0].bound, self.closed))
            if self._done() or self.deadline.passed():
                break
            node = heapq.heappop(nodes)
            if n_parts > _PATIENCE + self.problem.n_points // 20:  # splits lead nowhere: all in one program
                node, nodes, self.closed = root_node, [], math.inf
                parts = None
            else:
                parts = self._parts(node)
            n_parts += 2
            if parts is None:
                self.closed = min(self.closed, self._close(node))
            for rows, prices in parts or ():
                child = self._bound(rows, prices, node)
                if child.bound >= self.upper - self.allowed:
                    self.closed = min(self.closed, child.bound)
                else:
                    heapq.heappush(nodes, child)
                    self._repair(child)
        else:
            self.lower = max(self.lower, min(self.closed, self.upper))
        if self.labels is None and self.lower < self.enough and (labels := self.at_least()) is not None:
            self.offer(labels.astype(np.int32))
            self._exchange(root_node, labels.astype(np.int32))
        if self._done():
            return "done"
        if self.deadline.passed():
            return "time limit"
        return "effort limit" if self.is_spent else "done"

    def _done(self) -> bool:
        return self.upper - self.lower <= self.allowed or self.lower > self.enough

    @property
    def allowed(self) -> float:
        """How far apart the bounds may stay."""
        return max(self.gap * abs(self.upper), self.rounding) if math.isfinite(self.upper) else 0.0

    def offer(self, labels: NDArray[np.int32]) -> None:
        """Take labels that keep every promise, if they are the best so far."""
        cost = self.problem.cost(labels)
        if cost < self.upper:
            self.labels, self.upper = labels, cost
            self.rounding = max(self.doubt, ROUNDING * self.problem.magnitude(labels))

    def _offsets(self, node: Node) -> NDArray[np.float64]:
        return node.rows.offsets(node.prices, self.problem.n_clusters)

    def _bound(self, rows: Rows, prices: Vector, parent: Node) -> Node:
        """A part of `parent` with good prices, from those given."""
        enough = min(self.enough, self.upper - self.allowed)
        anchor, offsets = parent.anchor, rows.offsets(prices, self.problem.n_clusters)
        if anchor.fence().room(offsets) <= 0:  # out here, the fence would not tell the truth
            anchor = Anchor(anchor.scanner, offsets)
        fence = anchor.fence()
        prices, at_edge = dual.anneal(fence, rows, prices, self.heat, enough)
        scan = fence.scan(rows.offsets(prices, self.problem.n_clusters))
        best = dual.Dual(prices, scan.value + float(prices @ rows.floor), anchor)
        if at_edge:
            best = dual.evaluate(rows, anchor.scanner, prices)
            best = dual.optimise(rows, best, self.heat, self.deadline, far=False, enough=enough)
        bound = max(parent.bound, best.bound - dual.doubt(rows, best))
        return Node(bound, next(self._order), rows, best.prices, best.anchor)

    def _repair(self, node: Node) -> None:
        for width in itertools.count():
            fence = node.anchor.fence(width)
            scan = fence.scan(self._offsets(node))
            labels = repair(node.rows, node.prices, fence, scan, self.heat.coldest)
            if labels is not None:
                self.offer(self._whole(node.anchor, fence, labels))
            if self.is_weighted and not self._done():
                self._exchange(node, self._whole(node.anchor, fence, scan.labels))
                if self.labels is not None:
                    self._exchange(node, self.labels)
            if self.labels is not None or fence.is_whole or self.deadline.passed():
                return

    def _exchange(self, node: Node, labels: NDArray[np.int32]) -> None:
        """Exchange whole points of different weights, from some labels of all of them."""
        if not self.is_weighted:
            return
        enough = self.lower + (self.allowed if math.isfinite(self.upper) else 0.0)
        better = exchange_labels(
            self.problem, node.rows, node.prices, node.anchor, labels, enough=enough, deadline=self.deadline
        )
        if better is not None:
            self.offer(better)

    def _whole(self, anchor: Anchor, fence: Fence, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """Labels of all points from those of the fence."""
        whole = anchor.scan.labels.copy()
        whole[fence.points] = labels
        return whole

    def _splits(self, node: Node) -> list[Split]:
        if self.problem.weights.units is not None:
            return []
        counts = node.anchor.fence().counts(self._offsets(node), self.heat.coldest)
        return splits(node.rows, node.prices, counts)

    def _dive(self, node: Node) -> None:
        """Take what is above every split at once, which often leads to good labels."""
        rows, prices = node.rows, node.prices
        for split in self._splits(node):
            rows, prices = split.above(rows, prices)
        if rows is not node.rows:
            self._repair(self._bound(rows, prices, node))

    def _parts(self, node: Node) -> list[tuple[Rows, Vector]] | None:
        """Parts that share the node between them, with prices to start from.

        None if the node is small or has nothing to split on. Where all below a split would cost too much,
        only what is above it is left, for all such splits at once.
        """
        fence, offsets = node.anchor.fence(), self._offsets(node)
        excess = self.upper - node.bound
        if fence.room(offsets) >= excess and (fence.scan(offsets).regret <= excess).sum() <= _SMALL_CORE:
            return None
        choices = self._splits(node)
        if not choices:
            return None
        scan, signature = node.anchor.scanner(offsets), self.problem.groups.signature
        proven = scan.value + float(node.prices @ node.rows.floor)
        rows, prices = node.rows, node.prices
        for split in choices:
            below = proven + split.cost_below(node.rows, scan, signature)
            if below >= self.upper - self.allowed:
                self.closed = min(self.closed, below)
                rows, prices = split.above(rows, prices)
        if rows is not node.rows:
            return [(rows, prices)]
        best = choices[0]
        return [best.below(rows, prices), best.above(rows, prices)]

    def _close(self, node: Node) -> float:
        """Search a node to its end by cores that get wider; return a bound on all its labels."""
        n_open, width, offsets = _FIRST_CORE, 0, self._offsets(node)
        in_doubt = dual.doubt(node.rows, dual.Dual(node.prices, node.bound, node.anchor))
        best = node.bound
        n_cores = 0
        while True:
            fence = node.anchor.fence(width)
            scan = fence.scan(offsets)
            # What the node's own prices prove: its bound may be its parent's, which reduced costs are not of.
            proven = scan.value + float(node.prices @ node.rows.floor) - in_doubt
            excess = self.upper - proven
            cutoff = min(excess, _cutoff(scan.regret, fence.units, n_open))
            if cutoff > fence.room(offsets):
                width += 1
                continue
            before = self.upper
            core = open_core(node.rows, node.prices, fence, scan, cutoff)
            complete = cutoff >= excess
            result = self._close_core(core, node, proven, excess, complete)
            n_cores += 1
            if result.labels is not None:
                self.offer(self._whole(node.anchor, fence, result.labels))
            is_tired = self.is_weighted and n_cores > _CORES
            if (
                complete
                and not is_tired
                and before - self.upper > max(1e-3 * (before - proven), self.allowed)
            ):
                continue  # with less excess, pairs of costs far larger than those that matter drop out
            best = max(best, proven + min(result.bound, cutoff))
            if not result.finished:
                self.is_spent = True
            if complete or self.upper - best <= self.allowed or not result.finished:
                return best
            if self.is_weighted and n_cores == _CORES:
                self.is_spent = True
                return best
            n_open *= _WIDER

    def _close_core(self, core: Core, node: Node, proven: float, excess: float, complete: bool) -> CoreResult:
        """Try all choices of a few points; give more to an integer program."""
        if len(core.points) <= (_FEW_WEIGHTED if self.is_weighted else _FEW):
            result = core.enumerate(min(excess, core.cutoff), _CHOICES)
            if result.finished:
                return result
            if result.labels is not None:
                self.offer(self._whole(node.anchor, core.fence, result.labels))
        node_limit = None
        if self.is_weighted:
            node_limit = int(np.clip(_NODES // max(len(core.owner), 1), _FEWEST_NODES, _MOST_NODES))
        return core.solve(
            absolute_gap=0.5 * self.allowed if complete else max(0.2 * excess, 0.5 * self.allowed),
            target=0.99 * self.allowed + self.lower - proven if self.gap > 0 else -math.inf,
            time_limit=self.deadline.left(),
            node_limit=node_limit,
            start=self._inside(node.anchor, core.fence),
        )

    def _inside(self, anchor: Anchor, fence: Fence) -> NDArray[np.int32] | None:
        """The fence's part of the best labels, or None if they differ from the scan outside it."""
        if self.labels is None:
            return None
        differs = self.labels != anchor.scan.labels
        differs[fence.points] = False
        return None if differs.any() else self.labels[fence.points]


def _cutoff(regret: Vector, units: NDArray[np.int64] | None, n_open: int) -> float:
    """The cut-off at which about `n_open` points are open; infinite if that is all."""
    if n_open >= len(regret):
        return math.inf
    total = regret if units is None else np.where(units > 0, regret * units, np.inf)
    return float(np.partition(total, n_open)[n_open])
