"""The certificate: an answer verified from labels and prices, by code that shares nothing with the solvers.

Counts are integers and shares exact fractions, so promises are compared without rounding. The lower bound is
that of the Lagrangian: for any prices >= 0, moving every promise into the cost at its price can only lower
the cost of the best assignment, and then each point's cheapest cluster is the solution. It is computed again
from the prices, and rounded down.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Part, over_blocks
from minirel.assignment.problem import Problem
from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.prices import Prices

_CHUNK = 16_384  # points
_MAX_SIZES = 10**7
_COMPILE_FROM = 100_000  # costs
_EPSILON = 2.0**-53  # unit roundoff
_NEGLIGIBLE = 1e-10  # relative to the bound: a rounding error up to this is subtracted as it is
_MAX_EXACT = 500  # points that are computed in fractions where it is more

Vector = NDArray[np.float64]


class CertificateError(RuntimeError):
    """An answer failed its verification, which is a defect of minirel; it is not returned."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What was counted and computed again from the labels of an assignment.

    Attributes
    ----------
    cost : float
        Sum of the costs of the points where they are, by weight.
    price_bound : float
        The lower bound of the prices alone, minus its rounding error; without prices, what the nearest
        clusters cost.
    sizes : ndarray of shape (n_clusters,)
        Weight of each cluster, in units of `unit`.
    totals : ndarray of shape (n_clusters,)
        What shares are of in each cluster, in units of `member_unit`: the sizes, unless points hold numbers
        of members.
    members : ndarray of shape (n_groups, n_clusters)
        Weight or number of members of each group in each cluster, in units of `member_unit`.
    represented : ndarray of shape (n_groups, n_clusters)
        Where each group has its share.
    unit : Fraction
        The weight that one unit stands for.
    member_unit : Fraction
        What one unit of members stands for.
    """

    cost: float
    price_bound: float
    sizes: NDArray[np.int64]
    totals: NDArray[np.int64]
    members: NDArray[np.int64]
    represented: NDArray[np.bool_]
    unit: Fraction
    member_unit: Fraction


def certify(problem: Problem, labels: NDArray[np.intp], prefix: Prefix, prices: Prices | None) -> Certificate:
    """Check `labels` against everything that was asked; raise `CertificateError` if anything fails."""
    n, n_clusters = problem.costs.shape
    fairness, weights = problem.fairness, problem.weights
    if labels.shape != (n,) or labels.dtype.kind != "i" or labels.min() < 0 or labels.max() >= n_clusters:
        raise CertificateError(f"labels must be {n} clusters from 0 to {n_clusters - 1}")
    units = weights.units
    sizes = totals = _sum_by(labels, units, n_clusters)
    members = np.zeros((len(fairness.names), n_clusters), dtype=np.int64)
    people = problem.groups.counts
    if people is not None:
        totals = _sum_by(labels, people.total[problem.groups.signature], n_clusters)
    for g in range(len(fairness.names)):
        if people is not None:
            members[g] = _sum_by(labels, people.members[problem.groups.signature, g], n_clusters)
            continue
        inside = np.flatnonzero(problem.groups.members(g))
        members[g] = _sum_by(labels[inside], None if units is None else units[inside], n_clusters)
    represented = np.zeros(members.shape, dtype=np.bool_)
    for g, share in enumerate(fairness.alpha):
        for k in range(n_clusters):
            has_share = share.denominator * int(members[g, k]) >= share.numerator * int(totals[k])
            represented[g, k] = has_share and totals[k] > 0 and members[g, k] >= fairness.min_members[g]

    for k, (size, least, most) in enumerate(
        zip(sizes.tolist(), fairness.min_units, fairness.max_units, strict=True)
    ):
        if not least <= size <= most:
            raise CertificateError(f"cluster {k} has {size} units, not {least} to {most}")
    for g, name in enumerate(fairness.names):
        for k, (total, count) in enumerate(zip(totals.tolist(), members[g].tolist(), strict=True)):
            if not fairness.min_share[g] * total <= count <= fairness.max_share[g] * total:
                raise CertificateError(f"the share of group {name!r} in cluster {k} is out of bounds")
    for g, k in prefix:
        # min_size=0 lets a held cluster be empty
        may_be_empty = totals[k] == 0 and not fairness.min_members[g] and not fairness.min_units[k]
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

    each = _each(problem, labels)
    cost = math.fsum(each) * float(weights.unit)
    bound = price_bound(problem, prefix, prices) * float(weights.unit)
    if bound > cost and bound > cost + 4 * _EPSILON * math.fsum(np.abs(each)) * float(weights.unit):
        raise CertificateError(f"the prices prove {bound}, which is more than the cost {cost}")
    return Certificate(cost, bound, sizes, totals, members, represented, weights.unit, fairness.member_unit)


def _each(problem: Problem, labels: NDArray[np.intp]) -> Vector:
    """What each point costs, over its units."""
    each = np.empty(len(labels))
    over_blocks(
        _own, (problem.costs,), (labels,), workers=problem.workers, most=_CHUNK, keep=each.__setitem__
    )
    return each if problem.weights.units is None else each * problem.weights.units


def _own(part: Part, labels: NDArray[np.intp]) -> NDArray[np.floating]:
    costs = part.table()
    return np.asarray(costs[np.arange(len(costs)), labels])


def _sum_by(labels: NDArray[np.intp], units: NDArray[np.int64] | None, n_clusters: int) -> NDArray[np.int64]:
    # Totals stay below 2**53 (see weights.py), so these sums of doubles are exact integers.
    return np.bincount(labels, weights=units, minlength=n_clusters).astype(np.int64)


def price_bound(problem: Problem, prefix: Prefix, prices: Prices | None) -> float:
    """The value of the Lagrangian at the prices, over units, minus its rounding error.

    Prices are 0 if None. The relative error of an operation on doubles is at most the unit roundoff, so the
    error of a sum of m terms is at most m times that of the sum of their absolute values. Where this is not
    negligible, the points of the largest errors are computed again in exact fractions.
    """
    if prices is None:
        prices = Prices.none(problem.groups.n_groups, problem.n_clusters)
    _check_prices(problem.fairness, prefix, prices)
    of_groups = prices.groups + prices.min_members + prices.min_share - prices.max_share
    # The rounding error of a priced cost, from the number of its terms.
    relative_error = (2 * problem.groups.n_groups + 10) * _EPSILON
    if problem.groups.counts is not None:
        return _bound_of_people(problem, prices, of_groups, relative_error)
    cluster_terms = _cluster_terms(problem.fairness, prices)
    of_cluster = np.array([float(sum(terms)) for terms in cluster_terms])
    cluster_errors = relative_error * 2 * prices.table.sum(axis=0)
    tables = _Tables(of_cluster, of_groups, relative_error, cluster_errors)

    is_large = problem.costs.size >= _COMPILE_FROM
    least_cost = _least_cost_compiled if is_large else _least_cost
    each, small = (problem.groups.signature, problem.weights.units), (problem.groups.signatures, tables)
    parts = over_blocks(least_cost, (problem.costs,), each, small, workers=problem.workers, most=_CHUNK)
    constants = [float(amount) for amount in _constant_terms(problem.fairness, prices)]
    total: float
    safe: float
    total, safe = (math.fsum([*values, *constants]) for values in zip(*parts, strict=True))
    safe -= 4 * _EPSILON * (math.fsum(map(abs, constants)) + sum(abs(value) for value, _ in parts))
    if total - safe <= _NEGLIGIBLE * abs(total):
        return safe
    return max(safe, _exact_bound(problem, prices, cluster_terms, tables))


def _check_prices(fairness: Fairness, prefix: Prefix, prices: Prices) -> None:
    """Check that no price is negative, and that prices are 0 where nothing is promised."""
    if not (prices.table >= 0).all():
        raise CertificateError("a price is negative")
    promised = np.zeros(prices.groups.shape, dtype=np.bool_)
    for g, k in prefix:
        promised[g, k] = True
    if prices.groups[~promised].any() or prices.min_members[~promised].any():
        raise CertificateError("a price is on a pair that was not promised")


def _cluster_terms(fairness: Fairness, prices: Prices) -> list[list[Fraction]]:
    """The terms that prices add to the cost of a unit in each cluster, whatever its groups, exactly."""
    of_size, of_total = _size_terms(prices), _total_terms(fairness, prices)
    return [size + total for size, total in zip(of_size, of_total, strict=True)]


def _size_terms(prices: Prices) -> list[list[Fraction]]:
    """The terms for the weight of a point."""
    return [
        [Fraction(float(large)), -Fraction(float(small))]
        for large, small in zip(prices.largest, prices.smallest, strict=True)
    ]


def _total_terms(fairness: Fairness, prices: Prices) -> list[list[Fraction]]:
    """The terms for what shares are of."""
    at_least = {(g, k) for g, k in np.argwhere(prices.groups + prices.min_share).tolist()}
    at_most = {(g, k) for g, k in np.argwhere(prices.max_share).tolist()}
    terms: list[list[Fraction]] = [[] for _ in range(fairness.n_clusters)]
    for g, k in at_least:
        most = fairness.max_totals[k]
        terms[k].append(_least_share(fairness.alpha[g], most) * Fraction(float(prices.groups[g, k])))
        terms[k].append(_least_share(fairness.min_share[g], most) * Fraction(float(prices.min_share[g, k])))
    for g, k in at_most:
        share = 1 - _least_share(1 - fairness.max_share[g], fairness.max_totals[k])
        terms[k].append(-share * Fraction(float(prices.max_share[g, k])))
    return terms


def _constant_terms(fairness: Fairness, prices: Prices) -> list[Fraction]:
    """The terms of the Lagrangian that do not depend on the labels: one per promise of an amount."""
    terms = []
    for k in range(fairness.n_clusters):
        terms.append(Fraction(float(prices.smallest[k])) * fairness.min_units[k])
        terms.append(-Fraction(float(prices.largest[k])) * fairness.max_units[k])
    for g, k in np.argwhere(prices.min_members).tolist():
        least = fairness.min_members[g]
        if fairness.counts_people and fairness.min_units[k]:
            least = max(least, 1)  # a share of nobody is none
        terms.append(Fraction(float(prices.min_members[g, k])) * least)
    return terms


def _bound_of_people(problem: Problem, prices: Prices, of_groups: Vector, relative_error: float) -> float:
    """The same where points hold numbers of members: a point's prices are those times its numbers."""
    fairness, counts = problem.fairness, problem.groups.counts
    assert counts is not None
    of_total, of_size = (
        np.array([float(sum(terms, Fraction(0))) for terms in by_cluster])
        for by_cluster in (_total_terms(fairness, prices), _size_terms(prices))
    )
    paid = sum(prices.of_kind(kind) for kind in ("share", "min_members", "min_share", "max_share"))
    paid_by_size = prices.largest + prices.smallest
    values: list[float] = []
    safe_values: list[float] = []
    for first in range(0, problem.n_points, _CHUNK):
        chunk = slice(first, first + _CHUNK)
        signature, costs = problem.groups.signature[chunk], problem.costs[chunk].astype(np.float64)
        if problem.weights.units is not None:
            costs = costs * problem.weights.units[chunk, None].astype(np.float64)
        members, total = (part[signature].astype(np.float64) for part in (counts.members, counts.total))
        size = problem.weights.numbers(problem.n_points)[chunk].astype(np.float64)
        priced = costs + total[:, None] * of_total + size[:, None] * of_size - members @ of_groups
        # No group has more members than there are people.
        terms = np.abs(costs) + 2 * total[:, None] * np.sum(paid, axis=0) + size[:, None] * paid_by_size
        values.extend(priced.min(axis=1).tolist())
        safe_values.extend((priced - 2 * relative_error * terms).min(axis=1).tolist())
    constants = [float(amount) for amount in _constant_terms(fairness, prices)]
    magnitude = math.fsum(map(abs, constants)) + math.fsum(map(abs, values))
    return math.fsum([*safe_values, *constants]) - 4 * _EPSILON * magnitude


