"""The page of a frontier in a real browser: sliders, clicks and keys, two requests, both themes, paper."""

from pathlib import Path
from typing import Any

import pytest

from report.frontiers import iris_page
from report.test_browser import CONTRASTS, Shown


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frontier") / "page.html"
    path.write_bytes(iris_page().encode())
    return path


def chosen(shown: Shown) -> str:
    return str(shown.page.locator(".card:not(.second) h3 span").first.text_content())


def test_sliders_by_keyboard(browser: Any, path: Path) -> None:
    with Shown(browser, path) as shown:
        clusters = shown.page.get_by_role("slider", name="Clusters", exact=True)
        clusters.focus()
        shown.page.keyboard.press("Home")
        assert shown.page.locator(".panel:visible h3").all_text_contents() == ["3 clusters"]
        shown.page.keyboard.press("ArrowRight")
        assert shown.page.locator(".panel:visible h3").all_text_contents() == ["5 clusters"]
        assert clusters.get_attribute("aria-valuetext") == "5"
        for name, key in (("Share that counts", "Home"), ("Clusters promised", "End")):
            shown.page.get_by_role("slider", name=name).focus()
            shown.page.keyboard.press(key)
        assert chosen(shown) == "Request 8"
        assert "versicolor 3" in shown.page.locator(".controls").inner_text()
        assert shown.page.url.split("#")[1].startswith("r8;")


def test_the_budget_moves_what_can_be_had(browser: Any, path: Path) -> None:
    with Shown(browser, path) as shown:
        budget = shown.page.get_by_role("slider", name="Budget: more than k-means")
        lines = []
        for key in ("Home", "End"):
            budget.focus()
            shown.page.keyboard.press(key)
            lines.append(float(shown.page.locator(".panel:visible line.budget").get_attribute("y1")))
            listed = shown.page.locator(".within li").count()
            marked = shown.page.locator(".sign.best").count()
            assert listed == min(marked, 6)
            assert listed > 0
        assert lines[0] > lines[1], "it goes up"
        assert shown.page.locator("td.beyond").count() == 0
        budget.focus()
        shown.page.keyboard.press("Home")
        assert "For 0% more than plain k-means" in shown.page.locator(".within").inner_text()
        assert shown.page.locator("td.beyond").count() > 0


def test_cells_and_points_by_mouse_and_keyboard(browser: Any, path: Path) -> None:
    with Shown(browser, path) as shown:
        cells = shown.page.locator(".panel:visible table.heat td a")
        cells.nth(0).click()
        first = chosen(shown)
        assert shown.page.locator("td.chosen").count() == 1
        cells.nth(0).focus()
        shown.page.keyboard.press("ArrowRight")
        shown.page.keyboard.press("ArrowDown")
        shown.page.keyboard.press("Enter")
        second = chosen(shown)
        assert (int(second.split()[1]) - int(first.split()[1])) == 4
        shown.page.locator(".panel:visible svg .dot").first.click()
        assert chosen(shown) != second
        catches = """dot => {
            dot.scrollIntoView({ block: "center" });
            const { x, y, width, height } = dot.getBoundingClientRect();
            return dot.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        }"""
        dots = shown.page.locator(".panel:visible svg .dot")
        is_chosen = dots.evaluate_all("dots => dots.map((dot) => dot.classList.contains('chosen'))")
        # A second click must reach what lies below the chosen one; any other takes it itself.
        last = len(is_chosen) - 1
        assert is_chosen.count(True) == 1
        assert not dots.nth(is_chosen.index(True)).evaluate(catches)
        assert is_chosen[last] or dots.nth(last).evaluate(catches)
        dot = shown.page.locator(".panel:visible svg .dot").nth(1)
        dot.focus()
        shown.page.keyboard.press("Enter")
        assert chosen(shown) == f"Request {dot.get_attribute('data-row')}"


def test_a_refused_request_says_why(browser: Any, path: Path) -> None:
    with Shown(browser, path) as shown:
        shown.page.goto(f"{path.as_uri()}#r5")
        shown.page.reload()
        shown.asked = shown.asked[:1]
        card = shown.page.locator(".card")
        assert "No clustering can keep this." in card.inner_text()
        assert "nearest request" in card.inner_text()


