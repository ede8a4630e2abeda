"""Proof of an answer from its labels alone, by code that shares nothing with the solvers.

Counts are integers and shares exact fractions, so a promise is kept or it is not. The bound is computed anew
from the prices, and rounded to the safe side: for any prices >= 0, moving every promise into the cost at its
price can only lower the cost of the best assignment, and then each point's cheapest cluster is the answer.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import Problem
from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.prices import Prices

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
            represented[g, k] = has_share and sizes[k] > 0 and members[g, k] >= fairness.min_members[g]

    for k, (size, least, most) in enumerate(
        zip(sizes.tolist(), fairness.min_units, fairness.max_units, strict=True)
    ):
        if not least <= size <= most:
            raise CertificateError(f"cluster {k} has {size} units, not {least} to {most}")
    for g, name in enumerate(fairness.names):
        for k, (size, count) in enumerate(zip(sizes.tolist(), members[g].tolist(), strict=True)):
            if not fairness.min_share[g] * size <= count <= fairness.max_share[g] * size:
                raise CertificateError(f"the share of group {name!r} in cluster {k} is out of bounds")
    for g, k in prefix:
        may_be_empty = sizes[k] == 0 and not fairness.min_members[g]  # min_size=0 lets a held cluster be
        if not represented[g, k] and not may_be_empty:
            raise CertificateError(f"group {fairness.names[g]!r} is not represented in cluster {k}")
    counted = represented & fairness.allowed
    if fairness.exclusive:  # then the holders say which cluster counts for whom
        if len({k for _, k in prefix}) < len(prefix):
            raise CertificateError("a cluster counts for two groups")
        holds = np.zeros_like(represented)
        holds[tuple(np.array(prefix, dtype=np.intp).reshape(-1, 2).T)] = True
        counted &= holds
    for name, have, beta in zip(fairness.names, counted.sum(axis=1).tolist(), fairness.beta, strict=True):
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
    if prices is None:
        prices = Prices.none(problem.groups.n_groups, problem.n_clusters)
    _check_prices(problem.fairness, prefix, prices)
    paid = _paid(problem.fairness, prices)
    of_groups = prices.groups + prices.min_members + prices.min_share - prices.max_share
    of_cluster = np.array([float(sum(terms)) for terms in paid])
    # What rounding may have added: so many last digits of the terms that a priced cost is made of.
    slip = (2 * problem.groups.n_groups + 10) * _EPSILON
    slips = slip * 2 * prices.table.sum(axis=0)
    tables = _Tables(of_cluster, of_groups, slip, slips)

    is_large = problem.costs.size >= _COMPILE_FROM
    least_cost = _least_cost_compiled if is_large else _least_cost
    starts = range(0, problem.n_points, _CHUNK)
    parts = problem.workers.map(lambda start: least_cost(problem, start, tables), starts, problem.costs.size)
    fixed = [float(amount) for amount in _fixed(problem.fairness, prices)]
    total, safe = (math.fsum([*values, *fixed]) for values in zip(*parts, strict=True))
    safe -= 4 * _EPSILON * (math.fsum(map(abs, fixed)) + sum(abs(value) for value, _ in parts))
    if total - safe <= _NEGLIGIBLE * abs(total):
        return safe
    return max(safe, _exact_bound(problem, prices, paid, tables))


def _check_prices(fairness: Fairness, prefix: Prefix, prices: Prices) -> None:
    """Prices are nowhere below 0, and 0 where nothing is promised."""
    if not (prices.table >= 0).all():
        raise CertificateError("a price is negative")
    promised = np.zeros(prices.groups.shape, dtype=np.bool_)
    for g, k in prefix:
        promised[g, k] = True
    if prices.groups[~promised].any() or prices.min_members[~promised].any():
        raise CertificateError("a price is on a pair that was not promised")


def _paid(fairness: Fairness, prices: Prices) -> list[list[Fraction]]:
    """What a unit pays in each cluster whatever its groups: the terms, exactly."""
    at_least = {(g, k) for g, k in np.argwhere(prices.groups + prices.min_share).tolist()}
    at_most = {(g, k) for g, k in np.argwhere(prices.max_share).tolist()}
    paid = [
        [Fraction(float(large)), -Fraction(float(small))]
        for large, small in zip(prices.largest, prices.smallest, strict=True)
    ]
    for g, k in at_least:
        most = fairness.max_units[k]
        paid[k].append(_least_share(fairness.alpha[g], most) * Fraction(float(prices.groups[g, k])))
        paid[k].append(_least_share(fairness.min_share[g], most) * Fraction(float(prices.min_share[g, k])))
    for g, k in at_most:
        share = 1 - _least_share(1 - fairness.max_share[g], fairness.max_units[k])
        paid[k].append(-share * Fraction(float(prices.max_share[g, k])))
    return paid


def _fixed(fairness: Fairness, prices: Prices) -> list[Fraction]:
    """What the prices prove by themselves, whoever is where: one term for each promise of an amount."""
    fixed = []
    for k in range(fairness.n_clusters):
        fixed.append(Fraction(float(prices.smallest[k])) * fairness.min_units[k])
        fixed.append(-Fraction(float(prices.largest[k])) * fairness.max_units[k])
    for g, k in np.argwhere(prices.min_members).tolist():
        fixed.append(Fraction(float(prices.min_members[g, k])) * fairness.min_members[g])
    return fixed


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


def _exact_bound(problem: Problem, prices: Prices, paid: list[list[Fraction]], tables: _Tables) -> float:
    """The bound with the points that rounding may concern the most in exact fractions."""
    everyone = np.arange(problem.n_points)
    least, safe = _least_each(problem, everyone, tables)
    exact = np.argsort(safe - least, kind="stable")[:_MOST_EXACT]
    kinds = (prices.groups, prices.min_members, prices.min_share, -prices.max_share)
    groups = [
        [sum((Fraction(float(kind[g, k])) for kind in kinds), Fraction(0)) for k in range(problem.n_clusters)]
        for g in range(problem.groups.n_groups)
    ]
    clusters = range(problem.n_clusters)
    of_cluster_exact = [sum(terms, Fraction(0)) for terms in paid]
    total = sum(_fixed(problem.fairness, prices), Fraction(0))
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


@lru_cache(maxsize=10_000)
def _least_share(alpha: Fraction, largest: int) -> Fraction:
    """The least share of at least alpha that a cluster of at most `largest` units can have at all."""
    if alpha.denominator <= max(largest, 1) or largest > _MOST_SIZES:
        return alpha
    least = Fraction(1)
    for size in range(1, largest + 1):
        members = -(-alpha.numerator * size // alpha.denominator)  # rounded up
        if members * least.denominator < least.numerator * size:
            least = Fraction(members, size)
    return least
