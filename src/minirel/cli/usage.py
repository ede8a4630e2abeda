"""Usage errors that show what was typed without obeying it, in words that need no knowledge of Python."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from minirel.points.wording import visible

# It is click's, which some versions of typer bring along under a name of their own.
_UsageError: Any = typer.BadParameter.__mro__[1]

_RULES = {"int": "a whole number", "float": "a number"}
_SEVERAL = re.compile(r"\s*\d+\s*([-,;]\s*\d+\s*)+")
_COMMA = re.compile(r"\s*[-+]?\d*,\d+\s*")


class VisibleCommand(TyperCommand):
    """A command whose usage errors hold no control characters."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        with _visible():
            return list(super().parse_args(ctx, args))


class VisibleGroup(TyperGroup):
    """The same for a group of commands, and for each of them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments up to the command."""
        with _visible():
            return list(super().parse_args(ctx, args))

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _visible():
            return super().invoke(ctx)


@contextmanager
def _visible() -> Iterator[None]:
    try:
        yield
    except _UsageError as error:
        error.message = visible(error.message, but="\n")
        plain = _plainly(error)
        if plain is None:
            raise
        raise _UsageError(plain, ctx=error.ctx) from None


def _plainly(error: Any) -> str | None:
    """Name the option, the rule and the value, if pydantic, which reads the values, has refused one."""
    problems = getattr(error.__cause__, "errors", None)
    option = next(iter(getattr(getattr(error, "param", None), "opts", [])), None)
    if problems is None or option is None:
        return None
    problem = problems()[0]
    kind, value = str(problem["type"]), visible(str(problem["input"]))
    for start, rule in _RULES.items():
        if kind.startswith(start):
            return f"{option} must be {rule}, but is {value!r}{_hint(option, value)}"
    return f"{option} {error.message.removeprefix('Value error, ').rstrip('.')}"


def _hint(option: str, value: str) -> str:
    if option == "--clusters" and _SEVERAL.fullmatch(value):
        return ": choose one; minirel frontier compares several"
    return f": write {value.replace(',', '.')}" if _COMMA.fullmatch(value) else ""
