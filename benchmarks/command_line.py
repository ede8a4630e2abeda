"""`minirel fit`: Adult against reading it and k-means, many categories against a sparse fit in Python."""

import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from typer.testing import CliRunner

from data import ADULT_COLUMNS, folder
from measure import REPEATS, Child, header, row, run_child, run_parts, side_by_side
from minirel import MiniReL
from minirel.cli.app import app


def adult() -> None:
    """Adult, 48,842 rows, K=10, groups by sex."""
    with tempfile.TemporaryDirectory() as place:
        file, out, page = (str(Path(place, name)) for name in ("adult.csv", "out.csv", "page.html"))
        parts = [
            pd.read_csv(folder() / name, names=ADULT_COLUMNS, skipinitialspace=True, skiprows=skip)
            for name, skip in (("adult.data", 0), ("adult.test", 1))
        ]
        pd.concat(parts).to_csv(file, index=False)
        command = ["fit", file, "--group", "sex", "--drop", "income", "-k", "10", "--quiet"]
        (plain, _), (fit, _), (report, _) = side_by_side(
            lambda: _read_and_cluster(file),
            lambda: CliRunner().invoke(app, [*command, "--out", out], catch_exceptions=False),
            lambda: CliRunner().invoke(app, [*command, "--report", page], catch_exceptions=False),
        )
        header("what", "seconds", "ratio")
        row("read_csv, scale, one-hot, KMeans(n_init=1)", f"{plain:.2f}", "")
        row("`minirel fit --out`", f"{fit:.2f}", f"{fit / plain:.2f}")
        row("`minirel fit --report`", f"{report:.2f}", f"{report / plain:.2f}")
        row("size of the report", f"{Path(page).stat().st_size / 1024:.0f} KB", "")


def _read_and_cluster(file: str) -> None:
    frame = pd.read_csv(file).drop(columns=["sex", "income"])
    numbers = frame.select_dtypes("number")
    scaled = (numbers - numbers.min()) / (numbers.max() - numbers.min())
    one_hot = pd.get_dummies(frame.drop(columns=numbers.columns), dtype=float)
    KMeans(10, n_init=1, random_state=0).fit(np.hstack([scaled, one_hot]))


def categories() -> None:
    """100,000 rows, 2,500 category values, K=10, two groups; in one process, and each in one of its own."""
    with tempfile.TemporaryDirectory() as place:
        file = str(Path(place, "records.csv"))
        many_categories(100_000).to_csv(file, index=False)
        fit = ["fit", file, "--group", "sex", "-k", "10", "--quiet"]
        names = {"--out": "out.csv", "--json": "fit.json", "--report": "page.html"}
        options = [[], *([option, str(Path(place, name))] for option, name in names.items())]
        X, groups = _coded(file)
        seconds = side_by_side(
            lambda: MiniReL(10, random_state=0).fit(X, sensitive_features=groups),
            lambda: _in_python(file),
            *(partial(CliRunner().invoke, app, [*fit, *more], catch_exceptions=False) for more in options),
        )
        children: list[list[Child]] = [[] for _ in range(1 + len(options))]
        for _ in range(REPEATS):
            children[0].append(run_child([sys.executable, __file__, "_in_python", file]))
            for runs, more in zip(children[1:], options, strict=True):
                runs.append(run_child([sys.executable, "-m", "minirel", *fit, *more]))
        header("what", "seconds", "ratio", "seconds of its own process", "its peak memory, MB")
        alone = seconds[0][0]
        row("MiniReL on the sparse matrix", f"{alone:.2f}", "1.00", "", "")
        said = [
            "read_csv, OneHotEncoder, that fit",
            *(f"`{' '.join(['minirel fit', *more[:1]])}`" for more in options),
        ]
        for name, (took, _), runs in zip(said, seconds[1:], children, strict=True):
            whole, peak = (statistics.median(part) for part in zip(*runs, strict=True))
            row(name, f"{took:.2f}", f"{took / alone:.2f}", f"{whole:.1f}", f"{peak:.0f}")


