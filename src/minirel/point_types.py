"""Points that a request cannot tell apart, counted together."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from minirel.groups import Groups
from minirel.weights import Weights

# Beyond this many types the points are poured like water, which still proves what cannot be.
_MOST_TYPES = 500


@dataclass(frozen=True, eq=False)
class PointTypes:
    """How many points there are of each type: a set of groups and a weight.

    ``member[t, g]`` says whether type t belongs to group g, ``units[t]`` what one of its points weighs and
    ``count[t]`` how many there are. If `divisible`, a point is a single unit of weight, and may be split.
    """

    member: NDArray[np.bool_]
    units: NDArray[np.int64]
    count: NDArray[np.int64]
    divisible: bool

    @property
    def total(self) -> int:
        """Units of all points together."""
        return int(self.units @ self.count)

    @property
    def scale(self) -> float:
        """Units of the mean point, or of the mean type if points may be split."""
        return self.total / (len(self.count) if self.divisible else int(self.count.sum()))

    def seen_by(self, asked: NDArray[np.intp]) -> Self:
        """Merge the types that differ only in groups outside `asked`, which become the groups."""
        keys = np.column_stack([self.member[:, asked], self.units])
        distinct, place = np.unique(keys, axis=0, return_inverse=True)
        count = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(count, place.ravel(), self.count)
        return replace(self, member=distinct[:, :-1].astype(bool), units=distinct[:, -1], count=count)


def read_types(groups: Groups, weights: Weights) -> PointTypes:
    """Count the points by groups and weight, without those that weigh nothing."""
    signature = groups.signature.astype(np.int64)
    if weights.units is None:
        count = np.bincount(signature, minlength=groups.n_signatures)
        return PointTypes(groups.signatures, np.ones_like(count), count, divisible=False)
    values, place = np.unique(weights.units, return_inverse=True)
    codes, count = np.unique(signature * len(values) + place, return_counts=True)
    kind, units = codes // len(values), values[codes % len(values)]
    kind, units, count = kind[units > 0], units[units > 0], count[units > 0]
    if len(kind) <= _MOST_TYPES:
        return PointTypes(groups.signatures[kind], units, count, divisible=False)
    poured = np.zeros(groups.n_signatures, dtype=np.int64)
    np.add.at(poured, kind, units * count)
    return PointTypes(groups.signatures, np.ones_like(poured), poured, divisible=True)
