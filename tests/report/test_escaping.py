"""Names from the data are shown, never run."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from minirel import MiniReL
from minirel.points.wording import visible
from minirel.report import fit_report

KINDS = ["fit", "audit"]
KNOWN = {
    *("#document", "html", "head", "meta", "title", "style", "script", "body", "header", "main", "footer"),
    *("section", "h1", "h2", "p", "div", "span", "strong", "b", "bdi", "code", "dl", "dt", "dd"),
    *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"),
    *("figure", "figcaption", "svg", "g", "rect", "line", "text", "path", "circle"),
    *("details", "summary", "ul", "li"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_script_but_ours_and_no_handlers(
    kind: str, hostile_pages: dict[str, str], read: Callable[[str], Any]
) -> None:
    root = read(hostile_pages[kind])
    scripts, styles = root.all("script"), root.all("style")
    assert len(scripts) == len(styles) == 1
    assert "use strict" in scripts[0].text
    assert "alert" not in scripts[0].text + styles[0].text
    for node in root.walk():
        assert not [name for name in node.attributes if name.startswith("on")]
        assert not {"href", "src", "srcset", "action", "srcdoc", "style"} & node.attributes.keys()
    assert {node.tag for node in root.walk()} <= KNOWN


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_shown_in_full(
    kind: str, hostile_pages: dict[str, str], hostile: tuple[str, ...], read: Callable[[str], Any]
) -> None:
    root = read(hostile_pages[kind])
    groups = {row[0] for row in root.rows("Promises by group")}
    for name in hostile:
        shown = visible(name) if name.strip() else "(empty)"
        assert shown in groups, name


@pytest.mark.parametrize("kind", KINDS)
def test_pages_can_be_written(kind: str, hostile_pages: dict[str, str]) -> None:
    page = hostile_pages[kind].encode()
    assert len(page) < 600_000
    assert not re.search(rb"[\x00-\x08\x0b-\x1f]", page)


def test_the_title_is_text(model: MiniReL, read: Callable[[str], Any]) -> None:
    title = "</title><script>alert(1)</script>&amp;"
    root = read(fit_report(model, title=title))
    assert [node.text for node in root.all("h1")] == [title]
    assert root.all("head")[0].all("title")[0].text == title
