"""Minimum representation fair clustering, with a proof of quality on every answer."""

TYPE_CHECKING = False  # typing's own would be the slowest import here
if TYPE_CHECKING:
    from minirel.assignment.fair_assignment import fair_assignment
    from minirel.assignment.solve import Assignment
    from minirel.clustering.initialise import KMeansStart
    from minirel.estimator import MiniReL
    from minirel.frontiers.frontier import frontier
    from minirel.frontiers.table import Frontier
    from minirel.frontiers.work import Progress
    from minirel.outcome.audit import Audit, audit
    from minirel.outcome.explanation import Explanation, explain
    from minirel.outcome.next_cluster import next_clusters
    from minirel.outcome.profile import Profile, profile
    from minirel.outcome.result import Result
    from minirel.points.errors import InfeasibleFairnessError, NothingFoundError, ParameterError

__all__ = [
    "Assignment",
    "Audit",
    "Explanation",
    "Frontier",
    "InfeasibleFairnessError",
    "KMeansStart",
    "MiniReL",
    "NothingFoundError",
    "ParameterError",
    "Profile",
    "Progress",
    "Result",
    "audit",
    "explain",
    "fair_assignment",
    "frontier",
    "next_clusters",
    "profile",
]
__version__ = "0.1.0"

# Imported when first used, so that the command line can answer, and be interrupted, at once.
_HOMES = {
    "Assignment": "minirel.assignment.solve",
    "Audit": "minirel.outcome.audit",
    "Explanation": "minirel.outcome.explanation",
    "Frontier": "minirel.frontiers.table",
    "InfeasibleFairnessError": "minirel.points.errors",
    "KMeansStart": "minirel.clustering.initialise",
    "MiniReL": "minirel.estimator",
    "NothingFoundError": "minirel.points.errors",
    "ParameterError": "minirel.points.errors",
    "Profile": "minirel.outcome.profile",
    "Progress": "minirel.frontiers.work",
    "Result": "minirel.outcome.result",
    "audit": "minirel.outcome.audit",
    "explain": "minirel.outcome.explanation",
    "fair_assignment": "minirel.assignment.fair_assignment",
    "frontier": "minirel.frontiers.frontier",
    "next_clusters": "minirel.outcome.next_cluster",
    "profile": "minirel.outcome.profile",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
