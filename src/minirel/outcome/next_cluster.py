"""What one more cluster for a group would cost."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.request import Request, read_options
from minirel.assignment.solve import Call, proven, solve
from minirel.clustering.data import ArrayOrSparse, read_X
from minirel.clustering.objectives import OBJECTIVES
from minirel.outcome.result import FittedModel, Result, result_of
from minirel.points.errors import InfeasibleFairnessError, NothingFoundError, ParameterValueError
from minirel.points.members import weighed
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.diagnosis import why_infeasible
from minirel.solvers.limits import Deadline

_GAP = 1e-3  # or that of the model, if it asks for less
# How many groups are worked out, the largest first, and how many costs they may take to look at: counted, so
# that the same model gives the same answer everywhere.
_MOST_GROUPS, _MOST_COSTS = 50, 400_000_000


def next_clusters(
    model: FittedModel, X: ArrayOrSparse, *, time_limit: float | None = None
) -> list[dict[str, Any]]:
    """Tell what it would cost to represent each group in one more cluster, with the centers as they are.

    Clusters held now stay held where that is possible, and the next is chosen by local cost. Centers that
    follow their clusters would lower the cost, so this is more than a new fit would cost, if anything.

    Parameters
    ----------
    model : MiniReL
        A fitted estimator.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The points that it was fitted to.
    time_limit : float, optional
        Seconds after which no more groups are worked out. Without it, counts alone decide: the 50 largest
        groups are worked out, or fewer where points times clusters times groups exceed 400 million.

    Returns
    -------
    list of dict
        For each group: `group`, `beta` (with the one more), `status`, `cost` (the extra cost) and `why`. The
        status is "computed"; "impossible", if that is proven; or "not computed". For the latter two, `cost`
        is None and `why` gives the reason. It also says so where a limit left the cost higher than need be.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL, next_clusters
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(n_clusters=6, beta={0: 1, 1: 2, 2: 3}, random_state=0)
    >>> model = model.fit(X, sensitive_features=species)
    >>> [(row["group"], row["beta"], row["status"]) for row in next_clusters(model, X)]
    [(0, 2, 'impossible'), (1, 3, 'impossible'), (2, 4, 'impossible')]
    """
    result = result_of(model)
    gap, deadline = read_options("certified", max(_GAP, result.asked_gap), time_limit)
    costs, fairness, groups, weights = _costs(model, X), result.fairness, result.groups, result.weights
    units = result.together
    if units is not None:
        costs = np.asarray(units.means(costs, weights))
        groups, weights = units.groups(groups, weights), units.weights(weights)
        groups = weighed(groups, weights)
    names, held = groups.names, tuple(result.holders)
    most = min(_MOST_GROUPS, max(_MOST_COSTS // costs.size, 1))
    rows: dict[int, dict[str, Any]] = {}
    for place, g in enumerate(np.lexsort((np.arange(len(names)), -groups.n_members)).tolist()):
        asked = replace(fairness, beta=tuple(b + (h == g) for h, b in enumerate(fairness.beta)))
        found: _Found
        if asked.beta[g] > int(fairness.allowed[g].sum()):
            found = "impossible", None, "it has every cluster that it may have"
        elif place >= most:
            found = "not computed", None, f"only the {most} largest of {len(names)} groups are worked out"
        elif deadline.passed():
            found = "not computed", None, f"the time limit of {time_limit:g} seconds was over"
        else:
            program = CountProgram(groups, weights, asked).until(deadline)
            request = Request(groups, weights, asked, held, "local_cost", program)
            found = _work_out(request, costs, gap, deadline)
        status, cost, why = found
        extra = None if cost is None else max(cost - _base(result), 0.0)
        if cost is not None and result.status == "heuristic":
            why = ", ".join(filter(None, (why, "for clusters that need not be connected")))
        rows[g] = {"group": names[g], "beta": asked.beta[g], "status": status, "cost": extra, "why": why}
    return [rows[g] for g in range(len(names))]


def _base(result: Result) -> float:
    """What the promises at hand cost; of connected clusters, the least that they do without connecting."""
    return result.lower_bound if result.status == "heuristic" else result.cost


_Found = tuple[str, float | None, str]


def _work_out(request: Request, costs: NDArray[np.floating], gap: float, deadline: Deadline) -> _Found:
    """Status, cost and reason of a request; what it requires is given up if that cannot be kept."""
    program = request.program
    if request.required and program.choose(required=request.required).impossible:
        request = replace(request, required=())
        if program.choose().impossible:
            return "impossible", None, why_infeasible(program)
    try:
        prefix = request.choose(costs)
    except InfeasibleFairnessError as error:
        return "impossible", None, str(error)
    problem = request.problem(costs, prefix)
    try:
        answer = solve(Call(problem, request.required, program, gap, deadline), "certified")
    except (InfeasibleFairnessError, NothingFoundError) as error:
        return "not computed", None, str(error)
    fair = proven(problem, answer, gap)
    is_rough = fair.status not in ("optimal", "within gap", "within rounding")
    return "computed", fair.cost, f"at most: stopped by the {fair.status}" if is_rough else ""


def _costs(model: FittedModel, X: ArrayOrSparse) -> NDArray[np.floating]:
    """What each point costs at each center, having seen that these are the points of the fit."""
    result = model.result_
    points, n_points = read_X(model, X, result.objective, reset=False), len(result.labels)
    if points.shape[0] != n_points:
        rule = f"must hold the {n_points} points that the model was fitted to"
        raise ParameterValueError("X", rule, X, found=f"has {points.shape[0]}")
    costs: NDArray[np.floating] = OBJECTIVES[result.objective](points, None).costs(result.centers)
    own_cost = float(result.weights.times(costs[np.arange(n_points), result.labels]).sum())
    if abs(own_cost - result.cost) > 1e-3 * result.cost + 1e-9:
        rule = "must hold the points that the model was fitted to, in their order"
        found = f"these cost {own_cost:g} in its clusters, not {result.cost:g}"
        raise ParameterValueError("X", rule, X, found=found)
    return costs
