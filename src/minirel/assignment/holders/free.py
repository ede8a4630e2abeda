"""The free problem: which cluster serves which group is decided together with the labels."""

import heapq
import itertools
import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from minirel.assignment import certified, dual, integer_program
from minirel.assignment.holders.choice import choose_prefix
from minirel.assignment.problem import Answer, End, Problem
from minirel.assignment.rows import promised_rows
from minirel.assignment.scan import Scanner
from minirel.points.errors import NothingFoundError, nothing_found
from minirel.promises.fairness import Prefix
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.prices import Prices
from minirel.promises.rows import every_pair, holder_rows
from minirel.solvers.limits import Deadline, Effort

# Up to this many costs, one integer program with a variable for every pair is quicker than a search.
_SMALL = 3_000
# Parts of that program's search, with weights by its costs, and of ours, after which it is left at what
# there is.
_MOST_NODES, _NODES_WEIGHTED = 5_000, 500_000
_MOST_PARTS, _MOST_PARTS_WEIGHTED = 10_000, 200
# Parts that were left before their end, after which nothing is left to prove.
_MOST_LEFT = 10
# Of the points' costs: what that program's bound may be below its own answer.
_TOLERANCE = 1e-6
# Work of the count program for all parts together, some seconds' worth.
_EFFORT = 4 * 10**9


def solve(
    problem: Problem,
    required: Prefix,
    program: CountProgram,
    *,
    gap: float,
    deadline: Deadline,
    prices: Prices | None = None,
    incumbent: NDArray[np.integer] | None = None,
    thorough: bool = True,
) -> Answer | None:
    """The cheapest labels over every choice of claims that includes the pairs of `required`.

    A branch and bound on claims (group, cluster). A part of the search has some claims made and some ruled
    out; dropping the promises not yet claimed leaves a pre-fixed problem, whose prices bound the part.
    With weights, unless it is to be `thorough`, the labels that it starts from are good enough.
    """
    is_puzzle = problem.weights.units is not None
    if problem.costs.size <= _SMALL and (thorough or not is_puzzle):
        answer = _at_once(problem, required, gap, deadline)
        if answer is not None:
            return answer
    return Search(problem, program, gap, deadline, thorough or not is_puzzle).run(required, prices, incumbent)


