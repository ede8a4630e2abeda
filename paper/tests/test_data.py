"""The source of data sets: what it says is missing, what it draws, and that it fetches only if told to."""

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets

from minirel.datasets import load_iris
from paper import data
from paper.data import ADULT, ADULT_BY_RACE, DEFAULT, IRIS, LARGE, DataSource

CREDIT = "default_of_credit_card_clients.csv"
FILES = {ADULT: ["adult.data", "adult.test"], DEFAULT: [CREDIT], ADULT_BY_RACE: ["adult.data", "adult.test"]}


@pytest.fixture(autouse=True)
def asked_of_openml(monkeypatch, request):
    """What was asked of OpenML, which answers nothing; and no folder is named."""
    asked = []

    def fetch_openml(name, **_):
        asked.append(name)
        raise ConnectionError("there is no network here")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    if "real" not in request.fixturenames:
        monkeypatch.delenv("MINIREL_DATA", raising=False)
    return asked


@pytest.fixture
def real():
    folder = os.environ.get("MINIREL_DATA")
    if not folder:
        pytest.skip("MINIREL_DATA is not set: it is to name the folder with the UCI files")
    return Path(folder)


def touch(folder, *names):
    for name in names:
        (folder / name).touch()
    return folder


def test_every_name_can_be_asked_for():
    assert data._LOADERS.keys() == {IRIS, *LARGE, ADULT_BY_RACE}
    assert data._FILES.keys() == FILES.keys()
    assert DataSource().missing(IRIS) is None


@pytest.mark.parametrize("name", FILES)
def test_what_is_missing_and_where_it_goes(name, tmp_path, monkeypatch):
    way_out = (
        f"name a folder with {' and '.join(FILES[name])} (UCI) in MINIREL_DATA or --data-home, or say --fetch"
    )
    assert DataSource().missing(name) == f"no folder with its files is named: {way_out}"
    assert DataSource(tmp_path).missing(name) == f"there is no {FILES[name][0]} in {tmp_path}: {way_out}"
    monkeypatch.setenv("MINIREL_DATA", str(tmp_path))
    assert DataSource().missing(name) == f"there is no {FILES[name][0]} in {tmp_path}: {way_out}"
    assert DataSource(fetch=True).missing(name) is None
    touch(tmp_path, *FILES[name])
    assert DataSource().missing(name) is None
    monkeypatch.delenv("MINIREL_DATA")
    assert DataSource(tmp_path).missing(name) is None


@pytest.mark.parametrize("name", [ADULT, ADULT_BY_RACE])
def test_one_of_two_files(name, tmp_path):
    touch(tmp_path, "adult.data")
    assert f"there is no adult.test in {tmp_path}" in DataSource(tmp_path).missing(name)
    # The loader fetches only where no file is.
    assert f"there is no adult.test in {tmp_path}" in DataSource(tmp_path, fetch=True).missing(name)


def test_the_folder_named_goes_before_the_environment(tmp_path, monkeypatch):
    (tmp_path / "full").mkdir()
    touch(tmp_path / "full", CREDIT)
    monkeypatch.setenv("MINIREL_DATA", str(tmp_path / "full"))
    assert "default" in DataSource(tmp_path).missing(DEFAULT)
    monkeypatch.setenv("MINIREL_DATA", str(tmp_path))
    assert DataSource(tmp_path / "full").missing(DEFAULT) is None


def test_a_home_folder(tmp_path, monkeypatch):
    """A shell leaves the tilde of --data-home=~/data as it is."""
    touch(tmp_path, CREDIT)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert DataSource(Path("~")).missing(DEFAULT) is None
    monkeypatch.setenv("MINIREL_DATA", "~")
    assert DataSource().missing(DEFAULT) is None


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("named", ["nowhere", "in the call", "in the environment"])
def test_nothing_is_fetched_unless_it_may_be(name, named, tmp_path, monkeypatch, asked_of_openml):
    if named == "in the environment":
        monkeypatch.setenv("MINIREL_DATA", str(tmp_path))
    folder = tmp_path if named == "in the call" else None
    source = DataSource(folder)
    for load in (source.load, source.fingerprint, lambda name: source.load(name, 10)):
        with pytest.raises(FileNotFoundError, match="MINIREL_DATA"):
            load(name)
    assert not asked_of_openml
    with pytest.raises(FileNotFoundError, match="could not be fetched"):
        DataSource(folder, fetch=True).load(name)
    assert len(asked_of_openml) == 1
    assert not list(tmp_path.iterdir())


