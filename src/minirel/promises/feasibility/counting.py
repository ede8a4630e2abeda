"""What counting alone rules out, in exact integers, before any program is solved."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from minirel.promises.fairness import Fairness
from minirel.promises.feasibility.count_model import CountProblem, disjoint_families
from minirel.promises.feasibility.point_types import PointTypes


@dataclass(frozen=True)
class Shortage:
    """Something of which `needed` are needed and only `there` are there, or would be.

    Attributes
    ----------
    of : {"size", "room", "weight", "points", "members", "mix", "clusters", "min_share", "max_share", \
"everywhere"}
        What is short: clusters of different sizes at once, room for all points, weight or points to fill
        all clusters, members of a group, members of a group in the points where it has most of them,
        clusters for groups without a common member or that each need their own, members for a share of every
        cluster, room for members in such a share, or members to have one in every cluster.
    needed, there : int
        In units of weight, points or clusters.
    groups : tuple of int
        The groups whose holders take so much; all of them are needed for the shortage.
    sizes : tuple of str
        Other parameters that play a part: "min_size", "max_size", "min_members", "exclusive".
    family : int
        How many groups without a common member there are in all, when clusters are short.
    n_clusters : tuple of int, optional
        The fewest and the most clusters between which there is no such shortage, all else unchanged; None if
        no number of clusters would do.
    """

    of: Literal[
        "size",
        "room",
        "weight",
        "points",
        "members",
        "mix",
        "clusters",
        "min_share",
        "max_share",
        "everywhere",
    ]
    needed: int
    there: int
    groups: tuple[int, ...] = ()
    sizes: tuple[str, ...] = ()
    family: int = 0
    n_clusters: tuple[int, int] | None = None


def shortage(problem: CountProblem) -> Shortage | None:
    """The first shortage that counting finds."""
    # Where clusters may be empty, an empty one can have any number of holders.
    bounds = BOUNDS if all(problem.fairness.min_units) else (_of_sizes, _of_shares)
    return next((found for bound in bounds if (found := bound(problem)) is not None), None)


def _of_sizes(problem: CountProblem) -> Shortage | None:
    """Clusters within the sizes must add up to the total."""
    fairness, total, n_points = problem.fairness, problem.types.total, problem.types.n_points
    smallest, largest = fairness.min_units, fairness.max_units
    alike = len({*smallest}) == len({*largest}) == 1
    for least, most in zip(smallest, largest, strict=True):
        if most < least and most < total:
            return Shortage("size", least, most, sizes=("min_size", "max_size"))
    if sum(smallest) > total:
        numbers = (1, total // smallest[0]) if alike and smallest[0] <= total else None
        return Shortage("weight", sum(smallest), total, sizes=("min_size",), n_clusters=numbers)
    if sum(largest) < total:
        numbers = (-(-total // largest[0]), n_points) if alike and largest[0] else None
        return Shortage("room", total, sum(largest), sizes=("max_size",), n_clusters=numbers)
    n_filled = sum(map(bool, smallest))
    if n_filled > n_points:
        return Shortage("points", n_filled, n_points, n_clusters=(1, n_points))
    return None


def _of_shares(problem: CountProblem) -> Shortage | None:
    """A share that is bounded in every cluster is so bounded in all of them together."""
    fairness, types = problem.fairness, problem.types
    for g, (least, most) in enumerate(zip(fairness.min_share, fairness.max_share, strict=True)):
        members = int(types.members[g])
        if members < least * types.share_total:
            return Shortage("min_share", math.ceil(least * types.share_total), members, (g,))
        if members > most * types.share_total:
            return Shortage("max_share", members, math.floor(most * types.share_total), (g,))
    return None


def _of_everywhere(problem: CountProblem) -> Shortage | None:
    """A share of every cluster, however small, takes a member in every cluster."""
    n_clusters, too_few = problem.fairness.n_clusters, not_everywhere(problem.types, problem.fairness)
    if not too_few:
        return None
    n_members, g = min((int(problem.types.n_members[g]), g) for g in too_few)
    return Shortage("everywhere", n_clusters, n_members, (g,), n_clusters=(1, n_members))


def not_everywhere(types: PointTypes, fairness: Fairness) -> list[int]:
    """The groups that have a least share in every cluster, but not so many members."""
    if types.people is not None or not all(fairness.min_units):  # a cluster of nobody has every share
        return []
    return np.flatnonzero(
        np.array(fairness.min_share, dtype=bool) & (types.n_members < fairness.n_clusters)
    ).tolist()


def _of_members(problem: CountProblem) -> Shortage | None:
    """A group must fill its share of the clusters it holds, which hold what the other clusters cannot."""
    types, fairness = problem.types, problem.fairness
    for g, number in enumerate(problem.fewest.tolist()):
        alpha, members = fairness.alpha[g], int(types.members[g])
        if types.n_members[g] < number:
            return Shortage("members", number, int(types.n_members[g]), (g,))
        if number * fairness.min_members[g] > members:
            return Shortage("members", number * fairness.min_members[g], members, (g,), ("min_members",))
        if types.people is not None:
            if (found := _of_people(problem, g, number)) is not None:
                return found
            continue
        possible = np.flatnonzero(problem.allowed[g]).tolist()
        by_min = sum(sorted(math.ceil(alpha * fairness.min_units[k]) for k in possible)[:number])
        if by_min > members:
            return Shortage("members", by_min, members, (g,), ("min_size",))
        n_others = fairness.n_clusters - number
        elsewhere = sum(sorted(fairness.max_units)[number:]) if n_others else 0
        by_max = math.ceil(alpha * (types.total - elsewhere)) if number else 0
        if by_max > members:
            sizes = ("max_size",) if min(fairness.max_units) < types.total else ()
            # Clusters that others fill, so that the group's share of the rest is within its means.
            more = math.ceil((types.total - math.floor(members / alpha)) / Fraction(max(fairness.max_units)))
            most = types.total // max(fairness.min_units)
            there = (number + more, most) if sizes and number + more <= most else None
            return Shortage("members", by_max, members, (g,), sizes, n_clusters=there)
    return None


def _of_people(problem: CountProblem, g: int, number: int) -> Shortage | None:
    """Whether any points, even divided ones, fill so many clusters in which the group has its share.

    A point adds its members less alpha times its total. The points that add most for their weight, as much as
    these clusters weigh at least, must not add up to less than nothing: a knapsack, bounded by the price that
    fills it.
    """
    types, fairness = problem.types, problem.fairness
    possible = np.flatnonzero(problem.allowed[g]).tolist()
    by_min = sum(sorted(fairness.min_units[k] for k in possible)[:number])
    elsewhere = sum(sorted(fairness.max_units)[number:]) if fairness.n_clusters > number else 0
    weight = max(by_min, types.total - elsewhere) if number else 0
    p, q = fairness.alpha[g].numerator, fairness.alpha[g].denominator
    adds = q * types.of_members[:, g].astype(object) - p * types.of_total.astype(object)
    gains = adds >= 0
    left = weight - int(types.units[gains] @ types.count[gains])
    price = Fraction(0)
    some = np.flatnonzero(~gains & (types.units > 0))
    if left > 0 and len(some):
        loss = -adds[some].astype(np.float64) / types.units[some]
        order = np.argsort(loss, kind="stable")
        filled = np.cumsum((types.units * types.count)[some][order])
        last = some[order[min(int(np.searchsorted(filled, left)), len(order) - 1)]]
        price = Fraction(-int(adds[last]), int(types.units[last]))
    # Any price bounds it, in exact integers.
    priced = price.denominator * adds + price.numerator * types.units.astype(object)
    most = Fraction(int(types.count.astype(object) @ np.maximum(priced, 0)), price.denominator)
    lacking = price * weight - most
    if lacking <= 0:
        return None
    sizes = tuple(
        name
        for name, plays in (
            ("min_size", weight == by_min and max(fairness.min_units) > 1),
            ("max_size", weight > by_min and min(fairness.max_units) < types.total),
        )
        if plays
    )
    return Shortage("mix", math.ceil(lacking / q), 0, (g,), sizes)


def _of_exclusive(problem: CountProblem) -> Shortage | None:
    """Where each cluster counts for one group only, holders need as many clusters."""
    if not problem.fairness.exclusive:
        return None
    needed, possible = int(problem.fewest.sum()), problem.allowed.any(axis=0)
    there, holding = int(possible.sum()), np.flatnonzero(problem.fewest).tolist()
    if needed <= there:
        return None
    most = min(problem.types.total // max(problem.fairness.min_units), problem.types.n_points)
    numbers = (needed, most) if possible.all() and needed <= most else None
    return Shortage("clusters", needed, there, tuple(holding), ("exclusive",), 0, numbers)


def _of_clusters(problem: CountProblem) -> Shortage | None:
    """Groups without a common member share a cluster only while their shares add up to 1 at most."""
    types = problem.types
    for family in disjoint_families(types):
        holding = [g for g in family if problem.fewest[g]]
        if holding:
            found = _of_shared_clusters(problem, holding) or _of_shared_members(problem, holding)
            if found is not None:
                return found
    return None


def _of_shared_clusters(problem: CountProblem, family: list[int]) -> Shortage | None:
    """The clusters that groups without a common member need between them."""
    types, possible = problem.types, problem.allowed[family].any(axis=0)
    # By the measure by which they need most.
    parts = max(
        ({g: int(problem.fewest[g]) * takes[g] for g in family} for takes in _taken(problem.fairness.alpha)),
        key=lambda parts: sum(parts.values()),
    )
    needed, there = math.ceil(sum(parts.values())), int(possible.sum())
    if needed <= there:
        return None
    # The largest parts first, so that none of those taken could be spared.
    first = sorted(family, key=lambda g: (-parts[g], -int(types.members[g])))
    sums = itertools.accumulate(parts[g] for g in first)
    enough = first[: 1 + next(i for i, part in enumerate(sums) if part > there)]
    most = min(types.total // max(problem.fairness.min_units), types.n_points)
    numbers = (needed, most) if possible.all() and needed <= most else None
    return Shortage("clusters", needed, there, tuple(sorted(enough)), (), len(family), numbers)


def _of_shared_members(problem: CountProblem, family: list[int]) -> Shortage | None:
    """Where they need every cluster, groups without a common member need their share of all points."""
    types, n_clusters = problem.types, problem.allowed.shape[1]
    least = min(problem.fairness.alpha[g] for g in family)
    # However many holders the other clusters take.
    in_each = int(problem.fewest[family].sum()) - (n_clusters - 1) * math.floor(1 / least)
    needed, there = math.ceil(in_each * least * types.share_total), int(types.members[family].sum())
    if needed <= there:
        return None
    return Shortage("members", needed, there, tuple(family), (), len(family))


def _taken(alpha: Sequence[Fraction]) -> list[list[Fraction]]:
    """What part of a cluster a holder takes up, by several measures.

    A holder of share alpha takes up alpha, but of two holders above 1/2 one fills a cluster. The measures are
    the dual feasible functions of Fekete and Schepers (2001), which bound the bins that items take: whatever
    shares fit into one cluster, their parts add up to 1 at most.
    """
    measures = [list(alpha)]
    for k in sorted({math.floor(1 / share) for share in alpha}):
        scaled = ((share, (k + 1) * share) for share in alpha)
        measures.append([s if x.denominator == 1 else Fraction(math.floor(x), k) for s, x in scaled])
    for least in sorted({share for share in alpha if 2 * share <= 1}):
        # Beside a holder that leaves less than `least`, none of the others has room.
        measures.append([Fraction(1 if s > 1 - least else 0 if s < least else s) for s in alpha])
    return measures


BOUNDS: tuple[Callable[[CountProblem], Shortage | None], ...] = (
    _of_sizes,
    _of_shares,
    _of_everywhere,
    _of_members,
    _of_exclusive,
    _of_clusters,
)
