"""Whatever is wrong with a file or a call: a short message, exit code 2, and no file."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.people import people, refused, run, text, write
from minirel.cli.options import Objective
from minirel.clustering.objectives import OBJECTIVES

FIT = ("-g", "sex", "-k", "3")


def changed(change: Callable[[list[list[str]]], object]) -> str:
    rows = people()
    change(rows)
    return text(rows)


FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "is empty"),
    "blank": ("\n\n  \n", "is empty"),
    "header only": (text(people()[:1]), "no rows"),
    "duplicate columns": (changed(lambda r: r[0].__setitem__(0, "age")), "several columns called 'age'"),
    "semicolons": (text(people(), ";"), "--delimiter ';'"),
    "tabs": (text(people(), "\t"), "--delimiter tab"),
    "binary": (b"a,b\n\0\1\2,3\n", "not a text file"),
    "parquet by the wrong name": (b"PAR1abc", ".parquet"),
    "spreadsheet": (b"PK\x03\x04abc", "save it as CSV"),
    "compressed": (b"\x1f\x8babc", "unpack"),
    "utf-16": (text(people()).encode("utf-16"), "UTF-16"),
    "latin1": (changed(lambda r: r[1].__setitem__(3, "café")).encode("latin1"), "iconv"),
    "ragged, short": (changed(lambda r: r[5].pop()), "row 6"),
    "ragged, long": (changed(lambda r: r[5].append("x")), "has 8 cells"),
    "open quote": (changed(lambda r: r[5].__setitem__(3, '"x')), "error"),
    "missing cells": (changed(lambda r: r[5].__setitem__(1, "NaN")), "age 1 of 60 rows"),
    "missing groups": (changed(lambda r: r[5].__setitem__(4, "")), "sex 1 of 60 rows"),
    "one group": (changed(lambda r: [row.__setitem__(4, "F") for row in r[1:]]), "has one value"),
    "a group for each row": (changed(lambda r: [row.__setitem__(4, row[0]) for row in r[1:]]), "every row"),
    "infinite": (changed(lambda r: r[5].__setitem__(1, "inf")), "not a finite number"),
    "one column": ("sex\nF\nM\n", "no features"),
    "nothing but groups and constants": ("sex,a\nF,1\nM,1\nF,1\n", "no features"),
    "too few rows": (
        "age,sex\n1,F\n2,M\n3,M\n",
        "--clusters must be at most the number of points, but is 4 for",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_files(tmp_path: Path, case: str) -> None:
    content, words = FILES[case]
    file = write(tmp_path, content=content)
    clusters = ("-k", "4") if case == "too few rows" else ()
    refused(run("fit", file, *FIT, *clusters, "--out", tmp_path / "out.csv"), words)
    assert os.listdir(tmp_path) == ["people.csv"]


CALLS: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown group column": (("-g", "gender"), "Its columns: code, age"),
    "unknown feature": (("--features", "age,heigth"), "'heigth'"),
    "unknown dropped column": (("--drop", "x"), "'x'"),
    "unknown weight": (("--weight", "x"), "'x'"),
    "weights that are text": (("--weight", "job"), "must hold numbers"),
    "dropped and used": (("--features", "age", "--drop", "age"), "both"),
    "dropped group": (("--drop", "sex"), "--drop"),
    "more clusters than rows": (("-k", "100"), "but is 100 for 60 rows: lower --clusters"),
    "no clusters": (("-k", "0"), "--clusters"),
    "clusters in words": (("-k", "many"), "Error: --clusters must be a whole number, but is 'many'\n"),
    "clusters of a frontier": (("-k", "4-8"), "but is '4-8': choose one; minirel frontier compares several"),
    "clusters and a half": (("-k", "4.5"), "--clusters must be a whole number, but is '4.5'"),
    "seed in words": (("--seed", "abc"), "--seed must be a whole number, but is 'abc'"),
    "gap with a comma": (("--gap", "0,1"), "--gap must be a number, but is '0,1': write 0.1"),
    "alpha in words": (("--alpha", "most"), "--alpha 'most' is not a number: write one, or numbers by group"),
    "empty alpha": (("--alpha", ""), "such as Female:0.4,Male:0.51"),
    "members in words": (("--min-members", "few"), "such as Female:3,Male:4"),
    "alpha above 1": (("--alpha", "1.5"), "above 0 and at most 1"),
    "alpha in percent": (("--alpha", "51"), "at most 1, but is 51: did you mean 51% or 0.51?"),
    "alpha by group in percent": (
        ("--alpha", "Female:40"),
        "for 'Female' must be a share above 0 and at most 1, but is 40: did",
    ),
    "share in percent": (("--max-share", "60"), "a share from 0 to 1, but is 60: did you mean 60% or 0.6?"),
    "alpha with a comma": (
        ("--alpha", "0,51"),
        "'0,51' is not a number: write it with a decimal point, 0.51",
    ),
    "alpha by group with a comma": (("--alpha", "Female:0,51"), "numbers have a decimal point, as 0.51"),
    "alpha half read": (("--alpha", "Female:0.4,Male"), "GROUP:NUMBER"),
    "alpha for an unknown group": (("--alpha", "Fem:0.4"), "unknown group 'Fem'"),
    "beta of an unknown name": (("--beta", "parity"), "statistical_parity"),
    "beta for an unknown group": (("--beta", "female:1"), "the groups are 'Female', 'Male'"),
    "beta broken": (("--beta", "1.5"), "--beta"),
    "beta negative": (("--beta=-1",), "--beta"),
    "beta above K": (("--beta", "9"), "--beta"),
    "beta without groups": (("--beta", "1,2"), "names no groups"),
    "infeasible": (("--beta", "3", "--alpha", "0.9"), "nearest request"),
    "sizes": (("--min-size", "50"), "--min-size 20"),
    "small sizes": (("--max-size", "5"), "--max-size"),
    "objective": (("--objective", "k-modes"), "'k-modes' is not one of 'k-means', 'k-medians'"),
    "prefix": (("--prefix", "best"), "'random', or none, but is 'best'"),
    "gap": (("--gap", "-1"), "--gap must be"),
    "time limit": (("--time-limit", "0"), "leave it out for no limit"),
    "starts": (("--n-init", "0"), "--n-init must be"),
    "seed": (("--seed", "-5"), "--seed must be a whole number from 0 to 4294967295, but is -5"),
    "no size": (("--min-size", "0"), "--min-size must be above 0"),
    "no size by cluster": (("--min-size", "9,0,9"), "--min-size for cluster 1 must be above 0"),
    "largest sizes too few": (("--max-size", "9,60"), "--max-size must be a number, or 3 of them"),
    "more than all": (("--min-size", "100"), "--min-size 100 asks for 3 clusters of 300 points in all"),
    "empty features": (("--features", ""), "--features is empty"),
    "empty drop": (("--drop", " , "), "--drop is empty"),
    "delimiter": (("--delimiter", "ab"), "single character"),
    "missing": (
        ("--missing", "guess"),
        "Error: --missing 'guess' is not one of 'drop', 'mean', 'category'\n",
    ),
    "option": (("--frobnicate",), "--frobnicate"),
    "other format": (("--out", "out.parquet"), "format"),
    "other separator": (("--out", "out.tsv"), "format"),
}


# What only Python has: none of it may be said on the command line.
PYTHON = ("None", "RandomState", "of type", "n_samples", "n_clusters", "[", "min_size", "max_size", "_limit")


@pytest.mark.parametrize("case", CALLS)
def test_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    options, words = CALLS[case]
    file = write(tmp_path)
    monkeypatch.chdir(tmp_path)
    result = run("fit", file, *FIT, "--out", "out.csv", *options)
    refused(result, words)
    assert os.listdir(tmp_path) == ["people.csv"]
    message = next(line for line in result.stderr.splitlines() if line.lower().startswith("error:"))
    assert not [word for word in PYTHON if word in message], message


@pytest.mark.parametrize(
    "options", [("--beta", "3"), ("--min-size", "50"), ("--weight", "weight", "--beta", "3")]
)
def test_what_counting_refuses_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    def fails(*args: object, **kwargs: object) -> None:
        pytest.fail("the estimator is not needed")

    monkeypatch.setattr("minirel.estimator.MiniReL.fit", fails)
    result = run("fit", write(tmp_path), *FIT, "--alpha", "0.9", *options)
    refused(result, "this cannot be met", "The nearest request")
    assert "k-means" not in result.stderr


def test_every_objective_can_be_named() -> None:
    assert [objective.value for objective in Objective] == list(OBJECTIVES)


def test_no_such_file(tmp_path: Path) -> None:
    refused(run("fit", tmp_path / "none.csv", *FIT), "there is no file")
    refused(run("fit", tmp_path, *FIT), "is a folder")
    refused(run("fit", write(tmp_path, "bad.parquet", "no"), *FIT), "Parquet")
    refused(run("fit", write(tmp_path)), "--group")


def test_negative_weights(tmp_path: Path) -> None:
    rows = people()
    rows[7][6] = "-1"
    rows[9][6] = "-2"
    rows[2][6] = ""
    file = write(tmp_path, content=text(rows))
    said = "--weight 'weight' must be at least 0, but 2 of 59 rows have less: the first is -1 in row 7"
    options = ("-g", "sex", "--weight", "weight", "--missing", "drop")
    refused(run("fit", file, *options, "-k", 3), said)
    refused(run("frontier", file, *options, "-k", 3), said)
    refused(run("audit", file, *options, "--cluster", "job"), said)


def test_more_clusters_than_values_that_stay_together(tmp_path: Path) -> None:
    file = write(tmp_path)
    said = "the number of values of --together 'job', since rows of one value go to one cluster"
    refused(
        run("fit", file, "-g", "sex", "-k", 6, "--together", "job"), said, "6 for 3 values", "to at most 3"
    )
    assert run("fit", file, "-g", "sex", "-k", 3, "--together", "job", "--beta", 0).exit_code == 0
    rows = people()
    rows[1][3] = rows[2][3] = ""
    file = write(tmp_path, content=text(rows))
    assert run("fit", file, "-g", "sex", "-k", 5, "--together", "job", "--beta", 0).exit_code == 0


def test_a_column_called_cluster(tmp_path: Path) -> None:
    rows = people()
    rows[0][3] = "cluster"
    file, out = write(tmp_path, content=text(rows)), tmp_path / "out.csv"
    refused(run("fit", file, *FIT, "--out", out), "--cluster-name cluster_2")
    assert run("fit", file, *FIT, "--out", out, "--cluster-name", "cluster_2").exit_code == 0


def test_outputs_that_cannot_be(tmp_path: Path) -> None:
    file = write(tmp_path)
    refused(run("fit", file, *FIT, "--out", tmp_path), "is a folder")
    refused(run("fit", file, *FIT, "--out", tmp_path / "no" / "out.csv"), "there is no folder")
    refused(run("fit", file, *FIT, "--out", file), "also the input")
    same = tmp_path / "same.csv"
    refused(run("fit", file, *FIT, "--out", same, "--json", same), "also --out")
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize("name", ["o.xlsx", "o.XLS", "o.json", "o.csv.gz", "o.html"])
def test_outputs_of_another_format(tmp_path: Path, name: str) -> None:
    file = write(tmp_path)
    refused(
        run("fit", file, *FIT, "--out", tmp_path / name), "cannot be written: use a name such as o.csv, which"
    )
    assert os.listdir(tmp_path) == ["people.csv"]
    for other in ("o", "o.txt", "o.2024"):
        assert run("fit", file, *FIT, "--out", tmp_path / other).exit_code == 0


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder of Linux that only seems writable")
@pytest.mark.parametrize("option", ["--out", "--json", "--report"])
def test_a_folder_that_only_seems_writable(tmp_path: Path, option: str) -> None:
    result = run("fit", write(tmp_path), *FIT, option, "/proc/x.csv")
    refused(result, f"{option} /proc/x.csv: nothing can be written in /proc; choose another folder")
    assert "k-means" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no permissions of this kind on Windows")
@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    file, folder = write(tmp_path), tmp_path / "locked"
    folder.mkdir(mode=0o500)
    refused(run("fit", file, *FIT, "--out", folder / "out.csv"), "nothing can be written")


@pytest.mark.parametrize("broken", ["replace", "fsync", "link"])
@pytest.mark.parametrize("at", [1, 2])
def test_a_full_disk_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, at: int
) -> None:
    file = write(tmp_path)
    out, result = tmp_path / "out.csv", tmp_path / "result.json"
    out.write_text("old", encoding="utf-8")
    result.write_text("old", encoding="utf-8")
    function, calls = getattr(os, broken), []

    def fails(*args: object) -> object:
        calls.append(args)
        if len(calls) == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return function(*args)

    monkeypatch.setattr(os, broken, fails)
    refused(run("fit", file, *FIT, "-q", "--out", out, "--json", result), "No space left on device")
    assert out.read_text(encoding="utf-8") == result.read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.csv", "result.json"]


@pytest.mark.parametrize("content", ["", "age,sex\n", "a;sex\n1;F\n"])
def test_audit_refuses_too(tmp_path: Path, content: str) -> None:
    refused(run("audit", write(tmp_path, content=content), "-g", "sex"))


def test_audit_of_unknown_columns(tmp_path: Path) -> None:
    refused(run("audit", write(tmp_path), "-g", "sex"), "--cluster: there is no column 'cluster'")
    refused(run("audit", write(tmp_path), "-g", "sex", "--cluster", "sex"), "both --cluster and --group")


def test_a_warning_speaks_of_the_file(tmp_path: Path) -> None:
    result = run("fit", write(tmp_path), "-g", "sex", "-k", 3, "--features", "sex")
    assert "warning: the file has 2 distinct points, fewer than --clusters 3" in result.stderr


def test_missing_cells_that_nothing_stands_in_for(tmp_path: Path) -> None:
    file = write(tmp_path, content=changed(lambda rows: rows[5].__setitem__(6, "")))
    said = "column 'weight' has 1 missing cell, which nothing can stand in for: use --missing drop"
    refused(run("fit", file, *FIT, "--weight", "weight", "--missing", "mean"), said)


def test_no_row_is_whole(tmp_path: Path) -> None:
    def empty(rows: list[list[str]]) -> None:
        for i, row in enumerate(rows[1:]):
            row[1 + i % 2] = ""

    file = write(tmp_path, content=changed(empty))
    refused(run("fit", file, *FIT, "--missing", "drop"), "every row has a missing cell")
