"""Every way to place a few points, in integers: for weights so fine that no solver can be trusted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from minirel.promises.feasibility.count_model import CountProblem
from minirel.promises.rows import RowList, cluster_rows, every_pair, holder_rows
from minirel.solvers.limits import NO_DEADLINE, Deadline

# Points beyond which it is not tried, and numbers to keep in memory for one layer of states.
_MOST_POINTS = 24
_MOST_NUMBERS = 2**21


@dataclass(frozen=True, eq=False)
class Placing:
    """The cheapest holders that some way to place the points keeps, and the points by type and cluster."""

    holders: NDArray[np.bool_]
    table: NDArray[np.int64]


class TooMany(Exception):
    """There are more ways to place the points than can be tried."""


def cheapest_placing(problem: CountProblem, deadline: Deadline = NO_DEADLINE) -> Placing | None:
    """Try every way to place the points, one point after the other; None if there is none.

    A state is what each cluster weighs, what shares are of in it, and what the members of each group come to
    there. States that cannot end well, or are the same as another, are dropped.

    Raises
    ------
    TooMany
        If there are too many points or states, or the time is up.
    """
    types, (n_groups, n_clusters) = problem.types, problem.allowed.shape
    if int(types.count.sum()) > _MOST_POINTS:
        raise TooMany
    fairness = problem.fairness
    points = np.repeat(np.arange(len(types.units)), types.count)
    points = points[np.argsort(-types.units[points], kind="stable")]
    # What one point adds to its cluster: its weight, to what shares are of, and to the members of each group.
    adds = np.column_stack([types.units, types.of_total, types.of_members])[points]
    everywhere = cluster_rows(fairness)
    by_pair = holder_rows(fairness, every_pair((n_groups, n_clusters)))
    if (everywhere + by_pair).dtype(max(types.total, types.share_total)) is object:
        adds = adds.astype(object)
    # What all points after it can add.
    later = adds.sum(axis=0) - np.cumsum(adds, axis=0)
    # Clusters alike are opened in their order.
    table = np.vstack([problem.cost, problem.allowed, problem.held, fairness.min_units, fairness.max_units])
    alike = bool((table == table[:, :1]).all())

    states = np.zeros((1, n_clusters, 2 + n_groups), dtype=adds.dtype)
    history: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for i in range(len(points)):
        if deadline.passed():
            raise TooMany
        parent, cluster = (part.ravel() for part in np.indices((len(states), n_clusters)))
        if alike:
            opened = (states > 0).any(axis=2).sum(axis=1)
            parent, cluster = parent[cluster <= opened[parent]], cluster[cluster <= opened[parent]]
        new = states[parent]
        new[np.arange(len(new)), cluster] += adds[i]
        represented = _represented(problem, by_pair, new, later[i])
        good = _slack(everywhere, new, later[i]).min(axis=1, initial=0) >= 0
        good &= (represented | ~problem.held).all(axis=(1, 2))
        good &= ((represented & problem.allowed).sum(axis=2) >= problem.fewest).all(axis=1)
        lack = np.maximum(np.array(fairness.min_units) - new[:, :, 0], 0).sum(axis=1)
        some = np.flatnonzero(good & (lack <= later[i][0]))
        if not len(some):
            return None
        if new.dtype != object:
            some = some[np.unique(new[some].reshape(len(some), -1), axis=0, return_index=True)[1]]
        states = new[some]
        history.append((parent[some], cluster[some]))
        if states.size * n_clusters > _MOST_NUMBERS:
            raise TooMany

    represented = _represented(problem, by_pair, states, later[-1])
    holders, cost = (_cheapest_exclusive if fairness.exclusive else _cheapest)(problem, represented)
    state = best = int(cost.argmin())
    if not np.isfinite(cost[best]):
        return None
    counts = np.zeros((len(types.units), n_clusters), dtype=np.int64)
    for t, (parent, cluster) in zip(points[::-1], reversed(history), strict=True):
        counts[t, cluster[state]] += 1
        state = parent[state]
    return Placing(holders[best], counts)


def _slack(rows: RowList, states: NDArray[Any], later: NDArray[Any]) -> NDArray[Any]:
    """The most slack that each row can have once the points to come are placed, for each state."""
    kind = states.dtype
    members, total, size, least = (
        part.astype(kind) for part in (rows.members, rows.total, rows.size, rows.least)
    )
    now = members * states[:, rows.cluster, 2 + rows.group] if states.shape[2] > 2 else 0
    now = now + total * states[:, rows.cluster, 1] + size * states[:, rows.cluster, 0] - least
    # Members of the group and others come in any number.
    come = later[2 + rows.group] if len(later) > 2 else np.zeros(len(rows), dtype=kind)
    now = now + np.maximum(members + total, 0) * come + np.maximum(total, 0) * (later[1] - come)
    return np.asarray(now + np.maximum(size, 0) * later[0])


def _represented(
    problem: CountProblem, rows: RowList, states: NDArray[Any], later: NDArray[Any]
) -> NDArray[np.bool_]:
    """Where each group can be represented once the points to come are placed, for each state."""
    represented = np.ones((len(states), *problem.allowed.shape), dtype=np.bool_)
    holds = _slack(rows, states, later) >= 0
    for kind in np.unique(rows.kind):
        some = rows.kind == kind
        represented[:, rows.group[some], rows.cluster[some]] &= holds[:, some].astype(np.bool_)
    return represented


def _cheapest(
    problem: CountProblem, represented: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """The cheapest holders for each table of who is represented where, and their cost."""
    cost = np.where(represented & problem.allowed, problem.cost, np.inf)
    order = np.argsort(np.where(problem.held, -np.inf, cost), axis=2, kind="stable")
    by_cost = np.take_along_axis(cost, order, axis=2)
    place = np.arange(cost.shape[2])
    taken = place < problem.fewest[:, None]
    taken = taken | ((place < problem.most[:, None]) & (by_cost < 0))
    holders = np.zeros(represented.shape, dtype=np.bool_)
    np.put_along_axis(holders, order, taken, axis=2)
    return holders, np.where(taken, by_cost, 0.0).sum(axis=(1, 2))


def _cheapest_exclusive(
    problem: CountProblem, represented: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """The same where a cluster counts for one group only: an assignment problem for each table."""
    n_groups, n_clusters = problem.allowed.shape
    claimant = np.repeat(np.arange(n_groups), problem.most)
    rank = np.concatenate([np.arange(0), *(np.arange(most) for most in problem.most)]).astype(np.intp)
    is_optional = rank >= problem.fewest[claimant]
    # A holder that need not be made may go to a column that stands for none.
    none = np.where(is_optional[:, None] & np.eye(len(claimant), dtype=np.bool_), 0.0, np.inf)
    much = 1 + 2 * n_clusters * float(np.abs(problem.cost).max(initial=0.0))
    preferred = np.where(problem.held, -much, problem.cost)
    holders, total = np.zeros(represented.shape, dtype=np.bool_), np.full(len(represented), np.inf)
    for i, here in enumerate(represented):
        cost = np.where(here & problem.allowed, preferred, np.inf)[claimant]
        try:
            row, column = linear_sum_assignment(np.hstack([cost, none]))
        except ValueError:  # there is no such assignment
            continue
        made = column < n_clusters
        holders[i, claimant[row[made]], column[made]] = True
        if (holders[i] | ~problem.held).all():
            total[i] = problem.cost[holders[i]].sum()
    return holders, total
