"""The frame of a page: one file that asks nothing of the network."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from minirel.report.markup import Child, Markup, document, raw, tag
from minirel.report.source import Source

# What the words mean, for readers who have not met them.
WORDS = (
    ("Cluster", "A set of rows of the data that are alike. Every row is in exactly one cluster."),
    ("Group", "People or things that share a trait, such as a sex, a party or a language."),
    (
        "Represented",
        "A group is represented in a cluster if it makes up at least the needed share of that cluster's "
        "members, and has the needed number of them if one was asked for. A star ★ marks this.",
    ),
    (
        "Promise",
        "The number of clusters in which a group has to be represented, or bounds on its share in every "
        "cluster.",
    ),
    ("Holder", "A group for which a cluster was set aside: in that cluster it has to be represented."),
)
COST_WORDS = (
    ("Center", "The typical member of a cluster: the average (or the median) of its members."),
    (
        "Cost",
        "How far the members are from the center of their cluster, added up: the lower, the more alike the "
        "members of a cluster are. Its unit has no meaning of its own; compare costs with each other.",
    ),
)


def glossary(source: Source | None, *more: tuple[str, str]) -> list[tuple[str, str]]:
    """What the words mean, where some rows of the data may have been left out, and what `more` mean."""
    if source is None or not source.n_left_out:
        return [*WORDS, *more]
    (cluster, meaning), *others = WORDS
    return [(cluster, f"{meaning.removesuffix('.')}, but for those that were left out."), *others, *more]


def section(number: int, question: str, *children: Child) -> Markup:
    """A question and its answer."""
    name = f"q{number}"
    return tag("section", tag("h2", f"{number}. {question}", id=name), children, aria_labelledby=name)


def page(
    title: str,
    lead: Child,
    sections: Sequence[Markup],
    words: Sequence[tuple[str, str]],
    *,
    besides: Sequence[str] = (),
) -> str:
    """A whole page, with its style and script inside and everything else forbidden.

    `besides` are the names of more files with style and script, without their endings.
    """
    title = title if title.strip() else "Report"
    style = "\n".join(_read(f"{name}.css") for name in ("style", *besides))
    script = "\n".join(_read(f"{name}.js") for name in ("script", *besides))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        raw("style", style),
    )
    meanings = (tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in words)
    body = tag(
        "body",
        tag("header", tag("h1", tag("bdi", title)), lead),
        tag("main", sections),
        tag("footer", tag("p", "Words used on this page", class_="words"), tag("dl", meanings)),
        raw("script", script),
    )
    return document(tag("html", head, body, lang="en", dir="ltr"))


def _read(name: str) -> str:
    return files("minirel.report").joinpath(name).read_text(encoding="utf-8")
