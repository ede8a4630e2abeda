"""How far the work is, as it appears on a real terminal and in a file."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from cli.people import write
from minirel.cli.progress import progress

pty = pytest.importorskip("pty", reason="no pseudo-terminals on this machine")

ITERATION = re.compile(r"iteration \d+: cost \S+, proven within \S+")
LINES = "start  2  iteration   1  cost 12.5  gap 0.0001  shift 3\nof no note\niteration  12  cost 9  gap 0\n"


def seen_on_a_terminal(*args: object) -> tuple[int, str, str]:
    """Exit code, standard output, and all that a terminal shows of standard error."""
    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")}
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "minirel", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env=env | {"TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # Linux says so when the other side has closed
            while piece := os.read(ours, 65_536):
                shown += piece
        os.close(ours)
        stdout = process.communicate(timeout=100)[0]
    return process.returncode, stdout, shown.decode()


def test_a_terminal_shows_one_line_that_changes(tmp_path: Path) -> None:
    args = ("fit", write(tmp_path), "-g", "sex", "-k", 4, "--features", "age,income", "--out", "-")
    code, stdout, shown = seen_on_a_terminal(*args)
    assert code == 0, shown
    assert ITERATION.search(shown), shown
    assert "\x1b[2K" in shown  # the line is wiped,
    assert shown.rindex("\x1b[2K") > max(
        found.end() for found in ITERATION.finditer(shown)
    )  # at last for good
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1  # the cursor comes back
    assert stdout.splitlines()[0].endswith(",cluster")
    assert "\x1b" not in stdout


def test_quiet_shows_a_terminal_nothing(tmp_path: Path) -> None:
    args = (
        "fit",
        write(tmp_path),
        "-g",
        "sex",
        "-k",
        3,
        "--features",
        "age,income",
        "-q",
        "--out",
        tmp_path / "o.csv",
    )
    assert seen_on_a_terminal(*args) == (0, "", "")


def test_elsewhere_each_iteration_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(quiet=False):
        for piece in (LINES[:20], LINES[20:]):  # as it is written, not by lines
            print(piece, end="")
    print("after")
    assert capsys.readouterr() == (
        "after\n",
        "k-means ...\n"
        "start  2, iteration 1: cost 12.5, proven within 0.0001 of the best for its centers and holders\n"
        "iteration 12: cost 9, proven within 0 of the best for its centers and holders\n",
    )


def test_standard_output_comes_back_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (True, False):
        with pytest.raises(ZeroDivisionError), progress(quiet):
            raise ZeroDivisionError
        print("back")
    assert capsys.readouterr().out == "back\nback\n"
