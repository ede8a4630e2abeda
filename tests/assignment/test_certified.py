"""The certified solver on medium problems, against the paper's integer program and its own promises."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning

from minirel import Assignment, InfeasibleFairnessError, fair_assignment
from minirel.assignment import branch_and_bound, certified, working_set
from minirel.assignment.certificate import certify
from minirel.assignment.problem import Problem
from minirel.assignment.scan import COMPILE_FROM
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.solvers.limits import Deadline
from thorough import often

ALPHAS = (0.1, 0.3, 0.5, 0.51, 0.6)
KINDS = ("continuous", "lumpy", "duplicates")
Call = dict[str, Any]


def random_call(
    seed: int,
    *,
    kind: str = "continuous",
    overlapping: bool = False,
    n: int | None = None,
    weights: str | None = None,
) -> Call:
    """Arguments of a pre-fixed problem that a labelling drawn by chance solves."""
    rng = np.random.default_rng([seed, overlapping])
    n = int(rng.integers(60, 601)) if n is None else n
    n_clusters = int(rng.integers(3, 7))
    points, centers = rng.normal(size=(n, 3)), rng.normal(size=(n_clusters, 3))
    if kind == "duplicates":
        points = points[rng.integers(0, n // 8, size=n)]
    costs = ((points[:, None] - centers) ** 2).sum(axis=2)
    if kind == "lumpy":
        costs = np.rint(2 * costs)
    # Groups go with the place: nearest clusters are unfair.
    features: NDArray[Any] = np.where(points[:, 0] + rng.normal(scale=0.6, size=n) > 0.4, "b", "a")
    if overlapping:
        features = np.column_stack([features == "a", points[:, 1] > 0.2, points[:, 2] > 0])
    call: Call = {"costs": costs, "sensitive_features": features}
    if weights is not None:
        call["sample_weight"] = {
            "integer": rng.integers(1, 6, size=n),
            "decimal": rng.integers(1, 40, size=n) / 10,
            "real": rng.exponential(size=n),
        }[weights]

    membership = groups_of(features)
    call["alpha"] = alpha = {name: float(rng.choice(ALPHAS)) for name in membership}
    labels = np.append(np.arange(n_clusters), rng.integers(0, n_clusters, size=n - n_clusters))
    # Clusters of a random labelling are all alike: push some towards some groups.
    for k, name in zip(range(n_clusters - 1), [*membership] * 3, strict=False):
        labels[n_clusters:][(labels == k)[n_clusters:] & ~membership[name][n_clusters:]] = n_clusters - 1
    sizes = [weight_of(call, labels == k) for k in range(n_clusters)]
    represented = [
        (name, k)
        for name, inside in membership.items()
        for k in range(n_clusters)
        if weight_of(call, inside & (labels == k)) >= Fraction(str(alpha[name])) * sizes[k]
    ]
    call["prefix"] = [pair for pair in represented if rng.random() < 0.7]
    if rng.random() < 0.5:
        call["min_size"] = int(min(sizes)) or 1
    if rng.random() < 0.5:
        call["max_size"] = int(max(sizes)) + (weights is not None)
    return call


def groups_of(features: NDArray[Any]) -> dict[Any, NDArray[np.bool_]]:
    if features.ndim == 2:
        return dict(enumerate(features.T))
    return {value: features == value for value in sorted(set(features.tolist()))}


def weight_of(call: Call, inside: NDArray[np.bool_]) -> Fraction:
    """The exact weight of some points: decimals as they are written."""
    if "sample_weight" not in call:
        return Fraction(int(inside.sum()))
    return sum((Fraction(str(weight)) for weight in call["sample_weight"][inside]), Fraction(0))


def check(call: Call, answer: Assignment) -> None:
    """Count every promise anew, and add up the cost."""
    labels, costs = answer.labels, call["costs"]
    inside = [labels == k for k in range(costs.shape[1])]
    sizes = [weight_of(call, part) for part in inside]
    assert min(sizes) > 0
    assert min(sizes) >= call.get("min_size", 1) or call.get("min_size", 1) == 1
    assert max(sizes) <= call.get("max_size", sum(sizes))
    if call["sensitive_features"] is not None:
        membership, alpha = groups_of(call["sensitive_features"]), call["alpha"]
        for name, k in [*call.get("prefix", []), *answer.prefix]:
            share = Fraction(str(alpha[name] if isinstance(alpha, dict) else alpha))
            assert weight_of(call, membership[name] & inside[k]) >= share * sizes[k]
    weights = call.get("sample_weight", np.ones(len(labels)))
    assert answer.cost == pytest.approx(float(weights @ costs[np.arange(len(labels)), labels]), rel=1e-12)
    assert answer.lower_bound <= answer.cost
    share = (answer.cost - answer.lower_bound) / abs(answer.cost)
    assert share <= 1e-8 if answer.status == "optimal" else answer.gap == pytest.approx(share, abs=1e-15)
    assert answer.status != "optimal" or answer.gap == 0


@pytest.mark.some(5)
@pytest.mark.parametrize("overlapping", [False, True], ids=["disjoint", "overlapping"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_the_integer_program(seed: int, kind: str, overlapping: bool) -> None:
    call = random_call(seed, kind=kind, overlapping=overlapping)
    best = fair_assignment(**call, gap=0, solver="highs")
    exact = fair_assignment(**call, gap=0)
    check(call, exact)
    assert exact.cost == pytest.approx(best.cost, rel=1e-7)
    assert exact.status == "optimal"
    assert exact.gap == 0
    assert exact.lower_bound == pytest.approx(exact.cost, rel=1e-8)
    assert exact.covers == "prefix"

    within = fair_assignment(**call)
    check(call, within)
    rounding = 1e-9 * best.cost
    assert within.status in ("optimal", "within gap")
    assert within.gap <= 1e-4
    assert within.lower_bound - rounding <= best.cost <= within.cost + rounding
    assert within.certificate.price_bound <= best.cost + rounding


@pytest.mark.parametrize("kind", KINDS)
def test_many_splits_on_small_working_sets(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that large problems meet, lowered so that those of 200 points meet them."""
    monkeypatch.setattr(working_set, "_SMALLEST", 40)
    monkeypatch.setattr(branch_and_bound, "_SMALL_CORE", 20)
    for seed in (25, 28, 31):
        call = random_call(seed, kind=kind, overlapping=True, n=200)
        answer = fair_assignment(**call, gap=0)
        check(call, answer)
        assert answer.status == "optimal"
        assert answer.cost == pytest.approx(fair_assignment(**call, gap=0, solver="highs").cost, rel=1e-7)


