"""LP and MIP solvers behind one interface: plain arrays in, a checked solution out."""

from minirel.solvers.model import LinearModel, Solution
from minirel.solvers.table import MIP_SOLVERS

__all__ = ["MIP_SOLVERS", "LinearModel", "Solution"]
