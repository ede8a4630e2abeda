"""The question of how many clusters, without a verdict; and figures that may be missing."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minirel.frontiers.wording import price_in_words, value_in_words
from minirel.points.numbers import amount, rough
from minirel.report.frontier_view import View
from minirel.report.markup import Child, Markup
from minirel.report.table import Cell, Head, number, paragraph, table


def numbers(view: View, choose_k: Mapping[str, Sequence[Any]] | None) -> list[Child]:
    """What speaks for each number of clusters, as far as it was measured."""
    decides = "No figure decides this alone: more clusters always cost less."
    if choose_k is None:
        left_out = (
            f"{decides} Whether the clusters are found again from another start, and how well they are "
            "apart, is not here: there was no time for it, or nobody asked for it."
        )
        return [paragraph(left_out, class_="about"), _plain_numbers(view)]
    said = paragraph(
        f"{decides} What one more explains, whether the "
        "clusters are found again from another start (stability, 1 is the same clusters), how well they are "
        "apart (silhouette, at most 1), how small the smallest gets and what the promise costs are here "
        "beside each other.",
        class_="about",
    )
    heads = [
        Head("Clusters", True),
        Head("Cost of k-means", True),
        Head("Price of the promise", True),
        Head("Smallest cluster", True),
        Head("Stability", True),
        Head("of k-means", True),
        Head("Silhouette", True),
        Head("of k-means", True),
    ]
    rows = []
    for r in range(len(choose_k["n_clusters"])):
        row = {key: list(column)[r] for key, column in choose_k.items()}
        price = "no clustering" if row["feasible"] is False else price_in_words(row["price"])
        rows.append(
            [
                number(f"{row['n_clusters']}", row["n_clusters"]),
                figure(row["kmeans_cost"], rough),
                number(price, row["price"] if np.isfinite(row["price"]) else np.inf),
                figure(row["least_size"], amount),
                *(
                    figure(row[key], _two_digits)
                    for key in ("stability", "kmeans_stability", "silhouette", "kmeans_silhouette")
                ),
            ]
        )
    names = dict(zip(view.found.groups, view.groups.short, strict=True))
    share, promised = (value_in_words(key, next(iter(choose_k[key])), names) for key in ("alpha", "beta"))
    caption = f"For a share of {share} and clusters promised: {promised}."
    return [said, table(caption, heads, rows, label="Numbers of clusters", fixed=True)]


def _plain_numbers(view: View) -> Markup:
    heads = [
        Head("Clusters", True),
        Head("Cost of k-means", True),
        Head("Can be kept", True),
        Head("Lowest price", True),
        Head("Highest price", True),
    ]
    rows = []
    for k, n_clusters in enumerate(view.values["n_clusters"]):
        of = [i for i in range(len(view.found)) if view.place(i, "n_clusters") == k]
        prices = [view.columns["price"][i] for i in of if view.columns["feasible"][i]]
        cost = view.columns["kmeans_cost"][of[0]]
        rows.append(
            [
                number(f"{n_clusters}", n_clusters),
                figure(cost, rough),
                number(f"{len(prices)} of {len(of)}", len(prices)),
                figure(min(prices, default=np.nan), price_in_words),
                figure(max(prices, default=np.nan), price_in_words),
            ]
        )
    return table("Over all requests.", heads, rows, label="Numbers of clusters", fixed=True)


def figure(value: Any, shown: Any) -> Cell:
    """A number, or a dash where there is none."""
    if value is None or not np.isfinite(value):
        return Cell("–", float("1e308"), "number")
    return number(shown(value), float(value))


def _two_digits(value: float) -> str:
    return f"{value:.2f}"
