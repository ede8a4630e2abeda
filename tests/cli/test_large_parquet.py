"""A large Parquet file, read in batches, gives what the same file gives when it is read at once."""

import errno
import io
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.people import run
from minirel.cli import large_parquet, large_points
from minirel.cli.points import Points, read_points
from minirel.cli.reading import read_reading
from minirel.cli.roles import Who
from minirel.cli.table import read_table

N = 700


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_parquet, "LARGE", 1)
    monkeypatch.setattr(large_parquet, "BATCH", 64)


def frame(*, holes: bool = False) -> pd.DataFrame:
    random = np.random.default_rng(3)
    place = random.integers(0, 3, N)
    table = pd.DataFrame(
        {
            "number": np.arange(N) + 17,
            "x": 3.0 * place + random.normal(size=N),
            "y": random.integers(-5, 40, N),
            "digits": random.integers(0, 9, N).astype(str),
            "job": random.choice(["cook", " smith ", "clerk"], N),
            "old": random.random(N) < 0.3,
            "same": "one",
            "sex": np.where(random.random(N) < 0.4 + 0.1 * (place == 0), "F", "M"),
            "weight": random.integers(1, 4, N),
            "house": random.integers(0, 300, N),
        }
    )
    if holes:
        table.loc[random.random(N) < 0.1, "x"] = np.nan
        table.loc[random.random(N) < 0.1, "job"] = None
        table.loc[random.random(N) < 0.05, "sex"] = "n/a"
        table.loc[random.random(N) < 0.1, "digits"] = "?"
        table["nothing"] = pd.Series([None] * N, dtype="object")
    return table


def write(folder: Path, table: pd.DataFrame) -> Path:
    path = folder / "people.parquet"
    table.to_parquet(path, row_group_size=150)
    return path


def both(
    path: Path,
    policy: str | None,
    weight: str | None = None,
    together: str | None = None,
    key: str | None = None,
) -> tuple[Points, Points]:
    large = large_parquet.large_table(str(path))
    assert large is not None
    arguments = Who(["sex"], [], None, weight, together, key), [], [], policy
    reading = read_reading(read_table(str(path), None), [], [])
    options = {"to_be_sparse": lambda: ""}
    return (
        read_points(reading, *arguments, **options),
        large_points.read_large_points(large, *arguments, **options, count=lambda done, total: None),
    )


@pytest.mark.parametrize("policy", [None, "drop", "mean", "category"])
@pytest.mark.parametrize("in_memory", [True, False])
def test_points_are_those_of_the_file_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str | None, in_memory: bool
) -> None:
    if not in_memory:
        monkeypatch.setattr(large_points, "_IN_MEMORY", 0)
    small, large = both(write(tmp_path, frame(holes=policy is not None)), policy, "weight", "house")
    assert isinstance(large.features.X, np.memmap) is not in_memory
    assert large.features.X.dtype == np.float32
    np.testing.assert_allclose(large.features.X, small.features.X, atol=1e-6)
    assert large.features.names == small.features.names
    assert large.uses == small.uses
    assert large.groups.names == small.groups.names
    np.testing.assert_array_equal(large.groups.signature, small.groups.signature)
    np.testing.assert_array_equal(large.rows, small.rows)
    assert large.weights is not None
    assert small.weights is not None
    np.testing.assert_array_equal(large.weights, small.weights)
    assert large.together is not None
    assert small.together is not None
    of_house = [np.array(each.distinct)[each.numbers] for each in (large.together, small.together)]
    np.testing.assert_array_equal(*of_house)
    row = int(np.flatnonzero(large.rows)[5])
    assert (large.row_names[5], list(large.row_names[5:6])) == (f"row {row + 1}", [f"row {row + 1}"])


def test_many_categories_are_a_sparse_matrix(tmp_path: Path) -> None:
    table = frame()
    table["town"] = [f"town {i % 90}" for i in range(N)]
    small, large = both(write(tmp_path, table), None)
    assert not isinstance(large.features.X, np.ndarray)
    assert not isinstance(small.features.X, np.ndarray)
    np.testing.assert_allclose(large.features.X.toarray(), small.features.X.toarray(), atol=1e-6)


