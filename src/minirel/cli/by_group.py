"""Numbers for all groups or by group, as they are typed: ``0.51`` or ``Female:0.4,Male:0.51``."""

import re
import shlex
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

from minirel.cli.messages import UserError, option
from minirel.points.messages import Parameter
from minirel.promises.kinds import OF_SIZES

Value = int | float | Fraction | str
Typed = Value | dict[str, Value]

# A name ends at the first colon with nothing but a number up to a comma or the end, so that names may hold
# colons and commas; in quotes they may hold anything.
_ENTRY = re.compile(
    r"""\s*(?:"(?P<double>(?:[^"]|"")*)"|'(?P<single>(?:[^']|'')*)'|(?P<bare>[^\s].*?))\s*"""
    r""":\s*(?P<number>[-+.0-9eE/]+%?)\s*(?:,|$)"""
)


def read_typed(text: str, option: str) -> Typed:
    """Read a number, a word, or numbers by group."""
    stripped = text.strip()
    if not stripped:
        raise UserError(f"{option} is empty: write a number, or numbers by group such as Female:3,Male:4")
    if ":" not in stripped:
        if "," in stripped:
            raise UserError(
                f"{option} {text!r} names no groups: write one before each number, such as Female:3,Male:4"
            )
        number = _number(stripped)
        return stripped.replace("-", "_") if number is None else number
    numbers: dict[str, Value] = {}
    position = 0
    while position < len(stripped):
        entry = _ENTRY.match(stripped, position)
        number = _number(entry["number"]) if entry else None
        if entry is None or number is None:
            raise UserError(
                f"{option} cannot be read at {stripped[position:]!r}: write GROUP:NUMBER, separated by "
                "commas, such as Female:3,Male:4 (quote odd names: '\"a,b:1\":3')"
            )
        name = _name(entry)
        if name in numbers:
            raise UserError(f"{option} names the group {name!r} twice: keep one of them")
        numbers[name] = number
        position = entry.end()
    return numbers


def read_promises(**promises: str | None) -> dict[str, Typed]:
    """Read what was typed for each of these parameters; those that were not typed are left out."""
    return {
        parameter: read_typed(text, option(Parameter(parameter)))
        for parameter, text in promises.items()
        if text is not None
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


def _number(text: str) -> Value | None:
    try:
        if text.endswith("%"):
            return Fraction(text[:-1]) / 100
        if "/" in text:
            return Fraction(text)
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    except (ValueError, ZeroDivisionError):
        return None
