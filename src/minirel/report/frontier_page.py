"""`frontier_report`: the page of a frontier, to decide with."""

import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minirel import __version__
from minirel.frontiers.table import Frontier, read_budget
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.numbers import amount, at_least, rough
from minirel.points.percent import asked, floored
from minirel.points.wording import agreeing
from minirel.report.frontier_chart import chart
from minirel.report.frontier_details import details, repeat
from minirel.report.frontier_heat import heat_map, legend
from minirel.report.frontier_numbers import figure, numbers
from minirel.report.frontier_view import View
from minirel.report.markup import Child, Markup, tag
from minirel.report.page import COST_WORDS, glossary, page, section
from minirel.report.repeat import origin, stopped_in_words
from minirel.report.source import Source
from minirel.report.table import Cell, Head, facts, number, paragraph, table, word

_WORDS = (
    (
        "Price",
        "By how much a clustering that keeps a promise costs more than plain k-means with as many clusters, "
        "the best of as many starts.",
    ),
    ("Request", "A number of clusters, a share, and how many clusters each group is promised."),
)
_MOST_BEST = 6


def frontier_report(
    found: Frontier,
    *,
    title: str,
    budget: float = 0.02,
    choose_k: Mapping[str, Sequence[Any]] | None = None,
    commands: Sequence[str] | None = None,
    reasons: Sequence[str] | None = None,
    source: Source | None = None,
) -> str:
    """Show what can be promised and what it costs, on one self-contained page with which to decide.

    It can be read without JavaScript. With it, sliders choose a request and a budget, and two requests can be
    laid side by side.

    Parameters
    ----------
    found : Frontier
        What `minirel.frontier` returned.
    title : str
        Title of the page.
    budget : float, default=0.02
        What a promise may cost more than plain k-means, as a share; the page can change it.
    choose_k : frame or mapping of columns, optional
        What `Frontier.choose_k` returned: what speaks for each number of clusters.
    commands : sequence of str, optional
        For each request a command that repeats it.
    reasons : sequence of str, optional
        For each request why it cannot be kept, in other words than those of Python; "" if it can.
    source : Source, optional
        Where the data came from.

    Returns
    -------
    str
        HTML, to be written as UTF-8. The same frontier and arguments give the same page.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import frontier
    >>> from minirel.report import frontier_report
    >>> X, species = load_iris(return_X_y=True)
    >>> found = frontier(X, species, n_clusters=[4, 6], beta=[1, 2], random_state=0)
    >>> page = frontier_report(found, title="Iris", budget=0.05, choose_k=found.choose_k(n_seeds=1))
    >>> "What can be promised?" in page
    True
    """
    if not isinstance(found, Frontier):
        given = f"is of type {type(found).__name__}"
        raise ParameterTypeError(
            "found", "must be a Frontier", found, "pass what frontier returned", found=given
        )
    for parameter, texts in (("commands", commands), ("reasons", reasons)):
        if texts is not None and len(texts) != len(found):
            given = f"has {len(texts)} for {len(found)}"
            raise ParameterValueError(parameter, "must hold one per request", texts, found=given)
    view = View(found, read_budget(budget), reasons)
    sections = [
        section(1, "What can be promised?", _best(view), _panels(view)),
        section(2, "How many clusters?", numbers(view, choose_k)),
        section(3, "What does each request cost?", _table(view)),
        section(4, "Each request in full", _all_details(view, commands)),
        section(5, "Can I repeat it?", _repeat(view, source)),
    ]
    meanings = [*_WORDS, *glossary(source, *COST_WORDS)]
    return page(title, _lead(view, source), sections, meanings, besides=("frontier",))


def _lead(view: View, source: Source | None) -> list[Markup]:
    feasible = view.columns["feasible"]
    n_points, is_ = view.found.n_points, agreeing("is", view.found.n_open)
    open_ = f", {view.found.n_open} {is_} open" if view.found.n_open else ""
    said = (
        f"{amount(len(feasible), 'request')} about {amount(n_points, 'point')} with "
        f"{amount(len(view.groups), 'group')}: {sum(map(bool, feasible))} can be kept, "
        f"{sum(one is False for one in feasible)} cannot"
        f"{open_}. Every price is that of a clustering that was found, counted from its members; what cannot "
        "be kept is proven."
    )
    left_out = [] if source is None else source.left_out("in no cluster")
    return [paragraph(said, class_="about"), *map(paragraph, left_out)]


