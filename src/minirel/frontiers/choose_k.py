"""What speaks for a number of clusters: price, sizes, stability, silhouette."""

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, pairwise_distances, silhouette_score

from minirel.clustering.known import Known
from minirel.clustering.objectives import Data
from minirel.frontiers.asked import Asked
from minirel.frontiers.fits import Fits
from minirel.frontiers.found import Found
from minirel.frontiers.rows import Rows
from minirel.points.errors import NothingFoundError, ParameterValueError
from minirel.promises.exact import positive, whole
from minirel.solvers.limits import Deadline


def choose_k(
    rows: Rows, fits: Fits, alpha: Any, beta: Any, n_seeds: object, n_sample: object, deadline: Deadline
) -> dict[str, list[Any]]:
    """The columns of `Frontier.choose_k`."""
    fits = replace(fits, deadline=deadline)  # that of the frontier may have passed, or been cut
    n_others = whole(n_seeds, "n_seeds", "a whole number of at least 0")
    if n_others < 0:
        raise ParameterValueError("n_seeds", "must be a whole number of at least 0", n_seeds)
    silhouette = Silhouette(fits.X, positive(n_sample, "n_sample"), fits.seed)
    known = ("n_clusters", "alpha", "beta", "kmeans_cost", "feasible", "price", "least_size")
    measured = ("stability", "kmeans_stability", "silhouette", "kmeans_silhouette")
    columns: dict[str, list[Any]] = {name: [] for name in (*known, *measured)}
    table = rows.columns()
    for i in _alike(rows.requests, alpha, beta):
        with warnings.catch_warnings():
            if deadline.left() is not None:  # the limit of a single fit is none that anybody gave
                warnings.simplefilter("ignore", ConvergenceWarning)
            fair, plain = _clusterings(rows, fits, i, n_others)
        for name in known:
            columns[name].append(table[name][i])
        values = (stability(fair), stability(plain), silhouette(fair), silhouette(plain))
        for name, value in zip(measured, values, strict=True):
            columns[name].append(value)
    return columns


def _alike(requests: list[Asked], alpha: Any, beta: Any) -> list[int]:
    """The rows of one alpha and beta, one for each number of clusters."""
    asked = {name: requests[0].values[name] for name in ("alpha", "beta", "max_share")}
    for name, value in (("alpha", alpha), ("beta", beta)):
        if value is None:
            continue
        if not any(one.values[name] == value for one in requests):
            raise ParameterValueError(name, "must be one of those that were asked for", value)
        asked[name] = value
    return [i for i, one in enumerate(requests) if all(one.values[n] == v for n, v in asked.items())]


def _clusterings(rows: Rows, fits: Fits, i: int, n_others: int) -> tuple[list[Found], list[Found]]:
    """What was found for a row and for k-means, with its own seed and with others.

    Without the others where they are not all done in time: of fewer, or cut short, other figures would come.
    """
    one, own = rows.requests[i], rows.clustering(i)
    start = rows.plain(one.n_clusters)
    fair = [] if own is None else [own]
    plain = [] if start is None else [start]
    for seed in _other_seeds(fits.seed, n_others) if start is not None else ():
        if not fits.deadline.passed():
            start = fits.k_means(one.n_clusters, seed=seed)
            plain.append(start)
            if own is not None:
                with suppress(NothingFoundError):
                    known = Known(start.centers) if fits.shares_starts else None
                    fair.append(fits.fair(one, known, seed=seed))
        if fits.deadline.passed():
            return fair[: own is not None], plain[:1]
    return fair, plain


def _other_seeds(seed: int, number: int) -> list[int]:
    drawn = np.random.RandomState(seed ^ 0x5EED).randint(np.iinfo(np.int32).max, size=number)
    return [int(other) for other in drawn]


def stability(found: Sequence[Found]) -> float:
    """How alike clusterings are: the mean adjusted Rand index of two of them; NaN of fewer.

    NaN as well if one was cut short: where a limit fell says nothing of how many clusters there are.
    """
    if any(one.was_cut for one in found):
        return float("nan")
    pairs = [adjusted_rand_score(one.labels, other.labels) for one, other in combinations(found, 2)]
    return float(np.mean(pairs)) if pairs else float("nan")


class Silhouette:
    """The mean silhouette of the points of a sample, whose distances are measured once."""

    def __init__(self, X: Data, n_sample: int, seed: int) -> None:
        n = X.shape[0]
        drawn = np.random.RandomState(seed).choice(n, min(n_sample, n), replace=False)
        self._sample = np.sort(drawn)
        self._distances = pairwise_distances(X[self._sample])
        np.fill_diagonal(self._distances, 0.0)

    def __call__(self, found: Sequence[Found]) -> float:
        """That of the first clustering; NaN if its sample has one cluster only, or none is given."""
        if not found:
            return float("nan")
        labels = found[0].labels[self._sample]
        n_clusters = len(np.unique(labels))
        if not 2 <= n_clusters < len(labels):
            return float("nan")
        return float(silhouette_score(self._distances, labels, metric="precomputed"))
