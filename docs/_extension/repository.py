"""Pages of the repository as pages of the site: files are included, and links lead where they do on GitHub.

A line ``<!-- page CONTRIBUTING.md -->`` stands for that file at the top of the repository. A relative link
to a file or folder that is no part of the site leads to it on GitHub; one to a file that is a page here
leads to the page.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
GITHUB = "https://github.com/minirel/minirel"
# Files outside of docs/ that the site shows, and where.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/RESULTS.md": "benchmarks.md",
}
INCLUDE = re.compile(r"^<!-- page (?P<file>[\w./-]+) -->$", re.M)
LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)(?P<target>[^)\s#]+)(?P<fragment>#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^(```|~~~|:::).*?^\1\s*$", re.M | re.S)


def included(file: str) -> str:
    """A file of the repository without its title, links as seen from docs/."""
    text = (ROOT / file).read_text(encoding="utf-8")
    text = re.sub(r"\A# .*\n", "", text)
    if re.search(r"^# ", without_code(text), flags=re.M):  # other parts as large as the title become smaller
        text = outside_code(text, lambda part: re.sub(r"^#", "##", part, flags=re.M))
    return relinked(text, posixpath.dirname(file), "")


def relinked(text: str, folder: str, page_folder: str) -> str:
    """Text of a page in `folder` of the repository, with links for a page in `page_folder` of docs/."""

    def link(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match["target"]))
        fragment = match["fragment"] or ""
        if path in PAGES:
            return posixpath.relpath(PAGES[path], page_folder or ".") + fragment
        if path.startswith("docs/") and (ROOT / path).is_file():
            return posixpath.relpath(path.removeprefix("docs/"), page_folder or ".") + fragment
        if (ROOT / path).exists():
            kind = "tree" if (ROOT / path).is_dir() else "blob"
            return f"{GITHUB}/{kind}/main/{path}{fragment}"
        return match[0]  # made by the build, or nowhere: then it is reported

    return outside_code(text, lambda part: LINK.sub(link, part))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """A text with its parts between blocks of code changed."""
    pieces, last = [], 0
    for fence in FENCE.finditer(text):
        pieces += [change(text[last : fence.start()]), fence[0]]
        last = fence.end()
    return "".join([*pieces, change(text[last:])])


def without_code(text: str) -> str:
    """A text without its blocks of code."""
    return FENCE.sub("", text)


def read(app: Any, docname: str, source: list[str]) -> None:
    """Called by Sphinx with the text of each page."""
    if app.env.doc2path(docname).suffix == ".md":
        folder = posixpath.dirname(docname)
        text = relinked(source[0], posixpath.join("docs", folder), folder)
        source[0] = INCLUDE.sub(lambda match: included(match["file"]), text)
        for match in INCLUDE.finditer(text):
            app.env.note_dependency(str(ROOT / match["file"]))


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
