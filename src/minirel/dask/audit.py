"""The representation of a clustering whose labels and groups are on a Dask cluster."""

from typing import Any, Unpack

import numpy as np
from distributed import Client

from minirel.dask.cluster import Cluster
from minirel.dask.groups import code_rows, read_dask_groups
from minirel.dask.partitions import in_memory, lengths_differ
from minirel.dask.reading import gathered
from minirel.outcome import audit as local
from minirel.outcome.audit import Asked
from minirel.outcome.findings import Audit
from minirel.points.columns import Numbered


def audit(
    labels: Any, sensitive_features: Any, *, client: Client | None = None, **asked: Unpack[Asked]
) -> Audit:
    """Tell who is represented in which cluster of a clustering, and which promises that breaks.

    Parameters
    ----------
    labels : Dask array or series
        Cluster of each point.
    sensitive_features : Dask array, series or frame, or None
        The groups.
    client : distributed.Client, optional
        The cluster; the current client if None.
    **asked
        The other parameters of `minirel.audit`; `sample_weight` is a Dask array or series.

    Returns
    -------
    Audit
        As of `minirel.audit`, which counts: what crosses the network are a few bytes for each point, and with
        `total` the columns themselves.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from minirel.dask import audit
    >>> labels, sex = np.array([0, 0, 1, 1]), np.array(["F", "M", "F", "F"])
    >>> with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"):
    ...     result = audit(da.from_array(labels), da.from_array(sex), alpha=0.5, beta=1)
    >>> result.n_represented
    (2, 1)
    """
    cluster = Cluster(client)
    rows = code_rows(labels, "labels", cluster)
    number = rows.of_points(np.arange(len(rows.distinct), dtype=np.int32))
    column = Numbered(number, [row[0] for row in rows.distinct])
    groups: Any = sensitive_features
    if groups is not None and asked.get("total") is not None:
        groups = in_memory(groups, "sensitive_features", cluster, (1, 2))
        if len(groups) != len(column):
            raise lengths_differ("sensitive_features", len(groups), len(column))
    elif groups is not None:
        missing = asked.get("missing", "error")
        groups, _ = read_dask_groups(groups, len(column), missing, cluster)
    weight = asked.get("sample_weight")
    if weight is not None:
        values = np.concatenate(gathered(weight, "sample_weight", cluster))
        if len(values) != len(column):
            raise lengths_differ("sample_weight", len(values), len(column))
        asked["sample_weight"] = values
    return local.audit(column, groups, **asked)
