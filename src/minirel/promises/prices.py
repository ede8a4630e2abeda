"""What promises cost at the margin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.promises.fairness import Prefix
from minirel.promises.kinds import KINDS, OF_GROUPS

_N_OF_GROUPS = len(OF_GROUPS)


@dataclass(frozen=True, eq=False)
class Prices:
    """What the promises cost at the margin: zero or more each, zero where nothing is asked.

    Any prices prove a lower bound (that of the Lagrangian); good ones prove a tight one. Prices of groups are
    per unit of members too few (or too many), prices of sizes per unit of size.

    Parameters
    ----------
    table : ndarray of shape (4 * n_groups + 2, n_clusters)
        All prices by cluster: those of the four kinds of promises to groups, then those of the sizes.
    """

    table: NDArray[np.float64]

    @classmethod
    def none(cls, n_groups: int, n_clusters: int) -> "Prices":
        """Prices of zero."""
        return cls(np.zeros((_N_OF_GROUPS * n_groups + len(KINDS) - _N_OF_GROUPS, n_clusters)))

    def of_kind(self, kind: str) -> NDArray[np.float64]:
        """The prices of one kind of promise: by group and cluster, or by cluster for sizes."""
        n_groups, place = len(self.table) // _N_OF_GROUPS, KINDS.index(kind)
        if place >= _N_OF_GROUPS:
            return np.asarray(self.table[_N_OF_GROUPS * n_groups + place - _N_OF_GROUPS])
        return self.table[place * n_groups : (place + 1) * n_groups]

    @property
    def groups(self) -> NDArray[np.float64]:
        """Price of a holder's share, by group and cluster."""
        return self.of_kind("share")

    @property
    def min_members(self) -> NDArray[np.float64]:
        """Price of the least members of a holder, by group and cluster."""
        return self.of_kind("min_members")

    @property
    def min_share(self) -> NDArray[np.float64]:
        """Price of the least share in every cluster, by group and cluster."""
        return self.of_kind("min_share")

    @property
    def max_share(self) -> NDArray[np.float64]:
        """Price of the largest share in every cluster, by group and cluster."""
        return self.of_kind("max_share")

    @property
    def smallest(self) -> NDArray[np.float64]:
        """Price of the smallest size, by cluster."""
        return self.of_kind("min_size")

    @property
    def largest(self) -> NDArray[np.float64]:
        """Price of the largest size, by cluster."""
        return self.of_kind("max_size")

    def of(self, holders: Prefix) -> "Prices":
        """The same prices, but none for pairs that are not among these holders."""
        n_groups = len(self.table) // _N_OF_GROUPS
        held = np.zeros((n_groups, self.table.shape[1]), dtype=np.bool_)
        held[tuple(np.array(holders, dtype=np.intp).reshape(-1, 2).T)] = True
        table = self.table.copy()
        table[: 2 * n_groups] *= np.vstack([held, held])
        return Prices(table)
