"""All choices of a few points, against trying them one by one."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from minirel.assignment.enumeration import Enumerated, enumerate_choices
from minirel.assignment.problem import Problem
from minirel.assignment.rows import Rows, promised_rows
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.promises.kinds import KINDS

ALPHAS = (Fraction(1, 2), Fraction(1, 3), Fraction(3, 5), Fraction(123456789, 10**9), Fraction(1))
EVERYTHING = 10**6


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Points without a cluster, which come first, and others that have theirs."""

    problem: Problem
    rows: Rows
    prices: np.ndarray
    costs: np.ndarray
    others: np.ndarray  # clusters of all other points

    @property
    def units(self) -> np.ndarray:
        units = self.problem.weights.units
        return np.ones(self.problem.n_points, dtype=np.int64) if units is None else units

    def solve(self, below: float = math.inf, node_limit: int = EVERYTHING) -> Enumerated:
        signature, exact = self.problem.groups.signature, self.rows.exact
        n = len(self.costs)
        counts = np.zeros((self.problem.groups.n_signatures, self.problem.n_clusters), dtype=np.int64)
        np.add.at(counts, (signature[n:], self.others), self.units[n:])
        change = exact[:, signature[:n]] * self.units[:n].astype(exact.dtype)
        slack = self.rows.slack(counts)
        return enumerate_choices(
            self.rows, self.prices, slack, change, self.costs, below=below, node_limit=node_limit
        )

    def cost(self, choice: tuple[int, ...] | list[int]) -> float:
        """What a choice costs, infinite if it breaks a promise: counted anew, in Python's integers."""
        labels = [*choice, *self.others.tolist()]
        fairness, units = self.problem.fairness, self.units.tolist()
        total = math.fsum(self.costs[i, k] for i, k in enumerate(choice))
        if math.isinf(total):
            return math.inf
        listed = self.rows.listed
        asked = zip(listed.kind.tolist(), listed.group.tolist(), listed.cluster.tolist(), strict=True)
        for r, (kind, g, k) in enumerate(asked):
            inside = [i for i, label in enumerate(labels) if label == k]
            size = sum(units[i] for i in inside)
            members = sum(units[i] for i in inside if self.problem.groups.membership[i, g])
            amount = {
                "share": members - fairness.alpha[g] * size,
                "min_members": members - fairness.min_members[g],
                "min_share": members - fairness.min_share[g] * size,
                "max_share": fairness.max_share[g] * size - members,
                "min_size": size - fairness.min_units[k],
                "max_size": fairness.max_units[k] - size,
            }[KINDS[kind]]
            if amount < 0:
                return math.inf
            # The price is one of the row's own slack: its share is as tight as whole units make it.
            exact = sum(int(self.rows.exact[r, self.problem.groups.signature[i]]) * units[i] for i in inside)
            total += self.prices[r] * float(
                Fraction(exact - int(self.rows.least[r]), int(self.rows.scale[r]))
            )
        return total

    def cheapest(self) -> float:
        choices = product(range(self.problem.n_clusters), repeat=len(self.costs))
        return min(self.cost(choice) for choice in choices)


