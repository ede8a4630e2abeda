"""The paper's method beside minirel's search on the page: in all, and for every K."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from minirel.report.markup import Child, Markup, tag
from minirel.report.table import Cell, Head, paragraph, table, word
from paper.claims.claim import Judged
from paper.experiments.search import STORIES
from paper.page.times import seconds
from paper.price import prices
from paper.stories import stories

_SHARES = ("price", "highest price", "one fit", "cost over the paper's")
_METHODS = [method for methods in STORIES.values() for method in methods]


def search_in_full(rows: pd.DataFrame) -> list[Child]:
    """What every method costs and takes in the mean, and its least cost for every K."""
    fair = rows[rows["method"] != "k-means"]
    if fair.empty:
        return []
    by_k = [_of_data(str(data), of_data) for data, of_data in fair.groupby("data", sort=False)]
    return [_in_short(stories(rows)), *by_k]


def claims_for_search(judged: Sequence[Judged], anchors: Mapping[str, str]) -> Markup:
    """Where the claims are that are judged for search as well."""
    names = [each.claim.name for each in judged if each.claim.searched is not None]
    links = [
        [" and " if i else "", tag("a", tag("bdi", name), href=f"#{anchors[name]}")]
        for i, name in enumerate(names)
    ]
    return paragraph("Claims that are judged for the paper's method and for search: ", *links, ".")


def _in_short(found: pd.DataFrame) -> Markup:
    heads = [
        Head("Data set"),
        Head("Method"),
        Head("Price of fairness", number=True, note="cost above k-means of as much search, mean over K"),
        Head("Highest price", number=True, note="of any K"),
        Head(
            "One fit", number=True, note="cost above the least that any k-means found, mean over K and seeds"
        ),
        Head("Cost, over the paper's", number=True, note="for the same request, mean over K"),
        Head("Seconds", number=True, note="mean"),
        Head("Time, over k-means", number=True, note="ratio of the means"),
        Head("Smallest held", number=True, note="members of the smallest cluster held, median over K"),
    ]
    body = [
        [
            _name(record["data"]),
            _name(record["method"]),
            *(_percent(record[name]) for name in _SHARES),
            _number(seconds(record["seconds"]), record["seconds"]),
            _number(f"{record['time over k-means']:,.1f}", record["time over k-means"]),
            _number(f"{record['smallest held']:,.10g}", record["smallest held"]),
        ]
        for record in found.to_dict("records")
    ]
    caption = (
        "Both stories: the paper's method, then search for the same request. Costs are those of best runs."
    )
    return tag("div", table(caption, heads, body, label="Both stories"), class_="whole")


def _of_data(data: str, rows: pd.DataFrame) -> Markup:
    least = rows.groupby(["n_clusters", "method"])["cost"].min()
    paid = prices(rows)[data]
    here = [method for method in _METHODS if method in set(rows["method"])]
    body = [
        [word(str(k)), *(_cost(least.get((k, method)), paid.get((method, k))) for method in here)]
        for k in sorted(set(rows["n_clusters"]))
    ]
    heads = [Head("K"), *(Head(method, number=True) for method in here)]
    caption = (
        f"Least cost on {data}, and what that is above the least of k-means with as many starts and swaps."
    )
    return tag("div", table(caption, heads, body, label=f"Least cost, {data}", fixed=True), class_="whole")


def _cost(cost: float | None, price: float | None) -> Cell:
    if cost is None or price is None:
        return Cell("–", None, "number")
    above = tag("span", f"{price:+.1%}", class_="about")
    return Cell([f"{cost:,.{_decimals(cost)}f}", tag("br"), above], None, "number")


def _decimals(cost: float) -> int:
    return 3 if cost < 100 else 0


def _percent(share: float) -> Cell:
    return _number(f"{share:+.1%}", share)


def _name(value: object) -> Cell:
    return word(tag("bdi", str(value), class_="name"))


def _number(shown: str, value: float) -> Cell:
    return Cell(shown, float(value), "number") if math.isfinite(value) else Cell("–", None, "number")
