"""The command line: `minirel fit`, `minirel audit`, `minirel demo` and `minirel reproduce`."""

import sys
from importlib.util import find_spec

__all__ = ["main"]

_NEEDED = ("typer", "rich", "pyarrow")
INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit with its code."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        print(f"minirel: the command line needs {', '.join(missing)}:", file=sys.stderr)
        print("  pip install 'minirel[cli]'", file=sys.stderr)
        sys.exit(2)
    try:
        from minirel.cli.app import app

        app(prog_name="minirel")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
