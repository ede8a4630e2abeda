"""Minimum representation fair clustering, with a proof of quality on every answer."""

from minirel.assignment.fair_assignment import fair_assignment
from minirel.assignment.solve import Assignment
from minirel.audit import Audit, audit
from minirel.errors import InfeasibleFairnessError
from minirel.estimator import MiniReL
from minirel.explanation import Explanation, explain
from minirel.initialise import KMeansStart
from minirel.next_cluster import next_clusters

__all__ = [
    "Assignment",
    "Audit",
    "Explanation",
    "InfeasibleFairnessError",
    "KMeansStart",
    "MiniReL",
    "audit",
    "explain",
    "fair_assignment",
    "next_clusters",
]
__version__ = "0.1.0.dev0"
