"""What one more cluster for a group would cost."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from minirel.assignment.problem import Deadline
from minirel.assignment.solve import Call, proven, solve
from minirel.counts import CountProgram
from minirel.errors import InfeasibleFairnessError
from minirel.objectives import OBJECTIVES
from minirel.request import Request

if TYPE_CHECKING:
    from minirel.estimator import MiniReL

_GAP = 1e-3  # or that of the model, if it asks for less
_PATIENCE = 10.0  # seconds in all


def next_clusters(model: "MiniReL", X: ArrayLike) -> list[dict[str, Any]]:
    """Tell what it would cost to represent each group in one more cluster, with the centers as they are.

    Clusters held now stay held where that is possible, and the next is chosen by local cost. Centers that
    follow their clusters would lower the cost, so this is more than a new fit would cost, if anything.

    Parameters
    ----------
    model : MiniReL
        A fitted estimator.
    X : array-like of shape (n_samples, n_features)
        The points that it was fitted to.

    Returns
    -------
    list of dict
        For each group: `group`, `beta` (with the one more), `cost` (the extra cost, or None if it cannot be
        done) and `why` (a sentence if it cannot, else empty).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL, next_clusters
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(n_clusters=6, beta=2, random_state=0).fit(X, sensitive_features=species)
    >>> [(row["group"], row["beta"], row["cost"] is not None) for row in next_clusters(model, X)]
    [(0, 3, False), (1, 3, False), (2, 3, False)]
    """
    check_is_fitted(model)
    record = model._record
    points = model._read_X(X, reset=False)
    if points.shape[0] != record.groups.n_points:
        raise ValueError(
            f"X must hold the {record.groups.n_points} points that the model was fitted to, but has "
            f"{points.shape[0]}"
        )
    costs = OBJECTIVES[model.objective](points, None).costs(model.cluster_centers_)
    own_cost = float(record.cost(costs[np.arange(len(costs)), model.labels_]).sum())
    if abs(own_cost - model.inertia_) > 1e-3 * model.inertia_ + 1e-9:
        raise ValueError(
            f"X must hold the points that the model was fitted to, in their order: they cost {own_cost:g} in "
            f"its clusters, not {model.inertia_:g}"
        )
    names, fairness = record.fairness.names, record.fairness
    held = tuple(sorted((names.index(group), k) for group, k in model.prefix_))
    deadline, gap = Deadline(_PATIENCE), max(_GAP, float(model.gap))
    rows: list[dict[str, Any]] = []
    for g, name in enumerate(names):
        beta = tuple(b + (h == g) for h, b in enumerate(fairness.beta))
        row: dict[str, Any] = {"group": name, "beta": beta[g], "cost": None, "why": ""}
        rows.append(row)
        if beta[g] > int(fairness.allowed[g].sum()):
            row["why"] = "it has every cluster that it may have"
            continue
        if deadline.passed():
            row["why"] = f"there are too many groups to work it out within {_PATIENCE:g} seconds"
            continue
        asked = replace(fairness, beta=beta)
        program = CountProgram(record.groups, record.weights, asked).until(deadline)
        for required in (held, ()):
            request = Request(record.groups, record.weights, asked, required, "local_cost", program)
            try:
                problem = request.problem(costs, request.choose(costs))
                call = Call(problem, required, program, gap, deadline)
                fair = proven(problem, solve(call, "certified"), gap)
            except InfeasibleFairnessError as error:
                row["why"] = str(error)
                continue
            row["cost"], row["why"] = max(fair.cost - model.inertia_, 0.0), ""
            break
    return rows
