"""The count program written as rows and columns, and its answers checked in integers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from minirel.exact import tightest
from minirel.point_types import PointTypes
from minirel.solvers import LinearModel

# More than the rounding of a row's sum, for up to a billion points.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Question:
    """Which claims can some clustering keep, at the least cost.

    A claim is a pair (group, cluster): the group has its share `alpha` of the cluster. Group g makes between
    ``fewest[g]`` and ``most[g]`` claims, all of them `allowed` and those `held` among them.
    """

    types: PointTypes
    alpha: Sequence[Fraction]
    min_units: int
    max_units: int
    cost: NDArray[np.float64]
    fewest: NDArray[np.intp]
    most: NDArray[np.intp]
    allowed: NDArray[np.bool_]
    held: NDArray[np.bool_]


def linear_model(
    question: Question, *, whole: bool, with_room: bool = False, excluded: Sequence[NDArray[np.bool_]] = ()
) -> LinearModel:
    """Write the question as an integer program.

    Columns are the points of type t in cluster k, in the order (t, k), the claims in the order (g, k), and
    the room that every row has to spare.

    Parameters
    ----------
    question : Question
        What is asked.
    whole : bool
        Whether points stay whole. If not, only the claims are integer.
    with_room : bool
        Make the room as large as possible, up to where rounding the points can break no row.
    excluded : sequence of arrays of bool
        Choices of claims known not to do, nor any with more claims.
    """
    types, held, scale = question.types, question.held.ravel(), question.types.scale
    n_types, (n_groups, n_clusters) = len(types.count), question.allowed.shape
    # Points are counted, what is poured is measured in the scale.
    by_point, by_count = (1.0, scale) if types.divisible else (scale, 1.0)
    units, count = types.units / by_point, types.count / by_count
    member = types.member.T * units
    shares = [tightest(alpha, question.max_units) for alpha in question.alpha]
    share = np.array([float(s) for s in shares])
    # Rows of integers are moved by half the finest step they can take: no answer of theirs is changed, and a
    # solver's tolerance stays harmless. Without integers it is rounding that must be harmless.
    half = 0.5 / scale if whole else min(0.5 / scale, _ROUNDING)
    half_share = np.repeat([half / s.denominator if whole else half for s in shares], n_clusters)
    given_away = np.where(held, 0.0, np.repeat(share * question.max_units / scale, n_clusters))
    least = np.repeat([math.ceil(s * question.min_units) / scale for s in shares], n_clusters)
    possible = question.allowed.ravel()

    clusters = np.arange(n_clusters)
    point = np.arange(n_types * n_clusters).reshape(n_types, n_clusters)  # the columns, by type and cluster
    claim = point.size + np.arange(n_groups * n_clusters)
    room = point.size + claim.size
    rows = _Rows(room + 1)
    rows.add(n_types, (np.arange(n_types)[:, None], point, 1.0), lower=count, upper=count)
    size = (clusters, point, units[:, None])
    rows.add(n_clusters, size, (clusters, room, -1.0), lower=question.min_units / scale - half)
    rows.add(n_clusters, size, (clusters, room, 1.0), upper=question.max_units / scale + half)
    if n_groups:
        pairs = np.flatnonzero(possible)
        row, (group, cluster) = np.arange(len(pairs)), np.divmod(pairs, n_clusters)
        of_cluster = point[:, cluster].T
        # Equation (3) of the paper: a claim that is not made is given away.
        rows.add(
            len(pairs),
            (row[:, None], of_cluster, (member - share[:, None] * units)[group]),
            (row, claim[pairs], -given_away[pairs]),
            (row, room, -1.0),
            lower=(-given_away - half_share)[pairs],
        )
        # The members that a claim takes at least, which the large number in the row above hides.
        rows.add(
            len(pairs),
            (row[:, None], of_cluster, member[group]),
            (row, claim[pairs], -least[pairs]),
            lower=-half,
        )
        by_group = claim.reshape(n_groups, n_clusters)
        each_group = np.arange(n_groups)[:, None]
        rows.add(n_groups, (each_group, by_group, 1.0), lower=question.fewest, upper=question.most)
        # Any number of claims can be made to an empty cluster, where there may be one.
        for weight, sum_at_most in _caps(types.member, shares) if question.min_units else ():
            rows.add(n_clusters, (clusters, by_group, weight[:, None]), upper=sum_at_most)
        for claims in excluded:
            rows.add(1, (0, claim, claims.ravel().astype(np.float64)), upper=claims.sum() - 1)

    largest_cost = np.abs(question.cost).max(initial=0.0)
    cost = question.cost.ravel() / (largest_cost if largest_cost > 0 else 1)
    n_points = n_types * n_clusters
    return LinearModel(
        cost=np.concatenate([np.zeros(n_points), cost, [-1.0 if with_room else 0.0]]),
        lower=np.concatenate([np.zeros(n_points), held, [0.0]]),
        upper=np.concatenate([np.repeat(count, n_clusters), possible, [units.sum() if with_room else 0.0]]),
        integer=np.repeat([whole, True, False], [n_points, len(cost), 1]),
        matrix=rows.matrix(),
        row_lower=np.concatenate(rows.lower),
        row_upper=np.concatenate(rows.upper),
    )


def rounded(points: NDArray[np.float64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make the points of each type in each cluster whole, up where the largest remainders are."""
    # Where the solver means a whole number it may be a hair below.
    whole: NDArray[np.int64] = np.floor(points + 1e-6).astype(np.int64)
    rank = np.argsort(np.argsort(whole - points, axis=1, kind="stable"), axis=1)
    whole += rank < (count - whole.sum(1))[:, None]
    return whole


def keeps(question: Question, claims: NDArray[np.bool_], points: NDArray[np.int64]) -> bool:
    """Whether `points` of each type in each cluster keep the `claims` and the sizes, in exact integers."""
    types, alpha = question.types, question.alpha
    size = types.units @ points
    members = (types.member * types.units[:, None]).T @ points
    return (
        bool((points >= 0).all())
        and bool((points.sum(1) == types.count).all())
        and question.min_units <= int(size.min())
        and int(size.max()) <= question.max_units
        and all(
            alpha[g].denominator * int(members[g, k]) >= alpha[g].numerator * int(size[k])
            for g, k in np.argwhere(claims)
        )
    )


class _Rows:
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


def _caps(member: NDArray[np.bool_], shares: Sequence[Fraction]) -> list[tuple[NDArray[np.float64], float]]:
    """Limits on the claims to one cluster: in groups without a common member, shares add up to 1 at most.

    The paper's cap floor(1 / alpha) is the case of a single alpha. Implied, but not by the relaxation.
    """
    overlap = member.T.astype(np.int64) @ member > 0
    families: list[list[int]] = []
    for g in range(len(shares)):
        home = next((family for family in families if not overlap[g, family].any()), None)
        if home is None:
            families.append([g])
        else:
            home.append(g)
    caps = []
    for family in families:
        weight = np.zeros(len(shares))
        one_share = len({shares[g] for g in family}) == 1
        weight[family] = 1 if one_share else [float(shares[g]) for g in family]
        caps.append((weight, math.floor(1 / shares[family[0]]) if one_share else 1 + 1e-9))
    return caps
