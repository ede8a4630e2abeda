"""The table of LP and MIP solvers: a new one needs its own file and one entry here."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from minirel.solvers import gurobi, highs
from minirel.solvers.model import LinearModel, Solution


class MipSolver(Protocol):
    """The signature that every solver has."""

    def __call__(
        self,
        model: LinearModel,
        *,
        absolute_gap: float = 0.0,
        relative_gap: float = 0.0,
        time_limit: float | None = None,
        start: NDArray[np.float64] | None = None,
        node_limit: int | None = None,
    ) -> Solution:
        """Solve `model` to within either gap or until a limit, from `start` if it is given."""


MIP_SOLVERS: dict[str, MipSolver] = {"highs": highs.solve, "gurobi": gurobi.solve}
