"""``llms.txt``: the pages of the site with a sentence each, and their plain text, for programs that read."""

import re
from pathlib import Path
from typing import Any

SUMMARY = (
    "Clustering in which every group counts somewhere: k-means and k-medians that guarantee each group a "
    "share of at least alpha in at least beta clusters, at the least cost, with a proof of how good the "
    "answer is. A Python library (a scikit-learn estimator, MiniReL) and a command line (minirel fit, "
    "minirel audit)."
)


def first_sentence(doctree: Any) -> str:
    """Of the first paragraph of a page."""
    from docutils import nodes

    for paragraph in doctree.findall(nodes.paragraph):
        node = paragraph.parent
        while node is not None and not isinstance(node, nodes.Admonition):
            node = node.parent
        if node is None:
            text = " ".join(paragraph.astext().split())
            return re.split(r"(?<=[.!?]) ", text)[0]
    return ""


def plain(env: Any, name: str) -> str:
    """Where the text of a page is; of the reference that is the page, which is made from the docstrings."""
    suffix = Path(env.doc2path(name)).suffix
    return f"{name}.html" if "/generated/" in name else f"_sources/{name}{suffix}.txt"


def write(app: Any, error: Exception | None) -> None:
    """Called by Sphinx at the end of the build."""
    if error is not None or app.builder.format != "html":
        return
    env, lines = app.env, ["# minirel", "", f"> {SUMMARY}", ""]
    for section, names in sections(env):
        lines += [f"## {section}", ""]
        for name in names:
            said = first_sentence(env.get_doctree(name))
            lines.append(f"- [{env.titles[name].astext()}]({plain(env, name)}): {said}")
        lines.append("")
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines), encoding="utf-8")


def sections(env: Any) -> list[tuple[str, list[str]]]:
    """The pages by the part of the site that they are in, in the order of the menus."""
    parts: list[tuple[str, list[str]]] = []
    for top in env.toctree_includes.get("index", []):
        below: list[str] = []
        waiting = [top]
        while waiting:
            name = waiting.pop(0)
            below.append(name)
            waiting = [*env.toctree_includes.get(name, []), *waiting]
        parts.append((env.titles[top].astext(), below))
    return parts


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
