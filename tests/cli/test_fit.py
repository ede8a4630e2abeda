import json
import re
from pathlib import Path

import pandas as pd
import pytest

from cli.people import N_PEOPLE, people, run, text, write
from minirel.cli import messages
from minirel.cli.by_group import as_options, read_typed
from minirel.cli.messages import UserError, in_options
from minirel.points.messages import Message, Parameter


def test_the_audit_goes_to_standard_output_and_the_columns_to_standard_error(tmp_path: Path) -> None:
    result = run("fit", write(tmp_path), "--group", "sex", "-k", 4, "--drop", "weight")
    assert result.exit_code == 0, result.output
    assert "Every promise is kept." in result.stdout
    assert "identifier" in result.stderr
    assert "3 categories" in result.stderr
    assert len(re.findall(r"^start: cost \S+ after \d+ iterations?, ", result.stderr, re.MULTILINE)) == 1
    assert "age" not in result.stdout


def test_quiet_without_files_shows_the_table_as_its_help_says(tmp_path: Path) -> None:
    result = run("fit", write(tmp_path), "-g", "sex", "-k", 4, "--features", "age,income", "-q")
    assert "Every promise is kept." in result.stdout
    assert result.stderr == ""
    assert "Only warnings; with output files, no table." in " ".join(run("fit", "--help").stdout.split())


def test_quiet_says_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    result = run("fit", write(tmp_path), "-g", "sex", "-k", 4, "--features", "age,income", "-q", "--out", out)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert out.exists()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(("name", "separator"), [("p.csv", ","), ("p.tsv", "\t")])
def test_text_comes_back_byte_by_byte(
    tmp_path: Path, name: str, separator: str, bom: str, newline: str
) -> None:
    content = (bom + text(people(), separator)).replace("\n", newline)
    file = write(tmp_path, name, content)
    out = tmp_path / f"out{Path(name).suffix}"
    assert run("fit", file, "-g", "sex", "-k", 3, "--out", out).exit_code == 0
    lines = out.read_bytes().decode().split(newline)
    original = content.split(newline)
    assert len(lines) == len(original)
    assert lines[0] == f"{original[0]}{separator}cluster"
    for line, before in zip(lines[1:-1], original[1:-1], strict=True):
        kept, cluster = line.rsplit(separator, 1)
        assert kept == before
        assert cluster in {"0", "1", "2"}
    assert lines[-1] == ""


def test_quotes_and_newlines_in_cells_stay(tmp_path: Path) -> None:
    rows = people()
    rows[3][3] = '"a ""cook"",\nand more"'
    content = text(rows).removesuffix("\n")  # no line break at the end either
    out = tmp_path / "out.csv"
    result = run("fit", write(tmp_path, content=content), "-g", "sex", "-k", 3, "--out", out)
    assert result.exit_code == 0, result.output
    before = pd.read_csv(tmp_path / "people.csv", dtype=str, keep_default_na=False)
    after = pd.read_csv(out, dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(after.drop(columns="cluster"), before)


def test_stray_quotes_are_written_anew_without_loss(tmp_path: Path) -> None:
    rows = people()
    rows[3][3] = '5" pipe'
    out = tmp_path / "out.csv"
    assert run("fit", write(tmp_path, content=text(rows)), "-g", "sex", "-k", 3, "--out", out).exit_code == 0
    after = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert after.drop(columns="cluster").to_numpy().tolist() == rows[1:]


def test_parquet_round_trip(tmp_path: Path) -> None:
    header, *rows = people()
    frame = pd.DataFrame(rows, columns=header).astype({"age": int, "income": float, "job": "category"})
    frame.loc[2, "weight"] = None
    frame.to_parquet(tmp_path / "p.parquet")
    out = tmp_path / "out.parquet"
    result = run("fit", tmp_path / "p.parquet", "-g", "sex", "-k", 3, "--drop", "weight", "--out", out)
    assert result.exit_code == 0, result.output
    after = pd.read_parquet(out)
    pd.testing.assert_frame_equal(after.drop(columns="cluster"), pd.read_parquet(tmp_path / "p.parquet"))
    assert set(after["cluster"]) == {0, 1, 2}


def test_standard_input_and_output(tmp_path: Path) -> None:
    result = run("fit", "-", "-g", "sex", "-k", 3, "--out", "-", stdin=text(people()))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].endswith(",cluster")
    assert len(result.stdout.splitlines()) == N_PEOPLE + 1