class _Tables(NamedTuple):
    """What prices add by cluster and subtract by group, and the rounding errors: of a cost, by cluster."""

    of_cluster: Vector
    of_groups: Vector
    relative_error: float
    cluster_errors: Vector


_Signature: TypeAlias = NDArray[np.int32]
_Units: TypeAlias = "NDArray[np.int64] | None"
_Signatures: TypeAlias = NDArray[np.bool_]


def _least_cost(
    part: Part, signature: _Signature, units: _Units, signatures: _Signatures, tables: _Tables
) -> tuple[float, float]:
    """Sum of the least priced costs of a chunk of points, over units, and the same rounded down."""
    least, safe = _least_each(part, signature, units, signatures, tables)
    return math.fsum(least), math.fsum(safe)


def _least_each(
    part: Part, signature: _Signature, units: _Units, signatures: _Signatures, tables: _Tables
) -> tuple[Vector, Vector]:
    costs = part.table().astype(np.float64)
    priced = costs + tables.of_cluster
    priced -= signatures[signature].astype(np.float64) @ tables.of_groups
    least = priced.min(axis=1)
    safe = (priced - (tables.relative_error * np.abs(costs) + tables.cluster_errors)).min(axis=1)
    return (least, safe) if units is None else (least * units, safe * units)


