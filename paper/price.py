"""The price of fairness: what a clustering costs more than that of k-means."""

import pandas as pd

_OF = ["data", "method", "n_clusters"]


def prices(rows: pd.DataFrame) -> pd.Series:
    """By data set, method and K: the least cost of all seeds over the least of their k-means, less 1.

    Every run has a k-means of its own to be compared with, of as many starts and swaps; so the best of some
    seeds is compared with the best of as many.
    """
    least = rows.groupby(_OF)[["cost", "k_means_cost"]].min()
    return (least["cost"] / least["k_means_cost"] - 1).rename("price")


def above_k_means(rows: pd.DataFrame) -> pd.Series:
    """The cost of each run over the least that k-means found for its data and K, by any search, less 1."""
    k_means = rows["k_means_cost"].where(rows["method"] != "k-means", rows["cost"])
    least = k_means.groupby([rows["data"], rows["n_clusters"]]).transform("min")
    return rows["cost"] / least - 1


def mean_price(shares: pd.Series) -> float:
    """The geometric mean of costs over costs, less 1."""
    return float((1 + shares).prod() ** (1 / len(shares)) - 1)
