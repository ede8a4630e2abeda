"""Words for messages and pages: text from the data, plural forms and lists."""

import re
from collections.abc import Iterable

# Control characters (a terminal obeys them), line and paragraph separators, marks that turn the direction of
# what follows, other marks of no width but those that join letters and emoji, and lone surrogates.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
)
UNSEEN = re.compile(f"[{_UNSEEN}]")
_PLURALS = {"is": "are", "was": "were", "has": "have", "it is": "they are"}


def visible(text: str, but: str = "") -> str:
    r"""Text that does nothing to the terminal or page that shows it: escaped as Python would.

    Parameters
    ----------
    text : str
        A name, or with ``but="\n"`` a message of several lines.
    but : str
        Characters to leave as they are.

    Returns
    -------
    str
        The same text if there is nothing to escape.

    Examples
    --------
    >>> from minirel.points.wording import visible
    >>> print(visible("a \x1b[31m red\n"), visible("Zoë"))
    a \x1b[31m red\n Zoë
    """
    return UNSEEN.sub(lambda found: found[0] if found[0] in but else _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def agreeing(word: str, number: float) -> str:
    """A noun or a verb as it stands beside a number.

    Examples
    --------
    >>> from minirel.points.wording import agreeing
    >>> agreeing("cluster", 2), agreeing("is", 2), agreeing("is", 1)
    ('clusters', 'are', 'is')
    """
    return word if number == 1 else _PLURALS.get(word, f"{word}s")


def counted(number: int, noun: str) -> str:
    """A number of things: 1 cluster, 1,200 clusters."""
    return f"{number:,} {agreeing(noun, number)}"


def listed(parts: Iterable[str], *, most: int | None = None, last: str = ", ") -> str:
    """Words in a row, with `last` before the last of them; of very many only the first.

    Examples
    --------
    >>> from minirel.points.wording import listed
    >>> listed("abc"), listed("abc", last=" and "), listed("abcde", most=2)
    ('a, b, c', 'a, b and c', 'a, b and 3 more')
    """
    shown = list(parts)
    if most is not None and len(shown) > most:
        shown[most:], last = [f"{len(shown) - most:,} more"], " and "
    return last.join([*([", ".join(shown[:-1])] if shown[1:] else []), *shown[-1:]])
