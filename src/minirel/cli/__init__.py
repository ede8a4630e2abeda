"""The command line: `minirel fit`, `minirel audit` and `minirel demo`."""

import os
import sys

__all__ = ["launch", "main"]


def main() -> None:
    """Run the command line and exit with its code."""
    launch("minirel.cli.app", "minirel", needed=("typer", "rich", "pyarrow"), extra="cli")


def launch(module: str, program: str, *, needed: tuple[str, ...], extra: str) -> None:
    """Run the typer `app` of a module, or say which `extra` brings the packages that are missing."""
    try:
        from minirel.cli.interrupts import end_at_once, ignore

        end_at_once()
    except KeyboardInterrupt:
        os.write(2, b"interrupted\n")
        os._exit(130)
    from importlib import import_module
    from importlib.util import find_spec

    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        print(f"{program}: the command line needs {', '.join(missing)}:", file=sys.stderr)
        print(f"  pip install 'minirel[{extra}]'", file=sys.stderr)
        sys.exit(2)
    app = import_module(module).app
    try:
        app(prog_name=program)
    finally:
        ignore()