def test_missing_cells_are_refused_in_the_same_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, frame(holes=True))
    in_batches = run("fit", path, "-g", "sex", "-k", 3)
    monkeypatch.setattr(large_parquet, "LARGE", 10**9)
    at_once = run("fit", path, "-g", "sex", "-k", 3)
    assert in_batches.exit_code == at_once.exit_code == 2
    told = [said.stderr[said.stderr.index("error:") :] for said in (in_batches, at_once)]
    assert told[0] == told[1]


def test_from_file_to_file(tmp_path: Path) -> None:
    path, out, result = write(tmp_path, frame(holes=True)), tmp_path / "out.parquet", tmp_path / "r.json"
    page = tmp_path / "page.html"
    called = run(
        *("fit", path, "-g", "sex", "-k", 4, "--weight", "weight", "--missing", "drop"),
        *("--together", "house"),
        *("--out", out, "--json", result, "--report", page),
    )
    assert called.exit_code == 0, called.output
    assert f"read {N} rows" in called.stderr
    before, after = pd.read_parquet(path), pd.read_parquet(out)
    pd.testing.assert_frame_equal(after.drop(columns="cluster"), before)
    labels = json.loads(result.read_text())["labels"]
    assert [None if pd.isna(label) else int(label) for label in after["cluster"]] == labels
    assert after["cluster"].isna().any()
    assert "row " in page.read_text()


@pytest.mark.parametrize("policy", [None, "drop"])
def test_rows_are_called_by_their_names(tmp_path: Path, policy: str | None) -> None:
    table = frame(holes=policy is not None).assign(name=[f" Zoë {i} " for i in range(N)])
    path, page = write(tmp_path, table), tmp_path / "page.html"
    small, large = both(path, policy, key="name")
    assert list(large.row_names) == list(small.row_names)
    assert large.row_names[-1].startswith("Zoë 6")
    called = run("fit", path, "-g", "sex", "-k", 3, "--missing", "drop", "--id", "name", "--report", page)
    assert called.exit_code == 0, called.output
    assert "Zoë " in page.read_text(encoding="utf-8")
    table.loc[N - 1, "name"] = None
    large = large_parquet.large_table(str(write(tmp_path, table)))
    assert large is not None
    assert large.text("name", N - 1) == ""


def test_a_column_of_too_many_texts_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minirel.cli.large_column._MOST_TEXTS", 50)
    table = frame()
    table["town"] = [f"town {i % 90}" for i in range(N)]
    refused = run("fit", write(tmp_path, table), "-g", "sex", "-k", 3)
    assert refused.exit_code == 2
    assert "'town' has more than 50 different texts" in refused.stderr


def test_weights_must_be_numbers(tmp_path: Path) -> None:
    refused = run("fit", write(tmp_path, frame()), "-g", "sex", "-k", 3, "--weight", "job")
    assert refused.exit_code == 2
    assert "--weight 'job' must hold numbers" in refused.stderr