def test_problems_are_worth_solving() -> None:
    """In most of them the nearest clusters break a promise."""
    n_binding = 0
    for seed in range(3):
        for overlapping in (False, True):
            call = random_call(seed, overlapping=overlapping)
            n_binding += fair_assignment(**call).cost > 1.001 * call["costs"].min(axis=1).sum()
    assert n_binding >= 4


def test_a_coarse_gap_is_enough() -> None:
    for seed in range(often(2, 6)):
        call = random_call(seed, overlapping=True)
        answer = fair_assignment(**call, gap=0.05)
        check(call, answer)
        assert answer.status in ("optimal", "within gap")
        assert answer.gap <= 0.05
        assert answer.lower_bound <= fair_assignment(**call, gap=0).cost


@pytest.mark.some(3)
@pytest.mark.parametrize("weights", [None, "integer"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_call_gives_the_same_labels(kind: str, weights: str | None) -> None:
    call = random_call(7, kind=kind, overlapping=True, n=200, weights=weights)
    first, second = fair_assignment(**call), fair_assignment(**call)
    np.testing.assert_array_equal(first.labels, second.labels)
    assert (first.cost, first.lower_bound) == (second.cost, second.lower_bound)


@pytest.mark.parametrize("kind", KINDS)
def test_enough_points_for_compiled_code_and_a_small_working_set(kind: str) -> None:
    call = random_call(1, kind=kind, n=60_000, overlapping=True)
    assert call["costs"].size >= COMPILE_FROM
    first, second = fair_assignment(**call), fair_assignment(**call)
    check(call, first)
    assert first.gap <= 1e-4
    assert first.certificate.price_bound <= first.cost
    assert first.cost > 1.001 * call["costs"].min(axis=1).sum()
    np.testing.assert_array_equal(first.labels, second.labels)


@pytest.mark.parametrize("n_copies", [2, 10])
def test_copies_of_every_point(n_copies: int) -> None:
    """Whole blocks of points tie; their optimum is at most that of one copy, copied."""
    for seed in range(3):
        call = random_call(seed, n=60)
        call.pop("min_size", None), call.pop("max_size", None)
        once = fair_assignment(**call, gap=0)
        call["costs"] = np.repeat(call["costs"], n_copies, axis=0)
        call["sensitive_features"] = np.repeat(call["sensitive_features"], n_copies, axis=0)
        copied = fair_assignment(**call, gap=0)
        check(call, copied)
        assert copied.status == "optimal"
        assert copied.cost <= n_copies * once.cost * (1 + 1e-9)
        assert copied.cost == pytest.approx(fair_assignment(**call, gap=0, solver="highs").cost, rel=1e-7)


def test_all_points_alike() -> None:
    features = np.repeat(["a", "b"], 60)
    prefix = [("a", 0), ("b", 1), ("a", 2)]
    call = {"costs": np.ones((120, 3)), "sensitive_features": features, "alpha": 0.6, "prefix": prefix}
    answer = fair_assignment(**call, min_size=30, gap=0)
    check({**call, "min_size": 30}, answer)
    assert answer.cost == 120
    assert answer.status == "optimal"


# ---- sizes alone, one cluster, weights -------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_without_groups(kind: str) -> None:
    """Equal sizes are an assignment problem: every cluster becomes as many seats as it has points."""
    for seed in range(3):
        costs = random_call(seed, kind=kind, n=120)["costs"]
        n_clusters = costs.shape[1]
        costs = costs[: 120 // n_clusters * n_clusters]
        size = len(costs) // n_clusters
        seats = np.repeat(costs, size, axis=1)
        call = {"costs": costs, "sensitive_features": None, "min_size": size, "max_size": size}
        answer = fair_assignment(**call, alpha=0.5, gap=0)
        check(call, answer)
        assert answer.status == "optimal"
        assert answer.cost == pytest.approx(seats[linear_sum_assignment(seats)].sum(), rel=1e-9)


def test_nothing_asked_is_the_nearest_cluster() -> None:
    call = random_call(0, n=200)
    answer = fair_assignment(call["costs"], None, alpha=0.5, gap=0)
    np.testing.assert_array_equal(answer.labels, call["costs"].argmin(axis=1))
    assert answer.prefix == []
    assert answer.status == "optimal"


def test_one_cluster() -> None:
    rng = np.random.default_rng(0)
    costs, features = rng.random((100, 1)), np.repeat(["a", "b"], [30, 70])
    answer = fair_assignment(costs, features, alpha=0.3, beta=1)
    assert answer.labels.tolist() == [0] * 100
    assert answer.cost == pytest.approx(costs.sum())
    assert answer.status == "optimal"
    with pytest.raises(InfeasibleFairnessError, match="'a'"):
        fair_assignment(costs, features, alpha=0.31, beta=1)


@pytest.mark.parametrize("weights", ["integer", "decimal", "real"])
@pytest.mark.parametrize("overlapping", [False, True], ids=["disjoint", "overlapping"])
def test_weights(weights: str, overlapping: bool) -> None:
    for seed in often((2,), (0, 2, 3)):
        call = random_call(seed, n=300, overlapping=overlapping, weights=weights)
        answer = fair_assignment(**call)
        check(call, answer)
        assert answer.gap <= 1e-4
        assert answer.status in ("optimal", "within gap")


@pytest.mark.parametrize("weights", ["integer", "decimal", "real"])
def test_weights_agree_with_the_integer_program(weights: str) -> None:
    for seed in range(4):
        call = random_call(seed, n=60, weights=weights)
        answer, paper = fair_assignment(**call), fair_assignment(**call, solver="highs")
        for one, other in ((answer, paper), (paper, answer)):
            check(call, one)
            assert one.lower_bound <= other.cost * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["certified", "highs", "gurobi"])
@pytest.mark.parametrize("weights", ["integer", "decimal", "real"])
def test_no_cluster_is_empty_however_light_the_points(weights: str, solver: str) -> None:
    """All points want the first cluster; the second takes whichever comes cheapest."""
    rng = np.random.default_rng(0)
    weight = {"integer": rng.integers(1, 6, 12), "decimal": rng.random(12).round(3), "real": rng.random(12)}
    costs = np.column_stack([np.zeros(12), 1 + rng.random(12)])
    call = {"costs": costs, "sensitive_features": None, "sample_weight": weight[weights]}
    answer = fair_assignment(**call, alpha=0.5, gap=0, solver=solver)
    check(call, answer)
    assert answer.status == "optimal" or (solver != "certified" and answer.status == "within rounding")
    assert answer.cost == pytest.approx((weight[weights] * costs[:, 1]).min(), rel=1e-9)


def test_weights_that_are_all_the_same_change_nothing() -> None:
    call = random_call(1, n=150)
    call.pop("min_size", None), call.pop("max_size", None)
    plain = fair_assignment(**call, gap=0)
    weighted = fair_assignment(**call, gap=0, sample_weight=np.full(150, 0.7))
    assert weighted.cost == pytest.approx(0.7 * plain.cost, rel=1e-9)


def test_float32_costs() -> None:
    call = random_call(1, n=200)
    call["costs"] = call["costs"].astype(np.float32)
    answer = fair_assignment(**call, gap=0)
    call["costs"] = call["costs"].astype(np.float64)
    check(call, answer)
    assert answer.cost == pytest.approx(fair_assignment(**call, gap=0).cost, rel=1e-9)


# ---- time ------------------------------------------------------------------------------------------------


def free(call: Call) -> Call:
    """The same points, with the choice of clusters left open."""
    kept = {key: call[key] for key in ("costs", "sensitive_features")}
    return {**kept, "alpha": 0.51, "beta": 1}


@pytest.mark.some(9)
@pytest.mark.parametrize("time_limit", [1e-9, 0.003, 0.03])
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(random_call(0, n=60, overlapping=True), id="small"),
        pytest.param(random_call(0, n=600, overlapping=True), id="medium"),
        pytest.param(random_call(0, n=300, weights="integer"), id="weighted"),
        pytest.param(random_call(1, n=120, weights="decimal"), id="decimal-weights"),
        pytest.param(free(random_call(0, n=60)), id="free-small"),
        pytest.param(free(random_call(0, n=300)), id="free"),
    ],
)
def test_time_limit_returns_a_fair_answer_with_what_is_proven(call: Call, time_limit: float) -> None:
    best = fair_assignment(**call, gap=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = fair_assignment(**call, gap=0, time_limit=time_limit)
    check(call, answer)
    assert answer.lower_bound <= best.cost * (1 + 1e-9)
    assert best.cost <= answer.cost * (1 + 1e-9)
    if answer.status == "time limit":
        (warning,) = caught
        assert warning.category is ConvergenceWarning
        assert "time_limit" in str(warning.message)
        assert warning.filename == __file__
        assert answer.gap > 0
    else:
        assert not caught
        assert answer.status == "optimal"
        assert answer.cost == pytest.approx(best.cost, rel=1e-9)


def test_a_time_limit_that_suffices_is_no_limit() -> None:
    call = random_call(0, n=200)
    assert fair_assignment(**call, gap=0, time_limit=60).status == "optimal"


class RunsOut(Deadline):
    """Time that is up at the n-th look at the clock."""

    def __init__(self, n_checks: int) -> None:
        super().__init__(None)
        self.n_checks = n_checks

    def left(self) -> float:
        return 0.0 if self.passed() else 60.0

    def passed(self) -> bool:
        self.n_checks -= 1
        return self.n_checks < 0


@pytest.mark.parametrize("weights", [None, "integer"])
def test_wherever_time_runs_out_the_answer_says_so(weights: str | None) -> None:
    """The clock can stop the search anywhere: finished must mean that the gap is proven."""
    n, gap = (300, 0.0) if weights is None else (90, 5e-3)  # with weights, proofs to the end are out of reach
    call = random_call(7, n=n, overlapping=True, weights=weights)
    groups = read_groups(call["sensitive_features"])
    units = read_weights(call.get("sample_weight"), n)
    fairness = read_fairness(groups, units, call["costs"].shape[1], alpha=call["alpha"], beta=0)
    prefix = tuple((groups.index(name, "prefix"), k) for name, k in call["prefix"])
    problem = Problem(call["costs"], groups, units, fairness, prefix)
    n_finished = n_unfinished = 0
    for n_checks in (*range(0, 40, often(5, 2)), 10_000):
        answer = certified.solve(problem, prefix, gap=gap, deadline=RunsOut(n_checks))
        assert answer is not None
        cost = certify(problem, answer.labels, prefix, answer.prices).cost / float(units.unit)
        n_finished += answer.finished
        n_unfinished += not answer.finished
        if answer.finished:
            assert answer.lower_bound >= cost * (1 - gap - 1e-9)
    assert min(n_finished, n_unfinished) > 0
