"""The temporary folder, which may be on another disk than the files that are named."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from minirel.cli.messages import UserError


@contextmanager
def temporary_files() -> Iterator[None]:
    """Say of what goes wrong inside that it is about the temporary folder, and how to have another."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"temporary folder {tempfile.gettempdir()}: {error.strerror or error}; no file was changed: set "
            "TMPDIR to a folder on a disk with more room"
        ) from None