def _best(view: View) -> Markup:
    """What can be had for the budget; the script writes it anew when the budget changes."""
    entries = [
        tag("li", tag("a", view.title(i), href=f"#r{i}", data_row=i), " ", tag("strong", view.price(i)))
        for i in view.best[:_MOST_BEST]
    ]
    more = len(view.best) - len(entries)
    which = "has an answer" if view.found.n_open else "was asked for"
    head = (
        f"For {asked(view.budget)} more than plain k-means, nothing betters these promises:"
        if entries
        else f"Nothing that {which} can be promised for {asked(view.budget)} more than plain k-means."
    )
    return tag(
        "div",
        tag("p", head, class_="head"),
        tag("ul", entries) if entries else None,
        tag("p", f"And {more} more, marked ✓ below.", class_="more") if more else None,
        tag("p", f"{view.open}.", class_="more") if view.open else None,
        class_="verdict within",
        data_budget=f"{view.budget:.12g}",
        data_open=f"{view.open}." if view.open else None,
    )


def _panels(view: View) -> Markup:
    """The map and the chart of each number of clusters."""
    panels = []
    for k, n_clusters in enumerate(view.values["n_clusters"]):
        for s in range(len(view.values["max_share"])):
            bound = f", at most {view.label('max_share', s)}" if len(view.values["max_share"]) > 1 else ""
            panels.append(
                tag(
                    "div",
                    tag("h3", f"{amount(n_clusters, 'cluster')}{bound}"),
                    tag("div", heat_map(view, k, s), chart(view, k, s), class_="both"),
                    class_="panel",
                    data_k=k,
                    data_s=s,
                )
            )
    labels = {
        f"data_{short}": "\n".join(view.label(parameter, n) for n in range(len(view.values[parameter])))
        for short, parameter in (("k", "n_clusters"), ("a", "alpha"), ("b", "beta"), ("s", "max_share"))
    }
    return tag("div", panels, legend(), class_="decide", **labels)


def _table(view: View) -> Markup:
    columns = view.columns
    bounded = len(view.values["max_share"]) > 1
    heads = [
        Head("Request", True),
        Head("Clusters", True),
        Head("Share", False),
        Head("Clusters promised"),
        *([Head("Largest share")] if bounded else []),
        Head("Price", True),
        Head("Cost", True),
        Head("Proven at least", True, "For its centers and holders"),
        Head("Smallest cluster", True),
        Head("Moved", True, "Points that are not with their nearest center"),
    ]
    rows = []
    for i in range(len(view.found)):
        price = columns["price"][i]
        shown = "cannot be kept" if columns["feasible"][i] is False else view.price(i)
        row = [
            Cell(tag("a", f"{i}", href=f"#r{i}", data_row=i, aria_label=f"Request {i}"), float(i), "number"),
            number(f"{columns['n_clusters'][i]}", columns["n_clusters"][i]),
            Cell(view.label("alpha", view.place(i, "alpha")), float(view.place(i, "alpha"))),
            word([view.label("beta", view.place(i, "beta")), _nothing(view, i)]),
        ]
        if bounded:
            row.append(word(view.label("max_share", view.place(i, "max_share"))))
        row += [
            number(shown, price if np.isfinite(price) else np.inf),
            figure(columns["cost"][i], rough),
            figure(columns["lower_bound"][i], at_least),
            figure(columns["least_size"][i], amount),
            figure(columns["moved"][i], floored),
        ]
        rows.append(row)
    caption = "Every request, in the order asked for. The first column leads to all that is known of it."
    return table(caption, heads, rows, label="All requests")


def _nothing(view: View, i: int) -> Markup | None:
    said = view.nothing(i)
    return tag("span", f" ({said})", class_="of-all") if said else None


def _all_details(view: View, commands: Sequence[str] | None) -> list[Child]:
    said = paragraph(
        "Who holds what, who would move and at what price, and how to repeat it. Open one of them.",
        class_="about",
    )
    return [
        said,
        [
            details(view, i, repeat(None if commands is None else commands[i], view.found.python(i)))
            for i in range(len(view.found))
        ],
    ]


def _repeat(view: View, source: Source | None) -> list[Child]:
    rows = [*origin(source), ("minirel", __version__), ("Python", platform.python_version())]
    stopped = stopped_in_words(view.found.stop)
    same = "the same data, parameters and versions give the same table"
    said = (
        (f"Not exactly: {stopped}. Without that, {same}. " if stopped else f"Yes: {same}. ")
        + "A request that is fitted alone may "
        "cost a little more than here, where it could also go on from what its neighbours found."
    )
    return [paragraph(said, class_="answer"), facts(rows)]
