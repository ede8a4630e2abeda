"""Points that are units of many people: numbers of members in place of membership."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Counts:
    """What a point of each signature holds.

    Attributes
    ----------
    members : ndarray of int64, shape (n_signatures, n_groups)
        Members of each group, in multiples of `unit`.
    total : ndarray of int64, shape (n_signatures,)
        Everybody of whom the members are a share, in multiples of `unit`.
    size : ndarray of int64, shape (n_signatures,)
        What the point weighs, in units of weight.
    unit : Fraction
        What one unit of members and totals stands for.
    """

    members: NDArray[np.int64]
    total: NDArray[np.int64]
    size: NDArray[np.int64]
    unit: Fraction

    def take(self, some: NDArray[np.intp]) -> "Counts":
        """Those of some signatures."""
        return Counts(self.members[some], self.total[some], self.size[some], self.unit)
