"""`Audit`: what an audit found."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.outcome.audit_html import audit_html
from minirel.outcome.audit_text import told
from minirel.outcome.frame import frame
from minirel.outcome.remarks import handfuls, unpromised
from minirel.outcome.verdict import lacking, n_broken
from minirel.points.wording import counted


@dataclass(frozen=True, eq=False)
class Audit:
    """Who is represented where, and what is missing.

    What is said of a group is a tuple in the order of `groups`; what is said of clusters is an array in the
    order of `groups` and `clusters`. With sample weights, members and sizes are weights.

    Attributes
    ----------
    groups : tuple of hashable
        Name of each group.
    clusters : tuple of hashable
        Name of each cluster, its label.
    counts : ndarray of int64 or float64, shape (n_groups, n_clusters)
        Members of a group in a cluster; whole numbers unless weights are not.
    sizes : ndarray of int64 or float64, shape (n_clusters,)
        Members of a cluster.
    totals : ndarray of int64 or float64, shape (n_clusters,)
        What shares are of: the sizes, or the totals of the points where these hold numbers of members.
    shares : ndarray of float64, shape (n_groups, n_clusters)
        Share of a cluster's members that belong to a group, 0 in a cluster where there is nobody.
    represented : ndarray of bool, shape (n_groups, n_clusters)
        Whether the share reaches alpha, and the members `min_members`, compared exactly and wherever it is;
        never in an empty cluster.
    alpha : tuple of float
        Share that each group needs.
    beta : tuple of int
        Number of clusters that each group was promised.
    allowed : ndarray of bool, shape (n_groups, n_clusters)
        Whether a cluster counts towards the promise.
    shortfall : ndarray of float64, shape (n_groups, n_clusters)
        How many more members of the group would have to join the cluster, all else unchanged, for it to be
        represented: the smallest such number, with weights the smallest multiple of their common unit. It
        is 0 where the group is represented, and infinite where others are in the cluster and alpha is 1.
    min_members : tuple of float
        Members of each group with which a cluster counts for it.
    exclusive : bool
        Whether a cluster counts for one group only.
    min_share, max_share : tuple of float
        Bounds on the share of each group in every cluster: 0 and 1 where there are none.
    below, above : ndarray of bool, shape (n_groups, n_clusters)
        Where a share is out of these bounds, compared exactly; never in an empty cluster.
    min_size, max_size : tuple of float
        Smallest and largest size of each cluster: 0 and infinity where there is none.
    too_small, too_large : ndarray of bool, shape (n_clusters,)
        Which clusters are not of such a size, compared exactly.
    pieces : tuple of tuple of int, or None
        For each cluster the number of points in each of its pieces, the largest first: points of a cluster
        are in one piece if a chain of neighbours within the cluster joins them. None if no neighbours were
        given.

    Examples
    --------
    >>> from minirel import audit
    >>> found = audit([0, 0, 1, 1, 1], ["F", "M", "M", "M", "F"], alpha=0.5, beta=1)
    >>> found.groups, found.n_represented, found.satisfied
    (('F', 'M'), (1, 2), True)
    >>> found.counts.tolist(), found.sizes.tolist()
    ([[1, 1], [1, 2]], [2, 3])
    >>> found.shortfall[0].tolist()
    [0.0, 1.0]
    """

    groups: tuple[Hashable, ...]
    clusters: tuple[Hashable, ...]
    counts: NDArray[np.int64] | NDArray[np.float64]
    sizes: NDArray[np.int64] | NDArray[np.float64]
    totals: NDArray[np.int64] | NDArray[np.float64]
    shares: NDArray[np.float64]
    represented: NDArray[np.bool_]
    alpha: tuple[float, ...]
    beta: tuple[int, ...]
    allowed: NDArray[np.bool_]
    shortfall: NDArray[np.float64]
    min_members: tuple[float, ...]
    exclusive: bool
    min_share: tuple[float, ...]
    max_share: tuple[float, ...]
    below: NDArray[np.bool_]
    above: NDArray[np.bool_]
    min_size: tuple[float, ...]
    max_size: tuple[float, ...]
    too_small: NDArray[np.bool_]
    too_large: NDArray[np.bool_]
    pieces: tuple[tuple[int, ...], ...] | None = None

    @property
    def has_totals(self) -> bool:
        """Whether shares are of something else than sizes: of the totals of units of many people."""
        return not np.array_equal(self.totals, self.sizes)

    @property
    def n_represented(self) -> tuple[int, ...]:
        """For each group, the number of allowed clusters in which it is represented."""
        return tuple((self.represented & self.allowed).sum(axis=1).tolist())

    @property
    def n_lacking(self) -> tuple[int, ...]:
        """For each group, the number of promised clusters that it lacks.

        If clusters are exclusive, they are shared out so that the groups lack as few as possible together.
        """
        return lacking(self.represented & self.allowed, self.beta, exclusive=self.exclusive)

    @property
    def satisfied(self) -> bool:
        """Whether every group has the clusters it was promised, and shares and sizes are within bounds."""
        return n_broken(self) == 0

    @property
    def n_pieces(self) -> tuple[int, ...] | None:
        """For each cluster the number of its pieces, 0 if it is empty; None if no neighbours were given."""
        return None if self.pieces is None else tuple(map(len, self.pieces))

    @property
    def disconnected(self) -> tuple[Hashable, ...]:
        """The clusters in several pieces; none if no neighbours were given. No promise speaks of it."""
        pieces = self.n_pieces or ()
        return tuple(name for name, n in zip(self.clusters, pieces, strict=False) if n > 1)

    @property
    def is_bounded(self) -> bool:
        """Whether the share of some group is bounded in every cluster."""
        return any(self.min_share) or any(share < 1 for share in self.max_share)

    @property
    def is_sized(self) -> bool:
        """Whether the size of some cluster is bounded."""
        return any(self.min_size) or any(size < np.inf for size in self.max_size)

    @property
    def shares_of_all(self) -> tuple[float, ...]:
        """For each group, its share of all members of all clusters."""
        return tuple((self.counts.sum(axis=1) / max(self.totals.sum(), np.finfo(float).tiny)).tolist())

    @property
    def unpromised(self) -> tuple[Hashable, ...]:
        """Groups that were promised nothing while others were promised clusters, the largest first."""
        return tuple(self.groups[g] for g in unpromised(self))

    @property
    def handfuls(self) -> tuple[tuple[Hashable, tuple[Hashable, ...]], ...]:
        """Clusters that keep promises with a handful of members, each with the groups that need it.

        A handful is fewer than 5 members of the group, in a cluster of less than a quarter of the average
        size. A group needs such clusters if it would lack one of those promised without them.
        """
        return tuple((self.clusters[k], tuple(self.groups[g] for g in kept)) for k, kept in handfuls(self))

    def to_frame(self) -> Any:
        """Lay the audit out as a table with a row for each group and cluster.

        Returns
        -------
        pandas.DataFrame or dict of list
            Columns group, cluster, count, size, share, alpha, represented, allowed, shortfall, below, above,
            and, if neighbours were given, pieces. Without pandas, a dict of the same columns, which
            other libraries make a frame of.
        """
        n_groups, n_clusters = self.represented.shape
        columns: dict[str, list[Any]] = {
            "group": [name for name in self.groups for _ in range(n_clusters)],
            "cluster": [*self.clusters] * n_groups,
            "count": self.counts.ravel().tolist(),
            "size": self.sizes.tolist() * n_groups,
            "share": self.shares.ravel().tolist(),
            "alpha": [share for share in self.alpha for _ in range(n_clusters)],
            "represented": self.represented.ravel().tolist(),
            "allowed": self.allowed.ravel().tolist(),
            "shortfall": self.shortfall.ravel().tolist(),
            "below": self.below.ravel().tolist(),
            "above": self.above.ravel().tolist(),
        }
        if self.n_pieces is not None:
            columns["pieces"] = [*self.n_pieces] * n_groups
        return frame(columns)

    def __repr__(self) -> str:
        is_broken = (np.array(self.n_lacking) > 0) | (self.below | self.above).any(axis=1)
        wrong = {"group": is_broken, "cluster": self.too_small | self.too_large}
        said = [counted(int(which.sum()), noun) for noun, which in wrong.items() if which.any()]
        state = f"broken for {' and '.join(said)}" if said else "satisfied"
        size = f"{counted(len(self.groups), 'group')}, {counted(len(self.clusters), 'cluster')}"
        return f"<Audit: {size}, {state}>"

    def __str__(self) -> str:
        return told(self)

    def _repr_html_(self) -> str:
        return str(audit_html(self))
