"""Names from the data as they appear on the page: short, never mistaken for each other, and never run."""

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable

from minirel.points.wording import visible
from minirel.report.markup import Markup, tag

_LONGEST, _TAIL = 32, 10
_LONGEST_WHOLE = 2_000
# Up to this length a name stays on one line.
_ONE_LINE = 48
# Up to this length it does not even break at the head of a narrow column.
_HEAD = 10
_ISOLATES = "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"
_LEFT_TO_RIGHT = frozenset({"L", "EN", "ES", "ET", "AN", "CS", "NSM", "BN", "B", "S", "WS", "ON", ""})


class Names:
    """The names of groups or of clusters, by their place.

    What cannot be seen is escaped. The short form clips the middle of long names; where two would look alike,
    it says which is which. Every name is shown in a direction of its own, so that it turns nothing around it.

    Examples
    --------
    >>> from minirel.report.names import Names
    >>> Names(["north", "north ", "x" * 99], "group").short
    ['north (group 1)', 'north (group 2)', 'xxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxx']
    """

    def __init__(self, names: Iterable[Hashable], kind: str) -> None:
        self.full = [visible(str(name)) for name in names]
        clipped = [_isolated(_clip(name)) for name in self.full]
        seen = Counter(clipped)
        self.short = [
            f"{name} ({kind} {place})" if seen[name] > 1 else name
            for place, name in enumerate(clipped, start=1)
        ]

    def __len__(self) -> int:
        return len(self.full)

    def of(self, place: int) -> Markup:
        """A short name; the whole one is in the first table, and appears where the pointer rests."""
        short, full = self.short[place], self.full[place]
        return name(short, title=full[:_LONGEST_WHOLE] if short != full else None)

    def bare(self, place: int) -> Markup:
        """A short name without more, for tables of many rows."""
        return name(self.short[place])

    def whole(self, place: int) -> Markup:
        """The name in full, up to a length that no name has."""
        full = self.full[place]
        clipped = full if len(full) <= _LONGEST_WHOLE else f"{full[:_LONGEST_WHOLE]}…"
        return name(clipped if clipped.strip() else "(empty)")


def name(shown: str, title: str | None = None) -> Markup:
    """A name from the data, in a direction of its own; long ones may break anywhere."""
    shown = visible(shown, _ISOLATES)
    is_short = len(shown) <= _ONE_LINE
    size = "name" if len(shown) <= _HEAD else "name mid" if is_short else "name long"
    return tag("bdi", shown, class_=size, title=title)


def _clip(name: str) -> str:
    line = " ".join(name.split()) or "(empty)"
    if len(line) <= _LONGEST:
        return line
    return f"{line[: _LONGEST - _TAIL - 1].rstrip()}…{line[-_TAIL:].lstrip()}"


def _isolated(name: str) -> str:
    """The name within marks that keep its direction to itself, if it has one, also in lists and hints."""
    if all(unicodedata.bidirectional(letter) in _LEFT_TO_RIGHT for letter in name):
        return name
    return _ISOLATES[0] + name + _ISOLATES[1]
