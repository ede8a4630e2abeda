"""The count program: which promises some clustering can keep, decided on counts alone.

Fairness and sizes see a point only by its groups and its weight, so all that matters is how many points of
each such type a cluster holds, however many points there are.
"""

import copy
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minirel.points.groups import Groups
from minirel.points.weights import Weights
from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.feasibility.count_model import (
    CountProblem,
    entries,
    keeps,
    linear_model,
    placed,
    read_solution,
)
from minirel.promises.feasibility.counting import Shortage, shortage
from minirel.promises.feasibility.exhaustive import Placing, TooMany, cheapest_placing
from minirel.promises.feasibility.people import Alike, Divided, holder_model, placed_people
from minirel.promises.feasibility.point_types import by_type, read_types
from minirel.promises.rows import cluster_rows, holder_rows
from minirel.solvers import MIP_SOLVERS, Solution
from minirel.solvers.limits import Deadline, Effort

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


@dataclass(frozen=True)
class Choice:
    """What the count program says.

    Attributes
    ----------
    holders : Prefix or None
        Holders, sorted, that may be kept, or None if there are none that could be.
    proven : bool
        Whether this is proven: of holders, that whole points keep them; of None, that no clustering keeps
        what is asked. What is not proven is open: holders may be kept if points could be split, and of None
        nothing is known.
    """

    holders: Prefix | None
    proven: bool

    @property
    def possible(self) -> bool:
        """Whether some clustering surely keeps the holders."""
        return self.proven and self.holders is not None

    @property
    def impossible(self) -> bool:
        """Whether surely no clustering keeps what is asked."""
        return self.proven and self.holders is None


