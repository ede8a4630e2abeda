"""`Result`: all that a fit found and proved, in one object that reports, plots and explanations read."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from minirel.assignment.problem import Status
from minirel.clustering.history import Iteration
from minirel.clustering.objectives import Matrix
from minirel.clustering.trace import Trace
from minirel.outcome.audit import Audit, audit_fit
from minirel.points.errors import ParameterTypeError
from minirel.points.groups import Groups
from minirel.points.together import Together
from minirel.points.weights import Weights
from minirel.points.wording import counted
from minirel.promises.fairness import Fairness
from minirel.promises.prices import Prices


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a fit: `model.result_`.

    It holds no table of points and groups or of points and clusters. Of every point it has the label, the
    nearest of the first and of the last centers, three costs and four bytes for its groups, about 52 bytes in
    memory and in a pickle, and 8 more if there are weights.

    Attributes
    ----------
    labels : ndarray of shape (n_points,)
        Cluster of each point.
    centers : ndarray of shape (n_clusters, n_features)
        Means or medians of the clusters.
    cost, lower_bound, gap : float
        What the labels cost at these centers, what any fair labels cost at least, and by which share the
        cost may exceed that.
    status : str
        How far the proof came, as in `Assignment`.
    covers : {"prefix", "free"}
        Whether the bound holds for these holders only, or whoever holds which cluster.
    prefix : list of (group, cluster)
        The holders: which cluster represents which group by intention.
    prices : Prices or None
        What one more member would save, by group and cluster, in cost per unit of weight.
    groups : Groups
        Names of the groups, the distinct sets of groups that points belong to (`signatures`), and for each
        point which of them is its own (`signature`).
    weights : Weights
        Weight of each point, in exact units.
    fairness : Fairness
        What was asked, in exact numbers: `alpha`, `beta` and `allowed` by group, and sizes.
    trace : Trace
        The nearest of the first centers (`start`) and of the last (`end`) with what a unit of weight costs
        there, and what it costs in the point's own cluster (`own_cost`).
    audit : Audit
        Counts and shares by cluster, from the labels.
    history : tuple of Iteration
        A record of every iteration: cost, bound, gap, shift of the centers, scans, seconds by phase.
    stop : {"converged", "max_iter", "time_limit", "callback"}
        Why the fit ended.
    objective : str
        What was minimised, such as "k-means".
    init : str
        Where the first centers came from: "k-means", "k-means++", "random", "centers" that were given, or a
        "function".
    n_init : int
        Number of runs that were made, of which this is the cheapest. Where time was up, these and the swaps
        are fewer than were asked for.
    n_swaps : int
        Number of swaps that were then tried.
    start_swaps : int
        Number of swaps that were tried for `trace.start`, where that is a clustering of k-means.
    asked_gap : float
        The gap that was asked for.
    together : Together or None
        Which points stay together, if any must.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL
    >>> X, species = load_iris(return_X_y=True)
    >>> result = MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=species).result_
    >>> result.fairness.beta, result.audit.n_represented
    ((0, 3, 0), (1, 3, 0))
    >>> result.stop, result.starts_from_kmeans
    ('converged', True)
    >>> moved = result.labels != result.trace.end.labels
    >>> int(moved.sum())
    61
    """

    labels: NDArray[np.intp]
    centers: Matrix
    cost: float
    lower_bound: float
    gap: float
    status: Status
    covers: Literal["prefix", "free"]
    prefix: list[tuple[Hashable, int]]
    prices: Prices | None
    groups: Groups
    weights: Weights
    fairness: Fairness
    trace: Trace
    audit: Audit
    history: tuple[Iteration, ...]
    stop: str
    objective: str
    init: str
    n_init: int
    n_swaps: int
    start_swaps: int
    asked_gap: float
    together: Together | None = None

    @property
    def starts_from_kmeans(self) -> bool:
        """Whether the first centers are those of k-means, so that `trace.start` is a clustering of it."""
        return self.objective == "k-means" and self.init == "k-means"

    @property
    def compared_with(self) -> str:
        """What `trace.start` is, in words: what there is without any promise for as much search.

        Where time was up before that, it says by how much less.
        """
        if not self.starts_from_kmeans:
            return "the first centers"
        starts = f"the best of {self.n_init:,} starts" if self.n_init > 1 else "one start"
        swaps = counted(self.n_swaps, "swap")
        if self.start_swaps == self.n_swaps:
            return f"k-means ({starts} and {swaps})" if self.n_swaps else f"k-means ({starts})"
        had = f" and {self.start_swaps:,} of" if self.start_swaps else ", without"
        return f"k-means ({starts}{had} the {swaps} of this fit)"

    @property
    def before(self) -> Audit:
        """The audit of `trace.start`: what the groups have without any promise."""
        return audit_fit(self.trace.start.labels, self.groups, self.weights, self.fairness)

    @property
    def seconds(self) -> float:
        """Time of the run that was kept."""
        return sum(sum(record.seconds.values()) for record in self.history)

    @property
    def holders(self) -> list[tuple[int, int]]:
        """The prefix by index of the group, sorted."""
        place = {name: g for g, name in enumerate(self.groups.names)}
        return sorted((place[name], k) for name, k in self.prefix)


class FittedModel(Protocol):
    """A fitted `MiniReL`, as far as those need to know who only read its result."""

    @property
    def result_(self) -> Result:
        """What came of the fit."""
        ...


def result_of(model: FittedModel) -> Result:
    """The result of a model, with an error for what is not a fitted MiniReL."""
    check_is_fitted(model)
    if not hasattr(model, "result_"):
        raise ParameterTypeError(
            "model",
            "must be a fitted MiniReL",
            model,
            "pass the step of a pipeline, or use audit (in plots from_predictions) with the labels of "
            "another algorithm",
            found=f"is a {type(model).__name__}",
        )
    return model.result_
