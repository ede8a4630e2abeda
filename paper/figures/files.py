"""Pictures as files: small ones, and the same bytes for the same picture."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

import matplotlib as mpl
from matplotlib.figure import Figure as Picture
from PIL import Image

_FONT = "'DejaVu Sans', sans-serif"
_DOTS_PER_INCH = 130
_PNG_COLOURS = 32
_TAG = re.compile(r"<[^>]+>")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_STYLE = re.compile(r' style="([^"]*)"')
_NEEDLESS = re.compile(r' id="(?:[a-z]+\d*_\d+|matplotlib[^"]*|legend[^"]*)"| transform="rotate\(-0 [^"]*\)"')


def as_svg(picture: Picture) -> bytes:
    """A picture as SVG, without a date."""
    file = BytesIO()
    with _settings():
        none = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        picture.savefig(file, format="svg", metadata=none)
    return _compact(file.getvalue().decode()).encode()


def as_png(picture: Picture) -> bytes:
    """A picture as PNG of few colours, which is a third of the size."""
    file = BytesIO()
    with _settings():
        picture.savefig(file, format="png", dpi=_DOTS_PER_INCH)
    few = Image.open(file).convert("RGB").quantize(_PNG_COLOURS, dither=Image.Dither.NONE)
    file = BytesIO()
    few.save(file, format="png", optimize=True)
    return file.getvalue()


@contextmanager
def _settings() -> Iterator[None]:
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams["svg.hashsalt"] = "minirel"  # else names inside the file are drawn at random
        # Text stays text: it can be searched, and takes a tenth of its outlines.
        mpl.rcParams["svg.fonttype"] = "none"
        mpl.rcParams["font.sans-serif"] = ["DejaVu Sans"]
        yield


def _compact(svg: str) -> str:
    """Drop what no reader of the file needs: matplotlib writes six decimals, and the font at every word."""
    # Only within tags: what names from the data say is left as it is.
    shorter = _TAG.sub(lambda found: _compact_tag(found.group()), svg)
    shorter = re.sub(r"<!DOCTYPE[^>]*>|<\?xml[^>]*>|<metadata>.*?</metadata>", "", shorter, flags=re.DOTALL)
    shorter = re.sub(r">\s*\n\s*<", "><", shorter.strip())
    shorter = re.sub(r"<g>(<text [^>]*>[^<]*</text>)</g>", r"\1", shorter)
    return _with_classes(shorter)


def _compact_tag(tag: str) -> str:
    tag = _NEEDLESS.sub("", tag).replace(f"font-family: {_FONT}; ", "").replace(f"; font-family: {_FONT}", "")
    tag = _LONG_NUMBER.sub(lambda found: f"{float(found.group()):.2f}", tag)
    return re.sub(r"\s+", " ", tag).replace(' "', '"')


def _with_classes(svg: str) -> str:
    """Say once what many elements look like."""
    times = Counter(_STYLE.findall(svg))
    names = {style: f"s{i}" for i, style in enumerate(style for style in times if times[style] > 2)}
    shorter = _STYLE.sub(lambda found: f' class="{names[found[1]]}"' if found[1] in names else found[0], svg)
    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    start = '<style type="text/css">'
    return shorter.replace(start, f"{start}text{{font-family:{_FONT}}}{rules}", 1)
