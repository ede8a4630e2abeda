"""`minirel fit`: Adult against reading it and k-means, many categories against a sparse fit in Python."""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from typer.testing import CliRunner

from data import ADULT_COLUMNS, folder
from measure import REPEATS, Child, header, megabytes, row, run_child, run_parts, side_by_side
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
        row("minirel fit --out", f"{fit:.2f}", f"{fit / plain:.2f}")
        row("minirel fit --report", f"{report:.2f}", f"{report / plain:.2f}")
        row("size of the report", f"{Path(page).stat().st_size / 1024:.0f} KB", "")


def _read_and_cluster(file: str) -> None:
    frame = pd.read_csv(file).drop(columns=["sex", "income"])
    numbers = frame.select_dtypes("number")
    scaled = (numbers - numbers.min()) / (numbers.max() - numbers.min())
    one_hot = pd.get_dummies(frame.drop(columns=numbers.columns), dtype=float)
    KMeans(10, n_init=1, random_state=0).fit(np.hstack([scaled, one_hot]))


def categories() -> None:
    """100,000 rows, 2,500 category values, K=10, two groups; every line a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        file = str(Path(place, "records.csv"))
        many_categories(100_000).to_csv(file, index=False)
        fit = [sys.executable, "-m", "minirel", "fit", file, "--group", "sex", "-k", "10", "--quiet"]
        options = {
            "": [],
            " --out": ["--out", str(Path(place, "out.csv"))],
            " --json": ["--json", str(Path(place, "fit.json"))],
            " --report": ["--report", str(Path(place, "page.html"))],
        }
        python = [sys.executable, __file__, "_sparse", file]
        commands = {"in Python": python} | {
            f"minirel fit{name}": [*fit, *more] for name, more in options.items()
        }
        measured: list[list[Child]] = [[] for _ in commands]
        fits: list[Child] = []
        for _ in range(REPEATS):
            for runs, command in zip(measured, commands.values(), strict=True):
                child, told = run_child(command)
                runs.append(child)
                if command is python:
                    fits.append(Child(*map(float, told.split())))
        header(
            "what", "seconds", "of the processor", "peak memory, MB", "to the fit", "to all of it in Python"
        )
        medians = [
            [statistics.median(part) for part in zip(*runs, strict=True)] for runs in (fits, *measured)
        ]
        names = ("MiniReL on the sparse matrix", "read_csv, OneHotEncoder and that fit", *list(commands)[1:])
        for name, (seconds, processor, peak) in zip(names, medians, strict=True):
            ratios = (f"{seconds / medians[i][0]:.2f}" for i in (0, 1))
            row(name, f"{seconds:.1f}", f"{processor:.1f}", f"{peak:.0f}", *ratios)


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


def _sparse() -> None:
    """The same in Python; prints what the fit took."""
    frame = pd.read_csv(sys.argv[2])
    numbers, texts = ([name for name in frame if name.startswith(kind)] for kind in ("number", "category"))
    coder = make_column_transformer((MinMaxScaler(), numbers), (OneHotEncoder(), texts))
    X = coder.fit_transform(frame)
    start, processor = time.perf_counter(), time.process_time()
    MiniReL(10, random_state=0).fit(X, sensitive_features=frame["sex"])
    print(time.perf_counter() - start, time.process_time() - processor, megabytes())


if __name__ == "__main__":
    if sys.argv[1:2] == ["_sparse"]:
        _sparse()
    else:
        run_parts({"adult": adult, "categories": categories})
