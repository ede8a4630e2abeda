"""From Dask arrays and frames to points on the workers, validated as those of a local fit are."""

from collections.abc import Collection, Hashable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from minirel.dask.cluster import Cluster
from minirel.dask.groups import read_dask_groups
from minirel.dask.packing import Packed, packed
from minirel.dask.partitions import Partitions, lengths_differ, parts_of
from minirel.dask.points import CUT, DaskPoints, make_chunk
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups, read_groups
from minirel.points.weights import Weights, read_weights

# Chunks for each thread, so that none has to wait long for the last, and the most bytes of points in each.
_PER_THREAD, _MOST_BYTES = 2, 2**26


class Read(NamedTuple):
    """The points on the workers, their groups and weights, and the rows of the parts in which they came."""

    points: DaskPoints
    groups: Groups
    weights: Weights
    lengths: list[int]


def read(
    X: Any,
    sensitive_features: Any,
    sample_weight: Any,
    *,
    missing: str,
    cluster: Cluster,
    like: Collection[Hashable] = (),
) -> Read:
    """Read Dask collections whose rows are the same points; groups and weights may have been read before."""
    matrix, n_features, dtype = _read_matrix(X, cluster)
    n_points = matrix.n_rows
    bounds = chunk_bounds(n_points, n_features * dtype.itemsize, cluster.n_threads)
    chunks = matrix.cut(cluster, bounds, _assembled, dtype)
    if sensitive_features is None:
        groups, signatures = read_groups(None, n_points=n_points, missing=missing), None
    elif isinstance(sensitive_features, Groups):
        groups = read_groups(sensitive_features, n_points=n_points, missing=missing, like=like)
        own = (packed(groups.signature[first:last]) for first, last in pairwise(bounds))
        signatures = [cluster.submit(Packed.unpacked, part) for part in own]
    else:
        groups, parts = read_dask_groups(sensitive_features, n_points, missing, cluster, like)
        signatures = parts.cut(cluster, bounds, np.concatenate)
    if sample_weight is not None and not isinstance(sample_weight, Weights):
        sample_weight = np.concatenate(gathered(sample_weight, "sample_weight", cluster))
        if len(sample_weight) != n_points:
            raise lengths_differ("sample_weight", len(sample_weight), n_points)
    weights = read_weights(sample_weight, n_points)
    made = []
    for number, chunk in enumerate(chunks):
        rows = slice(bounds[number], bounds[number + 1])
        signature = None if signatures is None else signatures[number]
        units = None if weights.units is None else packed(weights.units[rows])
        made.append(cluster.submit(make_chunk, chunk, signature, units, weights.unit))
    known = groups.signature, weights.units, weights.values
    points = DaskPoints(cluster, made, bounds, n_features, dtype, known)
    return Read(points, groups, weights, matrix.lengths)


def gathered(collection: Any, parameter: str, cluster: Cluster) -> list[NDArray[Any]]:
    """The values of a column, part by part."""
    parts = parts_of(collection, parameter, cluster, (1,))
    return cluster.gather([cluster.submit(np.asarray, part) for part in parts])


def chunk_bounds(n_points: int, row_bytes: int, n_threads: int) -> list[int]:
    """Where chunks are cut."""
    rows = min(-(-n_points // (_PER_THREAD * n_threads)), _MOST_BYTES // max(row_bytes, 1))
    rows = max(1, -(-rows // CUT)) * CUT
    return [*range(0, n_points, rows), n_points]


class _Described(NamedTuple):
    """What a part of X is: its rows, features and type, and the first row that is not finite."""

    n_rows: int
    n_features: int
    dtype: np.dtype[Any]
    bad_row: int | None
    complaint: str


def _read_matrix(X: Any, cluster: Cluster) -> tuple[Partitions, int, np.dtype[np.floating]]:
    """The parts of X, its number of features and its precision."""
    parts = parts_of(X, "X", cluster, (2,))
    described: list[_Described] = cluster.gather([cluster.submit(_describe, part) for part in parts])
    first = 0
    for part in described:
        if part.complaint:
            rule, way_out = "must hold numbers, in dense arrays or frames", "encode text, and make X dense"
            raise ParameterTypeError("X", rule, X, way_out, found=part.complaint)
        if part.bad_row is not None:
            raise ParameterValueError(
                "X",
                "must be finite",
                X,
                "fill or drop such rows",
                found=f"row {first + part.bad_row} holds NaN or infinity",
            )
        first += part.n_rows
    if not first:
        raise ParameterValueError("X", "must hold some points", X, found="has none")
    some = [part for part in described if part.n_rows]
    n_features = some[0].n_features
    if n_features == 0 or any(part.n_features != n_features for part in some):
        widths = sorted({part.n_features for part in some})
        rule = "must have the same features in all parts, at least one"
        raise ParameterValueError("X", rule, X, found=f"its parts have {widths}")
    is_single = all(part.dtype == np.float32 for part in some)
    dtype: np.dtype[np.floating] = np.dtype(np.float32 if is_single else np.float64)
    return Partitions(parts, [part.n_rows for part in described]), n_features, dtype


def _describe(part: Any) -> _Described:
    n_rows, n_features = part.shape
    if issparse(part):
        return _Described(n_rows, n_features, np.dtype(np.float64), None, "is sparse")
    values = np.asarray(part)
    if values.dtype.kind not in "fiub":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            return _Described(n_rows, n_features, values.dtype, None, str(error))
    is_finite = np.isfinite(values).all(axis=1)
    bad_row = None if is_finite.all() else int(np.argmin(is_finite))
    return _Described(n_rows, n_features, values.dtype, bad_row, "")


def _assembled(pieces: list[Any], dtype: np.dtype[np.floating]) -> NDArray[np.floating]:
    """Some rows as one array."""
    arrays = [np.asarray(piece) for piece in pieces]
    whole = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    return np.ascontiguousarray(whole, dtype=dtype)
