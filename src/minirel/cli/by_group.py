"""Numbers for all groups or by group, as they are typed: ``0.51`` or ``Female:0.4,Male:0.51``."""

import re
import shlex
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

from minirel.cli.messages import UserError, option
from minirel.points.messages import Parameter
from minirel.promises.kinds import OF_SIZES

# Parameters that are shares, and those that may also be a word.
_SHARES, _WORDS = ("alpha", "min_share", "max_share"), ("beta",)

# A number with a decimal comma.
_COMMA = re.compile(r"\d*,\d+%?")
_QUOTING = """ (quote odd names: '"a,b:1":3')"""

Value = int | float | Fraction | str
Typed = Value | dict[str, Value]

# A name ends at the first colon with nothing but a number up to a comma or the end, so that names may hold
# colons and commas; in quotes they may hold anything.
_ENTRY = re.compile(
    r"""\s*(?:"(?P<double>(?:[^"]|"")*)"|'(?P<single>(?:[^']|'')*)'|(?P<bare>[^\s].*?))\s*"""
    r""":\s*(?P<number>[-+.0-9eE/]+%?)\s*(?:,|$)"""
)


def read_typed(text: str, parameter: str) -> Typed:
    """Read a number, a word where one can be meant, or numbers by group."""
    stripped, typed = text.strip(), option(Parameter(parameter))
    example = "Female:0.4,Male:0.51" if parameter in _SHARES else "Female:3,Male:4"
    if not stripped:
        raise UserError(f"{typed} is empty: write a number, or numbers by group such as {example}")
    if ":" not in stripped:
        if parameter in _SHARES and _COMMA.fullmatch(stripped):
            point = stripped.replace(",", ".")
            raise UserError(f"{typed} {text!r} is not a number: write it with a decimal point, {point}")
        if "," in stripped:
            raise UserError(
                f"{typed} {text!r} names no groups: write one before each number, such as {example}"
            )
        number = read_number(stripped)
        if number is not None:
            _check_share(number, parameter, typed)
            return number
        if parameter in _WORDS:
            return stripped.replace("-", "_")
        raise UserError(f"{typed} {text!r} is not a number: write one, or numbers by group such as {example}")
    numbers: dict[str, Value] = {}
    position = 0
    while position < len(stripped):
        entry = _ENTRY.match(stripped, position)
        number = read_number(entry["number"]) if entry else None
        if entry is None or number is None:
            left = stripped[position:]
            comma = " (numbers have a decimal point, as 0.51)" if left.split(",")[0].isdecimal() else ""
            raise UserError(
                f"{typed} cannot be read at {left!r}: write GROUP:NUMBER, separated by "
                f"commas, such as {example}{comma or _QUOTING}"
            )
        name = _name(entry)
        _check_share(number, parameter, f"{typed} for {name!r}")
        if name in numbers:
            raise UserError(f"{typed} names the group {name!r} twice: keep one of them")
        numbers[name] = number
        position = entry.end()
    return numbers


def _check_share(number: Value, parameter: str, typed: str) -> None:
    """Refuse a share that looks like a percentage; the library says what is wrong with others."""
    if parameter in _SHARES and isinstance(number, int) and 1 < number <= 100:
        rule = "a share above 0 and at most 1" if parameter == "alpha" else "a share from 0 to 1"
        raise UserError(
            f"{typed} must be {rule}, but is {number}: did you mean {number}% or {number / 100:g}?"
        )


def read_promises(**promises: str | None) -> dict[str, Typed]:
    """Read what was typed for each of these parameters; those that were not typed are left out."""
    return {
        parameter: read_typed(text, parameter) for parameter, text in promises.items() if text is not None
    }


def for_groups(promises: dict[str, Typed], names: tuple[Hashable, ...]) -> dict[str, Any]:
    """The same with the groups' own names, which may be numbers; the library says what is wrong with it."""
    known = {str(name): name for name in names}
    return {
        parameter: {known.get(name, name): number for name, number in typed.items()}
        if isinstance(typed, dict)
        else typed
        for parameter, typed in promises.items()
    }


def as_options(request: Mapping[str, object]) -> str:
    """A request of the library as options to type."""
    parts = []
    for parameter, value in request.items():
        if isinstance(value, Mapping):
            text = ",".join(f"{_quoted(str(name))}:{number}" for name, number in value.items())
        elif parameter in OF_SIZES and isinstance(value, list):
            text = ",".join(map(str, value))
        elif isinstance(value, int | float | str):
            text = str(value)
        else:
            continue
        parts.append(f"{option(Parameter(parameter))} {shlex.quote(text)}")
    return " ".join(parts)


def _name(entry: re.Match[str]) -> str:
    if entry["double"] is not None:
        return entry["double"].replace('""', '"')
    if entry["single"] is not None:
        return entry["single"].replace("''", "'")
    return entry["bare"]


def _quoted(name: str) -> str:
    plain = re.fullmatch(r"[^\s\"',:](?:[^\"',:]*[^\s\"',:])?", name)
    return name if plain else '"' + name.replace('"', '""') + '"'


def read_number(text: str) -> int | float | Fraction | None:
    """Read a number, exact if it is a percentage or a fraction; None if it is none."""
    try:
        if text.endswith("%"):
            return Fraction(text[:-1]) / 100
        if "/" in text:
            return Fraction(text)
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    except (ValueError, ZeroDivisionError):
        return None
