"""Timing things next to each other, and tables of what came out."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
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
    return _peak(resource.getrusage(resource.RUSAGE_SELF))


def _peak(usage: resource.struct_rusage) -> float:
    unit = 1024 if sys.platform == "darwin" else 1  # bytes there, kilobytes elsewhere
    return usage.ru_maxrss / unit / 1024


class Child(NamedTuple):
    """What a process took: seconds by the clock and of the processor, and its peak of memory in MB."""

    seconds: float
    processor: float
    megabytes: float


def run_child(command: list[str]) -> tuple[Child, str]:
    """Run a command to its end; what it took, and what it printed."""
    with tempfile.TemporaryFile("w+") as told, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=told, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        errors.seek(0)
        if child.returncode:
            raise RuntimeError(f"{command} ended with {child.returncode}:\n{errors.read()}")
        return Child(seconds, usage.ru_utime + usage.ru_stime, _peak(usage)), told.read()


def run_parts(parts: Mapping[str, Callable[[], None]]) -> None:
    """Run the parts named on the command line, or all that are not hidden by an underscore."""
    for name in sys.argv[1:] or [name for name in parts if not name.startswith("_")]:
        if not name.startswith("_"):
            print(f"\n## {name}: {parts[name].__doc__}\n", flush=True)
            print(f"load average {os.getloadavg()[0]:.1f} before\n", flush=True)
        parts[name]()
