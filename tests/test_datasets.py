"""The paper's data sets: what real files give, and what is said of files that are not as they should be."""

import os
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from functools import cache
from http.client import IncompleteRead
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from minirel import MiniReL
from minirel.datasets import Dataset, load_adult, load_default, load_iris

CREDIT = "default_of_credit_card_clients.csv"
ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
]
ADULT_HEADER = ",".join([*ADULT, "income"])
ADULT_NUMBERS = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
CLIENT = [
    *("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE"),
    *("PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6"),
    *(f"BILL_AMT{month}" for month in range(1, 7)),
    *(f"PAY_AMT{month}" for month in range(1, 7)),
]
WOMAN = "39, ?, 77516, Bachelors, 13, Divorced, Sales, Unmarried, White, Female, 2174, 0, 40, Cuba, <=50K"
MAN = "50, Private, 83311, HS-grad, 9, Divorced, Sales, Husband, Black, Male, 0, 0, 13, Peru, >50K"


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINIREL_DATA", raising=False)


@pytest.fixture(scope="module")
def real() -> Path:
    folder = os.environ.get("MINIREL_DATA")
    if not folder:
        pytest.skip("MINIREL_DATA is not set: it is to name the folder with the UCI files")
    return Path(folder)


@pytest.fixture(scope="module")
def real_adult(real: Path) -> Dataset:
    return load_adult(data_home=real)


@pytest.fixture(scope="module")
def real_default(real: Path) -> Dataset:
    return load_default(data_home=real)


@cache
def contents() -> dict[str, str]:
    """Files of UCI's form and size, of two kinds of people and any kind of client."""
    header = ",".join(["ID", *CLIENT, "default payment next month"])
    digits = [[(row + column) % 9 for column in range(19)] for row in range(9)]
    rows = [[i, 10_000 * i, 1 + i % 2, i % 7, i % 4, *digits[i % 9], i % 2] for i in range(30_000)]
    return {
        "adult.data": f"{WOMAN}\n" * 32_560 + f"{MAN}\n\n",
        "adult.test": "|1x3 Cross validator\n" + f"{WOMAN}.\n" * 16_280 + f"{MAN}.\n",
        CREDIT: "\n".join([header, *[",".join(map(str, row)) for row in rows]]),
    }


@pytest.fixture
def made(tmp_path: Path) -> Path:
    for name, text in contents().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def edit(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(change(lines)), encoding="utf-8")


def check(data: Dataset, shape: tuple[int, int]) -> None:
    assert data.X.shape == shape
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.X.min() == 0
    assert data.X.max() == 1
    assert len(data.feature_names) == len(set(data.feature_names)) == shape[1]
    assert all(type(name) is str for name in data.feature_names)
    assert data.target.shape == shape[:1]
    # Every row has one value of every category.
    for column in {name.partition("=")[0] for name in data.feature_names if "=" in name}:
        ours = [name.startswith(f"{column}=") for name in data.feature_names]
        assert (data.X[:, ours].sum(axis=1) == 1).all()
        assert np.isin(data.X[:, ours], (0, 1)).all()


def test_iris() -> None:
    iris = load_iris()
    check(iris, (150, 4))
    assert iris.name == "Iris"
    assert (iris.X.min(axis=0) == 0).all()
    assert (iris.X.max(axis=0) == 1).all()
    assert iris.feature_names == ("sepal length", "sepal width", "petal length", "petal width")
    assert isinstance(iris.groups, np.ndarray)
    assert np.unique(iris.groups, return_counts=True)[1].tolist() == [50, 50, 50]
    assert iris.groups.tolist() == iris.target.tolist()
    with pytest.raises(FrozenInstanceError):
        iris.name = "Lily"  # type: ignore[misc]


def test_iris_without_pandas(monkeypatch: pytest.MonkeyPatch, no_environment: None) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    load_iris()
    for load in (load_adult, load_default):
        with pytest.raises(ImportError, match=r"needs pandas, .*: pip install 'minirel\[pandas\]'$"):
            load()


def test_real_adult(real_adult: Dataset) -> None:
    adult = real_adult
    check(adult, (48_842, 106))
    assert isinstance(adult.groups, np.ndarray)
    values, sizes = np.unique(adult.groups, return_counts=True)
    assert dict(zip(values, sizes, strict=True)) == {"Female": 16_192, "Male": 32_650}
    assert dict(zip(*np.unique(adult.target, return_counts=True), strict=True)) == {
        "<=50K": 37_155,
        ">50K": 11_687,
    }
    assert list(adult.feature_names[:6]) == ADULT_NUMBERS
    # The first person of adult.data: 39 of ages from 17 to 90, and of the state.
    first = dict(zip(adult.feature_names, adult.X[0], strict=True))
    assert first["age"] == (39 - 17) / (90 - 17)
    assert first["workclass=State-gov"] == first["race=White"] == 1
    assert first["workclass=?"] == 0
    assert not {"sex", "income"} & {name.partition("=")[0] for name in adult.feature_names}


