"""Files that nobody prepared: a hospital's, a catalogue, a survey; from file to page as a new user would."""

import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cli.people import run, write
from minirel import MiniReL
from minirel.cli import large_parquet
from minirel.cli.cells import Cells
from minirel.cli.identifiers import is_identifier
from minirel.cli.large_parquet import open_table
from minirel.cli.many_valued import ManyValued, read_splits, split
from minirel.cli.messages import UserError
from minirel.cli.table import Source

RANDOM = np.random.default_rng(0)


def hospital(n: int = 240) -> pd.DataFrame:
    """Visits: two identifiers, '?' for what is not known, codes among numbers, three columns of groups."""
    random = np.random.default_rng(1)
    ward = random.integers(3, size=n)
    code = np.where(random.random(n) < 0.2, "V57", random.integers(1, 20, n).astype(str))
    return pd.DataFrame(
        {
            "encounter_id": random.choice(450_000_000, n, replace=False),
            "patient_nbr": random.choice(10**8, n) // 3,
            "race": random.choice(["Caucasian", "AfricanAmerican", "?"], n, p=[0.7, 0.2, 0.1]),
            "gender": random.choice(["Female", "Male"], n),
            "age": random.choice(["young", "old"], n),
            "weight": np.where(random.random(n) < 0.3, "?", "[75-100)"),
            "days": 2 + 3 * ward + random.integers(3, size=n),
            "labs": 30 + 20 * ward + random.integers(9, size=n),
            "diag": code,
        }
    )


def catalogue(n: int = 200) -> pd.DataFrame:
    """Shows of several countries and genres in a cell each."""
    random = np.random.default_rng(2)
    countries, genres = ["France", "Germany", "India", "Japan"], ["Drama", "Kids", "News"]

    def some(names: list[str], between: str) -> str:
        return between.join(sorted(random.choice(names, random.integers(1, 3), replace=False)))

    return pd.DataFrame(
        {
            "show_id": [f"s{i}" for i in range(n)],
            "country": ["" if i % 20 == 7 else some(countries, ", ") for i in range(n)],
            "genres": [some(genres, "; ") for _ in range(n)],
            "year": 1990 + random.integers(30, size=n),
            "minutes": random.integers(20, 180, n),
        }
    )


def survey(n: int = 150) -> pd.DataFrame:
    """Answers of which some are missing, with coordinates, and comments that few have written."""
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "respondent": random.choice(900_000, n, replace=False) + 100_000,
            "lon": np.round(random.normal(13.4, 0.05, n), 5),
            "lat": np.round(random.normal(52.5, 0.03, n), 5),
            "tenure": random.choice(["owner", "tenant", "no answer"], n, p=[0.5, 0.4, 0.1]),
            "income": [
                "no answer" if i % 9 == 0 else str(int(x)) for i, x in enumerate(random.lognormal(10, 0.5, n))
            ],
            "parks": random.integers(1, 6, n),
            "comment": [f"comment {i}" if i % 4 == 0 else "" for i in range(n)],
        }
    )


def saved(folder: Path, frame: pd.DataFrame, name: str) -> Path:
    frame.to_csv(folder / name, index=False)
    return folder / name


def test_a_hospital(tmp_path: Path) -> None:
    file = saved(tmp_path, hospital(), "hospital.csv")
    out, page, told = (tmp_path / name for name in ("out.csv", "page.html", "all.json"))
    groups = ("-g", "race", "-g", "gender", "-g", "age")
    args = ("--na", "?", "--missing", "category", "--out", out, "--report", page, "--json", told)
    result = run("fit", file, *groups, "-k", 4, *args)
    assert result.exit_code == 0, result.output
    for column in ("encounter_id", "patient_nbr"):
        assert f"column {column!r} looks like an identifier and is left out" in result.stderr
    assert (
        "column 'diag' holds codes such as 'V57' among numbers, so it is read as 20 categories"
        in result.stderr
    )
    assert "Every promise is kept." in result.stdout
    assert f"written: {out} (the input with a column 'cluster'), {told}, {page}" in result.stderr
    text = page.read_text(encoding="utf-8")
    assert "<h1><bdi>Fair clustering of hospital.csv</bdi></h1>" in text
    assert str(tmp_path) not in text[text.index("<body") : text.index("Can I repeat it?")]
    found = json.loads(told.read_text(encoding="utf-8"))
    assert "race=missing" in found["audit"]["groups"]
    frame, labels = hospital(), np.array(found["labels"])
    days = found["features"].index("days")
    for k, center in enumerate(found["centers_in_units"]):
        assert center[days] == pytest.approx(frame["days"][labels == k].mean())


def test_what_is_not_known_is_a_group_with_a_word_of_advice(tmp_path: Path) -> None:
    file = saved(tmp_path, hospital(), "hospital.csv")
    result = run("fit", file, "-g", "race", "-k", 3, "--features", "days,labs")
    assert result.exit_code == 0, result.output
    assert "--group 'race' has a group '?': if that says that it is not known, add --na '?'" in result.stderr
    result = run(
        "audit", file, "--cluster", "age", "-g", "race", "--na", "?", "--missing", "drop", "--beta", 0
    )
    assert result.exit_code == 0, result.output
    assert "?" not in result.stdout


