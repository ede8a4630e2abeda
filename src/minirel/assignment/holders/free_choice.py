"""The free problem: the holders are chosen together with the labels, by branch and bound on holders."""

import heapq
import itertools
import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from minirel.assignment import certified, dual, integer_program
from minirel.assignment.costs import cheapest_clusters
from minirel.assignment.holders.choice import choose_holders
from minirel.assignment.incumbent import Incumbent
from minirel.assignment.nothing_found import nothing_found
from minirel.assignment.problem import Answer, End, Problem
from minirel.assignment.rows import promised_rows
from minirel.assignment.scan import Scanner
from minirel.points.errors import NothingFoundError
from minirel.promises.fairness import Prefix
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.prices import Prices
from minirel.promises.rows import every_pair, holder_rows
from minirel.solvers.limits import Deadline, Effort

# Up to this many costs, the paper's integer program is quicker than a search over holders.
_SMALL = 3_000
# Its node limit; with weights, the second divided by the number of costs.
_PROGRAM_NODES, _PROGRAM_NODES_WEIGHTED = 5_000, 500_000
# What its lower bound may be below the cost of its own solution, relative to the points' costs.
_PROGRAM_TOLERANCE = 1e-8
# Node limit of the search over holders.
_MAX_NODES, _MAX_NODES_WEIGHTED = 10_000, 200
# Without any labels it ends after so many costs, those of all points for each node. Of many points these are
# few nodes, so it has so many for each holder in any case: two take it one holder closer to labels.
_MAX_UNLABELLED, _MIN_UNLABELLED = 2 * 10**7, 6
# What it may look at, in costs, a minute's worth, or so many times the costs of all points.
_VISITED, _VISITED_BY_COSTS = 2 * 10**9, 1_000
# Nodes that reached a limit of their own, after which the gap cannot be proven any more.
_MAX_UNFINISHED = 4
# Work of the count program for all nodes together, a few seconds' worth.
_EFFORT = 2 * 10**9


def solve(
    problem: Problem,
    required: Prefix,
    program: CountProgram,
    *,
    gap: float,
    deadline: Deadline,
    prices: Prices | None = None,
    incumbent: NDArray[np.integer] | None = None,
    needs_proof: bool = True,
) -> Answer | None:
    """The cheapest labels over every choice of holders that includes `required`; None if there are none.

    Unless it `needs_proof`, the search ends with its first labels.
    """
    if problem.costs.size <= _SMALL and needs_proof:
        answer = _by_integer_program(problem, required, gap, deadline)
        if answer is not None:
            return answer
    return HolderSearch(problem, program, gap, deadline, needs_proof).run(required, prices, incumbent)


