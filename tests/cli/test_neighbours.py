"""Neighbours on the command line: pieces are told, clusters connected, and what is wrong is said."""

import csv
import json
from pathlib import Path

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner, Result

from minirel.cli.app import app

SIDE = 5


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    places = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    pairs = [
        (f"u{x}{y}", f"u{x + dx}{y + dy}")
        for x, y in places
        for dx, dy in ((1, 0), (0, 1))
        if (x + dx, y + dy) in places
    ]
    rows = [(f"u{x}{y}", x, y, "F" if (x + 2 * y) % 3 == 0 else "M") for x, y in places]
    write("units.csv", ["name", "x", "y", "sex"], rows)
    write("pairs.csv", ["one", "other"], pairs)
    place = {row[0]: i for i, row in enumerate(rows, 1)}
    write("numbers.csv", ["one", "other"], [(place[a], place[b]) for a, b in pairs])
    return tmp_path


def write(name: str, head: list[str], rows: list) -> None:
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])


def run(*words: str) -> Result:
    return CliRunner().invoke(
        app, ["fit", "units.csv", "-g", "sex", "-k", "3", "--alpha", "0.5", "--beta", "F:2", *words]
    )


def test_fit_and_audit(folder: Path) -> None:
    named = ("--id", "name", "--neighbours", "pairs.csv")
    loose = run(*named, "--json", "loose.json")
    assert loose.exit_code == 0, loose.output
    done = run(*named, "--connect", "--json", "fit.json", "--out", "out.csv", "--report", "page.html")
    assert done.exit_code == 0, done.output
    found = {name: json.loads(Path(name).read_text(encoding="utf-8")) for name in ("loose.json", "fit.json")}
    pieces = {name: sum(map(len, each["audit"]["pieces"])) for name, each in found.items()}
    assert pieces["loose.json"] > pieces["fit.json"] == 3
    assert "connecting clusters ..." in done.stderr
    assert "connecting" not in loose.stderr
    assert found["fit.json"]["request"]["connect"] is True
    assert found["fit.json"]["input"]["columns"]["name"] == "names of the rows"
    assert "Every cluster is in one piece." in Path("page.html").read_text(encoding="utf-8")
    again = ["audit", "out.csv", "-g", "sex", "--alpha", "0.5", "--beta", "F:2", *named]
    told = CliRunner().invoke(app, again)
    assert told.exit_code == 0, told.output
    assert "Every cluster is in one piece." in told.output


def test_by_number(folder: Path) -> None:
    Path("units.csv").write_text(
        Path("units.csv").read_text(encoding="utf-8").replace("u00,0", "u00,"), encoding="utf-8"
    )
    done = run("--neighbours", "numbers.csv", "--missing", "drop", "--json", "fit.json")
    assert done.exit_code == 0, done.output
    pieces = json.loads(Path("fit.json").read_text(encoding="utf-8"))["audit"]["pieces"]
    assert sum(map(sum, pieces)) == SIDE * SIDE - 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--connect"], "--connect needs to know which points are neighbours: give --neighbours"),
        (["--neighbours", "pairs.csv"], "row 1 names 'u00', which is no row (40 such rows)"),
        (["--neighbours", "pairs.csv", "--id", "x"], "--id 'x' names '0' twice"),
        (["--neighbours", "pairs.csv", "--id", "nobody"], "--id: there is no column 'nobody'"),
        (["--neighbours", "self.csv", "--id", "name"], "row 1 names 'u00', its own neighbour"),
        (["--neighbours", "few.csv", "--id", "name", "--connect"], "--neighbours must join all points"),
        (["--neighbours", "one.csv", "--id", "name"], "has one column"),
        (
            ["--neighbours", "headless.csv", "--id", "name"],
            "first line is a pair, 'u00' and 'u01': give it a",
        ),
        (["--neighbours", "headless numbers.csv"], "first line is a pair, '1' and '2': give it a header"),
    ],
)
def test_refusals(folder: Path, words: list[str], said: str) -> None:
    write("self.csv", ["one", "other"], [("u00", "u00")])
    write("few.csv", ["one", "other"], [("u00", "u01")])
    write("one.csv", ["one"], [("u00",), ("u01",)])
    write("headless.csv", ["u00", "u01"], [("u01", "u02")])
    write("headless numbers.csv", ["1", "2"], [(2, 3)])
    done = run(*words)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_rows_that_are_cut_off_are_named(folder: Path) -> None:
    pairs = [row.split(",") for row in Path("pairs.csv").read_text(encoding="utf-8").split()[1:]]
    write("few.csv", ["one", "other"], [pair for pair in pairs if not {"u24", "u44"} & set(pair)])
    asked = ("--neighbours", "few.csv", "--id", "name", "--connect")
    said = "in 3 parts; cut off from the largest: {}: add pairs"
    assert said.format("u24 and u44") in run(*asked).output
    # One that is left out does not change the names of others.
    units = Path("units.csv").read_text(encoding="utf-8").replace("u00,0", "u00,")
    Path("units.csv").write_text(units, encoding="utf-8")
    assert said.format("u24 and u44") in run(*asked, "--missing", "drop").output
    place = {line.split(",")[0]: i for i, line in enumerate(units.splitlines())}
    numbered = [tuple(place[name] for name in pair) for pair in pairs if "u24" not in pair]
    write("few.csv", ["one", "other"], numbered)
    done = run("--neighbours", "few.csv", "--connect", "--missing", "drop", "--drop", "name")
    assert f"cut off from the largest: row {place['u24']}: add pairs" in done.output