def test_a_catalogue_of_several_countries_in_a_cell(tmp_path: Path) -> None:
    file = saved(tmp_path, catalogue(), "catalogue.csv")
    args = ("--split", "country", "--split", "genres:;", "--missing", "category", "--alpha", 0.3, "--beta", 1)
    result = run("fit", file, "-g", "country", "-k", 4, *args, "--json", "-")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["audit"]["groups"] == ["France", "Germany", "India", "Japan", "missing"]
    frame, labels = catalogue(), np.array(told["labels"])
    for name, counts in zip(told["audit"]["groups"], told["audit"]["counts"], strict=True):
        member = frame["country"].str.contains(name) if name != "missing" else frame["country"] == ""
        assert counts == [int(member[labels == k].sum()) for k in range(4)]
    names = [name for name in told["features"] if name.startswith("genres=")]
    assert names == ["genres=Drama", "genres=Kids", "genres=News"]
    for j, name in enumerate(names):
        member = frame["genres"].str.contains(name.removeprefix("genres="))
        for k in range(4):
            assert told["centers"][k][j] == pytest.approx(member[labels == k].mean())


def test_several_values_in_a_cell_are_noticed(tmp_path: Path) -> None:
    frame = catalogue().replace({"country": {"": "India"}})
    many = [f"{a}, {b}" for a in "ABCDEFG" for b in "HIJKLMN"]
    frame["country"] = [many[i % len(many)] for i in range(len(frame))]
    result = run("fit", saved(tmp_path, frame, "c.csv"), "-g", "country", "-k", 3, "--beta", 0)
    assert (
        "look like several values each ('A, H'): --split country:',' makes a group of each" in result.stderr
    )


def test_a_survey_with_missing_answers_and_a_map(tmp_path: Path) -> None:
    file, page = saved(tmp_path, survey(), "survey.csv"), tmp_path / "page.html"
    plain = run("fit", file, "-g", "tenure", "-k", 3)
    assert "among numbers" in plain.stderr
    assert "if that says that a value is missing, add --na 'no answer'" in plain.stderr
    args = ("--na", "No Answer", "--missing", "mean", "--report", page)
    result = run("fit", file, "-g", "tenure", "-k", 3, *args)
    assert result.exit_code == 0, result.output
    assert re.search(r"income +number, .* missing are the mean", result.stderr)
    assert re.search(r"comment +left out: looks like an identifier", result.stderr)
    text = page.read_text(encoding="utf-8")
    assert "A map" in text
    assert "What sets it apart from all points" in text


def test_the_time_limit_is_told_as_typed_and_includes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []
    fit = MiniReL.fit

    def recorded(self: MiniReL, *args: object, **options: object) -> MiniReL:
        limits.append(self.time_limit)
        return fit(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(MiniReL, "fit", recorded)
    args = ("fit", write(tmp_path), "-g", "sex", "-k", 3, "--time-limit", 60, "--n-jobs", 2)
    told = json.loads(run(*args, "--json", "-", "--report", tmp_path / "page.html").stdout)
    assert told["request"]["time_limit"] == 60
    run(*args)
    assert 0 < limits[0] <= 48 < limits[1] <= 60
    result = run(*args[:-4], "--time-limit", 1e-9)
    assert "--time-limit 1e-09" in result.stderr

    def slowly(*args: Any) -> Source:
        time.sleep(0.3)
        return open_table(*args)

    monkeypatch.setattr(large_parquet, "open_table", slowly)
    run(*args[:-4], "--time-limit", 0.2)
    assert 0 < limits[-1] <= 0.001


def cells(name: str, texts: list[str], values: list[float] | None = None) -> Cells:
    codes = np.array([sorted(set(texts)).index(text) if text else -1 for text in texts])
    distinct = sorted({text for text in texts if text})
    if "" in texts:
        codes = np.where(codes >= 0, codes - 1, -1)
    return Cells(name, codes, distinct, None if values is None else np.array([float(t) for t in distinct]))


def numbers(name: str, values: "np.ndarray") -> Cells:
    return cells(name, [str(value) for value in values.tolist()], [0.0])


@pytest.mark.parametrize(
    ("column", "is_one"),
    [
        (numbers("patient_nbr", RANDOM.choice(10**8, 300)), True),
        (numbers("customerId", RANDOM.choice(1000, 300)), True),
        (numbers("anything", 10**6 + 3 * np.arange(300)), True),
        (numbers("anything", RANDOM.choice(10**9, 300, replace=False)), True),
        (numbers("income", RANDOM.lognormal(10, 0.5, 300).astype(int)), False),
        (numbers("price", np.round(RANDOM.random(300), 6)), False),
        (numbers("year", 1990 + RANDOM.integers(30, size=300)), False),
        (numbers("number_of_rooms", RANDOM.integers(1, 9, 300)), False),
        (cells("note", ["", "", *[f"words {i}" for i in range(200)]]), True),
        (cells("town", [f"town {i % 40}" for i in range(200)]), False),
    ],
)
def test_identifiers(column: Cells, is_one: bool) -> None:
    assert is_identifier(column) == is_one


def test_cells_are_taken_apart() -> None:
    column = split(cells("c", ["b; a;;b", "a", "n/a;", "x", ""]), ";")
    assert column.parts == ["a", "b", "x"]
    assert [[column.members(p)[i] for p in range(3)] for i in range(5)] == [
        [True, True, False],
        [True, False, False],
        [False, False, False],
        [False, False, True],
        [False, False, False],
    ]
    assert column.is_missing.tolist() == [False, False, True, False, True]
    left = column.select(np.array([False, True, False, True, True]))
    assert isinstance(left, ManyValued)
    assert left.parts == ["a", "x"]
    assert left.members(1).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("typed", "read"),
    [("a", ","), ("a:;", ";"), ("a:b:|", "|"), ("a:tab", "\t"), ("a: - ", " - "), ("a:','", ",")],
)
def test_separators(typed: str, read: str) -> None:
    (separator,) = read_splits([typed], ["a", "a:b"]).values()
    assert separator == read


@pytest.mark.parametrize("typed", ["b", "a:", "b:;"])
def test_separators_that_are_refused(typed: str) -> None:
    with pytest.raises(UserError, match="--split"):
        read_splits([typed], ["a"])
