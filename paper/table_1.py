"""Table 1: seconds of k-means and of MiniReL, here and in the paper."""

from typing import Any

import pandas as pd

from paper.experiments.comparison import FAIR
from paper.published import OVERALL, TABLE_1, Time
from paper.run import SOLVERS

ALL_K = "overall"
K_MEANS = "k-means"
_UNKNOWN = float("nan")


def ways_in(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The ways of MiniReL that are in the table: method and solver."""
    there = set(zip(table["method"], table["solver"], strict=True))
    return [(method, solver) for solver in SOLVERS for method in FAIR if (method, solver) in there]


def table_1(table: pd.DataFrame) -> pd.DataFrame:
    """Means and standard deviations of seconds, for each data set and number of clusters and over all.

    Parameters
    ----------
    table : DataFrame
        The table of the experiment ``times``.

    Returns
    -------
    DataFrame
        One row for each data set and number of clusters, and one for each data set whose `n_clusters` is
        "overall", over all numbers of clusters and seeds. ``k-means mean`` and ``k-means sd``; for each
        method and solver ``{method} {solver} mean``, ``sd``, ``ratio`` (to k-means) and ``stopped`` (how
        many runs the time limit ended, so that the mean is too low); and the paper's numbers as ``paper
        k-means mean``, ``paper MiniReL mean`` and so on. The paper does not say under which notion of
        fairness its MiniReL was timed. What is not known is NaN, such as a ratio to 0.0 seconds.
    """
    ways = ways_in(table)
    rows: list[dict[str, Any]] = []
    for data in dict.fromkeys(table["data"]):
        of_data = table[table["data"] == data]
        for k in sorted(set(of_data["n_clusters"])):
            of_k = of_data[of_data["n_clusters"] == k]
            rows.append(
                {"data": data, "n_clusters": k} | _here(of_k, ways) | _paper(TABLE_1.get(data, {}).get(k))
            )
        rows.append(
            {"data": data, "n_clusters": ALL_K} | _here(of_data, ways) | _paper(OVERALL.get(data)),
        )
    columns = ["data", "n_clusters", *_here(table, ways), *_paper(None)]
    return pd.DataFrame(rows, columns=columns)


def _here(rows: pd.DataFrame, ways: list[tuple[str, str]]) -> dict[str, float]:
    seconds = rows.loc[rows["method"] == K_MEANS, "seconds"]
    k_means = float(seconds.mean())
    numbers = {f"{K_MEANS} mean": k_means, f"{K_MEANS} sd": float(seconds.std(ddof=1))}
    for method, solver in ways:
        of_way = rows[(rows["method"] == method) & (rows["solver"] == solver)]
        mean, name = float(of_way["seconds"].mean()), f"{method} {solver}"
        numbers |= {
            f"{name} mean": mean,
            f"{name} sd": float(of_way["seconds"].std(ddof=1)),
            f"{name} ratio": mean / k_means if k_means else _UNKNOWN,
            f"{name} stopped": int((of_way["stopped"] == "time_limit").sum()),
        }
    return numbers


def _paper(times: tuple[Time, Time] | None) -> dict[str, float]:
    k_means, minirel = times or ((_UNKNOWN, _UNKNOWN), (_UNKNOWN, _UNKNOWN))
    return {
        "paper k-means mean": k_means[0],
        "paper k-means sd": k_means[1],
        "paper MiniReL mean": minirel[0],
        "paper MiniReL sd": minirel[1],
        "paper ratio": minirel[0] / k_means[0] if k_means[0] else _UNKNOWN,
    }
