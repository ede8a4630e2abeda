"""Columns of true and false, or 0 and 1, on the command line as in Python."""

from pathlib import Path

import pandas as pd
import pytest

from cli.people import people, run
from minirel.cli.cells import read_cells
from minirel.cli.grouping import describe, make_groups
from minirel.cli.table import read_table
from minirel.points.groups import Groups

FLAGS = ("cook", "woman")


def dummies() -> pd.DataFrame:
    header, *rows = people()
    frame = pd.DataFrame(rows, columns=header)[["age", "income", "job", "sex"]]
    return frame.assign(cook=frame.job == "cook", smith=frame.job == "smith", woman=frame.sex == "Female")


def write(folder: Path, frame: pd.DataFrame, name: str = "dummies.csv") -> str:
    file = folder / name
    if file.suffix == ".parquet":
        frame.to_parquet(file)
    else:
        frame.to_csv(file, index=False)
    return str(file)


def groups_of(file: str, *names: str) -> Groups:
    table = read_table(file, None)
    return make_groups([read_cells(name, table.columns[name]) for name in names])


@pytest.mark.parametrize("name", ["dummies.csv", "dummies.parquet"])
def test_boolean_columns_are_membership(tmp_path: Path, name: str) -> None:
    frame = dummies()
    groups = groups_of(write(tmp_path, frame, name), "cook", "woman")
    assert groups.names == ("cook", "woman")
    assert (groups.membership == frame[["cook", "woman"]].to_numpy()).all()
    assert describe(groups, "cook", several=True) == f"group: cook {frame.cook.mean():.1%}"


@pytest.mark.parametrize(
    "written", [("true", "false"), ("TRUE", "FALSE"), ("1", "0"), ("1.0", "0.0")], ids=lambda pair: pair[0]
)
def test_however_they_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: tuple[str, str]
) -> None:
    frame = dummies()
    as_text = frame.assign(**{name: frame[name].map({True: written[0], False: written[1]}) for name in FLAGS})
    groups = groups_of(write(tmp_path, as_text), *FLAGS)
    assert groups.names == FLAGS
    assert (groups.membership == frame[list(FLAGS)].to_numpy()).all()
    told = capsys.readouterr().err
    assert ("read as membership of the groups 'cook', 'woman'" in told) == written[0].startswith("1")


def test_numbers_that_share_out_all_rows_need_no_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = dummies()
    sexes = frame.assign(woman=frame.woman.astype(int), man=1 - frame.woman.astype(int))
    assert groups_of(write(tmp_path, sexes), "woman", "man").names == ("woman", "man")
    assert capsys.readouterr().err == ""


def test_other_columns_are_values(tmp_path: Path) -> None:
    file = write(tmp_path, dummies())
    assert groups_of(file, "woman").names == ("False", "True")
    assert groups_of(file, "woman", "sex").names == (
        "woman=False",
        "woman=True",
        "sex=Female",
        "sex=Male",
    )


def test_numbers_beside_words_are_values_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, dummies().astype({"woman": int}))
    assert groups_of(file, "woman", "job").names[:2] == ("woman=0", "woman=1")
    told = capsys.readouterr().err
    assert told.startswith(
        "warning: --group holds nothing but 0 and 1 in column 'woman', which is read as values"
    )
    assert "Write words in place of the numbers to say so" in told


def test_missing_memberships_are_a_group_of_their_own(tmp_path: Path) -> None:
    frame = dummies().astype({"cook": object})
    frame.loc[0, "cook"] = None
    assert groups_of(write(tmp_path, frame), *FLAGS).names == ("cook", "cook=missing", "woman")


def test_fit_and_audit_promise_by_the_columns_names(tmp_path: Path) -> None:
    file, out = write(tmp_path, dummies()), tmp_path / "out.csv"
    promise = ("-g", "cook", "-g", "woman", "--alpha", "cook:0.4,woman:0.5", "--beta", "cook:1,woman:2")
    fitted = run("fit", file, *promise, "-k", 4, "--features", "age,income", "--out", out)
    assert fitted.exit_code == 0, fitted.output
    assert run("audit", out, *promise).exit_code == 0
    unknown = run("audit", out, "-g", "cook", "-g", "woman", "--beta", "cook=True:1")
    assert unknown.exit_code == 2
    assert "the groups are 'cook', 'woman'" in unknown.stderr


def test_a_column_of_fractions_is_refused(tmp_path: Path) -> None:
    frame = dummies()
    shares = frame.assign(share=[i / 100 for i in range(30)] * 2)
    for command in (("fit", "-k", 3), ("audit", "--cluster", "job")):
        result = run(command[0], write(tmp_path, shares), "-g", "share", *command[1:])
        assert result.exit_code == 2
        assert "'share' holds 30 distinct numbers that are not whole" in result.stderr
        assert "bin them" in result.stderr


def test_a_separator_that_no_cell_holds(tmp_path: Path) -> None:
    header, *rows = people()
    lands = ["a, b" if i % 2 else "a" for i in range(len(rows))]
    file = write(tmp_path, pd.DataFrame(rows, columns=header).assign(lands=lands))
    said = "warning: --split lands:';': no cell of this column holds ';'; did you mean --split lands:','?\n"
    assert run("fit", file, "-g", "lands", "-k", 3, "--beta", 0, "--split", "lands:;").stderr.count(said) == 1
    assert "no cell" not in run("fit", file, "-g", "lands", "-k", 3, "--beta", 0, "--split", "lands").stderr
    said = "no cell of this column holds ','; each is one value"
    assert said in run("fit", file, "-g", "sex", "-k", 3, "--beta", 0, "--split", "job").stderr


def test_numbers_that_can_be_binned(tmp_path: Path) -> None:
    header, *rows = people()
    frame = pd.DataFrame(rows, columns=header).assign(years=[str(20 + i % 40) for i in range(len(rows))])
    said = "--group 'years' makes 40 groups, one for each number: bin them (20-30, 30-40, ...)"
    assert said in run("fit", write(tmp_path, frame), "-g", "years", "-k", 3, "--beta", 0).stderr
    few = frame.assign(years=[str(20 + i % 20) for i in range(len(rows))])
    assert "--group" not in run("fit", write(tmp_path, few), "-g", "years", "-k", 3, "--beta", 0).stderr
