"""What is said on standard error, and what becomes of errors."""

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from minirel.cli.interrupts import INTERRUPTED
from minirel.points.wording import visible

# Parameters of the library that go by another name here; the rest only get their dashes.
_OPTIONS = {
    "n_clusters": "--clusters",
    "sample_weight": "--weight",
    "sensitive_features": "--group",
    "random_state": "--seed",
    "min_size": "--min-size",
    "max_size": "--max-size",
    "n_init": "--n-init",
    "time_limit": "--time-limit",
    "alpha": "--alpha",
    "beta": "--beta",
}
# These are also plain words, so they count as options only where a rule or a value follows.
_WORDS = ("prefix", "objective", "gap", "missing")
_QUOTED = r"""(?<!\w)'(?:[^'\\]|\\.)*'(?!\w)|(?<!\w)"(?:[^"\\]|\\.)*"(?!\w)"""
_PARAMETER = re.compile(
    rf"(?P<quoted>{_QUOTED})"
    rf"|(?<![\w-])(?P<by>alpha|beta)\[(?P<group>{_QUOTED}|[^\]]*)\]"
    rf"|(?<![\w-])(?P<name>{'|'.join(_OPTIONS)})(?!\w)(?P<value>=)?"
    rf"|(?<![\w-])(?P<word>{'|'.join(_WORDS)})(?:(?= must)|(?P<is>=))"
)


class UserError(Exception):
    """Something to be put right by whoever typed the command."""


def in_options(message: str) -> str:
    """Say the library's parameters as options: ``beta['F']`` is ``--beta for 'F'``."""

    def option(match: re.Match[str]) -> str:
        if match["quoted"]:
            return match[0]
        if match["by"]:
            return f"--{match['by']} for {match['group']}"
        if match["word"]:
            return f"--{match['word']}" + (" " if match["is"] else "")
        return _OPTIONS[match["name"]] + (" " if match["value"] else "")

    return _PARAMETER.sub(option, message).replace("a dict by group", "numbers by group (Female:3,Male:4)")


def say(text: str, style: str | None = None) -> None:
    """Print on standard error, in our colours if that is a terminal that likes them."""
    text = visible(text, but="\n")
    if not sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, highlight=False).print(Text(text, style=style or ""), soft_wrap=True)


def warn(text: str) -> None:
    """Say what is no error but should be known."""
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
def asking_library() -> Iterator[None]:
    """Let the library refuse in the words of the command line, and show its warnings as ours."""
    from minirel.points.errors import InfeasibleFairnessError, NothingFoundError

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except InfeasibleFairnessError as error:
            from minirel.cli.by_group import as_options

            options = as_options(error.nearest)
            way_out = f"\nThe nearest request that can be met: {options}" if options else ""
            raise UserError(f"this cannot be met: {in_options(str(error))}{way_out}") from None
        except (ValueError, TypeError, NothingFoundError) as error:
            raise UserError(in_options(str(error))) from error
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        warn(in_options(text))


def _drop_stdout() -> None:
    """Keep Python from failing once more when it flushes standard output at exit."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
