"""Prices against the linear program they are the dual of, and the smoothed dual against differences."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, kron, vstack

from minirel.assignment import dual, working_set
from minirel.assignment.problem import Problem
from minirel.assignment.rows import Rows, promised_rows
from minirel.assignment.scan import Scanner
from minirel.assignment.working_set import ReferenceScan, WorkingSet
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.solvers.limits import Deadline
from thorough import often

ALPHAS = (0.1, 0.25, 0.3, 0.5, 0.51)


@dataclass(frozen=True, eq=False)
class Case:
    problem: Problem
    rows: Rows

    @property
    def scanner(self) -> Scanner:
        return Scanner(self.problem)

    def reference(self, prices: NDArray[np.float64] | None = None) -> ReferenceScan:
        """A scan of all points at these prices, or at none."""
        prices = np.zeros(len(self.rows)) if prices is None else prices
        return ReferenceScan(self.scanner, self.rows.offsets(prices, self.problem.n_clusters))

    def optimise(self, prices: NDArray[np.float64] | None = None, **options: float) -> dual.DualPoint:
        """The best prices, from these if they are known."""
        known = np.zeros(len(self.rows)) if prices is None else prices
        start = dual.evaluate(self.rows, self.scanner, known)
        temperature = dual.temperature_range(start.reference.scan)
        deadline = Deadline(options.pop("seconds", None))
        return dual.optimise(
            self.rows,
            start,
            temperature,
            deadline,
            sampling="first" if prices is None else "when far",
            **options,
        )


def random_case(seed: int, *, n: int | None = None, weighted: bool = False, kind: str = "continuous") -> Case:
    """A pre-fixed problem that a random labelling solves, so that it is feasible but rarely for free."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 401)) if n is None else n
    n_clusters, n_groups = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    points, centers = rng.normal(size=(n, 2)), rng.normal(size=(n_clusters, 2))
    if kind == "duplicates":
        points = points[rng.integers(0, max(2, n // 10), size=n)]
    costs = ((points[:, None] - centers) ** 2).sum(axis=2)
    if kind == "lumpy":
        costs = np.rint(3 * costs)

    # Groups go with the place, so that clusters are unfair by themselves; in half of the cases they overlap.
    lean = points[:, 0] + rng.normal(scale=0.5, size=n)
    column = np.searchsorted(np.quantile(lean, np.linspace(0, 1, n_groups + 1)[1:-1]), lean)
    features = column
    if seed % 2:
        features = column[:, None] == np.arange(n_groups)
        features[:, 0] |= points[:, 1] > 0.5
    weights = read_weights(rng.integers(1, 5, size=n) if weighted else None, n)
    units = np.ones(n, dtype=np.int64) if weights.units is None else weights.units
    groups = read_groups(features)

    labels = np.append(np.arange(n_clusters), rng.integers(0, n_clusters, size=n - n_clusters))
    alpha = {name: float(rng.choice(ALPHAS)) for name in groups.names}
    inside = labels[:, None] == np.arange(n_clusters)
    sizes = units @ inside
    prefix = [
        (g, k)
        for g, name in enumerate(groups.names)
        for k in range(n_clusters)
        if units[groups.membership[:, g]] @ inside[groups.membership[:, g], k]
        >= Fraction(str(alpha[name])) * int(sizes[k])
    ]
    bounds = {}
    if rng.random() < 0.7:
        bounds["min_size"] = int(sizes.min() * weights.unit)
    if rng.random() < 0.5:
        bounds["max_size"] = int(sizes.max() * weights.unit)
    fairness = read_fairness(groups, weights, n_clusters, alpha=alpha, beta=0, **bounds)
    problem = Problem(costs, groups, weights, fairness, tuple(prefix))
    return Case(problem, promised_rows(problem, tuple(prefix)))


def linear_optimum(problem: Problem) -> float:
    """The optimum with points that may be split, from the paper's rows alone."""
    n, n_clusters = problem.costs.shape
    fairness = problem.fairness
    units = np.ones(n) if problem.weights.units is None else problem.weights.units.astype(float)
    here = csr_array(np.eye(n_clusters))
    size = kron(csr_array(units[None]), here)
    blocks = [-size, size]
    right = [-np.array(fairness.min_units), np.array(fairness.max_units)]
    for g, k in problem.prefix:
        # No cluster has a share between alpha and this one.
        share = min(
            Fraction(math.ceil(fairness.alpha[g] * s), s) for s in range(1, fairness.max_units[k] + 1)
        )
        lack = (float(share) - problem.groups.membership[:, g]) * units
        blocks.append(kron(csr_array(lack[None]), here[[k]]))
        right.append(np.zeros(1))
    solution = linprog(
        (problem.costs * units[:, None]).ravel(),
        A_ub=vstack(blocks),
        b_ub=np.concatenate(right),
        A_eq=kron(csr_array(np.eye(n)), np.ones((1, n_clusters))),
        b_eq=np.ones(n),
        bounds=(0, 1),
        method="highs",
    )
    assert solution.status == 0, solution.message
    return float(solution.fun)


def check_bound(case: Case, within: float = 1e-3) -> dual.DualPoint:
    best = case.optimise()
    optimum = linear_optimum(case.problem)
    assert (best.prices >= 0).all()
    # What the working set says of the prices holds for all points.
    assert best.bound == pytest.approx(dual.evaluate(case.rows, case.scanner, best.prices).bound, rel=1e-12)
    assert best.bound <= optimum + 1e-9 * abs(optimum)
    assert best.bound >= optimum - within * abs(optimum)
    return best


@pytest.mark.parametrize("kind", ["continuous", "lumpy", "duplicates"])
@pytest.mark.parametrize("weighted", [False, True], ids=["counted", "weighted"])
def test_bound_is_that_of_the_linear_program(kind: str, weighted: bool) -> None:
    n_priced = 0
    for seed in range(often(5, 12)):
        n_priced += bool(check_bound(random_case(seed, weighted=weighted, kind=kind)).prices.any())
    assert n_priced >= often(3, 9), "cases that fairness does not change prove little"


@pytest.mark.parametrize("kind", ["lumpy", "duplicates"])
def test_bound_is_found_on_a_working_set_of_few_points(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of all points; a linear program of this size can take minutes."""
    case = random_case(1, n=12_000, kind=kind)
    best = case.optimise()
    assert best.prices.any()
    assert len(best.reference.working_set()) < 6_000
    assert len(best.reference.sample()) < 6_000
    assert best.bound == pytest.approx(dual.evaluate(case.rows, case.scanner, best.prices).bound, rel=1e-12)
    monkeypatch.setattr(working_set, "_SMALLEST", 12_000)
    whole = case.optimise()
    assert whole.reference.working_set().is_complete
    assert best.bound == pytest.approx(whole.bound, rel=1e-4)


def test_good_prices_are_kept() -> None:
    case = random_case(3)
    first = case.optimise()
    again = case.optimise(first.prices)
    assert again.bound >= first.bound


def test_search_ends_above_the_cutoff() -> None:
    case = random_case(3)
    start = np.zeros(len(case.rows))
    nothing, best = case.optimise(start, cutoff=-math.inf), case.optimise(start)
    halfway = 0.5 * (nothing.bound + best.bound)
    halted = case.optimise(start, cutoff=halfway)
    np.testing.assert_array_equal(nothing.prices, start)
    assert nothing.bound < halfway < halted.bound


def test_time_that_is_up_still_proves_a_bound() -> None:
    case = random_case(3)
    best = case.optimise(np.zeros(len(case.rows)), seconds=0.0)
    assert best.bound == pytest.approx(case.problem.costs.min(axis=1).sum())


def test_time_is_looked_at_before_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many steps there is time for, no more are made, and the prices so far prove a bound."""
    case = random_case(3)
    around, prices = whole_working_set(case), np.zeros(len(case.rows))
    temperature, looks = dual.temperature_range(case.reference().scan).highest, [0]

    class Clock(Deadline):
        def passed(self) -> bool:
            looks[0] -= 1
            return looks[0] < 0

    bounds = []
    for n_looks in (0, 1, 2, 3, 6):
        looks[0], evaluated = n_looks, []
        smoothed_dual = WorkingSet.smoothed_dual

        def counted(*args: object, dual=smoothed_dual, evaluated=evaluated):  # type: ignore[no-untyped-def]
            evaluated.append(None)
            return dual(*args)

        monkeypatch.setattr(WorkingSet, "smoothed_dual", counted)
        found, outcome = dual.newton(around, case.rows, prices, temperature, 0.0, Clock(None))
        monkeypatch.setattr(WorkingSet, "smoothed_dual", smoothed_dual)
        assert outcome == "late"
        assert len(evaluated) <= n_looks
        bounds.append(dual.evaluate(case.rows, case.scanner, found).bound)
    assert bounds[0] == bounds[1] < bounds[-1]


# ---- the smoothed dual -----------------------------------------------------------------------------------


def whole_working_set(case: Case) -> WorkingSet:
    whole = case.reference().working_set()
    assert whole.is_complete
    return whole


def random_prices(case: Case, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return rng.exponential(size=len(case.rows)) * (rng.random(len(case.rows)) < 0.7)


@pytest.mark.parametrize("weighted", [False, True], ids=["counted", "weighted"])
@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
@pytest.mark.parametrize("temperature", [0.03, 0.3, 3.0])
def test_derivatives_are_those_of_the_value(temperature: float, compiled: bool, weighted: bool) -> None:
    for seed in range(3):
        case = random_case(seed, n=120, weighted=weighted)
        around = whole_working_set(case)
        around.scanner.compiled = compiled
        prices = random_prices(case, seed) + 0.1
        _, gradient, hessian = around.smoothed_dual(case.rows, prices, temperature)
        step = 1e-5 * temperature
        slopes, bends = np.empty(len(prices)), np.empty((len(prices), len(prices)))
        for r in range(len(prices)):
            ahead, behind = prices.copy(), prices.copy()
            ahead[r] += step
            behind[r] -= step
            value_ahead, gradient_ahead, _ = around.smoothed_dual(case.rows, ahead, temperature)
            value_behind, gradient_behind, _ = around.smoothed_dual(case.rows, behind, temperature)
            slopes[r] = (value_ahead - value_behind) / (2 * step)
            bends[r] = (gradient_behind - gradient_ahead) / (2 * step)
        total = case.problem.weights.total(case.problem.n_points)
        np.testing.assert_allclose(slopes, gradient, atol=1e-6 * total)
        np.testing.assert_allclose(bends, hessian, atol=1e-6 * total / temperature)
        assert np.linalg.eigvalsh(hessian).min() >= -1e-9 * np.trace(hessian)


@pytest.mark.parametrize("weighted", [False, True], ids=["counted", "weighted"])
@pytest.mark.parametrize("kind", ["continuous", "lumpy", "duplicates"])
def test_compiled_and_numpy_smoothing_agree(kind: str, weighted: bool) -> None:
    for seed, temperature in enumerate([1e-6, 0.01, 0.5, 20.0]):
        case = random_case(seed, weighted=weighted, kind=kind)
        around, prices = whole_working_set(case), random_prices(case, seed)
        around.scanner.compiled = False
        plain = around.smoothed_dual(case.rows, prices, temperature)
        around.scanner.compiled = True
        compiled = around.smoothed_dual(case.rows, prices, temperature)
        total = case.problem.weights.total(case.problem.n_points)
        for ours, theirs, scale in zip(plain, compiled, (1.0, 1.0, 1 / temperature), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-11 * total * scale)


@pytest.mark.parametrize("by_point", [False, True], ids=["by signature", "by point"])
def test_many_rows_have_the_same_hessian(by_point: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, temperature in enumerate([1e-6, 0.01, 0.5, 20.0]):
        case = random_case(seed, weighted=seed % 2 == 1)
        around, prices = whole_working_set(case), random_prices(case, seed)
        smooth = around._smoothed_dual_by_point if by_point else around.smoothed_dual
        few = smooth(case.rows, prices, temperature)
        with monkeypatch.context() as patched:
            patched.setattr(working_set, "MANY_ROWS", 0)
            many = smooth(case.rows, prices, temperature)
        for ours, theirs in zip(many, few, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10 * np.abs(theirs).max())


@pytest.mark.parametrize("temperature", [1e-6, 0.01, 0.5, 20.0])
def test_smoothed_value_lies_below_the_hard_one(temperature: float) -> None:
    for seed in range(6):
        case = random_case(seed, weighted=seed % 3 == 0)
        around, prices = whole_working_set(case), random_prices(case, seed)
        offsets = case.rows.offsets(prices, case.problem.n_clusters)
        hard = around.scan(offsets).value + float(prices @ case.rows.rhs)
        smooth, _, _ = around.smoothed_dual(case.rows, prices, temperature)
        total = case.problem.weights.total(case.problem.n_points)
        rounding = 1e-12 * abs(hard)
        assert smooth <= hard + rounding
        # A minimum of K numbers is lowered by temperature * log(K) at most.
        assert smooth >= hard - total * temperature * math.log(case.problem.n_clusters) - rounding


# ---- the working set -------------------------------------------------------------------------------------


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Working sets of 60 points and more."""
    monkeypatch.setattr(working_set, "_SMALLEST", 60)


@pytest.mark.parametrize("weighted", [False, True], ids=["counted", "weighted"])
@pytest.mark.parametrize("kind", ["continuous", "lumpy", "duplicates"])
@pytest.mark.usefixtures("narrow")
def test_values_within_the_radius_are_those_of_all_points(kind: str, weighted: bool) -> None:
    n_narrow = 0
    for seed in range(10):
        case = random_case(seed, n=300, weighted=weighted, kind=kind)
        reference, rng = case.reference(0.2 * random_prices(case, seed)), np.random.default_rng(seed)
        first, wider = reference.working_set(), reference.working_set(1)
        assert 60 <= len(first) <= len(wider) <= 300
        assert set(first.points) <= set(wider.points)
        n_narrow += len(first) < 300
        nested = first.narrowed(first.reference_offsets, 0.3 * first.radius)
        for around in (first, wider, nested):
            check_values(around, case, rng)
    assert n_narrow >= 5, "ties must not let every point into the working set"


@pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])
def test_a_working_set_of_no_points(compiled: bool) -> None:
    """Where every point is far from the border, all of them are fixed."""
    case = random_case(0, n=120)
    prices = random_prices(case, 0)
    reference = case.reference(prices)
    reference.scanner.compiled = compiled
    nested = reference.working_set().narrowed(reference.offsets, 0.5 * reference.scan.regret.min())
    assert len(nested) == 0
    assert nested.radius == reference.scan.regret.min()
    bound = dual.evaluate(case.rows, case.scanner, prices).bound
    value, gradient, hessian = nested.smoothed_dual(case.rows, prices, 0.1)
    assert value == pytest.approx(bound)
    np.testing.assert_allclose(gradient, -case.rows.slack(reference.scan.counts) / case.rows.scale)
    assert not hessian.any()
    assert nested.scan(reference.offsets).value == pytest.approx(reference.scan.value)


def check_values(around: WorkingSet, case: Case, rng: np.random.Generator) -> None:
    for share in (0.0, 0.5, 0.999):
        change = rng.normal(size=around.reference_offsets.shape)
        if np.isfinite(around.radius):
            change *= share * around.radius / np.ptp(change, axis=1).max()
        offsets = around.reference_offsets + change
        expected, found = case.scanner(offsets), around.scan(offsets)
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        np.testing.assert_array_equal(found.counts, expected.counts)
        np.testing.assert_array_equal(found.labels, expected.labels[around.points])
        outside = np.delete(expected.regret, around.points)
        assert outside.min(initial=np.inf) >= around.margin(offsets) - 1e-12


@pytest.mark.usefixtures("narrow")
def test_smoothing_within_the_trusted_radius_is_that_of_all_points() -> None:
    for seed in range(6):
        case = random_case(seed, n=300)
        prices = 0.2 * random_prices(case, seed)
        reference, step = case.reference(prices), random_prices(case, seed + 100)
        narrow, whole = reference.working_set(), reference.working_set(5)
        assert len(narrow) < len(whole) == 300
        reach = np.ptp(case.rows.offsets(step, case.problem.n_clusters), axis=1).max()
        nearby = prices + step * (0.8 * narrow.radius / reach)
        temperature = 0.2 * narrow.radius / 37
        ours, theirs = (around.smoothed_dual(case.rows, nearby, temperature) for around in (narrow, whole))
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-8)


def test_working_set_of_all_points_has_no_radius() -> None:
    around = whole_working_set(random_case(0))
    assert around.is_complete
    far_away = around.reference_offsets + 1e9 * np.arange(around.reference_offsets.shape[1])
    assert around.margin(far_away) == math.inf
    assert (around.fixed_counts == 0).all()


@pytest.mark.parametrize("presample", [100, 100_000])
def test_sample_stands_for_all_points(presample: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_set, "_SAMPLE", 50)
    monkeypatch.setattr(working_set, "_PRESAMPLE", presample)
    for seed in range(6):
        case = random_case(seed, n=400, weighted=seed % 2 == 1)
        reference = case.reference()
        scan, sample = reference.scan, reference.sample()
        assert len(sample) < 200
        stands_for = sample.fixed_counts.astype(float)
        np.add.at(stands_for, (sample.signature, scan.labels[sample.points]), sample.units)
        np.testing.assert_allclose(stands_for, scan.counts, rtol=1e-12)
