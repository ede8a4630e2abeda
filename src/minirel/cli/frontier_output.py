"""What a frontier is written as: a table of text, CSV, JSON, the page."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minirel.cli.frontier_values import fit_command, nearest_as_options, shown
from minirel.cli.messages import in_options
from minirel.cli.typed import typed_args
from minirel.frontiers.wording import open_in_words, price_in_words, unpromised_in_words
from minirel.points.percent import asked
from minirel.points.wording import counted, visible

if TYPE_CHECKING:
    from minirel import Frontier

_NUMBERS = ("cost", "price", "lower_bound", "gap", "kmeans_cost", "least_size", "moved")


def as_text(found: "Frontier", budget: float) -> str:
    """A table for the screen, and what the budget buys."""
    columns = found.columns()
    names = [name for name in ("n_clusters", "alpha", "beta", "max_share") if name in columns]
    best = set(found.best_within(budget))
    rows = [["row", *(_HEADS[name] for name in names), "price", "cost", "smallest", ""]]
    for i in range(len(found)):
        cells = [visible(shown(name, columns[name][i])) for name in names]
        rows.append(
            [
                str(i),
                *cells,
                _price(columns["price"][i]),
                "-" if math.isnan(columns["cost"][i]) else f"{columns['cost'][i]:.6g}",
                "-" if math.isnan(columns["least_size"][i]) else f"{columns['least_size'][i]:,g}",
                _note(found, i) or _marks(found, i, i in best),
            ]
        )
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]
    open_ = open_in_words(found.n_open, len(found))
    if best:
        said = f"* within {asked(budget)} of k-means, and nothing within it promises more"
    else:
        this = "that has an answer" if open_ else "of this"
        said = f"nothing {this} can be promised within {asked(budget)} of k-means"
    return "\n".join([*lines, "", said, *([open_] if open_ else []), ""])


_HEADS = {"n_clusters": "K", "alpha": "alpha", "beta": "beta", "max_share": "max share"}


def summary(found: "Frontier", budget: float) -> str:
    """The last line of all."""
    left, n = found.n_open, len(found.best_within(budget))
    head = "done" if found.stop == "done" else "stopped"
    of_them = f", {left} of them open" if left else ""
    best = f"{n} within {asked(budget)} that nothing betters"
    return f"{head}: {counted(len(found), 'request')}{of_them}, {best}"


def _price(price: float) -> str:
    return "-" if math.isnan(price) else price_in_words(price)


def _note(found: "Frontier", i: int) -> str:
    if not math.isnan(found.price(i)):
        return ""
    if found.nearest(i) is None:
        return "open"
    change = nearest_as_options(found.nearest(i))
    return f"cannot be kept; nearest: {change}" if change else "cannot be kept"


def _marks(found: "Frontier", i: int, is_best: bool) -> str:
    """What a row with an answer is marked with, and whom it promises nothing."""
    marks = " ".join(mark for mark, has in (("*", is_best), ("knee", found.knees[i])) if has)
    return ", ".join(filter(None, (marks, unpromised_in_words(found.requests[i].fairness))))


def as_csv(found: "Frontier") -> bytes:
    """One row per request."""
    columns = found.columns()
    names = [name for name in ("n_clusters", "alpha", "beta", "max_share") if name in columns]
    groups = found.groups
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    counts = [f"{what} {visible(str(name))}" for name in groups for what in ("promised", "represented")]
    writer.writerow(
        ["row", *names, "feasible", *_NUMBERS, "status", "dominated", "knee", *counts, "nearest", "why"]
    )
    for i in range(len(found)):
        numbers = ["" if math.isnan(columns[name][i]) else repr(float(columns[name][i])) for name in _NUMBERS]
        by_group = [
            (columns[what][i] or {}).get(name, "") for name in groups for what in ("promised", "represented")
        ]
        writer.writerow(
            [
                i,
                *(shown(name, columns[name][i]) for name in names),
                "" if columns["feasible"][i] is None else str(columns["feasible"][i]).lower(),
                *numbers,
                columns["status"][i],
                *(str(bool(columns[name][i])).lower() for name in ("dominated", "knee")),
                *by_group,
                nearest_as_options(columns["nearest"][i]),
                why(found, i),
            ]
        )
    return text.getvalue().encode("utf-8", "replace")


def why(found: "Frontier", i: int) -> str:
    """Why a request has no answer, in the words of the command line."""
    return in_options(ValueError(found.why(i)))


def describe(found: "Frontier", budget: float, numbers: Mapping[str, Sequence[Any]] | None) -> dict[str, Any]:
    """The whole of it, for JSON."""
    columns = found.columns()
    requests = []
    for i in range(len(found)):
        row = {name: column[i] for name, column in columns.items()}
        row |= {
            "row": i,
            "why": why(found, i),
            "command": fit_command(typed_args(), found.requests[i].values),
        }
        requests.append(row)
    by_number = None
    if numbers is not None:
        rows = range(len(numbers["n_clusters"]))
        by_number = [{name: list(column)[r] for name, column in numbers.items()} for r in rows]
    return {
        "stop": found.stop,
        "groups": list(found.groups),
        "requests": requests,
        "budget": budget,
        "within": found.best_within(budget),
        "numbers": by_number,
    }
