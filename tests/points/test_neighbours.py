"""Neighbours are read with clear errors, and pieces are those that a search from point to point finds."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csr_array

from minirel import ParameterError
from minirel.points.neighbours import Neighbours, read_neighbours


def pieces_by_hand(pairs: list[tuple[int, int]], labels: list[int], n_clusters: int) -> list[list[int]]:
    """The sizes of the pieces of each cluster, largest first: flooding, without a library."""
    near: dict[int, set[int]] = {i: set() for i in range(len(labels))}
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    left, sizes = set(near), [[] for _ in range(n_clusters)]
    while left:
        reached, found = [min(left)], set()
        while reached:
            point = reached.pop()
            if point not in found:
                found.add(point)
                reached += [other for other in near[point] if labels[other] == labels[point]]
        left -= found
        sizes[labels[min(found)]].append(len(found))
    return [sorted(each, reverse=True) for each in sizes]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[int], int]:
    n, n_clusters = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    possible = [(a, b) for a in range(n) for b in range(n) if a != b]
    pairs = draw(st.lists(st.sampled_from(possible), max_size=15)) if possible else []
    return pairs, draw(st.lists(st.integers(0, n_clusters - 1), min_size=n, max_size=n)), n_clusters


@given(graphs())
def test_pieces(graph: tuple[list[tuple[int, int]], list[int], int]) -> None:
    pairs, labels, n_clusters = graph
    expected = pieces_by_hand(pairs, labels, n_clusters)
    codes, n = np.array(labels), len(labels)
    both = csr_array((np.ones(len(pairs)), tuple(np.array(pairs, dtype=int).reshape(-1, 2).T)), shape=(n, n))
    for given_as in (pairs, np.array(pairs), both, both.T, both.tocoo()):
        read = read_neighbours(given_as, n)
        assert [*map(list, read.pieces_by_cluster(codes, n_clusters))] == expected
        assert read.n_excess(codes) == sum(max(len(each) - 1, 0) for each in expected)
        assert {tuple(pair) for pair in read.pairs.tolist()} == {(min(p), max(p)) for p in pairs}


@given(graphs(), st.lists(st.integers(0, 3), min_size=9, max_size=9))
def test_units_hang_together(graph: tuple[list[tuple[int, int]], list[int], int], unit: list[int]) -> None:
    pairs, labels, _ = graph
    of = np.unique(unit[: len(labels)], return_inverse=True)[1]
    by_unit = [labels[int(np.flatnonzero(of == u)[0])] for u in range(of.max() + 1)]
    read = read_neighbours(pairs, len(labels))
    inside = [(a, b) for a in range(len(of)) for b in range(a) if of[a] == of[b]]
    everyone = np.array(by_unit)[of]
    joined = read.with_units(of)
    assert joined.n_excess(everyone) == read_neighbours([*pairs, *inside], len(of)).n_excess(everyone)
    assert read.of(of, len(by_unit)).n_excess(np.array(by_unit)) == joined.n_excess(everyone)


@pytest.mark.parametrize(
    ("neighbours", "said"),
    [
        ([[0, 1], [2, 9]], "pair 1 (2, 9) names a point that is not one of the 4"),
        (
            [[0, 1], [2, -1], [1, -5]],
            "pair 1 (2, -1) names a point that is not one of the 4, and so do 1 more",
        ),
        ([[0, 1], [3, 3]], "pair 1 (3, 3) makes a point its own neighbour"),
        ([[0, 1.5]], "pair 0 (0.0, 1.5) holds a number that is not whole"),
        ([[0, np.nan]], "holds a number that is not whole"),
        ([[0, np.inf]], "pair 0 (0.0, inf) holds a number that is not whole"),
        ([["a", "b"]], "number the points from 0"),
        ([[0, 1, 2]], "has shape (1, 3)"),
        ([0, 1], "has shape (2,)"),
        (np.ones((4, 4)), "must be sparse: use scipy.sparse.csr_array"),
        ([[0, 1], [2]], "must hold pairs of different rows from 0 to 3"),
        (coo_matrix(np.eye(4)), "must have zeros on its diagonal, but makes point 0 its own neighbour"),
        (csr_array((3, 4)), "must have shape (4, 4) if it is a sparse matrix, but has shape (3, 4)"),
    ],
)
def test_bad_neighbours(neighbours: object, said: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(said)) as caught:
        read_neighbours(neighbours, 4)  # type: ignore[arg-type]
    assert caught.value.parameter == "neighbours"


def test_numbers_that_are_whole_and_pairs_twice() -> None:
    read = read_neighbours([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], 3)
    assert read.pairs.tolist() == [[0, 1]]
    assert read_neighbours([], 3).pairs.tolist() == []
    explicit_zero = csr_array(([0.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
    assert read_neighbours(explicit_zero, 3).pairs.tolist() == [[1, 2]]


def test_points_that_are_cut_off() -> None:
    graph = read_neighbours([[0, 1], [1, 2], [3, 4]], 6)
    assert isinstance(graph, Neighbours)
    said = "leaves them in 3 parts; cut off from the largest: 3, 4 and 5: add pairs"
    with pytest.raises(ParameterError, match=re.escape(said)):
        graph.check_one_part()
    read_neighbours([[0, 1], [1, 2]], 3).check_one_part()
