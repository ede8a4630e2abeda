"""`python -m paper` as a user meets it: without the large data, stopped, started again."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import cli.people
from cli.people import refused
from paper.command import app
from paper.data import DataSource
from paper.experiment import SETTING
from paper.experiments import EXPERIMENTS
from paper.results import to_csv
from paper.tests.world import World, results_of

ROOT = Path(__file__).parents[2]
SECONDS = 200
LEFT_OUT = ("adult", "adult by race", "default")
SOME = "race,representation,times"


def run(*args: object) -> Result:
    typed = [str(arg) for arg in args]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["paper", *typed])
        return CliRunner().invoke(app, typed)


def spawn(*args: object) -> "subprocess.Popen[str]":
    """The real thing, wherever the test is at work."""
    path = os.pathsep.join([str(ROOT), *sys.path])
    return cli.people.spawn(*args, module="paper", start_new_session=True, env={"PYTHONPATH": path})


@pytest.fixture(autouse=True)
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MINIREL_DATA", raising=False)
    monkeypatch.chdir(tmp_path)


def files(folder: Path) -> dict[str, bytes]:
    """All that is in a folder but locks."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def rows(file: Path) -> list[dict[str, str]]:
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))


def settings(file: Path) -> list[tuple[str, ...]]:
    """Which runs a table is about."""
    return [tuple(row[name] for name in SETTING) for row in rows(file)]


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Some of the quick reproduction without the large data: its folder, and what was said."""
    folder = tmp_path_factory.mktemp("quick") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MINIREL_DATA", raising=False)
        result = run("--quick", "--only", SOME, "--out", folder)
    assert result.exit_code == 0, (result.output, result.exception)
    assert result.stdout == ""
    return folder, result.stderr


def test_quick_without_the_large_data_says_what_is_left_out(quick: tuple[Path, str]) -> None:
    folder, told = quick
    for name in LEFT_OUT:
        assert f"{name} is left out: no folder with its files is named" in told
    assert "MINIREL_DATA" in told
    assert "claims" in told
    assert "left" in told
    page = (folder / "reproduction.html").read_text(encoding="utf-8")
    assert "not tested" in page
    assert "is left out" in page
    assert f"<code>python -m paper --quick --only {SOME} --out {folder}</code>" in page
    assert {path.name for path in (folder / "figures").iterdir()} >= {"times.svg", "times.png"}


def test_tables_hold_what_was_planned_and_every_promise_is_kept(quick: tuple[Path, str]) -> None:
    folder, _ = quick
    times = rows(folder / "times.csv")
    assert {row["data"] for row in times} == {"iris"}
    assert {(row["method"], row["n_clusters"], row["seed"]) for row in times} == {
        (method, k, seed)
        for method in ("k-means", "MiniReL-SP", "MiniReL-EqOp")
        for k in ("4", "6", "8")
        for seed in ("0", "1")
    }
    assert all(row["promises_kept"] == "True" for row in times if row["method"] != "k-means")
    for row in rows(folder / "representation.csv"):
        if row["method"] != "k-means":
            assert int(row["represented"]) >= int(row["promised"])
    assert rows(folder / "race.csv") == []


def test_highs_stands_beside_ours_and_once_more_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "both"
    args = ("--quick", "--only", "full_program", "--out", folder)
    assert run(*args, "--solver", "highs").exit_code == 0
    result = run(*args)
    assert result.exit_code == 0
    table = rows(folder / "full_program.csv")
    costs = {
        solver: [float(row["cost"]) for row in table if row["solver"] == solver]
        for solver in ("certified", "highs")
    }
    # Small enough for both to find the optimum of every assignment.
    assert costs["certified"] == pytest.approx(costs["highs"], rel=1e-3)
    assert "With certified" in result.stderr
    assert "With highs" in result.stderr
    assert not (folder / "times.csv").exists()
    before = files(folder)
    stamps = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    result = run(*args, "--quiet")
    assert result.exit_code == 0, result.output
    assert {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()} == stamps
    after = files(folder)
    # The page quotes the command.
    assert {name for name in before if before[name] != after[name]} <= {"reproduction.html"}
    assert result.stderr.splitlines() == [line for line in result.stderr.splitlines() if "left out" in line]


def test_tables_outlive_the_runs(quick: tuple[Path, str], tmp_path: Path) -> None:
    """As they are committed: page and document are made of them without a single run."""
    folder = tmp_path / "cloned"
    folder.mkdir()
    shutil.copy(quick[0] / "conditions.json", folder)
    made = results_of(World(True), quick=True, source=DataSource())
    for name, table in made.tables.items():
        (folder / f"{name}.csv").write_bytes(to_csv(table))
    before = {name: settings(folder / f"{name}.csv") for name in made.tables}
    document = tmp_path / "told.md"
    document.write_text("before\n<!-- stories -->\n<!-- end -->\nafter\n")
    result = run("--quick", "--out", folder, "--restore", "both", "--doc", document)
    assert result.exit_code == 0, (result.output, result.exception)
    kept = len({*made.plan.timed, *made.plan.untimed})
    assert f"{kept} runs of certified and highs are taken from the tables in {folder}" in result.stderr
    assert len(list(folder.glob("runs/*.json"))) == kept
    assert {name: settings(folder / f"{name}.csv") for name in made.tables} == before
    figures = {figure.name for experiment in EXPERIMENTS.values() for figure in experiment.figures}
    assert {path.stem for path in (folder / "figures").iterdir()} == figures - {"race"}
    assert len(rows(folder / "table_1.csv")) == 4
    assert len(rows(folder / "stories.csv")) == 6
    text = document.read_text()
    assert text.startswith("before\n<!-- stories -->\n\n| claim |")
    assert "| iris | MiniReL-SP, 30 swaps | " in text
    assert text.endswith("<!-- end -->\nafter\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals and holds no folders")
def test_two_at_once_do_not_share_a_folder_and_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    process = spawn("--quick", "--out", folder)
    try:
        deadline = time.monotonic() + SECONDS
        while not list(folder.glob("runs/*.json")):
            assert time.monotonic() < deadline
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        refused(run("--quick", "--out", folder), "another process is working in", "another folder")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert process.returncode == 130, told
    assert "the same command goes on" in told
    assert "Traceback" not in told
    assert list(folder.glob("runs/*.json"))


def test_other_conditions_do_not_mix(quick: tuple[Path, str], tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    before = json.loads((quick[0] / "conditions.json").read_bytes())
    (folder / "conditions.json").write_text(json.dumps(before | {"numpy": "0.1"}))
    refused(run("--quick", "--out", folder), "numpy 0.1", "name another folder")
    (folder / "conditions.json").write_text(json.dumps(before | {"fingerprint of iris": "x"}))
    refused(run("--quick", "--out", folder), "fingerprint of iris x", "name another folder")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--only", "time"), ("--only", "'time'", "times")),
        (("--solver", "cplex"), ("--solver", "'cplex'", "highs")),
        (("--restore", "cplex"), ("--restore", "'cplex'", "highs")),
        (("--doc", "nowhere.md"), ("--doc", "nowhere.md")),
        (("--time-limit", 0), ("--time-limit", "above 0")),
        (("--time-limit", "nan"), ("--time-limit", "above 0")),
    ],
)
def test_refusals(args: tuple[object, ...], words: tuple[str, ...]) -> None:
    refused(run(*args), *words)
    assert not list(Path().iterdir())


def test_out_must_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    refused(run("--quick", "--out", "taken"), "taken")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_damaged_file_of_the_data_is_no_reason_to_leave_it_out(tmp_path: Path) -> None:
    for name in ("adult.data", "adult.test", "default_of_credit_card_clients.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    refused(run("--quick", "--data-home", tmp_path), "adult", "must have")


def test_the_experiments_are_listed() -> None:
    listed = run("--only", "list").stdout
    assert "times: " in listed
    assert len(listed.splitlines()) == 8


def test_help() -> None:
    told = run("--help").stdout
    assert "Example" in told
    assert len(told.splitlines()) <= 50, told
    assert max(map(len, told.splitlines())) <= 100


def test_without_its_libraries_it_says_what_to_install() -> None:
    code = (
        "import importlib.util as u; f = u.find_spec; from paper.__main__ import main\n"
        "u.find_spec = lambda name: None if name == 'pandas' else f(name)\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 2
    assert "needs pandas" in done.stderr
    assert "pip install 'minirel[reproduce]'" in done.stderr


def test_the_package_does_not_need_it() -> None:
    """The wheel holds src/minirel alone, so nothing there may import this folder."""
    for file in (ROOT / "src").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) paper\b", file.read_text(encoding="utf-8"), flags=re.M), file


def test_usage_errors_do_not_act_on_the_terminal() -> None:
    for typed in (("--a\x1b[31m",), ("x\x1b[31m",), ("--quick", "--\x9bb")):
        refused(run(*typed), "\\x")
        assert not {"\x1b", "\x9b"} & set(run(*typed).stderr)
