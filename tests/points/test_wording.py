"""What cannot be seen is made visible, and nothing else is changed; plural forms and lists."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from minirel.points.wording import agreeing, counted, listed, visible


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


def test_words_agree_with_their_number() -> None:
    assert [agreeing("is", n) for n in (0, 1, 2)] == ["are", "is", "are"]
    assert agreeing("it is", 3) == "they are"
    assert [counted(n, "cluster") for n in (0, 1, 2000)] == ["0 clusters", "1 cluster", "2,000 clusters"]


def test_lists() -> None:
    assert [listed("abc"[:n], last=" and ") for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed("ab") == "a, b"
    assert listed("abcd", most=4) == "a, b, c, d"
    assert listed("abcd", most=2) == "a, b and 2 more"
    assert listed(map(str, range(2001)), most=1) == "0 and 2,000 more"
