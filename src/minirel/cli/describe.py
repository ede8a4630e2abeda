"""What each cluster is, in the units of the file."""

from typing import TYPE_CHECKING

import numpy as np

from minirel.cli.cells import Cells
from minirel.cli.features import Features
from minirel.cli.large_column import LargeColumn
from minirel.cli.many_valued import ManyValued
from minirel.outcome.profile import (
    CategoricalFeature,
    NumericFeature,
    Profile,
    categorical,
    cluster_weights,
    from_counts,
    numeric,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minirel import MiniReL
    from minirel.outcome.result import Result


def describe(model: "MiniReL", features: Features) -> Profile:
    """The profile of each cluster, from the cells of the columns that are features."""
    found = []
    for place, cells in _places(features):
        if isinstance(cells, Cells):
            found.append(_feature(cells, model.result_))
        else:
            found.append(_large_feature(cells, features, place, model.result_))
    return Profile(tuple(found))


def _places(features: Features) -> "Iterator[tuple[slice, Cells | LargeColumn]]":
    """The columns, and which features each has become."""
    at = 0
    for cells, width in zip(features.columns, features.widths, strict=True):
        yield slice(at, at + width), cells
        at += width


def _large_feature(
    cells: LargeColumn, features: Features, place: slice, result: "Result"
) -> NumericFeature | CategoricalFeature:
    """The same from the features: of a large file, the cells are not kept."""
    own = features.X[:, place]
    own = own if isinstance(own, np.ndarray) else own.toarray()
    if cells.values is not None:
        low, span = features.low[place.start], features.span[place.start]
        return numeric(cells.name, own[:, 0].astype(np.float64) * span + low, result)
    texts = [name.removeprefix(f"{cells.name}=") for name in features.names[place]]
    return categorical(cells.name, own.argmax(axis=1), texts, result)


def _feature(cells: Cells, result: "Result") -> NumericFeature | CategoricalFeature:
    if cells.values is not None:
        return numeric(cells.name, cells.numbers, result)
    if not isinstance(cells, ManyValued):
        return categorical(cells.name, cells.codes, cells.texts, result)
    # By distinct cell first: of these there are fewer than rows.
    labels, weight, n_clusters = cluster_weights(result)
    known = ~cells.is_missing
    n_texts = len(cells.texts)
    flat = np.bincount(labels[known] * n_texts + cells.codes[known], weight[known], n_clusters * n_texts)
    by_text, counts = flat.reshape(n_clusters, n_texts), np.zeros((n_clusters, len(cells.parts)))
    for place in range(cells.own.shape[1]):
        own = cells.n_own > place
        for k in range(n_clusters):
            counts[k] += np.bincount(cells.own[own, place], by_text[k, own], len(cells.parts))
    return from_counts(cells.name, cells.parts, counts, result)
