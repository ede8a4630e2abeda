"""Both stories in numbers: the paper's method, and what search makes of the same requests."""

import math
from typing import Any

import pandas as pd

from paper.experiments.search import STORIES
from paper.price import above_k_means, mean_price, prices
from paper.results import best_runs

COLUMNS = (
    *("data", "method", "price", "highest price", "one fit", "cost over the paper's"),
    *("seconds", "time over k-means", "smallest held"),
)


def stories(table: pd.DataFrame) -> pd.DataFrame:
    """A row a data set and method of MiniReL, as far as the runs of all of its K are there.

    Parameters
    ----------
    table : DataFrame
        The table of the experiment ``search``.

    Returns
    -------
    DataFrame
        ``price``, the cost over that of k-means with as many starts and swaps, less 1: best runs, geometric
        mean over K, and its highest for any K; ``one fit``, the cost over the least that any k-means found,
        less 1, geometric mean over K and seeds; ``cost over the paper's``, for the same request, less 1, best
        runs, geometric mean over K; mean ``seconds`` and their ratio to one run of k-means; and how many
        members the smallest cluster has that is held for a group, the median over the best runs.
    """
    rows: list[dict[str, Any]] = []
    for data in dict.fromkeys(table["data"]):
        of_data = table[table["data"] == data]
        k_means = float(of_data.loc[of_data["method"] == "k-means", "seconds"].mean())
        fair = of_data.assign(above=above_k_means(of_data))[of_data["method"] != "k-means"]
        if fair.empty:
            continue
        best = best_runs(fair).set_index(["method", "n_clusters"])
        paid = prices(fair)[data]
        for papers, methods in STORIES.items():
            for method in methods:
                if method not in paid.index.get_level_values("method"):
                    continue
                runs, least = fair[fair["method"] == method], best.loc[method]
                change = (least["cost"] / best["cost"].get(papers, math.nan)).dropna() - 1
                seconds = runs["seconds"].mean()
                numbers = (
                    *(mean_price(paid[method]), paid[method].max(), mean_price(runs["above"])),
                    *(mean_price(change) if len(change) else math.nan, seconds, seconds / k_means),
                    least["smallest_held"].median(),
                )
                rows.append(dict(zip(COLUMNS, (data, method, *map(float, numbers)), strict=True)))
    return pd.DataFrame(rows, columns=list(COLUMNS))
