"""The input with one more column, and not a byte of it changed."""

import csv
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.cli.messages import UserError
from minirel.cli.table import Table

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'


def with_clusters(table: Table, labels: NDArray[np.integer], name: str) -> bytes:
    """The file with the column `name` of labels behind its others, empty where a label is below 0."""
    if table.kind == "parquet":
        return _parquet(table, labels, name)
    texts = np.array([*map(str, range(int(labels.max(initial=-1)) + 1)), ""], dtype=object)[labels].tolist()
    ends = record_ends(table.raw)
    if len(ends) != table.n_rows + 1:  # quotes where no quotes belong: written anew, cell by cell
        return _written_anew(table, texts, name)
    separator = table.delimiter
    added = [_cell(name, separator), *texts]
    parts: list[bytes] = []
    at = 0
    for (end, _), text in zip(ends, added, strict=True):
        parts += (table.raw[at:end], f"{separator}{text}".encode())
        at = end
    parts.append(table.raw[at:])
    return b"".join(parts)


def record_ends(raw: bytes) -> list[tuple[int, int]]:
    """Where each record ends, before and after its line break; empty lines are no records."""
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
    kept = before > start
    return list(zip(before[kept].tolist(), after[kept].tolist(), strict=True))


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


def _parquet(table: Table, labels: NDArray[np.integer], name: str) -> bytes:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    column = pa.array(labels.astype(np.int32), mask=labels < 0)
    sink = pa.BufferOutputStream()
    pq.write_table(table.arrow.append_column(name, column), sink)
    return bytes(sink.getvalue().to_pybytes())


def check_new_name(table: Table, name: str) -> None:
    """See that the new column does not clash with one that is there."""
    if not name.strip():
        raise UserError("--cluster-name must not be empty")
    if name.strip() in table.columns:
        raise UserError(
            f"{table.name} already has a column {name!r}: choose another name for the new one, such as "
            f"--cluster-name {name}_2"
        )
