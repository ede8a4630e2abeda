"""The solvers by name: adding one is a file and a line here."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from minirel.solvers import gurobi, highs
from minirel.solvers.model import LinearModel, Solution


class Solve(Protocol):
    """What every solver offers."""

    def __call__(
        self,
        model: LinearModel,
        *,
        absolute_gap: float = 0.0,
        relative_gap: float = 0.0,
        time_limit: float | None = None,
        start: NDArray[np.float64] | None = None,
        most_nodes: int | None = None,
    ) -> Solution:
        """Solve `model` to within either gap or until a limit, from `start` if it is given."""


SOLVERS: dict[str, Solve] = {"highs": highs.solve, "gurobi": gurobi.solve}
