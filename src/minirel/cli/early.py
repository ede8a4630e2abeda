"""What can be refused before the estimator is imported, which takes seconds."""

from collections.abc import Mapping
from typing import Any

from minirel.cli.messages import asking_library
from minirel.cli.points import Points
from minirel.clustering.parameters import asked_of, check_parameters
from minirel.points.members import weighed
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness

# Rows of different weights beyond which it takes too long to count their kinds twice.
_MOST_KINDS = 1_000_000


def check_request(asked: Mapping[str, Any], points: Points) -> None:
    """Refuse parameters that are wrong, and promises for which counting finds too few members or rows.

    Of rows that stay together the estimator knows more: there it has the word.
    """
    if points.together is not None:
        return
    groups, n_points = points.groups, points.groups.n_points
    with asking_library(row_names=points.row_names):
        weights = read_weights(points.weights, n_points)
        check_parameters(asked, groups, weights)
        if n_points > _MOST_KINDS and (points.weights is not None or groups.counts is not None):
            return
        # Itself it takes a moment to import, so what is wrong with a parameter has been said before.
        from minirel.promises.feasibility.counts import CountProgram
        from minirel.promises.feasibility.diagnosis import explain_infeasible
        from minirel.solvers.limits import Deadline

        groups, n_clusters = weighed(groups, weights), asked["n_clusters"]
        fairness = read_fairness(groups, weights, n_clusters, **asked_of(asked, n_points, n_clusters, groups))
        program = CountProgram(groups, weights, fairness).until(Deadline(asked["time_limit"]))
        if program.shortage() is not None:
            raise explain_infeasible(program)
