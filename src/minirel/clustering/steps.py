"""The steps of an iteration; each reports its time to the clock of the run."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from minirel.assignment.costs import Costs
from minirel.assignment.problem import Answer, Problem
from minirel.assignment.request import Request
from minirel.clustering.clock import Clock, timed
from minirel.clustering.cost_table import cost_table
from minirel.clustering.descend import descend
from minirel.clustering.moves import surviving_holders
from minirel.clustering.objectives import Data, Matrix, Objective
from minirel.clustering.reassign import prove, reassign
from minirel.clustering.rules import Rules
from minirel.clustering.trace import Nearest, nearest
from minirel.promises.fairness import Prefix


@dataclass(frozen=True, eq=False)
class Previous:
    """What an assignment starts from: the holders, or None if they are free, and the answer before.

    `cost` is that of the answer's labels, over units, at the centers for which they were the solution;
    infinite after single moves, which solve no assignment problem.
    """

    holders: Prefix | None
    answer: Answer | None = None
    cost: float = math.inf


@dataclass(frozen=True, eq=False)
class Reassignment:
    """The fair assignment of an iteration; `is_unchanged` if its labels are those of the one before.

    Cost and rounding are over units. A cost that is lower by no more than `rounding` is no gain: twice what
    new centers, rounded to the precision of the data, made the labels before dearer instead of cheaper.
    """

    problem: Problem
    answer: Answer
    is_unchanged: bool
    cost: float
    rounding: float

    def as_previous(self) -> Previous:
        """What the next assignment starts from."""
        return Previous(None if self.problem.prefix is None else self.answer.prefix, self.answer, self.cost)


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps for one objective over fixed data and one request.

    `out_of_reach` are holders for which hardly any labels were found.
    """

    X: Data
    objective: Objective
    request: Request
    rules: Rules
    random: np.random.RandomState
    clock: Clock
    out_of_reach: set[Prefix] = field(default_factory=set)

    @timed("costs")
    def costs(self, centers: Matrix) -> Costs:
        """Cost of a unit of weight of each point at each center."""
        return cost_table(self.objective, centers, self.rules.workers)

    @timed("prefix")
    def choose_holders(self, costs: Costs) -> tuple[Nearest, Previous]:
        """The nearest of the first centers for every point, and the holders chosen from there."""
        start = nearest(costs, self.rules.workers)
        return start, Previous(self.request.choose(costs, self.random, start.labels, self.rules.workers))

    @timed("assignment")
    def assign(self, costs: Costs, previous: Previous) -> Reassignment:
        """Solve the fair assignment problem at these costs, if need be without a proof of the gap."""
        problem = self.request.problem(costs, previous.holders, self.rules.workers)
        rounding = 0.0
        if previous.answer is not None:
            rounding = 2 * max(0.0, problem.cost(previous.answer.labels) - previous.cost)
        answer, is_unchanged = reassign(
            problem, self.request, self.rules, previous.answer, rounding, self.out_of_reach
        )
        if self.request.strategy is not None:  # holders that nobody could choose beforehand are chosen now
            problem = replace(problem, prefix=answer.prefix)
        return Reassignment(problem, answer, is_unchanged, problem.cost(answer.labels), rounding)

    @timed("assignment")
    def prove(self, fair: Reassignment) -> Reassignment:
        """Prove the gap of unchanged labels; or the same problem with cheaper labels."""
        answer, is_unchanged = prove(fair.problem, self.request, self.rules, fair.answer, fair.rounding)
        cost = fair.problem.cost(answer.labels)
        return replace(fair, answer=answer, is_unchanged=is_unchanged, cost=cost)

    @timed("centers")
    def centers(self, fair: Reassignment, centers: Matrix) -> Matrix:
        """The centers of the assignment; the same as before if its labels are unchanged."""
        return centers if fair.is_unchanged else self.objective.centers(fair.answer.labels, len(centers))

    @timed("moves")
    def single_moves(
        self, fair: Reassignment, centers: Matrix, shift: float
    ) -> tuple[Previous, Matrix] | None:
        """Better labels by single moves, and their centers, once centers hardly move; None if none."""
        if not fair.is_unchanged and shift > self.rules.tol:
            return None
        workers = self.rules.workers
        costs = fair.problem.costs if fair.is_unchanged else cost_table(self.objective, centers, workers)
        better = descend(
            self.X,
            self.objective,
            centers,
            costs,
            fair.answer.labels,
            self.request,
            self.rules.deadline,
            workers,
        )
        if better is None:
            return None
        labels, centers = better
        answer = replace(
            fair.answer, labels=labels, prefix=surviving_holders(labels, fair.answer.prefix, self.request)
        )
        return replace(fair, answer=answer, cost=math.inf).as_previous(), centers
