"""Proof of an answer from its labels alone, by code that shares nothing with the solvers.

Counts are integers and shares exact fractions, so a promise is kept or it is not. The bound is computed anew
from the prices, and rounded to the safe side: for any prices >= 0, moving every promise into the cost at its
price can only lower the cost of the best assignment, and then each point's cheapest cluster is the answer.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Prices, Problem
from minirel.promises.fairness import Prefix

_CHUNK = 16_384
_MOST_SIZES = 10**7
_COMPILE_FROM = 100_000  # costs
_EPSILON = 2.0**-53
_NEGLIGIBLE = 1e-10  # of the bound: rounding that is taken off it without another look
_MOST_EXACT = 500  # points

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
    price_bound : float
        What the prices alone prove that any assignment to these promises costs, less what rounding may have
        added; without prices, what the nearest clusters cost.
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
    price_bound: float
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
            has_share = share.denominator * int(members[g, k]) >= share.numerator * int(sizes[k])
            represented[g, k] = has_share and sizes[k] > 0

    for k, size in enumerate(sizes.tolist()):
        if not fairness.min_units <= size <= fairness.max_units:
            raise CertificateError(
                f"cluster {k} has {size} units, not {fairness.min_units} to {fairness.max_units}"
            )
    for g, k in prefix:
        if not represented[g, k] and sizes[k] > 0:  # min_size=0 lets a held cluster be empty
            raise CertificateError(f"group {fairness.names[g]!r} is not represented in cluster {k}")
    kept = (represented & fairness.allowed).sum(axis=1)
    for name, have, beta in zip(fairness.names, kept.tolist(), fairness.beta, strict=True):
        if have < beta:
            raise CertificateError(f"group {name!r} is represented in {have} clusters, not {beta}")

    each = problem.costs[np.arange(n), labels].astype(np.float64)
    if units is not None:
        each *= units
    cost = math.fsum(each) * float(weights.unit)
    bound = price_bound(problem, prefix, prices) * float(weights.unit)
    if bound > cost + 4 * _EPSILON * math.fsum(np.abs(each)) * float(weights.unit):
        raise CertificateError(f"the prices prove {bound}, which is more than the cost {cost}")
    return Certificate(cost, bound, sizes, members, represented, weights.unit)


def _sum_by(labels: NDArray[np.intp], units: NDArray[np.int64] | None, n_clusters: int) -> NDArray[np.int64]:
    # Totals stay below 2**53 (see weights.py), so these sums of doubles are exact integers.
    return np.bincount(labels, weights=units, minlength=n_clusters).astype(np.int64)


def price_bound(problem: Problem, prefix: Prefix, prices: Prices | None) -> float:
    """The value of the Lagrangian at the prices, in units, lowered by what rounding may have added to it.

    Without prices, all of them are zero. An operation on doubles is off by at most half a last digit of its
    result, so a sum of m terms is off by at most m such digits of the sum of their absolute values. Where
    that is not small beside the bound, the points it concerns the most are done again in exact fractions.
    """
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
    shares = [_least_share(alpha, fairness.max_units) for alpha in fairness.alpha]
    of_cluster = prices.largest - prices.smallest + np.array(list(map(float, shares))) @ prices.groups
    # What rounding may have added: so many last digits of the terms that a priced cost is made of.
    slip = (2 * problem.groups.n_groups + 6) * _EPSILON
    slips = slip * (prices.largest + prices.smallest + 2 * prices.groups.sum(axis=0))
    tables = _Tables(of_cluster, prices.groups, slip, slips)

    is_large = problem.costs.size >= _COMPILE_FROM
    least_cost = _least_cost_compiled if is_large else _least_cost
    starts = range(0, problem.n_points, _CHUNK)
    parts = problem.workers.map(lambda start: least_cost(problem, start, tables), starts, problem.costs.size)
    fixed = [p * fairness.min_units for p in prices.smallest]
    fixed += [-p * fairness.max_units for p in prices.largest]
    total, safe = (math.fsum([*values, *fixed]) for values in zip(*parts, strict=True))
    safe -= 4 * _EPSILON * (math.fsum(map(abs, fixed)) + sum(abs(value) for value, _ in parts))
    if total - safe <= _NEGLIGIBLE * abs(total):
        return safe
    return max(safe, _exact_bound(problem, prices, shares, tables))


class _Tables(NamedTuple):
    """What points pay by cluster and by group, and what that may be off by: of a cost, and of a cluster."""

    of_cluster: Vector
    of_groups: Vector
    slip: float
    slips: Vector


def _least_cost(problem: Problem, start: int, tables: _Tables) -> tuple[float, float]:
    """Sum of the least priced costs of a chunk of points, in units, and the same on the safe side."""
    least, safe = _least_each(problem, slice(start, start + _CHUNK), tables)
    return math.fsum(least), math.fsum(safe)


def _least_each(problem: Problem, points: slice | NDArray[np.intp], tables: _Tables) -> tuple[Vector, Vector]:
    costs = problem.costs[points].astype(np.float64)
    priced = costs + tables.of_cluster
    priced -= problem.groups.membership[points].astype(np.float64) @ tables.of_groups
    least = priced.min(axis=1)
    safe = (priced - (tables.slip * np.abs(costs) + tables.slips)).min(axis=1)
    units = problem.weights.units
    return (least, safe) if units is None else (least * units[points], safe * units[points])


def _least_cost_compiled(problem: Problem, start: int, tables: _Tables) -> tuple[float, float]:
    from minirel.assignment.recheck import least_sum

    chunk, units = slice(start, start + _CHUNK), problem.weights.units
    some = np.empty(0, dtype=np.int64) if units is None else units[chunk]
    return least_sum(problem.costs[chunk], problem.groups.membership[chunk], *tables, some)


def _exact_bound(problem: Problem, prices: Prices, shares: list[Fraction], tables: _Tables) -> float:
    """The bound with the points that rounding may concern the most in exact fractions."""
    everyone = np.arange(problem.n_points)
    least, safe = _least_each(problem, everyone, tables)
    exact = np.argsort(safe - least, kind="stable")[:_MOST_EXACT]
    groups = [[Fraction(float(p)) for p in row] for row in prices.groups]
    smallest, largest = ([Fraction(float(p)) for p in row] for row in (prices.smallest, prices.largest))
    clusters = range(problem.n_clusters)
    of_cluster_exact = [
        largest[k]
        - smallest[k]
        + sum((s * row[k] for s, row in zip(shares, groups, strict=True)), Fraction(0))
        for k in clusters
    ]
    total = sum(smallest) * problem.fairness.min_units - sum(largest) * problem.fairness.max_units
    units = problem.weights.units
    for i in exact.tolist():
        inside = np.flatnonzero(problem.groups.membership[i]).tolist()
        cheapest = min(
            Fraction(float(problem.costs[i, k])) + of_cluster_exact[k] - sum(groups[g][k] for g in inside)
            for k in clusters
        )
        total += cheapest * (1 if units is None else int(units[i]))
    others = np.delete(everyone, exact)
    rest = math.fsum(safe[others])
    return float(total) + rest - 4 * _EPSILON * (abs(float(total)) + abs(rest))


def _least_share(alpha: Fraction, largest: int) -> Fraction:
    """The least share of at least alpha that a cluster of at most `largest` units can have at all."""
    if alpha.denominator <= largest or largest > _MOST_SIZES:
        return alpha
    least = Fraction(1)
    for size in range(1, largest + 1):
        members = -(-alpha.numerator * size // alpha.denominator)  # rounded up
        if members * least.denominator < least.numerator * size:
            least = Fraction(members, size)
    return least
