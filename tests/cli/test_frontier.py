"""`minirel frontier`: from a file to a table, CSV, JSON and a page; killed, it goes on."""

import csv
import json
import re
import signal
import sys
import time
from pathlib import Path

import pytest
import typer

from cli.people import run, spawn, write
from minirel import MiniReL
from minirel.cli.app import app
from minirel.cli.frontier_values import fit_command, read_lists, read_numbers, shown
from minirel.cli.messages import UserError
from minirel.frontiers.asked import Asked
from minirel.frontiers.search import in_words

ASKED = ["-g", "sex", "-k", "4", "--alpha", "0.4,0.51", "--beta", "1,Female:2;Female:4", "--drop", "code"]


def test_values_are_read() -> None:
    assert read_numbers(["4,6", "8-10"]) == [4, 6, 8, 9, 10]
    assert read_lists(["0.4,51%"], "alpha") == [0.4, pytest.approx(0.51)]
    presets = ["equality_of_opportunity", "statistical_parity"]
    assert read_lists(["1,2,equality-of-opportunity,statistical_parity"], "beta") == [1, 2, *presets]
    assert read_lists(["1,F:2,M:3;F:1", "4"], "beta") == [1, {"F": 2, "M": 3}, {"F": 1}, 4]
    for text in ("", "4,x", "8-4", "-3"):
        with pytest.raises(UserError, match="write 4,6,8 or 4-8"):
            read_numbers([text])


def test_the_command_of_one_request() -> None:
    typed = ["frontier", "a file.csv", "-g", "sex", "-k3,4", "--alpha=0.4,0.5", "--beta", "1,2", "-q"]
    typed += ["--out", "f.csv", "--swaps", "3", "--budget", "2%", "--report=page.html", "--exclusive"]
    values = {"n_clusters": 4, "alpha": 0.5, "beta": {"Female": 2}, "max_share": None}
    expected = (
        "minirel fit 'a file.csv' -g sex --swaps 3 --exclusive --clusters 4 --alpha 0.5 --beta Female:2"
    )
    assert fit_command(typed, values) == expected


def test_shares_are_shown_as_they_are_typed() -> None:
    percent, third = read_lists(["30%,1/3"], "alpha")
    assert (shown("alpha", percent), shown("alpha", third)) == ("30%", "1/3")
    assert shown("alpha", {"F": percent, "M": 0.4}) == "F:30%,M:0.4"
    assert fit_command(["frontier", "f.csv"], {"alpha": percent}) == "minirel fit f.csv --alpha 30%"
    values = {"n_clusters": 4, "alpha": percent, "beta": 1}
    assert in_words(Asked(values, None)) == "K=4, alpha=30%, beta=1"