def test_json_is_the_whole_result(tmp_path: Path) -> None:
    result = run("fit", write(tmp_path), "-g", "sex", "-g", "region", "-k", 4, "--beta", "1", "--json", "-")
    told = json.loads(result.stdout)
    assert told["audit"]["groups"] == ["sex=Female", "sex=Male", "region=North", "region=South"]
    assert told["audit"]["satisfied"]
    assert len(told["labels"]) == N_PEOPLE
    assert told["cost"] >= told["lower_bound"] > 0
    assert told["command"].startswith("minirel fit ")
    assert told["history"][0]["iteration"] == 1


def test_same_as_the_library(tmp_path: Path) -> None:
    from minirel import MiniReL

    file = write(tmp_path)
    args = ("--features", "age,income", "--weight", "weight", "--alpha", "Female:0.4,Male:0.5", "--seed", 3)
    beta = ("--beta", "Female:2,Male:1", "--max-size", 60)
    told = json.loads(run("fit", file, "-g", "sex", "-k", 4, *args, *beta, "--json", "-").stdout)
    frame = pd.read_csv(file)
    X = frame[["age", "income"]].astype(float)
    X = ((X - X.min()) / (X.max() - X.min())).to_numpy()
    model = MiniReL(
        4, alpha={"Female": 0.4, "Male": 0.5}, beta={"Female": 2, "Male": 1}, max_size=60, random_state=3
    ).fit(X, sensitive_features=frame["sex"], sample_weight=frame["weight"])
    assert told["labels"] == model.labels_.tolist()
    assert told["cost"] == pytest.approx(model.inertia_)


def with_holes() -> str:
    rows = people()
    rows[1][1], rows[2][3], rows[3][4], rows[4][1] = "", " N/A ", "NA", "?"
    return text(rows)


@pytest.mark.parametrize(("policy", "n_empty"), [("drop", 4), ("mean", 1), ("category", 0)])
def test_missing_cells(tmp_path: Path, policy: str, n_empty: int) -> None:
    out, file = tmp_path / "out.csv", write(tmp_path, content=with_holes())
    result = run("fit", file, "-g", "sex", "-k", 3, "--beta", 0, "--missing", policy, "--out", out)
    assert result.exit_code == 0, result.output
    clusters = [line.rsplit(",", 1)[1] for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    assert clusters.count("") == n_empty
    assert len(clusters) == N_PEOPLE
    kept = [line.rsplit(",", 1)[0] for line in out.read_text(encoding="utf-8").splitlines()]
    assert kept == with_holes().splitlines()


def test_a_question_mark_is_a_category_among_categories(tmp_path: Path) -> None:
    """As in the paper's data; among numbers it is a missing cell."""
    rows = people()
    rows[2][3] = " ? "
    told = json.loads(
        run("fit", write(tmp_path, content=text(rows)), "-g", "sex", "-k", 3, "--json", "-").stdout
    )
    assert "job=?" in told["features"]
    rows[2][1] = "?"
    result = run("fit", write(tmp_path, content=text(rows)), "-g", "sex", "-k", 3)
    assert result.exit_code == 2
    assert "age 1" in result.stderr


def test_missing_with_category_makes_a_group_and_an_indicator(tmp_path: Path) -> None:
    file = write(tmp_path, content=with_holes())
    result = run("fit", file, "-g", "sex", "-k", 3, "--missing", "category", "--json", "-")
    told = json.loads(result.stdout)
    assert told["audit"]["groups"] == ["Female", "Male", "missing"]
    assert {"age=missing", "job=missing"} <= set(told["features"])
    assert "of all, was promised nothing and is represented nowhere." in result.stderr
    assert (
        "--beta equality_of_opportunity rounds down, and promises no cluster to these groups" in result.stderr
    )


def test_an_impossible_request_comes_with_one_that_works(tmp_path: Path) -> None:
    file = write(tmp_path)
    args = ("fit", file, "-g", "sex", "-k", 4, "--alpha", 0.9)
    result = run(*args, "--beta", "Female:4,Male:4")
    assert result.exit_code == 2
    advice = result.stderr.strip().splitlines()[-1]
    assert "--beta" in advice
    typed = advice.split("--beta ")[1].strip("'")
    assert run(*args, "--beta", typed).exit_code == 0


def test_one_valued_columns_are_left_out(tmp_path: Path) -> None:
    rows = [[*row, "same"] for row in people()]
    rows[0][-1] = "const"
    result = run("fit", write(tmp_path, content=text(rows)), "-g", "sex", "-k", 3)
    assert result.exit_code == 0
    assert "'const' has one value" in result.stderr


def test_whole_numbers_are_groups_in_their_order(tmp_path: Path) -> None:
    rows = [[*row, str(9 + i % 2)] for i, row in enumerate(people())]
    rows[0][-1] = "ward"
    file = write(tmp_path, content=text(rows))
    told = json.loads(run("fit", file, "-g", "ward", "-k", 3, "--beta", "10:1", "--json", "-").stdout)
    assert told["audit"]["groups"] == [9, 10]
    assert told["audit"]["beta"] == [0, 1]


def test_columns_with_commas_in_their_name(tmp_path: Path) -> None:
    rows = people()
    rows[0][2] = '"income, net"'
    result = run("fit", write(tmp_path, content=text(rows)), "-g", "sex", "-k", 3, "--drop", "income, net")
    assert result.exit_code == 0
    assert "left out: --drop" in result.stderr


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("0.51", 0.51),
        ("3", 3),
        ("statistical-parity", "statistical_parity"),
        ("Female:0.4, Male:0.51", {"Female": 0.4, "Male": 0.51}),
        ("sex=Female:3", {"sex=Female": 3}),
        ("a:b:3,c:4", {"a:b": 3, "c": 4}),
        ("Smith, John:2", {"Smith, John": 2}),
        ("\"a:1,b\":3,'it''s':1", {"a:1,b": 3, "it's": 1}),
    ],
)
def test_by_group(typed: str, read: object) -> None:
    assert read_typed(typed, "beta") == read