def test_real_adult_by_race(real: Path) -> None:
    adult = load_adult(group="race", data_home=real)
    check(adult, (48_842, 106 - 5 + 2))
    assert len(np.unique(adult.groups)) == 5  # type: ignore[arg-type]
    assert {"sex=Female", "sex=Male"} < set(adult.feature_names)
    assert not any(name.startswith("race") for name in adult.feature_names)


def test_real_adult_by_race_and_sex(real: Path) -> None:
    adult = load_adult(group=("race", "sex"), data_home=real)
    check(adult, (48_842, 106 - 5))
    assert isinstance(adult.groups, dict)
    assert list(adult.groups) == ["race", "sex"]
    some = {name: column[:300] for name, column in adult.groups.items()}
    model = MiniReL(3, random_state=0, beta={"sex=Female": 1}).fit(adult.X[:300], sensitive_features=some)
    assert model.audit_.satisfied


def test_real_default(real_default: Dataset) -> None:
    default = real_default
    check(default, (30_000, 31))
    assert isinstance(default.groups, np.ndarray)
    values, sizes = np.unique(default.groups, return_counts=True)
    assert dict(zip(values, sizes, strict=True)) == {1: 11_888, 2: 18_112}
    assert np.bincount(default.target).tolist() == [23_364, 6_636]
    assert list(default.feature_names[:20]) == [
        c for c in CLIENT if c not in ("SEX", "EDUCATION", "MARRIAGE")
    ]
    assert default.feature_names[20:22] == ("EDUCATION=0", "EDUCATION=1")


