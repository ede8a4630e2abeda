"""What a notebook shows of an object: a line, a table and a few words, in light and dark."""

from collections.abc import Iterable, Sequence

from minirel.points.markup import Child, Markup, raw, tag

# Only colours of text and lines, half transparent, so that it is read on any background.
_STYLE = """
.minirel-glance { font: 14px/1.45 system-ui, sans-serif; max-width: 64rem; overflow-x: auto; }
.minirel-glance p { margin: .35em 0; }
.minirel-glance table { border-collapse: collapse; margin: .4em 0; font: inherit; color: inherit; }
.minirel-glance th, .minirel-glance td { padding: .2em .8em; border-bottom: 1px solid #8888; text-align: left;
  vertical-align: top; background: none; }
.minirel-glance thead th { font-weight: 600; }
.minirel-glance .number { text-align: right; font-variant-numeric: tabular-nums; }
.minirel-glance .verdict { padding: .35em .7em; border-left: 4px solid #888; background: #8881; }
.minirel-glance .kept { border-color: #2e8b57; }
.minirel-glance .broken { border-color: #d1495b; }
.minirel-glance .more { opacity: .8; }
"""
_MOST_ROWS = 20


def glance(
    verdict: Child,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Iterable[str] = (),
    *,
    kept: bool | None = None,
) -> Markup:
    """A verdict, a table whose cells after the first are numbers, and notes; all text is escaped.

    Parameters
    ----------
    verdict : text or markup
        What there is to know, in one line.
    heads : sequence of str
        The heads of the columns.
    rows : sequence of sequences of str
        The cells; of very many rows the first are shown.
    notes : iterable of str
        Sentences below the table.
    kept : bool, optional
        Whether the verdict is a good one, if it is either.

    Returns
    -------
    Markup
        HTML that carries its style with it.

    Examples
    --------
    >>> from minirel.points.glance import glance
    >>> "R&amp;D" in glance("All is well.", ["group", "has"], [["R&D", "2"]], kept=True)
    True
    """
    state = "" if kept is None else " kept" if kept else " broken"
    body = [
        tag("tr", tag("th", row[0], scope="row"), (tag("td", cell, class_="number") for cell in row[1:]))
        for row in rows[:_MOST_ROWS]
    ]
    more = f"... and {len(rows) - _MOST_ROWS:,} more rows" if len(rows) > _MOST_ROWS else None
    head = [tag("th", each, scope="col", class_="number" if j else None) for j, each in enumerate(heads)]
    return tag(
        "div",
        raw("style", _STYLE),
        tag("p", verdict, class_=f"verdict{state}"),
        tag("table", tag("thead", tag("tr", head)), tag("tbody", body)) if rows else None,
        tag("p", more, class_="more") if more else None,
        (tag("p", note, class_="more") for note in notes),
        class_="minirel-glance",
    )