@pytest.mark.parametrize("typed", ["", "a:", ":3", "a:x", "a:1,b", "1,2", "a:1,a:2", "a:1/0"])
def test_by_group_refuses(typed: str) -> None:
    with pytest.raises(UserError, match="--beta"):
        read_typed(typed, "beta")


@pytest.mark.parametrize("name", ["F", "a b", "a,b", "a:1,b", "it's", 'say "x"', " x"])
def test_options_to_type_read_back(name: str) -> None:
    import shlex

    option, typed = shlex.split(as_options({"beta": {name: 3}}))
    assert option == "--beta"
    assert read_typed(typed, option) == {name: 3}


def test_parameters_are_told_as_options() -> None:
    said = Message(
        *("lower ", Parameter("beta", group="n_clusters"), " to 3, or ", Parameter("n_clusters", value=5)),
        *(": each cluster's gap; ", Parameter("gap"), " must be 0, ", Parameter("max_iter", value=3), " too"),
    )
    assert str(
        said
    ) == "lower beta['n_clusters'] to 3, or n_clusters=5: each cluster's gap; gap must be 0, " + (
        "max_iter=3 too"
    )
    assert in_options(ValueError(said)) == (
        "lower --beta for 'n_clusters' to 3, or --clusters 5: each cluster's gap; --gap must be 0, "
        "max_iter=3 too"
    )


@pytest.mark.parametrize("said", ["n_clusters=3 is the name of a file", "", 3])
def test_other_messages_are_left_as_they_are(said: object) -> None:
    assert in_options(ValueError(said)) == str(said)
    assert in_options(ValueError()) == ""


def test_every_option_exists() -> None:
    told = run("fit", "--help").stdout + run("frontier", "--help").stdout
    assert len(messages._OPTIONS) > 10
    for option in messages._OPTIONS.values():
        assert re.search(rf"{option}\b", told), option


def test_the_clusters_of_an_earlier_fit(tmp_path: Path) -> None:
    out, again = tmp_path / "out.csv", ("-g", "sex", "-k", 3, "--beta", 0)
    assert run("fit", write(tmp_path), *again, "--out", out).exit_code == 0
    said = (
        "column 'cluster' looks like the clusters of an earlier fit, and is used as a feature: leave it out"
    )
    assert f"{said} with --drop cluster" in run("fit", out, *again).stderr
    assert said not in run("fit", out, *again, "--drop", "cluster").stderr
    assert said not in run("fit", out, *again, "--features", "age,cluster").stderr
