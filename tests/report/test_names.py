"""Names from the data."""

from minirel.report.names import Names


def test_names_that_would_look_alike_say_which_is_which() -> None:
    names = Names([1, "1", "a", " a", "x" * 100 + "y" + "z" * 20, "x" * 100 + "w" + "z" * 20], "group")
    assert len(set(names.short)) == len(names) == 6
    assert names.short[0] == "1 (group 1)"


def test_a_direction_stays_with_its_name() -> None:
    short = Names(["שלום", "\u202eabc", "plain"], "group").short
    assert short == ["\u2068שלום\u2069", r"\u202eabc", "plain"]
    # What a name brings along cannot end the isolation of others.
    assert Names(["\u2069שלום"], "group").short == ["\u2068\\u2069שלום\u2069"]


def test_empty_names_are_seen() -> None:
    names = Names(["", " "], "cluster")
    assert names.short == ["(empty) (cluster 1)", "(empty) (cluster 2)"]
    assert "(empty)" in names.whole(0)


def test_long_names() -> None:
    names = Names(["x" * 500, "x" * 10**6], "group")
    assert len(names.short[0]) < 50
    assert "x" * 500 in names.whole(0)
    assert f'title="{"x" * 500}"' in names.of(0)
    assert len(names.whole(1)) < 3000
    assert "title" not in names.bare(0)
