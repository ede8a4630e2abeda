"""Every way to place a few points, in integers: for weights so fine that no solver can be trusted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.promises.exact import tightest
from minirel.promises.feasibility.count_model import Question

# Points beyond which there is no hope, and numbers to keep in mind for one layer of states.
_MOST_POINTS = 24
_MOST_NUMBERS = 2**21


@dataclass(frozen=True, eq=False)
class Placing:
    """The cheapest claims that some way to place the points keeps, and the points by type and cluster."""

    claims: NDArray[np.bool_]
    table: NDArray[np.int64]


class TooMany(Exception):
    """There are more ways to place the points than can be tried."""


def cheapest_placing(question: Question) -> Placing | None:
    """Try every way to place the points, one point after the other; None if there is none.

    A state is what each cluster weighs, and by how much each group exceeds its share there. States that
    cannot end well, or are the same as another, are dropped.

    Raises
    ------
    TooMany
        If there are too many points or states.
    """
    types, (n_groups, n_clusters) = question.types, question.allowed.shape
    if types.n_points > _MOST_POINTS:
        raise TooMany
    shares = [tightest(alpha, question.max_units) for alpha in question.alpha]
    above = np.array([s.numerator for s in shares], dtype=object)
    below = np.array([s.denominator for s in shares], dtype=object)
    points = np.repeat(np.arange(len(types.units)), types.count)
    points = points[np.argsort(-types.units[points], kind="stable")]
    # What one point adds to its cluster: its weight, and to the excess of each group.
    member = types.member[types.kind[points]].astype(object)
    adds = np.column_stack([np.ones(len(points), dtype=object), member * below - above])
    adds = adds * types.units[points].astype(object)[:, None]
    if int(np.abs(adds).sum()) < 2**62:
        adds = adds.astype(np.int64)
    # What all points after it can add to the weight, and to an excess where only members come.
    gains = np.maximum(adds, 0)
    later = gains.sum(axis=0) - np.cumsum(gains, axis=0)
    # Clusters alike are opened in their order.
    table = np.vstack([question.cost, question.allowed, question.held])
    alike = bool((table == table[:, :1]).all())

    states = np.zeros((1, n_clusters, 1 + n_groups), dtype=adds.dtype)
    history: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for i in range(len(points)):
        parent, cluster = (part.ravel() for part in np.indices((len(states), n_clusters)))
        if alike:
            opened = (states[:, :, 0] > 0).sum(axis=1)
            parent, cluster = parent[cluster <= opened[parent]], cluster[cluster <= opened[parent]]
        new = states[parent]
        new[np.arange(len(new)), cluster] += adds[i]
        good = np.flatnonzero(_may_end_well(question, new, later[i]))
        if not len(good):
            return None
        if new.dtype != object:
            good = good[np.unique(new[good].reshape(len(good), -1), axis=0, return_index=True)[1]]
        states = new[good]
        history.append((parent[good], cluster[good]))
        if states.size * n_clusters > _MOST_NUMBERS:
            raise TooMany

    claims, cost = _cheapest(question, states[:, :, 1:].swapaxes(1, 2) >= 0)
    state = best = int(cost.argmin())
    counts = np.zeros((len(types.units), n_clusters), dtype=np.int64)
    for t, (parent, cluster) in zip(points[::-1], reversed(history), strict=True):
        counts[t, cluster[state]] += 1
        state = parent[state]
    return Placing(claims[best], counts)


def _may_end_well(question: Question, states: NDArray, later: NDArray) -> NDArray[np.bool_]:  # type: ignore[type-arg]
    """Whether the points to come could make up for what the states lack."""
    size, excess = states[:, :, 0], states[:, :, 1:].swapaxes(1, 2)
    lack = np.maximum(question.min_units - size, 0).sum(axis=1)
    good = (size <= question.max_units).all(axis=1) & (lack <= later[0])
    reachable = excess + later[1:, None] >= 0
    good &= (reachable | ~question.held).all(axis=(1, 2))
    good &= ((reachable & question.allowed).sum(axis=2) >= question.fewest).all(axis=1)
    return np.asarray(good, dtype=np.bool_)


def _cheapest(
    question: Question, represented: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """The cheapest claims for each table of who is represented where, and their cost."""
    cost = np.where(represented & question.allowed, question.cost, np.inf)
    order = np.argsort(np.where(question.held, -np.inf, cost), axis=2, kind="stable")
    by_cost = np.take_along_axis(cost, order, axis=2)
    place = np.arange(cost.shape[2])
    taken = place < question.fewest[:, None]
    taken = taken | ((place < question.most[:, None]) & (by_cost < 0))
    claims = np.zeros(represented.shape, dtype=np.bool_)
    np.put_along_axis(claims, order, taken, axis=2)
    return claims, np.where(taken, by_cost, 0.0).sum(axis=(1, 2))
