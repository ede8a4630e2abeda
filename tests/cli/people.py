"""A small file of people, and how to run the command line on it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
from typer.testing import CliRunner, Result

from minirel.cli.app import app

N_PEOPLE = 60


def people() -> list[list[str]]:
    """A header and rows: two numbers, a category, two columns of groups and a weight."""
    random = np.random.default_rng(0)
    rows = [["code", "age", "income", "job", "sex", "region", "weight"]]
    for i in range(N_PEOPLE):
        place = i % 3
        sex = "Female" if random.random() < (0.5 if place == 0 else 0.3) else "Male"
        age, income = 20 + 15 * place + random.integers(8), 100 * place + random.integers(40)
        job = ["cook", "smith", "clerk"][random.integers(3)]
        region = ["North", "South"][random.integers(2)]
        rows.append([f"{i:03d}", str(age), str(income), job, sex, region, str(1 + i % 3)])
    return rows


def text(rows: list[list[str]], separator: str = ",") -> str:
    return "".join(separator.join(row) + "\n" for row in rows)


def write(folder: Path, name: str = "people.csv", content: str | bytes | None = None) -> str:
    path = folder / name
    content = text(people()) if content is None else content
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def run(*args: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args], input=stdin)


def heed_interrupts() -> None:
    """In a new process: whoever runs the tests in the background may ignore interrupts, which it inherits."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def spawn(*args: object, module: str = "minirel", **options: object) -> "subprocess.Popen[str]":
    """The real thing, in a process of its own."""
    if sys.platform != "win32":
        options.setdefault("preexec_fn", heed_interrupts)
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", module, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", **options.pop("env", {})},  # type: ignore[dict-item]
        **options,  # type: ignore[call-overload]
    )


def refused(result: Result, *words: str) -> None:
    """A message of a few lines with exit code 2."""
    assert result.exit_code == 2, (result.exit_code, result.output, result.exception)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert 1 <= len(result.stderr.strip().splitlines()) <= 25
    for word in words:
        assert word in result.stderr, result.stderr
