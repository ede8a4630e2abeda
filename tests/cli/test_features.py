"""Features: the same numbers and clusters sparse and as a table, and sparse where categories are many."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from cli.people import run, text, write
from minirel import MiniReL
from minirel.cli import features
from minirel.cli.cells import Cells
from minirel.cli.features import prepare
from minirel.cli.messages import UserError

N_ROWS, N_TOWNS = 240, 30


def towns() -> str:
    """People with an age and a town, of which there are many; one in eight ages is missing."""
    random = np.random.default_rng(3)
    rows = [["age", "income", "town", "sex"]]
    for i in range(N_ROWS):
        place = i % 3
        age = "" if i % 8 == 5 else str(20 + 15 * place + random.integers(12))
        town = min(i // 2 % N_TOWNS, N_TOWNS - 1) if i < 60 else 10 * place + random.integers(10)
        sex = "Female" if random.random() < 0.3 + 0.1 * place else "Male"
        rows.append([age, f"{random.normal(place):.4f}", f"town {town}", sex])
    return text(rows)


def cells(name: str, codes: list[int], values: list[float] | None = None) -> Cells:
    texts = [str(value) for value in values or range(max(codes) + 1)]
    return Cells(name, np.array(codes, dtype=np.intp), texts, None if values is None else np.array(values))


COLUMNS = [
    cells("category", [0, 5, 1, -1, 2, 3, 4, 5]),
    cells("number", [0, 1, 2, 2, -1, 0, 0, 0], [0.0, 3.0, 12.0]),
    cells("last", [6, 5, 4, 3, 2, 1, 0, 6]),
    cells("far apart", [0, 1, 0, 0, 0, 1, 2, 0], [-1.7e308, 1.7e308, 0.0]),
]


def both(monkeypatch: pytest.MonkeyPatch, columns: list[Cells], policy: str) -> tuple[Any, Any]:
    monkeypatch.setattr(features, "_SPARSE_FROM", 1)
    as_table, as_sparse = (lambda: "change it"), str
    return tuple(prepare(columns, policy, to_be_sparse=each).X for each in (as_table, as_sparse))


@pytest.mark.parametrize("policy", ["mean", "category"])
def test_a_sparse_matrix_holds_the_numbers_of_the_table(monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    table, sparse = both(monkeypatch, COLUMNS, policy)
    assert isinstance(table, np.ndarray)
    assert isinstance(sparse, csr_array)
    np.testing.assert_array_equal(sparse.toarray(), table)
    assert sparse.nnz == np.count_nonzero(table)
    assert sparse.has_canonical_format
    assert (sparse.dtype, sparse.indices.dtype, sparse.indptr.dtype) == (np.float64, np.int32, np.int32)
    n_categories, n_numbers = 7, 2 if policy == "category" else 1
    np.testing.assert_array_equal(table[:, :n_categories].sum(axis=1), 1)
    number = np.array([0, 0.25, 1, 1, np.nan, 0, 0, 0])
    number[4] = np.nanmean(number)
    np.testing.assert_allclose(table[:, n_categories], number)
    assert table.shape[1] == n_categories + n_numbers + 7 + 1
    np.testing.assert_array_equal(table[:, -1], [0, 1, 0, 0, 0, 1, 0.5, 0])


def test_sparse_where_one_in_five_numbers_is_not_zero() -> None:
    def form(n_categories: int, *others: Cells) -> bool:
        column = cells("category", [i % n_categories for i in range(20)])
        return issparse(prepare([column, *others], None, to_be_sparse=str).X)

    number = cells("number", [i % 2 for i in range(20)], [0.0, 1.0])
    assert not form(4)
    assert form(5)
    assert not form(8, number)
    assert form(9, number)


@pytest.mark.parametrize("missing", ["mean", "category", "drop"])
def test_the_clusters_are_the_same_in_either_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    file = write(tmp_path, content=towns())
    results = {}
    for form, least in (("sparse", 1), ("dense", 10**9)):
        monkeypatch.setattr(features, "_SPARSE_FROM", least)
        out, told = tmp_path / f"{form}.csv", tmp_path / f"{form}.json"
        args = ("fit", file, "-g", "sex", "-k", 3, "--missing", missing, "--out", out, "--json", told)
        assert run(*args).exit_code == 0
        results[form] = out.read_bytes(), json.loads(told.read_text())
    (sparse_out, sparse), (dense_out, dense) = results["sparse"], results["dense"]
    assert sparse_out == dense_out
    assert sparse["features"] == dense["features"]
    assert sparse["cost"] == pytest.approx(dense["cost"], rel=1e-9)
    np.testing.assert_allclose(sparse["centers"], dense["centers"], rtol=1e-9, atol=1e-12)


@pytest.fixture
def fitted_to(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The points that the estimator is fitted to, one after the other."""
    given: list[Any] = []
    fit = MiniReL.fit

    def recorded(self: MiniReL, X: Any, *args: Any, **options: Any) -> MiniReL:
        given.append(X)
        return fit(self, X, *args, **options)

    monkeypatch.setattr(MiniReL, "fit", recorded)
    return given


