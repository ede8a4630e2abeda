"""The command line: `minirel fit`, `minirel audit`, `minirel demo` and `minirel reproduce`."""

import os
import sys

__all__ = ["main"]

_NEEDED = ("typer", "rich", "pyarrow")


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from minirel.cli.interrupts import end_at_once, ignore

        end_at_once()
    except KeyboardInterrupt:
        os.write(2, b"interrupted\n")
        os._exit(130)
    from importlib.util import find_spec

    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        print(f"minirel: the command line needs {', '.join(missing)}:", file=sys.stderr)
        print("  pip install 'minirel[cli]'", file=sys.stderr)
        sys.exit(2)
    from minirel.cli.app import app

    try:
        app(prog_name="minirel")
    finally:
        ignore()
