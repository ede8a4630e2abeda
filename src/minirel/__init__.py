"""Minimum representation fair clustering, with a proof of quality on every answer."""

import sys
from types import ModuleType

TYPE_CHECKING = False  # typing's own would be the slowest import here
if TYPE_CHECKING:
    from minirel.assignment.fair_assignment import fair_assignment
    from minirel.assignment.solve import Assignment
    from minirel.audit import Audit, audit
    from minirel.errors import InfeasibleFairnessError, NothingFoundError
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
    "NothingFoundError",
    "audit",
    "explain",
    "fair_assignment",
    "next_clusters",
]
__version__ = "0.1.0.dev0"

# Imported when first used, so that the command line can answer, and be interrupted, at once.
_HOMES = {
    "Assignment": "minirel.assignment.solve",
    "Audit": "minirel.audit",
    "Explanation": "minirel.explanation",
    "InfeasibleFairnessError": "minirel.errors",
    "KMeansStart": "minirel.initialise",
    "MiniReL": "minirel.estimator",
    "NothingFoundError": "minirel.errors",
    "explain": "minirel.explanation",
    "fair_assignment": "minirel.assignment.fair_assignment",
    "next_clusters": "minirel.next_cluster",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _imported(_HOMES[name], name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _imported(home: str, name: str) -> object:
    from importlib import import_module

    return getattr(import_module(home), name)


class _Package(ModuleType):
    """The package, whose `audit` is the function, whatever was imported before.

    Importing a file sets an attribute of its package to the module, here in the place of the function.
    """

    @property
    def audit(self) -> object:
        return _imported("minirel.audit", "audit")

    @audit.setter
    def audit(self, module: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package
