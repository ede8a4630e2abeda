"""The count program: which promises some clustering can keep, decided on counts alone.

Fairness and sizes see a point only by its groups and its weight, so all that matters is how many points of
each such type a cluster holds, however many points there are.
"""

import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minirel.points.groups import Groups
from minirel.points.weights import Weights
from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.feasibility.count_model import CountProblem
from minirel.promises.feasibility.count_search import CountSearch, Known
from minirel.promises.feasibility.counting import Shortage, shortage
from minirel.promises.feasibility.point_types import by_type, read_types
from minirel.solvers.limits import Deadline, Effort


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
        self._known: Known = {}

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
        holders, proven = self._search().holders(problem)
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
        table = None if shortage(problem) is not None else self._search().table(problem)[0]
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

    def _search(self) -> CountSearch:
        return CountSearch.of(self._effort, self.deadline, self._known)
