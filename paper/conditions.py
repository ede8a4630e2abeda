"""Under which conditions runs were made, so that only like is put with like."""

import platform
from importlib.metadata import version

from joblib import cpu_count

from minirel import __version__
from paper.data import DataSource
from paper.plan import Plan
from paper.run import Record

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "highspy")


def conditions_of(plan: Plan, source: DataSource, time_limit: float) -> Record:
    """Versions, machine and data sets, as texts and numbers."""
    used = {run.data for runs in plan.runs.values() for _, run in runs}
    return {
        "minirel": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
        "system": f"{platform.system()} {platform.machine()}",
        "cores": cpu_count(),
        "time limit of highs, in seconds": time_limit,
        **{f"fingerprint of {name}": source.fingerprint(name) for name in sorted(used)},
    }


def joined(before: Record, now: Record) -> Record:
    """The conditions of earlier runs and of those to come; an error if they contradict each other."""
    for name, value in now.items():
        if before.get(name, value) != value:
            raise ValueError(
                f"the runs that are here were made with {name} {before[name]}, and now it is {value}: they "
                "do not go together; name another folder, or delete this one to start anew"
            )
    return before | now
