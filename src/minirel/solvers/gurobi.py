"""Gurobi, the solver of the paper. Only this file imports gurobipy, and only when it is used."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.solvers.model import TOLERANCES, LinearModel, Outcome, Solution

# Gurobi writes an infinite bound as this number.
_INFINITE = 1e100


class SolverLicenceError(RuntimeError):
    """Gurobi does not solve the model with the licence it finds."""


def solve(
    model: LinearModel,
    *,
    absolute_gap: float = 0.0,
    relative_gap: float = 0.0,
    time_limit: float | None = None,
    start: NDArray[np.float64] | None = None,
    node_limit: int | None = None,
) -> Solution:
    """Solve `model`; an integer program to within either gap, starting from `start` if it is given."""
    try:
        import gurobipy
    except ImportError as error:
        raise ImportError(
            'solver="gurobi" needs gurobipy, which is not installed: pip install "minirel[gurobi]"'
        ) from error
    status = gurobipy.GRB.Status
    # Every status is named; one that is not here is an error, never a guess.
    outcomes: dict[int, Outcome] = {
        status.OPTIMAL: "optimal",
        status.INFEASIBLE: "infeasible",
        status.TIME_LIMIT: "limit",
        status.NODE_LIMIT: "limit",
        status.INTERRUPTED: "limit",
    }
    settings = {
        "OutputFlag": 0,
        "Threads": 1,
        "Seed": 0,
        "FeasibilityTol": TOLERANCES[0],
        "OptimalityTol": TOLERANCES[0],
        "IntFeasTol": TOLERANCES[0],
        "MIPGapAbs": absolute_gap,
        "MIPGap": relative_gap,
        "TimeLimit": math.inf if time_limit is None else time_limit,
        "NodeLimit": math.inf if node_limit is None else node_limit,
    }
    sides = _sides(model)
    matrix: Any = model.matrix  # gurobipy takes sparse matrices, but its hints leave them out
    is_integer = bool(model.integer.any())
    try:
        with gurobipy.Env(params=settings) as env, gurobipy.Model(env=env) as program:
            x = program.addMVar(
                model.cost.size,
                lb=model.lower,
                ub=model.upper,
                obj=model.cost,
                vtype=np.where(model.integer, "I", "C"),
            )
            for rows, sense, side in sides:
                program.addMConstr(matrix[rows], x, sense, side)
            if start is not None and is_integer:
                x.setAttr("Start", start)
            program.optimize()
            if program.Status == status.INF_OR_UNBD:
                # Presolve cannot tell which of the two; without its dual reductions it can.
                program.Params.DualReductions = 0
                program.optimize()

            if program.Status not in outcomes:
                raise RuntimeError(f"Gurobi stopped with the status code {program.Status}")
            outcome = outcomes[program.Status]
            if outcome == "infeasible":
                return Solution("infeasible", None, math.inf, math.inf)
            has_point = program.SolCount > 0
            if outcome == "optimal" and not has_point:
                raise RuntimeError("Gurobi reports an optimum without a feasible point")
            point = np.array(x.X) if has_point else None
            objective = float(program.ObjVal) if has_point else math.inf
            if is_integer:
                bound = float(program.ObjBound)
                return Solution(outcome, point, objective, bound if abs(bound) < _INFINITE else -math.inf)
            return Solution(outcome, point, objective, objective if outcome == "optimal" else -math.inf)
    except gurobipy.GurobiError as error:
        codes = gurobipy.GRB.Error
        if error.errno not in (codes.SIZE_LIMIT_EXCEEDED, codes.NO_LICENSE):
            raise RuntimeError(f"Gurobi failed: {error}") from error
        n_rows = sum(rows.size for rows, _, _ in sides)
        raise SolverLicenceError(
            f"Gurobi does not solve this model of {model.cost.size:,} variables and {n_rows:,} rows "
            f"({str(error).rstrip('.')}). Without a licence file it takes up to 2,000 of each: install a "
            f'licence, or use solver="certified" or solver="highs"'
        ) from error


def _sides(model: LinearModel) -> list[tuple[NDArray[np.intp], str, NDArray[np.float64]]]:
    """Rows as equalities and one-sided inequalities, since Gurobi has no ranged rows."""
    lower, upper = model.row_lower, model.row_upper
    equal = lower == upper
    sides = [
        (np.flatnonzero(equal), "=", lower),
        (np.flatnonzero(~equal & np.isfinite(lower)), ">", lower),
        (np.flatnonzero(~equal & np.isfinite(upper)), "<", upper),
    ]
    return [(rows, sense, side[rows]) for rows, sense, side in sides if rows.size]
