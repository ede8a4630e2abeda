"""Real processes: exit codes, streams, interrupts."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.people import people, run, spawn, text, write

SECONDS = 100


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("minirel 0.")
    for args in ((), ("fit",), ("audit",), ("demo",)):
        told = run(*args, "--help").stdout
        assert "Example" in told
        assert len(told.splitlines()) <= 60, told
        assert max(map(len, told.splitlines())) <= 100


def test_alone_it_says_what_to_do_next() -> None:
    done = run()
    assert (done.exit_code, done.stderr) == (0, "")
    for command in ("demo", "fit", "audit", "frontier", "--help", "--install-completion"):
        assert f"  minirel {command} " in done.stdout


def loaded_by(*calls: tuple[object, ...], slow: set[str]) -> list[tuple[str, set[str]]]:
    """What each call says, and what of `slow` is loaded after it; all in one process."""
    code = (
        "import io, json, sys; from contextlib import redirect_stderr, redirect_stdout\n"
        "from minirel.cli import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    sys.argv = ['minirel', *words]\n"
        "    with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):\n"
        "        try: main()\n"
        "        except SystemExit: pass\n"
        "    print(json.dumps([said.getvalue(), [name.partition('.')[0] for name in sys.modules]]))"
    )
    words = json.dumps([list(map(str, call)) for call in calls])
    done = subprocess.run(
        [sys.executable, "-c", code, words], capture_output=True, text=True, timeout=SECONDS
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(calls), done.stderr
    return [(said, slow & set(names)) for said, names in told]


def test_help_needs_nothing_that_is_slow_to_load() -> None:
    slow = {"numpy", "scipy", "sklearn", "numba", "highspy", "pandas", "pyarrow", "rich", "matplotlib"}
    calls = ((), ("--help",), *((command, "--help") for command in ("fit", "audit", "frontier", "demo")))
    for call, (said, loaded) in zip(calls, loaded_by(*calls, slow=slow), strict=True):
        assert "minirel" in said, call
        assert not loaded, call


@pytest.mark.parametrize(
    ("words", "offered"),
    [("minirel fi", ["fit"]), ("minirel fit --min-", ["--min-members", "--min-share", "--min-size"])],
)
def test_a_shell_can_complete(words: str, offered: list[str]) -> None:
    asked = {
        "_MINIREL_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    process = spawn(env=asked)
    stdout, stderr = process.communicate(timeout=SECONDS)
    assert stdout.split() == offered, stderr


def test_streams_and_exit_codes(tmp_path: Path) -> None:
    process = spawn("fit", "-", "-g", "sex", "-k", 3, "--out", "-", stdin=subprocess.PIPE)
    stdout, stderr = process.communicate(text(people()), SECONDS)
    assert process.returncode == 0, stderr
    assert [line.rsplit(",", 1)[0] for line in stdout.splitlines()] == text(people()).splitlines()
    assert "iteration" in stderr
    assert "\x1b" not in stdout + stderr
    broken = write(tmp_path, content=stdout)
    process = spawn("audit", broken, "-g", "sex", "--alpha", 1, "--beta", 3, env={"NO_COLOR": "1"})
    stdout, stderr = process.communicate(timeout=SECONDS)
    assert (process.returncode, stderr) == (1, "")
    assert "Broken" in stdout
    process = spawn("fit", broken, "-g", "gender")
    stdout, stderr = process.communicate(timeout=SECONDS)
    assert (process.returncode, stdout) == (2, "")
    assert "Traceback" not in stderr


def big(folder: Path, times: int = 700) -> str:
    header, *rows = people()
    many = [[f"{i:06d}", *row[1:3], f"{i * 7919 % 1009}", *row[3:]] for i, row in enumerate(rows * times)]
    return write(folder, content=text([[*header[:3], "score", *header[3:]], *many]))


@pytest.mark.some(2)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to other processes")
@pytest.mark.parametrize("moment", ["rows", "k-means", "iteration 1", "not with their nearest"])
def test_an_interrupt_leaves_nothing(tmp_path: Path, moment: str) -> None:
    file = big(tmp_path)
    out, result = tmp_path / "out.csv", tmp_path / "result.json"
    process = spawn("fit", file, "-g", "sex", "-k", 8, "--out", out, "--json", result, start_new_session=True)
    assert process.stderr is not None
    for line in process.stderr:
        if moment in line:
            break
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=SECONDS)
    assert "Traceback" not in stderr
    if process.returncode == 0 and moment not in ("rows", "k-means"):  # it came too late: then all is there
        assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.csv", "result.json"]
        json.loads(result.read_text(encoding="utf-8"))
    else:
        assert process.returncode == 130, stderr
        assert "interrupted" in stderr
        assert os.listdir(tmp_path) == ["people.csv"]
    time.sleep(0.1)
    with pytest.raises(ProcessLookupError):  # nobody of its group is left
        os.killpg(process.pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error on Windows")
def test_a_reader_that_stops_early(tmp_path: Path) -> None:
    file = big(tmp_path, 50)  # more than a pipe holds
    assert Path(file).stat().st_size > 2**16
    process = spawn("fit", file, "-g", "sex", "-k", 3, "-q", "--features", "age", "--out", "-")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(SECONDS) == 141


def test_without_its_libraries_it_says_what_to_install() -> None:
    code = (
        "import importlib.util as u; f = u.find_spec; import minirel.cli\n"
        "u.find_spec = lambda name: None if name == 'typer' else f(name)\n"
        "minirel.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 2
    assert "pip install 'minirel[cli]'" in done.stderr


def test_errors_need_nothing_that_is_slow_to_load(tmp_path: Path) -> None:
    slow = {"scipy", "sklearn", "numba", "highspy", "pandas", "joblib", "rich", "asyncio", "dask"}
    rows = people()
    rows[1][1] = ""  # an age is missing
    asked = (write(tmp_path, content=text(rows)), "-g", "sex", "--missing")
    errors = {
        ("fit", *asked, "mean", "-k", 0): "--clusters must be",
        ("fit", *asked, "mean", "--alpha", 2): "--alpha must be",
        ("fit", *asked, "mean", "--beta", "Nobody:1"): "--beta names an unknown group",
        ("fit", *asked, "mean", "--prefix", "best"): "--prefix must be one of",
        ("fit", *asked, "mean", "--objective", "k-modes"): "is not one of 'k-means', 'k-medians'",
        ("fit", *asked[:-1]): "missing cells",
        ("frontier", *asked, "mean", "--alpha", "0.5,2"): "--alpha must be",
        ("frontier", *asked, "mean", "--prefix", "best"): "--prefix must be one of",
        ("audit", *asked, "drop", "--cluster", "job", "--alpha", 2): "--alpha must be",
    }
    for call, (said, loaded) in zip(errors, loaded_by(*errors, slow=slow), strict=True):
        assert errors[call] in said, call
        assert not loaded, call


def test_counting_needs_no_estimator(tmp_path: Path) -> None:
    slow = {"sklearn", "numba", "pandas", "joblib", "rich", "asyncio", "dask"}
    call = ("fit", write(tmp_path), "-g", "sex", "-k", 3, "--beta", 3)
    [(said, loaded)] = loaded_by(call, slow=slow)
    assert "this cannot be met" in said
    assert not loaded
