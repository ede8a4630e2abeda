"""The paper's data sets for benchmarks, from the raw UCI files."""

import os
from pathlib import Path

import numpy as np

from minirel.datasets import Dataset, load_adult, load_default

ADULT_COLUMNS = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
    "income",
]


def folder() -> Path:
    """The folder with the raw UCI files."""
    if "MINIREL_DATA" not in os.environ:
        raise SystemExit(
            "set MINIREL_DATA to the folder that holds adult.data, adult.test and default_of_...csv"
        )
    return Path(os.environ["MINIREL_DATA"])


def adult() -> tuple[np.ndarray, np.ndarray]:
    """UCI Adult, 48,842 rows, groups by sex."""
    folder()  # OpenML's rows may be in another order, and figures are to be compared
    return _points_and_groups(load_adult())


def default() -> tuple[np.ndarray, np.ndarray]:
    """UCI Default of Credit Card Clients, 30,000 rows, groups by sex."""
    folder()
    return _points_and_groups(load_default())


def _points_and_groups(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    assert isinstance(data.groups, np.ndarray)
    return data.X, data.groups


DATA = {"adult": adult, "default": default}
