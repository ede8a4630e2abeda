"""The pages in a real browser: both themes, small screens, paper, and tables that sort and filter."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minirel import Audit, audit
from minirel.report import audit_report
from minirel.report.names import Names
from minirel.report.page import page as page_of
from minirel.report.promises import promises

KINDS = ["fit", "audit", "hostile fit", "hostile audit"]
# Text against what it stands on, as the browser drew it.
CONTRASTS = """() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const f = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const c = parse(getComputedStyle(node).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    throw new Error("no background");
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest("script, title, [hidden]")) continue;
    const style = getComputedStyle(node);
    const [a, b] = [parse(node.closest("svg") ? style.fill : style.color), behind(node)].map(light);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push([walker.currentNode.data.slice(0, 40), ratio]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def files(
    page: str, hostile_pages: dict[str, str], broken: Audit, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    pages = {
        "fit": page,
        "audit": audit_report(broken, title="Audit"),
        "hostile fit": hostile_pages["fit"],
        "hostile audit": hostile_pages["audit"],
    }
    folder = tmp_path_factory.mktemp("pages")
    paths = {}
    for name, text in pages.items():
        paths[name] = folder / f"{name}.html"
        paths[name].write_bytes(text.encode())
    return paths


@cache
def window(browser: Any) -> Any:
    """For all that asks for nothing special: to open one takes longer than to show most pages."""
    return browser.new_context(offline=True).new_page()


class Shown:
    """A page in the browser, and what went wrong with it."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(offline=True, **options) if options else None
        self.page = self.context.new_page() if self.context else window(browser)
        if not options:  # as in a new one
            self.page.set_viewport_size({"width": 1280, "height": 720})
            self.page.emulate_media(media="screen", color_scheme="light")
            self.page.mouse.move(0, 0)
        self.troubles: list[str] = []
        self.asked: list[str] = []
        self.heard = {
            "console": lambda message: self.troubles.append(message.text),
            "pageerror": lambda error: self.troubles.append(str(error)),
            "dialog": lambda dialog: (self.troubles.append("a dialog"), dialog.dismiss()),
            "request": lambda request: self.asked.append(request.url),
        }
        for event, hear in self.heard.items():
            self.page.on(event, hear)
        self.page.goto(path.as_uri())

    def __enter__(self) -> "Shown":
        return self

    def __exit__(self, *error: object) -> None:
        for event, hear in self.heard.items():
            self.page.remove_listener(event, hear)
        if self.context:
            self.context.close()
        if error == (None, None, None):
            assert self.troubles == []
            assert len(self.asked) == 1, "only the page itself is read"

    def unfold(self) -> None:
        """Open all that is folded, as a reader would one by one."""
        for summary in self.page.locator("summary").all():
            summary.click()

    def column(self, label: str, column: int) -> list[str]:
        texts: list[str] = self.page.evaluate(
            """([label, column]) => {
                const table = document.querySelector(`[aria-label="${label}"] table`);
                const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
                return rows.map((row) => row.cells[column].textContent);
            }""",
            [label, column],
        )
        return texts


@pytest.mark.parametrize("kind", KINDS)
def test_both_themes(kind: str, browser: Any, files: dict[str, Path]) -> None:
    with Shown(browser, files[kind]) as shown:
        for scheme, expected in {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 29)"}.items():
            shown.page.emulate_media(color_scheme=scheme)
            assert shown.page.evaluate("getComputedStyle(document.body).backgroundColor") == expected
            assert shown.page.evaluate(CONTRASTS) == [], scheme
        shown.unfold()
        assert shown.page.evaluate(CONTRASTS) == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_overflows(kind: str, browser: Any, files: dict[str, Path]) -> None:
    with Shown(browser, files[kind]) as shown:
        for width in (320, 360, 768, 1400):
            shown.page.set_viewport_size({"width": width, "height": 700})
            assert shown.page.evaluate("innerWidth") == width
            assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
            # Nor is anything cut off: all that is wider than the page is in a container that scrolls.
            wide = shown.page.evaluate(
                """() => [...document.querySelectorAll("body *")].filter(
                    (e) => !e.closest(".scroll, svg") && e.getBoundingClientRect().right > innerWidth + 1
                ).map((e) => e.outerHTML.slice(0, 80))"""
            )
            assert wide == [], width
        shown.unfold()
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 1400


def test_tables_sort(browser: Any, files: dict[str, Path]) -> None:
    with Shown(browser, files["fit"]) as shown:
        shown.unfold()
        before = shown.column("Moved points", 0)
        head = shown.page.locator('[aria-label="Moved points"] thead th')
        head.nth(0).locator("button").click()
        assert head.nth(0).get_attribute("aria-sort") == "ascending"
        assert shown.column("Moved points", 0) == sorted(before, key=int)
        head.nth(0).locator("button").click()
        assert head.nth(0).get_attribute("aria-sort") == "descending"
        assert shown.column("Moved points", 0) == sorted(before, key=int, reverse=True)
        # By the number, not by how it reads; numbers start with the largest.
        head.nth(5).locator("button").press("Enter")
        assert head.nth(0).get_attribute("aria-sort") is None
        assert head.nth(5).get_attribute("aria-sort") == "descending"
        costs = [float(text) for text in shown.column("Moved points", 5)]
        assert costs == sorted(costs, reverse=True)
        head.nth(4).locator("button").click()
        reasons = shown.column("Moved points", 4)
        assert reasons == sorted(reasons)


def test_tables_filter(browser: Any, files: dict[str, Path]) -> None:
    with Shown(browser, files["fit"]) as shown:
        shown.unfold()
        n = len(shown.column("Moved points", 0))
        box = shown.page.get_by_label("Show rows of “Moved points” with")
        box.fill("VIRGINICA")
        rows = shown.column("Moved points", 1)
        assert rows
        assert set(rows) == {"virginica"}
        assert f"{len(rows)} of {n} rows" in shown.page.locator("label.filter output").all_inner_texts()
        box.fill("virginica nowhere")
        assert shown.column("Moved points", 1) == []
        box.fill("")
        assert len(shown.column("Moved points", 0)) == n


def test_bars_tell_their_numbers(browser: Any, files: dict[str, Path], hostile: tuple[str, ...]) -> None:
    with Shown(browser, files["hostile fit"]) as shown:
        shown.unfold()
        tip = shown.page.locator(".tip")
        assert not tip.is_visible()
        bar = shown.page.locator("figure:not(.plane) .bar").first
        detail = bar.locator("title").text_content()
        bar.hover()
        assert tip.is_visible()
        assert tip.inner_text().split() == detail.split()
        n_figures = shown.page.locator("figure").count()
        assert shown.page.locator(".bar.hot").count() == n_figures
        shown.page.mouse.move(0, 0)
        assert not tip.is_visible()
        assert shown.page.locator(".bar.hot").count() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_without_javascript_all_is_there(kind: str, browser: Any, files: dict[str, Path]) -> None:
    def contents(shown: Shown) -> list[str]:
        texts: list[str] = shown.page.locator("h1, h2, p, caption, th, td, dt, dd").all_text_contents()
        return texts

    with Shown(browser, files[kind], java_script_enabled=False) as plain:
        assert plain.page.locator("button, input, [hidden]").count() == 0
        assert plain.page.locator("section").last.is_visible()
        without = contents(plain)
    with Shown(browser, files[kind]) as shown:
        assert contents(shown) == without


@pytest.mark.parametrize("kind", KINDS)
def test_print(kind: str, browser: Any, files: dict[str, Path], tmp_path: Path) -> None:
    # The width of A4 within its margins, at 96 dots an inch.
    with Shown(browser, files[kind]) as shown:
        shown.page.set_viewport_size({"width": 688, "height": 1000})
        shown.page.emulate_media(media="print", color_scheme="dark")
        assert shown.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 688
        assert shown.page.evaluate(CONTRASTS) == []
        for box in shown.page.locator(".scroll").all():
            assert box.evaluate("(e) => e.scrollHeight <= e.clientHeight + 1")
        for control in shown.page.locator(".filter").all():
            assert not control.is_visible()
        pdf = shown.page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")


def test_the_first_screen_answers(browser: Any, files: dict[str, Path]) -> None:
    """Whether it is fair and what it cost, before and after, without scrolling."""
    with Shown(browser, files["fit"], viewport={"width": 1280, "height": 800}) as shown:
        for selector in (".verdict", ".price", ".besides", '[aria-label="Promises by group"]'):
            box = shown.page.locator(selector).first.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 800, selector


def test_no_word_is_broken(browser: Any, files: dict[str, Path]) -> None:
    """A line never begins in the middle of a word, at any width; names of 500 letters are another matter."""
    broken = """() => {
      const found = [], range = document.createRange();
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode, text = node.data;
        if (!text.trim() || node.parentElement.closest("script, title, code")) continue;
        for (const word of text.matchAll(/[A-Za-z]+/g)) {
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
          if (tops.size > 1) found.push(word[0]);
        }
      }
      return found;
    }"""
    with Shown(browser, files["fit"]) as shown:
        shown.unfold()
        for width in (320, 400, 768, 1280):
            shown.page.set_viewport_size({"width": width, "height": 800})
            assert shown.page.evaluate(broken) == [], width


def test_what_is_folded_is_printed(browser: Any, files: dict[str, Path]) -> None:
    with Shown(browser, files["fit"]) as shown:
        table = shown.page.locator('[aria-label="Moved points"]')
        assert not table.is_visible()
        shown.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert table.is_visible()


def _hidden_sideways(shown: Shown, label: str) -> float:
    hidden: float = shown.page.evaluate(
        """(label) => {
            const region = document.querySelector(`[aria-label="${label}"]`);
            return region.scrollWidth - region.clientWidth;
        }""",
        label,
    )
    return hidden


def test_what_sets_clusters_apart_is_in_sight_on_a_phone(browser: Any, files: dict[str, Path]) -> None:
    with Shown(browser, files["fit"]) as shown:
        for width in (360, 400, 1280):
            shown.page.set_viewport_size({"width": width, "height": 800})
            assert _hidden_sideways(shown, "Clusters in words") <= 0, width


def test_many_clusters_and_groups_are_in_sight(browser: Any, tmp_path: Path) -> None:
    """All columns of the promises, with 10 clusters, members needed, and more rows than the table shows."""
    random = np.random.default_rng(0)
    race = random.choice(["AfricanAmerican", "Caucasian", "Asian"], 2000)
    age = np.array([f"[{years}-{years + 5})" for years in range(0, 100, 5)])[random.integers(20, size=2000)]
    columns = {"race": race.tolist(), "age": age.tolist()}
    asked = {"alpha": 0.2, "beta": {"race=Caucasian": 8}, "min_members": 30, "n_clusters": 10}
    labels = random.integers(10, size=2000)
    before = audit(random.integers(10, size=2000), columns, **asked)
    result = audit(labels, columns, **asked)
    names = Names(result.groups, "group"), Names(result.clusters, "cluster")
    path = tmp_path / "page.html"
    text = page_of("x", "", [promises(1, result, *names, ("With k-means", before))], [])
    path.write_text(text, encoding="utf-8")
    with Shown(browser, path) as shown:
        assert _hidden_sideways(shown, "Promises by group") <= 0
