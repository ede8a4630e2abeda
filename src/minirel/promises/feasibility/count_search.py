"""Answers to problems of counts: the cheapest holders that can be kept, and points that keep them."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minirel.promises.feasibility.count_model import (
    CountProblem,
    entries,
    keeps,
    linear_model,
    placed,
    read_solution,
)
from minirel.promises.feasibility.exhaustive import Placing, TooMany, cheapest_placing
from minirel.promises.feasibility.people import Alike, Divided, holder_model, placed_people
from minirel.promises.rows import cluster_rows, holder_rows
from minirel.solvers import MIP_SOLVERS, Solution
from minirel.solvers.limits import Deadline, Effort

# The last table that was found, by the groups asked about and their holders.
Known = dict[tuple[tuple[Hashable, ...], bytes], NDArray[np.int64]]

# Integer rows differ by more than the solver's tolerance while their finest step is above this.
_FINEST_STEP = 1e-7
# Types of points up to which a program may keep them whole, and up to which they are placed one by one.
_MOST_WHOLE, _MOST_PLACED = 500, 200_000
# Work is counted so that no clock decides: with E entries, a node of a search takes about E**2 and this much,
# what is done before the first node as much as this many nodes, and a program without integers this much per
# entry. The most for one problem is some seconds.
_NODE, _ROOT, _LINEAR, _MOST_WORK = 400_000, 10, 4_000, 2 * 10**9
# What the first program of a question, in which points may be divided, may take before its first node.
_MOST_FIRST = 8 * 10**9
# The work of trying all ways to place points; very few points count as none.
_PLACING, _FEW = 4 * 10**8, 12
# Choices of holders to try that would do but for points that must stay whole.
_MOST_CHOICES = 10


@dataclass(frozen=True, eq=False)
class CountSearch:
    """A search for one answer, within an effort and until a deadline.

    If it `is_one_of_many` that share their effort, what is left of that can change the answer. Tables that
    are found otherwise are `known` to the searches of the same program.
    """

    effort: Effort
    deadline: Deadline
    is_one_of_many: bool
    known: Known

    @classmethod
    def of(cls, shared: Effort | None, deadline: Deadline, known: Known) -> "CountSearch":
        """A search with an effort of its own, unless it shares one."""
        effort = Effort(_MOST_WORK, parts=2) if shared is None else shared
        return cls(effort, deadline, shared is not None, known)

    def holders(self, problem: CountProblem) -> tuple[NDArray[np.bool_] | None, bool]:
        """Find the cheapest holders that can be kept, and say whether the answer is proven."""
        if problem.fairness.exclusive and problem.held.sum(axis=0).max(initial=0) > 1:
            return None, True
        if (problem.held == problem.allowed).all():
            table, proven = self.table(problem)
            return (None if table is None and proven else problem.held), table is not None or proven
        if not problem.cost.any():  # any holders will do
            holders = _spread(problem)
            is_enough = (holders.sum(axis=1) == problem.fewest).all()
            if is_enough and self.table(_fixed(problem, holders))[0] is not None:
                return holders, True
        doubtful: NDArray[np.bool_] | None = None
        excluded: list[NDArray[np.bool_]] = []
        while len(excluded) < _MOST_CHOICES:
            # Whether points stay whole seldom matters, and is most of the work: ask without first.
            whole = bool(excluded)
            solution = self._solve(problem, whole=whole, excluded=excluded)
            if solution is None and problem.types.people is not None:
                # Too many kinds of points to choose holders with them: choose without, and see.
                solution = self._solve_holders(problem, excluded)
            if solution is None or solution.x is None:
                is_no = solution is not None and solution.outcome == "infeasible"
                if is_no and doubtful is None and (not whole or _is_exact(problem)):
                    return None, True
                break
            holders = read_solution(problem, solution.x)[1]
            table, proven = self.table(_fixed(problem, holders))
            if table is not None:
                return holders, True
            if doubtful is None and not proven:
                doubtful = holders
            if not excluded:
                try:
                    placing = self._placing(problem)
                except TooMany:
                    pass
                else:
                    return (None if placing is None else placing.holders), True
            excluded.append(holders)
        return doubtful, False

    def table(self, problem: CountProblem) -> tuple[NDArray[np.int64] | None, bool]:
        """As `_new_table`, which is not asked twice in a row for the same holders: it can take a second."""
        # What is left of an effort can change the answer: only what a whole effort finds is kept for others.
        if self.is_one_of_many or self.effort.left < _MOST_WORK:
            return self._new_table(problem)
        question = problem.fairness.names, problem.held.tobytes()
        table = self.known.get(question)
        if table is not None:
            return table, True
        table, proven = self._new_table(problem)
        if table is not None:
            self.known.clear()
            self.known[question] = table
        return table, proven

    def _new_table(self, problem: CountProblem) -> tuple[NDArray[np.int64] | None, bool]:
        """Whole points by type and cluster that keep just the holders held; if None, whether that is proven.

        Holders are plain rows here. With the choice open, the big M of a pair that is not chosen can hide a
        lie of the size of the solver's tolerance.
        """
        types = problem.types
        if types.people is not None:
            divided = self._divided(problem)
            if divided is not None and divided.outcome == "infeasible":
                return None, True
            if divided is not None and divided.shares is not None:
                table = placed_people(problem, divided.shares, self.deadline)
                if table is not None and keeps(problem, problem.held, table):
                    return table, True
            solution = None
        else:
            solution = self._solve(problem, whole=False, with_room=True)
        if solution is not None and solution.outcome == "infeasible":
            return None, True
        if solution is not None and solution.x is not None and len(types.units) <= _MOST_PLACED:
            table = placed(types, read_solution(problem, solution.x)[0])
            if keeps(problem, problem.held, table):
                return table, True
        try:
            placing = self._placing(problem)
        except TooMany:
            solution = self._solve(problem, whole=True)
        else:
            return (None if placing is None else placing.table), True
        if solution is not None and solution.outcome == "infeasible":
            return None, _is_exact(problem)
        if solution is not None and solution.x is not None:
            table = np.rint(read_solution(problem, solution.x)[0]).astype(np.int64)
            if keeps(problem, problem.held, table):
                return table, True
        return None, False

    def _divided(self, problem: CountProblem) -> Divided | None:
        """Points that may be divided, placed so that holders are kept; None if that is too much work.

        Clusters alike may share evenly what they have together, so one of each kind will do.
        """
        alike = Alike.of(problem)
        size = entries(alike.problem, whole=False)
        if size * _LINEAR > self.effort.part() or self.deadline.passed():
            return None
        self.effort.left -= size * _LINEAR
        model = linear_model(alike.problem, whole=False, with_room=True, times=alike.times)
        solution = MIP_SOLVERS["highs"](model, time_limit=self.deadline.left())
        if solution.x is None:
            return Divided(solution.outcome, None)
        return Divided(solution.outcome, alike.shares(read_solution(alike.problem, solution.x)[0]))

    def _solve_holders(self, problem: CountProblem, excluded: list[NDArray[np.bool_]]) -> Solution | None:
        """The cheapest holders by their numbers alone, whatever the points."""
        if self.deadline.passed():
            return None
        solution = MIP_SOLVERS["highs"](holder_model(problem, excluded), time_limit=self.deadline.left())
        if solution.x is None:
            return solution
        n_types, n_clusters = len(problem.types.units), problem.allowed.shape[1]
        others = np.zeros(n_types * n_clusters), np.zeros(2 * n_clusters + 1)
        return replace(solution, x=np.concatenate([others[0], solution.x, others[1]]))

    def _solve(
        self,
        problem: CountProblem,
        *,
        whole: bool,
        with_room: bool = False,
        excluded: list[NDArray[np.bool_]] | None = None,
    ) -> Solution | None:
        """Solve a program within its limits; None if it is too large, or time or effort are spent."""
        size = entries(problem, whole=whole)
        has_integers = whole or bool((problem.held != problem.allowed).any())
        node = size**2 + _NODE
        root = node * _ROOT if has_integers else size * _LINEAR
        most = self.effort.part()
        is_first = not (self.is_one_of_many or whole or with_room or excluded)
        is_large = root > max(most, _MOST_FIRST * is_first) or (
            whole and len(problem.types.units) > _MOST_WHOLE
        )
        if is_large or self.deadline.passed():
            return None
        model = linear_model(problem, whole=whole, with_room=with_room, excluded=excluded or ())
        solution = MIP_SOLVERS["highs"](
            model, time_limit=self.deadline.left(), node_limit=1 + max(most - root, 0) // node
        )
        # A first program that takes it all would leave nothing to place points by.
        self.effort.left -= min(root + node * solution.n_nodes, most)
        return solution

    def _placing(self, problem: CountProblem) -> Placing | None:
        """The cheapest way to place a few points, within the effort."""
        work = _PLACING if problem.types.n_points > _FEW else 0
        if self.effort.left < work:
            raise TooMany
        self.effort.left -= work
        return cheapest_placing(problem, self.deadline)


def _spread(problem: CountProblem) -> NDArray[np.bool_]:
    """As many holders as must be, the largest groups first, each where shares add up to the least so far."""
    holders, load = problem.held.copy(), np.zeros(problem.held.shape[1])
    share = np.array([float(alpha) for alpha in problem.fairness.alpha])
    load += share @ holders
    for g in np.argsort(-problem.types.members, kind="stable"):
        taken = holders.any(axis=0) if problem.fairness.exclusive else holders[g]
        free = np.flatnonzero(problem.allowed[g] & ~taken)
        lightest = free[np.argsort(load[free], kind="stable")]
        holders[g, lightest[: problem.fewest[g] - holders[g].sum()]] = True
        load += share[g] * (holders[g] & ~problem.held[g])
    return holders


def _fixed(problem: CountProblem, holders: NDArray[np.bool_]) -> CountProblem:
    """Just these holders, at no cost."""
    number = holders.sum(axis=1)
    return replace(
        problem, cost=np.zeros(holders.shape), fewest=number, most=number, allowed=holders, held=holders
    )


def _is_exact(problem: CountProblem) -> bool:
    """Whether rows of whole points differ by more than a solver's tolerance."""
    rows = cluster_rows(problem.fairness) + holder_rows(problem.fairness, np.argwhere(problem.allowed))
    finest = int(np.abs(rows.members).max(initial=1))
    return finest * problem.types.scale * _FINEST_STEP <= 1
