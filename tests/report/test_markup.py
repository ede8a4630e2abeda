"""The one place that escapes."""

import pytest

from minirel.report.markup import join, raw, tag, text


def test_strings_are_escaped_wherever_they_are() -> None:
    shown = tag("td", "<b>&", ["'", None, tag("i", "<")], title='"><script>', data_v="'")
    assert (
        shown == '<td title="&quot;&gt;&lt;script&gt;" data-v="&#x27;">&lt;b&gt;&amp;&#x27;<i>&lt;</i></td>'
    )


def test_markup_in_a_formatted_string_is_text_again() -> None:
    assert tag("p", f"{tag('b', 'x')}") == "<p>&lt;b&gt;x&lt;/b&gt;</p>"


@pytest.mark.parametrize("name", ["script", "style", "a b", "a>", "", "1"])
def test_no_other_elements(name: str) -> None:
    with pytest.raises(ValueError, match="no such element"):
        tag(name)


@pytest.mark.parametrize("name", ["onclick", "ONLOAD", "a b", "x=", "on_click"])
def test_no_handlers_of_events(name: str) -> None:
    with pytest.raises(ValueError, match="no such attribute"):
        tag("p", **{name: "alert(1)"})


def test_attributes() -> None:
    assert tag("p", class_="a", aria_label=None, hidden=True, title=False) == '<p class="a" hidden></p>'
    assert tag("meta", name="a") == '<meta name="a">'
    assert tag("rect", x=1) == '<rect x="1"/>'


def test_raw_content_cannot_end_its_element() -> None:
    assert raw("style", "p { }") == "<style>p { }</style>"
    for bad in ("</style>", "a</script", "<!--"):
        with pytest.raises(ValueError, match="cannot be put"):
            raw("script", bad)
    with pytest.raises(ValueError, match="cannot be put"):
        raw("p", "x")


def test_what_a_browser_would_drop_is_shown() -> None:
    assert text("\x00\x1b") == r"\x00\x1b"
    assert text("a\n\tb") == "a\n\tb"
    assert text("\x85\u202e") == r"\x85\u202e"
    assert text("\ud800").encode() == b"\\ud800"
    assert join(["<", tag("br")]) == "&lt;<br>"
