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
_CHOICE = re.compile("'.*' is not one of ")
_BY_CLICK = re.compile(r"'(?P<value>.*)' is not a valid (?P<kind>int|float)(eger)?\.")
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
    """Name the option, the rule and the value, if a value has been refused."""
    option = next(iter(getattr(getattr(error, "param", None), "opts", [])), None)
    if option is None:
        return None
    said = error.message.removeprefix("Value error, ").rstrip(".")
    if _CHOICE.match(said):
        return f"{option} {said}"
    kind, value = _refused(error)
    rule = _RULES.get(kind)
    return None if rule is None else f"{option} must be {rule}, but is {value!r}{_hint(option, value)}"


def _refused(error: Any) -> tuple[str, str]:
    """What a value should have been, and the value: as pydantic says, or click in older versions of typer."""
    problems = getattr(error.__cause__, "errors", None)
    if problems is not None:
        problem = problems()[0]
        return str(problem["type"]).split("_")[0], visible(str(problem["input"]))
    found = _BY_CLICK.fullmatch(error.message)
    return (found["kind"], found["value"]) if found else ("", "")


def _hint(option: str, value: str) -> str:
    if option == "--clusters" and _SEVERAL.fullmatch(value):
        return ": choose one; minirel frontier compares several"
    return f": write {value.replace(',', '.')}" if _COMMA.fullmatch(value) else ""
