"""Names and numbers as text in a picture: short, told apart, and shown as they are."""

import sys
from collections import Counter
from collections.abc import Hashable, Iterable
from textwrap import fill
from typing import TYPE_CHECKING

from minirel.outcome.verdict import broken, n_promises
from minirel.points.wording import agreeing, counted, listed, visible

if TYPE_CHECKING:
    from matplotlib.text import Text

    from minirel.outcome.audit import Audit

_MOST_BROKEN_SHOWN = 2


def short(name: Hashable, longest: int) -> str:
    """A name on one line; the middle of a long one is left out, because names often differ at the end."""
    text = " ".join(visible(str(name)).split())
    if not text:
        return repr(name)
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 3
    return f"{text[: longest - 1 - tail]}…{text[-tail:]}"


def short_names(names: Iterable[Hashable], longest: int) -> list[str]:
    """Short names of which no two are alike.

    Those that would be lose the words that they begin with in common; if that is no help, they are numbered.
    """
    full = [short(name, sys.maxsize) for name in names]
    texts = [short(text, longest) for text in full]
    alike = _alike(texts)
    if alike:
        common = _common_start([full[i] for i in alike]).rpartition(" ")[0]
        for i in alike if common else ():
            rest = "…" + full[i][len(common) :].lstrip()
            texts[i] = rest if len(rest) <= longest else rest[: longest - 1] + "…"
    seen = Counter[str]()
    for i in _alike(texts):
        seen[texts[i]] += 1
        texts[i] += f" ({seen[texts[i]]})"
    return texts


def _alike(texts: list[str]) -> list[int]:
    times = Counter(texts)
    return [i for i, text in enumerate(texts) if times[text] > 1]


def _common_start(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:n]


def wrap(text: str, width: int) -> str:
    """Break a text into lines."""
    return fill(text, width, break_on_hyphens=False)


def literal(*texts: "Text") -> None:
    """Show the texts as they are: a group may be called ``$x$``, which would be read as a formula."""
    for text in texts:
        text.set_usetex(False)
        text.set_parse_math(False)


def amount(number: float) -> str:
    """A size or a cost in few characters."""
    if number == int(number) and abs(number) < 1e6:
        return f"{int(number):,}"
    return f"{number:,.0f}" if 1e4 <= abs(number) < 1e6 else f"{number:.4g}"


def verdict(audit: "Audit", otherwise: str) -> str:
    """Whether promises are kept, and who lacks what; or something else if nothing was promised."""
    if not n_promises(audit):
        return otherwise
    wrong = broken(audit, short_names(audit.groups, 24), short_names(audit.clusters, 12))
    if not wrong:
        nothing = len(audit.unpromised)
        if not any(audit.beta):
            return "Every share is within its bounds" if audit.is_bounded else "Every promise is kept"
        if not nothing:
            return "Every group is represented as promised"
        return (
            f"Every promise is kept; {counted(nothing, 'group')} {agreeing('was', nothing)} promised nothing"
        )
    return f"Promises broken: {listed(wrong, most=_MOST_BROKEN_SHOWN)}"
