"""How far the work is, as it appears on a real terminal and in a file."""

import json
import os
import re
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from cli.people import run, write
from minirel.cli.app import app
from minirel.cli.progress import in_words, progress
from minirel.clustering.history import Connecting, Iteration

pty = pytest.importorskip("pty", reason="no pseudo-terminals on this machine")

ITERATION = re.compile(r"iteration \d+: cost \S+, proven within \S+")
RECORD = Iteration(iteration=12, cost=9.0, bound=9.0, gap=0.0, shift=0.5, scans=7, seconds={})


@pytest.fixture
def seen_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs the command: exit code, standard output, and all that a terminal shows of standard error."""
    for name in ("NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")

    def seen(*args: object) -> tuple[int, str, str]:
        ours, theirs = pty.openpty()
        shown = bytearray()

        def read() -> None:
            with suppress(OSError):  # Linux says so when the other side has closed
                while piece := os.read(ours, 65_536):
                    shown.extend(piece)
            os.close(ours)

        reader = Thread(target=read)
        reader.start()
        with (
            open(theirs, "w", encoding="utf-8") as terminal,
            redirect_stderr(terminal),
            pytest.raises(SystemExit) as end,
        ):
            app([str(arg) for arg in args], prog_name="minirel")
        reader.join(100)
        return int(end.value.code or 0), capsys.readouterr().out, shown.decode()

    return seen


def test_a_terminal_shows_one_line_that_changes(
    tmp_path: Path, seen_on_a_terminal: Callable[..., tuple[int, str, str]]
) -> None:
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


def test_quiet_shows_a_terminal_nothing(
    tmp_path: Path, seen_on_a_terminal: Callable[..., tuple[int, str, str]]
) -> None:
    out = tmp_path / "o.csv"
    args = ("fit", write(tmp_path), "-g", "sex", "-k", 3, "--features", "age,income", "-q", "--out", out)
    assert seen_on_a_terminal(*args) == (0, "", "")


@pytest.mark.parametrize("at_once", [False, True])
def test_elsewhere_each_start_has_a_line(capsys: pytest.CaptureFixture[str], at_once: bool) -> None:
    with progress(quiet=False, at_once=at_once) as show:
        assert show is not None
        for record in (
            replace(RECORD, iteration=1, cost=12.5, run=1, n_runs=2),
            replace(RECORD, iteration=2, cost=12.25, run=1, n_runs=2, elapsed=0.25),
            replace(RECORD, iteration=1, cost=11.5, run=2, n_runs=2, elapsed=0.5),
        ):
            show(record)
        first = "start 1 of 2: cost 12.25 after 2 iterations, 0.2 s\n"
        assert capsys.readouterr().err == "k-means ...\n" + ("" if at_once else first)
        show(replace(RECORD, cost=11.25, run=2, n_runs=2, swap=1))
        show(replace(RECORD, cost=11.0, run=2, n_runs=2, swap=2, paid=True))
    assert capsys.readouterr() == (
        "",
        (first if at_once else "")
        + "start 2 of 2: cost 11.5 after 1 iteration, 0.5 s\n2 swaps, of which 1 paid: cost 11\n",
    )


def test_elsewhere_what_takes_long_is_heard_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minirel.cli.progress._EVERY", -1.0)
    with progress(quiet=False) as show:
        assert show is not None
        show(replace(RECORD, iteration=1, cost=12.5, gap=1e-4, run=2, n_runs=5))
    assert (
        "start 2 of 5, iteration 1: cost 12.5, proven within 0.010% of the best for its centers and holders"
        in capsys.readouterr().err
    )


def test_connecting_comes_after_all_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress(quiet=False) as show:
        assert show is not None
        show(RECORD)
        show(replace(RECORD, swap=1, cost=8.0, paid=True))
        connecting = Connecting(**RECORD)  # type: ignore[arg-type]
        show(connecting)
        show(replace(connecting, done=0.25))
        monkeypatch.setattr("minirel.cli.progress.time.monotonic", lambda: float("inf"))
        show(replace(connecting, done=0.5))
    assert capsys.readouterr().err.splitlines()[1:] == [
        "start: cost 9 after 12 iterations, 0.0 s",
        "1 swap, of which 1 paid: cost 8",
        "connecting clusters ...",
        "connecting clusters: 50%",
    ]


def test_quiet_has_nothing_to_call(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(quiet=True) as show:
        assert show is None
    assert capsys.readouterr() == ("", "")


def test_starts_are_counted(tmp_path: Path) -> None:
    args = ("fit", write(tmp_path), "-g", "sex", "-k", 4, "--features", "age,income", "--n-init", 2)
    result = run(*args, "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert re.findall(r"^start (\d) of 2: cost", result.stderr, re.MULTILINE) == ["1", "2"]
    assert json.loads(result.stdout)["history"][0]["n_runs"] == 2


def test_without_a_bound_nothing_is_proven() -> None:
    said = in_words(replace(RECORD, gap=float("inf")))
    assert "not proven to be near the best for its centers and holders" in said
    assert "inf" not in said
