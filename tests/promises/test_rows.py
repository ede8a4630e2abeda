"""The list of rows, against promises counted in fractions."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from every_clustering import Case, random_case
from minirel.points.weights import read_weights
from minirel.promises.fairness import Fairness
from minirel.promises.kinds import KINDS, OF_HOLDERS, OF_SIZES
from minirel.promises.rows import RowList, cluster_rows, every_pair, holder_rows

FINE = Fraction(123456789, 1000000007)


def is_kept(fairness: Fairness, kind: str, g: int, k: int, members: int, size: int) -> bool:
    """Whether a promise holds in a cluster with so many units."""
    return {
        "share": lambda: members >= fairness.alpha[g] * size,
        "min_members": lambda: members >= fairness.min_members[g],
        "min_share": lambda: members >= fairness.min_share[g] * size,
        "max_share": lambda: members <= fairness.max_share[g] * size,
        "min_size": lambda: size >= fairness.min_units[k],
        "max_size": lambda: size <= fairness.max_units[k],
    }[kind]()


def about(rows: RowList) -> list[tuple[str, int, int]]:
    listed = zip(rows.kind.tolist(), rows.group.tolist(), rows.cluster.tolist(), strict=True)
    return [(KINDS[kind], g, k) for kind, g, k in listed]


def cases(n: int) -> list[Case]:
    """Some with shares and weights of many digits."""
    found = []
    for seed in range(30_000, 30_000 + n):
        case = random_case(seed)
        if seed % 4 == 0:
            values = np.random.default_rng(seed).random(case.groups.n_points)
            case = case.weighing(read_weights(values, len(values)))
        if seed % 4 in (0, 1):
            changes = {"alpha": case.fairness.alpha, "min_share": case.fairness.min_share}
            case = case.asking(**{name: tuple(s * FINE for s in shares) for name, shares in changes.items()})
        found.append(case)
    return found


def every_row(fairness: Fairness) -> RowList:
    return cluster_rows(fairness) + holder_rows(fairness, every_pair(fairness.allowed.shape))


def random_state(case: Case, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Members and sizes of the clusters of random labels."""
    labels = rng.integers(case.fairness.n_clusters, size=case.groups.n_points)
    here = labels[:, None] == np.arange(case.fairness.n_clusters)
    weighed = case.units[:, None] * here
    return case.groups.membership.T.astype(np.int64) @ weighed, weighed.sum(axis=0)


def test_each_promise_has_its_rows() -> None:
    seen = set()
    for case in cases(200):
        fairness, told = case.fairness, about(every_row(case.fairness))
        seen.update(kind for kind, _, _ in told)
        n_groups, n_clusters = fairness.allowed.shape
        asked = {
            "share": lambda g, k: True,
            "min_members": lambda g, k, f=fairness: f.min_members[g] > 0,
            "min_share": lambda g, k, f=fairness: f.min_share[g] > 0,
            "max_share": lambda g, k, f=fairness: f.max_share[g] < 1,
            "min_size": lambda g, k: g == 0,
            "max_size": lambda g, k, f=fairness: g == 0 and f.max_units[k] < f.total,
        }
        expected = [
            (kind, g, k)
            for kind, g, k in product(KINDS, range(n_groups), range(n_clusters))
            if asked[kind](g, k)
        ]
        assert sorted(told) == sorted(expected)
    assert seen == set(KINDS)


@pytest.mark.parametrize("tight", [True, False])
def test_a_row_holds_exactly_where_the_promise_does(tight: bool) -> None:
    rng, outcomes = np.random.default_rng(0), set()
    for case in cases(200):
        fairness = case.fairness
        pairs = every_pair(fairness.allowed.shape)
        rows = cluster_rows(fairness) + holder_rows(fairness, pairs, tight=tight)
        for _ in range(10):
            members, size = random_state(case, rng)
            slack = rows.slack(members, size, size)
            for (kind, g, k), room in zip(about(rows), slack, strict=True):
                m, s = int(members[g, k]), int(size[k])
                if kind not in OF_SIZES and s > fairness.max_units[k]:
                    continue  # shares are tightened for sizes that are allowed
                assert (room >= 0) == is_kept(fairness, kind, g, k, m, s)
                outcomes.add((kind, bool(room >= 0)))
    assert outcomes == set(product(KINDS, (True, False)))


