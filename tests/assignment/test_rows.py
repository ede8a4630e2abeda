"""Rows over units by signature say what counting points says."""

from fractions import Fraction

import numpy as np
import pytest

from minirel.assignment.problem import Problem
from minirel.assignment.rows import promised_rows
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.promises.kinds import KINDS


def random_problem(seed: int, alpha: object = 0.51, sample_weight: object = None, **more: object) -> Problem:
    rng = np.random.default_rng(seed)
    costs, groups = rng.random((30, 4)), read_groups(rng.random((30, 3)) < 0.4)
    weights = read_weights(sample_weight, 30)
    fairness = read_fairness(groups, weights, 4, alpha=alpha, beta=1, **more)
    return Problem(costs, groups, weights, fairness, None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.51, 0.3333333333333333, 1.0, 0.07, {0: 0.2, 1: 0.5, 2: 0.9}])
def test_a_row_holds_exactly_where_the_share_does(alpha: object, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    sample_weight = rng.random(30) if weighted else None
    problem = random_problem(
        2,
        alpha,
        sample_weight,
        min_size=[1, 2, 3, 4],
        max_size=[12, 11, None, 9],
        min_share={0: 0.2, 2: 0.3333333333333333},
        max_share={0: 0.51, 1: 0.6666666666666667},
        min_members={1: 3},
    )
    fairness = problem.fairness
    units = np.ones(30, dtype=np.int64) if problem.weights.units is None else problem.weights.units
    prefix = tuple((g, k) for g in range(3) for k in range(4))
    rows = promised_rows(problem, prefix)
    for _ in range(50):
        labels = rng.integers(0, 4, 30)
        counts = np.zeros((problem.groups.n_signatures, 4), dtype=np.int64)
        np.add.at(counts, (problem.groups.signature, labels), units)
        listed = rows.listed
        about = zip(listed.kind.tolist(), listed.group.tolist(), listed.cluster.tolist(), strict=True)
        holds = {
            (KINDS[kind], g, k): bool(slack >= 0)
            for (kind, g, k), slack in zip(about, rows.slack(counts), strict=True)
        }
        assert len(holds) == len(rows)
        for k in range(4):
            size = int(units[labels == k].sum())
            assert holds.pop(("min_size", 0, k)) == (size >= fairness.min_units[k])
            assert holds.pop(("max_size", 0, k), True) == (size <= fairness.max_units[k])
            is_within = size <= fairness.max_units[k]  # shares are tightened for sizes that are allowed
            for g in range(3):
                members = Fraction(int(units[(labels == k) & problem.groups.membership[:, g]].sum()))
                expected = {
                    "share": members >= fairness.alpha[g] * size,
                    "min_members": members >= fairness.min_members[g],
                    "min_share": members >= fairness.min_share[g] * size,
                    "max_share": members <= fairness.max_share[g] * size,
                }
                for kind, is_kept in expected.items():
                    told = holds.pop((kind, g, k), True)
                    assert told == is_kept or (not is_within and kind != "min_members"), kind
        assert not holds


def test_offsets_are_what_the_prices_add_to_a_cost() -> None:
    problem = random_problem(3, alpha=0.5)
    rows = promised_rows(problem, ((0, 1), (2, 1), (1, 3)))
    prices = np.random.default_rng(0).random(len(rows))
    offsets = rows.offsets(prices, 4)
    alpha = float(problem.fairness.alpha[0])
    smallest = rows.listed.kind == KINDS.index("min_size")
    for s, signature in enumerate(problem.groups.signatures):
        least = {k: prices[smallest & (rows.cluster == k)][0] for k in range(4)}
        expected = prices[0] * (alpha - signature[0]) + prices[1] * (alpha - signature[2]) - least[1]
        assert offsets[s, 1] == pytest.approx(expected)
        assert offsets[s, 3] == pytest.approx(prices[2] * (alpha - signature[1]) - least[3])
        assert offsets[s, 0] == pytest.approx(-least[0])


def test_prices_go_to_their_group_and_cluster_and_back() -> None:
    problem = random_problem(4, max_size=20, min_share={1: 0.1}, max_share={2: 0.9}, min_members={0: 4, 1: 5})
    rows = promised_rows(problem, ((0, 1), (2, 1), (1, 3)))
    prices = np.random.default_rng(0).random(len(rows))
    table = rows.as_prices(prices, 3, 4)
    assert table.groups[2, 1] == prices[1]
    for kind, n_prices in zip(KINDS, (3, 2, 4, 4, 4, 4), strict=True):
        assert np.count_nonzero(table.of_kind(kind)) == n_prices
    np.testing.assert_array_equal(rows.from_prices(table), prices)


def test_a_split_is_one_more_row_and_its_price_is_nobodys() -> None:
    problem = random_problem(5)
    rows = promised_rows(problem, ((0, 1),))
    form = np.arange(problem.groups.n_signatures)
    split = rows.split(2, form, 7)
    counts = np.full((problem.groups.n_signatures, 4), 3)
    assert len(split) == len(rows) + 1
    assert split.slack(counts)[-1] == 3 * form.sum() - 7
    np.testing.assert_array_equal(split.slack(counts)[:-1], rows.slack(counts))
    price = np.append(np.zeros(len(rows)), 5.0)
    table = split.as_prices(price, 3, 4)
    assert not table.table.any()
    assert split.is_split.tolist() == [False] * len(rows) + [True]
    assert (split.cluster[-1], split.listed.group[-1]) == (rows.cluster[2], rows.listed.group[2])
    np.testing.assert_array_equal(split.from_prices(table), np.zeros(len(split)))


def test_which_rows_are_shares() -> None:
    problem = random_problem(6, min_share=0.1, max_share=0.9, min_members=2, max_size=20)
    rows = promised_rows(problem, ((0, 1),))
    kinds = {KINDS[kind] for kind in rows.listed.kind[rows.is_share]}
    assert kinds == {"share", "min_share", "max_share"}
    assert {KINDS[kind] for kind in rows.listed.kind[~rows.is_share]} == {
        "min_members",
        "min_size",
        "max_size",
    }


def test_rows_without_groups() -> None:
    groups, weights = read_groups(None, n_points=5), read_weights(None, 5)
    fairness = read_fairness(groups, weights, 2, alpha=0.5, beta=None, max_size=4)
    rows = promised_rows(Problem(np.ones((5, 2)), groups, weights, fairness, ()), ())
    np.testing.assert_array_equal(rows.slack(np.array([[5, 0]])), [4, -1, -1, 4])
