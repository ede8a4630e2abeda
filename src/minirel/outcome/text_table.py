"""Tables of text, for what is printed."""

from collections.abc import Hashable

from minirel.points.wording import visible

_GAP = "  "


def text_table(columns: list[list[str]]) -> str:
    """Columns side by side, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in columns]
    rows = (
        [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in zip(*columns, strict=True)
    )
    return "\n".join(_GAP.join(row).rstrip() for row in rows)


def short(name: Hashable, longest: int) -> str:
    """A name on one line, of at most so many characters."""
    text = " ".join(visible(str(name)).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
