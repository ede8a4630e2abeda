"""What claims are judged by: means, ratios, and the runs that a paper would report."""

import numpy as np
import pandas as pd

from paper.results import NotTestedError

_RUN = ["data", "n_clusters", "seed"]


def finished(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, if no run among them was cut: what a cut run took or cost says nothing about the method."""
    cut = int((rows["stopped"] == "time_limit").sum())
    if cut:
        raise NotTestedError(f"{cut:,} of its {len(rows):,} runs were stopped by the time limit")
    return rows


def means(rows: pd.DataFrame, measure: str) -> pd.Series:
    """Mean over K and seeds, by data set and method."""
    return rows.groupby(["data", "method"], sort=False)[measure].mean()


def paired(rows: pd.DataFrame, measure: str, method: str, other: str) -> pd.DataFrame:
    """What two methods measured with the same K and seed, as the columns ``method`` and ``other``."""
    columns = {
        name: rows[rows["method"] == who].set_index(_RUN)[measure]
        for name, who in (("method", method), ("other", other))
    }
    return pd.DataFrame(columns).dropna()


def cost_ratio(rows: pd.DataFrame, method: str, other: str) -> float:
    """Geometric mean of cost over cost, by K and seed."""
    pairs = paired(rows, "cost", method, other)
    return float(np.exp(np.log(pairs["method"] / pairs["other"]).mean()))
