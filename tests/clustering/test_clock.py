"""Where the time goes."""

import time
from dataclasses import dataclass

import pytest

from minirel.clustering.clock import Clock, timed


def test_seconds_by_phase() -> None:
    clock = Clock()
    for _ in range(2):
        with clock.phase("costs"):
            time.sleep(0.01)
    with pytest.raises(RuntimeError), clock.phase("assignment"):
        raise RuntimeError
    first = clock.read()
    with clock.phase("centers"):
        pass
    assert set(first) == {"costs", "assignment"}
    assert 0.02 <= first["costs"] < 2
    assert set(clock.read()) == {"centers"}
    assert clock.read() == {}


def test_clocks_of_a_fit_count_from_its_beginning() -> None:
    began = time.perf_counter()
    time.sleep(0.01)
    assert 0.01 <= Clock(began).elapsed() < 2
    assert Clock().elapsed() < 0.01


@dataclass(frozen=True)
class Worker:
    clock: Clock

    @timed("work")
    def work(self, seconds: float, *, result: str) -> str:
        """Sleep."""
        time.sleep(seconds)
        return result


def test_methods_report_their_time() -> None:
    worker = Worker(Clock())
    assert worker.work(0.01, result="done") == "done"
    assert Worker.work.__doc__ == "Sleep."
    assert 0.01 <= worker.clock.read()["work"] < 2
