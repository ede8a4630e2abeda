"""Which points are neighbours of each other, and the pieces that clusters fall into."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, find, issparse, sparray, spmatrix
from scipy.sparse.csgraph import connected_components

from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.messages import OR_MATRIX, Message, Parameter, Points

_PARAMETER = "neighbours"
_MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The graph of the points: each pair is in it both ways, once, and no point is its own neighbour.

    The neighbours of point i are ``indices[indptr[i]:indptr[i + 1]]``, as in a sparse matrix by rows.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.indptr) - 1

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Every pair of neighbours once, the smaller index first."""
        first = np.repeat(np.arange(self.n_points), np.diff(self.indptr))
        return np.column_stack([first, self.indices])[first < self.indices]

    def pieces(self, labels: NDArray[np.integer]) -> NDArray[np.int64]:
        """The piece of each point: which points are joined by neighbours of their own cluster.

        Pieces are numbered in the order of their first points.
        """
        first, second = self.pairs.T
        same = labels[first] == labels[second]
        matrix = _symmetric(first[same], second[same], self.n_points)
        return connected_components(matrix, directed=False)[1].astype(np.int64)

    def pieces_by_cluster(self, labels: NDArray[np.integer], n_clusters: int) -> tuple[tuple[int, ...], ...]:
        """For each cluster the number of points in each of its pieces, the largest first."""
        piece = self.pieces(labels)
        _, first, n_points = np.unique(piece, return_index=True, return_counts=True)
        sizes: list[list[int]] = [[] for _ in range(n_clusters)]
        for label, size in zip(labels[first].tolist(), n_points.tolist(), strict=True):
            sizes[label].append(size)
        return tuple(tuple(sorted(each, reverse=True)) for each in sizes)

    def n_excess(self, labels: NDArray[np.integer]) -> int:
        """By how many the pieces are more than the clusters that have points."""
        return len(np.unique(self.pieces(labels))) - len(np.unique(labels))

    def of(self, unit: NDArray[np.integer], n_units: int) -> "Neighbours":
        """The neighbours of units made of these points: those with a pair of neighbours between them."""
        first, second = unit[self.pairs.T]
        differ = first != second
        return _graph(first[differ], second[differ], n_units)

    def with_units(self, unit: NDArray[np.integer]) -> "Neighbours":
        """The same with points of one unit as neighbours of each other, one after another."""
        order = np.argsort(unit, kind="stable")
        same = unit[order[:-1]] == unit[order[1:]]
        chain = np.column_stack([order[:-1][same], order[1:][same]])
        first, second = np.vstack([self.pairs, chain]).T
        return _graph(first, second, self.n_points)

    def check_one_part(self) -> None:
        """Refuse points that no chain of neighbours joins, since no cluster of them can be connected."""
        part = self.pieces(np.zeros(self.n_points, dtype=np.intp))
        sizes = np.bincount(part)
        if len(sizes) == 1:
            return
        cut_off = np.flatnonzero(part != sizes.argmax())
        raise ParameterValueError(
            _PARAMETER,
            Message("must join all points, by chains of neighbours, with ", Parameter("connect", value=True)),
            [sizes.tolist(), cut_off.tolist()],
            Message(
                "add pairs that join them to the others, such as those of a ferry or a bridge, leave these "
                "points out, or leave out ",
                Parameter("connect"),
                ": pieces are then counted, and not connected",
            ),
            found=Message(
                f"leaves them in {len(sizes):,} parts; cut off from the largest: ",
                Points(cut_off.tolist(), _MOST_NAMED),
            ),
        )


