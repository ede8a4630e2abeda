"""The settings of a run: how assignments are solved, and when to stop."""

from dataclasses import dataclass

from minirel.points.workers import SERIAL, Workers
from minirel.solvers.limits import Deadline


@dataclass(frozen=True)
class Rules:
    """How assignments are solved, and when to stop: `tol` bounds the centers' squared shift."""

    solver: str
    gap: float
    max_iter: int
    tol: float
    deadline: Deadline
    workers: Workers = SERIAL
