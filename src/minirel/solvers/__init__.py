"""Integer programming solvers behind one door: neutral arrays in, a checked answer out."""

from minirel.solvers.model import LinearModel, Solution
from minirel.solvers.table import SOLVERS

__all__ = ["SOLVERS", "LinearModel", "Solution"]
