"""Rows over counts say what counting points says."""

from fractions import Fraction

import numpy as np
import pytest

from minirel.assignment.problem import Problem
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.promises.rows import side_rows


def random_problem(seed: int, alpha: object = 0.51, sample_weight: object = None, **sizes: int) -> Problem:
    rng = np.random.default_rng(seed)
    costs, groups = rng.random((30, 4)), read_groups(rng.random((30, 3)) < 0.4)
    weights = read_weights(sample_weight, 30)
    fairness = read_fairness(groups, weights, 4, alpha=alpha, beta=1, **sizes)
    return Problem(costs, groups, weights, fairness, None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.51, 0.3333333333333333, 1.0, 0.07, {0: 0.2, 1: 0.5, 2: 0.9}])
def test_a_row_holds_exactly_where_the_share_does(alpha: object, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    sample_weight = rng.random(30) if weighted else None
    problem = random_problem(2, alpha, sample_weight, max_size=12)
    units = np.ones(30, dtype=np.int64) if problem.weights.units is None else problem.weights.units
    prefix = tuple((g, k) for g in range(3) for k in range(4))
    rows = side_rows(problem, prefix)
    for _ in range(50):
        labels = rng.integers(0, 4, 30)
        counts = np.zeros((problem.groups.n_signatures, 4), dtype=np.int64)
        np.add.at(counts, (problem.groups.signature, labels), units)
        holds = dict(zip(zip(rows.group, rows.cluster, strict=True), rows.slack(counts) >= 0, strict=True))
        for k in range(4):
            size = int(units[labels == k].sum())
            assert holds[-1, k] == (size >= problem.fairness.min_units)
            assert holds[-2, k] == (size <= problem.fairness.max_units)
            if size > problem.fairness.max_units:
                continue  # shares are tightened for sizes that are allowed
            for g, share in enumerate(problem.fairness.alpha):
                members = int(units[(labels == k) & problem.groups.membership[:, g]].sum())
                assert holds[g, k] == (Fraction(members) >= share * size)


def test_offsets_are_what_the_prices_add_to_a_cost() -> None:
    problem = random_problem(3, alpha=0.5)
    rows = side_rows(problem, ((0, 1), (2, 1), (1, 3)))
    prices = np.random.default_rng(0).random(len(rows))
    offsets = rows.offsets(prices, 4)
    alpha = float(problem.fairness.alpha[0])
    for s, signature in enumerate(problem.groups.signatures):
        least = {k: prices[(rows.group == -1) & (rows.cluster == k)][0] for k in range(4)}
        expected = prices[0] * (alpha - signature[0]) + prices[1] * (alpha - signature[2]) - least[1]
        assert offsets[s, 1] == pytest.approx(expected)
        assert offsets[s, 3] == pytest.approx(prices[2] * (alpha - signature[1]) - least[3])
        assert offsets[s, 0] == pytest.approx(-least[0])


def test_prices_go_to_their_group_and_cluster_and_back() -> None:
    problem = random_problem(4, max_size=20)
    rows = side_rows(problem, ((0, 1), (2, 1), (1, 3)))
    prices = np.random.default_rng(0).random(len(rows))
    table = rows.as_prices(prices, 3, 4)
    assert table.groups[2, 1] == prices[1]
    assert np.count_nonzero(table.groups) == 3
    np.testing.assert_array_equal(rows.from_prices(table), prices)


def test_a_split_is_one_more_row_and_its_price_is_nobodys() -> None:
    problem = random_problem(5)
    rows = side_rows(problem, ((0, 1),))
    form = np.arange(problem.groups.n_signatures)
    split = rows.split(2, form, 7)
    counts = np.full((problem.groups.n_signatures, 4), 3)
    assert len(split) == len(rows) + 1
    assert split.slack(counts)[-1] == 3 * form.sum() - 7
    np.testing.assert_array_equal(split.slack(counts)[:-1], rows.slack(counts))
    price = np.append(np.zeros(len(rows)), 5.0)
    table = split.as_prices(price, 3, 4)
    assert not table.groups.any()
    assert not table.smallest.any()
    assert not table.largest.any()
