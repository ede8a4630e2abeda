"""Moves of single points across the borders of connected clusters, compiled with numba."""

from typing import Any

import numpy as np

from minirel.assignment.compiled import compiled


@compiled
def stays_connected(
    point: int, indptr: Any, indices: Any, labels: Any, seen: Any, stamp: int, queue: Any
) -> bool:
    """Whether the cluster of a point hangs together without it, and is not empty.

    The neighbours of the point in its cluster must reach each other without it, which they usually do within
    a few steps. `seen` holds stamps of earlier calls; `stamp` and ``stamp + 1`` are new. `queue` is scratch.
    """
    cluster = labels[point]
    n_wanted, first = 0, -1
    for e in range(indptr[point], indptr[point + 1]):
        other = indices[e]
        if labels[other] == cluster:
            seen[other] = stamp
            first = other
            n_wanted += 1
    if n_wanted <= 1:
        return n_wanted == 1
    seen[point] = stamp + 1
    seen[first] = stamp + 1
    queue[0] = first
    head, tail, n_reached = 0, 1, 1
    while head < tail:
        reached = queue[head]
        head += 1
        for e in range(indptr[reached], indptr[reached + 1]):
            other = indices[e]
            if labels[other] != cluster or seen[other] == stamp + 1:
                continue
            if seen[other] == stamp:
                n_reached += 1
                if n_reached == n_wanted:
                    return True
            seen[other] = stamp + 1
            queue[tail] = other
            tail += 1
    return False


@compiled
def added_penalty(rows: Any, change: Any, multiple: Any, sign: int, slack: Any, penalty: Any) -> float:
    """By how much penalties rise if these rows of a cluster change by `sign` times what a point adds."""
    total = 0.0
    for r in range(rows[0], rows[1]):
        after = slack[r] + sign * multiple * change[r]
        if after < 0:
            total -= penalty[r] * after
        if slack[r] < 0:
            total += penalty[r] * slack[r]
    return total


@compiled
def make_move(
    point: int,
    there: int,
    change: Any,
    signature: Any,
    multiple: Any,
    first_row: Any,
    labels: Any,
    slack: Any,
) -> int:
    """Move a point to a cluster; return by how many the violated rows have become more."""
    here, more = labels[point], 0
    for cluster, sign in ((here, -1), (there, 1)):
        for r in range(first_row[cluster], first_row[cluster + 1]):
            more -= slack[r] < 0
            slack[r] += sign * multiple[point] * change[signature[point], r]
            more += slack[r] < 0
    labels[point] = there
    return more


@compiled
def rise_of(
    point: int,
    there: int,
    costs: Any,
    change: Any,
    signature: Any,
    multiple: Any,
    first_row: Any,
    penalty: Any,
    labels: Any,
    slack: Any,
) -> float:
    """By how much cost and penalties together rise if a point moves to a cluster."""
    here, adds, times = labels[point], change[signature[point]], multiple[point]
    rise = costs[point, there] - costs[point, here]
    rise += added_penalty(first_row[here : here + 2], adds, times, -1, slack, penalty)
    rise += added_penalty(first_row[there : there + 2], adds, times, 1, slack, penalty)
    return float(rise)


@compiled
def move_points(
    draws: Any,
    seconds: Any,
    chances: Any,
    temperature: float,
    indptr: Any,
    indices: Any,
    source: Any,
    crossing: Any,
    first_crossing: Any,
    costs: Any,
    change: Any,
    signature: Any,
    multiple: Any,
    first_row: Any,
    penalty: Any,
    labels: Any,
    slack: Any,
    best: Any,
    seen: Any,
    queue: Any,
) -> float:
    """Move points to clusters of their neighbours, at a temperature; return the least change of cost found.

    Each draw is a directed pair of neighbours: the first may join the cluster of the second, if its own stays
    connected. Where that alone is too dear, a point of the cluster joined leaves it in turn for another: one
    of `crossing`, the pairs across borders when the sweep began, by the cluster of their first. `seconds`
    says which.

    `labels` and `slack` are changed. `best` receives the cheapest labels that keep every row; if there were
    none, infinity is returned.
    """
    n_violated = 0
    for r in range(len(slack)):
        n_violated += slack[r] < 0
    cost, least = 0.0, np.inf
    if n_violated == 0:
        least = 0.0
        best[:] = labels
    stamp = 0
    seen[:] = -1
    for d in range(len(draws)):
        point = source[draws[d]]
        here, there = labels[point], labels[indices[draws[d]]]
        if here == there:
            continue
        limit = -temperature * np.log(chances[d])  # as much may cost and penalties rise
        dearer = costs[point, there] - costs[point, here]
        rise = rise_of(point, there, costs, change, signature, multiple, first_row, penalty, labels, slack)
        other, beyond = -1, -1
        if rise > limit:
            n_out = first_crossing[there + 1] - first_crossing[there]
            if n_out == 0:
                continue
            pair = crossing[first_crossing[there] + int(seconds[d] * n_out)]
            other, beyond = source[pair], labels[indices[pair]]
            if labels[other] != there or beyond == there or indices[pair] == point:
                continue
            make_move(point, there, change, signature, multiple, first_row, labels, slack)
            dearer += costs[other, beyond] - costs[other, there]
            rise += rise_of(
                other, beyond, costs, change, signature, multiple, first_row, penalty, labels, slack
            )
            make_move(point, here, change, signature, multiple, first_row, labels, slack)
            if rise > limit:
                continue
        # Last, because it takes longest.
        stamp += 2
        if not stays_connected(point, indptr, indices, labels, seen, stamp, queue):
            continue
        more = make_move(point, there, change, signature, multiple, first_row, labels, slack)
        if other >= 0:
            stamp += 2
            if not stays_connected(other, indptr, indices, labels, seen, stamp, queue):
                make_move(point, here, change, signature, multiple, first_row, labels, slack)
                continue
            more += make_move(other, beyond, change, signature, multiple, first_row, labels, slack)
        n_violated += more
        cost += dearer
        if n_violated == 0 and cost < least:
            least = cost
            best[:] = labels
    return least