def _at_once(problem: Problem, required: Prefix, gap: float, deadline: Deadline) -> Answer | None:
    """Solve the paper's program for its claims, then for those claims anew, to more than its tolerances."""
    node_limit = _MOST_NODES
    if problem.weights.units is not None:
        node_limit = min(_MOST_NODES, _NODES_WEIGHTED // problem.costs.size)
    try:
        free = integer_program.solve(
            problem, solver="highs", gap=gap, deadline=deadline, required=required, node_limit=node_limit
        )
        if free is None or not free.finished:
            return None
        fixed = certified.solve(problem, free.prefix, gap=0.0, deadline=deadline, incumbent=free.labels)
    except RuntimeError:  # nothing found, or the solver failed
        return None
    if fixed is None:
        return None
    cost = problem.cost(fixed.labels)
    bound = min(free.lower_bound, cost)
    if cost - bound > max(gap, _TOLERANCE) * problem.magnitude(fixed.labels):
        return None  # its tolerances hid a broken promise, or all that matters
    return replace(fixed, lower_bound=bound, prices=None, end="done")


@dataclass(order=True)
class Part:
    """Claims made, claims still possible, and a bound on every assignment that fits them."""

    bound: float
    order: int
    claims: Prefix = field(compare=False)
    possible: NDArray[np.bool_] = field(compare=False)
    prices: Prices | None = field(compare=False)
    bounded: bool = field(compare=False)


class Search:
    """Best first over parts, with the cheapest choice of claims by local cost as a start."""

    def __init__(
        self, problem: Problem, program: CountProgram, gap: float, deadline: Deadline, thorough: bool
    ) -> None:
        self.problem, self.gap, self.deadline, self.thorough = problem, gap, deadline, thorough
        # It is asked of every part, so all its questions share one effort; what it leaves open is searched.
        self.program = program.asking(problem.fairness, Effort(_EFFORT, parts=10))
        self.beta = np.array(problem.fairness.beta, dtype=np.intp)
        self.answer: Answer | None = None
        self.upper, self.rounding = math.inf, 0.0
        self.n_scans = self.n_looks = 0
        self.end: End = "done"
        self.n_left = 0
        self.most_parts = _MOST_PARTS if problem.weights.units is None else _MOST_PARTS_WEIGHTED
        self._order = itertools.count()

    def run(
        self, required: Prefix, prices: Prices | None, incumbent: NDArray[np.integer] | None
    ) -> Answer | None:
        """Search until the gap is proven or the time is up."""
        problem = self.problem
        possible = problem.fairness.allowed & (self.beta > 0)[:, None]
        for pair in required:
            possible = self._claimed(possible, pair)
        parts = [Part(-math.inf, next(self._order), required, possible, prices, False)]
        self._offer(self._first(required, prices, incumbent))
        closed, lower = math.inf, -math.inf
        n_parts = 0
        while parts:
            lower = max(lower, min(parts[0].bound, closed))
            if self.upper - lower <= self._allowed:
                break
            n_parts += 1
            is_enough = not self.thorough and self.answer is not None and math.isfinite(lower)
            is_spent = is_enough or n_parts > self.most_parts or self.n_left > _MOST_LEFT
            if self.deadline.passed() or is_spent:
                self.end = "time limit" if self.deadline.passed() else "effort limit"
                break
            part = heapq.heappop(parts)
            if not part.bounded:
                if self._bound(part):
                    heapq.heappush(parts, part)
            elif (children := self._branch(part)) is not None:
                for child in children:
                    heapq.heappush(parts, child)
            else:
                closed = min(closed, self._close(part))
        else:
            lower = max(lower, min(closed, self.upper))
        if self.answer is None and self.end == "done":
            return None
        if self.answer is None:
            raise nothing_found(self.end)
        return replace(
            self.answer,
            lower_bound=min(lower, self.upper),
            prices=None,
            end=self.end if self.upper - lower > self._allowed else "done",
            n_scans=self.n_scans,
            n_looks=self.n_looks,
        )

    def _first(
        self, required: Prefix, prices: Prices | None, incumbent: NDArray[np.integer] | None
    ) -> Answer | None:
        """An answer to start from: the choice of claims by local cost."""
        problem = self.problem
        claims = choose_prefix(
            "local_cost",
            problem.costs,
            problem.groups,
            problem.weights,
            problem.fairness,
            self.program,
            required=required,
            labels=incumbent,
        )
        if claims is None:
            return None
        try:
            return certified.solve(
                problem,
                claims,
                gap=self.gap,
                deadline=self.deadline,
                prices=prices,
                thorough=self.thorough,
                at_least=lambda: self.program.some_labels(problem.groups, problem.weights, claims),
            )
        except NothingFoundError:
            return None

    @property
    def _allowed(self) -> float:
        return max(self.gap * abs(self.upper), self.rounding) if math.isfinite(self.upper) else 0.0

    def _offer(self, answer: Answer | None) -> None:
        if answer is not None:
            self.n_scans += answer.n_scans
            self.n_looks += answer.n_looks
            cost = self.problem.cost(answer.labels)
            if cost < self.upper:
                self.answer, self.upper = answer, cost
                self.rounding = certified.ROUNDING * self.problem.magnitude(answer.labels)

    def _bound(self, part: Part) -> bool:
        """Bound a part by its claims alone; False if no clustering can keep them and complete them."""
        held = _table(part.claims, part.possible.shape)
        completed = self.program.optimise(
            None, fewest=self.beta, most=self.beta, allowed=part.possible | held, required=part.claims
        )
        if completed.impossible:
            return False
        rows = promised_rows(self.problem, part.claims)
        known = np.zeros(len(rows)) if part.prices is None else rows.from_prices(part.prices)
        enough = self.upper - self._allowed
        scanner = Scanner(self.problem)
        start = dual.evaluate(rows, scanner, known)
        heat = dual.heat_of(start.anchor.scan)
        best = dual.optimise(rows, start, heat, self.deadline, far=True, enough=enough)
        self.n_scans += scanner.n_scans
        self.n_looks += scanner.n_looks
        part.prices = rows.as_prices(best.prices, *part.possible.shape)
        part.bound = max(part.bound, best.bound - dual.doubt(rows, best))
        part.bounded = True
        return True

    def _branch(self, part: Part) -> list[Part] | None:
        """Claim the next cluster or rule it out; None if no group lacks a cluster any more."""
        held = _table(part.claims, part.possible.shape)
        lacking = self.beta - held.sum(axis=1)
        open_claims = part.possible & ~held
        spare = np.where(lacking > 0, open_claims.sum(axis=1) - lacking, np.iinfo(np.intp).max)
        group = int(spare.argmin())
        if lacking[group] <= 0:
            return None
        clusters = np.flatnonzero(open_claims[group])
        cluster = int(clusters[self._lack[group, clusters].argmin()])
        pair = (group, cluster)
        claimed = Part(
            part.bound,
            next(self._order),
            tuple(sorted({*part.claims, pair})),
            self._claimed(part.possible, pair),
            part.prices,
            False,
        )
        if spare[group] == 0:
            return [claimed]
        possible = part.possible.copy()
        possible[pair] = False
        ruled_out = Part(part.bound, next(self._order), part.claims, possible, part.prices, True)
        return [claimed, ruled_out]

    def _claimed(self, possible: NDArray[np.bool_], pair: tuple[int, int]) -> NDArray[np.bool_]:
        """What is still possible once a claim is made: an exclusive cluster is for nobody else."""
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
        slack = rows.slack(*self.problem.tally(self.problem.costs.argmin(axis=1)))
        lack = np.zeros(self.problem.fairness.allowed.shape)
        scaled = np.maximum(-slack.astype(np.float64), 0.0) / np.maximum(rows.members, 1)
        np.maximum.at(lack, (rows.group, rows.cluster), scaled)
        return lack

    def _close(self, part: Part) -> float:
        """Solve a part whose claims are all made; return a bound on its labels."""
        enough = self.upper - self._allowed
        try:
            answer = certified.solve(
                self.problem,
                part.claims,
                gap=self.gap,
                deadline=self.deadline,
                prices=part.prices,
                enough=enough,
            )
        except NothingFoundError:
            self.end = "effort limit"
            self.n_left += 1
            return part.bound
        if answer is None:  # nothing to be had for these claims, or nothing that would be enough
            return max(part.bound, enough)
        self._offer(answer)
        if not answer.finished:
            self.end = answer.end
            self.n_left += 1
        return max(part.bound, answer.lower_bound)


def _table(claims: Prefix, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    table = np.zeros(shape, dtype=np.bool_)
    for pair in claims:
        table[pair] = True
    return table
