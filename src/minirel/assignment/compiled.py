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


@compiled
def scan_rows(
    costs: Any, signature: Any, offsets: Any, units: Any, labels: Any, second: Any, regret: Any, counts: Any
) -> float:
    """Scan the given rows into the given arrays; return the sum of the points' least priced costs."""
    n, n_clusters = costs.shape
    weighted = units.shape[0] > 0
    value = 0.0
    for i in range(n):
        s = signature[i]
        best = np.inf
        next_best = np.inf
        label = 0
        next_label = 0
        for k in range(n_clusters):
            priced = costs[i, k] + offsets[s, k]
            # Without branches, which processors would guess wrong.
            is_first = priced < best
            is_second = priced < next_best
            next_label = k if is_second else next_label
            next_best = priced if is_second else next_best
            next_label = label if is_first else next_label
            next_best = best if is_first else next_best
            label = k if is_first else label
            best = priced if is_first else best
        labels[i] = label
        second[i] = next_label
        regret[i] = next_best - best
        unit = units[i] if weighted else 1
        counts[s, label] += unit
        value += unit * best
    return value


@compiled
def smooth_rows(
    costs: Any, signature: Any, offsets: Any, units: Any, temperature: float, counts: Any, laplacian: Any
) -> float:
    """Sum the smoothed minima of the given rows; add shares to `counts`, covariances to `laplacian`."""
    n, n_clusters = costs.shape
    weighted = units.shape[0] > 0
    priced = np.empty(n_clusters)
    near = np.empty(n_clusters, dtype=np.int64)
    share = np.empty(n_clusters)
    reach = 37.0 * temperature  # exp(-37) is below the rounding of one
    value = 0.0
    for i in range(n):
        s = signature[i]
        best = np.inf
        for k in range(n_clusters):
            priced[k] = costs[i, k] + offsets[s, k]
            best = min(best, priced[k])
        unit = units[i] if weighted else 1.0
        n_near = 0
        total = 0.0
        for k in range(n_clusters):
            if priced[k] - best < reach:
                near[n_near] = k
                share[n_near] = np.exp((best - priced[k]) / temperature)
                total += share[n_near]
                n_near += 1
        if n_near == 1:
            counts[s, near[0]] += unit
            value += unit * best
            continue
        value += unit * (best - temperature * np.log(total))
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
