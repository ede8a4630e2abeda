"""Usage errors that show what was typed without obeying it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from minirel.points.wording import visible

# It is click's, which some versions of typer bring along under a name of their own.
_UsageError: Any = typer.BadParameter.__mro__[1]


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
        raise
