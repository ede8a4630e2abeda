"""The shape of a frontier: requests that are dominated, and knees after which a promise gets dear."""

from collections.abc import Callable, Sequence

import numpy as np

from minirel.frontiers.asked import Asked

# Costs that differ by no more than this share of k-means are the same.
_ALIKE = 1e-9
# How far a knee stands out from the straight line, as a share of the height of its curve.
_STANDS_OUT = 0.15


def dominated(prices: Sequence[float], is_stricter: Callable[[int, int], bool]) -> list[int | None]:
    """For each request another that promises more and costs no more; None if there is none."""
    found: list[int | None] = []
    for j, price in enumerate(prices):
        better = (i for i, other in enumerate(prices) if other <= price + _ALIKE and is_stricter(i, j))
        found.append(next(better, None) if np.isfinite(price) else None)
    return found


def knees(requests: Sequence[Asked], prices: Sequence[float], others: Sequence[int | None]) -> list[bool]:
    """Where the price turns up: the last promise before that, for each number of clusters and each share.

    On a curve of price over clusters promised, that is the point furthest below the straight line from its
    first to its last point. Requests that are dominated (by `others`) are left out, and of several with as
    many clusters promised all but the cheapest.
    """
    curves: dict[str, list[int]] = {}
    for i, (one, price, other) in enumerate(zip(requests, prices, others, strict=True)):
        if one.request is not None and np.isfinite(price) and other is None:
            values = {name: value for name, value in one.values.items() if name != "beta"}
            curves.setdefault(repr(values), []).append(i)
    marked = [False] * len(requests)
    for curve in (cheapest_of_each(requests, prices, curve) for curve in curves.values()):
        x = np.array([sum(requests[i].fairness.beta) for i in curve], dtype=float)
        y = np.array([prices[i] for i in curve])
        if len(curve) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        below = (x - x.min()) / np.ptp(x) - (y - y.min()) / np.ptp(y)
        if below.max() >= _STANDS_OUT:
            marked[curve[int(below.argmax())]] = True
    return marked


def cheapest_of_each(requests: Sequence[Asked], prices: Sequence[float], rows: Sequence[int]) -> list[int]:
    """Of the rows with as many clusters promised to all groups together the cheapest: one for each number."""
    best: dict[int, int] = {}
    for i in rows:
        n_promised = sum(requests[i].fairness.beta)
        if n_promised not in best or prices[i] < prices[best[n_promised]]:
            best[n_promised] = i
    return list(best.values())
