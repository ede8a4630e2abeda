"""Rows that are units of many people, and rows that stay together, on the command line."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from minirel.cli.app import app


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def precincts(tmp_path: Path) -> Path:
    """36 precincts: places, people, adults, members of two groups, and a county each."""
    rng = np.random.default_rng(0)
    file = tmp_path / "precincts.csv"
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["x", "y", "people", "adults", "black", "hispanic", "county"])
        for i in range(36):
            people = int(rng.integers(100, 900))
            adults = int(people * 0.75)
            black, hispanic = (int(adults * share) for share in rng.beta(1, 1.5, 2))
            writer.writerow([*rng.normal(size=2).round(3), people, adults, black, hispanic, f"c{i // 3}"])
    return file


MEMBERS = ("--members", "black", "--members", "hispanic", "--total", "adults", "--weight", "people")


def test_from_file_to_plan_and_back(precincts: Path, tmp_path: Path) -> None:
    """The plan keeps its promises by the numbers in the file, and the audit says the same."""
    out, told, page = (tmp_path / name for name in ("plan.csv", "plan.json", "plan.html"))
    files = ("--out", out, "--json", told, "--report", page)
    asked = ("-k", 3, "--alpha", 0.5, "--beta", "black:1,hispanic:1", "--together", "county")
    result = run("fit", precincts, *MEMBERS, *asked, *files)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(out.read_text().splitlines()))
    for name in ("black", "hispanic"):
        shares = []
        for k in "012":
            inside = [row for row in rows if row["cluster"] == k]
            shares.append(sum(int(row[name]) for row in inside) / sum(int(row["adults"]) for row in inside))
        assert max(shares) >= 0.5
    by_county: dict[str, set[str]] = {}
    for row in rows:
        by_county.setdefault(row["county"], set()).add(row["cluster"])
    assert all(len(clusters) == 1 for clusters in by_county.values())
    audit = json.loads(told.read_text())["audit"]
    assert sum(audit["totals"]) == sum(int(row["adults"]) for row in rows)
    assert sum(audit["sizes"]) == sum(int(row["people"]) for row in rows)
    again = run("audit", out, *MEMBERS, "--alpha", 0.5, "--beta", "black:1,hispanic:1")
    assert again.exit_code == 0, again.output
    assert "Every promise is kept." in again.output


REFUSED = {
    "both": (("--group", "county", *MEMBERS), "--group and --members do not go together"),
    "neither": ((), "name the column of the groups with --group"),
    "no total": (("--members", "black"), "--members needs --total"),
    "no members": (("--group", "county", "--total", "adults"), "--total needs --members"),
    "total of itself": (("--members", "black", "--total", "black"), "is both --members and --total"),
    "too many": (("--members", "people", "--total", "adults"), "--members must be at most the total"),
    "words": (("--members", "county", "--total", "adults"), "--members 'county' must hold numbers"),
    "unknown": (("--members", "white", "--total", "adults"), "white"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("command", ["fit", "audit"])
def test_what_does_not_go_together(case: str, command: str, precincts: Path) -> None:
    words, message = REFUSED[case]
    where = ("--cluster", "county") if command == "audit" and "county" not in words else ()
    cluster = where or (("--cluster", "x") if command == "audit" else ())
    result = run(command, precincts, *words, *cluster)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("command", [("fit", "--features", "x"), ("audit", "--cluster", "county")])
@pytest.mark.parametrize("by_name", [True, False])
def test_a_row_with_wrong_numbers_is_the_one_in_the_file(
    precincts: Path, command: tuple[str, ...], by_name: bool
) -> None:
    """Also where rows before it are left out, and by its name where --id says that rows have one."""
    lines = [line.split(",") for line in precincts.read_text().splitlines()]
    lines[1][4], lines[10][4] = "", "999999"
    for i, line in enumerate(lines[1:]):
        line[2] = f"place {i}"
    precincts.write_text("".join(",".join(line) + "\n" for line in lines))
    asked = ("--members", "black", "--total", "adults", "--missing", "drop")
    named = ("--id", "people") if by_name else ()
    result = run(command[0], precincts, *command[1:], *asked, *named)
    assert result.exit_code == 2
    row = "place 9" if by_name else "row 10"
    assert f"in column 'black' {row} (999999 of {lines[10][3]}) is not" in result.stderr
