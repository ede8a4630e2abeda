"""HiGHS as shipped with SciPy, where highspy cannot be loaded. It takes no start and no target."""

import math
import warnings
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp

from minirel.solvers.model import TOLERANCES, LinearModel, Outcome, Solution, check_costs

# Every status of `scipy.optimize.milp` that is an answer. 4 is everything else, the node limit included,
# which only the message tells apart.
_OUTCOMES: dict[int, Outcome] = {0: "optimal", 1: "limit", 2: "infeasible"}
_OTHER, _NODE_LIMIT = 4, "Solution limit"
# SciPy warns about options that it passes on unchecked, and all threads share the warning filters.
_FILTERS = Lock()


def solve(
    model: LinearModel,
    *,
    absolute_gap: float = 0.0,
    relative_gap: float = 0.0,
    time_limit: float | None = None,
    start: NDArray[np.float64] | None = None,
    target: float = -math.inf,
    node_limit: int | None = None,
) -> Solution:
    """Solve `model`; see `minirel.solvers.highs.solve`. `start` and `target` are ignored."""
    check_costs(model)
    options: dict[str, float] = {"mip_rel_gap": relative_gap, "mip_abs_gap": absolute_gap, "random_seed": 0}
    if time_limit is not None:
        options["time_limit"] = max(time_limit, 1e-3)
    if node_limit is not None:
        options["node_limit"] = node_limit
    for tolerance in TOLERANCES:
        found = _run(model, options, tolerance)
        at_node_limit = found.status == _OTHER and _NODE_LIMIT in found.message
        if found.status != _OTHER or at_node_limit:
            break
    if found.status not in _OUTCOMES and not at_node_limit:
        raise RuntimeError(f"HiGHS, through SciPy, stopped: {found.message}")
    outcome = "limit" if at_node_limit else _OUTCOMES[found.status]
    n_nodes = max(0, int(found.get("mip_node_count") or 0))
    if outcome == "infeasible":
        return Solution("infeasible", None, math.inf, math.inf, n_nodes=n_nodes)
    bound = found.get("mip_dual_bound")
    if not model.integer.any():
        bound = found.fun if outcome == "optimal" else None
    lower_bound = -math.inf if bound is None else float(bound)
    if found.x is None:
        return Solution("limit", None, math.inf, lower_bound, tolerance, n_nodes)
    return Solution(outcome, np.asarray(found.x), float(found.fun), lower_bound, tolerance, n_nodes)


def _run(model: LinearModel, options: dict[str, float], tolerance: float) -> OptimizeResult:
    names = ("primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance")
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return milp(
            model.cost,
            integrality=model.integer.astype(int),
            bounds=Bounds(model.lower, model.upper),
            constraints=LinearConstraint(model.matrix, model.row_lower, model.row_upper),
            options={**options, **dict.fromkeys(names, tolerance)},  # type: ignore[arg-type]  # as HiGHS has them
        )