def test_many_categories_are_never_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fitted_to: list[Any]
) -> None:
    """Neither are they made one for the fit, nor behind it for the page and the other files."""
    largest = 0
    to_table = csr_array.toarray

    def counted(self: csr_array, *args: Any, **options: Any) -> Any:
        nonlocal largest
        largest = max(largest, self.shape[0] * self.shape[1])
        return to_table(self, *args, **options)

    # Small data is looked at as a whole, for distinct points, and blocks may be larger than all of it.
    for name in ("clustering.initialise", "clustering.recentring", "outcome.plane"):
        monkeypatch.setattr(f"minirel.{name}._MOST_VALUES", 200)
    monkeypatch.setattr("minirel.clustering.objectives.BLOCK", 32)
    monkeypatch.setattr(csr_array, "toarray", counted)
    out, told, page = (tmp_path / name for name in ("out.csv", "fit.json", "page.html"))
    args = ("--drop", "age", "-k", 3, "--out", out, "--json", told, "--report", page)
    assert run("fit", write(tmp_path, content=towns()), "-g", "sex", *args).exit_code == 0
    assert [type(X) for X in fitted_to] == [csr_array]
    assert fitted_to[0].shape == (N_ROWS, 1 + N_TOWNS)
    assert 0 < largest < N_ROWS * (1 + N_TOWNS) / 4
    assert "one more cluster" in page.read_text(encoding="utf-8")


def test_few_categories_and_k_medians_are_a_table(tmp_path: Path, fitted_to: list[Any]) -> None:
    assert run("fit", write(tmp_path), "-g", "sex", "-k", 3).exit_code == 0
    wide = write(tmp_path, "wide.csv", towns())
    options = ("-g", "sex", "-k", 3, "--drop", "age")
    assert run("fit", wide, *options, "--objective", "k-medians").exit_code == 0
    assert run("fit", wide, *options).exit_code == 0
    assert [issparse(X) for X in fitted_to] == [False, False, True]


def test_too_many_numbers_for_a_table_fit_in_a_sparse_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [cells("town", [i % 30 for i in range(60)])]
    monkeypatch.setattr(features, "_MOST_NUMBERS", 100)
    assert prepare(columns, None, to_be_sparse=str).X.nnz == 60
    with pytest.raises(UserError, match=r"60 rows of 30 .*30 categories.*--drop 'town', or change it$"):
        prepare(columns, None, to_be_sparse=lambda: "change it")
    monkeypatch.setattr(features, "_MOST_NUMBERS", 59)
    with pytest.raises(UserError, match=r"too many.*--drop 'town'$"):
        prepare(columns, None, to_be_sparse=str)
    numbers = [cells("age", list(range(60)), [float(i) for i in range(60)])]
    with pytest.raises(UserError, match=r"60 rows of 1 features are too many: use fewer rows"):
        prepare(numbers, None, to_be_sparse=str)


@pytest.mark.parametrize("to_be_sparse", ["change it", ""])
def test_centers_of_a_large_file_can_have_so_many_features(
    monkeypatch: pytest.MonkeyPatch, to_be_sparse: str
) -> None:
    columns = [cells("town", list(range(30)))]
    monkeypatch.setattr(features, "MOST_FEATURES", 29)
    assert prepare(columns, None, to_be_sparse=lambda: to_be_sparse).X.shape == (30, 30)
    monkeypatch.setattr(features, "_MOST_NUMBERS", 899)
    with pytest.raises(UserError, match=r"30 features are too many: .* 30 categories.*--drop 'town'$"):
        prepare(columns, None, to_be_sparse=lambda: to_be_sparse)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_out_is_written_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    import pandas as pd

    file = tmp_path / f"people.{form}"
    write(tmp_path, "people.csv", towns())
    frame = pd.read_csv(tmp_path / "people.csv")
    if form == "parquet":
        frame.to_parquet(file)
    whole, pieces = tmp_path / f"whole.{form}", tmp_path / f"pieces.{form}"
    options = ("-g", "sex", "-k", 3, "--missing", "drop")
    assert run("fit", file, *options, "--out", whole).exit_code == 0
    monkeypatch.setattr("minirel.cli.with_clusters._ROWS", 7)
    assert run("fit", file, *options, "--out", pieces).exit_code == 0
    assert pieces.read_bytes() == whole.read_bytes()
    read = pd.read_csv if form == "csv" else pd.read_parquet
    after = read(pieces)
    pd.testing.assert_frame_equal(after.drop(columns="cluster"), frame)
    assert (after["cluster"].isna() == frame["age"].isna()).all()
