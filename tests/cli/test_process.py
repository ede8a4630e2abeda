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


def test_help_needs_nothing_that_is_slow_to_load() -> None:
    slow = {"numpy", "scipy", "sklearn", "pyarrow", "rich", "numba", "matplotlib", "pandas"}
    for args in ((), ("--help",), ("fit", "--help"), ("audit", "--help"), ("demo", "--help")):
        code = (
            f"import sys; sys.argv = ['minirel', *{args!r}]; from minirel.cli import main\n"
            f"try: main()\nexcept SystemExit: print({slow!r} & set(sys.modules), file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
        assert done.stderr.splitlines()[-1] == "set()", args


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


def big(folder: Path) -> str:
    header, *rows = people()
    many = [[f"{i:06d}", *row[1:3], f"{i * 7919 % 1009}", *row[3:]] for i, row in enumerate(rows * 700)]
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
    process = spawn("fit", big(tmp_path), "-g", "sex", "-k", 3, "-q", "--features", "age", "--out", "-")
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


def test_importing_the_commands_imports_nothing_heavy() -> None:
    code = (
        "import sys, minirel.cli.app\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'highspy', 'pandas', 'pyarrow', 'rich'}\n"
        "print(heavy & {m.split('.')[0] for m in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
    assert done.stdout.strip() == "set()", done.stderr


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("fit", ("--missing", "mean", "-k", 0), "--clusters must be"),
        ("fit", ("--missing", "mean", "--alpha", 2), "--alpha must be"),
        ("fit", ("--missing", "mean", "--beta", "Nobody:1"), "--beta names an unknown group"),
        ("fit", (), "missing cells"),
        ("frontier", ("--missing", "mean", "--alpha", "0.5,2"), "--alpha must be"),
        ("audit", ("--missing", "drop", "--cluster", "job", "--alpha", 2), "--alpha must be"),
    ],
)
def test_errors_need_nothing_that_is_slow_to_load(
    tmp_path: Path, command: str, options: tuple[object, ...], said: str
) -> None:
    rows = people()
    rows[1][1] = ""  # an age is missing
    words = [command, write(tmp_path, content=text(rows)), "-g", "sex", *map(str, options)]
    code = (
        f"import sys; sys.argv = ['minirel', *{words!r}]; from minirel.cli import main\n"
        "slow = {'scipy', 'sklearn', 'numba', 'highspy', 'pandas', 'joblib', 'rich', 'asyncio', 'dask'}\n"
        "try: main()\nexcept SystemExit: print(slow & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
    assert said in done.stderr
    assert done.stderr.splitlines()[-1] == "set()"
