"""The count program written as rows and columns, and its answers checked in integers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from minirel.promises.exact import tightest
from minirel.promises.fairness import Fairness
from minirel.promises.feasibility.point_types import PointTypes
from minirel.promises.kinds import KINDS
from minirel.promises.rows import RowList, cluster_rows, holder_rows
from minirel.solvers import LinearModel

# More than the rounding of a row's sum, for up to a billion points.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class CountProblem:
    """Which holders can some clustering keep, at the least cost.

    A holder is a pair (group, cluster): the cluster counts for the group. Group g has between ``fewest[g]``
    and ``most[g]`` holders, all of them `allowed` and those `held` among them. `fairness` is what is asked of
    the groups that the types know.
    """

    types: PointTypes
    fairness: Fairness
    cost: NDArray[np.float64]
    fewest: NDArray[np.intp]
    most: NDArray[np.intp]
    allowed: NDArray[np.bool_]
    held: NDArray[np.bool_]


def entries(problem: CountProblem, *, whole: bool) -> int:
    """About how many entries the program has, which says what it takes to solve."""
    types, n_clusters = problem.types, int(problem.allowed.shape[1])
    member = types.member[types.kind] if whole else types.member
    n_rows = 8 * len(problem.allowed) + 2 * len(problem.fairness.bound_groups)
    member = member > 0
    n_members = 2 * int(member.sum()) + int(member[:, problem.fairness.bound_groups].sum())
    return (n_members + 2 * len(member) + n_rows) * n_clusters


def linear_model(
    problem: CountProblem,
    *,
    whole: bool,
    with_room: bool = False,
    excluded: Sequence[NDArray[np.bool_]] = (),
    times: NDArray[np.int64] | None = None,
) -> LinearModel:
    """Write the problem as an integer program.

    Columns are the points of type t in cluster k, in the order (t, k), the holders in the order (g, k), the
    sizes of the clusters, what shares are of in them if that is something else, and the room that every row
    has to spare.

    Parameters
    ----------
    problem : CountProblem
        What is asked.
    whole : bool
        Whether points stay whole. If not, the points of a class can be divided at will, and columns hold
        their weight in units of the mean point (or the number of points, where these hold numbers of
        members): only the holders are integer.
    with_room : bool
        Make the room as large as possible, up to where rounding the points can break no row.
    excluded : sequence of arrays of bool
        Choices of holders known not to do, nor any with more holders.
    times : array of int, optional
        How many clusters alike each one stands for.
    """
    types, fairness, scale = problem.types, problem.fairness, problem.types.scale
    held, possible = problem.held.ravel(), problem.allowed.ravel()
    has_people, share_scale = types.people is not None, types.share_scale
    by_point = whole or has_people  # not by class
    belongs = types.of_members / share_scale if by_point else types.member.astype(np.float64)
    units = types.units / scale if by_point else np.ones(len(belongs))
    count = types.count if by_point else types.amount / scale
    n_types, (n_groups, n_clusters) = len(belongs), problem.allowed.shape
    # Where no cluster may be empty, some point is in every one.
    lightest = int(types.units[types.units > 0].min())
    fairness = replace(fairness, min_units=tuple(max(u, lightest) if u else 0 for u in fairness.min_units))
    # Rows of integers are moved by half the finest step they can take: no answer of theirs is changed, and a
    # solver's tolerance stays harmless. Without integers it is rounding that must be harmless.

    clusters = np.arange(n_clusters)
    point = np.arange(n_types * n_clusters).reshape(n_types, n_clusters)  # the columns, by type and cluster
    holder = point.size + np.arange(n_groups * n_clusters).reshape(n_groups, n_clusters)
    size = point.size + holder.size + clusters
    total = size + n_clusters if has_people else size
    room = int(total[-1]) + 1
    rows = SparseRows(room + 1)
    rows.add(n_types, (np.arange(n_types)[:, None], point, 1.0), lower=count, upper=count)
    rows.add(n_clusters, (clusters, point, units[:, None]), (clusters, size, -1.0), lower=0.0, upper=0.0)
    if has_people:
        people = types.of_total[:, None] / share_scale
        rows.add(n_clusters, (clusters, point, people), (clusters, total, -1.0), lower=0.0, upper=0.0)
    types_of = [*(np.flatnonzero(member) for member in belongs.T), nobody := np.zeros(0, dtype=np.intp)]

    def promise(
        listed: RowList, *, to_holders: bool = False, has_room: NDArray[np.bool_] | bool = True
    ) -> None:
        """Add rows of the list; those `to_holders` hold where the pair is chosen."""
        row, over = np.arange(len(listed)), np.maximum(np.abs(listed.members), 1).astype(np.float64)
        inside = [types_of[g] if a else nobody for g, a in zip(listed.group, listed.members, strict=True)]
        member, of = np.concatenate([nobody, *inside]), np.repeat(row, [len(some) for some in inside])
        by = np.where(listed.size != 0, scale, share_scale)
        least = listed.least * (1 if times is None else times[listed.cluster]) / (over * by)
        given_away = np.zeros(len(row))
        if to_holders:
            # Equation (3) of the paper: a pair that is not chosen is given away.
            largest = (np.array(part)[listed.cluster] for part in (fairness.max_totals, fairness.max_units))
            most = listed.worst(*largest).astype(np.float64)
            is_open = ~problem.held[listed.group, listed.cluster]
            given_away = np.where(is_open, most / (over * by), 0.0)
        rows.add(
            len(row),
            (
                of,
                point[member, listed.cluster[of]],
                belongs[member, listed.group[of]] * (listed.members / over)[of],
            ),
            (row, size[listed.cluster], listed.size / over),
            (row, total[listed.cluster], listed.total / over),
            (row, holder[listed.group, listed.cluster] if to_holders else 0, -given_away),
            (row, room, -1.0 * np.broadcast_to(has_room, len(row))),
            lower=least - given_away - (0.5 / (by * over) if whole else _ROUNDING),
        )

    promise(cluster_rows(fairness))
    if n_groups:
        listed = holder_rows(fairness, np.argwhere(problem.allowed))
        shares = listed[listed.kind == KINDS.index("share")]
        promise(shares, to_holders=True)
        # The members that a holder takes at least, which the large number in the rows above hides.
        asked, smallest = np.array(fairness.min_members), np.array(fairness.min_units)
        of_smallest = -(shares.total.astype(object) * smallest[shares.cluster] // shares.members)
        if has_people:  # sizes are of something else
            of_smallest = smallest[shares.cluster] > 0
        least = np.maximum(of_smallest.astype(np.int64), asked[shares.group])
        members = replace(shares, members=np.ones_like(least), total=np.zeros_like(least), least=least)
        promise(members, to_holders=True, has_room=asked[shares.group] > 0)
        each_group = np.arange(n_groups)[:, None]
        rows.add(n_groups, (each_group, holder, 1.0), lower=problem.fewest, upper=problem.most)
        if fairness.exclusive:
            rows.add(n_clusters, (clusters, holder, 1.0), upper=1.0)
        # An empty cluster, where there may be one, can have any number of holders.
        for family, weight, sum_at_most in caps(types, fairness) if all(fairness.min_units) else ():
            rows.add(n_clusters, (clusters, holder[family], weight[:, None]), upper=sum_at_most)
        for holders in excluded:
            rows.add(1, (0, holder.ravel(), holders.ravel().astype(np.float64)), upper=holders.sum() - 1)

    largest_cost = np.abs(problem.cost).max(initial=0.0)
    cost = problem.cost.ravel() / (largest_cost if largest_cost > 0 else 1)
    most, n_sums = types.total / scale, room - point.size - holder.size
    return LinearModel(
        cost=np.concatenate([np.zeros(point.size), cost, np.zeros(n_sums), [-1.0 if with_room else 0.0]]),
        lower=np.concatenate([np.zeros(point.size), held, np.zeros(n_sums + 1)]),
        upper=np.concatenate(
            [np.repeat(count, n_clusters), possible, np.full(n_sums, most), [most if with_room else 0.0]]
        ),
        integer=np.concatenate(
            [np.full(point.size, whole), held != possible, np.zeros(n_sums + 1, dtype=np.bool_)]
        ),
        matrix=rows.matrix(),
        row_lower=np.concatenate(rows.lower),
        row_upper=np.concatenate(rows.upper),
    )


def read_solution(
    problem: CountProblem, x: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The points by type, or by class if they were divided, and the holders of a solution."""
    n_groups, n_clusters = problem.allowed.shape
    last = len(x) - 1 - n_clusters * (1 if problem.types.people is None else 2)
    points, holders = np.split(x[:last], [last - n_groups * n_clusters])
    return points.reshape(-1, n_clusters), holders.reshape(n_groups, n_clusters) > 0.5


