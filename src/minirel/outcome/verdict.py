"""Which promises a clustering breaks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minirel.points.numbers import amount
from minirel.points.percent import asked
from minirel.points.wording import agreeing, counted, listed

if TYPE_CHECKING:
    from minirel.outcome.findings import Audit

_MOST_NAMED = 5


def lacking(represented: NDArray[np.bool_], beta: Sequence[int], *, exclusive: bool) -> tuple[int, ...]:
    """The clusters that each group lacks of those promised, for where it is represented and that counts.

    If clusters are `exclusive`, they are shared out so that the groups lack as few as possible together.
    """
    have = _shared_out(represented, beta) if exclusive else represented.sum(axis=1)
    return tuple(max(b - n, 0) for b, n in zip(beta, have.tolist(), strict=True))


def n_promises(audit: "Audit") -> int:
    """How much was promised: numbers of clusters, least and largest shares, each by group, and sizes."""
    return (
        sum(b > 0 for b in audit.beta)
        + sum(s > 0 for s in audit.min_share)
        + sum(s < 1 for s in audit.max_share)
        + any(audit.min_size)
        + any(size < np.inf for size in audit.max_size)
    )


def n_broken(audit: "Audit") -> int:
    """How many of these promises are broken."""
    tables = (audit.below, audit.above)
    of_groups = sum(map(bool, audit.n_lacking)) + sum(int(table.any(axis=1).sum()) for table in tables)
    return of_groups + bool(audit.too_small.any()) + bool(audit.too_large.any())


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
            if out.any():
                said.append(f"{name} is {word} than {asked(bound)} of {_named(out, clusters)}")
    for word, out in (("small", audit.too_small), ("large", audit.too_large)):
        if out.any():
            said.append(f"{_named(out, clusters)} {agreeing('is', int(out.sum()))} too {word}")
    return said


def _named(which: NDArray[np.bool_], clusters: Sequence[str]) -> str:
    names = [clusters[k] for k in np.flatnonzero(which).tolist()]
    return f"{agreeing('cluster', len(names))} {listed(names, most=_MOST_NAMED, last=' and ')}"


def sizes_in_words(audit: "Audit") -> list[str]:
    """The bounds on the size of each cluster: "10 to 20", "at least 10"."""
    return [_size_in_words(*bounds) for bounds in zip(audit.min_size, audit.max_size, strict=True)]


def _size_in_words(least: float, most: float) -> str:
    if least > 0:
        return f"{amount(least)} to {amount(most)}" if most < np.inf else f"at least {amount(least)}"
    return f"at most {amount(most)}" if most < np.inf else "any size"


def bounds_in_words(least: float, most: float) -> str:
    """The bounds on a share in every cluster: "10% to 60%", "at most 60%"."""
    if least > 0:
        return f"{asked(least)} to {asked(most)}" if most < 1 else f"at least {asked(least)}"
    return f"at most {asked(most)}" if most < 1 else "any share"


def _shared_out(represented: NDArray[np.bool_], beta: Sequence[int]) -> NDArray[np.int64]:
    """Clusters for each group, no cluster twice, as many as there can be: a largest flow."""
    n_groups, n_clusters = represented.shape
    source, sink = n_groups + n_clusters, n_groups + n_clusters + 1
    capacity = np.zeros((sink + 1, sink + 1), dtype=np.int32)
    capacity[source, :n_groups] = beta
    capacity[:n_groups, n_groups:source] = represented
    capacity[n_groups:source, sink] = 1
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    flow = maximum_flow(csr_array(capacity), source, sink).flow.toarray()
    return np.asarray(flow[source, :n_groups], dtype=np.int64)
