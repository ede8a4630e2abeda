"""Timing things next to each other, and tables of what came out."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

REPEATS = int(os.environ.get("REPEATS", "5"))


def side_by_side(*calls: Callable[[], Any], repeats: int = REPEATS) -> list[tuple[float, Any]]:
    """Median seconds and the last result of each call, run in turn."""
    times: list[list[float]] = [[] for _ in calls]
    results = [None] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            results[i] = call()
            times[i].append(time.perf_counter() - start)
    return [(statistics.median(t), result) for t, result in zip(times, results, strict=True)]


def header(*names: str) -> None:
    row(*names)
    row(*("---" for _ in names))


def row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def megabytes() -> float:
    """The peak of this process's memory."""
    return _megabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _megabytes(peak: int) -> float:
    unit = 1024 if sys.platform == "darwin" else 1  # bytes there, kilobytes elsewhere
    return peak / unit / 1024


class Child(NamedTuple):
    """What a process took: seconds, and its peak of memory in MB."""

    seconds: float
    megabytes: float


# A small process between: the peak of one that a large process starts begins with that of the large one.
_LAUNCH = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def run_child(command: list[str]) -> Child:
    """Run a command to its end."""
    launched = subprocess.run([sys.executable, "-c", _LAUNCH, *command], capture_output=True, text=True)
    if launched.returncode:
        raise RuntimeError(f"{command} failed:\n{launched.stderr}")
    seconds, peak = launched.stdout.split()
    return Child(float(seconds), _megabytes(int(peak)))


def run_parts(parts: Mapping[str, Callable[[], None]]) -> None:
    """Run the parts named on the command line, or all that are not hidden by an underscore."""
    for name in sys.argv[1:] or [name for name in parts if not name.startswith("_")]:
        if not name.startswith("_"):
            print(f"\n## {name}: {parts[name].__doc__}\n", flush=True)
            print(f"load average {os.getloadavg()[0]:.1f} before\n", flush=True)
        parts[name]()
