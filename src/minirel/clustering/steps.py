"""The steps of an iteration, each of which reports its time to the clock of the run."""

import math
from dataclasses import dataclass, replace

import numpy as np

from minirel.assignment.problem import Answer, Problem
from minirel.assignment.request import Request
from minirel.clustering.clock import Clock, timed
from minirel.clustering.descend import descend
from minirel.clustering.moves import held
from minirel.clustering.objectives import Matrix, Objective
from minirel.clustering.reassign import reassign
from minirel.clustering.rules import Rules
from minirel.clustering.trace import Nearest, nearest
from minirel.promises.fairness import Prefix


@dataclass(frozen=True, eq=False)
class Known:
    """What an assignment starts from: the holders, or None to choose them anew, and an earlier answer.

    `cost` is that of the answer's labels, in units, at the centers that they were made for; infinite where
    they were made for none.
    """

    holders: Prefix | None
    answer: Answer | None = None
    cost: float = math.inf


@dataclass(frozen=True, eq=False)
class Fair:
    """A fair assignment; its labels are those known before if it `stays`.

    Cost and rounding are in units. The rounding is what is no gain: as much as the best centers cost too
    much for the labels known, and as much again.
    """

    problem: Problem
    answer: Answer
    stays: bool
    cost: float
    rounding: float

    def known(self) -> Known:
        """What the next assignment starts from."""
        return Known(None if self.problem.prefix is None else self.answer.prefix, self.answer, self.cost)


@dataclass(frozen=True, eq=False)
class Steps:
    """What an iteration does, for one objective over fixed data and one request."""

    objective: Objective
    request: Request
    rules: Rules
    random: np.random.RandomState
    clock: Clock

    @timed("costs")
    def costs(self, centers: Matrix) -> Matrix:
        """Cost of a unit of each point at each center."""
        return self.objective.costs(centers)

    @timed("prefix")
    def choose_holders(self, costs: Matrix) -> tuple[Nearest, Known]:
        """Where points are nearest at the first centers, and who holds which cluster from there on."""
        start = nearest(costs)
        return start, Known(self.request.choose(costs, self.random, start.labels))

    @timed("assignment")
    def assign(self, costs: Matrix, known: Known) -> Fair:
        """Solve the fair assignment problem at these costs."""
        problem = self.request.problem(costs, known.holders, self.rules.workers)
        rounding = 0.0
        if known.answer is not None:
            rounding = 2 * max(0.0, problem.cost(known.answer.labels) - known.cost)
        answer, stays = reassign(problem, self.request, self.rules, known.answer, rounding)
        return Fair(problem, answer, stays, problem.cost(answer.labels), rounding)

    @timed("centers")
    def centers(self, fair: Fair, centers: Matrix) -> Matrix:
        """The centers of the assignment: those it was made for, if its labels stay."""
        return centers if fair.stays else self.objective.centers(fair.answer.labels, len(centers))

    @timed("moves")
    def single_moves(self, fair: Fair, centers: Matrix, shift: float) -> tuple[Known, Matrix] | None:
        """Once the centers have settled: better labels by single moves, and their centers; None if none."""
        if not fair.stays and shift > self.rules.tol:
            return None
        costs = fair.problem.costs if fair.stays else self.objective.costs(centers)
        better = descend(
            self.objective, centers, costs, fair.answer.labels, self.request, self.rules.deadline
        )
        if better is None:
            return None
        labels, centers = better
        answer = replace(fair.answer, labels=labels, prefix=held(labels, fair.answer.prefix, self.request))
        return replace(fair, answer=answer, cost=math.inf).known(), centers
