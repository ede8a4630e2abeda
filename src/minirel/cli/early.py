"""What can be refused before the estimator is imported, which takes seconds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from minirel.cli.messages import UserError, asking_library
from minirel.cli.points import Points
from minirel.clustering.parameters import check_parameters
from minirel.points.columns import Numbered
from minirel.points.members import weighed
from minirel.points.weights import read_weights
from minirel.points.wording import counted

# Rows of different weights beyond which it takes too long to count their kinds twice.
_MOST_KINDS = 1_000_000


def check_request(asked: Mapping[str, Any], points: Points, together: str | None = None) -> None:
    """Refuse parameters that are wrong, and promises for which counting finds too few members or rows.

    Of rows that stay together, by the column `together`, the estimator knows more: there it has the word.
    """
    if points.together is not None:
        _check_units(asked["n_clusters"], points.together, points, together)
        return
    n_points = points.groups.n_points
    with asking_library(row_names=points.row_names):
        weights = read_weights(points.weights, n_points)
        groups = weighed(points.groups, weights)
        fairness = check_parameters(asked, groups, weights)
        if n_points > _MOST_KINDS and (points.weights is not None or groups.counts is not None):
            return
        # Itself it takes a moment to import, so what is wrong with a parameter has been said before.
        from minirel.promises.feasibility.counts import CountProgram
        from minirel.promises.feasibility.diagnosis import explain_infeasible
        from minirel.solvers.limits import Deadline

        program = CountProgram(groups, weights, fairness).until(Deadline(asked["time_limit"]))
        if program.shortage() is not None:
            raise explain_infeasible(program)


def _check_units(n_clusters: int, units: Numbered, points: Points, column: str | None) -> None:
    """Refuse more clusters than there are values to fill them with; missing ones are alone."""
    weighty = np.ones(len(units), dtype=np.bool_) if points.weights is None else points.weights > 0
    own = units.numbers[weighty]
    most = len(np.unique(own[own >= 0])) + int((own < 0).sum())
    if n_clusters > most:
        of_weight = "" if points.weights is None else " of weight above 0"
        raise UserError(
            f"--clusters must be at most the number of values of --together {column!r}{of_weight}, since "
            f"rows of one value go to one cluster and none may be empty, but is {n_clusters} for "
            f"{counted(most, 'value')}: lower --clusters to at most {most}, or choose another column"
        )
