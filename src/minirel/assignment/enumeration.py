"""Enumeration of a few points: depth-first branch and bound with rows in exact integers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.rows import Rows


@dataclass(frozen=True)
class Enumerated:
    """The cheapest clusters of the points, or None; their cost; and whether the search was complete."""

    choice: list[int] | None
    cost: float
    complete: bool


def enumerate_choices(
    rows: Rows,
    prices: NDArray[np.float64],
    slack: NDArray[np.int64],
    change: NDArray[np.int64],
    costs: NDArray[np.float64],
    *,
    below: float,
    node_limit: int,
) -> Enumerated:
    """The cheapest clusters for some points such that every row holds, if that costs less than `below`.

    Depth first over the points, the heaviest first, each to its clusters of finite cost, the cheapest first.
    A node is pruned by its cost, or if no choice of the remaining points makes a violated row hold.

    Parameters
    ----------
    rows : Rows
        The rows.
    prices : array of shape (n_rows,)
        What a unit of a row's slack costs, on top of `costs`; at least 0.
    slack : array of shape (n_rows,)
        Slack of the rows without these points, in the rows' integers.
    change : array of shape (n_rows, n_points)
        What each point adds to each row if it is in the row's cluster.
    costs : array of shape (n_points, n_clusters)
        What each point costs in each cluster, at least 0; infinite where it may not be, finite somewhere.
    below : float
        Choices must cost less than this.
    node_limit : int
        Nodes after which the search is given up.
    """
    n_points = len(costs)
    weight = np.abs(change / rows.scale[:, None]).max(axis=0, initial=0.0).astype(np.float64)
    order = np.argsort(-weight, kind="stable").tolist()
    options: list[list[tuple[float, int]]] = []
    effects: list[dict[int, list[tuple[int, int]]]] = []
    least = np.zeros(n_points + 1)
    # The most that the remaining points can add to each row.
    rest: list[list[int]] = [[0] * len(rows)]
    of_cluster = [np.flatnonzero(rows.cluster == k).tolist() for k in range(costs.shape[1])]
    for i in reversed(order):
        open_to = np.flatnonzero(np.isfinite(costs[i])).tolist()
        options.append(sorted((float(costs[i, k]), k) for k in open_to))
        effects.append({k: [(r, int(change[r, i])) for r in of_cluster[k]] for k in open_to})
        more = rest[-1].copy()
        for k in open_to:
            for r, amount in effects[-1][k]:
                more[r] += amount if len(open_to) == 1 else max(amount, 0)
        rest.append(more)
        least[len(options)] = least[len(options) - 1] + options[-1][0][0]
    options.reverse()
    effects.reverse()
    rest.reverse()
    cost_to_come = least[::-1]

    state = [int(amount) for amount in slack]
    scaled = [float(price / scale) for price, scale in zip(prices, rows.scale, strict=True)]
    best, upper_bound = None, below
    chosen: list[int] = [0] * n_points
    n_nodes = 0
    # In place of recursion: depth, position in the options of that point, and cost so far.
    stack: list[tuple[int, int, float]] = [(0, 0, 0.0)]
    while stack:
        depth, position, cost_so_far = stack.pop()
        if depth == n_points:
            total = cost_so_far + sum(
                price * amount for price, amount in zip(scaled, state, strict=True) if price
            )
            if total < upper_bound and min(state, default=0) >= 0:
                best, upper_bound = chosen.copy(), total
            continue
        if position:  # backtrack
            for r, amount in effects[depth][options[depth][position - 1][1]]:
                state[r] -= amount
        if position == len(options[depth]):
            continue
        cost, k = options[depth][position]
        if cost_so_far + cost + cost_to_come[depth + 1] >= upper_bound:
            continue  # the options after it cost more
        n_nodes += 1
        if n_nodes > node_limit:
            return Enumerated(_in_order(best, order), upper_bound, False)
        for r, amount in effects[depth][k]:
            state[r] += amount
        chosen[depth] = k
        stack.append((depth, position + 1, cost_so_far))
        if all(now + more >= 0 for now, more in zip(state, rest[depth + 1], strict=True)):
            stack.append((depth + 1, 0, cost_so_far + cost))
    return Enumerated(_in_order(best, order), upper_bound, True)


def _in_order(choice: list[int] | None, order: list[int]) -> list[int] | None:
    if choice is None:
        return None
    clusters = [0] * len(order)
    for i, k in zip(order, choice, strict=True):
        clusters[i] = k
    return clusters
