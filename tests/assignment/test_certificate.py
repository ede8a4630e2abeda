"""The certificate: a good answer passes, and an answer that is wrong by the least is refused."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from minirel import fair_assignment
from minirel.assignment.certificate import CertificateError, certify, price_bound
from minirel.assignment.problem import Problem
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import Prefix, read_fairness
from minirel.promises.kinds import KINDS, OF_HOLDERS
from minirel.promises.prices import Prices
from thorough import often


def make_problem(
    costs: Any,
    features: Any,
    prefix: tuple[tuple[int, int], ...] = (),
    *,
    sample_weight: Any = None,
    **request: Any,
) -> Problem:
    costs = np.asarray(costs, dtype=float)
    groups, weights = read_groups(features), read_weights(sample_weight, len(costs))
    fairness = read_fairness(groups, weights, costs.shape[1], **{"beta": 0, **request})
    return Problem(costs, groups, weights, fairness, prefix)


def zero_prices(problem: Problem) -> Prices:
    return Prices.none(len(problem.fairness.names), problem.n_clusters)


@dataclass
class Answer:
    """What `certify` is given."""

    problem: Problem
    labels: np.ndarray
    prefix: tuple[tuple[int, int], ...]
    prices: Prices | None

    def certify(self):
        return certify(self.problem, self.labels, self.prefix, self.prices)


@pytest.fixture
def answer() -> Answer:
    """Ten points in two clusters of five: F is 3 of 5 in cluster 0 and M in cluster 1, just their share."""
    rng = np.random.default_rng(0)
    costs, features = rng.exponential(size=(10, 2)), list("FFFMMFFMMM")
    prefix = ((0, 0), (1, 1))
    request = {"alpha": 0.6, "min_size": 5, "max_size": 5}
    problem = make_problem(costs, features, prefix, beta=1, **request)
    named = [("F", 0), ("M", 1)]
    solved = fair_assignment(costs, features, prefix=named, beta=1, gap=0, **request)
    assert solved.prices is not None
    return Answer(problem, solved.labels, prefix, solved.prices)


def test_a_good_answer_passes(answer: Answer) -> None:
    certificate = answer.certify()
    costs, labels = answer.problem.costs, answer.labels
    assert certificate.cost == pytest.approx(sum(costs[i, k] for i, k in enumerate(labels)), rel=1e-14)
    assert certificate.sizes.tolist() == [5, 5]
    assert certificate.members.tolist() == [[3, 2], [2, 3]]
    assert certificate.represented.tolist() == [[True, False], [False, True]]
    assert certificate.unit == 1
    assert 0.9 * certificate.cost < certificate.price_bound <= certificate.cost


def test_without_prices_the_nearest_clusters_are_the_bound(answer: Answer) -> None:
    answer.prices = None
    nearest = answer.problem.costs.min(axis=1).sum()
    assert answer.certify().price_bound == pytest.approx(nearest, rel=1e-12)
    assert answer.certify().price_bound <= nearest


def swap(answer: Answer) -> None:
    """Exchange a woman of cluster 0 and a man of cluster 1: sizes stay, both shares are short by one."""
    member = answer.problem.groups.membership
    woman = np.flatnonzero(member[:, 0] & (answer.labels == 0))[0]
    man = np.flatnonzero(member[:, 1] & (answer.labels == 1))[0]
    answer.labels[[woman, man]] = answer.labels[[man, woman]]


def move(answer: Answer) -> None:
    answer.labels[np.flatnonzero(answer.labels == 0)[0]] = 1


def empty(answer: Answer) -> None:
    answer.labels[:] = 0


def out_of_range(answer: Answer) -> None:
    answer.labels[3] = 2


def negative_label(answer: Answer) -> None:
    answer.labels[3] = -1


def cut(answer: Answer) -> None:
    answer.labels = answer.labels[:-1]


def lengthen(answer: Answer) -> None:
    answer.labels = np.append(answer.labels, 0)


def as_table(answer: Answer) -> None:
    answer.labels = answer.labels[:, None]


def as_floats(answer: Answer) -> None:
    answer.labels = answer.labels.astype(float)


def one_holder_more(answer: Answer) -> None:
    answer.prefix = (*answer.prefix, (0, 1))


def promise_more(answer: Answer) -> None:
    fairness = replace(answer.problem.fairness, beta=(2, 1))
    answer.problem = replace(answer.problem, fairness=fairness)


def allow_less(answer: Answer) -> None:
    """The share is there, but in a cluster that does not count."""
    fairness = replace(answer.problem.fairness, allowed=np.array([[False, True], [True, True]]))
    answer.problem = replace(answer.problem, fairness=fairness)
    answer.prefix = ()


def raise_alpha(answer: Answer) -> None:
    fairness = replace(answer.problem.fairness, alpha=(Fraction(3, 5) + Fraction(1, 10**30), Fraction(3, 5)))
    answer.problem = replace(answer.problem, fairness=fairness)


def with_price(kind: str, price: float) -> Callable[[Answer], None]:
    def tamper(answer: Answer) -> None:
        assert answer.prices is not None
        answer.prices = Prices(answer.prices.table.copy())
        answer.prices.of_kind(kind).flat[0] = price

    tamper.__name__ = f"{'negative' if price < 0 else price}_{kind}"
    return tamper


def price_of_nothing(kind: str) -> Callable[[Answer], None]:
    """A pair that was not promised has a price: what that proves is not about this problem."""

    def tamper(answer: Answer) -> None:
        answer.prices = zero_prices(answer.problem)
        answer.prices.of_kind(kind)[0, 1] = 1e-3

    tamper.__name__ = f"price_of_nothing_{kind}"
    return tamper


def ask_more(told: str, **changes: Any) -> Callable[[Answer], None]:
    """Promises that the labels just fail to keep."""

    def tamper(answer: Answer) -> None:
        fairness = replace(answer.problem.fairness, **changes)
        answer.problem = replace(answer.problem, fairness=fairness)

    tamper.__name__ = told
    return tamper


def hold_twice(answer: Answer) -> None:
    """One cluster for two groups, where each must have its own."""
    fairness = replace(answer.problem.fairness, alpha=(Fraction(2, 5),) * 2, exclusive=True)
    answer.problem = replace(answer.problem, fairness=fairness)
    answer.prefix = ((0, 0), (1, 0))


def hold_what_is_not_allowed(answer: Answer) -> None:
    fairness = replace(
        answer.problem.fairness, allowed=np.array([[False, True], [True, True]]), exclusive=True
    )
    answer.problem = replace(answer.problem, fairness=fairness)


TAMPERED = [
    (swap, "'F' is not represented in cluster 0"),
    (move, "cluster 0 has 4 units, not 5 to 5"),
    (empty, "cluster 0 has 10 units, not 5 to 5"),
    (out_of_range, "10 clusters from 0 to 1"),
    (negative_label, "10 clusters from 0 to 1"),
    (cut, "10 clusters from 0 to 1"),
    (lengthen, "10 clusters from 0 to 1"),
    (as_table, "10 clusters from 0 to 1"),
    (as_floats, "10 clusters from 0 to 1"),
    (one_holder_more, "'F' is not represented in cluster 1"),
    (promise_more, "'F' is represented in 1 clusters, not 2"),
    (allow_less, "'F' is represented in 0 clusters, not 1"),
    (raise_alpha, "'F' is not represented in cluster 0"),
    (ask_more("min_members", min_members=(4, 0)), "'F' is not represented in cluster 0"),
    (ask_more("size_of_one", min_units=(5, 6)), "cluster 1 has 5 units, not 6 to 5"),
    (ask_more("min_share", min_share=(Fraction(41, 100), Fraction(0))), "'F' in cluster 1 is out of bounds"),
    (ask_more("max_share", max_share=(Fraction(59, 100), Fraction(1))), "'F' in cluster 0 is out of bounds"),
    (hold_twice, "a cluster counts for two groups"),
    (hold_what_is_not_allowed, "'F' is represented in 0 clusters, not 1"),
    *((with_price(kind, -1e-9), "price is negative") for kind in KINDS),
    *((with_price(kind, np.nan), "price") for kind in KINDS),
    *((price_of_nothing(kind), "price is on a pair that was not promised") for kind in OF_HOLDERS),
]


@pytest.mark.parametrize(("tamper", "told"), TAMPERED, ids=[tamper.__name__ for tamper, _ in TAMPERED])
def test_tampering_is_refused(answer: Answer, tamper: Callable[[Answer], None], told: str) -> None:
    answer.labels = answer.labels.copy()
    tamper(answer)
    with pytest.raises(CertificateError, match=told):
        answer.certify()


def test_a_bound_above_the_cost_is_refused(answer: Answer) -> None:
    """No honest prices prove one, so make a weight negative: the dearest cluster is then the cheapest."""
    units = np.ones(10, dtype=np.int64)
    dear = int(np.argmax(np.abs(np.diff(answer.problem.costs, axis=1))))
    units[dear], units[dear - 1] = -1, 3
    fairness = replace(answer.problem.fairness, min_units=(1, 1), max_units=(10, 10), beta=(0, 0))
    weights = replace(answer.problem.weights, units=units)
    answer.problem = replace(answer.problem, weights=weights, fairness=fairness)
    answer.labels = answer.problem.costs.argmin(axis=1)
    answer.labels[dear] = 1 - answer.labels[dear]
    answer.prefix, answer.prices = (), zero_prices(answer.problem)
    with pytest.raises(CertificateError, match="more than the cost"):
        answer.certify()


def test_any_prices_prove_a_bound_below_every_fair_cost() -> None:
    """The bound for prices drawn at random, against its definition and the cost of a fair answer."""
    rng = np.random.default_rng(1)
    for weighted in (False, True):
        costs, features = rng.normal(size=(40, 3)), rng.choice(["a", "b"], size=40)
        weights = rng.integers(1, 4, size=40) / 2 if weighted else None
        request = {"alpha": 0.5, "sample_weight": weights, "min_size": [5, 6, 5], "max_size": [30, 29, 30]}
        request |= {"min_share": 0.1, "max_share": {"a": 0.8}, "min_members": 3}
        prefix, named = ((0, 0), (1, 1)), [("a", 0), ("b", 1)]
        problem = make_problem(costs, features, prefix, **request)
        labels = fair_assignment(costs, features, prefix=named, **request).labels
        unit = float(problem.weights.unit)
        units = np.ones(40) if problem.weights.units is None else problem.weights.units
        for _ in range(20):
            prices = Prices(rng.exponential(size=(4 * 2 + 2, 3)))
            for table in (prices.groups, prices.min_members):
                table[[0, 1], [1, 0]] = table[:, 2] = 0  # not promised, so not to be priced
            expected = prices.smallest @ problem.fairness.min_units
            expected -= prices.largest @ problem.fairness.max_units
            expected += prices.min_members.sum(axis=1) @ problem.fairness.min_members
            for i in range(40):
                member = problem.groups.membership[i]
                expected += units[i] * min(
                    costs[i, k]
                    + sum(prices.groups[g, k] * (0.5 - member[g]) for g in range(2))
                    - sum(prices.min_members[g, k] * member[g] for g in range(2))
                    + sum(prices.min_share[g, k] * (0.1 - member[g]) for g in range(2))
                    + prices.max_share[0, k] * (member[0] - 0.8)
                    + prices.max_share[1, k] * (member[1] - 1)
                    + prices.largest[k]
                    - prices.smallest[k]
                    for k in range(3)
                )
            certificate = certify(problem, labels, prefix, prices)
            assert certificate.price_bound == pytest.approx(expected * unit, rel=1e-12)
            assert certificate.price_bound <= certificate.cost


def test_bound_is_added_up_over_all_chunks() -> None:
    n = 40_000
    problem = make_problem(np.ones((n, 2)) * np.arange(1, n + 1)[:, None], ["a"] * n, alpha=0.5)
    labels = np.arange(n) % 2
    certificate = certify(problem, labels, (), zero_prices(problem))
    assert certificate.cost == n * (n + 1) / 2
    assert certificate.price_bound == pytest.approx(certificate.cost, rel=1e-13)
    assert certificate.price_bound <= certificate.cost


@pytest.mark.parametrize("n", [30, 12_000])
def test_no_rounding_lifts_the_bound(n: int) -> None:
    """Costs and prices of many magnitudes: the bound is below the exact one, and not far below."""
    for seed in range(often(2, 5)):
        rng = np.random.default_rng(seed)
        costs = rng.random((n, 10)) * 10.0 ** rng.integers(-8, 9, size=(n, 1))
        sex = rng.choice(["F", "M"], size=n)
        problem = make_problem(costs, sex, alpha=0.3, sample_weight=rng.integers(1, 9, size=n))
        prefix = ((0, 0), (1, 1))
        prices = zero_prices(problem)
        for pair in prefix:
            prices.groups[pair] = 10.0 ** rng.integers(-8, 9)
        prices.smallest[2] = 1e3 * rng.random()
        exact = exact_bound(problem, prefix, prices)
        size = sum(Fraction(float(c)) for c in costs.min(axis=1))
        bound = Fraction(price_bound(problem, prefix, prices))
        assert bound <= exact
        assert exact - bound <= Fraction(1, 10**9) * max(abs(exact), size)


def exact_bound(problem: Problem, prefix: Prefix, prices: Prices) -> Fraction:
    """The Lagrangian in fractions."""
    fairness, units = problem.fairness, problem.weights.units
    assert units is not None
    total = Fraction(0)
    for k in range(problem.n_clusters):
        total += Fraction(float(prices.smallest[k])) * fairness.min_units[k]
        total -= Fraction(float(prices.largest[k])) * fairness.max_units[k]
    paid = np.empty((2, problem.n_clusters), dtype=object)  # by sex, which are disjoint
    for g in range(2):
        for k in range(problem.n_clusters):
            paid[g, k] = Fraction(float(prices.largest[k])) - Fraction(float(prices.smallest[k]))
            for h in range(2):
                paid[g, k] += Fraction(float(prices.groups[h, k])) * (fairness.alpha[h] - (h == g))
    for i in range(problem.n_points):
        g = int(problem.groups.membership[i].argmax())
        # Doubles find the cheapest clusters but for rounding; fractions decide between those.
        rough = problem.costs[i] + paid[g].astype(float)
        size = np.abs(rough).min() + np.abs(problem.costs[i]).max()
        near = np.flatnonzero(rough <= rough.min() + 1e-6 * size)
        total += int(units[i]) * min(Fraction(float(problem.costs[i, k])) + paid[g, k] for k in near)
    return total


# ---- thresholds are exact --------------------------------------------------------------------------------


@pytest.mark.parametrize(("alpha", "needed"), [(0.07, 7), (0.14, 14), (0.28, 28), (0.55, 55), (0.56, 56)])
def test_a_share_counts_at_the_tie_and_not_one_below(alpha: float, needed: int) -> None:
    assert alpha * 100 != needed, "in doubles these ties come out wrong, which is the point"
    for members, has_share in ((needed, True), (needed - 1, False)):
        features = np.zeros(200, dtype=int)
        features[:members] = 1
        problem = make_problem(np.zeros((200, 2)), features, alpha=alpha)
        labels = np.repeat([0, 1], 100)
        assert certify(problem, labels, (), None).represented[1, 0] == has_share
        if has_share:
            certify(problem, labels, ((1, 0),), None)
        else:
            with pytest.raises(CertificateError, match="1 is not represented in cluster 0"):
                certify(problem, labels, ((1, 0),), None)


def test_decimal_weights_add_up_exactly() -> None:
    """0.1 three times is 0.3, which doubles deny."""
    assert 0.1 + 0.1 + 0.1 != 0.3
    weights, features = [0.1, 0.1, 0.1, 0.7, 1.0], list("aaabb")
    labels = np.array([0, 0, 0, 0, 1])
    for alpha, has_share in ((0.3, True), (0.30000000001, False)):
        problem = make_problem(np.zeros((5, 2)), features, alpha=alpha, sample_weight=weights)
        certificate = certify(problem, labels, (), None)
        assert certificate.unit == Fraction(1, 10)
        assert certificate.sizes.tolist() == [10, 10]
        assert certificate.members.tolist() == [[3, 0], [7, 10]]
        assert certificate.represented[0, 0] == has_share
    for sizes, is_kept in (({"min_size": 0.3}, True), ({"min_size": 0.31}, False), ({"max_size": 1.7}, True)):
        request = {"alpha": 0.3, "sample_weight": weights, **sizes}
        problem = make_problem(np.zeros((5, 2)), features, **request)
        three_of_a_tenth = np.array([0, 0, 0, 1, 1])
        if is_kept:
            certify(problem, three_of_a_tenth, (), None)
        else:
            with pytest.raises(CertificateError, match="cluster 0 has 3 units, not 4 to"):
                certify(problem, three_of_a_tenth, (), None)


def test_cost_is_by_weight() -> None:
    problem = make_problem([[1.0, 9], [9, 2], [3, 9]], list("abc"), alpha=0.5, sample_weight=[0.5, 2, 10])
    assert certify(problem, np.array([0, 1, 0]), (), None).cost == pytest.approx(0.5 + 4 + 30, rel=1e-15)