def placed(types: PointTypes, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole points of each type for what each cluster is to hold of each class, in units of the mean point.

    The heaviest first, each to where most is lacking, so that what is left over or lacking is light.
    """
    n_clusters = shares.shape[1]
    table = np.zeros((len(types.units), n_clusters), dtype=np.int64)
    lacking = (shares * types.scale).tolist()
    for t in range(len(table) - 1, -1, -1):
        lacks, units, left = lacking[types.kind[t]], int(types.units[t]), int(types.count[t])
        if left > n_clusters:
            # Where a solver means a whole number it may be a hair below.
            fits = np.maximum(np.floor(np.array(lacks) / units + 1e-6), 0).astype(np.int64)
            first = np.argsort(-np.array(lacks), kind="stable")
            table[t, first] = np.diff(np.minimum(np.cumsum(fits[first]), left), prepend=0)
            lacks[:] = (lacks - table[t] * units).tolist()
            left -= int(table[t].sum())
        for _ in range(left):
            k = lacks.index(max(lacks))
            table[t, k] += 1
            lacks[k] -= units
    return table


def keeps(problem: CountProblem, holders: NDArray[np.bool_], table: NDArray[np.int64]) -> bool:
    """Whether the points of each type in each cluster keep the `holders` and all else, in exact integers."""
    types, fairness = problem.types, problem.fairness
    sums = types.of_members.T @ table, types.of_total @ table, types.units @ table
    rows = cluster_rows(fairness) + holder_rows(fairness, np.argwhere(holders))
    return (
        bool((table >= 0).all())
        and bool((table.sum(1) == types.count).all())
        and bool((rows.slack(*sums) >= 0).all())
    )


def disjoint_families(types: PointTypes) -> list[list[int]]:
    """Gather the groups, in their order, into families of which no two groups have a common member.

    Of numbers of members it is enough that no point has more members of a family than people: then the shares
    of a cluster add up to 1 at most.
    """
    people = types.people
    member = types.member[types.amount > 0] if people is None else types.member
    families: list[list[int]] = []
    taken: list[NDArray[Any]] = []
    for g, belongs in enumerate(member.T):
        home = next(
            (
                f
                for f, those in enumerate(taken)
                if (not those[belongs].any() if people is None else (those + belongs <= people).all())
            ),
            None,
        )
        if home is None:
            families.append([g])
            taken.append(belongs.copy())
        else:
            families[home].append(g)
            taken[home] += belongs  # of booleans, one or the other
    return families


class SparseRows:
    """Rows of a program, gathered block by block as (row, column, value)."""

    def __init__(self, n_columns: int) -> None:
        self._shape = 0, n_columns
        self._entries: list[tuple[NDArray[np.float64], ...]] = []
        self.lower: list[NDArray[np.float64]] = []
        self.upper: list[NDArray[np.float64]] = []

    def add(
        self,
        n_rows: int,
        *entries: tuple[ArrayLike, ArrayLike, ArrayLike],
        lower: ArrayLike = -math.inf,
        upper: ArrayLike = math.inf,
    ) -> None:
        """Add `n_rows` rows; the parts of each of `entries` are broadcast against each other."""
        first, n_columns = self._shape
        for row, column, value in entries:
            parts = np.broadcast_arrays(np.asarray(row) + first, column, value)
            self._entries.append(tuple(part.ravel() for part in parts))
        self._shape = first + n_rows, n_columns
        self.lower.append(np.broadcast_to(np.asarray(lower, dtype=np.float64), n_rows))
        self.upper.append(np.broadcast_to(np.asarray(upper, dtype=np.float64), n_rows))

    def matrix(self) -> sparse.csr_array:
        """All rows, without the entries that are zero."""
        row, column, value = (np.concatenate(parts) for parts in zip(*self._entries, strict=True))
        there = value != 0
        return sparse.csr_array((value[there], (row[there], column[there])), shape=self._shape)


def caps(types: PointTypes, fairness: Fairness) -> list[tuple[list[int], NDArray[np.float64], float]]:
    """Limits on the holders of one cluster: in groups without a common member, shares add up to 1 at most.

    The paper's cap floor(1 / alpha) is the case of a single alpha. Implied, but not by the relaxation.
    """
    shares = [tightest(alpha, max(fairness.max_totals)) for alpha in fairness.alpha]
    caps = []
    for family in disjoint_families(types):
        if len({shares[g] for g in family}) == 1:
            caps.append((family, np.ones(len(family)), float(math.floor(1 / shares[family[0]]))))
        else:
            caps.append((family, np.array([float(shares[g]) for g in family]), 1 + 1e-9))
    return caps
