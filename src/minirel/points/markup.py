"""The one place that makes markup of text, so that nothing reaches the page unescaped."""

import re
from collections.abc import Iterable
from html import escape
from typing import Final, TypeAlias

from minirel.points.wording import visible


class Markup(str):
    """Text that is markup already. Only this file makes it."""

    __slots__ = ()


# A Markup is a str; every other str is escaped. None is left out.
Child: TypeAlias = "str | Iterable[Child] | None"
Attribute: TypeAlias = "str | int | float | bool | None"

_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*\Z")
_VOID: Final = frozenset({"meta", "br", "img", "line", "rect", "circle", "path"})
_RAW: Final = frozenset({"script", "style"})
# Of what cannot be seen: breaks of lines, and the marks that keep the direction of a name to itself.
_KEPT: Final = "\n\t\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"


def text(value: object) -> Markup:
    """Anything as escaped text that can be written as UTF-8, in elements and in attributes alike."""
    if isinstance(value, Markup):
        return value
    return Markup(escape(visible(str(value), _KEPT), quote=True))


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """An element: children that are plain strings are escaped, and so is the value of every attribute.

    Attributes that are None or False are left out, and True stands alone. ``class_`` is written class, and
    other underscores become hyphens. Handlers of events are refused: behaviour lives in the script of a page.

    Examples
    --------
    >>> from minirel.points.markup import tag
    >>> tag("td", "<b>", tag("br"), "R&D", class_="number", data_v=2)
    '<td class="number" data-v="2">&lt;b&gt;<br>R&amp;D</td>'
    """
    if not _NAME.match(name) or name in _RAW:
        raise ValueError(f"no such element: {name!r}")
    opening = "".join([f"<{name}", *_attributes(attributes), ">"])
    if name in _VOID:
        # Elements of SVG need their end; those of HTML must not have it.
        return Markup(opening if name in ("meta", "br", "img") else f"{opening[:-1]}/>")
    return Markup(f"{opening}{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Markup:
    """Children one after the other."""
    return Markup("".join(_flat(children)))


def raw(name: str, content: str) -> Markup:
    """A style or script element with a file of this package in it; never with anything from the data."""
    if name not in _RAW or "</" in content or "<!--" in content:
        raise ValueError(f"cannot be put into a {name} element")
    return Markup(f"<{name}>{content}</{name}>")


def document(*children: Child) -> str:
    """The whole page."""
    return f"<!DOCTYPE html>\n{join(children)}\n"


def _flat(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if isinstance(child, str):
            yield text(child)
        elif child is not None:
            yield from _flat(child)


def _attributes(attributes: dict[str, Attribute]) -> Iterable[str]:
    for key, value in attributes.items():
        written = key.rstrip("_").replace("_", "-")
        if not _NAME.match(written) or written.lower().startswith("on"):
            raise ValueError(f"no such attribute: {key!r}")
        if value is True:
            yield f" {written}"
        elif value is not None and value is not False:
            yield f' {written}="{text(value)}"'
