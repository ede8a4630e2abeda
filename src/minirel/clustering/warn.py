"""What a fit warns of, where it is called: starts that are not worth their time, and limits that ended it."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from math import isfinite

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from minirel.assignment.request import Request
from minirel.clustering.ending import Clustering
from minirel.clustering.initialise import KMeansStart, Placed, few_points
from minirel.clustering.objectives import Data
from minirel.points.messages import Message, Parameter
from minirel.points.percent import gap
from minirel.points.wording import agreeing, listed


def warn_of_no_groups(beta: object) -> None:
    """Whoever gives `y` and no groups, but asks for clusters, may mean `y` to be the groups.

    Pipelines pass a y as well, so that the default asks for nothing; promises by name are refused later.
    """
    is_default = isinstance(beta, str) and beta == "equality_of_opportunity"
    if is_default or not isinstance(beta, str | int | np.integer) or beta == 0:
        return
    warnings.warn(
        "y is ignored, and without sensitive_features nothing is promised: give the groups as "
        "sensitive_features=",
        UserWarning,
        stacklevel=3,
    )


def warn_of_limits(best: Clustering, parameters: Mapping[str, object]) -> None:
    """Say what ended the run before its centers settled, or its search before the gap was proven."""
    assignment = best.assignment
    if best.stop != "converged":
        stopped, way_out = Message("stopped by callback"), Message()
        if best.stop != "callback":
            stopped = Message("stopped at ", Parameter(best.stop, value=parameters[best.stop]))
            way_out = Message("; raise ", Parameter(best.stop))
        warnings.warn(
            Message(
                stopped,
                " before the search was over" if parameters["n_swaps"] else " before the centers settled",
                f": every promise is kept, and the labels are {_proven(assignment.gap)}, but more iterations "
                "may lower the cost",
                way_out,
            ),
            ConvergenceWarning,
            stacklevel=3,
        )
    elif assignment.status == "effort limit":
        warnings.warn(
            Message(
                "the effort of the search was spent before ",
                Parameter("gap", value=parameters["gap"]),
                f" was proven: every promise is kept, and the labels are {_proven(assignment.gap)}; a gap of "
                "that size asks for no more, and fewer promises, wider bounds or lighter points are easier",
            ),
            ConvergenceWarning,
            stacklevel=3,
        )


def warn_of_pieces(disconnected: Sequence[Hashable], n_clusters: int) -> None:
    """Say which clusters are in several pieces although they were to be connected."""
    if not disconnected:
        return
    named = listed([str(cluster) for cluster in disconnected], most=5, last=" and ")
    warnings.warn(
        Message(
            f"{agreeing('cluster', len(disconnected))} {named} of {n_clusters} could not be connected: every "
            "promise is kept, and no way was found to keep them with all clusters in one piece, though there "
            "may be one; another ",
            Parameter("random_state"),
            ", wider bounds or fewer promises may help",
        ),
        ConvergenceWarning,
        stacklevel=3,
    )


def worthwhile_starts(n_init: int, init: Placed, X: Data, request: Request) -> tuple[int, Placed]:
    """The runs that are worth their time and where they start, as in scikit-learn's KMeans."""
    n_clusters = request.fairness.n_clusters
    # Chance is in the first centers, and in a pre-fix at random.
    if isinstance(init, np.ndarray) and n_init > 1 and request.strategy != "random":
        warnings.warn(
            f"all runs from the centers given in init would be the same: one is made, not n_init={n_init}",
            RuntimeWarning,
            stacklevel=3,
        )
        n_init = 1
    few = few_points(X, request.weights.values, n_clusters)
    if few is not None:
        counted = "distinct points" if request.weights.units is None else "distinct points of weight above 0"
        warnings.warn(
            Message(
                Parameter("X"),
                f" has {len(few)} {counted}, fewer than ",
                Parameter("n_clusters", value=n_clusters),
                ": some clusters will have the same center; lower ",
                Parameter("n_clusters"),
                f" to {len(few)}",
            ),
            ConvergenceWarning,
            stacklevel=3,
        )
        if isinstance(init, str | KMeansStart):  # a center for each
            init = np.resize(few, (n_clusters, few.shape[1]))
    return n_init, init


def _proven(part: float) -> str:
    near = f"proven to be within {gap(part)} of" if isfinite(part) else "not proven to be near"
    return f"{near} the best for these centers"
