"""The temporary folder, which may be on another disk than the files that are named."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from minirel.cli.messages import UserError

_WAY_OUT = "no file was changed: set TMPDIR to a folder on a disk with more room"


@contextmanager
def temporary_files() -> Iterator[None]:
    """Say of what goes wrong inside that it is about the temporary folder, and how to have another."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"temporary folder {tempfile.gettempdir()}: {error.strerror or error}; {_WAY_OUT}"
        ) from None


def check_room(n_bytes: int, what: str) -> None:
    """Refuse `what` if the temporary folder has no room for it."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise UserError(
            f"temporary folder {folder}: {what} take {n_bytes / 1e9:.1f} GB, and {free / 1e9:.1f} GB are "
            f"free; {_WAY_OUT}, or leave columns out with --drop"
        )
