"""Points that a request cannot tell apart, counted together."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from minirel.points.counts import Counts
from minirel.points.groups import Groups
from minirel.points.weights import Weights


@dataclass(frozen=True, eq=False)
class PointTypes:
    """How many points there are of each type: a class, which is a set of groups, and a weight.

    ``member[c, g]`` says whether class c belongs to group g. Type t is of class ``kind[t]``, one of its
    points weighs ``units[t]``, and there are ``count[t]``. Types are sorted by class, then by weight.

    Where points hold numbers of members, every type is a class of its own, and one of its points has
    ``member[c, g]`` members of the groups among ``people[c]``; otherwise `people` is None.
    """

    member: NDArray[np.bool_] | NDArray[np.int64]
    kind: NDArray[np.intp]
    units: NDArray[np.int64]
    count: NDArray[np.int64]
    people: NDArray[np.int64] | None = None

    @cached_property
    def amount(self) -> NDArray[np.int64]:
        """Units of all points of each class."""
        return self._by_class(self.units * self.count)

    @cached_property
    def of_members(self) -> NDArray[np.int64]:
        """What a point of each type adds to the members of each group."""
        member = self.member[self.kind]
        return np.asarray(member * self.units[:, None] if self.people is None else member)

    @cached_property
    def of_total(self) -> NDArray[np.int64]:
        """What a point of each type adds to what shares are of."""
        return self.units if self.people is None else self.people[self.kind]

    @cached_property
    def members(self) -> NDArray[np.int64]:
        """Units of all points of each group."""
        return np.asarray(self.count @ self.of_members)

    @cached_property
    def n_members(self) -> NDArray[np.int64]:
        """Number of points of each group."""
        return np.asarray(self._by_class(self.count) @ (self.member > 0).astype(np.int64))

    @cached_property
    def total(self) -> int:
        """Units of all points together."""
        return int(self.units @ self.count)

    @cached_property
    def share_total(self) -> int:
        """Units of all that shares are of."""
        return int(self.of_total @ self.count)

    @cached_property
    def n_points(self) -> int:
        """Number of points that weigh something."""
        return int(self.count[self.units > 0].sum())

    @property
    def scale(self) -> float:
        """Units of the mean point."""
        return self.total / self.n_points

    @property
    def share_scale(self) -> float:
        """What the mean point adds to what shares are of."""
        return max(self.share_total, 1) / self.n_points  # units of a batch may all be empty

    def seen_by(self, asked: NDArray[np.intp]) -> "PointTypes":
        """Merge the types that differ only in groups outside `asked`, which become the groups."""
        if self.people is not None:
            rows = np.column_stack([self.member[:, asked], self.people, self.units]).astype(np.int64)
            return _of_profiles(*_distinct_profiles(rows, self.count))
        member, place = _distinct(self.member[:, asked].astype(np.bool_))
        return _merged(member, place[self.kind], self.units, self.count)

    def _by_class(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        sums = np.zeros(len(self.member), dtype=np.int64)
        np.add.at(sums, self.kind, values)
        return sums


def read_types(groups: Groups, weights: Weights) -> PointTypes:
    """Count the points by groups and weight, without those that weigh nothing."""
    kind = groups.signature.astype(np.intp)
    if groups.counts is not None:
        number = np.bincount(kind, minlength=groups.n_signatures)
        return _of_profiles(*_distinct_profiles(_profiles(groups.counts), number))
    if weights.units is None:
        count = np.bincount(kind, minlength=groups.n_signatures)
        return PointTypes(groups.signatures, np.arange(groups.n_signatures), np.ones_like(count), count)
    weighs = weights.units > 0
    units = weights.units[weighs]
    return _merged(groups.signatures, kind[weighs], units, np.ones(len(units), dtype=np.int64))


def by_type(groups: Groups, weights: Weights, asked: NDArray[np.intp]) -> NDArray[np.intp]:
    """The points that weigh something, in the order of their types as seen by the groups `asked`.

    Those that hold numbers of members are all there.
    """
    if groups.counts is not None:
        profiles = _profiles(groups.counts)[:, [*asked.tolist(), -2, -1]]
        place = np.unique(profiles, axis=0, return_inverse=True)[1].ravel()
        return np.argsort(place[groups.signature], kind="stable")
    kind = _distinct(groups.signatures[:, asked])[1][groups.signature]
    if weights.units is None:
        return np.argsort(kind, kind="stable")
    order = np.lexsort((weights.units, kind))
    return order[weights.units[order] > 0]


def _profiles(counts: Counts) -> NDArray[np.int64]:
    """Members, total and weight of a point of each signature."""
    return np.column_stack([counts.members, counts.total, counts.size])


def _distinct_profiles(
    rows: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct rows, sorted, and how many points have each."""
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return distinct, np.bincount(place.ravel(), count, len(distinct)).astype(np.int64)


def _of_profiles(rows: NDArray[np.int64], count: NDArray[np.int64]) -> PointTypes:
    return PointTypes(rows[:, :-2], np.arange(len(rows)), rows[:, -1], count, rows[:, -2])


def _distinct(member: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """The distinct rows, sorted, and the place of each row among them."""
    # One more column, so that there is at least one; and bytes to compare, not a thousand fields.
    packed = np.packbits(np.column_stack([member, np.zeros(len(member), dtype=np.bool_)]), axis=1)
    rows = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, place = np.unique(rows, return_index=True, return_inverse=True)
    return member[first], place


def _merged(
    member: NDArray[np.bool_], kind: NDArray[np.intp], units: NDArray[np.int64], count: NDArray[np.int64]
) -> PointTypes:
    order = np.lexsort((units, kind))
    kind, units, count = kind[order], units[order], count[order]
    starts = np.flatnonzero(np.diff(kind, prepend=-1) | np.diff(units, prepend=-1))
    return PointTypes(member, kind[starts], units[starts], np.add.reduceat(count, starts))
