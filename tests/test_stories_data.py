"""The data of the stories: what the loaders make of it, and what they say of a wrong file."""

import os
from pathlib import Path

import numpy as np
import pytest

from minirel.datasets import load_alabama, load_billboard, load_islands
from minirel.datasets.files import Source, read_file
from minirel.points.neighbours import read_neighbours

SOURCE = Source("some.csv", 2, ("name", "people"), "a page of ours")


@pytest.fixture
def folder() -> None:
    named = os.environ.get("MINIREL_DATA")
    if not named or not (Path(named) / "alabama_precincts_2020.csv").is_file():
        pytest.skip("MINIREL_DATA names no folder with the data of the stories")


def test_alabama(folder: None) -> None:
    state = load_alabama()
    assert repr(state) == "<Alabama: 1,837 precincts, 5,024,279 people>"
    assert state.X.shape == (1_837, 2)
    assert 300 < np.ptp(state.X[:, 0]) < 350  # km
    assert state.members["black_vap"].sum() / state.members["vap"].sum() == pytest.approx(0.259, abs=1e-3)
    read_neighbours(state.neighbours, 1_837).check_one_part()


def test_billboard(folder: None) -> None:
    songs = load_billboard()
    assert repr(songs) == "<Dataset Billboard number ones: 1,175 points, 7 features>"
    assert songs.X.min() == 0
    assert songs.X.max() == 1
    assert {name: int(member.sum()) for name, member in songs.groups.items()} == {
        "women": 284,
        "Black artists": 357,
    }
    assert songs.year.min() == 1958


def test_islands(folder: None) -> None:
    votes = load_islands()
    assert repr(votes) == "<Dataset San Juan Islands: 404 points, 289 features>"
    live = {name: int(member.sum()) for name, member in votes.groups.items()}
    assert live == {"Orcas": 118, "Lopez": 57, "San Juan": 157, "Shaw": 10}
    assert set(np.unique(votes.X).tolist()) == {-1, 0, 1}
    assert np.bincount(votes.target + 1).tolist() == [49, 264, 91]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name,people\na,1\nb,2\n", ""),
        ("name,people\na,1\n", "must have 2 rows, but has 1"),
        ("name,persons\na,1\nb,2\n", "'people' is missing"),
        ("name,people\na,1\nb\n", "must have 2 cells in every row, but row 2 has 1"),
        ("name,people\na,1\nb,many\n", "must have a number in every row of 'people', but row 2 has 'many'"),
        ("name,people\na,1\nb,1.5\n", "a whole number of at least 0 in every row of 'people', but row 2"),
        ("name,people\na,1\nb,-1\n", "a whole number of at least 0 in every row of 'people', but row 2"),
        ("", "must be a CSV"),
    ],
)
def test_files_are_checked(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "some.csv").write_text(content, encoding="utf-8")
    if not said:
        assert read_file(SOURCE, tmp_path).counts("people").tolist() == [1, 2]
        return
    with pytest.raises(ValueError, match=said) as caught:
        read_file(SOURCE, tmp_path).counts("people")
    assert "put some.csv (a page of ours) into a folder" in str(caught.value)


def test_files_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIREL_DATA", str(tmp_path))
    for load in (load_alabama, load_billboard, load_islands):
        with pytest.raises(FileNotFoundError, match=r"there is no file .*MINIREL_DATA"):
            load()
    monkeypatch.delenv("MINIREL_DATA")
    with pytest.raises(FileNotFoundError, match=r"no folder is named that has alabama_precincts_2020\.csv"):
        load_alabama()
