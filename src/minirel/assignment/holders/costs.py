"""Pre-fix costs: estimates of what it costs to make a group the holder of a cluster (section 3.2)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Costs, Part, column, over_blocks, own_costs
from minirel.points.errors import ParameterValueError
from minirel.points.groups import Groups
from minirel.points.messages import PAIRS, Message
from minirel.points.tally import Tally, tally
from minirel.points.weights import Weights
from minirel.promises.fairness import Fairness
from minirel.promises.kinds import KINDS
from minirel.promises.rows import every_pair, holder_rows


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The current clusters, and the cost of each point in each."""

    costs: Costs
    labels: NDArray[np.integer]
    groups: Groups
    weights: Weights
    fairness: Fairness

    def sampled(self, most: int) -> "Snapshot":
        """The same of every so many points, at most so many in all."""
        step = -(-len(self.labels) // most)
        if step == 1:
            return self
        some = np.arange(0, len(self.labels), step)
        units = self.weights.units
        return replace(
            self,
            costs=self.costs[some],
            labels=self.labels[some],
            groups=replace(self.groups, signature=self.groups.signature[some]),
            weights=replace(self.weights, units=None if units is None else units[some]),
        )

    @cached_property
    def _tally(self) -> Tally:
        return tally(self.groups, self.weights, self.labels, self.fairness.n_clusters)

    @property
    def members(self) -> NDArray[np.int64]:
        """Units of each group in each cluster."""
        return self._tally.members

    @property
    def total(self) -> NDArray[np.int64]:
        """Units in each cluster that shares are of."""
        return self._tally.total

    @property
    def size(self) -> NDArray[np.int64]:
        """Units in each cluster."""
        return self._tally.size

    @cached_property
    def lack(self) -> NDArray[np.object_]:
        """Units that each group lacks for its share of each cluster, times the denominator of alpha."""
        shape = self.fairness.allowed.shape
        rows = holder_rows(self.fairness, every_pair(shape), tight=False)
        rows = rows[rows.kind == KINDS.index("share")]
        return np.asarray(np.maximum(-rows.slack(*self._tally).astype(object), 0).reshape(shape))

    @cached_property
    def missing(self) -> NDArray[np.int64]:
        """Units that each group lacks for `min_members` in each cluster."""
        least = np.array(self.fairness.min_members, dtype=np.int64).reshape(-1, 1)
        return np.asarray(np.maximum(least - self.members, 0))

    @cached_property
    def leaving_cost(self) -> NDArray[np.floating]:
        """Cost of each point, per weight, in the nearest other cluster."""
        if self.fairness.n_clusters == 1:
            return own_costs(self.costs, self.labels)
        cost = np.empty(len(self.labels), dtype=self.costs.dtype)
        over_blocks(_least_elsewhere, (self.costs,), (self.labels,), keep=cost.__setitem__)
        return cost

    def cheapest(self, cost: NDArray[np.floating], points: NDArray[np.intp], needed: int) -> float:
        """Cost of the cheapest `points` that weigh `needed` units together, or of all if they weigh less.

        ``cost[i]`` is the cost per weight of ``points[i]``.
        """
        if self.weights.units is None:
            few = np.partition(cost, needed)[:needed] if needed < len(cost) else cost
            return float(few.sum(dtype=np.float64))
        units, total = self.weights.units[points], 0.0
        # Bisect on the cost of the last point needed; points of equal cost are taken together.
        while needed > 0 and len(cost) > 0:
            middle = np.partition(cost, len(cost) // 2)[len(cost) // 2]
            is_below, is_tied = cost < middle, cost == middle
            below = units[is_below]
            if int(below.sum()) >= needed:
                cost, units = cost[is_below], below
                continue
            total += float(np.multiply(cost[is_below], below, dtype=np.float64).sum())
            needed -= int(below.sum())
            tied = np.cumsum(units[is_tied])
            taken = int(tied[min(int(np.searchsorted(tied, needed)), len(tied) - 1)])
            total += float(middle) * taken
            needed -= taken
            is_above = cost > middle
            cost, units = cost[is_above], units[is_above]
        return total * float(self.weights.unit)


def _least_elsewhere(part: Part, labels: NDArray[np.integer]) -> NDArray[np.floating]:
    """The least cost of each point of a block in another cluster than its own."""
    others = part.table().copy()
    np.put_along_axis(others, labels[:, None].astype(np.intp), np.inf, axis=1)
    return np.asarray(others.min(axis=1))


def proportion(now: Snapshot, random: np.random.RandomState) -> NDArray[np.float64]:
    """The share of the cluster that the group lacks; all of it in an empty cluster."""
    alpha = np.array([float(a) for a in now.fairness.alpha])
    share = weighted_proportion(now, random) / (np.maximum(now.total, 1) * float(now.fairness.member_unit))
    return np.where(now.total > 0, share, alpha[:, None])


def weighted_proportion(now: Snapshot, random: np.random.RandomState) -> NDArray[np.float64]:
    """The weight that the group lacks for its share of the cluster."""
    denominator = np.array([alpha.denominator for alpha in now.fairness.alpha], dtype=object).reshape(-1, 1)
    lacking = np.maximum((now.lack / denominator).astype(np.float64), now.missing)
    return np.asarray(lacking * float(now.fairness.member_unit))


def local_cost(now: Snapshot, random: np.random.RandomState) -> NDArray[np.float64]:
    """The cost of moving the nearest members of the group into the cluster until it has its share.

    Where that is impossible, because there are too few members elsewhere or alpha is 1, others leave the
    cluster instead, the cheapest first, each for its next nearest cluster.
    """
    table = np.zeros(now.members.shape)
    asked = np.flatnonzero(now.fairness.beta)
    points = {g: np.flatnonzero(now.groups.membership[:, g]) for g in asked.tolist()}
    for k in range(now.fairness.n_clusters):
        inside = now.labels == k
        elsewhere = np.where(inside, np.inf, column(now.costs, k))
        for g in points:
            if now.fairness.allowed[g, k]:
                local = _local_cost if now.groups.counts is None else _local_cost_of_people
                table[g, k] = local(now, g, k, points[g], inside, elsewhere)
    return table


def _local_cost(
    now: Snapshot,
    group: int,
    cluster: int,
    points: NDArray[np.intp],
    inside: NDArray[np.bool_],
    elsewhere: NDArray[np.floating],
) -> float:
    alpha, lack = now.fairness.alpha[group], int(now.lack[group, cluster])
    missing = int(now.missing[group, cluster])
    if lack == missing == 0 and now.size[cluster] > 0:
        return 0.0
    present = int(now.members[group, cluster])
    absent = int(now.members[group].sum()) - present
    if alpha < 1:
        # A unit that joins adds 1 to the members and alpha to the members needed.
        coming = max(-(-lack // (alpha.denominator - alpha.numerator)), missing, 1)
        if coming <= absent:
            return now.cheapest(elsewhere[points], points, coming)
    others = np.flatnonzero(inside & ~now.groups.membership[:, group])
    leaving = -(-lack // alpha.numerator)
    cost = now.cheapest(now.leaving_cost[others], others, leaving)
    if absent > 0 and (missing or present == 0):
        cost += now.cheapest(elsewhere[points], points, max(missing, 1))
    return cost


def _local_cost_of_people(
    now: Snapshot,
    group: int,
    cluster: int,
    points: NDArray[np.intp],
    inside: NDArray[np.bool_],
    elsewhere: NDArray[np.floating],
) -> float:
    """The same where points hold numbers of members: those that gain most for what they cost come first.

    A point adds its members less alpha times its total. Points that add something come in, those that take
    something away leave, whatever is the cheapest; the last of them only in part.
    """
    counts, alpha = now.groups.counts, now.fairness.alpha[group]
    assert counts is not None
    signature, share = now.groups.signature, float(alpha)
    lack = int(now.lack[group, cluster]) / alpha.denominator
    missing = max(int(now.missing[group, cluster]), int(now.members[group, cluster] == 0))
    members = counts.members[signature, group].astype(np.float64)
    adds = members - share * counts.total[signature]
    cost = np.where(inside, now.leaving_cost, elsewhere).astype(np.float64) * now.weights.numbers(len(inside))
    total = _greedy(cost, np.where(inside, -adds, adds), lack)
    if missing:
        total = max(total, _greedy(cost, np.where(inside, 0.0, members), missing))
    return total * float(now.weights.unit)


def _greedy(cost: NDArray[np.float64], gain: NDArray[np.float64], needed: float) -> float:
    """The least cost at which gains add up to what is needed, of parts of points; of all if that is less."""
    some = np.flatnonzero(gain > 0)
    some = some[np.argsort(cost[some] / gain[some], kind="stable")]
    before = np.cumsum(gain[some]) - gain[some]
    part = np.clip((needed - before) / gain[some], 0.0, 1.0)
    return float(cost[some] @ part)


def at_random(now: Snapshot, random: np.random.RandomState) -> NDArray[np.float64]:
    """Random costs."""
    return np.asarray(random.random_sample(now.members.shape), dtype=np.float64)


PREFIX_COSTS: dict[str, Callable[[Snapshot, np.random.RandomState], NDArray[np.float64]]] = {
    "local_cost": local_cost,
    "weighted_proportion": weighted_proportion,
    "proportion": proportion,
    "random": at_random,
}


def read_strategy(strategy: str) -> str:
    """Validate the name of a way to choose holders."""
    if strategy not in ("assignment", *PREFIX_COSTS):
        known = ", ".join(map(repr, ("assignment", *PREFIX_COSTS)))
        rule = Message(f"must be one of {known}, ", PAIRS)
        raise ParameterValueError("prefix", rule, strategy)
    return strategy
