"""Pictures of a clustering, as scikit-learn's displays are; they need the extra ``minirel[plot]``."""

from minirel.plotting.comparison import ComparisonDisplay
from minirel.plotting.composition import CompositionDisplay
from minirel.plotting.convergence import ConvergenceDisplay
from minirel.plotting.frontier import FrontierDisplay
from minirel.plotting.projection import ProjectionDisplay
from minirel.plotting.representation import RepresentationDisplay

__all__ = [
    "ComparisonDisplay",
    "CompositionDisplay",
    "ConvergenceDisplay",
    "FrontierDisplay",
    "ProjectionDisplay",
    "RepresentationDisplay",
]
