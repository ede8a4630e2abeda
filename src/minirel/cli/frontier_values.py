"""Lists of values as they are typed for a frontier, and a request as a command of its own."""

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from minirel.cli.by_group import Typed, as_options, read_number, read_typed
from minirel.cli.messages import UserError
from minirel.frontiers.wording import as_typed

_RANGE = re.compile(r"\s*(\d+)\s*-\s*(\d+)\s*\Z")
_MOST = 10_000
# A value for all groups, before others.
_FIRST = re.compile(r"\s*([-+.0-9eE/]+%?|[a-z]+(?:[-_][a-z]+)+)\s*,")
# Options of `minirel frontier` that are varied, or that `minirel fit` has not; each has a value.
_OWN = (
    *(
        "--clusters",
        "-k",
        "--alpha",
        "--beta",
        "--max-share",
        "--budget",
        "--out",
        "-o",
        "--json",
        "--report",
    ),
    *("--resume", "--max-requests", "--seeds", "--n-jobs", "--time-limit"),
)
_OWN_FLAGS = ("--quiet", "-q")


def read_numbers(texts: Sequence[str]) -> list[int]:
    """Read numbers of clusters: ``4,6,8`` or ``4-8``."""
    numbers: list[int] = []
    for part in (part for text in texts for part in text.split(",")):
        found = _RANGE.match(part)
        if found is not None and int(found[1]) <= int(found[2]) < int(found[1]) + _MOST:
            numbers += range(int(found[1]), int(found[2]) + 1)
        elif part.strip().isdecimal():
            numbers.append(int(part))
        else:
            raise UserError(f"--clusters {part.strip()!r} is not a number of clusters: write 4,6,8 or 4-8")
    return numbers


def read_lists(texts: Sequence[str], parameter: str) -> list[Typed]:
    """Read values: ``0.4,0.51``, or by group ``F:0.4,M:0.5``, with semicolons between several."""
    values: list[Typed] = []
    for text in texts:
        for one in text.split(";"):
            left = one
            while (first := _FIRST.match(left)) is not None:
                values.append(read_typed(first[1], parameter))
                left = left[first.end() :]
            values += [read_typed(part, parameter) for part in ([left] if ":" in left else left.split(","))]
    return values


def read_budget(text: str) -> float:
    """Read a share of extra cost: ``2%`` or ``0.02``."""
    value = read_number(text.strip())
    if value is None or not math.isfinite(value):
        raise UserError(f"--budget {text!r} is not a share: write one such as 2% or 0.02")
    if value < 0:
        raise UserError(f"--budget must be at least 0, but is {text}")
    if value >= 1 and "%" not in text:
        raise UserError(
            f"--budget must be a share such as 2% or 0.02, but is {text}: did you mean {text.strip()}%? "
            f"{100 * float(value):g}% is written so"
        )
    return float(value)


def fit_command(args: Sequence[str], values: Mapping[str, Any]) -> str:
    """The command that fits one request alone, from the one that was typed for all."""
    kept = ["minirel", "fit"]
    left = iter(args[1:])
    for arg in left:
        name = arg.split("=", 1)[0]
        if name in _OWN or (arg[:2] in ("-k", "-o") and not arg.startswith("--")):
            if arg == name:
                next(left, None)
        elif name not in _OWN_FLAGS:
            kept.append(arg)
    plain = {name: as_typed(value) for name, value in values.items() if value is not None}
    return f"{shlex.join(kept)} {as_options(plain)}"


def shown(parameter: str, value: Any) -> str:
    """A value in a table of text."""
    if value is None:
        return "-"
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{one}" for name, one in as_typed(value).items())
    return str(as_typed(value))


def nearest_as_options(nearest: Mapping[str, Any] | None) -> str:
    """What to change, as options to type."""
    return as_options(as_typed(nearest)) if nearest else ""
