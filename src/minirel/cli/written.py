"""Texts that are numbers or dates as people write them: 28,4, 2,101.50, $15,002,428, 51% and 2018-11-15."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import UNKNOWN, Cells, check_finite
from minirel.cli.large_column import LargeColumn
from minirel.cli.many_valued import ManyValued
from minirel.cli.messages import warn

_SPACES = " \u00a0\u202f"
_SIGNS = "$€£¥₹%"
# A minus and a sign, in any order, before the digits; or a sign behind them.
_AROUND = re.compile(
    rf"(?P<first>[-+\u2212]?)(?P<before>[{_SIGNS}]?)[{_SPACES}]?(?P<second>[-+\u2212]?)"
    rf"(?P<digits>\d(?:.*\d)?)[{_SPACES}]?(?P<behind>[{_SIGNS}]?)"
)
# What separates thousands, and what comes before the decimals.
_STYLES = ((",", "."), (".", ","), ("'", "."), (_SPACES, ","), (_SPACES, "."))
_LIST = re.compile(r"(\d{1,2}),(\d{1,2})")
# Fewer distinct texts say nothing.
_FEWEST = 3
_DATE = re.compile(
    r"(\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2}))"
    r"([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s?([AaPp][Mm]|Z|[-+]\d{2}:?\d{2}|UTC)?)?"
)


@dataclass(frozen=True, eq=False)
class Written:
    """Numbers that texts stand for: `values`, or None if they can be read in several ways.

    `example` is the text that shows it best, and `means` what it is in each way.
    """

    values: NDArray[np.float64] | None
    example: str
    means: list[str]

    def __str__(self) -> str:
        return f"{self.example!r} {'is' if len(self.means) == 1 else 'may be'} {' or '.join(self.means)}"


def read_written(texts: Sequence[str]) -> Written | None:
    """Read texts of which each is a number in the same style and with the same sign; None if one is not."""
    found = []
    for text in texts:
        match = _AROUND.fullmatch(text)
        if match is None or (match["first"] and match["second"]):
            return None
        found.append(match)
    if len(texts) < _FEWEST or len({match["before"] + match["behind"] for match in found}) > 1:
        return None
    digits = [match["digits"] for match in found]
    longest = int(np.argmax([sum(not c.isdecimal() for c in each) for each in digits]))
    readings: dict[tuple[float, ...], str] = {}
    for thousands, decimal in _STYLES:
        plain = _plain(digits, thousands, decimal)
        if plain is not None:
            readings.setdefault(tuple(map(float, plain)), plain[longest])
    if not readings:
        return None
    minus = [bool({match["first"], match["second"]} & {"-", "\u2212"}) for match in found]
    means = [("-" if minus[longest] else "") + plain for plain in readings.values()]
    if _may_be_lists(digits):
        means.append("several values (--split)")
    values = np.where(minus, -1, 1) * next(iter(readings))
    return Written(values if len(means) == 1 else None, texts[longest], means)


def are_dates(texts: Sequence[str]) -> bool:
    """Whether texts look like dates, with or without a time."""
    return len(texts) >= _FEWEST and all(_DATE.fullmatch(text) for text in texts)


def as_written(cells: Cells) -> Cells:
    """The cells as numbers, if they are texts that can be read in one way only; a warning says so."""
    if cells.values is not None or isinstance(cells, ManyValued):
        return cells
    known = [text for text in cells.texts if text != UNKNOWN]
    written = read_written(known)
    if written is None or written.values is None:
        return cells
    check_finite(cells.name, written.values)  # as Python reads a number of 400 digits
    warn(f"column {cells.name!r} is read as numbers: {written}")
    codes = cells.codes
    if len(known) < len(cells.texts):  # among numbers it is a missing cell
        gone = cells.texts.index(UNKNOWN)
        codes = np.where(codes == gone, -1, codes - (codes > gone))
    return Cells(cells.name, codes, known, written.values)


def meant(cells: Cells | LargeColumn) -> str:
    """What the texts of a column may have been meant to be, and what to do about it; else nothing."""
    if cells.values is not None or isinstance(cells, ManyValued):
        return ""
    written = read_written([text for text in cells.texts if text != UNKNOWN])
    if written is not None:
        plain = [mean for mean in written.means if mean.lstrip("-")[0].isdecimal()]
        return f"looks like numbers ({written}): write {' or '.join(plain)}"
    if are_dates(cells.texts):
        return f"looks like dates ({cells.texts[0]!r}): make a number of them first, such as the year"
    return ""


def _plain(digits: list[str], thousands: str, decimal: str) -> list[str] | None:
    """The same as Python writes numbers; None if one of them is not of this style."""
    separator = f"[{re.escape(thousands)}]"
    whole = rf"(?:\d+|[1-9]\d{{0,2}}(?:{separator}\d{{3}})+)"
    style = re.compile(rf"{whole}(?:{re.escape(decimal)}\d+)?")
    if not all(style.fullmatch(each) for each in digits):
        return None
    return [re.sub(separator, "", each).replace(decimal, ".") for each in digits]


def _may_be_lists(digits: list[str]) -> bool:
    """Whether 1,3 and 2,4 may be several values each: small numbers, every time in ascending order."""
    pairs = [_LIST.fullmatch(each) for each in digits if not each.isdecimal()]
    return bool(pairs) and all(pair is not None and int(pair[1]) < int(pair[2]) for pair in pairs)