def test_a_damaged_file_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path, out = write(tmp_path, frame()), tmp_path / "out.parquet"
    raw = bytearray(path.read_bytes())
    metadata = pq.read_metadata(io.BytesIO(bytes(raw)))
    start = metadata.row_group(3).column(1).data_page_offset
    raw[start : start + 200] = bytes(200)
    path.write_bytes(raw)
    refused = run("fit", path, "-g", "sex", "-k", 3, "--out", out)
    assert refused.exit_code == 2
    assert "cannot be read as Parquet" in refused.stderr
    assert list(tmp_path.iterdir()) == [path]
    path.write_bytes(raw[: len(raw) // 2])  # cut off
    refused = run("fit", path, "-g", "sex", "-k", 3, "--out", out)
    assert refused.exit_code == 2
    assert "cannot be read as Parquet" in refused.stderr


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.RawIOBase):
        def __init__(self, **options: object) -> None:
            super().__init__()

        def write(self, piece: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(large_points, "_IN_MEMORY", 0)
    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    path = write(tmp_path, frame())
    refused = run("fit", path, "-g", "sex", "-k", 3, "--out", tmp_path / "out.parquet")
    assert refused.exit_code == 2
    said = (
        f"temporary folder {tempfile.gettempdir()}: No space left on device; no file was changed: set TMPDIR"
    )
    assert said in refused.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_a_temporary_folder_that_is_too_small_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_points, "_IN_MEMORY", 0)
    usage = shutil.disk_usage(tempfile.gettempdir())
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=10))
    path = write(tmp_path, frame())
    refused = run("fit", path, "-g", "sex", "-k", 3, "--out", tmp_path / "out.parquet")
    assert refused.exit_code == 2
    assert f"temporary folder {tempfile.gettempdir()}: " in refused.stderr
    assert "0.0 GB are free; no file was changed: set TMPDIR" in refused.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_members_and_totals_and_words_for_missing(tmp_path: Path) -> None:
    table = frame()
    table["adults"] = table["weight"] * 10
    table["women"] = table["weight"] * np.where(table["sex"] == "F", 7, 3)
    table.loc[5:9, "y"] = -99
    path, result = write(tmp_path, table), tmp_path / "r.json"
    called = run(
        *("fit", path, "--members", "women", "--total", "adults", "-k", 4, "--beta", 2, "--alpha", 0.5),
        *("--na", "-99", "--missing", "drop", "--json", result),
    )
    assert called.exit_code == 0, called.output
    found = json.loads(result.read_text())
    assert [row for row, label in enumerate(found["labels"]) if label is None] == [5, 6, 7, 8, 9]
    labels = np.array([-1 if label is None else label for label in found["labels"]])
    for k in range(4):
        women, adults = (int(table.loc[labels == k, name].sum()) for name in ("women", "adults"))
        assert found["audit"]["represented"][0][k] == (2 * women >= adults)
    assert sum(found["audit"]["represented"][0]) >= 2


def test_cells_of_several_values_are_refused(tmp_path: Path) -> None:
    refused = run("fit", write(tmp_path, frame()), "-g", "sex", "-k", 3, "--split", "job")
    assert refused.exit_code == 2
    assert "--split is not for files as large as this one" in refused.stderr


def test_infinite_numbers_are_refused(tmp_path: Path) -> None:
    table = frame()
    table.loc[N - 1, "x"] = np.inf
    refused = run("fit", write(tmp_path, table), "-g", "sex", "-k", 3)
    assert refused.exit_code == 2
    assert "'x' holds 'inf'" in refused.stderr


def test_small_files_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_parquet, "LARGE", 10**6)
    assert large_parquet.large_table(str(write(tmp_path, frame()))) is None
    assert large_parquet.large_table(str(tmp_path / "none.parquet")) is None


def test_large_is_what_the_cells_take_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = tmp_path / "few.parquet", tmp_path / "many.parquet"
    for path, n in ((few, 62_499), (many, 62_500)):
        jobs = pa.array(np.resize(["cook", "clerk"], n))
        pq.write_table(pa.table({"job": jobs, "zero": np.zeros(n)}), path)  # packed to a few bytes
        assert path.stat().st_size < 10**4
    monkeypatch.setattr(large_parquet, "LARGE", 10**6)
    assert large_parquet.large_table(str(few)) is None
    assert large_parquet.large_table(str(many)) is not None


def test_numbers_as_people_write_them_are_told(tmp_path: Path) -> None:
    table = frame().assign(pay=[f"{40 - i % 30},{i % 10}" for i in range(N)])
    call = ("fit", write(tmp_path, table), "-g", "sex", "-k", 3, "--beta", 0)
    said = "but looks like numbers ('40,0' is 40.0): write 40.0, or leave it out with --drop 'pay'"
    assert f"column 'pay' is read as 30 categories, {said}" in run(*call).stderr
    result = run(*call, "--weight", "pay")
    assert result.exit_code == 2
    assert "--weight 'pay' must hold numbers, but holds '40,0': it looks like numbers" in result.stderr


def test_an_empty_column_of_groups(tmp_path: Path) -> None:
    file = write(tmp_path, frame(holes=True))
    said = "column 'nothing' is empty: every cell of it is missing; name another column"
    assert said in run("fit", file, "-g", "nothing", "-k", 3, "--missing", "mean").stderr