def told(dataset):
    """Every point with all that is said of it; iris has twins."""
    return Counter(zip(map(tuple, dataset.X), dataset.groups, dataset.target, strict=True))


@pytest.mark.parametrize("size", [1, 60, 149])
def test_samples(size):
    drawn, again = (DataSource().load(IRIS, size) for _ in range(2))
    whole = DataSource().load(IRIS)
    np.testing.assert_array_equal(drawn.X, again.X)
    np.testing.assert_array_equal(drawn.groups, again.groups)
    assert drawn.X.shape == (size, 4)
    assert told(drawn) <= told(whole)
    assert drawn.feature_names == whole.feature_names
    # Its points come in their order, so that a sample of a fixed file is one thing.
    assert list(drawn.groups) == sorted(drawn.groups)


def test_samples_are_random_and_at_most_all():
    assert len(set(DataSource().load(IRIS, 60).groups)) == 3
    for size in (150, 2_000):
        assert told(DataSource().load(IRIS, size)) == told(load_iris())


def test_a_data_set_is_loaded_once(monkeypatch):
    loads = []
    monkeypatch.setitem(data._LOADERS, IRIS, lambda folder: loads.append(folder) or load_iris())
    source = DataSource()
    assert source.load(IRIS) is source.load(IRIS)
    assert source.load(IRIS, 9) is source.load(IRIS, 9)
    source.fingerprint(IRIS)
    assert len(loads) == 1
    assert DataSource().load(IRIS) is not source.load(IRIS)


def test_fingerprints(monkeypatch):
    iris = load_iris()
    moved = iris.X.copy()
    moved[-1, -1] = np.nextafter(moved[-1, -1], 2)
    others = {
        "as it is": iris,
        "points in another order": replace(iris, X=iris.X[::-1]),
        "all in another order": replace(iris, X=iris.X[::-1], groups=iris.groups[::-1]),
        "other groups": replace(iris, groups=iris.groups[::-1]),
        "a point moved": replace(iris, X=moved),
    }
    found = {DataSource().fingerprint(IRIS), DataSource().fingerprint(IRIS)}
    assert len(found) == 1
    for other in others.values():
        monkeypatch.setitem(data._LOADERS, IRIS, lambda folder, other=other: other)
        found.add(DataSource().fingerprint(IRIS))
    assert len(found) == len(others)
    assert all(len(mark) == 16 for mark in found)


def test_names_of_groups(monkeypatch, tmp_path):
    touch(tmp_path, *FILES[DEFAULT], *FILES[ADULT])
    codes = replace(load_iris(), groups=np.array([1, 2, 2] * 50, dtype=object))
    races = replace(load_iris(), groups=np.array(["Black", "White", "Other"] * 50, dtype=object))
    monkeypatch.setattr(data, "load_default", lambda data_home: codes)
    monkeypatch.setattr(data, "load_adult", lambda group, data_home: {"race": races}[group])
    source = DataSource(tmp_path)
    assert list(source.load(DEFAULT).groups) == ["Male", "Female", "Female"] * 50
    assert list(source.load(ADULT_BY_RACE).groups) == ["non-white", "white", "non-white"] * 50


def test_real_files(real, asked_of_openml):
    source = DataSource(real)
    sizes = {name: Counter(source.load(name).groups) for name in FILES}
    assert sizes == {
        ADULT: {"Female": 16_192, "Male": 32_650},
        DEFAULT: {"Male": 11_888, "Female": 18_112},
        ADULT_BY_RACE: {"white": 41_762, "non-white": 7_080},
    }
    assert not any(name.startswith("race") for name in source.load(ADULT_BY_RACE).feature_names)
    drawn = source.load(ADULT, 2_000)
    assert len(drawn.X) == len(drawn.groups) == len(drawn.target) == 2_000
    assert not asked_of_openml
