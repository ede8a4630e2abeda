"""Proof of an answer from its labels alone, by code that shares nothing with the solvers.

Counts are integers and shares exact fractions, so a promise is kept or it is not. The bound is computed anew
from the prices: for any prices >= 0, moving every promise into the cost at its price can only lower the cost
of the best assignment, and then each point's cheapest cluster is the answer.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Prices, Problem
from minirel.fairness import Prefix

_CHUNK = 16_384
_MOST_SIZES = 10**7
_COMPILE_FROM = 100_000  # costs

Vector = NDArray[np.float64]


class CertificateError(RuntimeError):
    """An answer failed its own check, which is a defect of minirel: it is never returned."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What was checked of an assignment, from its labels.

    Attributes
    ----------
    cost : float
        Sum of the costs of the points where they are, by weight.
    price_bound : float or None
        What the prices alone prove that any assignment to these promises costs; None without prices.
    sizes : ndarray of shape (n_clusters,)
        Weight of each cluster, in units of `unit`.
    members : ndarray of shape (n_groups, n_clusters)
        Weight of each group in each cluster, in units of `unit`.
    represented : ndarray of shape (n_groups, n_clusters)
        Where each group has its share.
    unit : Fraction
        The weight that one unit stands for.
    """

    cost: float
    price_bound: float | None
    sizes: NDArray[np.int64]
    members: NDArray[np.int64]
    represented: NDArray[np.bool_]
    unit: Fraction


def certify(problem: Problem, labels: NDArray[np.intp], prefix: Prefix, prices: Prices | None) -> Certificate:
    """Check `labels` against everything that was asked; raise `CertificateError` if anything fails."""
    n, n_clusters = problem.costs.shape
    fairness, weights = problem.fairness, problem.weights
    if labels.shape != (n,) or labels.dtype.kind != "i" or labels.min() < 0 or labels.max() >= n_clusters:
        raise CertificateError(f"labels must be {n} clusters from 0 to {n_clusters - 1}")
    units = weights.units
    sizes = _sum_by(labels, units, n_clusters)
    members = np.zeros((len(fairness.names), n_clusters), dtype=np.int64)
    for g in range(len(fairness.names)):
        inside = np.flatnonzero(problem.groups.membership[:, g])
        members[g] = _sum_by(labels[inside], None if units is None else units[inside], n_clusters)
    represented = np.zeros(members.shape, dtype=np.bool_)
    for g, share in enumerate(fairness.alpha):
        for k in range(n_clusters):
            represented[g, k] = share.denominator * int(members[g, k]) >= share.numerator * int(sizes[k])

    for k, size in enumerate(sizes.tolist()):
        if not fairness.min_units <= size <= fairness.max_units:
            raise CertificateError(
                f"cluster {k} has {size} units, not {fairness.min_units} to {fairness.max_units}"
            )
    for g, k in prefix:
        if not represented[g, k]:
            raise CertificateError(f"group {fairness.names[g]!r} is not represented in cluster {k}")
    kept = (represented & fairness.allowed).sum(axis=1)
    for name, have, beta in zip(fairness.names, kept.tolist(), fairness.beta, strict=True):
        if have < beta:
            raise CertificateError(f"group {name!r} is represented in {have} clusters, not {beta}")

    each = problem.costs[np.arange(n), labels].astype(np.float64)
    if units is not None:
        each *= units
    cost = float(each.sum(dtype=np.longdouble)) * float(weights.unit)
    bound = None if prices is None else price_bound(problem, prefix, prices) * float(weights.unit)
    if bound is not None and bound > cost + 1e-9 * float(np.abs(each).sum()) * float(weights.unit):
        raise CertificateError(f"the prices prove {bound}, which is more than the cost {cost}")
    return Certificate(cost, bound, sizes, members, represented, weights.unit)


def _sum_by(labels: NDArray[np.intp], units: NDArray[np.int64] | None, n_clusters: int) -> NDArray[np.int64]:
    # Totals stay below 2**53 (see weights.py), so these sums of doubles are exact integers.
    return np.bincount(labels, weights=units, minlength=n_clusters).astype(np.int64)


def price_bound(problem: Problem, prefix: Prefix, prices: Prices | None) -> float:
    """The value of the Lagrangian at the prices, in units; without prices, all of them are zero."""
    fairness = problem.fairness
    if prices is None:
        nothing = np.zeros(problem.n_clusters)
        prices = Prices(np.zeros((problem.groups.n_groups, problem.n_clusters)), nothing, nothing)
    if not (prices.groups >= 0).all() or not (prices.smallest >= 0).all() or not (prices.largest >= 0).all():
        raise CertificateError("a price is negative")
    promised = np.zeros(prices.groups.shape, dtype=np.bool_)
    for g, k in prefix:
        promised[g, k] = True
    if prices.groups[~promised].any():
        raise CertificateError("a price is on a pair that was not promised")
    share = np.array([_least_share(alpha, fairness.max_units) for alpha in fairness.alpha])
    of_cluster = prices.largest - prices.smallest + share @ prices.groups

    is_large = problem.costs.size >= _COMPILE_FROM
    least_cost = _least_cost_compiled if is_large else _least_cost
    starts = range(0, problem.n_points, _CHUNK)
    parts = problem.workers.map(
        lambda start: least_cost(problem, start, of_cluster, prices.groups), starts, problem.costs.size
    )
    total = sum(parts, np.longdouble(0))
    fixed = prices.smallest.sum() * fairness.min_units - prices.largest.sum() * fairness.max_units
    return float(total + fixed)


def _least_cost(problem: Problem, start: int, of_cluster: Vector, of_groups: Vector) -> np.longdouble:
    """Sum of the least priced costs of a chunk of points, in units."""
    chunk = slice(start, start + _CHUNK)
    priced = problem.costs[chunk] + of_cluster
    priced -= problem.groups.membership[chunk].astype(np.float64) @ of_groups
    least = priced.min(axis=1)
    if problem.weights.units is not None:
        least *= problem.weights.units[chunk]
    return np.longdouble(least.sum(dtype=np.longdouble))


def _least_cost_compiled(
    problem: Problem, start: int, of_cluster: Vector, of_groups: Vector
) -> np.longdouble:
    from minirel.assignment.recheck import least_sum

    chunk, units = slice(start, start + _CHUNK), problem.weights.units
    some = np.empty(0, dtype=np.int64) if units is None else units[chunk]
    membership = problem.groups.membership[chunk]
    return np.longdouble(least_sum(problem.costs[chunk], membership, of_cluster, of_groups, some))


def _least_share(alpha: Fraction, largest: int) -> float:
    """The least share of at least alpha that a cluster of at most `largest` units can have at all."""
    if alpha.denominator <= largest or largest > _MOST_SIZES:
        return float(alpha)
    least = Fraction(1)
    for size in range(1, largest + 1):
        members = -(-alpha.numerator * size // alpha.denominator)  # rounded up
        if members * least.denominator < least.numerator * size:
            least = Fraction(members, size)
    return math.nextafter(float(least), 0.0)
