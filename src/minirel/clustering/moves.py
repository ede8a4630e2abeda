"""Single moves: points that alone can go to a cheaper cluster without breaking a request."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.request import Request
from minirel.points.tally import by_signature
from minirel.promises.fairness import Prefix
from minirel.promises.matching import exclusive_holders
from minirel.promises.rows import cluster_rows, holder_rows

# Moves of one round that are checked one by one; centers have moved after that many, so look again.
_MOST_MOVES = 2_000
# Of a point's cost: gains that are only rounding, by bytes of a number.
_ROUNDING = {4: 1e-6, 8: 1e-12}


class Standing:
    """Which promises hold, exactly, as points move."""

    def __init__(self, request: Request, labels: NDArray[np.integer]) -> None:
        fairness, groups = request.fairness, request.groups
        claiming = {*np.flatnonzero(fairness.beta).tolist(), *(g for g, _ in request.required)}
        self.asked = sorted(claiming.union(fairness.bound_groups))
        asked = fairness.of(self.asked)
        # A group that is bound in every cluster but asks for none holds none.
        claims_some = np.array([g in claiming for g in self.asked], dtype=np.bool_)
        self.fairness = replace(asked, allowed=asked.allowed & claims_some[:, None])
        self.everywhere = cluster_rows(asked)
        claims = [(i, k) for i, g in enumerate(self.asked) if g in claiming for k in range(asked.n_clusters)]
        self.by_claim = holder_rows(asked, tuple(claims))
        kind = (self.everywhere + self.by_claim).dtype(fairness.total)
        cells = by_signature(groups, request.weights, labels, asked.n_clusters)
        self.size = cells.sum(axis=0).astype(kind)
        self.member: NDArray[np.int64] = groups.signatures[:, self.asked].T.astype(np.int64).astype(kind)
        self.count = (self.member @ cells.astype(kind)).reshape(len(self.asked), asked.n_clusters)
        self.beta = np.array(asked.beta, dtype=np.int64)[:, None]
        self.required = np.zeros(asked.allowed.shape, dtype=np.bool_)
        for g, k in request.required:
            self.required[self.asked.index(g), k] = True
        self._matched: dict[bytes, bool] = {}

    @property
    def represented(self) -> NDArray[np.bool_]:
        """Where each asked group has what it takes for the cluster to count."""
        clusters = np.arange(self.fairness.n_clusters)
        return self.by_claim.holds(self.count, self.size, clusters)[: len(self.asked)]

    @property
    def is_kept(self) -> bool:
        """Whether every promise is kept."""
        clusters, represented = np.arange(self.fairness.n_clusters), self.represented
        have = (represented & self.fairness.allowed).sum(axis=1, keepdims=True)
        fits = self.everywhere.holds(self.count, self.size, clusters)
        return bool(
            fits.all()
            and (have >= self.beta).all()
            and (represented | ~self.required).all()
            and (not self.fairness.exclusive or self.holders(represented) is not None)
        )

    def holders(self, represented: NDArray[np.bool_], preferred: Prefix = ()) -> Prefix | None:
        """Clusters for each asked group, no cluster twice; None if there are not enough."""
        required = tuple((int(i), int(k)) for i, k in np.argwhere(self.required))
        possible = represented & self.fairness.allowed
        return exclusive_holders(possible, self.fairness.beta, required, preferred)

    def keeps(
        self,
        signature: NDArray[np.integer],
        source: NDArray[np.integer],
        target: NDArray[np.integer],
        units: NDArray[np.integer],
    ) -> NDArray[np.bool_]:
        """Which of these moves, each made alone, keep every request."""
        units = units.astype(self.size.dtype)
        moving = self.member[:, signature] * units
        less = self.count[:, source] - moving, self.size[source] - units, source
        more = self.count[:, target] + moving, self.size[target] + units, target
        kept = self.everywhere.holds(*less).all(axis=0) & self.everywhere.holds(*more).all(axis=0)
        n_asked, allowed = len(self.asked), self.fairness.allowed
        left, joined = (self.by_claim.holds(*after)[:n_asked] for after in (less, more))
        represented = self.represented
        now = represented & allowed
        have = now.sum(axis=1, keepdims=True) - now[:, source] - now[:, target].astype(np.int64)
        have = have + (left & allowed[:, source]) + (joined & allowed[:, target])
        broken = (self.required[:, source] & ~left) | (self.required[:, target] & ~joined)
        kept &= ~((have < self.beta) | broken).any(axis=0)
        if self.fairness.exclusive:
            for j in np.flatnonzero(kept).tolist():
                after = represented.copy()
                after[:, source[j]], after[:, target[j]] = left[:, j], joined[:, j]
                kept[j] = self._is_matched(after)
        return np.asarray(kept)

    def _is_matched(self, represented: NDArray[np.bool_]) -> bool:
        """Whether exclusive clusters suffice; most moves change nothing about that."""
        key = np.packbits(represented).tobytes()
        if key not in self._matched:
            self._matched[key] = self.holders(represented) is not None
        return self._matched[key]

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
    holds = standing.represented & standing.fairness.allowed
    chosen = {(g, k) for g, k in prefix if g in standing.asked and holds[standing.asked.index(g), k]}
    if standing.fairness.exclusive:
        preferred = tuple(sorted((standing.asked.index(g), k) for g, k in chosen))
        matched = standing.holders(standing.represented, preferred)
        assert matched is not None
        return tuple(sorted((standing.asked[i], k) for i, k in matched))
    for row, g in enumerate(standing.asked):
        spare = [k for k in np.flatnonzero(holds[row]).tolist() if (g, k) not in chosen]
        missing = request.fairness.beta[g] - sum(pair[0] == g for pair in chosen)
        chosen.update((g, k) for k in spare[: max(missing, 0)])
    return tuple(sorted(chosen))
