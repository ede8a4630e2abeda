"""Tables that sort and filter with JavaScript, and say all they say without it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from minirel.points.numbers import amount
from minirel.report.markup import Child, Markup, join, tag

# Rows from which on a filter helps.
_FILTER_FROM = 12
# The same for a table that is never folded, above which a filter would take room from what matters most.
_OPEN = 30
# Rows from which on a table is folded.
_FOLD_FROM = 13
# Columns from which on a printed table needs smaller letters.
_WIDE, _WIDEST = 8, 16


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and the number that it is sorted by."""

    shown: Child
    value: float | None = None
    class_: str = ""


@dataclass(frozen=True)
class Head:
    """The head of a column; `note` says more where the pointer rests."""

    shown: Child
    number: bool = False
    note: str | None = None


def number(shown: str, value: float) -> Cell:
    """A number and how it reads."""
    return Cell(shown, float(value) if math.isfinite(value) else math.copysign(1e308, value), "number")


def word(shown: Child) -> Cell:
    """A cell of words."""
    return Cell(shown)


def table(
    caption: Child,
    heads: Sequence[Head],
    rows: Iterable[Sequence[Cell]],
    *,
    label: str,
    n_in_all: int | None = None,
    foot: Sequence[Cell] | None = None,
    fixed: bool = False,
    folded: bool | None = None,
) -> Markup:
    """A table in a container of its own, in which it scrolls; the first cell of a row is its name.

    Parameters
    ----------
    caption : text or markup
        What the table says.
    heads : sequence of Head
        One head per column.
    rows : iterable of sequences of Cell
        The rows that are shown.
    label : str
        Short name of the table, for those who hear the page.
    n_in_all : int, optional
        How many rows there would be, if these are only some.
    foot : sequence of Cell, optional
        A last row that stays where it is.
    fixed : bool, default=False
        Whether the order of the rows says something, so that they are not to be sorted.
    folded : bool, optional
        Whether only its name is shown until it is asked for; by default if it is long.
    """
    body = [
        tag("tr", tag("th", row[0].shown, scope="row", **_marks(row[0])), map(_data, row[1:])) for row in rows
    ]
    if n_in_all is not None and n_in_all > len(body):
        caption = [caption, f" The first {amount(len(body))} of {amount(n_in_all)} are shown."]
    head = tag(
        "tr",
        (tag("th", h.shown, scope="col", class_="number" if h.number else None, title=h.note) for h in heads),
    )
    whole = tag(
        "table",
        tag("caption", tag("div", caption)),
        tag("thead", head),
        tag("tbody", body),
        tag("tfoot", tag("tr", tag("th", foot[0].shown, scope="row"), map(_data, foot[1:])))
        if foot
        else None,
        class_=" ".join(_kinds(len(heads), fixed or len(body) < 2)) or None,
        data_filter=None if fixed or len(body) < (_FILTER_FROM if folded is not False else _OPEN) else label,
    )
    box = tag("div", whole, class_="scroll", role="region", tabindex=0, aria_label=label)
    if not (len(body) >= _FOLD_FROM if folded is None else folded):
        return box
    rows_in_all = max(len(body), n_in_all or 0)
    return tag("details", tag("summary", f"{label} ({amount(rows_in_all, 'row')})"), box)


def _kinds(n_columns: int, fixed: bool) -> list[str]:
    """What style and script have to know; paper is only so wide."""
    width = ["wide", "widest"][: (n_columns > _WIDE) + (n_columns > _WIDEST)]
    return [*width, *([] if fixed else ["sortable"])]


def _data(cell: Cell) -> Markup:
    return tag("td", cell.shown, **_marks(cell))


def _marks(cell: Cell) -> dict[str, str | None]:
    value = None if cell.value is None else f"{cell.value:.15g}"
    return {"class_": cell.class_ or None, "data_v": value}


def facts(rows: Iterable[tuple[Child, Child]]) -> Markup:
    """A list of terms and what they are."""
    return tag("dl", (tag("div", tag("dt", term), tag("dd", said)) for term, said in rows), class_="facts")


def tiles(rows: Iterable[tuple[str, str, str]]) -> Markup:
    """Numbers that matter most, large: name, number, remark."""
    return tag(
        "dl",
        (
            tag("div", tag("dt", name), tag("dd", big), tag("dd", small, class_="small") if small else None)
            for name, big, small in rows
        ),
        class_="tiles",
    )


def paragraph(*children: Child, class_: str | None = None) -> Markup:
    """A paragraph."""
    return tag("p", join(children), class_=class_)
