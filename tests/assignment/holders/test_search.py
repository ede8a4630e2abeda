"""Holders by the assignment they lead to: valid, never worse than where they start, mostly the best."""

from itertools import combinations, product

import numpy as np
import pytest

from minirel import Assignment, fair_assignment
from minirel.assignment.holders.choice import choose_holders
from minirel.assignment.holders.search import Changes, SampledValues, search_holders
from minirel.assignment.problem import Problem
from minirel.assignment.rows import promised_rows
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import Prefix, read_fairness
from minirel.promises.feasibility.counts import CountProgram
from minirel.solvers.limits import NO_DEADLINE
from thorough import often


def blobs(seed: int, n: int = 60, n_clusters: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Costs of points around some places, and two groups that prefer different ones."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(n_clusters, 2)) * 2
    home = rng.integers(n_clusters, size=n)
    X = places[home] + rng.normal(size=(n, 2))
    likes = rng.random(n_clusters)
    return ((X[:, None] - places) ** 2).sum(axis=2), (rng.random(n) < likes[home]).astype(int)


def read(costs: np.ndarray, features: np.ndarray, weight: object = None, **asked: object):
    groups, weights = read_groups(features), read_weights(weight, len(costs))
    fairness = read_fairness(groups, weights, costs.shape[1], **asked)
    return Problem(costs, groups, weights, fairness, None), CountProgram(groups, weights, fairness)


def chosen(problem: Problem, program: CountProgram, strategy: str, required: Prefix = ()) -> Prefix:
    parts = problem.costs, problem.groups, problem.weights, problem.fairness
    holders = choose_holders(strategy, *parts, program, required=required)
    assert holders is not None
    return holders


def answer_of(
    costs: np.ndarray, features: np.ndarray, holders: Prefix, problem: Problem, gap: float = 1e-4
) -> Assignment:
    names = problem.groups.names
    alpha = dict(zip(names, problem.fairness.alpha, strict=True))
    prefix = [(names[g], k) for g, k in holders]
    return fair_assignment(costs, features, alpha=alpha, prefix=prefix, gap=gap)


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(8))
def test_close_to_the_best_of_all_choices(seed: int) -> None:
    costs, features = blobs(seed)
    problem, program = read(costs, features, alpha=0.6, beta=2)
    found = chosen(problem, program, "assignment")
    every = [
        tuple(sorted([*((0, k) for k in a), *((1, k) for k in b)]))
        for a, b in product(combinations(range(5), 2), repeat=2)
        if not set(a) & set(b)
    ]
    assert found in every
    cost = answer_of(costs, features, found, problem).cost
    local = answer_of(costs, features, chosen(problem, program, "local_cost"), problem)
    assert cost <= 1.02 * local.lower_bound
    # Bounds of all others are enough, and coarse ones if they leave no doubt.
    for holders in every:
        bound = answer_of(costs, features, holders, problem, gap=0.02).lower_bound
        if cost > 1.05 * bound:
            bound = answer_of(costs, features, holders, problem, gap=1e-6).lower_bound
        assert cost <= 1.05 * bound, holders


def test_better_than_local_cost_in_the_mean() -> None:
    ratios = []
    for seed in range(often(8, 30)):
        costs, features = blobs(seed, n=200, n_clusters=8)
        problem, program = read(costs, features, alpha=0.55, beta="statistical_parity")
        ours, local = (
            answer_of(costs, features, chosen(problem, program, way), problem).cost
            for way in ("assignment", "local_cost")
        )
        ratios.append(ours / local)
    assert np.mean(ratios) < 0.995
    assert max(ratios) < 1.01


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_asked_is_kept(exclusive: bool, weighted: bool) -> None:
    """Numbers of clusters, pairs that are required or not allowed, clusters that count once."""
    for seed in range(often(4, 10)):
        rng = np.random.default_rng(seed)
        costs = rng.random((40, 5)) ** 2
        features = rng.random((40, 3)) < [0.5, 0.4, 0.6]
        allowed = np.ones((3, 5), dtype=bool)
        allowed[0, 1] = allowed[2, 3] = False
        weight = rng.integers(1, 4, 40) if weighted else None
        asked = {"alpha": {0: 0.4, 1: 0.3, 2: 0.5}, "beta": {0: 2, 1: 1, 2: 1}, "max_size": 60}
        problem, program = read(costs, features, weight, **asked, allowed=allowed, exclusive=exclusive)
        found = chosen(problem, program, "assignment", required=((0, 2),))
        assert (0, 2) in found
        assert np.bincount([g for g, _ in found], minlength=3).tolist() == [2, 1, 1]
        assert all(allowed[pair] for pair in found)
        assert not exclusive or len({k for _, k in found}) == 4
        assert program.keeping(found).holders is not None


def test_nothing_to_choose() -> None:
    costs, features = blobs(0)
    problem, program = read(costs, features, alpha=0.5, beta={0: 1})
    assert search_holders(problem, ((0, 3),), ((0, 3),), program).holders == ((0, 3),)
    assert search_holders(problem, (), (), program).holders == ()


def test_estimates_are_what_single_prices_add() -> None:
    """By brute force: the best price of a new holder, on a fine grid, with all others as they are."""
    costs, features = blobs(3, n=50, n_clusters=3)
    problem, _ = read(costs, features, alpha=0.6, beta=1)
    values = SampledValues(problem)
    choice = values.of(((0, 1),), None, NO_DEADLINE)
    changes = Changes(values, choice)
    before = float(changes.best.sum())
    for left, joined in product(([], [0]), ([], [1])):
        holders = tuple(sorted({*(() if left else ((0, 1),)), *(((1, 1),) if joined else ())}))
        rows = promised_rows(problem, holders)
        known, best = rows.from_prices(choice.prices), -np.inf
        free = np.flatnonzero((rows.listed.kind == 0) & (rows.listed.group == 1))
        for price in np.linspace(0, 20, 4_001) if len(free) else [0.0]:
            known[free] = price
            offsets = rows.offsets(known, 3)[problem.groups.signature]
            best = max(best, float((costs + offsets).min(axis=1).sum() + known @ rows.rhs))
        rhs = float(changes.prices @ changes.rows.rhs)
        assert changes.of(1, left, joined) == pytest.approx(best - before - rhs, abs=1e-2)