def test_from_file_to_page(tmp_path: Path) -> None:
    file = write(tmp_path)
    names = {name: tmp_path / f"f.{name}" for name in ("csv", "json", "html", "minirel")}
    done = run(
        *("frontier", file, *ASKED, "--budget", "5%", "--seeds", 1, "--out", names["csv"]),
        *("--json", names["json"], "--report", names["html"], "--resume", names["minirel"]),
    )
    assert done.exit_code == 0, done.output
    assert "within 5% of k-means" in done.stdout
    assert "written: " in done.stderr
    with names["csv"].open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == 6
    assert {row["feasible"] for row in rows} == {"true", "false"}
    told = json.loads(names["json"].read_text())
    assert [row["row"] for row in told["requests"]] == list(range(6))
    assert told["budget"] == 0.05
    for row, other in zip(rows, told["requests"], strict=True):
        if row["feasible"] == "true":
            assert float(row["cost"]) == other["cost"]
            assert int(row["represented Female"]) >= int(row["promised Female"])
        else:
            assert "--beta" in row["nearest"]
            assert row["why"]
    page = names["html"].read_text()
    assert "What can be promised in people.csv" in page
    assert page.count("<details") == 6
    # The command of a request works, and keeps what was promised.
    first = next(row for row in told["requests"] if row["feasible"] and row["price"] > 0)
    command = first["command"].split()
    assert command[:2] == ["minirel", "fit"]
    alone = run(*command[1:], "--quiet", "--json", "-")
    assert alone.exit_code == 0, alone.output
    assert json.loads(alone.stdout)["cost"] >= first["cost"] * (1 - 1e-9)
    # All is in the file already.
    again = run("frontier", file, *ASKED, "--resume", names["minirel"], "--out", tmp_path / "again.csv", "-q")
    assert again.exit_code == 0
    assert (tmp_path / "again.csv").read_bytes() == names["csv"].read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--budget", "-1%"], "--budget must be at least 0, but is -1%"),
        (["--budget", "much"], "--budget 'much' is not a share: write one such as 2% or 0.02\n"),
        (["--budget", "2,5%"], "--budget '2,5%' is not a share: write one such as 2% or 0.02\n"),
        (["--budget", "nan"], "--budget 'nan' is not a share: write one such as 2% or 0.02\n"),
        (["-k", "4,x"], "--clusters 'x' is not a number of clusters"),
        (["--alpha", ""], "--alpha is empty"),
        (["--alpha", "0.5,2"], "--alpha must be a share above 0 and at most 1, but is 2"),
        (["--beta", "Nobody:2"], "--beta names an unknown group 'Nobody'"),
        (
            ["-k", "2-60", "--alpha", ",".join(f"0.{i}" for i in range(10, 99))],
            "--max-requests must be at least",
        ),
        (["--resume", "people.csv"], "--resume people.csv is also the input"),
        (["--min-size", "60", "--max-size", "50"], "--min-size must be at most --max-size"),
        (["--seeds", "-1", "--report", "p.html"], "--seeds must be a whole number of at least 0"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_refusals(options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    done = run("frontier", "people.csv", "-g", "sex", "-k", "2", "--drop", "code", *options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals on Windows")
def test_interrupted_it_writes_what_is_done(tmp_path: Path) -> None:
    file, log = write(tmp_path), tmp_path / "log"
    many = ["-k", "3-9", "--alpha", "0.3,0.4,0.51,0.6,0.7", "--beta", "1,2,3", "-g", "sex", "--drop", "code"]
    endless = ["--swaps", "100000"]
    process = spawn("frontier", file, *many, *endless, "--resume", log, "--out", tmp_path / "f.csv")
    start = time.monotonic()
    while not (log.exists() and log.stat().st_size > 3000) and time.monotonic() - start < 60:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "interrupted: " in stderr
    assert "Traceback" not in stderr
    with (tmp_path / "f.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == 105
    assert {row["feasible"] for row in rows} >= {""}
    assert stdout.count("open") >= 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals on Windows")
def test_interrupted_while_numbers_are_compared_it_writes_the_rest(tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("f.csv", "f.json", "f.html")]
    files = [str(part) for pair in zip(("--out", "--json", "--report"), names, strict=True) for part in pair]
    process = spawn("frontier", write(tmp_path), *ASKED, "--seeds", "100000", *files)
    assert process.stderr is not None
    said = []
    while not (said and said[-1].startswith("comparing numbers of clusters")):
        said.append(process.stderr.readline())
        assert said[-1], said
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "interrupted: numbers of clusters are not compared" in stderr
    assert "written: " in stderr
    assert "Traceback" not in stderr
    assert "within 2% of k-means" in stdout
    assert len(names[0].read_text().splitlines()) == 7
    told = json.loads(names[1].read_text())
    assert (told["numbers"], told["stop"]) == (None, "done")
    assert "Over all requests." in names[2].read_text()


def test_options_are_those_of_a_fit_but_for_some_that_are_told(tmp_path: Path) -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    options = {
        name: {text for one in commands[name].params for text in one.opts if text.startswith("--")}
        for name in ("fit", "frontier")
    }
    text = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    told = re.search(r"those of `minirel fit`, of which (.*?) are for", text.replace("\n", " "))
    assert told is not None
    assert set(re.findall("`(--[a-z-]+)`", told[1])) == options["fit"] - options["frontier"]
    # Rows have names, which are no feature.
    file = tmp_path / "f.csv"
    names = "".join(f"{'fm'[i % 2]},{i % 7},{i % 7}.{i}\n" for i in range(24))
    file.write_text(f"sex,size,label\n{names}")
    asked = ("frontier", file, "-g", "sex", "-k", 2, "--beta", 1, "--json", "-")
    with_name, without = (
        json.loads(run(*asked, *more).stdout)["requests"][0]["cost"]
        for more in (("--id", "label"), ("--drop", "label"))
    )
    assert with_name == without


def test_whom_a_row_promises_nothing(tmp_path: Path) -> None:
    asked = ["-g", "sex", "-k", "3", "--beta", "1;Female:1", "--drop", "code", "--budget", "9900%"]
    done = run("frontier", write(tmp_path), *asked)
    assert done.exit_code == 0, done.output
    both, one = done.stdout.splitlines()[1:3]
    assert "nothing for" not in both
    assert one.endswith("nothing for Male")


def test_a_budget_of_several_hundred_percent_is_asked_about(tmp_path: Path) -> None:
    for budget in ("2", "1"):
        done = run("frontier", write(tmp_path), *ASKED, "--budget", budget)
        assert done.exit_code == 2
        assert f"did you mean {budget}%? {budget}00% is written so" in done.stderr


def test_what_is_open_may_still_be_had(tmp_path: Path) -> None:
    done = run("frontier", write(tmp_path), *ASKED, "--budget", "0%", "--time-limit", "0.000001")
    assert done.exit_code == 0, done.output
    n_open = sum(line.endswith(" open") for line in done.stdout.splitlines())
    assert n_open > 1
    assert "nothing of this" not in done.stdout
    assert f"{n_open} of 6 requests are open (no answer yet) and may be within it" in done.stdout
    assert f"stopped: 6 requests, {n_open} of them open, " in done.stderr
    assert "stopped at --time-limit: " in done.stderr


def test_the_time_limit_includes_reading_and_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []
    fit = MiniReL.fit

    def recorded(self: MiniReL, *args: object, **options: object) -> MiniReL:
        limits.append(self.time_limit)
        return fit(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(MiniReL, "fit", recorded)
    args = ("frontier", write(tmp_path), *ASKED, "--seeds", 1, "--time-limit", 600)
    told = json.loads(run(*args, "--json", "-").stdout)
    n_fits = len(limits)
    assert (told["stop"], len(told["numbers"])) == ("done", 1)
    assert limits[0] <= 480 < limits[-1] <= 600, "the comparison has what is left"
    run(*args)
    assert 480 < limits[n_fits] < 600


def test_numbers_are_not_compared_where_time_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter([600.0, 600.0, 0.001])
    monkeypatch.setattr("minirel.cli.frontier.for_the_work", lambda *args, **options: next(left))
    page = tmp_path / "page.html"
    args = ("--time-limit", 600, "--seeds", 1000, "--json", "-", "--report", page)
    done = run("frontier", write(tmp_path), *ASKED, *args)
    assert done.exit_code == 0
    assert "numbers of clusters are not compared: --time-limit leaves too little for it" in done.stderr
    assert "stopped at" not in done.stderr
    told = json.loads(done.stdout)
    assert (told["stop"], told["numbers"]) == ("done", None)
    assert "is not here: there was no time for it" in page.read_text()
