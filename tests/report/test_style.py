"""Colours that everybody can read, by the rules of WCAG 2."""

import re
from importlib.resources import files
from itertools import product

import pytest

# Text (4.5 to 1) by what it stands on; shapes that say something (3 to 1).
TEXT = [
    *product(("ink", "muted"), ("paper", "panel", "hot")),
    *product(("star", "accent"), ("paper", "panel", "hot")),
    ("good-ink", "good-paper"),
    ("bad-ink", "bad-paper"),
    ("paper", "ink"),
]
SHAPES = [*product(("held", "other", "need"), ("paper", "hot")), ("muted", "paper")]


def palettes() -> dict[str, dict[str, str]]:
    css = files("minirel.report").joinpath("style.css").read_text(encoding="utf-8")
    blocks = [
        dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", block))
        for block in re.findall(r":root\s*{([^}]*)}", css)
    ]
    light, dark, printed = blocks
    assert "@media screen and (prefers-color-scheme: dark)" in css  # what is printed is light
    return {"light": light, "dark": dark, "print": light | printed}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_contrast(theme: str) -> None:
    colours = palettes()[theme]
    for front, back in TEXT:
        assert contrast(colours[front], colours[back]) >= 4.5, (front, back)
    for front, back in SHAPES:
        assert contrast(colours[front], colours[back]) >= 3, (front, back)


def test_every_theme_has_every_colour_and_no_colour_is_outside_the_palette() -> None:
    light, dark, printed = palettes().values()
    assert light.keys() == dark.keys() == printed.keys()
    css = files("minirel.report").joinpath("style.css").read_text(encoding="utf-8")
    rest = re.sub(r":root\s*{[^}]*}", "", css)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", rest)
    assert set(re.findall(r"var\(--([\w-]+)\)", rest)) == set(light)
