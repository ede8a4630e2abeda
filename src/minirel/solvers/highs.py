"""HiGHS, from highspy or from SciPy, whichever can be loaded in this process."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from minirel.solvers.model import LinearModel, Solution


class Limits(TypedDict, total=False):
    """How a model is solved; what is left out is no limit."""

    absolute_gap: float
    relative_gap: float
    time_limit: float | None
    start: NDArray[np.float64] | None
    target: float
    node_limit: int | None


def solve(model: LinearModel, **limits: Unpack[Limits]) -> Solution:
    """Solve `model`; an integer program to within either gap, starting from `start` if it is given.

    The search also ends, as at a limit, with the first solution that costs `target` or less, and after
    `node_limit` nodes of branch and bound.
    """
    by = import_module(f"minirel.solvers.{'by_highspy' if uses_highspy() else 'by_scipy'}")
    solution: Solution = by.solve(model, **limits)
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
