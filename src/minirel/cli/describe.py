"""What each cluster is, in the units of the file."""

from typing import TYPE_CHECKING

import numpy as np

from minirel.cli.cells import Cells
from minirel.cli.features import Features
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
    from minirel import MiniReL
    from minirel.outcome.result import Result


def describe(model: "MiniReL", features: Features) -> Profile:
    """The profile of each cluster, from the cells of the columns that are features."""
    return Profile(tuple(_feature(cells, model.result_) for cells in features.columns))


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
