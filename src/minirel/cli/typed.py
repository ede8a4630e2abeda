"""The command line as it was typed."""

import shlex

_typed: list[str] = []


def keep_typed(args: list[str]) -> None:
    """Remember what stands behind `minirel`."""
    _typed[:] = args


def typed() -> str:
    """The whole command line, quoted so that it can be run again."""
    return shlex.join(["minirel", *_typed])


def typed_args() -> list[str]:
    """What stands behind `minirel`, the name of the command first."""
    return list(_typed)
