"""A linear or mixed-integer program as plain arrays, and its solution."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Outcome = Literal["optimal", "limit", "infeasible"]

# Feasibility, integrality and dual tolerances. Rows are checked exactly afterwards, so solvers use the tight
# one; a solver that fails at it may try again with the second.
TOLERANCES = (1e-9, 1e-6)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Minimise ``cost @ x`` with ``row_lower <= matrix @ x <= row_upper`` and ``lower <= x <= upper``.

    Variables marked in `integer` are whole numbers; with none marked it is a linear program.

    Examples
    --------
    At least 5 of two things that cost 2 and 3, the first at most 3 times:

    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from minirel.solvers import MIP_SOLVERS, LinearModel
    >>> model = LinearModel(
    ...     cost=np.array([2.0, 3.0]),
    ...     lower=np.zeros(2),
    ...     upper=np.array([3.0, np.inf]),
    ...     integer=np.array([True, True]),
    ...     matrix=csr_array([[1.0, 1.0]]),
    ...     row_lower=np.array([5.0]),
    ...     row_upper=np.array([np.inf]),
    ... )
    >>> found = MIP_SOLVERS["highs"](model)
    >>> found.outcome, found.x.round().tolist()
    ('optimal', [3.0, 2.0])
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
    """What a solver returns: `x` is None if it has no feasible point.

    ``outcome`` is "optimal" (within the gap that was asked), "limit" (of time or of nodes; `x` may still be
    there) or "infeasible". ``bound`` is a lower bound on the objective, valid up to the
    feasibility, integrality and dual `tolerance`. ``n_nodes`` counts branch-and-bound nodes, 0 if unknown.

    Examples
    --------
    >>> from minirel.solvers import Solution
    >>> Solution("limit", None, float("inf"), 12.5).x is None
    True
    """

    outcome: Outcome
    x: NDArray[np.float64] | None
    objective: float
    bound: float
    tolerance: float = TOLERANCES[0]
    n_nodes: int = 0


def check_costs(model: LinearModel) -> None:
    """Refuse what HiGHS does not survive: costs that overflowed or are no numbers."""
    bad = np.flatnonzero(~np.isfinite(model.cost))
    if len(bad):
        raise RuntimeError(
            f"{len(bad)} of {len(model.cost)} costs of a linear program are not finite numbers; the first is "
            f"{model.cost[bad[0]]}: scale costs or weights closer to 1"
        )
