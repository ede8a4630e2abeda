"""Groups of points whose sensitive features are on the workers."""

from collections.abc import Collection, Hashable
from typing import Any, NamedTuple

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from minirel.dask.cluster import Cluster
from minirel.dask.packing import Packed, packed
from minirel.dask.partitions import Partitions, lengths_differ, parts_of
from minirel.points.columns import Numbered, distinct_integers, encode, read_table
from minirel.points.errors import ParameterError, ParameterValueError
from minirel.points.groups import Groups, read_groups


class Coded(NamedTuple):
    """The rows of a part as numbers into its distinct rows, these in the order of their appearance.

    A missing value is None. Without rows there are no `names` either.
    """

    names: tuple[Hashable, ...]
    is_2d: bool
    distinct: list[tuple[Hashable, ...]]
    numbers: Packed


class CodedRows(NamedTuple):
    """All rows: where those of each part are, the distinct ones, and which of these each row is."""

    parts: list[Future]
    names: tuple[Hashable, ...]
    is_2d: bool
    distinct: list[tuple[Hashable, ...]]
    of_part: list[NDArray[np.int32]]  # number of each distinct row of a part among all
    numbers: list[NDArray[np.integer]]

    @property
    def lengths(self) -> list[int]:
        """Rows of each part."""
        return [len(numbers) for numbers in self.numbers]

    def of_points(self, table: NDArray[np.int32]) -> NDArray[np.int32]:
        """What a table by distinct row says of each point."""
        parts = zip(self.of_part, self.numbers, strict=True)
        return np.concatenate([table[distinct][numbers] for distinct, numbers in parts])

    def columns(self, rows: list[tuple[Hashable, ...]] | None = None) -> Any:
        """Some rows as `read_groups` takes them; all that there are if None."""
        if rows is None:
            number = self.of_points(np.arange(len(self.distinct), dtype=np.int32))
            columns: list[Any] = []
            for j in range(len(self.names)):
                columns.append(Numbered(number, [row[j] for row in self.distinct]))
        else:
            columns = [[row[j] for row in rows] for j in range(len(self.names))]
        return dict(zip(self.names, columns, strict=True)) if self.is_2d else columns[0]


def code_rows(collection: Any, parameter: str, cluster: Cluster) -> CodedRows:
    """Number the distinct rows of a column or table."""
    raw = parts_of(collection, parameter, cluster, (1, 2))
    parts = [cluster.submit(_code, part) for part in raw]
    coded: list[Coded] = cluster.gather(parts)
    names, is_2d = next(((part.names, part.is_2d) for part in coded if part.names), ((), False))
    if not names:
        way_out = "give a value for each point, or None for no groups"
        raise ParameterValueError(
            parameter, "must not be empty", collection, way_out, found="is empty", obvious=True
        )
    # By type as well: True equals 1.
    place: dict[tuple[tuple[type, Hashable], ...], int] = {}
    distinct: list[tuple[Hashable, ...]] = []
    of_part = []
    for part in coded:
        numbers = []
        for row in part.distinct:
            key = tuple((type(value), value) for value in row)
            if key not in place:
                place[key] = len(distinct)
                distinct.append(row)
            numbers.append(place[key])
        of_part.append(np.array(numbers, dtype=np.int32))
    return CodedRows(parts, names, is_2d, distinct, of_part, [part.numbers.unpacked() for part in coded])


def _code(part: Any) -> Coded:
    if not len(part):
        return Coded((), False, [], packed(np.zeros(0, dtype=np.int64)))
    table = read_table(part)
    columns = [encode(name, values) for name, values in zip(table.names, table.columns, strict=True)]
    numbers: NDArray[np.intp] = np.zeros(len(columns[0].codes), dtype=np.intp)
    for column in columns:
        _, numbers = distinct_integers(numbers * (len(column.values) + 1) + column.codes + 1)
    # Renumbered by the first row of each: the last to write is the first of all.
    rows = np.arange(len(numbers))
    first = np.empty(int(numbers.max()) + 1, dtype=np.intp)
    first[numbers[::-1]] = rows[::-1]
    order = np.argsort(first)
    renumber = np.empty(len(order), dtype=np.intp)
    renumber[order] = np.arange(len(order))
    distinct: list[tuple[Hashable, ...]] = [
        tuple(None if column.codes[row] < 0 else column.values[column.codes[row]] for column in columns)
        for row in first[order].tolist()
    ]
    return Coded(table.names, table.is_2d, distinct, packed(renumber[numbers]))


def read_dask_groups(
    collection: Any,
    n_points: int,
    missing: str,
    cluster: Cluster,
    like: Collection[Hashable] = (),
) -> tuple[Groups, Partitions]:
    """The groups of all points, and where the signatures of each part are."""
    rows = code_rows(collection, "sensitive_features", cluster)
    if sum(rows.lengths) != n_points:
        raise lengths_differ("sensitive_features", sum(rows.lengths), n_points)
    try:
        kinds = read_groups(rows.columns(rows.distinct), missing=missing, like=like)
    except ParameterError:
        read_groups(rows.columns(), missing=missing, like=like)  # the same error, about all points
        raise
    groups = Groups(kinds.names, rows.of_points(kinds.signature), kinds.signatures)
    tables = [kinds.signature[distinct] for distinct in rows.of_part]
    parts = [cluster.submit(_signature, part, table) for part, table in zip(rows.parts, tables, strict=True)]
    return groups, Partitions(parts, rows.lengths)


def _signature(part: Coded, table: NDArray[np.int32]) -> NDArray[np.int32]:
    return table[part.numbers.unpacked()] if len(table) else np.zeros(0, dtype=np.int32)
