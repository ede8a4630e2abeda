"""A request: everything that is asked of a clustering, validated before any work is done."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minirel.assignment.costs import Costs
from minirel.assignment.holders.choice import choose_holders, read_prefix
from minirel.assignment.holders.costs import read_strategy
from minirel.assignment.problem import Problem
from minirel.assignment.solve import ASSIGNMENT_SOLVERS
from minirel.points.errors import ParameterValueError
from minirel.points.groups import Groups, read_groups
from minirel.points.members import weighed
from minirel.points.messages import Message, Parameter
from minirel.points.weights import Weights
from minirel.points.workers import SERIAL, Workers
from minirel.promises.exact import Number
from minirel.promises.fairness import Fairness, Prefix, Share, Size, read_fairness
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.diagnosis import explain_infeasible
from minirel.promises.limits import read_gap, read_time_limit
from minirel.solvers.limits import Deadline


@dataclass(frozen=True, eq=False)
class Request:
    """Promises over some points, and how their holders are chosen.

    `required` are holders asked for by name; `strategy` is the name of the way to choose the others, or None
    to leave them to the solver.
    """

    groups: Groups
    weights: Weights
    fairness: Fairness
    required: Prefix
    strategy: str | None
    program: CountProgram

    def problem(self, costs: Costs, prefix: Prefix | None, workers: Workers = SERIAL) -> Problem:
        """The fair assignment problem at these costs."""
        return Problem(costs, self.groups, self.weights, self.fairness, prefix, workers)

    @property
    def chooses_holders(self) -> bool:
        """Whether holders are to be chosen, by the assignment they lead to."""
        return self.strategy == "assignment" and len(self.required) < sum(self.fairness.beta)

    @property
    def multiples(self) -> NDArray[np.int64]:
        """How many times each point counts what its signature does."""
        n_points = self.groups.n_points
        return self.weights.numbers(n_points) if self.groups.counts is None else np.broadcast_to(1, n_points)

    def weight(self, units: float) -> float:
        """Convert a cost over units to one over weights."""
        return units * float(self.weights.unit)

    def until(self, deadline: Deadline) -> "Request":
        """The same request, with a count program that ends at the deadline."""
        return replace(self, program=self.program.until(deadline))

    def check(self) -> None:
        """Raise `InfeasibleFairnessError` if it is proven that no clustering can keep the promises."""
        if self.program.choose(required=self.required).impossible:
            raise explain_infeasible(self.program, self.required)

    def choose(
        self,
        costs: Costs,
        random_state: int | np.random.RandomState | None = None,
        labels: NDArray[np.integer] | None = None,
        workers: Workers = SERIAL,
    ) -> Prefix | None:
        """The holders at these costs and labels; None if the solver is to choose them.

        Raises `InfeasibleFairnessError` if it is proven that no clustering can keep the promises.
        """
        n_required = np.bincount([g for g, _ in self.required], minlength=self.groups.n_groups)
        if self.strategy is None or (n_required >= np.array(self.fairness.beta)).all():
            self.check()
            return self.required if (n_required >= np.array(self.fairness.beta)).all() else None
        return choose_holders(
            self.strategy,
            costs,
            self.groups,
            self.weights,
            self.fairness,
            self.program,
            random_state=random_state,
            labels=labels,
            required=self.required,
            workers=workers,
        )


def without_promises(request: Request) -> Request:
    """The request of ordinary clustering: that no cluster is empty."""
    n_points, n_clusters = request.groups.n_points, request.fairness.n_clusters
    nobody = read_groups(None, n_points=n_points)
    plain = read_request(
        nobody,
        request.weights,
        n_clusters,
        alpha=1,
        beta=0,
        prefix=(),
        allowed=None,
        min_size=1,
        max_size=None,
    )
    return plain.until(request.program.deadline)


def read_request(
    groups: Groups,
    weights: Weights,
    n_clusters: int,
    *,
    alpha: Number | Mapping[Hashable, Number],
    beta: int | str | Mapping[Hashable, int] | None,
    prefix: str | Iterable[tuple[Hashable, int]] | None,
    allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None,
    min_size: Size,
    max_size: Size | None,
    min_share: Share | None = None,
    max_share: Share | None = None,
    min_members: Share = 1,
    exclusive: bool = False,
) -> Request:
    """Validate everything that is asked of the clusters."""
    groups = weighed(groups, weights)
    required: Prefix = ()
    if prefix is not None and not isinstance(prefix, str):
        prefix = list(prefix) if isinstance(prefix, Iterable) else prefix
        required = read_prefix(prefix, groups, n_clusters)
    fairness = read_fairness(
        groups,
        weights,
        n_clusters,
        alpha=alpha,
        beta=beta,
        allowed=allowed,
        min_size=min_size,
        max_size=max_size,
        min_share=min_share,
        max_share=max_share,
        min_members=min_members,
        exclusive=exclusive,
        asked={g for g, _ in required},
    )
    if required:
        read_prefix(prefix, groups, n_clusters, fairness.allowed)
        _check_exclusive(required, fairness)
    if isinstance(prefix, str):
        read_strategy(prefix)
    if isinstance(prefix, str) and beta is None:
        raise ParameterValueError(
            Parameter("prefix", value=prefix),
            "must not be the name of a cost without beta",
            prefix,
            Message("give ", Parameter("beta"), " as well"),
            found="chooses clusters for beta, but beta is None",
            obvious=True,
        )
    strategy = prefix if isinstance(prefix, str) else None
    return Request(groups, weights, fairness, required, strategy, CountProgram(groups, weights, fairness))


def _check_exclusive(required: Prefix, fairness: Fairness) -> None:
    holders: dict[int, int] = {}
    for g, k in required if fairness.exclusive else ():
        if holders.setdefault(k, g) != g:
            first, second = fairness.names[holders[k]], fairness.names[g]
            raise ParameterValueError(
                "prefix",
                Message("must name each cluster once with ", Parameter("exclusive", value=True)),
                [(first, k), (second, k)],
                Message("drop one of them, or drop ", Parameter("exclusive")),
                found=f"gives cluster {k} to both {first!r} and {second!r}",
            )


def read_options(solver: object, gap: Number, time_limit: Number | None) -> tuple[float, Deadline]:
    """Validate how the problem is to be solved: the gap, and the time from now on."""
    if not isinstance(solver, str) or solver not in ASSIGNMENT_SOLVERS:
        known = ", ".join(map(repr, ASSIGNMENT_SOLVERS))
        raise ParameterValueError("solver", f"must be one of {known}", solver)
    return read_gap(gap), Deadline(read_time_limit(time_limit))
