"""Text from the data, with what cannot be seen made visible."""

import re

# Control characters (a terminal obeys them), line and paragraph separators, marks that turn the direction of
# what follows, other marks of no width but those that join letters and emoji, and lone surrogates.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
)
UNSEEN = re.compile(f"[{_UNSEEN}]")


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