def _by_integer_program(problem: Problem, required: Prefix, gap: float, deadline: Deadline) -> Answer | None:
    """Choose holders by the paper's program, then solve for these to the optimum; None if that fails."""
    node_limit = _PROGRAM_NODES
    if problem.is_indivisible:
        node_limit = min(_PROGRAM_NODES, _PROGRAM_NODES_WEIGHTED // problem.costs.size)
    asked = problem
    try:
        for _ in range(2):
            free = integer_program.solve(
                asked, solver="highs", gap=gap, deadline=deadline, required=required, node_limit=node_limit
            )
            if free is None or not free.finished:
                return None
            fixed = certified.solve(problem, free.prefix, gap=0.0, deadline=deadline, incumbent=free.labels)
            if fixed is None:
                return None
            cost, magnitude = problem.cost_and_magnitude(fixed.labels)
            lower_bound = min(free.lower_bound, cost)
            if cost - lower_bound <= max(gap, _PROGRAM_TOLERANCE) * magnitude:
                return replace(fixed, lower_bound=lower_bound, prices=None, end="done")
            # Tolerances let it break a promise, or costs of other magnitudes drowned those that matter.
            asked = _capped(problem, fixed.labels)
    except RuntimeError:  # nothing found, or the solver failed
        pass
    return None


def _capped(problem: Problem, labels: NDArray[np.intp]) -> Problem:
    """The problem in which no pair costs more than it takes to be dearer than `labels`.

    Costs only fall, and labels that use such a pair still cost more than these: the optimum is the same.
    """
    costs = problem.costs[np.arange(problem.n_points)].astype(np.float64)
    least, units = costs.min(axis=1), problem.units
    room = max(problem.cost(labels) - float(units @ least), 0.0)
    most = least + 2 * room / np.maximum(units, 1)
    return replace(problem, costs=np.minimum(costs, most[:, None]))


@dataclass(order=True)
class HolderNode:
    """A subproblem: the holders chosen, the pairs still possible, and a lower bound on its labels.

    Leaving out the promises to holders not yet chosen is a relaxation, and a pre-fixed problem: its prices
    give the bound, once `has_bound`.
    """

    bound: float
    order: int
    holders: Prefix = field(compare=False)
    possible: NDArray[np.bool_] = field(compare=False)
    prices: Prices | None = field(compare=False)
    has_bound: bool = field(compare=False)


class HolderSearch:
    """Best bound first over nodes, from the holders of least local cost; a dive where these lead nowhere."""

    def __init__(
        self, problem: Problem, program: CountProgram, gap: float, deadline: Deadline, needs_proof: bool
    ) -> None:
        self.problem, self.gap, self.deadline, self.needs_proof = problem, gap, deadline, needs_proof
        # All nodes share one effort of the count program; what it then cannot rule out is searched.
        self.program = program.asking(problem.fairness, Effort(_EFFORT, parts=10))
        self.whole_program = program
        self.beta = np.array(problem.fairness.beta, dtype=np.intp)
        self.incumbent = Incumbent(problem, gap)
        self.answer: Answer | None = None
        self.n_scans = self.n_visited = 0
        self.end: End = "done"
        self.n_unfinished = 0
        self.node_limit = _MAX_NODES_WEIGHTED if problem.is_indivisible else _MAX_NODES
        by_costs, for_holders = _MAX_UNLABELLED // problem.costs.size, _MIN_UNLABELLED * int(self.beta.sum())
        self.n_blind, self.must_dive = max(by_costs, for_holders), for_holders > by_costs
        self._order = itertools.count()
        self._choices: list[NDArray[np.bool_]] = []  # complete choices of holders that can be kept

    def run(
        self, required: Prefix, prices: Prices | None, incumbent: NDArray[np.integer] | None
    ) -> Answer | None:
        """Search until the gap is proven or a limit."""
        possible = self.problem.fairness.allowed & (self.beta > 0)[:, None]
        for pair in required:
            possible = self._possible_with(possible, pair)
        nodes = [HolderNode(-math.inf, next(self._order), required, possible, prices, False)]
        self._offer(self._first_answer(required, prices, incumbent))
        best = self.incumbent
        fathomed_bound, lower_bound = math.inf, -math.inf
        n_nodes = 0
        while nodes:
            lower_bound = max(lower_bound, min(nodes[0].bound, fathomed_bound))
            if best.cost - lower_bound <= best.tolerance:
                break
            n_nodes += 1
            if self.deadline.passed():
                self.end = "time limit"
                break
            will_do = not self.needs_proof and self.answer is not None and math.isfinite(lower_bound)
            if will_do or self._is_spent(n_nodes):
                self.end = "effort limit"
                break
            node = self._next(nodes)
            if not node.has_bound:
                if self._bound(node):
                    heapq.heappush(nodes, node)
            elif (children := self._branch(node)) is not None:
                for child in children:
                    heapq.heappush(nodes, child)
            else:
                fathomed_bound = min(fathomed_bound, self._fathom(node))
        else:
            lower_bound = max(lower_bound, min(fathomed_bound, best.cost))
        if self.answer is None and self.end == "done":
            return None
        if self.answer is None:
            raise nothing_found(self.problem, self.end)
        return replace(
            self.answer,
            lower_bound=min(lower_bound, best.cost),
            prices=None,
            end=self.end if best.cost - lower_bound > best.tolerance else "done",
            n_scans=self.n_scans,
            n_visited=self.n_visited,
        )

    def _next(self, nodes: list[HolderNode]) -> HolderNode:
        """Take the node of the best bound; while there are no labels and few nodes, the closest to some."""
        if self.answer is not None or not self.must_dive:
            return heapq.heappop(nodes)
        node = min(nodes, key=lambda node: (-len(node.holders), node))
        nodes.remove(node)
        heapq.heapify(nodes)
        return node

    def _is_spent(self, n_nodes: int) -> bool:
        """Whether the effort of the search is spent with so many nodes."""
        is_blind = self.answer is None and n_nodes > self.n_blind
        n_looked_at = self.n_visited * self.problem.n_clusters
        has_looked = n_looked_at > max(_VISITED, _VISITED_BY_COSTS * self.problem.costs.size)
        return is_blind or has_looked or n_nodes > self.node_limit or self.n_unfinished > _MAX_UNFINISHED

    def _first_answer(
        self, required: Prefix, prices: Prices | None, incumbent: NDArray[np.integer] | None
    ) -> Answer | None:
        """The answer for holders chosen beforehand: what takes long to prove is worth a search for these."""
        problem = self.problem
        holders = choose_holders(
            "assignment" if self.needs_proof else "local_cost",
            problem.costs,
            problem.groups,
            problem.weights,
            problem.fairness,
            self.whole_program if self.needs_proof else self.program,
            required=required,
            labels=incumbent,
        )
        if holders is None:
            return None
        try:
            return certified.solve(
                problem,
                holders,
                gap=self.gap,
                deadline=self.deadline,
                prices=prices,
                needs_proof=self.needs_proof,
                fallback=lambda: self.program.some_labels(problem.groups, problem.weights, holders),
            )
        except NothingFoundError:
            return None

    def _offer(self, answer: Answer | None) -> None:
        if answer is not None:
            self.n_scans += answer.n_scans
            self.n_visited += answer.n_visited
            if self.incumbent.offer(answer.labels):
                self.answer = answer

    def _bound(self, node: HolderNode) -> bool:
        """Compute the bound of a node; False if no clustering completes its holders."""
        if not self._is_possible(node):
            return False
        rows = promised_rows(self.problem, node.holders)
        known = np.zeros(len(rows)) if node.prices is None else rows.from_prices(node.prices)
        scanner = Scanner(self.problem)
        start = dual.evaluate(rows, scanner, known)
        temperatures = dual.temperature_range(start.reference.scan)
        best = dual.optimise(
            rows, start, temperatures, self.deadline, sampling="first", cutoff=self.incumbent.cutoff
        )
        self.n_scans += scanner.n_scans
        self.n_visited += scanner.n_visited
        node.prices = rows.as_prices(best.prices, *node.possible.shape)
        node.bound = max(node.bound, best.bound - dual.rounding_error(rows, best))
        node.has_bound = True
        return True

    def _is_possible(self, node: HolderNode) -> bool:
        """Whether a clustering may complete the holders of a node; that of another node may do."""
        held = _table(node.holders, node.possible.shape)
        may_hold = node.possible | held
        if any((held <= choice).all() and (choice <= may_hold).all() for choice in self._choices):
            return True
        completed = self.program.optimise(
            None, fewest=self.beta, most=self.beta, allowed=may_hold, required=node.holders
        )
        if completed.holders is not None:
            self._choices.append(_table(completed.holders, held.shape))
        return not completed.impossible

    def _branch(self, node: HolderNode) -> list[HolderNode] | None:
        """Make a group the holder of one more cluster, or rule that out; None if all groups have theirs.

        Once there are labels, the pair that lacks most comes first: mostly it costs too much, and one bound
        rules it out. Before, it is the one that lacks least, of the group with the least choice left.
        """
        held = _table(node.holders, node.possible.shape)
        lacking = self.beta - held.sum(axis=1)
        undecided = node.possible & ~held & (lacking > 0)[:, None]
        if not undecided.any():
            return None
        spare = undecided.sum(axis=1) - lacking
        if self.answer is None:
            group = int(np.where(lacking > 0, spare, np.iinfo(np.intp).max).argmin())
            cluster = int(np.where(undecided[group], self._lack[group], np.inf).argmin())
        else:
            group, cluster = divmod(int(np.where(undecided, self._lack, -1.0).argmax()), held.shape[1])
        pair = (group, cluster)
        chosen = HolderNode(
            node.bound,
            next(self._order),
            tuple(sorted({*node.holders, pair})),
            self._possible_with(node.possible, pair),
            node.prices,
            False,
        )
        if spare[group] == 0:
            return [chosen]
        possible = node.possible.copy()
        possible[pair] = False
        ruled_out = HolderNode(node.bound, next(self._order), node.holders, possible, node.prices, True)
        return [chosen, ruled_out]

    def _possible_with(self, possible: NDArray[np.bool_], pair: tuple[int, int]) -> NDArray[np.bool_]:
        """The pairs still possible beside this one: an exclusive cluster counts for no other group."""
        if not self.problem.fairness.exclusive:
            return possible
        rest = possible.copy()
        rest[:, pair[1]] = False
        rest[pair] = possible[pair]
        return rest

    @cached_property
    def _lack(self) -> NDArray[np.float64]:
        """How much each cluster lacks to count for each group, with every point in its nearest cluster."""
        rows = holder_rows(self.problem.fairness, every_pair(self.problem.fairness.allowed.shape))
        slack = rows.slack(
            *self.problem.tally(cheapest_clusters(self.problem.costs, self.problem.workers)[0])
        )
        lack = np.zeros(self.problem.fairness.allowed.shape)
        scaled = np.maximum(-slack.astype(np.float64), 0.0) / np.maximum(rows.members, 1)
        np.maximum.at(lack, (rows.group, rows.cluster), scaled)
        return lack

    def _fathom(self, node: HolderNode) -> float:
        """Solve a node whose holders are complete; return a lower bound on its labels."""
        cutoff = self.incumbent.cutoff
        try:
            answer = certified.solve(
                self.problem,
                node.holders,
                gap=self.gap,
                deadline=self.deadline,
                prices=node.prices,
                cutoff=cutoff,
            )
        except NothingFoundError:
            self.end = "effort limit"
            self.n_unfinished += 1
            return node.bound
        if answer is None:  # no labels with these holders, or none below the cutoff
            return max(node.bound, cutoff)
        self._offer(answer)
        if not answer.finished:
            self.end = answer.end
            self.n_unfinished += 1
        return max(node.bound, answer.lower_bound)


def _table(holders: Prefix, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    table = np.zeros(shape, dtype=np.bool_)
    for pair in holders:
        table[pair] = True
    return table