class CountProgram:
    """An integer program: how many points of each type every cluster holds, and which holders.

    A holder is a pair (group, cluster): the group has its share of the cluster. Every search in here is
    limited by a number of steps, so the same problem has the same answer on every machine, unless a
    deadline cuts it short.

    Parameters
    ----------
    groups : Groups
        Who belongs where.
    weights : Weights
        Weight of each point.
    fairness : Fairness
        What is asked.
    """

    def __init__(self, groups: Groups, weights: Weights, fairness: Fairness) -> None:
        self.types = read_types(groups, weights)
        self.fairness = fairness
        self.deadline = Deadline(None)
        self._effort: Effort | None = None
        # The last table that was found, by the groups asked about and their holders.
        self._known: dict[tuple[tuple[Hashable, ...], bytes], NDArray[np.int64]] = {}

    def until(self, deadline: Deadline) -> "CountProgram":
        """Return the same program, which gives up when the time is over."""
        other = copy.copy(self)
        other.deadline = deadline
        return other

    def asking(self, fairness: Fairness, effort: Effort | None = None) -> "CountProgram":
        """Return the program for another request to the same points.

        All its questions together take no more than `effort`; without it, each has its own.
        """
        other = copy.copy(self)
        other.fairness, other._effort, other._known = fairness, effort, {}
        return other

    def keeping(self, prefix: Prefix) -> Choice:
        """Say whether some clustering keeps these holders and the sizes."""
        return self.choose(beta=(0,) * len(self.fairness.names), required=prefix)

    def choose(
        self,
        cost: NDArray[np.floating] | None = None,
        *,
        beta: tuple[int, ...] | None = None,
        required: Prefix = (),
    ) -> Choice:
        """Choose the cheapest ``beta[g]`` clusters for each group g that some clustering can represent.

        Parameters
        ----------
        cost : array of shape (n_groups, n_clusters), optional
            Cost of each holder; without it any choice will do.
        beta : tuple of int, optional
            Holders of each group, if not those of the request.
        required : Prefix
            Holders to include; a group with more of these than its beta has no other.

        Returns
        -------
        Choice
        """
        holders = np.array(self.fairness.beta if beta is None else beta, dtype=np.intp)
        return self.optimise(cost, fewest=holders, most=holders, required=required)

    def optimise(
        self,
        cost: NDArray[np.floating] | None,
        *,
        fewest: NDArray[np.intp],
        most: NDArray[np.intp],
        allowed: NDArray[np.bool_] | None = None,
        required: Prefix = (),
    ) -> Choice:
        """Choose between ``fewest[g]`` and ``most[g]`` clusters for each group g at the least cost.

        As `choose`, for which both numbers are the same; `allowed` may differ from the request.
        """
        asked, problem = self._problem(cost, fewest, most, allowed, required)
        if shortage(problem) is not None:
            return Choice(None, True)
        holders, proven = self._answer(problem, self._new_effort())
        if holders is None:
            return Choice(None, proven)
        return Choice(tuple((int(asked[row]), int(k)) for row, k in np.argwhere(holders)), proven)

    def shortage(self, required: Prefix = ()) -> Shortage | None:
        """What counting finds to be short for the request and these holders, if anything."""
        beta = np.array(self.fairness.beta, dtype=np.intp)
        asked, problem = self._problem(None, beta, beta, None, required)
        found = shortage(problem)
        return None if found is None else replace(found, groups=tuple(int(asked[g]) for g in found.groups))

    def some_labels(self, groups: Groups, weights: Weights, prefix: Prefix) -> NDArray[np.intp] | None:
        """Labels that keep these holders and the sizes, at whatever cost; None if none are found soon."""
        nothing = np.zeros(groups.n_groups, dtype=np.intp)
        asked, problem = self._problem(None, nothing, nothing, None, prefix)
        table = None if shortage(problem) is not None else self._table(problem, self._new_effort())[0]
        if table is None:
            return None
        labels = np.zeros(groups.n_points, dtype=np.intp)  # a point of no weight may be anywhere
        clusters = np.tile(np.arange(table.shape[1]), len(table))
        labels[by_type(groups, weights, asked)] = np.repeat(clusters, table.ravel())
        return labels

    def _problem(
        self,
        cost: NDArray[np.floating] | None,
        fewest: NDArray[np.intp],
        most: NDArray[np.intp],
        allowed: NDArray[np.bool_] | None,
        required: Prefix,
    ) -> tuple[NDArray[np.intp], CountProblem]:
        """The groups that are asked about, and what is asked of them."""
        allowed = self.fairness.allowed if allowed is None else allowed
        held = np.zeros(allowed.shape, dtype=np.bool_)
        held[tuple(np.array(required, dtype=np.intp).reshape(-1, 2).T)] = True
        fewest, most = np.maximum(fewest, held.sum(1)), np.maximum(most, held.sum(1))
        allowed = np.where((most > held.sum(1))[:, None], allowed | held, held)
        if self.fairness.exclusive:  # what is held by one group is for nobody else
            allowed = allowed & (held | ~held.any(axis=0))
        held = np.where((fewest >= allowed.sum(1))[:, None], allowed, held)  # there is no choice
        asked = np.union1d(np.flatnonzero(most), np.array(self.fairness.bound_groups, dtype=np.intp))
        problem = CountProblem(
            self.types.seen_by(asked),
            self.fairness.of(asked.tolist()),
            np.zeros(held[asked].shape) if cost is None else np.asarray(cost, dtype=np.float64)[asked],
            fewest[asked],
            most[asked],
            allowed[asked],
            held[asked],
        )
        return asked, problem

    def _new_effort(self) -> Effort:
        return Effort(_MOST_WORK, parts=2) if self._effort is None else self._effort

    def _answer(self, problem: CountProblem, effort: Effort) -> tuple[NDArray[np.bool_] | None, bool]:
        """Find the cheapest holders that can be kept, and say whether the answer is proven."""
        if problem.fairness.exclusive and problem.held.sum(axis=0).max(initial=0) > 1:
            return None, True
        if (problem.held == problem.allowed).all():
            table, proven = self._table(problem, effort)
            return (None if table is None and proven else problem.held), table is not None or proven
        if not problem.cost.any():  # any holders will do
            holders = _spread(problem)
            if (holders.sum(axis=1) == problem.fewest).all() and self._table(
                _fixed(problem, holders), effort
            )[0] is not None:
                return holders, True
        doubtful: NDArray[np.bool_] | None = None
        excluded: list[NDArray[np.bool_]] = []
        while len(excluded) < _MOST_CHOICES:
            # Whether points stay whole seldom matters, and is most of the work: ask without first.
            whole = bool(excluded)
            solution = self._solve(problem, effort, whole=whole, excluded=excluded)
            if solution is None and problem.types.people is not None:
                # Too many kinds of points to choose holders with them: choose without, and see.
                solution = self._solve_holders(problem, excluded)
            if solution is None or solution.x is None:
                is_no = solution is not None and solution.outcome == "infeasible"
                if is_no and doubtful is None and (not whole or _is_exact(problem)):
                    return None, True
                break
            holders = read_solution(problem, solution.x)[1]
            table, proven = self._table(_fixed(problem, holders), effort)
            if table is not None:
                return holders, True
            if doubtful is None and not proven:
                doubtful = holders
            if not excluded:
                try:
                    placing = _placing(problem, effort, self.deadline)
                except TooMany:
                    pass
                else:
                    return (None if placing is None else placing.holders), True
            excluded.append(holders)
        return doubtful, False

    def _table(self, problem: CountProblem, effort: Effort) -> tuple[NDArray[np.int64] | None, bool]:
        """As `_new_table`, which is not asked twice in a row for the same holders: it can take a second."""
        # What is left of an effort can change the answer: only what a whole effort finds is kept for others.
        if self._effort is not None or effort.left < _MOST_WORK:
            return self._new_table(problem, effort)
        question = problem.fairness.names, problem.held.tobytes()
        table = self._known.get(question)
        if table is not None:
            return table, True
        table, proven = self._new_table(problem, effort)
        if table is not None:
            self._known.clear()
            self._known[question] = table
        return table, proven

    def _new_table(self, problem: CountProblem, effort: Effort) -> tuple[NDArray[np.int64] | None, bool]:
        """Whole points by type and cluster that keep just the holders held; if None, whether that is proven.

        Holders are plain rows here. With the choice open, the big M of a pair that is not chosen can hide a
        lie of the size of the solver's tolerance.
        """
        types = problem.types
        if types.people is not None:
            divided = self._divided(problem, effort)
            if divided is not None and divided.outcome == "infeasible":
                return None, True
            if divided is not None and divided.shares is not None:
                table = placed_people(problem, divided.shares, self.deadline)
                if table is not None and keeps(problem, problem.held, table):
                    return table, True
            solution = None
        else:
            solution = self._solve(problem, effort, whole=False, with_room=True)
        if solution is not None and solution.outcome == "infeasible":
            return None, True
        if solution is not None and solution.x is not None and len(types.units) <= _MOST_PLACED:
            table = placed(types, read_solution(problem, solution.x)[0])
            if keeps(problem, problem.held, table):
                return table, True
        try:
            placing = _placing(problem, effort, self.deadline)
        except TooMany:
            solution = self._solve(problem, effort, whole=True)
        else:
            return (None if placing is None else placing.table), True
        if solution is not None and solution.outcome == "infeasible":
            return None, _is_exact(problem)
        if solution is not None and solution.x is not None:
            table = np.rint(read_solution(problem, solution.x)[0]).astype(np.int64)
            if keeps(problem, problem.held, table):
                return table, True
        return None, False

    def _divided(self, problem: CountProblem, effort: Effort) -> Divided | None:
        """Points that may be divided, placed so that holders are kept; None if that is too much work.

        Clusters alike may share evenly what they have together, so one of each kind will do.
        """
        alike = Alike.of(problem)
        size = entries(alike.problem, whole=False)
        if size * _LINEAR > effort.part() or self.deadline.passed():
            return None
        effort.left -= size * _LINEAR
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
        effort: Effort,
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
        most = effort.part()
        is_first = self._effort is None and not (whole or with_room or excluded)  # not one of many questions
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
        effort.left -= min(root + node * solution.n_nodes, most)
        return solution


def _placing(problem: CountProblem, effort: Effort, deadline: Deadline) -> Placing | None:
    """The cheapest way to place a few points, within the effort."""
    work = _PLACING if problem.types.n_points > _FEW else 0
    if effort.left < work:
        raise TooMany
    effort.left -= work
    return cheapest_placing(problem, deadline)


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
