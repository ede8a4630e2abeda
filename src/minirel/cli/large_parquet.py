"""A Parquet file too large to be read at once: its batches of rows, and the same with one more column."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import as_text
from minirel.cli.messages import UserError
from minirel.cli.output import Piece
from minirel.cli.table import Source, kind_of, read_table, unique_columns
from minirel.points.wording import visible

# Bytes of the columns, unpacked, from which on a file is read in batches of so many rows; and those a cell is
# counted with at least, since Parquet keeps columns of few values in far less than memory does.
LARGE = 2**27
BATCH = 2**17
_OF_A_CELL = 8


@dataclass(frozen=True, eq=False)
class LargeTable(Source):
    """A Parquet file that is read in batches; `columns` are their Arrow types."""

    name: str
    path: Path
    n_rows: int
    columns: dict[str, Any]
    kind: Literal["parquet"] = "parquet"

    @cached_property
    def fingerprint(self) -> str:  # type: ignore[override]
        """SHA-256 of the bytes of the file."""
        with self.path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The batches of some columns, in order."""
        with _reading(self.name), _opened(self.path) as file:
            yield from file.iter_batches(BATCH, columns=list(columns))

    def text(self, column: str, row: int) -> str:
        """The text of a cell, "" if there is none; what is read for it is a part of one row group."""
        with _reading(self.name), _opened(self.path) as file:
            group = 0
            while row >= (n_rows := file.metadata.row_group(group).num_rows):
                group, row = group + 1, row - n_rows
            for batch in file.iter_batches(BATCH, row_groups=[group], columns=[column]):
                if row < batch.num_rows:
                    return as_text(column, batch.column(0).slice(row, 1))[0].as_py() or ""
                row -= batch.num_rows
        raise UserError(f"{self.name} has become shorter while it was read")

    def with_column(self, name: str, labels: NDArray[np.integer]) -> Iterator[Piece]:
        """The file with a column of labels behind its others, empty where one is below 0, in pieces."""
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        pieces = _Pieces()
        at = 0
        with _reading(self.name), _opened(self.path) as file:
            schema = file.schema_arrow.append(pa.field(name, pa.int32()))
            with pq.ParquetWriter(pa.PythonFile(pieces, mode="w"), schema) as writer:
                for batch in file.iter_batches(BATCH):
                    some = labels[at : at + batch.num_rows]
                    at += batch.num_rows
                    column = pa.array(some.astype(np.int32), mask=some < 0)
                    writer.write_batch(pa.record_batch([*batch.columns, column], schema=schema))
                    yield from pieces.take()
        yield from pieces.take()


def open_table(file: str, delimiter: str | None) -> Source:
    """Read a file, or standard input for ``-``; a large Parquet file is left to be read in batches."""
    large = large_table(file) if kind_of(file) == "parquet" and file != "-" else None
    return read_table(file, delimiter) if large is None else large


def large_table(file: str) -> LargeTable | None:
    """The file, if it is Parquet and large; None if it can be read at once, or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(file)
    try:
        if not path.is_file():
            return None
        metadata = pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return None
    n_bytes = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if max(n_bytes, _OF_A_CELL * metadata.num_rows * metadata.num_columns) < LARGE:
        return None
    schema, name = metadata.schema.to_arrow_schema(), visible(file)
    return LargeTable(name, path, metadata.num_rows, unique_columns(name, schema.names, schema.types))


class _Pieces:
    """What a writer has written since it was last taken."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._at = 0

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        self._at += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        """Nothing waits to be written."""

    def close(self) -> None:
        """Keep what is not yet taken."""

    def take(self) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    # Without read-ahead: batches are to take the memory of one, however large the file.
    with pq.ParquetFile(path, pre_buffer=False) as file:
        yield file


@contextmanager
def _reading(name: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the output, or of the disk
        raise UserError(f"{name} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
