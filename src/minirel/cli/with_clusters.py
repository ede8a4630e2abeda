"""The input with one more column, and not a byte of it changed."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.cli.messages import UserError
from minirel.cli.output import Piece
from minirel.cli.table import Source, Table

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'
_ROWS = 10_000  # in a piece


def with_clusters(table: Source, labels: NDArray[np.integer], name: str) -> Iterator[Piece]:
    """The file with the column `name` of labels behind its others, empty where one is below 0, in pieces."""
    if not isinstance(table, Table):
        from minirel.cli.large_parquet import LargeTable

        assert isinstance(table, LargeTable)
        yield from table.with_column(name, labels)
        return
    if table.kind == "parquet":
        yield _parquet(table, labels, name)
        return
    texts = [*map(str, range(int(labels.max(initial=-1)) + 1)), ""]
    raw, separator, ends = table.raw, table.delimiter, record_ends(table.raw)
    if len(ends) != table.n_rows + 1:  # quotes where no quotes belong: written anew, cell by cell
        yield _written_anew(table, [texts[label] for label in labels.tolist()], name)
        return
    at = int(ends[0])
    yield raw[:at] + f"{separator}{_cell(name, separator)}".encode()
    added = [f"{separator}{text}".encode() for text in texts]
    for start in range(0, len(labels), _ROWS):
        rows = slice(start, start + _ROWS)
        parts: list[bytes] = []
        for end, label in zip(ends[1:][rows].tolist(), labels[rows].tolist(), strict=True):
            parts += (raw[at:end], added[label])
            at = end
        yield b"".join(parts)
    yield raw[at:]


def record_ends(raw: bytes) -> NDArray[np.intp]:
    """Where each record ends, before its line break; empty lines are no records."""
    data = np.frombuffer(raw, dtype=np.uint8)
    breaks = np.flatnonzero(data == _NEWLINE)
    if b'"' in raw:
        # Within quotes, the number of quotes so far is odd; doubled quotes do not change that.
        quotes = np.flatnonzero(data == _QUOTE)
        breaks = breaks[np.searchsorted(quotes, breaks) % 2 == 0]
    after = breaks + 1
    before = np.where((breaks > 0) & (data[np.maximum(breaks - 1, 0)] == _RETURN), breaks - 1, breaks)
    if not after.size or after[-1] < len(raw):  # no line break at the end
        before, after = np.append(before, len(raw)), np.append(after, len(raw))
    start = np.concatenate([[0], after[:-1]])
    if raw.startswith(b"\xef\xbb\xbf"):
        start[0] = 3
    return before[before > start]


def _written_anew(table: Table, texts: list[str], name: str) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=table.delimiter, lineterminator="\n")
    writer.writerow([*table.columns, name])
    columns: list[list[Any]] = [column.to_pylist() for column in table.columns.values()]
    writer.writerows(zip(*columns, texts, strict=True))
    return out.getvalue().encode()


def _cell(text: str, separator: str) -> str:
    odd = any(character in text for character in f'{separator}"\r\n')
    return '"' + text.replace('"', '""') + '"' if odd else text


def _parquet(table: Table, labels: NDArray[np.integer], name: str) -> Piece:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    column = pa.array(labels.astype(np.int32), mask=labels < 0)
    sink = pa.BufferOutputStream()
    pq.write_table(table.arrow.append_column(name, column), sink)
    return memoryview(sink.getvalue())


def check_new_name(table: Source, name: str) -> None:
    """See that the new column does not clash with one that is there."""
    if not name.strip():
        raise UserError("--cluster-name must not be empty")
    if name.strip() in table.columns:
        raise UserError(
            f"{table.name} already has a column {name!r}: choose another name for the new one, such as "
            f"--cluster-name {name}_2"
        )
