"""Labels of somebody's clustering and promises to its clusters, as they are given to `audit`."""

from collections.abc import Hashable, Iterable, Mapping, Sized

import numpy as np
from numpy.typing import NDArray

from minirel.points.columns import Column, encode, read_table
from minirel.points.errors import ParameterError, ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.messages import Parameter
from minirel.promises.exact import whole
from minirel.promises.fairness import read_allowed


def read_labels(labels: object) -> Column:
    """Read the cluster of each point."""
    rule = "must be a list, 1-d array or Series with the cluster of each point"
    shape = getattr(labels, "shape", None)
    if shape is None and isinstance(labels, Sized):
        shape = (len(labels),)
    if shape is None or isinstance(labels, str | bytes):
        raise ParameterTypeError("labels", rule, labels, found=f"is of type {type(labels).__name__}")
    if len(shape) != 1:
        raise ParameterValueError("labels", rule, labels, found=f"has shape {shape}")
    if shape[0] == 0:
        raise ParameterValueError("labels", rule, labels, found="is empty")
    try:
        table = read_table(labels)
        if table.is_2d:
            raise ParameterValueError("labels", rule, labels, "pass one of its columns", found="is a table")
        column = encode(None, table.columns[0])
    except ParameterError as error:
        raise error.about("labels") from error
    if column.n_missing:
        raise ParameterValueError(
            "labels",
            "must not be missing",
            labels,
            "drop these points, or name a cluster for them",
            found=f"{column.n_missing} of {len(column.codes)} are",
        )
    return column


def read_clusters(column: Column, n_clusters: object) -> tuple[tuple[Hashable, ...], NDArray[np.intp]]:
    """Names of the clusters, and the index of each point's own."""
    if n_clusters is None:
        return column.values, column.codes
    rule = "a whole number of at least 1, or None to take the clusters from the labels"
    number = whole(n_clusters, "n_clusters", rule)
    if number < 1:
        raise ParameterValueError("n_clusters", f"must be {rule}", n_clusters)
    for name in column.values:
        if isinstance(name, bool) or name not in range(number):
            raise ParameterValueError(
                "labels",
                f"must be whole numbers from 0 to {number - 1} when n_clusters={number}",
                name,
                "leave n_clusters out to take the clusters from the labels",
                found=f"name {name!r}",
            )
    return tuple(range(number)), np.array(column.values, dtype=np.intp)[column.codes]


def read_pairs(allowed: object, groups: Groups, clusters: tuple[Hashable, ...]) -> NDArray[np.bool_]:
    """Read `allowed`, in which clusters go by their labels."""
    if not isinstance(allowed, Mapping):
        return read_allowed(allowed, groups, len(clusters))
    indices = {}
    for name, labels in allowed.items():
        if not isinstance(labels, Iterable) or isinstance(labels, str):
            raise ParameterTypeError(Parameter("allowed", name), "must be a list of labels", labels)
        labels = list(labels)
        for unknown in (label for label in labels if label not in clusters):
            raise ParameterValueError(
                Parameter("allowed", name),
                "must be made of labels",
                unknown,
                "leave it out, or pass n_clusters if that cluster is empty",
                found=f"names {unknown!r}, which no point has",
            )
        indices[name] = [clusters.index(label) for label in labels]
    return read_allowed(indices, groups, len(clusters))
