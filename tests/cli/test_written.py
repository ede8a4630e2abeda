"""Numbers and dates as people write them."""

from pathlib import Path

import numpy as np
import pytest

from cli.people import people, refused, run, text, write
from minirel.cli.written import are_dates, read_written

CLEAR = {
    "decimal commas": (["28,4", "3,50", "2"], [28.4, 3.5, 2]),
    "and thousands": (["1.234,5", "12.345.678", "-0,5"], [1234.5, 12345678, -0.5]),
    "thousands": (["2,101", "345", "15,002,428"], [2101, 345, 15002428]),
    "thousands and decimals": (["2,101.50", "345", "-1,200"], [2101.5, 345, -1200]),
    "currency": (["$15,002", "-$3", "$4.5"], [15002, -3, 4.5]),
    "currency behind": (["15 002,50 €", "3 €", "4 €"], [15002.5, 3, 4]),
    "percent": (["51%", "3%", "4.5 %"], [51, 3, 4.5]),
    "apostrophes": (["15'002", "3", "1'000'000.5"], [15002, 3, 1000000.5]),
}


@pytest.mark.parametrize("case", CLEAR)
def test_numbers_of_one_style(case: str) -> None:
    texts, numbers = CLEAR[case]
    written = read_written(texts)
    assert written is not None
    assert written.values is not None
    np.testing.assert_array_equal(written.values, numbers)


def test_what_can_be_read_in_two_ways_is_not_guessed() -> None:
    for texts, said in (
        (["2,101", "345", "1,200"], "'2,101' may be 2101 or 2.101"),
        (["1,3", "2", "2,4"], "'1,3' may be 1.3 or several values (--split)"),
    ):
        written = read_written(texts)
        assert written is not None
        assert written.values is None
        assert str(written) == said


@pytest.mark.parametrize(
    "texts",
    [
        ["a", "1", "2"],
        ["$5", "€5", "$6"],
        ["51%", "5", "6"],
        ["1,2,3", "2", "3"],
        ["1.5", "1,5", "2"],
        ["--1", "2", "3"],
    ],
)
def test_other_texts_are_none(texts: list[str]) -> None:
    assert read_written(texts) is None


def test_dates() -> None:
    assert are_dates(["2018-11-15", "2018-1-5", "2018-11-15T12:30:00Z"])
    assert are_dates(["15.11.2018", "1/5/18", "1/5/2018 12:30 PM"])
    assert not are_dates(["555-123-1234", "2018-11-15", "2018-11-16"])


def with_column(folder: Path, cells: list[str]) -> str:
    rows = [[*row, cell] for row, cell in zip(people(), ["pay", *cells], strict=True)]
    return write(folder, content=text(rows, ";"))


def fit(file: str, *options: str) -> str:
    result = run("fit", file, "-g", "sex", "-k", 3, "--beta", 0, "--delimiter", ";", *options)
    assert result.exit_code == 0, result.output
    return result.stderr


def test_a_column_of_decimal_commas_is_one_of_numbers(tmp_path: Path) -> None:
    cells = [f"{40 - i % 30},{i % 10}" for i in range(59)]
    file = with_column(tmp_path, [*cells, "?"])
    said = fit(file, "--missing", "mean")
    assert "warning: column 'pay' is read as numbers: '40,0' is 40.0\n" in said
    assert "number, 11.9 to 40 scaled to 0 to 1; 1 missing are the mean" in said
    assert "--split" not in said
    file = with_column(tmp_path, [*cells, "12,5"])
    refused(
        run("fit", file, "-g", "pay", "--delimiter", ";"), "distinct numbers that are not whole", "bin them"
    )
    assert "'40,0' is 40.0" in fit(file, "--weight", "pay")
    assert "read as numbers" not in fit(file, "--split", "pay:,")


@pytest.mark.parametrize("options", [("-g", "sex"), ("-g", "sex", "--weight", "pay")])
def test_a_number_too_large_to_be_one_is_refused(tmp_path: Path, options: tuple[str, ...]) -> None:
    cells = [f"{40 - i % 30},{i % 10}" for i in range(59)]
    file = with_column(tmp_path, [*cells, "9" * 400])
    refused(
        run("fit", file, *options, "--delimiter", ";"),
        "column 'pay' holds 'inf', which is not a finite number: fix it, or --drop pay",
    )
    refused(run("fit", file, "-g", "pay", "--delimiter", ";"), "distinct numbers that are not whole")


def test_numbers_that_may_be_others_are_told(tmp_path: Path) -> None:
    file = with_column(tmp_path, [f"{1 + i % 20},{100 + i % 20}" for i in range(60)])
    said = "looks like numbers ('1,100' may be 1100 or 1.100): write 1100 or 1.100"
    assert f"column 'pay' is read as 20 categories, but {said}, or leave it out with --drop 'pay'" in fit(
        file
    )
    refused(run("fit", file, "-g", "sex", "--delimiter", ";", "--weight", "pay"), f"holds '1,100': it {said}")
    file = with_column(tmp_path, [f"{1 + i},{100 + i}" for i in range(60)])
    assert f"column 'pay' differs in nearly every row and is left out, but {said}" in fit(file)


def test_dates_are_called_so(tmp_path: Path) -> None:
    file = with_column(tmp_path, [f"2018-11-{10 + i % 20}" for i in range(60)])
    said = "looks like dates ('2018-11-10'): make a number of them first, such as the year"
    assert f"column 'pay' is read as 20 categories, but {said}, or leave it out with --drop 'pay'" in fit(
        file
    )
