"""Crawl the built site: every link, image and anchor is there, and nothing is fetched from elsewhere.

``python docs/check_site.py docs/_build/html`` prints what is wrong and ends with 1, or says how much it
looked at.
"""

import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself. A link that a reader may follow can lead anywhere.
LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "video": "src", "audio": "src"}
STYLES = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch", "shortcut"}


@dataclass
class Found(HTMLParser):
    """The anchors, links and loaded files of a page."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Called by the parser."""
        of = {name: value for name, value in attributes if value is not None}
        self.anchors.update(of[name] for name in ("id", "name") if name in of)
        if tag == "a" and "href" in of:
            self.links.append(of["href"])
        elif tag == "link" and "href" in of:
            styles = set(of.get("rel", "").lower().split()) & STYLES
            (self.loaded if styles else self.links).append(of["href"])
        elif tag in LOADED and LOADED[tag] in of:
            self.loaded.append(of[LOADED[tag]])


@cache
def read(page: Path) -> Found:
    """What is on a page."""
    found = Found()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def trouble(root: Path, page: Path, target: str, *, loaded: bool) -> str | None:
    """What is wrong with a link or a loaded file, or None."""
    parts = urlsplit(target)
    if parts.scheme == "data" or (parts.scheme in ("http", "https", "mailto") and not loaded):
        return None
    if parts.scheme or parts.netloc:
        return "is fetched from elsewhere"
    path = page if not parts.path else page.parent / unquote(parts.path)
    if parts.path.startswith("/"):
        return "begins with /, so it depends on where the site lies"
    path = path / "index.html" if path.is_dir() else path
    if not path.is_file():
        return "is not there"
    if not path.resolve().is_relative_to(root.resolve()):
        return "is not part of the site"
    if parts.fragment and path.suffix == ".html" and unquote(parts.fragment) not in read(path).anchors:
        return "has no such anchor"
    return None


def pages_of(root: Path) -> list[Path]:
    """Without templates of the theme, and files to download that are pages of their own."""
    return [page for page in sorted(root.rglob("*.html")) if not {"_downloads", "_static"} & set(page.parts)]


def check(root: Path) -> tuple[int, list[str]]:
    """The number of pages of a site, and all that is wrong with them."""
    wrong = []
    pages = pages_of(root)
    for page in pages:
        found = read(page)
        for loaded, targets in ((False, found.links), (True, found.loaded)):
            for target in dict.fromkeys(targets):
                if told := trouble(root, page, target, loaded=loaded):
                    wrong.append(f"{page.relative_to(root)}: {target} {told}")
    return len(pages), wrong


def main() -> int:
    """Check the site in the folder that is named."""
    root = Path(sys.argv[1])
    n_pages, wrong = check(root)
    for one in wrong:
        print(one, file=sys.stderr)
    n_links = sum(len(read(page).links) + len(read(page).loaded) for page in pages_of(root))
    print(f"{n_pages} pages, {n_links:,} links and files: {len(wrong)} broken")
    return 1 if wrong or not n_pages else 0


if __name__ == "__main__":
    sys.exit(main())
