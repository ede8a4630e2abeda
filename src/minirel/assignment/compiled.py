"""The scan and the smoothed minimum, compiled with numba: imported only for large data."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """The function, compiled on its first call."""
    try:
        return cast(Function, numba.njit(nogil=True, cache=True, error_model="numpy")(function))
    except RuntimeError:  # no folder to cache it in: compile in each process
        return cast(Function, numba.njit(nogil=True, error_model="numpy")(function))


# Rows of a power of two would share the same few places of a cache.
PADDING = 4
# Points that are looked at side by side.
_AT_ONCE = 256


@compiled
def _least_two(priced: Any, best: Any, next_best: Any, label: Any, next_label: Any) -> None:
    """The least two of each column, and their rows, the first of several."""
    best[:], next_best[:], label[:], next_label[:] = np.inf, np.inf, 0, 0
    for k in range(priced.shape[0]):
        for i in range(best.shape[0]):
            # Without branches, so that processors do several points at once.
            here = priced[k, i]
            is_first = here < best[i]
            is_second = here < next_best[i]
            second = k if is_second else next_label[i]
            second_best = here if is_second else next_best[i]
            next_label[i] = label[i] if is_first else second
            next_best[i] = best[i] if is_first else second_best
            label[i] = k if is_first else label[i]
            best[i] = here if is_first else best[i]


@compiled
def _price(costs: Any, signature: Any, offsets: Any, first: int, n: int, priced: Any) -> None:
    """Priced costs of `n` points from `first` on, one row per cluster."""
    for i in range(n):
        s = signature[first + i]
        for k in range(costs.shape[1]):
            priced[k, i] = costs[first + i, k] + offsets[s, k]


@compiled
def scan_rows(
    costs: Any, signature: Any, offsets: Any, units: Any, labels: Any, second: Any, regret: Any, counts: Any
) -> float:
    """Scan the given rows into the given arrays; return the sum of the points' least priced costs."""
    n, n_clusters = costs.shape
    weighted = units.shape[0] > 0
    priced = np.zeros((n_clusters, _AT_ONCE + PADDING))
    best, next_best = np.empty(_AT_ONCE), np.empty(_AT_ONCE)
    label, next_label = np.empty(_AT_ONCE, np.int64), np.empty(_AT_ONCE, np.int64)
    value = 0.0
    for first in range(0, n, _AT_ONCE):
        n_points = min(_AT_ONCE, n - first)
        _price(costs, signature, offsets, first, n_points, priced)
        _least_two(priced, best, next_best, label, next_label)
        for i in range(n_points):
            labels[first + i] = label[i]
            second[first + i] = next_label[i]
            regret[first + i] = next_best[i] - best[i]
            unit = units[first + i] if weighted else 1
            counts[signature[first + i], label[i]] += unit
            value += unit * best[i]
    return value


@compiled
def smooth_rows(
    costs: Any, signature: Any, offsets: Any, units: Any, temperature: float, counts: Any, laplacian: Any
) -> float:
    """Sum the smoothed minima of the given rows; add shares to `counts`, covariances to `laplacian`."""
    n, n_clusters = costs.shape
    weighted = units.shape[0] > 0
    priced = np.zeros((n_clusters, _AT_ONCE + PADDING))
    best, next_best = np.empty(_AT_ONCE), np.empty(_AT_ONCE)
    label, next_label = np.empty(_AT_ONCE, np.int64), np.empty(_AT_ONCE, np.int64)
    near = np.empty(n_clusters, dtype=np.int64)
    share = np.empty(n_clusters)
    reach = 37.0 * temperature  # exp(-37) is below the rounding of one
    value = 0.0
    for first in range(0, n, _AT_ONCE):
        n_points = min(_AT_ONCE, n - first)
        _price(costs, signature, offsets, first, n_points, priced)
        _least_two(priced, best, next_best, label, next_label)
        for i in range(n_points):
            s, unit = signature[first + i], units[first + i] if weighted else 1.0
            if next_best[i] - best[i] >= reach:
                counts[s, label[i]] += unit
                value += unit * best[i]
                continue
            n_near = 0
            total = 0.0
            for k in range(n_clusters):
                more = priced[k, i] - best[i]
                if more < reach:
                    near[n_near] = k
                    share[n_near] = np.exp(-more / temperature)
                    total += share[n_near]
                    n_near += 1
            value += unit * (best[i] - temperature * np.log(total))
            for a in range(n_near):
                share[a] /= total
            for a in range(n_near):
                counts[s, near[a]] += unit * share[a]
                laplacian[s, near[a], near[a]] += unit * share[a]
                for b in range(n_near):
                    laplacian[s, near[a], near[b]] -= unit * share[a] * share[b]
    return value


@compiled
def least_rows(costs: Any, labels: Any, least: Any) -> None:
    """The least cost of each row, and its column, the first of several."""
    n, n_clusters = costs.shape
    for i in range(n):
        best, label = costs[i, 0], 0
        for k in range(1, n_clusters):
            is_less = costs[i, k] < best
            best = costs[i, k] if is_less else best
            label = k if is_less else label
        labels[i] = label
        least[i] = best
