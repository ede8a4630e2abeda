"""Interrupts and kills of `minirel fit` at any moment: no traceback, nothing half written or left over."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from cli.people import heed_interrupts, people, text, write

SECONDS = 100
TIMES = int(os.environ.get("MINIREL_INTERRUPTS", 3))
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has none
SIGNALS = (signal.SIGINT, signal.SIGTERM, KILL)
# As the console script does, and says when it is there: what an interrupt does before, while Python starts
# and reads two small files, no package can change.
START = "import os; from minirel.cli import main; os.write(1, b'.'); main()"
N_ROWS = 6000
# A termination is left to the system, but for the moments in which files are written.
ENDS = {signal.SIGINT: {130}, signal.SIGTERM: {-signal.SIGTERM, 143}, KILL: {-KILL}}
OLD = b"what was there before\n"


def some_people(folder: Path) -> str:
    header, *rows = people()
    many = [[f"{i:06d}", *row[1:3], f"{i * 7919 % 1009}", *row[3:]] for i, row in enumerate(rows * 100)]
    return write(folder, content=text([[*header[:3], "score", *header[3:]], *many[:N_ROWS]]))


def start(file: str, folder: Path) -> "subprocess.Popen[str]":
    outputs = ["--out", folder / "out.csv", "--json", folder / "out.json", "--report", folder / "out.html"]
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", START, "fit", file, "-g", "sex", "-k", "5", *outputs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=heed_interrupts,
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == "."
    return process


def is_whole(path: Path) -> bool:
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        lines = content.split("\n")
        return len(lines) == N_ROWS + 2 and all(line.count(",") == 8 for line in lines[:-1])
    if path.suffix == ".json":
        return len(json.loads(content)["labels"]) == N_ROWS
    return content.startswith("<!DOCTYPE html>") and content.endswith("</html>\n")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return some_people(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def whole_time(file: str, tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long a run takes that nobody stops."""
    folder = tmp_path_factory.mktemp("whole")
    process, began = start(file, folder), time.monotonic()
    _, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, stderr
    assert all(map(is_whole, folder.iterdir()))
    return time.monotonic() - began


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to other processes")
def test_at_any_moment(file: str, whole_time: float, tmp_path: Path) -> None:
    chance = random.Random(0)
    came = Counter[str]()
    for i in range(TIMES):
        folder, number = tmp_path / str(i), SIGNALS[i % len(SIGNALS)]
        folder.mkdir()
        new = {"out.csv", "out.json", "out.html"}
        for name in new if i % 2 else ():
            (folder / name).write_bytes(OLD)
        # Many at the start, where the imports are, and at the end, where files are written.
        part = chance.choice([chance.uniform(0, 0.1), chance.uniform(0, 1), chance.uniform(0.85, 1)])
        process = start(file, folder)
        time.sleep(part * whole_time)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=SECONDS)
        told = f"{number.name} after {part:.3f} of the time: {process.returncode}\n{stderr}"
        assert "Traceback" not in stderr, told
        assert "Error" not in stderr, told
        assert "ignored" not in stderr, told
        assert process.returncode in {0, *ENDS[number]}, told
        assert stdout == "" or "promise" in stdout, told  # the audit, if it came so far
        if number == signal.SIGINT and process.returncode:
            assert stderr.endswith("interrupted\n"), told
        there = {path.name for path in folder.iterdir()}
        if number != KILL:
            assert there in (set(), new), told
            written = {name for name in there if (folder / name).read_bytes() != OLD}
            assert written in (set(), new), told
        for name in there & new:
            assert (folder / name).read_bytes() == OLD or is_whole(folder / name), told
        came[f"{number.name}, {'ended' if process.returncode else 'too late'}"] += 1
    print(f"\n{TIMES} in {whole_time:.1f} s each:", dict(sorted(came.items())))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("at", ["mkstemp", "fsync", "replace"])
def test_while_files_are_written(tmp_path: Path, number: signal.Signals, at: str) -> None:
    """The signal comes from within, so that no chance decides where it hits."""
    where = {"mkstemp": "tempfile.mkstemp", "fsync": "os.fsync", "replace": "os.replace"}[at]
    code = (
        "import os, signal, tempfile\n"
        "from minirel.cli.interrupts import end_at_once\n"
        "from minirel.cli.messages import told\n"
        "from minirel.cli.output import write_outputs\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "end_at_once()\n"
        f"real, calls = {where}, []\n"
        "def hit(*args, **options):\n"
        "    result = real(*args, **options)\n"
        "    calls.append(1)\n"
        f"    if len(calls) == 2: signal.raise_signal({int(number)})\n"
        "    return result\n"
        f"{where} = hit\n"
        "import typer\n"
        "try:\n"
        "    with told():\n"
        "        write_outputs({'a': b'new', 'b': b'new', 'c': b'new'})\n"
        "except typer.Exit as end:\n"
        "    raise SystemExit(end.exit_code)\n"
    )
    (tmp_path / "a").write_text("old", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS
    )
    found = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert "Traceback" not in done.stderr
    if at == "replace":  # all is written: it came too late
        assert found == dict.fromkeys("abc", "new")
        assert done.returncode == 0
    else:
        assert found == {"a": "old"}
        assert done.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]


def test_an_interrupt_that_is_ignored_stays_ignored() -> None:
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from minirel.cli.interrupts import end_at_once, raising\n"
        "end_at_once()\n"
        "with raising(): signal.raise_signal(signal.SIGINT)\n"
        "signal.raise_signal(signal.SIGINT); print('here')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stdout) == (0, "here\n"), done.stderr


# Whoever starts the tests in the background may have told them to ignore interrupts.
HEED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def test_an_interrupt_that_got_lost_is_raised_again() -> None:
    code = (
        f"{HEED}import sys\n"
        "from minirel.cli.interrupts import raising\n"
        "sys.unraisablehook = lambda lost: print(lost.exc_type.__name__)\n"
        "class Last:\n"
        "    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "with raising() as again:\n"
        "    again(); Last(); print('on')\n"
        "    try: again()\n"
        "    except KeyboardInterrupt: print('again')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
    assert done.stdout.split() == ["KeyboardInterrupt", "on", "again"], done.stderr


def test_an_interrupt_that_became_another_error_is_an_interrupt() -> None:
    code = (
        f"{HEED}"
        "from minirel.cli.interrupts import raising\n"
        "try:\n"
        "    with raising():\n"
        "        try:\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "        except KeyboardInterrupt:\n"
        "            raise TypeError('made of it by C') from None\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
        "try:\n"
        "    with raising(): raise TypeError('of its own')\n"
        "except TypeError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "interrupted\nof its own\n"
