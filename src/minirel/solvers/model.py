"""A linear or integer program as plain arrays, and the answer to one."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Outcome = Literal["optimal", "limit", "infeasible"]

# What rows, integers and duals may be off by. Rows are compared exactly afterwards, so solvers are to be
# at their most careful; where one fails by that, it may try again at the second, which allows more.
TOLERANCES = (1e-9, 1e-6)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Minimise ``cost @ x`` with ``row_lower <= matrix @ x <= row_upper`` and ``lower <= x <= upper``.

    Variables marked in `integer` are whole numbers; with none marked it is a linear program.
    """

    cost: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]
    matrix: csr_array
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver found: `x` is None if it holds no feasible point.

    ``outcome`` is "optimal" (within the gap that was asked), "limit" (of time or of nodes; `x` may still be
    there) or "infeasible". ``bound`` is proven as far as the `tolerance` of rows, integers and duals
    goes: no feasible point costs less. ``n_nodes`` counts the parts of the search, as far as it is told.
    """

    outcome: Outcome
    x: NDArray[np.float64] | None
    objective: float
    bound: float
    tolerance: float = TOLERANCES[0]
    n_nodes: int = 0
