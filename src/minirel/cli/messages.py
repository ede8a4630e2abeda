"""What is said on standard error, and what becomes of errors."""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import typer

from minirel.cli.interrupts import INTERRUPTED
from minirel.points.messages import (
    BY_GROUP,
    GENERATOR,
    NO_LIMIT,
    OR_MATRIX,
    PAIRS,
    VALUES_OR_MEMBERS,
    Parameter,
    Points,
    Term,
    Value,
    shown,
    spelled,
)
from minirel.points.wording import visible
from minirel.promises.kinds import OF_SIZES

# Options of parameters that have one; most have the same name.
_SAME = (
    *("alpha", "beta", "min_share", "max_share", "min_members", "exclusive", "min_size", "max_size"),
    *("objective", "prefix", "n_init", "n_jobs", "gap", "time_limit", "resume", "max_requests", "budget"),
    *("total", "together", "members", "connect", "neighbours"),
)
_OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SAME} | {
    "n_clusters": "--clusters",
    "n_swaps": "--swaps",
    "n_seeds": "--seeds",
    "sample_weight": "--weight",
    "sensitive_features": "--group",
    "random_state": "--seed",
}
_WORDS = {
    BY_GROUP: "numbers by group (Female:3,Male:4)",
    PAIRS: "or none",
    GENERATOR: "",
    NO_LIMIT: "leave it out for no limit",
    OR_MATRIX: "",
    VALUES_OR_MEMBERS: "Write words in place of the numbers to say so; for membership make columns of 0 and "
    "1 of the text as well",
    Parameter("X"): "the file",
}


class UserError(Exception):
    """Something to be put right by whoever typed the command."""


def option(term: Term) -> str:
    """A term of the library as it is typed here: ``beta['F']`` is ``--beta for 'F'``."""
    if isinstance(term, Value):
        return _typed(term.value)
    if not isinstance(term, Parameter):
        return _WORDS.get(term, term)
    if term.name == "n_samples":
        return f"{term.value} rows"
    if term.name not in _OPTIONS:
        return _WORDS.get(term, term)
    whom = "cluster " if term.name in OF_SIZES else ""
    entry = "" if term.group is None else f" for {whom}{term.group!r}"
    return (
        _OPTIONS[term.name]
        + entry
        + ("" if term.value is None or term.value is True else f" {_typed(term.value)}")
    )


def _typed(value: object) -> str:
    return ",".join(map(shown, value)) if isinstance(value, list) else shown(value)


def in_options(
    said: Exception | Warning,
    typed: Mapping[str, object] | None = None,
    row_names: Sequence[str] | None = None,
) -> str:
    """What the library says, with options in place of its parameters, and their values as they were typed.

    Points are called by the names of their rows.
    """

    def spell(term: Term) -> str:
        if isinstance(term, Points) and row_names is not None:
            return term.named(row_names)
        if typed and isinstance(term, Parameter) and term.value is not None and term.name in typed:
            term = Parameter(term.name, group=term.group, value=typed[term.name])
        return option(term)

    return spelled(said.args[0], spell) if said.args and isinstance(said.args[0], str) else str(said)


def say(text: str, style: str | None = None) -> None:
    """Print on standard error, in colour if that is a terminal."""
    text = visible(text, but="\n")
    if not sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, highlight=False).print(Text(text, style=style or ""), soft_wrap=True)


def warn(text: str) -> None:
    """Say what is not an error but should be known."""
    say(f"warning: {text}", "yellow")


@contextmanager
def told(close: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Turn what goes wrong inside into a message and an exit code; `close` ends what may be on the screen."""
    try:
        yield
    except KeyboardInterrupt:
        close()
        say("interrupted", "red")
        raise typer.Exit(INTERRUPTED) from None
    except UserError as error:
        close()
        say(f"error: {error}", "red")
        raise typer.Exit(2) from None
    except BrokenPipeError:  # whoever read the output has seen enough
        _drop_stdout()
        raise typer.Exit(141) from None
    except OSError as error:
        close()
        where = f"{error.filename}: " if error.filename else ""
        say(f"error: {where}{error.strerror or error}; no file was changed", "red")
        raise typer.Exit(2) from None
    except MemoryError:
        close()
        say("error: out of memory: leave columns with many categories out with --drop", "red")
        raise typer.Exit(2) from None


@contextmanager
def asking_library(
    typed: Mapping[str, object] | None = None, row_names: Sequence[str] | None = None
) -> Iterator[None]:
    """Let the library refuse in the words of the command line, and show its warnings as ours.

    `typed` has parameters whose values are not those that were typed.
    """

    def worded(said: Exception | Warning) -> str:
        return in_options(said, typed, row_names)

    from minirel.points.errors import InfeasibleFairnessError, NothingFoundError

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except InfeasibleFairnessError as error:
            from minirel.cli.by_group import as_options

            options = as_options(error.nearest)
            way_out = f"\nThe nearest request that can be met: {options}" if options else ""
            raise UserError(f"this cannot be met: {worded(error)}{way_out}") from None
        except (ValueError, TypeError, NothingFoundError) as error:
            raise UserError(worded(error)) from error
    told = (warning.message for warning in caught)
    for text in dict.fromkeys(worded(said) for said in told if isinstance(said, Warning)):
        warn(text)


def _drop_stdout() -> None:
    """Keep Python from failing once more when it flushes standard output at exit."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