def puzzle(seed: int) -> Puzzle:
    """A few points, with other points settled; prices, closed pairs and weights of all kinds."""
    rng = np.random.default_rng(seed)
    n, n_clusters = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    n_others = int(rng.integers(max(0, n_clusters - n), 6))
    total = n + n_others
    groups = read_groups(rng.random((total, 2)) < 0.5)
    kind = rng.choice(["none", "small", "fine", "huge"])
    weights = read_weights(
        {
            "none": None,
            "small": rng.integers(0, 6, total) + (np.arange(total) < n_clusters),
            "fine": np.round(rng.uniform(0.2, 2, total), 2),
            "huge": rng.integers(1, 2**40, total),
        }[kind],
        total,
    )
    alpha = ALPHAS[int(rng.integers(len(ALPHAS)))]
    units = weights.total(total)
    sizes = {}
    if rng.random() < 0.5:
        sizes["max_size"] = weights.unit * math.ceil(units / n_clusters * rng.uniform(1, 1.5))
    if rng.random() < 0.5:
        sizes["min_size"] = weights.unit * max(1, math.floor(units / n_clusters * rng.uniform(0.2, 1)))
    pairs = [(g, k) for g in range(2) for k in range(n_clusters) if rng.random() < 0.4]
    more = np.random.default_rng([seed, 2])  # of its own, for promises that came later
    if more.random() < 0.2:
        sizes["min_members"] = weights.unit * math.ceil(units / n_clusters * more.uniform(0.1, 0.5)) + 1
    if more.random() < 0.2:
        sizes["min_share"] = {int(more.integers(2)): Fraction(int(more.integers(1, 40)), 100)}
    if more.random() < 0.2:
        sizes["max_share"] = {int(more.integers(2)): Fraction(int(more.integers(60, 100)), 100)}
    fairness = read_fairness(
        groups, weights, n_clusters, alpha=alpha, beta=None, asked={g for g, _ in pairs}, **sizes
    )
    problem = Problem(rng.random((total, n_clusters)), groups, weights, fairness, tuple(pairs))
    rows = promised_rows(problem, tuple(pairs))
    prices = rng.random(len(rows)) * (rng.random(len(rows)) < 0.4) * rng.choice([0.01, 1.0, 100.0])
    prices /= 1.0 if weights.units is None else weights.units.max()
    costs = rng.random((n, n_clusters)) * rng.choice([1.0, 0.0, 1.0, 50.0])
    closed = rng.random((n, n_clusters)) < 0.3
    closed[np.arange(n), rng.integers(n_clusters, size=n)] = False
    return Puzzle(
        problem,
        rows,
        prices,
        np.where(closed, np.inf, costs),
        rng.integers(n_clusters, size=n_others),
    )


def same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("block", range(4))
def test_the_cheapest_of_all_choices(block: int) -> None:
    n_none = n_priced = n_object = 0
    for seed in range(75 * block, 75 * (block + 1)):
        case = puzzle(seed)
        least, found = case.cheapest(), case.solve()
        assert found.complete, seed
        if math.isinf(least):
            assert (found.choice, found.cost) == (None, math.inf), seed
            n_none += 1
            continue
        assert found.choice is not None, seed
        assert same(found.cost, least), seed
        assert same(case.cost(found.choice), least), seed
        n_priced += bool(case.prices.any())
        n_object += case.rows.exact.dtype == object
    assert 5 <= n_none <= 70, "some have no choice at all, and some have"
    assert n_priced
    assert n_object, "numbers beyond int64"


def test_only_what_costs_less_than_asked_is_of_interest() -> None:
    n_found = 0
    for seed in range(100):
        case = puzzle(seed)
        best = case.solve()
        if best.choice is None:
            continue
        n_found += 1
        again = case.solve(below=best.cost)
        assert (again.choice, again.cost, again.complete) == (None, best.cost, True), seed
        more = case.solve(below=best.cost + 1)
        assert (more.choice, more.cost, more.complete) == (best.choice, best.cost, True), seed
    assert n_found >= 30


def test_an_effort_that_is_spent_is_said_and_what_was_found_is_so() -> None:
    n_cut_short, n_found_before = 0, 0
    for seed in range(60):
        case = puzzle(seed)
        best, below = case.solve(), math.inf
        for node_limit in range(0, 120):
            found = case.solve(node_limit=node_limit)
            assert found.cost <= below, f"seed {seed}: more effort, worse choice"
            below = found.cost
            if found.complete:
                assert (found.choice, found.cost) == (best.choice, best.cost), seed
                break
            n_cut_short += 1
            if found.choice is None:
                assert found.cost == math.inf, seed
            else:
                n_found_before += 1
                assert same(case.cost(found.choice), found.cost), seed
                assert found.cost >= best.cost, seed
    assert n_cut_short >= 60
    assert n_found_before >= 20


def test_no_points_to_choose_for() -> None:
    case = puzzle(0)
    rows = case.rows
    nothing = np.zeros((len(rows), 0), dtype=np.int64), np.zeros((0, case.problem.n_clusters))
    for slack, choice in ((0, []), (-1, None)):
        change, costs = nothing
        slacks = np.full(len(rows), slack)
        found = enumerate_choices(rows, case.prices, slacks, change, costs, below=math.inf, node_limit=1)
        assert (found.choice, found.complete) == (choice, True)
