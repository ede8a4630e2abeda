"""Single moves: points that alone can go to a cheaper cluster without breaking a request."""

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.request import Request
from minirel.promises.fairness import Prefix

# Beyond this, products of counts and the terms of alpha leave int64 for Python's own integers.
_INT64 = 2**62
# Moves of one round that are checked one by one; centers have moved after that many, so look again.
_MOST_MOVES = 2_000
# Of a point's cost: gains that are only rounding, by bytes of a number.
_ROUNDING = {4: 1e-6, 8: 1e-12}


class Standing:
    """Who is represented where, exactly, as points move."""

    def __init__(self, request: Request, labels: NDArray[np.integer]) -> None:
        fairness, groups, units = request.fairness, request.groups, request.weights.units
        n_clusters = fairness.n_clusters
        self.min_units, self.max_units = fairness.min_units, fairness.max_units
        asked = [g for g, beta in enumerate(fairness.beta) if beta > 0]
        self.asked = sorted({*asked, *(g for g, _ in request.required)})
        total = request.weights.total(groups.n_points)
        largest = total * max((fairness.alpha[g].denominator for g in self.asked), default=1)
        kind = np.int64 if largest < _INT64 else object
        # Sums of units are below 2**53: exact as doubles.
        place = groups.signature.astype(np.int64) * n_clusters + labels
        cells = np.bincount(place, weights=units, minlength=groups.n_signatures * n_clusters)
        cells = cells.astype(np.int64).reshape(groups.n_signatures, n_clusters)
        self.size = cells.sum(axis=0).astype(kind)
        self.member = groups.signatures[:, self.asked].T.astype(np.int64).astype(kind)
        self.count = (self.member @ cells.astype(kind)).reshape(len(self.asked), n_clusters)
        self.p = np.array([fairness.alpha[g].numerator for g in self.asked], dtype=kind)[:, None]
        self.q = np.array([fairness.alpha[g].denominator for g in self.asked], dtype=kind)[:, None]
        self.beta = np.array([fairness.beta[g] for g in self.asked], dtype=np.int64)[:, None]
        self.allowed = fairness.allowed[self.asked]
        self.required = np.zeros(self.allowed.shape, dtype=np.bool_)
        for g, k in request.required:
            self.required[self.asked.index(g), k] = True

    @property
    def represented(self) -> NDArray[np.bool_]:
        """Where each asked group has its share."""
        return np.asarray(self.q * self.count >= self.p * self.size, dtype=np.bool_)

    @property
    def is_kept(self) -> bool:
        """Whether every promise is kept."""
        represented = self.represented
        have = (represented & self.allowed).sum(axis=1, keepdims=True)
        fits = (self.size >= self.min_units) & (self.size <= self.max_units)
        return bool(fits.all() and (have >= self.beta).all() and (represented | ~self.required).all())

    def keeps(
        self,
        signature: NDArray[np.integer],
        source: NDArray[np.integer],
        target: NDArray[np.integer],
        units: NDArray[np.integer],
    ) -> NDArray[np.bool_]:
        """Which of these moves, each made alone, keep every request."""
        units = units.astype(self.size.dtype)
        fits = (self.size[source] - units >= self.min_units) & (self.size[target] + units <= self.max_units)
        moving = self.member[:, signature] * units
        now = self.represented & self.allowed
        left = self.q * (self.count[:, source] - moving) >= self.p * (self.size[source] - units)
        joined = self.q * (self.count[:, target] + moving) >= self.p * (self.size[target] + units)
        have = now.sum(axis=1, keepdims=True) - now[:, source] - now[:, target].astype(np.int64)
        have = have + (left & self.allowed[:, source]) + (joined & self.allowed[:, target])
        broken = self.required[:, source] & ~left.astype(np.bool_)
        broken |= self.required[:, target] & ~joined.astype(np.bool_)
        return np.asarray(fits.astype(np.bool_) & ~((have < self.beta) | broken).any(axis=0))

    def move(self, signature: int, source: int, target: int, units: int) -> None:
        """Move a point."""
        for cluster, change in ((source, -units), (target, units)):
            self.size[cluster] += change
            self.count[:, cluster] += change * self.member[:, signature]


def single_moves(
    costs: NDArray[np.floating], some: NDArray[np.intp], labels: NDArray[np.intp], request: Request
) -> NDArray[np.intp] | None:
    """Labels after moves that each lower the cost and keep every promise; None if there is no such move.

    `costs` are those of the points in `some`, the ones that may move. The moves that save most come first.
    What one move gives up another may need, so each is checked anew.
    """
    own = costs[np.arange(len(some)), labels[some]]
    rounding = _ROUNDING[costs.dtype.itemsize] * np.abs(own)
    rows, targets = np.nonzero(costs < (own - rounding)[:, None])
    saved = own[rows] - costs[rows, targets]
    units, points = request.weights.numbers(len(labels)), some[rows]
    if (units[points] == 0).any():
        counts = units[points] > 0
        points, targets, saved = points[counts], targets[counts], saved[counts]
    standing, signature = Standing(request, labels), request.groups.signature
    possible = standing.keeps(signature[points], labels[points], targets, units[points])
    points, targets, saved = points[possible], targets[possible], saved[possible]
    if len(points) == 0:
        return None
    order = np.lexsort((targets, points, -saved * units[points]))
    result = labels.copy()
    best = order[np.unique(points[order], return_index=True)[1]]
    result[points[best]] = targets[best]
    if Standing(request, result).is_kept:  # all of them together
        return result
    result = labels.copy()
    for j in order[:_MOST_MOVES]:
        i, target = points[j : j + 1], targets[j : j + 1]
        source = result[i]
        if source != labels[i] or not standing.keeps(signature[i], source, target, units[i])[0]:
            continue
        standing.move(int(signature[i[0]]), int(source[0]), int(target[0]), int(units[i[0]]))
        result[i] = target
    return result


def held(labels: NDArray[np.integer], prefix: Prefix, request: Request) -> Prefix:
    """The pairs of `prefix` that still hold, with others that do in place of those that do not."""
    standing = Standing(request, labels)
    holds = standing.represented & standing.allowed
    chosen = {(g, k) for g, k in prefix if g in standing.asked and holds[standing.asked.index(g), k]}
    for row, g in enumerate(standing.asked):
        spare = [k for k in np.flatnonzero(holds[row]).tolist() if (g, k) not in chosen]
        missing = request.fairness.beta[g] - sum(pair[0] == g for pair in chosen)
        chosen.update((g, k) for k in spare[: max(missing, 0)])
    return tuple(sorted(chosen))
