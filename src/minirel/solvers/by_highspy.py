"""HiGHS through highspy. Only this file imports highspy, and it is imported on the first solve."""

import math
import threading

import highspy
import numpy as np
from numpy.typing import NDArray

from minirel.solvers.model import TOLERANCES, LinearModel, Outcome, Solution, check_costs

# Every model status is named; one that is not here is an error, never a guess.
_OUTCOMES: dict[highspy.HighsModelStatus, Outcome] = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
    highspy.HighsModelStatus.kTimeLimit: "limit",
    highspy.HighsModelStatus.kInterrupt: "limit",
    highspy.HighsModelStatus.kSolutionLimit: "limit",
    highspy.HighsModelStatus.kObjectiveTarget: "limit",
}

_TOLERANCES = ("primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance")
_NO_LIMIT = 2**31 - 1
# Columns from which on a model may take long enough for the user to interrupt it.
_INTERRUPTIBLE_FROM = 2_000


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
    """Solve `model`; see `minirel.solvers.highs.solve`."""
    check_costs(model)
    rows, columns = model.matrix.shape
    is_integer = bool(model.integer.any())
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in (
        ("output_flag", False),
        ("threads", 1),
        ("random_seed", 0),
        *((name, TOLERANCES[0]) for name in _TOLERANCES),
        ("mip_abs_gap", absolute_gap),
        ("mip_rel_gap", relative_gap),
        ("objective_target", target),
        ("mip_max_nodes", _NO_LIMIT if node_limit is None else node_limit),
        ("time_limit", math.inf if time_limit is None else max(time_limit, 1e-3)),
    ):
        _check(solver.setOptionValue(name, value), f"setting the option {name}")
    _check(
        solver.passModel(
            columns,
            rows,
            model.matrix.nnz,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            model.cost,
            model.lower,
            model.upper,
            model.row_lower,
            model.row_upper,
            model.matrix.indptr.astype(np.int32),
            model.matrix.indices.astype(np.int32),
            model.matrix.data.astype(np.float64),
            model.integer.astype(np.int32),
        ),
        "taking the model",
    )
    if start is not None:
        warm_start = highspy.HighsSolution()
        warm_start.col_value = start.tolist()
        warm_start.value_valid = True
        _check(solver.setSolution(warm_start), "taking the starting point")
    tolerance = TOLERANCES[0]
    if _run(solver) == highspy.HighsStatus.kError:
        # HiGHS reports an error when it just misses the tolerance, as happens with coefficients of very
        # different magnitudes.
        tolerance = TOLERANCES[1]
        for name in _TOLERANCES:
            _check(solver.setOptionValue(name, tolerance), f"setting the option {name}")
        _check(solver.clearSolver(), "starting anew")
        _check(_run(solver), "solving")

    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kUnboundedOrInfeasible:
        # Every variable of ours is bounded where its cost could run away, so presolve means infeasible.
        status = highspy.HighsModelStatus.kInfeasible
    if status not in _OUTCOMES:
        raise RuntimeError(f"HiGHS stopped with the status {solver.modelStatusToString(status)!r}")
    outcome = _OUTCOMES[status]
    info = solver.getInfo()
    n_nodes = max(0, int(info.mip_node_count))  # -1 where presolve was enough
    if outcome == "infeasible":
        return Solution("infeasible", None, math.inf, math.inf, n_nodes=n_nodes)
    has_point = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    if outcome == "optimal" and not has_point:
        raise RuntimeError("HiGHS reports an optimum without a feasible point")
    x = np.array(solver.getSolution().col_value) if has_point else None
    if is_integer:
        objective, bound = info.objective_function_value, info.mip_dual_bound
        if outcome == "optimal" and not math.isfinite(bound):
            # HiGHS may leave the bound unset when it accepts the starting point at once.
            bound = objective - max(absolute_gap, relative_gap * abs(objective))
        return Solution(outcome, x, objective, bound, tolerance, n_nodes)
    if outcome == "optimal":
        return Solution(outcome, x, info.objective_function_value, info.objective_function_value, tolerance)
    return Solution(outcome, x, info.objective_function_value, -math.inf)


def _run(solver: highspy.Highs) -> highspy.HighsStatus:
    """Run HiGHS so that Ctrl-C stops it; Python would not see the signal while HiGHS runs."""
    if threading.current_thread() is not threading.main_thread() or solver.getNumCol() < _INTERRUPTIBLE_FROM:
        return solver.run()
    solver.HandleUserInterrupt = True
    outcome: list[highspy.HighsStatus] = []
    worker = threading.Thread(target=lambda: outcome.append(solver.run()), daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.1)
    except KeyboardInterrupt:
        solver.cancelSolve()  # type: ignore[no-untyped-call]
        worker.join()
        raise
    finally:
        solver.HandleUserInterrupt = False  # left on, it aborts the process at its end
    return outcome[0]


def _check(status: highspy.HighsStatus, what: str) -> None:
    if status == highspy.HighsStatus.kError:
        raise RuntimeError(f"HiGHS failed at {what}")
