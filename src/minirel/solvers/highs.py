"""HiGHS, from highspy or from SciPy, whichever can be loaded in this process."""

import math
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from minirel.solvers.model import LinearModel, Solution


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
    """Solve `model`; an integer program to within either gap, starting from `start` if it is given.

    The search also ends, as at a limit, with the first solution that costs `target` or less, and after
    `node_limit` nodes of branch and bound.
    """
    by = import_module(f"minirel.solvers.{'by_highspy' if uses_highspy() else 'by_scipy'}")
    solution: Solution = by.solve(
        model,
        absolute_gap=absolute_gap,
        relative_gap=relative_gap,
        time_limit=time_limit,
        start=start,
        target=target,
        node_limit=node_limit,
    )
    return solution


@cache
def uses_highspy() -> bool:
    """Whether HiGHS comes from highspy, else from SciPy.

    OR-Tools brings a HiGHS library of the same name and another version, and of these two whichever is
    loaded second fails. So highspy is not used where OR-Tools is installed.
    """
    if find_spec("ortools") is not None:
        return False
    try:
        import highspy  # noqa: F401
    except ImportError:
        return False
    return True