def read_neighbours(neighbours: ArrayLike | sparray | spmatrix, n_points: int) -> Neighbours:
    """Validate pairs of neighbours, or a sparse adjacency matrix, of which only what is not 0 counts."""
    if issparse(neighbours):
        return _read_matrix(neighbours, n_points)
    try:
        pairs = np.asarray(neighbours)
    except ValueError as error:  # rows of different lengths
        raise ParameterValueError(_PARAMETER, _rule(n_points), neighbours, str(error), found="") from error
    if pairs.size == 0:
        pairs = np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        way_out = "a matrix of all pairs of points must be sparse: use scipy.sparse.csr_array"
        is_table = pairs.shape == (n_points, n_points)
        found = f"has shape {pairs.shape}"
        raise ParameterValueError(
            _PARAMETER, _rule(n_points), neighbours, way_out if is_table else "", found=found
        )
    if pairs.dtype.kind not in "iu":
        pairs = _as_integers(pairs, n_points)
    first, second = pairs.T
    for is_bad, what in (
        ((pairs < 0) | (pairs >= n_points), f"names a point that is not one of the {n_points:,}"),
        ((first == second)[:, None], "makes a point its own neighbour"),
    ):
        rows = np.flatnonzero(is_bad.any(axis=1))
        if len(rows):
            _refuse(neighbours, n_points, rows, what, pairs)
    return _graph(first.astype(np.int64), second.astype(np.int64), n_points)


def _read_matrix(matrix: Any, n_points: int) -> Neighbours:
    if matrix.shape != (n_points, n_points):
        rule = f"must have shape ({n_points}, {n_points}) if it is a sparse matrix"
        raise ParameterValueError(_PARAMETER, rule, matrix, found=f"has shape {matrix.shape}")
    first, second = (np.asarray(part, dtype=np.int64) for part in find(matrix)[:2])
    own = first[first == second]
    if len(own):
        rule, found = "must have zeros on its diagonal", f"makes point {own[0]} its own neighbour"
        raise ParameterValueError(_PARAMETER, rule, matrix, "use its setdiag(0)", found=found)
    return _graph(first, second, n_points)


def _as_integers(pairs: NDArray[np.generic], n_points: int) -> NDArray[np.int64]:
    """Whole numbers that came as other numbers."""
    try:
        numbers = pairs.astype(np.float64) if pairs.dtype.kind in "fO" else None
    except (TypeError, ValueError):
        numbers = None
    if numbers is None:
        found = f"holds {pairs.flat[0]!r}"
        raise ParameterTypeError(_PARAMETER, _rule(n_points), pairs, "number the points from 0", found=found)
    is_whole = np.isfinite(numbers) & (numbers == np.round(numbers))
    rows = np.flatnonzero(~is_whole.all(axis=1))
    if len(rows):
        _refuse(pairs, n_points, rows, "holds a number that is not whole", pairs)
    return numbers.astype(np.int64)


def _refuse(
    neighbours: object, n_points: int, rows: NDArray[np.intp], what: str, pairs: NDArray[np.generic]
) -> None:
    pair = ", ".join(str(value) for value in pairs[rows[0]].tolist())
    more = f", and so do {len(rows) - 1:,} more" if len(rows) > 1 else ""
    raise ParameterValueError(
        _PARAMETER,
        _rule(n_points),
        neighbours,
        "fix or drop these pairs",
        found=f"pair {rows[0]} ({pair}) {what}{more}",
    )


def _rule(n_points: int) -> Message:
    return Message(f"must hold pairs of different rows from 0 to {n_points - 1}", OR_MATRIX)


def _graph(first: NDArray[np.int64], second: NDArray[np.int64], n_points: int) -> Neighbours:
    matrix = _symmetric(first, second, n_points)
    return Neighbours(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64))


def _symmetric(first: NDArray[np.int64], second: NDArray[np.int64], n_points: int) -> csr_array:
    ones = np.ones(2 * len(first), dtype=np.bool_)
    there, back = np.concatenate([first, second]), np.concatenate([second, first])
    matrix = csr_array((ones, (there, back)), shape=(n_points, n_points))  # pairs given twice are added up
    matrix.sum_duplicates()
    matrix.sort_indices()
    return matrix
