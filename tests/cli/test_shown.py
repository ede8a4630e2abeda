"""What the terminal is told: nothing of the data acts on it, and no more is said than is proven."""

import json
from pathlib import Path

import pytest

from cli.people import people, run, text, write

RED = "a \x1b[31m red"
SHOWN = r"a \x1b[31m red"


def with_controls() -> str:
    """A column and a group whose names would colour the terminal, and one that would turn its text round."""
    header, *rows = people()
    header[header.index("job")] = f"job{RED}"
    sex = header.index("sex")
    for i, row in enumerate(rows):
        row[sex] = RED if row[sex] == "Female" else "\u202eelaM" if i % 2 else "line\u2028break"
    return text([header, *rows])


def is_clean(shown: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in shown)


@pytest.mark.parametrize("beta", ["1", "equality_of_opportunity"])
def test_names_of_groups_and_columns(tmp_path: Path, beta: str) -> None:
    result = run("fit", write(tmp_path, content=with_controls()), "-g", "sex", "-k", 5, "--beta", beta)
    assert result.exit_code == 0, result.output
    assert SHOWN in result.stdout
    assert f"job{SHOWN}" in result.stderr
    assert r"\u202eelaM" in result.stderr
    assert is_clean(result.stdout + result.stderr)


def test_the_json_holds_the_names_and_no_control_characters(tmp_path: Path) -> None:
    file = write(tmp_path, content=with_controls())
    result = run("fit", file, "-g", "sex", "-k", 5, "--beta", 1, "--json", "-")
    assert is_clean(result.stdout)
    assert {RED, "\u202eelaM"} <= set(json.loads(result.stdout)["audit"]["groups"])


def test_refusals_and_names_of_files(tmp_path: Path) -> None:
    file = write(tmp_path, content=with_controls())
    for args in (
        ("fit", file, "-g", RED),
        ("fit", file, "-g", "sex", "--drop", "sex"),
        ("fit", file, "-g", "sex", "--out", tmp_path / RED / "x.csv"),
        ("fit", file, "-g", "sex", "--beta", f"{RED}:9"),
        ("fit", tmp_path / RED, "-g", "sex"),
        ("fit", file, f"--{RED}"),
        ("audit", file, RED, "-g", "sex"),
        (RED,),
    ):
        result = run(*args)
        assert result.exit_code == 2, args
        assert is_clean(result.output), args


def test_what_the_bound_covers_stands_beside_it(tmp_path: Path) -> None:
    file, out = write(tmp_path), tmp_path / "out.json"
    for prefix, covers in (
        ("local_cost", "these centers and these holders"),
        ("none", "these centers, whoever holds which cluster"),
    ):
        result = run("fit", file, "-g", "sex", "-k", 3, "--prefix", prefix, "--json", out)
        assert f": for {covers}, nothing costs less than " in result.stderr
        told = json.loads(out.read_text(encoding="utf-8"))
        assert told["bound_covers"] == covers
        assert told["status_says"].endswith(".")


def test_who_was_promised_nothing_and_what_a_handful_keeps(tmp_path: Path) -> None:
    rows = ["x,tie"] + [f"{i % 40},{'single' if i < 150 else 'divorced'}" for i in range(200)]
    rows += ["900,widowed", "901,widowed"]
    file, out = write(tmp_path, content="\n".join(rows) + "\n"), tmp_path / "out.json"
    args = ("fit", file, "-g", "tie", "-k", 3, "--beta", "single:1,widowed:1")
    result = run(*args, "--json", out)
    assert result.exit_code == 0, result.output
    divorced = "divorced, 24.7% of all, was promised nothing and is represented nowhere."
    assert f"warning: {divorced}" in result.stderr
    assert "keeps the promise to widowed with only 2 of its members." in result.stderr
    assert "--min-members" in result.stderr
    told = json.loads(out.read_text(encoding="utf-8"))["audit"]
    assert told["unpromised"] == [
        {"group": "divorced", "share_of_all": pytest.approx(50 / 202), "represented": False}
    ]
    assert [kept["groups"] for kept in told["handfuls"]] == [["widowed"]]
    assert divorced in run(*args).stdout
    labelled = tmp_path / "clustered.csv"
    assert run(*args, "--out", labelled).exit_code == 0
    page = tmp_path / "page.html"
    result = run("audit", labelled, "-g", "tie", "--beta", "single:1,widowed:1", "--report", page)
    assert divorced in result.stdout
    assert divorced in page.read_text(encoding="utf-8")
    assert "with only 2 of its members." in result.stdout
    prevented = run(*args, "--min-members", 2)
    assert "with only 2 of its members" in prevented.stdout  # that is what they are
    assert run(*args, "--min-members", 3).exit_code == 2  # and no more
    prevented = run(*args, "--min-members", 20, "--beta", "single:1")
    assert "with only" not in prevented.stdout