def many_categories(n: int) -> pd.DataFrame:
    """Records of 12 kinds: 7 numbers, and 9 columns of 2,500 values in all, a few frequent and most rare."""
    random = np.random.default_rng(0)
    kind = random.integers(12, size=n)
    columns: dict[str, object] = {
        "record": [f"r{i:06d}" for i in range(n)],
        "sex": np.where(random.random(n) < 0.35 + 0.02 * kind, "Female", "Male"),
    }
    for j in range(7):
        columns[f"number_{j}"] = random.poisson(random.uniform(1, 40, size=12)[kind])
    for j, n_values in enumerate((780, 740, 710, 120, 72, 38, 20, 12, 8)):
        shares = 1 / np.arange(1, n_values + 1) ** 1.1
        rank = np.concatenate(
            [np.arange(n_values), random.choice(n_values, n - n_values, p=shares / shares.sum())]
        )
        shift = random.integers(min(n_values, 6), size=12)[kind]
        columns[f"category_{j}"] = [f"v{v}" for v in (random.permutation(rank) + shift) % n_values]
    return pd.DataFrame(columns)


def large() -> None:
    """A Parquet file of 20,000,000 rows, two columns of categories, one of groups; 8 GB of address space."""
    with tempfile.TemporaryDirectory() as place:
        file, out = str(Path(place, "large.parquet")), str(Path(place, "out.parquet"))
        write_large(file, 20_000_000)
        command = [sys.executable, "-m", "minirel", "fit", file, "-g", "sex", "-k", "10", "--out", out, "-q"]
        took = run_child(["bash", "-c", 'ulimit -v 8388608; exec "$@"', "bash", *command])
        header("rows", "size of the file, MB", "seconds", "peak memory, MB")
        size = Path(file).stat().st_size / 2**20
        row(f"{20_000_000:,}", f"{size:.0f}", f"{took.seconds:.0f}", f"{took.megabytes:.0f}")


def write_large(file: str, n: int, step: int = 1_000_000) -> None:
    """Six kinds of rows: an identifier, three numbers, two columns of categories, two groups."""
    random, writer = np.random.default_rng(0), None
    for first in range(0, n, step):
        m = min(step, n - first)
        kind = random.integers(0, 6, m)
        table = pa.table(
            {
                "id": np.arange(first, first + m),
                "x": (2 * kind + random.normal(size=m)).astype(np.float32),
                "y": (kind % 3 * 3 + random.normal(size=m)).astype(np.float32),
                "z": random.normal(size=m).astype(np.float32),
                "job": np.array(["nurse", "clerk", "cook", "driver"])[random.integers(0, 4, m)],
                "area": np.array(["north", "south", "east", "west", "city"])[
                    (kind + random.integers(0, 2, m)) % 5
                ],
                "sex": np.where(random.random(m) < 0.35 + 0.1 * (kind < 2), "F", "M"),
            }
        )
        writer = pq.ParquetWriter(file, table.schema) if writer is None else writer
        writer.write_table(table)
    assert writer is not None
    writer.close()


def _coded(file: str) -> tuple[csr_matrix, pd.Series]:
    frame = pd.read_csv(file)
    numbers, texts = ([name for name in frame if name.startswith(kind)] for kind in ("number", "category"))
    coder = make_column_transformer((MinMaxScaler(), numbers), (OneHotEncoder(), texts))
    return coder.fit_transform(frame), frame["sex"]


def _in_python(file: str) -> None:
    X, groups = _coded(file)
    MiniReL(10, random_state=0).fit(X, sensitive_features=groups)


if __name__ == "__main__":
    if sys.argv[1:2] == ["_in_python"]:
        _in_python(sys.argv[2])
    else:
        run_parts({"adult": adult, "categories": categories, "large": large})
