"""Shares in every cluster, members, exclusive clusters and sizes by cluster, as they are typed and told."""

import json
import shlex
from pathlib import Path

import pandas as pd
import pytest

from cli.people import people, refused, run, text, write
from minirel import MiniReL
from minirel.cli.by_cluster import read_sizes
from minirel.cli.by_group import as_options
from minirel.cli.messages import UserError, in_options
from minirel.points.messages import Message, Parameter, Value

FIT = ("-g", "sex", "-k", 3, "--drop", "weight")
ALL = (
    *("--alpha", "0.5", "--beta", "Female:1,Male:1", "--min-share", "Female:0.1", "--max-share", "70%"),
    *("--min-members", "Female:5", "--exclusive", "--min-size", "10,15,-", "--max-size", "-,30,20"),
)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("10", 10),
        ("2.5", 2.5),
        ("10,20,30", [10, 20, 30]),
        (" 10 , 20 ", [10, 20]),
        ("10,,30", [10, None, 30]),
        ("-,20", [None, 20]),
        ("-", None),
        (None, None),
    ],
)
def test_sizes(typed: str | None, read: object) -> None:
    assert read_sizes(typed, "--max-size", None) == read


def test_a_size_that_is_left_out_is_that_of_no_option() -> None:
    assert read_sizes("10,-", "--min-size", 1) == [10, 1]
    assert read_sizes(None, "--min-size", 1) == 1


@pytest.mark.parametrize("typed", ["", " ", "a", "10,a", "5%", "10;20"])
def test_sizes_that_are_none(typed: str) -> None:
    with pytest.raises(UserError, match="--min-size"):
        read_sizes(typed, "--min-size", 1)


def test_the_same_as_the_library(tmp_path: Path) -> None:
    file = write(tmp_path)
    args = ("--features", "age,income", "--json", "-", *ALL)
    told = json.loads(run("fit", file, "-g", "sex", "-k", 3, *args).stdout)
    frame = pd.read_csv(file)
    X = frame[["age", "income"]].astype(float)
    model = MiniReL(
        3,
        alpha=0.5,
        beta=1,
        min_share={"Female": 0.1},
        max_share=0.7,
        min_members={"Female": 5},
        exclusive=True,
        min_size=[10, 15, 1],
        max_size=[None, 30, 20],
        random_state=0,
    ).fit(((X - X.min()) / (X.max() - X.min())).to_numpy(), sensitive_features=frame["sex"])
    assert told["labels"] == model.labels_.tolist()
    assert told["request"]["min_share"] == {"Female": 0.1}
    assert told["request"]["max_share"] == 0.7
    assert told["request"]["min_members"] == {"Female": 5}
    assert told["request"]["exclusive"] is True
    assert (told["request"]["min_size"], told["request"]["max_size"]) == ([10, 15, 1], [None, 30, 20])
    audit = told["audit"]
    assert (audit["min_share"], audit["max_share"]) == ([0.1, 0.0], [0.7, 0.7])
    assert (audit["min_members"], audit["exclusive"]) == ([5, 1], True)
    assert not any(map(any, audit["below"] + audit["above"]))


def test_what_was_asked_is_printed(tmp_path: Path) -> None:
    result = run("fit", write(tmp_path), *FIT, *ALL)
    assert result.exit_code == 0, result.output
    for said in ("50%, 5 members", "10% to 70%", "at most 70%", "counts for one group only", "is kept."):
        assert said in result.stdout
    asked = next(line for line in result.stdout.splitlines() if line.startswith("size asked"))
    assert asked.split("  ")[1:] == ["at least 10", " 15 to 30", " at most 20"]
    same = run("fit", write(tmp_path), *FIT, "--max-size", 25)
    assert "Size asked of every cluster: at most 25." in same.stdout