def test_openml_gives_what_the_real_files_give(
    real: Path, real_adult: Dataset, real_default: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [
        pd.read_csv(real / name, names=[*ADULT, "class"], skipinitialspace=True, comment="|", na_values="?")
        for name in ("adult.data", "adult.test")
    ]
    census = pd.concat(parts, ignore_index=True)
    census["class"] = census["class"].str.removesuffix(".")
    texts = [name for name in census if name not in ADULT_NUMBERS]
    census = census.astype(dict.fromkeys(texts, "category"))
    clients = pd.read_csv(real / CREDIT).drop(columns="ID")
    clients.columns = [*(f"x{number}" for number in range(1, 24)), "y"]
    monkeypatch.delenv("MINIREL_DATA")
    serve(monkeypatch, adult=census, default=clients.astype({"y": "category"}))
    same(load_adult(), real_adult)
    same(load_default(), real_default)


def same(ours: Dataset, theirs: Dataset) -> None:
    np.testing.assert_array_equal(ours.X, theirs.X)
    np.testing.assert_array_equal(ours.groups, theirs.groups)  # type: ignore[arg-type]
    np.testing.assert_array_equal(ours.target, theirs.target)
    assert ours.feature_names == theirs.feature_names


def serve(monkeypatch: pytest.MonkeyPatch, **frames: pd.DataFrame) -> list[Any]:
    """Have scikit-learn fetch these frames; gives the folders it was asked to keep them in."""
    folders = []

    def fetch_openml(name: str, *, version: int, as_frame: bool, data_home: Any) -> Bunch:
        assert as_frame
        key = {("adult", 2): "adult", ("default-of-credit-card-clients", 1): "default"}[name, version]
        folders.append(data_home)
        return Bunch(frame=frames[key].copy())

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    return folders


@cache
def census(n: int = 48_842) -> pd.DataFrame:
    """A frame such as OpenML's: categories, with nothing where UCI has a question mark."""
    rows = [WOMAN.split(", "), MAN.split(", ")]
    frame = pd.DataFrame([rows[i % 2] for i in range(n)], columns=[*ADULT, "class"]).replace("?", None)
    texts = [name for name in frame if name not in ADULT_NUMBERS]
    return frame.astype(dict.fromkeys(ADULT_NUMBERS, "int64") | dict.fromkeys(texts, "category"))


def clients(n: int = 30_000, kind: str = "int64") -> pd.DataFrame:
    columns = {f"x{number}": np.arange(n) % (number + 1) for number in range(1, 24)}
    frame = pd.DataFrame({**columns, "x2": 1 + np.arange(n) % 2}).astype(kind)
    return frame.assign(y=pd.Categorical([str(i % 2) for i in range(n)]))


@pytest.mark.usefixtures("no_environment")
def test_openml_adult(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folders = serve(monkeypatch, adult=census())
    adult = load_adult()
    check(adult, (48_842, 6 + 2 * 1 + 5 * 2))  # one marital status and one occupation
    assert adult.groups[:2].tolist() == ["Female", "Male"]  # type: ignore[index]
    assert adult.target[:2].tolist() == ["<=50K", ">50K"]
    assert adult.X[:2, adult.feature_names.index("workclass=?")].tolist() == [1, 0]
    load_adult(data_home=tmp_path)
    assert folders == [None, tmp_path]


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize("kind", ["int64", "float64", "category", "str"])
def test_openml_default(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    serve(monkeypatch, default=clients(kind=kind))
    default = load_default()
    check(default, (30_000, 20 + 4 + 5))
    assert default.groups[:2].tolist() == [1, 2]  # type: ignore[index]
    assert default.target[:2].tolist() == [0, 1]
    assert default.feature_names[0] == "LIMIT_BAL"
    assert default.feature_names[20] == "EDUCATION=0"


@pytest.mark.usefixtures("no_environment")
def test_openml_not_as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, adult=census(10), default=clients(10))
    with pytest.raises(
        ValueError, match=r"^OpenML's 'adult' \(version 2\) must have 48,842 rows, but has 10: "
    ):
        load_adult()
    with pytest.raises(ValueError, match=r"clients' \(version 1\) must have 30,000 rows, but has 10: "):
        load_default()
    serve(monkeypatch, adult=census().drop(columns="race"), default=clients().rename(columns={"x2": "z"}))
    with pytest.raises(ValueError, match=r"must have the columns age, .* so 'race' is missing"):
        load_adult()
    with pytest.raises(ValueError, match=r"has LIMIT_BAL, z, EDUCATION, .* so 'SEX' is missing"):
        load_default()


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize(
    "error",
    [
        URLError("no network"),
        ConnectionError("reset"),
        OSError("disk full"),
        TimeoutError("slow"),
        IncompleteRead(b"", 9),
        ValueError("md5 checksum does not match"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception) -> None:
    def fetch_openml(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    with pytest.raises(FileNotFoundError) as caught:
        load_adult()
    told = str(caught.value)
    assert told.startswith(
        "Adult cannot be loaded: no folder is named, and OpenML's 'adult' (version 2) could not"
    )
    assert f"{type(error).__name__}: {error}" in told
    assert (
        "put adult.data and adult.test of UCI's page 'Adult' (https://archive.ics.uci.edu/dataset/2/" in told
    )
    assert "MINIREL_DATA" in told
    assert caught.value.__cause__ is error
    with pytest.raises(FileNotFoundError) as caught:
        load_default(data_home=tmp_path)
    told = str(caught.value)
    assert f"{tmp_path} has no file of it" in told
    assert f"put {CREDIT} of UCI's page 'Default of Credit Card Clients' (https://" in told


def test_folders(
    made: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    folders = serve(monkeypatch, adult=census(), default=clients())
    monkeypatch.setenv("MINIREL_DATA", str(made))
    assert load_adult().X[:, 0].sum() == 2
    assert load_default().target[:2].tolist() == [0, 1]
    assert not folders
    load_adult(data_home=empty)  # named in the call, so it goes before the environment
    assert folders == [empty]
    monkeypatch.setenv("MINIREL_DATA", str(empty))
    assert load_adult(data_home=str(made)).X[:, 0].sum() == 2
    # Nothing is fetched when the environment names a folder.
    with pytest.raises(FileNotFoundError) as caught:
        load_adult()
    told = f"there is no file {empty / 'adult.data'}: put adult.data and "
    assert str(caught.value).startswith(told)
    with pytest.raises(FileNotFoundError) as caught:
        load_default()
    assert str(caught.value).startswith(f"there is no file {empty / CREDIT}: put {CREDIT} of UCI's")
    monkeypatch.setenv("MINIREL_DATA", "")
    load_default()
    assert folders == [empty, None]


def test_one_of_two_files(made: Path) -> None:
    (made / "adult.test").unlink()
    with pytest.raises(
        FileNotFoundError, match=rf"^there is no file {made}/adult.test: put adult.data and adult.t"
    ):
        load_adult(data_home=made)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda rows: rows[:-2], "must have 32,561 rows, but has 32,560: put adult.data"),
        (lambda rows: [*rows, WOMAN], "must have 32,561 rows, but has 32,562: put"),
        (
            lambda rows: [ADULT_HEADER, *rows[1:]],
            "a number in every row of 'age', but row 1 of the data has 'age'",
        ),
        (lambda rows: [*rows[:-2], MAN[:40]], "every row of 'occupation', but row 32,561 of the data has"),
        (
            lambda rows: [*rows[:-2], MAN[:-1]],
            "must have <=50K or >50K in every row of 'income', but row 32,561",
        ),
        (
            lambda rows: [*rows[:9], rows[9].replace("77516", ""), *rows[10:]],
            "'fnlwgt', but row 10 of the data has ''",
        ),
        (lambda rows: [*rows[:9], rows[9] + ", 1", *rows[10:]], "cannot be read as one .*line 10, saw 16"),
        (
            lambda rows: [row.rpartition(",")[0] for row in rows],
            "must have 15 columns, age, .*, income, but has 14",
        ),
        (lambda rows: [f"{i},{row}" for i, row in enumerate(rows)], "must have 15 columns, .*, but has 16"),
        (lambda rows: ["<html>", "404", "</html>"], "must have 15 columns, .*, but has 1: put"),
        (lambda rows: [], "cannot be read as one .No columns to parse from file.: put"),
    ],
)
def test_adult_damaged(made: Path, change: Callable[[list[str]], list[str]], told: str) -> None:
    edit(made / "adult.data", change)
    with pytest.raises(ValueError, match=told) as caught:
        load_adult(data_home=made)
    assert str(caught.value).startswith(f"{made}/adult.data must ")
    assert "https://archive.ics.uci.edu/dataset/2/adult" in str(caught.value)


def test_adult_test_damaged(made: Path) -> None:
    edit(made / "adult.test", lambda rows: rows[:100])
    with pytest.raises(ValueError, match=r"/adult.test must have 16,281 rows, but has 99: put"):
        load_adult(data_home=made)


def test_not_text(made: Path) -> None:
    (made / "adult.data").write_bytes(b"\x1f\x8b\x08\xff" * 100)
    with pytest.raises(
        ValueError, match=rf"^{made}/adult.data must be a table .*, but cannot be read as one"
    ):
        load_adult(data_home=made)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda rows: rows[:-1], "must have 30,000 rows, but has 29,999: put"),
        (lambda rows: rows[:1], "must have 30,000 rows, but has 0: put"),
        (lambda rows: rows[1:], "the columns LIMIT_BAL, .*, but has 0, 0, .* so 'LIMIT_BAL' is missing"),
        (
            lambda rows: [rows[0].replace("SEX", "GENDER"), *rows[1:]],
            "has LIMIT_BAL, GENDER, .* so 'SEX' is missing",
        ),
        (
            lambda rows: [rows[0].replace("SEX", "AGE"), *rows[1:]],
            "has LIMIT_BAL, AGE, .* so 'SEX' is missing",
        ),
        (
            lambda rows: [rows[0] + ",AGE", *[row + ",1" for row in rows[1:]]],
            "but has LIMIT_BAL, .*, AGE: put",
        ),
        (
            lambda rows: [*rows[:-1], rows[-1][:30]],
            "a number in every row of '.*', but row 30,000 of the data has",
        ),
        (
            lambda rows: [*rows[:-1], rows[-1][:-1]],
            "must have 0 or 1 in every row of 'default payment next month'",
        ),
        (
            lambda rows: [*rows[:2], rows[2].replace("10000,2,", "10000,2.5,"), *rows[3:]],
            "a whole number .* 'SEX', but row 2",
        ),
        (
            lambda rows: [rows[0], *[row + ",1" for row in rows[1:]]],
            "cannot be read as one .*in line 2, saw 26",
        ),
    ],
)
def test_default_damaged(made: Path, change: Callable[[list[str]], list[str]], told: str) -> None:
    edit(made / CREDIT, change)
    with pytest.raises(ValueError, match=told) as caught:
        load_default(data_home=made)
    assert str(caught.value).startswith(f"{made / CREDIT} must ")
    assert "https://archive.ics.uci.edu/dataset/350/" in str(caught.value)


def test_columns_in_another_order(made: Path) -> None:
    before = load_default(data_home=made)
    edit(made / CREDIT, lambda rows: [",".join(row.split(",")[::-1]) for row in rows])
    same(load_default(data_home=made), before)


@pytest.mark.parametrize(
    "group", ["gender", "age", "income", (), ("sex", "sex"), ("sex", "age"), ["race", 3]]
)
def test_no_such_group(group: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^group must be one or several, each once, of 'workclass', .*, but is "
    ):
        load_adult(group=group)