def _least_cost_compiled(
    part: Part, signature: _Signature, units: _Units, signatures: _Signatures, tables: _Tables
) -> tuple[float, float]:
    from minirel.assignment.recheck import least_sum

    some = np.empty(0, dtype=np.int64) if units is None else units
    return least_sum(part.table(), signatures[signature], *tables, some)


def _exact_bound(
    problem: Problem, prices: Prices, cluster_terms: list[list[Fraction]], tables: _Tables
) -> float:
    """The bound with the points of the largest rounding errors in exact fractions."""
    least, safe = np.empty(problem.n_points), np.empty(problem.n_points)

    def keep(rows: slice, found: tuple[Vector, Vector]) -> None:
        least[rows], safe[rows] = found

    each, small = (problem.groups.signature, problem.weights.units), (problem.groups.signatures, tables)
    over_blocks(_least_each, (problem.costs,), each, small, most=_CHUNK, keep=keep)
    exact = np.argsort(safe - least, kind="stable")[:_MAX_EXACT]
    kinds = (prices.groups, prices.min_members, prices.min_share, -prices.max_share)
    groups = [
        [sum((Fraction(float(kind[g, k])) for kind in kinds), Fraction(0)) for k in range(problem.n_clusters)]
        for g in range(problem.groups.n_groups)
    ]
    clusters = range(problem.n_clusters)
    of_cluster_exact = [sum(terms, Fraction(0)) for terms in cluster_terms]
    total = sum(_constant_terms(problem.fairness, prices), Fraction(0))
    units = problem.weights.units
    for i, costs in zip(exact.tolist(), problem.costs[exact], strict=True):
        inside = np.flatnonzero(problem.groups.signatures[problem.groups.signature[i]]).tolist()
        cheapest = min(
            Fraction(float(costs[k])) + of_cluster_exact[k] - sum(groups[g][k] for g in inside)
            for k in clusters
        )
        total += cheapest * (1 if units is None else int(units[i]))
    rest = math.fsum(np.delete(safe, exact))
    return float(total) + rest - 4 * _EPSILON * (abs(float(total)) + abs(rest))


@lru_cache(maxsize=10_000)
def _least_share(alpha: Fraction, largest: int) -> Fraction:
    """The least share of at least alpha that a cluster of at most `largest` units can have at all."""
    if alpha.denominator <= max(largest, 1) or largest > _MAX_SIZES:
        return alpha
    least = Fraction(1)
    for size in range(1, largest + 1):
        members = -(-alpha.numerator * size // alpha.denominator)  # rounded up
        if members * least.denominator < least.numerator * size:
            least = Fraction(members, size)
    return least
