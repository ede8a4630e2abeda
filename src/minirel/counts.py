"""The count program: which promises some clustering can keep, decided on counts alone.

Fairness and sizes see a point only by its groups and its weight, so all that matters is how many points of
each such type a cluster holds, however many points there are.
"""

import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minirel.count_model import Question, keeps, linear_model, rounded
from minirel.exact import tightest
from minirel.fairness import Fairness, Prefix
from minirel.groups import Groups
from minirel.point_types import read_types
from minirel.solvers import SOLVERS, LinearModel
from minirel.weights import Weights

# Integer rows differ by more than the solver's tolerance while their finest step is above this.
_FINEST_STEP = 1e-7
# Seconds to look for whole points when points that may be split would do: near a tie this has no end.
_PATIENCE = 10.0
# Seconds to look for a cheaper choice when there is one: its price was an estimate to begin with.
_PATIENCE_WITH_COST = 60.0


class CountProgram:
    """An integer program: how many points of each type every cluster holds, and which claims.

    A claim is a pair (group, cluster): the group has its share of the cluster.

    Parameters
    ----------
    groups : Groups
        Who belongs where.
    weights : Weights
        What each point counts.
    fairness : Fairness
        What is asked.

    Attributes
    ----------
    exact : bool
        Whether every yes so far is proven, as every no is. It may not be with very many or very fine
        weights, or where there is next to no room: then a yes may take points that can be split.
    """

    def __init__(self, groups: Groups, weights: Weights, fairness: Fairness) -> None:
        self.types = read_types(groups, weights)
        self.fairness = fairness
        self.exact = self._rows_are_exact()
        self._time_limit: float | None = None

    def asking(self, fairness: Fairness, time_limit: float | None = None) -> "CountProgram":
        """Return the program for another request to the same points.

        With a `time_limit` (in seconds, for each integer program within) an answer may not be the cheapest;
        TimeoutError is raised if none is found in time.
        """
        other = copy.copy(self)
        other.fairness = fairness
        other.exact = other._rows_are_exact()
        other._time_limit = time_limit
        return other

    def _rows_are_exact(self) -> bool:
        largest = self.fairness.max_units
        finest = max((tightest(alpha, largest).denominator for alpha in self.fairness.alpha), default=1)
        return not self.types.divisible and finest * self.types.scale * _FINEST_STEP <= 1

    def feasible(self, prefix: Prefix) -> bool:
        """Whether some clustering keeps these claims and the sizes."""
        return self.choose(beta=(0,) * len(self.fairness.names), required=prefix) is not None

    def choose(
        self,
        cost: NDArray[np.floating] | None = None,
        *,
        beta: tuple[int, ...] | None = None,
        required: Prefix = (),
    ) -> Prefix | None:
        """Choose the cheapest ``beta[g]`` clusters for each group g that some clustering can represent.

        Parameters
        ----------
        cost : array of shape (n_groups, n_clusters), optional
            Cost of each claim; without it any choice will do.
        beta : tuple of int, optional
            Claims of each group, if not those of the request.
        required : Prefix
            Claims to include; a group with more of these than its beta makes no other.

        Returns
        -------
        Prefix or None
            The claims, sorted, or None if no clustering keeps as many.
        """
        claims = np.array(self.fairness.beta if beta is None else beta, dtype=np.intp)
        return self.optimise(cost, fewest=claims, most=claims, required=required)

    def optimise(
        self,
        cost: NDArray[np.floating] | None,
        *,
        fewest: NDArray[np.intp],
        most: NDArray[np.intp],
        allowed: NDArray[np.bool_] | None = None,
        required: Prefix = (),
    ) -> Prefix | None:
        """Choose between ``fewest[g]`` and ``most[g]`` clusters for each group g at the least cost.

        As `choose`, for which both numbers are the same; `allowed` may differ from the request.
        """
        asked, question = self._question(cost, fewest, most, allowed, required)
        claims = self._answer(question)
        return None if claims is None else tuple((int(asked[row]), int(k)) for row, k in np.argwhere(claims))

    def some_labels(self, groups: Groups, weights: Weights, prefix: Prefix) -> NDArray[np.intp] | None:
        """Labels that keep these claims and the sizes, at whatever cost; None if none are found soon."""
        nothing = np.zeros(groups.n_groups, dtype=np.intp)
        asked, question = self._question(None, nothing, nothing, None, prefix)
        if question.types.divisible:
            return None
        try:
            found = self._solve(question, linear_model(question, whole=True), _PATIENCE)
        except TimeoutError:
            return None
        if found is None or not keeps(question, *found):
            return None
        units = np.ones(groups.n_points, dtype=np.int64) if weights.units is None else weights.units
        counts = units > 0  # a point of no weight may be anywhere
        keys = np.column_stack([groups.membership[:, asked], units])[counts]
        order = np.argsort(np.unique(keys, axis=0, return_inverse=True)[1].ravel(), kind="stable")
        labels = np.zeros(groups.n_points, dtype=np.intp)
        n_clusters = question.allowed.shape[1]
        labels[np.flatnonzero(counts)[order]] = np.repeat(
            np.tile(np.arange(n_clusters), len(question.types.count)), found[1].ravel()
        )
        return labels

    def _question(
        self,
        cost: NDArray[np.floating] | None,
        fewest: NDArray[np.intp],
        most: NDArray[np.intp],
        allowed: NDArray[np.bool_] | None,
        required: Prefix,
    ) -> tuple[NDArray[np.intp], Question]:
        """The groups that are asked about, and what is asked of them."""
        allowed = self.fairness.allowed if allowed is None else allowed
        held = np.zeros(allowed.shape, dtype=np.bool_)
        held[tuple(np.array(required, dtype=np.intp).reshape(-1, 2).T)] = True
        fewest, most = np.maximum(fewest, held.sum(1)), np.maximum(most, held.sum(1))
        allowed = np.where((most > held.sum(1))[:, None], allowed | held, held)
        asked = np.flatnonzero(most)
        question = Question(
            self.types.seen_by(asked),
            [self.fairness.alpha[g] for g in asked],
            self.fairness.min_units,
            self.fairness.max_units,
            np.zeros(held[asked].shape) if cost is None else np.asarray(cost, dtype=np.float64)[asked],
            fewest[asked],
            most[asked],
            allowed[asked],
            held[asked],
        )
        return asked, question

    def _answer(self, question: Question) -> NDArray[np.bool_] | None:
        """Find the cheapest claims that can be kept."""
        if (question.held == question.allowed).all():
            return question.held if self._can_keep(question, question.held) else None
        excluded: list[NDArray[np.bool_]] = []
        while True:
            # Whether points stay whole seldom matters, and is most of the work: ask without first.
            whole = bool(excluded) and not question.types.divisible
            model = linear_model(question, whole=whole, excluded=excluded)
            try:
                found = self._solve(question, model, _PATIENCE if whole else _PATIENCE_WITH_COST)
            except TimeoutError:
                if whole:
                    self.exact = False
                    return excluded[0]
                if self._time_limit is not None:
                    raise
                found = self._solve(question, model)
            if found is None:
                return None
            claims, points = found
            if keeps(question, claims, points) or self._can_keep(question, claims):
                return claims
            excluded.append(claims)

    def _can_keep(self, question: Question, claims: NDArray[np.bool_]) -> bool:
        """Whether some clustering keeps just these claims.

        They are plain rows here. With the choice open, the large number that gives a claim away can hide a
        lie of the size of the solver's tolerance.
        """
        fixed = replace(question, cost=np.zeros(claims.shape), allowed=claims, held=claims)
        found = self._solve(fixed, linear_model(fixed, whole=False, with_room=True))
        if found is None:
            return False
        if question.types.divisible or keeps(fixed, *found):
            return True
        try:
            found = self._solve(fixed, linear_model(fixed, whole=True), _PATIENCE)
        except TimeoutError:
            self.exact = False
            return True
        if found is not None and self._rows_are_exact() and not keeps(fixed, *found):
            raise RuntimeError("the points that the solver found do not keep the rows it was given")
        return found is not None

    def _solve(
        self, question: Question, model: LinearModel, patience: float | None = None
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]] | None:
        """Claims, and points made whole, of the best answer in time; None if there is no answer at all."""
        limits = [limit for limit in (patience, self._time_limit) if limit is not None]
        solution = SOLVERS["highs"](model, time_limit=min(limits, default=None))
        if solution.outcome == "infeasible":
            return None
        if solution.x is None:
            raise TimeoutError("no answer of the count program was found in time")
        n_clusters = question.allowed.shape[1]
        points, claims = np.split(solution.x[:-1], [len(question.types.count) * n_clusters])
        whole = rounded(points.reshape(-1, n_clusters), question.types.count)
        return claims.reshape(-1, n_clusters) > 0.5, whole
