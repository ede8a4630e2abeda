"""`minirel fit` on all of Adult, against reading the same file and running k-means on it, in one process."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from typer.testing import CliRunner

from data import ADULT_COLUMNS, folder
from measure import header, row, run_parts, side_by_side
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


if __name__ == "__main__":
    run_parts({"adult": adult})