def test_which_groups_have_all_their_rows_hold() -> None:
    """In several states of clusters at once, in any order, of several kinds."""
    rng, outcomes = np.random.default_rng(1), []
    for case in cases(150):
        fairness, rows = case.fairness, every_row(case.fairness)
        kind = rows.dtype(fairness.total)
        states = [random_state(case, rng) for _ in range(6)]
        clusters = rng.integers(fairness.n_clusters, size=6)
        members = np.stack([m[:, k] for (m, _), k in zip(states, clusters, strict=True)], axis=1)
        size = np.array([s[k] for (_, s), k in zip(states, clusters, strict=True)])
        tables = rows.tables(len(members), fairness.n_clusters, kind)
        holds = tables.holds(members.astype(kind), size.astype(kind), size.astype(kind), clusters)
        assert holds.shape == members.shape
        for g, c in np.ndindex(holds.shape):
            k, s = int(clusters[c]), int(size[c])
            if s > fairness.max_units[k]:
                continue
            mine = [row for row in about(rows) if row[1:] == (g, k)]
            expected = all(is_kept(fairness, *row, int(members[g, c]), s) for row in mine)
            assert holds[g, c] == expected
            outcomes.append(expected)
    assert set(outcomes) == {True, False}


def test_rows_without_groups_or_clusters() -> None:
    fairness = random_case(0).fairness.of([])
    rows = cluster_rows(fairness)
    size, nobody = np.array(fairness.min_units), np.zeros((0, fairness.n_clusters), dtype=np.int64)
    assert {KINDS[kind] for kind in rows.kind} <= set(OF_SIZES)
    assert (rows.slack(nobody, size, size) >= 0).all()
    tables = rows.tables(0, fairness.n_clusters, np.int64)
    assert tables.holds(nobody, size, size, np.arange(fairness.n_clusters)).tolist() == [
        [True] * fairness.n_clusters
    ]
    assert len(holder_rows(fairness, ())) == 0
    nothing = np.zeros(0, dtype=np.int64)
    assert tables.holds(np.zeros((0, 0), dtype=np.int64), nothing, nothing, nothing).shape == (1, 0)


def test_no_row_lacks_more_than_the_worst() -> None:
    """And some cluster lacks just that much: the least large number."""
    for case in cases(100):
        if case.fairness.total > 30:
            continue
        fairness, rows = case.fairness, every_row(case.fairness)
        largest = np.array(fairness.max_units)
        worst = rows.worst(largest[rows.cluster], largest[rows.cluster])
        for r, (_, _, k) in enumerate(about(rows)):
            a, b, least = int(rows.members[r]), int(rows.total[r] + rows.size[r]), int(rows.least[r])
            lacks = [least - a * m - b * s for s in range(largest[k] + 1) for m in range(s + 1)]
            assert worst[r] == max(lacks)


def test_some_rows_and_all_together() -> None:
    fairness = random_case(7, most_points=6).asking(min_members=(2,) * 3).fairness
    rows = every_row(fairness)
    of_holders = np.isin(rows.kind, [KINDS.index(kind) for kind in OF_HOLDERS])
    again = rows[~of_holders] + rows[of_holders]
    assert about(again) == about(rows)
    assert len(rows[np.array([2, 0])]) == 2
    assert about(rows[np.array([2, 0])]) == [about(rows)[2], about(rows)[0]]


def test_products_that_leave_64_bits() -> None:
    fairness = random_case(3).asking(alpha=(FINE,) * 3).fairness
    rows = holder_rows(fairness, ((0, 0),), tight=False)
    assert rows.dtype(10) is np.int64
    assert rows.dtype(2**53) is object
    large = replace(rows, members=np.array([2**61]), total=-np.array([2**61 - 1]))
    size = np.array([2**50, *[0] * (fairness.n_clusters - 1)])
    assert large.slack(np.array([size]), size, size).tolist() == [2**50]
