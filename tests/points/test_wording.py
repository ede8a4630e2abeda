"""What cannot be seen is made visible, and nothing else is changed."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from minirel.points.wording import visible


@given(st.text(st.characters()))
def test_nothing_is_left_that_acts(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(c) for c in shown} & {
        *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }
    assert "\n" not in shown
    shown.encode()
    if shown == text:
        assert text == "" or not set(text) & set("\x00\x1b\x9b\u202e\u2028\ud800\n")


def test_escapes() -> None:
    assert visible("a \x1b[31m red\u202e\x9b") == r"a \x1b[31m red\u202e\x9b"
    assert visible("two\nlines\r\n", but="\n") == "two\nlines\\r\n"


def test_letters_of_all_kinds_stay() -> None:
    for text in ("Zoë", "שלום", "می‌خواهم", "👩‍👩‍👧", "a\u00a0b", "日本", "back\\slash"):
        assert visible(text) == text
