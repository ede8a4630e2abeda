"""The input file as a table of text or typed columns, with its bytes kept as they are."""

import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from minirel.cli.messages import UserError
from minirel.points.wording import visible

Kind = Literal["csv", "tsv", "parquet"]
SUFFIXES: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_BOM = b"\xef\xbb\xbf"
# How files begin that are often taken for a CSV, and what to do about them.
_FOREIGN = {
    b"PAR1": "looks like Parquet: rename it to end in .parquet",
    b"PK\x03\x04": "looks like a spreadsheet or an archive: save it as CSV first",
    b"\xd0\xcf\x11\xe0": "looks like an Excel workbook: save it as CSV first",
    b"\x1f\x8b": "is compressed: unpack it first (gunzip)",
    b"\xff\xfe": "is UTF-16 text: save it as UTF-8 first (iconv -f utf-16 -t utf-8)",
    b"\xfe\xff": "is UTF-16 text: save it as UTF-8 first (iconv -f utf-16 -t utf-8)",
}


class Source:
    """A file with columns by name."""

    name: str
    kind: Kind
    columns: dict[str, Any]
    n_rows: int
    fingerprint: str

    def check_columns(self, names: list[str], option: str) -> None:
        """See that there are columns of these names."""
        for name in names:
            if name not in self.columns:
                known = visible(", ".join(list(self.columns)[:20])) + (
                    " ..." if len(self.columns) > 20 else ""
                )
                raise UserError(f"{option}: there is no column {name!r} in {self.name}\nIts columns: {known}")


@dataclass(frozen=True, eq=False)
class Table(Source):
    """A file: `columns` by name as Arrow arrays, which are all text unless it is Parquet."""

    name: str
    kind: Kind
    raw: bytes
    delimiter: str
    arrow: Any
    columns: dict[str, Any]

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows, without the header."""
        return int(self.arrow.num_rows)

    @cached_property
    def fingerprint(self) -> str:  # type: ignore[override]
        """SHA-256 of the bytes of the file."""
        return sha256(self.raw).hexdigest()


def kind_of(file: str) -> Kind:
    """The format that a file's name stands for."""
    return SUFFIXES.get(Path(file).suffix.lower(), "csv")


def read_table(file: str, delimiter: str | None) -> Table:
    """Read a file, or standard input for ``-``."""
    name = "standard input" if file == "-" else visible(file)
    raw = _read_bytes(file)
    kind = kind_of(file)
    if not raw.strip():
        raise UserError(f"{name} is empty: it needs a header line and a line for each row")
    if kind == "parquet":
        return _read_parquet(name, raw)
    separator = _read_delimiter(delimiter, kind)
    _check_text(name, raw)
    arrow = _read_text(name, raw, separator)
    if arrow.num_rows == 0:
        raise UserError(f"{name} has a header but no rows")
    return Table(name, kind, raw, separator, arrow, unique_columns(name, arrow.column_names, arrow.columns))


def _read_bytes(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    if Path(file).is_dir():
        raise UserError(f"{file} is a folder: name a file in it")
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise UserError(f"there is no file {file}") from None
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}") from None


def _read_parquet(name: str, raw: bytes) -> Table:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    try:
        arrow = pq.read_table(pa.BufferReader(raw))
    except (pa.ArrowException, OSError) as error:
        first_line = str(error).splitlines()[0]
        raise UserError(f"{name} cannot be read as Parquet: {first_line}") from None
    if arrow.num_rows == 0:
        raise UserError(f"{name} has no rows")
    return Table(name, "parquet", raw, "", arrow, unique_columns(name, arrow.column_names, arrow.columns))


def _read_delimiter(delimiter: str | None, kind: Kind) -> str:
    if delimiter is None:
        return "\t" if kind == "tsv" else ","
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise UserError(f"--delimiter must be a single character, such as ';' or tab, but is {delimiter!r}")
    return delimiter


def _check_text(name: str, raw: bytes) -> None:
    for start, advice in _FOREIGN.items():
        if raw.startswith(start):
            raise UserError(f"{name} {advice}")
    if b"\0" in raw:
        raise UserError(f"{name} is not a text file: give a CSV, a TSV or a Parquet file (.parquet)")
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{name} is not UTF-8 text (line {line}): save it as UTF-8 first, for example with\n"
            f"  iconv -f latin1 -t utf-8 FILE > utf8.csv"
        ) from None


def _read_text(name: str, raw: bytes, delimiter: str) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    body = raw.removeprefix(_BOM).lstrip(b"\r\n")
    names = _read_header(name, body, delimiter)

    def parse(block_size: int | None, use_threads: bool, spoilt: list[Any]) -> Any:
        def refuse(row: Any) -> str:
            spoilt.append(row)
            return "error"

        return arrow_csv.read_csv(
            pa.BufferReader(body),
            arrow_csv.ReadOptions(
                column_names=[str(j) for j in range(len(names))],
                skip_rows_after_names=1,
                block_size=block_size,
                use_threads=use_threads,
            ),
            arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=b'"' in body, invalid_row_handler=refuse
            ),
            arrow_csv.ConvertOptions(
                column_types={str(j): pa.string() for j in range(len(names))}, strings_can_be_null=False
            ),
        )

    spoilt: list[Any] = []
    try:
        try:
            arrow = parse(None, True, spoilt)
        except pa.ArrowInvalid:
            # Once more in one piece: a row may be larger than a block, and only so are rows counted.
            spoilt.clear()
            arrow = parse(len(body) + 1, False, spoilt)
    except pa.ArrowInvalid as error:
        if not spoilt:
            raise UserError(f"{name} cannot be read: {str(error).splitlines()[0]}") from None
        row = spoilt[0]
        where = "a row" if row.number is None else f"row {row.number}, with the header as row 1,"
        start = row.text if len(row.text) <= 60 else row.text[:60] + "..."
        raise UserError(
            f"{name}: {where} has {row.actual_columns} cells, but the header has {row.expected_columns}:\n"
            f"  {start}\nFix it (cells that hold a {delimiter!r} go in double quotes)."
        ) from None
    return arrow.rename_columns(names)


def _read_header(name: str, body: bytes, delimiter: str) -> list[str]:
    lines = csv.reader(io.TextIOWrapper(io.BytesIO(body), "utf-8", newline=""), delimiter=delimiter)
    try:
        cells = next(lines, [])
    except csv.Error as error:
        raise UserError(f"the header of {name} cannot be read: {error}") from None
    if len(cells) == 1:
        for other, typed in ((";", "';'"), ("\t", "tab"), ("|", "'|'"), (",", "','")):
            if other in cells[0] and other != delimiter:
                raise UserError(
                    f"{name} has a single column, {cells[0][:60]!r}, whose cells look separated by "
                    f"{other!r}: add --delimiter {typed}"
                )
    return [cell.strip() or f"column {j}" for j, cell in enumerate(cells, start=1)]


def unique_columns(name: str, names: Sequence[str], columns: Sequence[Any]) -> dict[str, Any]:
    """The columns of a file by name, of which there must be one each."""
    twice = [column for j, column in enumerate(names) if column in names[:j]]
    if twice:
        raise UserError(f"{name} has several columns called {twice[0]!r}: rename all but one in its header")
    return dict(zip(names, columns, strict=True))