def test_two_side_by_side_and_a_link_to_them(browser: Any, path: Path) -> None:
    with Shown(browser, path, viewport={"width": 1280, "height": 900}) as shown:
        shown.page.locator(".panel:visible table.heat td a").nth(0).click()
        focused = "document.activeElement.textContent"
        for key in ("Enter", "Space"):
            shown.page.get_by_role("button", name="Compare with another").press(key)
            assert "Choose another request in the map" in shown.page.locator(".card .buttons").inner_text()
            assert shown.page.get_by_role("button", name="Swap").count() == 0
            assert shown.page.evaluate(focused) == "Cancel"
            shown.page.keyboard.press(key)
            assert shown.page.evaluate(focused) == "Compare with another"
        shown.page.keyboard.press("Enter")
        shown.page.locator(".panel:visible table.heat td a").nth(1).click()
        cards = shown.page.locator(".card")
        assert cards.count() == 2
        boxes = [cards.nth(i).bounding_box() for i in (0, 1)]
        assert boxes[0]["y"] == boxes[1]["y"]
        assert boxes[0]["x"] < boxes[1]["x"]
        titles = cards.locator("h3").all_text_contents()
        url = shown.page.url
        shown.page.get_by_role("button", name="Swap").press("Enter")
        assert cards.locator("h3").all_text_contents() == titles[::-1]
        assert shown.page.evaluate(focused) == "Swap"
        shown.page.goto("about:blank")
        shown.page.goto(url)
        assert cards.locator("h3").all_text_contents() == titles
        shown.page.get_by_role("button", name="Put away").press("Enter")
        assert cards.count() == 1
        assert shown.page.evaluate(focused) == "Compare with another"
        shown.asked = shown.asked[:1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser: Any, path: Path, scheme: str) -> None:
    with Shown(browser, path) as shown:
        shown.page.emulate_media(color_scheme=scheme)
        assert shown.page.evaluate(CONTRASTS) == []
        shown.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        assert shown.page.evaluate(CONTRASTS) == []


def test_nothing_overflows(browser: Any, path: Path) -> None:
    with Shown(browser, path) as shown:
        shown.page.get_by_role("button", name="Compare with another").click()
        shown.page.locator(".panel:visible table.heat td a").nth(1).click()
        shown.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        for width in (320, 360, 768, 1400):
            shown.page.set_viewport_size({"width": width, "height": 700})
            assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
            wide = shown.page.evaluate(
                """() => [...document.querySelectorAll("body *")].filter(
                    (e) => !e.closest(".scroll, svg") && e.getBoundingClientRect().right > innerWidth + 1
                ).map((e) => e.outerHTML.slice(0, 80))"""
            )
            assert wide == [], width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_cut_off_shows_that_it_goes_on(browser: Any, path: Path, scheme: str) -> None:
    fades = "box => parseFloat(getComputedStyle(box).getPropertyValue('--more'))"
    size = {"width": 320, "height": 700}
    with Shown(browser, path, viewport=size, color_scheme=scheme) as shown:
        chart, cells = (shown.page.locator(f".panel:visible {name}") for name in (".drawing", ".scroll"))
        assert chart.evaluate("box => box.scrollWidth > box.clientWidth")
        assert "gradient" in chart.evaluate("box => getComputedStyle(box).backgroundImage")
        assert cells.first.evaluate("box => box.scrollWidth > box.clientWidth")
        assert cells.first.evaluate(fades) > 10
        cells.first.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        shown.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert cells.first.evaluate(fades) == 0
        shown.page.set_viewport_size({"width": 1400, "height": 700})
        assert cells.first.evaluate(fades) == 0


def test_everything_has_a_name(browser: Any, path: Path) -> None:
    """For those who hear the page: controls, links, regions and pictures, and no two ids alike."""
    with Shown(browser, path) as shown:
        nameless = shown.page.evaluate(
            """() => [...document.querySelectorAll(
                "a, button, input, [role=region], [role=img], svg, [role=group], article"
            )].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.title))
            .map((e) => e.outerHTML.slice(0, 80))"""
        )
        assert nameless == []
        ids = shown.page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
        assert len(ids) == len(set(ids))
        regions = shown.page.evaluate(
            "[...document.querySelectorAll('[role=region]')].map((e) => e.getAttribute('aria-label'))"
        )
        assert len(regions) == len(set(regions))


def test_without_javascript_all_is_there(browser: Any, path: Path) -> None:
    with Shown(browser, path, java_script_enabled=False) as plain:
        assert plain.page.locator("button, input, [hidden]").count() == 0
        assert plain.page.locator(".panel").count() == 2
        assert plain.page.locator(".panel").last.is_visible()
        plain.page.locator("table.heat td a").first.click()
        assert plain.page.url.endswith("#r0")
        assert plain.page.locator("details.request").count() == 12
        assert "For 10% more" in plain.page.locator(".within").inner_text()


def test_print(browser: Any, path: Path) -> None:
    with Shown(browser, path, viewport={"width": 688, "height": 1000}, color_scheme="dark") as shown:
        shown.page.evaluate("window.print = () => { window.printed = document.body.className; }")
        shown.page.get_by_role("button", name="Print this").click()
        assert shown.page.evaluate("window.printed") == "one"
        shown.page.emulate_media(media="print", color_scheme="dark")
        assert shown.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert shown.page.locator(".card").is_visible()
        assert not shown.page.locator(".panel").first.is_visible()
        assert not shown.page.locator("details.request").first.is_visible()
        assert not shown.page.locator(".controls").is_visible()
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 688
        shown.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert shown.page.locator(".panel:visible").count() == 1
        assert shown.page.evaluate(CONTRASTS) == []
        assert shown.page.pdf(format="A4").startswith(b"%PDF")
