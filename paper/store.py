"""Where runs are kept: a file each, which is there whole or not at all."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # to read and write files nothing is fitted, and no process has to load what fits
    from paper.run import Record, Run

_UNFINISHED = ".unfinished"


class StoreError(ValueError):
    """A folder of runs is damaged, or in use."""


@dataclass(frozen=True)
class Store:
    """A folder of runs, and of the conditions under which they were made."""

    folder: Path

    def open(self) -> None:
        """Make the folder, and clear away what a killed process left."""
        self._runs.mkdir(parents=True, exist_ok=True)
        for left in (*self.folder.glob(f"*{_UNFINISHED}"), *self._runs.glob(f"*{_UNFINISHED}")):
            left.unlink()

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the folder against other processes; the hold ends with this one at the latest."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / ".lock", "wb") as lock:
            try:
                _hold(lock.fileno())
            except OSError as error:
                raise StoreError(
                    f"another process is working in {self.folder}: wait for it, or name another folder"
                ) from error
            self.open()  # now that nobody else writes
            yield

    def keep(self, run: "Run", record: "Record") -> None:
        """Keep a run; killed at any moment, the file is not there or whole."""
        write(self._path(run), json.dumps(record, indent=1).encode())

    def get(self, run: "Run") -> "Record | None":
        """What was kept of a run, or None."""
        return _read(self._path(run))

    def conditions(self) -> "Record | None":
        """What was said of the runs that are here, or None if there are none."""
        return _read(self.folder / "conditions.json")

    def keep_conditions(self, conditions: "Record") -> None:
        """Say under which conditions the runs are made."""
        write(self.folder / "conditions.json", json.dumps(conditions, indent=1).encode())

    @property
    def _runs(self) -> Path:
        return self.folder / "runs"

    def _path(self, run: "Run") -> Path:
        return self._runs / f"{run.key}.json"


def _hold(file: int) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write(path: Path, content: bytes) -> None:
    """Write a file so that it is never seen half written, whatever happens to this process."""
    unfinished = path.with_name(f"{path.name}{_UNFINISHED}")
    with open(unfinished, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def _read(path: Path) -> "Record | None":
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        found: Record = json.loads(content)
        if not isinstance(found, dict):
            raise ValueError("it holds no named values")
    except ValueError as error:
        raise StoreError(f"{path} is no record of a run ({error}): delete it to make it again") from error
    return found
