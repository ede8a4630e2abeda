"""Output files that appear whole and together, or not at all."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from minirel.cli.interrupts import raising, uninterrupted
from minirel.cli.messages import UserError

Piece: TypeAlias = bytes | memoryview
# Large files come in pieces, so that they are not in memory as a whole.
Content: TypeAlias = bytes | Iterable[Piece]
# Names that promise what --out does not write.
_FOREIGN = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods", ".numbers"), "a spreadsheet"),
    **dict.fromkeys((".gz", ".zip", ".bz2", ".xz", ".zst", ".7z"), "a compressed file"),
    **{
        f".{kind}": f"a {kind} file"
        for kind in (
            "json",
            "jsonl",
            "xml",
            "html",
            "pdf",
            "feather",
            "arrow",
            "orc",
            "h5",
            "sav",
            "dta",
            "db",
        )
    },
}
_OTHERS = {".json": "; --json writes the whole result", ".html": "; --report writes a page"}


def check_outputs(files: dict[str, str | None], source: str) -> None:
    """See, before any work, that the files (by option) can be written and are all different."""
    seen: dict[str, str] = {} if source == "-" else {os.path.realpath(source): "the input"}
    for option, file in files.items():
        if file is None:
            continue
        path = Path(file)
        suffix = path.suffix.lower()
        if option == "--out" and suffix in _FOREIGN:
            instead = path.stem if path.stem.lower().endswith((".csv", ".tsv")) else f"{path.stem}.csv"
            raise UserError(
                f"--out {file}: {_FOREIGN[suffix]} cannot be written: use a name such as {instead}, which "
                f"ends as that of the input does{_OTHERS.get(suffix, '')}"
            )
        real = "-" if file == "-" else os.path.realpath(file)
        if real in seen:
            raise UserError(f"{option} {file} is also {seen[real]}: give it a name of its own")
        seen[real] = option
        if file == "-":
            continue
        if path.is_dir():
            raise UserError(f"{option} {file} is a folder: name a file in it")
        folder = Path(real).parent
        if not folder.is_dir():
            raise UserError(f"{option} {file}: there is no folder {folder}; make it first")
        if not _is_special(real) and not _can_be_written(folder):
            raise UserError(f"{option} {file}: nothing can be written in {folder}; choose another folder")


def _can_be_written(folder: Path) -> bool:
    """Whether a file can be made in a folder: some folders only say so."""
    if not os.access(folder, os.W_OK):
        return False
    try:
        with uninterrupted(), tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def write_outputs(contents: Mapping[str, Content]) -> None:
    """Write every file, and ``-`` to standard output; if one fails, none of the files is changed."""
    shown = contents.get("-")
    if shown is not None:
        # First, because it cannot be taken back when a file fails.
        sys.stdout.flush()
        _write(sys.stdout.buffer, shown)
        sys.stdout.buffer.flush()
    files = {os.path.realpath(file): content for file, content in contents.items() if file != "-"}
    with raising():
        _write_files(files)


def _write_files(files: Mapping[str, Content]) -> None:
    temporary: dict[str, str] = {}
    try:
        for path, content in files.items():
            if _is_special(path):
                with open(path, "wb") as file:
                    _write(file, content)
            else:
                with uninterrupted():  # or the name of a file just made could be lost
                    handle, temporary[path] = tempfile.mkstemp(
                        prefix=f".{Path(path).name[:100]}.", suffix=".tmp", dir=Path(path).parent
                    )
                _fill(handle, content, path)
        with uninterrupted(at_the_end=True):
            _put_in_place(temporary)
    finally:
        with uninterrupted(at_the_end=True):
            for path in temporary.values():
                _remove(path)


def _fill(handle: int, content: Content, path: str) -> None:
    with os.fdopen(handle, "wb") as file:
        if sys.platform != "win32":  # where a file has no permissions of this kind
            os.fchmod(handle, _mode(path))
        _write(file, content)
        file.flush()
        os.fsync(handle)


def _write(file: BinaryIO, content: Content) -> None:
    for piece in (content,) if isinstance(content, bytes) else content:
        file.write(piece)


def _put_in_place(temporary: dict[str, str]) -> None:
    """Replace all targets, and put the old ones back if one of them fails."""
    backups: dict[str, str | None] = {}
    try:
        for path, new in temporary.items():
            old = None
            if len(temporary) > 1 and os.path.exists(path):
                old = f"{new}.old"
                os.link(path, old)
            backups[path] = old
            try:
                os.replace(new, path)
            except BaseException:
                del backups[path]
                if old is not None:
                    _remove(old)
                raise
    except BaseException:
        for path, old in backups.items():
            if old is None:
                _remove(path)
            else:
                os.rename(old, path)
        raise
    for old in backups.values():
        if old is not None:
            _remove(old)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _mode(path: str) -> int:
    """Permissions of the file that is there, or what a new file would get."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _is_special(path: str) -> bool:
    """Whether this is a device or a pipe, which is written to and never replaced."""
    return os.path.exists(path) and not os.path.isfile(path)
