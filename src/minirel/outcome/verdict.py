"""Which promises a clustering breaks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from minirel.points.wording import agreeing, asked_share, counted, listed

if TYPE_CHECKING:
    from minirel.outcome.audit import Audit

_MOST_NAMED = 5


def lacking(represented: NDArray[np.bool_], beta: Sequence[int], *, exclusive: bool) -> tuple[int, ...]:
    """The clusters that each group lacks of those promised, for where it is represented and that counts.

    If clusters are `exclusive`, they are shared out so that the groups lack as few as possible together.
    """
    have = _shared_out(represented, beta) if exclusive else represented.sum(axis=1)
    return tuple(max(b - n, 0) for b, n in zip(beta, have.tolist(), strict=True))


def n_promises(audit: "Audit") -> int:
    """How much was promised: numbers of clusters, least shares and largest shares, each by group."""
    return (
        sum(b > 0 for b in audit.beta)
        + sum(s > 0 for s in audit.min_share)
        + sum(s < 1 for s in audit.max_share)
    )


def broken(audit: "Audit", groups: Sequence[str], clusters: Sequence[str]) -> list[str]:
    """A few words on each promise that is broken, with names as they are to be shown."""
    said = [
        f"{name} lacks {counted(lacks, 'cluster')}"
        for name, lacks in zip(groups, audit.n_lacking, strict=True)
        if lacks
    ]
    for word, bounds, table in (
        ("less", audit.min_share, audit.below),
        ("more", audit.max_share, audit.above),
    ):
        for name, bound, out in zip(groups, bounds, table, strict=True):
            where = [clusters[k] for k in np.flatnonzero(out).tolist()]
            if where:
                places = f"{agreeing('cluster', len(where))} {listed(where, most=_MOST_NAMED, last=' and ')}"
                said.append(f"{name} is {word} than {asked_share(bound)} of {places}")
    return said


def bounds_in_words(least: float, most: float) -> str:
    """The bounds on a share in every cluster: "10% to 60%", "at most 60%"."""
    if least > 0:
        return (
            f"{asked_share(least)} to {asked_share(most)}" if most < 1 else f"at least {asked_share(least)}"
        )
    return f"at most {asked_share(most)}" if most < 1 else "any share"


def _shared_out(represented: NDArray[np.bool_], beta: Sequence[int]) -> NDArray[np.int64]:
    """Clusters for each group, no cluster twice, as many as there can be: a largest flow."""
    n_groups, n_clusters = represented.shape
    source, sink = n_groups + n_clusters, n_groups + n_clusters + 1
    capacity = np.zeros((sink + 1, sink + 1), dtype=np.int32)
    capacity[source, :n_groups] = beta
    capacity[:n_groups, n_groups:source] = represented
    capacity[n_groups:source, sink] = 1
    flow = maximum_flow(csr_array(capacity), source, sink).flow.toarray()
    return np.asarray(flow[source, :n_groups], dtype=np.int64)
