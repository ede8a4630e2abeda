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

# Of the largest cost: what a bound may be off by within the solvers' tolerances; and of a solution's cost,
# from where on that matters.
_DOUBT, _MUCH = 2e-9, 1e-6


def believed(bound: float, cost: float, largest: float) -> float:
    """A solver's bound, less what its tolerances may hide, beside a solution's cost and the largest cost."""
    doubt = _DOUBT * largest
    return bound - doubt if doubt > _MUCH * abs(cost) else bound


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
    there) or "infeasible". ``bound`` is proven: no feasible point costs less. ``n_nodes`` counts the parts of
    the search, as far as the solver tells.
    """

    outcome: Outcome
    x: NDArray[np.float64] | None
    objective: float
    bound: float
    n_nodes: int = 0
