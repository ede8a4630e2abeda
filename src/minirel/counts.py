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
        Whether a yes is proven, as a no always is. It is not with very many or very fine weights: then a
        yes may need points to be divided.
    """

    def __init__(self, groups: Groups, weights: Weights, fairness: Fairness) -> None:
        self.types = read_types(groups, weights)
        self.fairness = fairness

    def asking(self, fairness: Fairness) -> "CountProgram":
        """Return the program for another request to the same points."""
        other = copy.copy(self)
        other.fairness = fairness
        return other

    @property
    def exact(self) -> bool:
        """Whether a yes is proven."""
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
        claims = _answer(question, self.exact)
        return None if claims is None else tuple((int(asked[row]), int(k)) for row, k in np.argwhere(claims))


def _answer(question: Question, is_exact: bool) -> NDArray[np.bool_] | None:
    """Find the cheapest claims that can be kept."""
    if (question.held == question.allowed).all():
        return question.held if _can_keep(question, question.held, is_exact) else None
    # Whether points stay whole seldom matters, and is most of the work: ask without first.
    whole = False
    excluded: list[NDArray[np.bool_]] = []
    while True:
        found = _solve(question, linear_model(question, whole=whole, excluded=excluded))
        if found is None:
            return None
        claims, points = found
        if keeps(question, claims, rounded(points, question.types.count)) or _can_keep(
            question, claims, is_exact
        ):
            return claims
        excluded.append(claims)
        whole = not question.types.divisible


def _can_keep(question: Question, claims: NDArray[np.bool_], is_exact: bool) -> bool:
    """Whether some points keep just these claims.

    They are plain rows here. With the choice open, the large number that gives a claim away can hide a lie of
    the size of the solver's tolerance.
    """
    fixed = replace(question, cost=np.zeros(claims.shape), allowed=claims, held=claims)
    found = _solve(fixed, linear_model(fixed, whole=False, with_room=True))
    if found is None:
        return False
    if fixed.types.divisible or keeps(fixed, claims, rounded(found[1], fixed.types.count)):
        return True
    found = _solve(fixed, linear_model(fixed, whole=True))
    if found is not None and is_exact and not keeps(fixed, claims, rounded(found[1], fixed.types.count)):
        raise RuntimeError("the points that the solver found do not keep the rows it was given")
    return found is not None


def _solve(question: Question, model: LinearModel) -> tuple[NDArray[np.bool_], NDArray[np.float64]] | None:
    """Claims and points of an optimum, if there is one."""
    solution = SOLVERS["highs"](model)
    if solution.x is None:
        return None
    n_clusters = question.allowed.shape[1]
    points, claims = np.split(solution.x[:-1], [len(question.types.count) * n_clusters])
    return claims.reshape(-1, n_clusters) > 0.5, points.reshape(-1, n_clusters)
