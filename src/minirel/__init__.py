"""Minimum representation fair clustering, with a proof of quality on every answer."""

from minirel.assignment.fair_assignment import Assignment, fair_assignment
from minirel.errors import InfeasibleFairnessError

__all__ = ["Assignment", "InfeasibleFairnessError", "fair_assignment"]
__version__ = "0.1.0.dev0"
