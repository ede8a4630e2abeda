"""The file with which a stopped frontier goes on: records are appended, whole or not at all."""

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minirel.frontiers.found import Found
from minirel.points.errors import ParameterTypeError, ParameterValueError

_MAGIC = b"minirel frontier 1\n"
# Before each record: the length of its key, the length of its content, a checksum of all.
_HEAD = struct.Struct("<IQI")


class Log:
    """Fits by key, in memory and, if there is a path, in a file.

    The file begins with a description of the data and the parameters. Each record is written at once and has
    a checksum: what a kill cut off is found at the next start, and dropped.
    """

    def __init__(self, path: object, description: Mapping[str, str], seed: int) -> None:
        """Read what there is; the seed is that of the file, unless the description has one."""
        self.known: dict[str, Found] = {}
        self.seed = seed
        self._file: BinaryIO | None = None
        self._path = _read_path(path)
        self._first = {**description, "seed": str(seed)}
        self._end = 0
        if self._path is not None and self._path.exists():
            self._file = open(self._path, "r+b")  # noqa: SIM115 -- open as long as there are fits
            try:
                _lock(self._file, self._path)
                self._load(self._file.read(), description)
            except BaseException:
                self.close()
                raise

    def add(self, key: str, found: Found) -> None:
        """Keep what a fit found."""
        self.known[key] = found
        if self._path is None:
            return
        if self._file is None:
            self._file = open(self._path, "xb")  # noqa: SIM115
            _lock(self._file, self._path)
        if not self._end:
            self._file.write(_MAGIC)
            self._append(b"", json.dumps(self._first).encode())
        self._append(key.encode(), found.to_bytes())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _append(self, key: bytes, content: bytes) -> None:
        assert self._file is not None
        head = _HEAD.pack(len(key), len(content), _checksum(len(key), key + content))
        self._file.write(head + key + content)  # in one piece
        self._file.flush()
        self._end = self._file.tell()
        with suppress(OSError):  # a pipe or the like
            os.fsync(self._file.fileno())

    def _load(self, content: bytes, description: Mapping[str, str]) -> None:
        """Read all records that are whole, and cut off what comes after them."""
        assert self._file is not None
        path = str(self._path)
        if not content.startswith(_MAGIC) and not _MAGIC.startswith(content):
            rule, way_out = "must be a file of a frontier", "name another file, or one that does not exist"
            raise ParameterValueError("resume", rule, path, way_out, found=f"is {path!r}, which is another")
        records = _records(content)
        first = next(records, None)
        if first is not None:
            _check(path, json.loads(first[1]), description)
            self.seed = int(json.loads(first[1])["seed"])
            self._end = first[2]
            for key, found, end in records:
                self.known[key.decode()] = Found.from_bytes(found)
                self._end = end
        self._file.truncate(self._end)
        self._file.seek(self._end)


def _records(content: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Key, content and end of every record that is whole."""
    place = len(_MAGIC)
    while place + _HEAD.size <= len(content):
        n_key, n_content, checksum = _HEAD.unpack_from(content, place)
        begin = place + _HEAD.size
        end = begin + n_key + n_content
        if end > len(content) or _checksum(n_key, content[begin:end]) != checksum:
            return
        yield content[begin : begin + n_key], content[begin + n_key : end], end
        place = end


def _checksum(n_key: int, content: bytes) -> int:
    """That of no bytes at all is not 0: a file may end with zeros where a system was switched off."""
    return zlib.crc32(content, zlib.crc32(_MAGIC + struct.pack("<IQ", n_key, len(content))))


def _check(path: str, first: dict[str, str], description: Mapping[str, str]) -> None:
    changed = [name for name, value in description.items() if first.get(name) != value]
    changed += [name for name in first if name not in description and name != "seed"]
    if changed:
        raise ParameterValueError(
            "resume",
            "must be of the same data and parameters",
            path,
            "give it what it was begun with, or name another file",
            found=f"is {path!r}, which was begun with a different {', '.join(changed)}",
        )


def _lock(file: BinaryIO, path: Path) -> None:
    """Let no two frontiers write the same file, where the system can tell."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        rule, way_out = "must not be in use", "wait for the other frontier, or name another file"
        found = f"is {str(path)!r}, to which another frontier is writing"
        raise ParameterValueError("resume", rule, str(path), way_out, found=found) from None


def _read_path(path: object) -> Path | None:
    if path is None:
        return None
    if not isinstance(path, str | os.PathLike):
        raise ParameterTypeError("resume", "must be the name of a file, or None", path)
    where = Path(os.fspath(path))
    if where.is_dir():
        raise ParameterValueError("resume", "must be the name of a file", str(where), found="is a folder")
    if not where.absolute().parent.is_dir():
        found = f"is {str(where)!r}, in a folder that does not exist"
        raise ParameterValueError("resume", "must be in a folder", str(where), "make it first", found=found)
    return where


def digest(*parts: Any) -> str:
    """A fingerprint of arrays and texts."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            total.update(f"{part.dtype.str}{part.shape}".encode())
            total.update(np.ascontiguousarray(part).data)
        else:
            text = repr(part).encode()
            total.update(struct.pack("<Q", len(text)) + text)
    return total.hexdigest()
