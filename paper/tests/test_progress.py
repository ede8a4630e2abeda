"""How far a reproduction is: a bar on a terminal, a line now and then elsewhere, or nothing if quiet."""

import io
import sys

import pytest

from paper.clock import Clock
from paper.progress import RunsProgress
from paper.tests.small import planned, small

PLAN = planned(small())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, quiet: bool = False) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with RunsProgress(Clock(PLAN, 2), quiet) as progress:
        for run in PLAN.timed:
            progress.done(run, {"seconds": 100.0}, before=False)
    return stream.getvalue()


def test_lines_start_and_end_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_, last = told(monkeypatch, io.StringIO()).splitlines()
    # Eleven runs are left of twelve, at 100 seconds each.
    assert first == "1 of 12 runs, 18 min 20 s left, iris, K=4, seed 0"
    assert last == "12 of 12 runs, 0 min 00 s left, iris, K=5, seed 1"


def test_a_terminal_gets_a_bar_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = told(monkeypatch, Terminal())
    assert "12/12" in shown
    assert "0 min 00 s left" in shown


def test_quiet_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, Terminal(), quiet=True) == ""