def test_the_page_says_what_to_type_again(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run("fit", write(tmp_path), *FIT, *ALL, "--report", page).exit_code == 0
    shown = page.read_text(encoding="utf-8")
    assert "--min-share Female:0.1 --max-share 70% --min-members Female:5 --exclusive" in shown
    assert "--min-size 10,15,- --max-size -,30,20" in shown


def test_audit_of_what_fit_wrote(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert run("fit", write(tmp_path), *FIT, *ALL, "--out", out).exit_code == 0
    asked = ALL
    assert run("audit", out, "-g", "sex", *asked).exit_code == 0
    for broken, said in (
        (("--max-share", "Male:0.65"), "'Male' is more than 65% of clusters "),
        (("--min-share", "0.4"), "'Female' is less than 40% of clusters "),
        (("--min-members", "40"), "lacks 1 cluster"),
        (("--exclusive", "--beta", 2), "lacks 1 cluster"),
        (("--min-size", 30), "are too small"),
        (("--max-size", "-,9,20"), "cluster 1 is too large"),
    ):
        result = run("audit", out, "-g", "sex", *asked, *broken)
        assert result.exit_code == 1, broken
        assert said in " ".join(result.stdout.split()), result.stdout
    told = json.loads(
        run("audit", out, "-g", "sex", "--beta", 0, "--max-share", "0.65", "--json", "-").stdout
    )
    assert not told["satisfied"]
    assert any(map(any, told["above"]))


def test_groups_that_are_numbers(tmp_path: Path) -> None:
    rows = [[*row, str(9 + i % 2)] for i, row in enumerate(people())]
    rows[0][-1] = "ward"
    file = write(tmp_path, content=text(rows))
    result = run("fit", file, "-g", "ward", "-k", 3, "--min-share", "10:0.4", "--json", "-")
    assert json.loads(result.stdout)["audit"]["min_share"] == [0.0, 0.4]


IMPOSSIBLE = {
    "least share": ("--min-share", "Female:0.6"),
    "largest share": ("--max-share", "0.4"),
    "members": ("--beta", "2", "--min-members", "30"),
    "exclusive": ("-g", "region", "--alpha", "0.3", "--beta", "1", "--exclusive"),
    "smallest sizes": ("--min-size", "30,20,20"),
    "largest sizes": ("--max-size", "10,20,5"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_what_cannot_be_met_comes_with_what_can(tmp_path: Path, case: str) -> None:
    args = ("fit", write(tmp_path), *FIT, *IMPOSSIBLE[case])
    result = run(*args)
    refused(result, "this cannot be met", "The nearest request that can be met: --")
    nearest = result.stderr.strip().splitlines()[-1].split(": ", 1)[1]
    assert run(*args, *shlex.split(nearest)).exit_code == 0, nearest


REFUSED = {
    "unknown group": (("--min-share", "Fem:0.1"), "--min-share names an unknown group 'Fem'"),
    "share above 1": (("--max-share", "Male:1.5"), "--max-share for 'Male' must be a share from 0 to 1"),
    "share in words": (("--min-share", "half"), "--min-share 'half' is not a number"),
    "shares without groups": (("--min-share", "0.1,0.2"), "names no groups"),
    "bounds that cross": (
        ("--min-share", "Male:0.5", "--max-share", "Male:0.2"),
        "--min-share for 'Male' must be at most --max-share for 'Male'",
    ),
    "no members": (("--min-members", "0"), "--min-members must be a whole number of members, at least 1"),
    "half a member": (("--min-members", "Male:1.5"), "--min-members for 'Male' must be"),
    "too few sizes": (("--min-size", "10,20"), "--min-size must be a number, or 3 of them"),
    "negative size": (("--max-size", "10,-1,3"), "--max-size for cluster 1 must be a whole number"),
    "size in words": (("--min-size", "1,x,2"), "cannot be read at 'x'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(tmp_path: Path, case: str) -> None:
    args, said = REFUSED[case]
    refused(run("fit", write(tmp_path), *FIT, *args), said)


def test_sizes_by_cluster_are_told_as_they_are_typed() -> None:
    nearest = {"min_size": [3, 2.5], "max_size": 9, "max_share": {"F": 0.5}}
    assert as_options(nearest) == "--min-size 3,2.5 --max-size 9 --max-share F:0.5"
    said = Message(
        *(Parameter("min_size", value=[3, 2]), " and ", Parameter("max_size", group=1)),
        *(" to ", Value([4, 5])),
    )
    assert str(said) == "min_size=[3, 2] and max_size[1] to [4, 5]"
    assert in_options(ValueError(said)) == "--min-size 3,2 and --max-size for cluster 1 to 4,5"
