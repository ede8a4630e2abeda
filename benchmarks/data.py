"""The paper's data sets for benchmarks: numbers to [0, 1], categories one-hot, target and group left out."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

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


def prepare(
    frame: pd.DataFrame, group: str, target: str, categories: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Features as in the paper, and the group of each row."""
    features = frame.drop(columns=[group, target])
    numbers = features.drop(columns=categories).astype(float)
    span = (numbers.max() - numbers.min()).replace(0, 1)
    scaled = (numbers - numbers.min()) / span
    one_hot = pd.get_dummies(features[categories].astype(str), dtype=float)
    return np.ascontiguousarray(np.hstack([scaled, one_hot])), frame[group].to_numpy(dtype=object)


def adult() -> tuple[np.ndarray, np.ndarray]:
    """UCI Adult, 48,842 rows, groups by sex."""
    parts = [
        pd.read_csv(folder() / name, names=ADULT_COLUMNS, skipinitialspace=True, skiprows=skip)
        for name, skip in (("adult.data", 0), ("adult.test", 1))
    ]
    frame = pd.concat(parts, ignore_index=True)
    categories = [c for c in ADULT_COLUMNS if not pd.api.types.is_numeric_dtype(frame[c])]
    return prepare(frame, "sex", "income", [c for c in categories if c not in ("sex", "income")])


def default() -> tuple[np.ndarray, np.ndarray]:
    """UCI Default of Credit Card Clients, 30,000 rows, groups by sex."""
    frame = pd.read_csv(folder() / "default_of_credit_card_clients.csv").drop(columns="ID")
    target = "default payment next month"
    return prepare(frame, "SEX", target, ["EDUCATION", "MARRIAGE"])


DATA = {"adult": adult, "default": default}
