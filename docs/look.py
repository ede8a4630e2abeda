"""Look at the built site in Chromium, wide and narrow, light and dark: ``make look`` after ``make docs``.

Screenshots go to docs/_build/looks. What fails is a page that logs an error, asks the network for
something, has a broken image, or is wider than the screen.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SITE = Path(__file__).parent / "_build" / "html"
PAGES = (
    "index",
    "quickstart",
    "guide/index",
    "guide/promises",
    "gallery/index",
    "gallery/plot_iris",
    "api/index",
    "api/generated/minirel.MiniReL",
    "why",
    "theory",
    "reproduction",
)


def look(browser: Browser, name: str, width: int, theme: str) -> list[str]:
    """What is wrong with a page, whose picture is kept."""
    context = browser.new_context(
        offline=True,
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
    )
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(f"{request.url} could not be loaded"))
    page.goto((SITE / f"{name}.html").as_uri())
    page.wait_for_load_state("networkidle")
    wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if wider > 0:
        wrong.append(f"{wider} pixels wider than the screen")
    wrong += page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)")
    shown = page.evaluate("document.documentElement.dataset.theme")
    if shown != theme:
        wrong.append(f"the theme is {shown}")
    page.screenshot(path=SITE.parent / "looks" / f"{name.replace('/', '_')}-{width}-{theme}.png")
    context.close()
    return wrong


def main() -> int:
    """Look at every page, and tell."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no chromium on this machine: apt-get install chromium", file=sys.stderr)
        return 1
    broken = 0
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for name in PAGES:
            for width in (1280, 400):
                for theme in ("light", "dark"):
                    for told in look(browser, name, width, theme):
                        print(f"{name} at {width}, {theme}: {told}", file=sys.stderr)
                        broken += 1
        browser.close()
    print(f"{len(PAGES)} pages, 2 widths, 2 themes: {broken} troubles; pictures in {SITE.parent / 'looks'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
