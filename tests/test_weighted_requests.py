"""Weights in whole requests: the cases that once hung, failed or claimed too much.

Where the effort or the time is spent, the answer is labels that keep every promise with the gap that is
proven, or an error that says that none were found: never another error.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fits import Fit
from fits_oracle import STATUSES, check_fit
from instances import Instance, is_fair, is_feasible, optimum
from minirel import InfeasibleFairnessError, MiniReL, NothingFoundError, fair_assignment
from minirel.assignment.solve import Assignment
from promptly import promptly
from thorough import often

# Of the points' costs: what sums of doubles may lose, and what "optimal" claims.
ROUNDING = 1e-12
OPTIMAL = 1e-8
NOTHING_FOUND = "no labels were found that keep every promise, nor a proof that there are none"

Nothing = InfeasibleFairnessError | NothingFoundError
Result = TypeVar("Result")


@pytest.fixture(autouse=True)
def warned() -> Iterator[list[warnings.WarningMessage]]:
    """Limits that came first, as they were told."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ConvergenceWarning)
        yield told


def outcome(call: Callable[[], Result]) -> Result | Nothing:
    """What a call returns, or the error that says that there is nothing or that nothing was found."""
    try:
        return promptly(call, 120)
    except (InfeasibleFairnessError, NothingFoundError) as error:
        return error


def fitted(fit: Fit) -> MiniReL | Nothing:
    return outcome(
        lambda: MiniReL(**fit.options).fit(
            fit.X, sensitive_features=fit.sensitive_features, sample_weight=fit.sample_weight
        )
    )


def assigned(instance: Instance) -> Assignment | Nothing:
    return outcome(
        lambda: fair_assignment(instance.costs, instance.sensitive_features, **asked_in_doubles(instance))
    )


def is_refused(answer: object, instance: Instance) -> bool:
    """Whether an answer is that there is none, which is then so; a few points are never too many."""
    if not isinstance(answer, Nothing):
        return False
    assert isinstance(answer, InfeasibleFairnessError), f"{answer}: {instance!r}"
    assert not is_feasible(instance), f"{answer}: {instance!r}"
    return True


def asked_in_doubles(instance: Instance) -> dict[str, Any]:
    weights = [float(weight) for weight in instance.weights]
    return {**instance.options, "sample_weight": weights}


def check(instance: Instance, answer: Assignment) -> None:
    """All that an answer says, against every assignment there is."""
    best = optimum(instance)
    assert best is not None, f"no assignment is fair, but {answer.labels.tolist()} was given: {instance!r}"
    assert is_fair(instance, answer.labels[None])[0], repr(instance)
    assert answer.status in STATUSES
    cost, size = instance.exact_cost(answer.labels), instance.magnitude(answer.labels)
    assert abs(Fraction(answer.cost) - cost) <= ROUNDING * size, repr(instance)
    excess = Fraction(answer.lower_bound) - best.cost
    assert excess <= ROUNDING * instance.magnitude(best.labels), (
        f"the bound exceeds the optimum by {float(excess):.3g}: {instance!r}"
    )
    if answer.status == "optimal":
        assert cost - best.cost <= OPTIMAL * size, repr(instance)


def three_groups(seed: int, n_clusters: int, alpha: float, dtype: str, **options: object) -> Fit:
    """300 points in three dimensions that weigh 0.2 to 2, to the cent, in three random groups."""
    rng = np.random.default_rng(seed)
    return Fit(
        rng.normal(size=(300, 3)).astype(dtype),
        rng.choice(np.array(["a", "b", "c"]), size=300),
        np.round(rng.uniform(0.2, 2, 300), 2).tolist(),
        {
            "n_clusters": n_clusters,
            "alpha": alpha,
            "beta": "equality_of_opportunity",
            "random_state": seed,
            **options,
        },
    )


def check_honest_end(fit: Fit, model: MiniReL | Nothing, warned: list[warnings.WarningMessage]) -> None:
    """Labels that keep every promise, with a warning if a limit came first; or no more than is known."""
    if isinstance(model, Nothing):
        assert isinstance(model, NothingFoundError), f"something may exist: {model}"
        assert NOTHING_FOUND in str(model)
        return
    check_fit(fit, model)
    assert bool(warned) == ("limit" in model.status_ or model.stop_ != "converged")


def test_medians_with_weights_in_cents_and_random_holders(warned: list[warnings.WarningMessage]) -> None:
    limit = often(4, 20)
    fit = three_groups(1, 7, 1 / 3, "f8", objective="k-medians", prefix="random", gap=0.01, time_limit=limit)
    check_honest_end(fit, fitted(fit), warned)


def test_single_precision_with_weights_in_cents_and_random_centers(
    warned: list[warnings.WarningMessage],
) -> None:
    limit = often(2, 5)
    fit = three_groups(
        0, 5, 0.5, "f4", objective="k-means", prefix="local_cost", init="random", gap=1e-4, time_limit=limit
    )
    check_honest_end(fit, fitted(fit), warned)


def few_points_of_fine_weight(seed: int) -> Instance:
    """Weights of 48 binary places, in as many doubles."""
    rng = np.random.default_rng(seed)
    member = rng.random((5, 4)) < 0.5
    weights = [Fraction(int(units), 2**48) for units in rng.integers(1, 2**49, 5)]
    options = {
        "alpha": float(rng.choice([1 / 3, 0.5, 0.6, 0.75])),
        "beta": {g: int(rng.integers(0, 3)) for g in range(4)},
        "sample_weight": weights,
        "gap": 0.0,
    }
    return Instance(rng.random((5, 4)), member, options)


def test_four_overlapping_groups_of_five_points_with_fine_weights() -> None:
    n_answered = n_refused = 0
    for seed in range(often(12, 25)):
        instance = few_points_of_fine_weight(seed)
        answer = assigned(instance)
        if is_refused(answer, instance):
            n_refused += 1
            continue
        assert answer.status == "optimal", seed
        check(instance, answer)
        n_answered += 1
    assert n_answered >= often(2, 5)
    assert n_refused >= often(1, 3)


def test_two_groups_that_must_balance_exactly() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(20) % 4
    sides = np.repeat([0, 1, 0, 1, 0], 4)
    weights = rng.integers(1, 5001, 20)
    for k in range(4):  # the last point of each cluster makes up for what its side lacks
        mine = np.flatnonzero(labels == k)
        sums = np.bincount(sides[mine], weights[mine], 2).astype(int)
        light = int(sums.argmin())
        point = mine[sides[mine] == light][-1]
        weights[point] += sums.max() - sums.min()
    options = {"alpha": 0.5, "beta": 4, "sample_weight": weights.tolist(), "time_limit": often(1, 10)}
    instance = Instance(rng.random((20, 4)), sides, options)
    assert is_fair(instance, labels[None])[0], "planted"
    answer = assigned(instance)
    if isinstance(answer, Nothing):
        assert isinstance(answer, NothingFoundError), f"{labels.tolist()} keeps it: {answer}"
        assert NOTHING_FOUND in str(answer)
        return
    assert is_fair(instance, answer.labels[None])[0]
    assert answer.status in STATUSES
    cost = instance.exact_cost(answer.labels)
    assert abs(Fraction(answer.cost) - cost) <= ROUNDING * cost
    assert answer.lower_bound <= min(answer.cost, instance.cost(labels))


def many_magnitudes(seed: int) -> Instance:
    """Costs from 1e-8 to 1e8 in one table, with weights as fine as that."""
    rng = np.random.default_rng(seed)
    n, n_clusters = int(rng.integers(4, 8)), int(rng.integers(2, 4))
    shape = [(n, 1), (1, n_clusters), (n, n_clusters)][int(rng.integers(3))]
    costs = rng.random((n, n_clusters)) * 10.0 ** rng.uniform(-8, 8, size=shape)
    weights = [rng.integers(1, 6, n), np.round(rng.uniform(0.2, 2, n), 2), rng.integers(1, 5001, n)]
    options = {
        "alpha": float(rng.choice([0.3, 0.5, 0.6])),
        "beta": {g: int(rng.integers(0, 2)) for g in range(2)},
        "sample_weight": weights[int(rng.integers(3))].tolist(),
        "gap": float(rng.choice([0.0, 1e-4])),
    }
    return Instance(costs, rng.random((n, 2)) < 0.6, options)


def test_costs_over_many_magnitudes() -> None:
    n_answered = 0
    for seed in range(often(16, 40)):
        instance = many_magnitudes(seed)
        answer = assigned(instance)
        if is_refused(answer, instance):
            continue
        assert answer.status != "effort limit", seed
        check(instance, answer)
        n_answered += 1
    assert n_answered >= often(8, 20)


@pytest.mark.parametrize("n_clusters", [1, 2])
@pytest.mark.parametrize("weights", ["zeros", "fine"])
def test_no_bound_above_the_optimum_beside_an_outlier(n_clusters: int, weights: str) -> None:
    n_fitted = 0
    for seed in range(often(5, 12)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 10))
        X = rng.normal(size=(n, 2))
        X[rng.integers(n)] = 1e7 * rng.choice([-1, 1], size=2)
        weight = rng.integers(0, 4, n) if weights == "zeros" else np.round(rng.uniform(0.2, 2, n), 2)
        weight[rng.permutation(n)[: n // 3]] = 0
        weight[rng.permutation(n)[:n_clusters]] = 1
        options = {
            "n_clusters": n_clusters,
            "alpha": 0.5,
            "beta": "equality_of_opportunity",
            "objective": str(rng.choice(["k-means", "k-medians"])),
            "prefix": "local_cost",
            "gap": 0.0,
            "random_state": seed,
        }
        fit = Fit(X, rng.choice(np.array(["a", "b"]), size=n), weight.tolist(), options)
        model = fitted(fit)
        if is_refused(model, fit.assignment()):
            continue
        check_fit(fit, model)
        n_fitted += 1
    assert n_fitted >= often(2, 5)


def test_the_nearest_sizes_can_be_met_by_whole_points() -> None:
    n_refused = 0
    for seed in range(often(15, 40)):
        rng = np.random.default_rng(seed)
        n, n_clusters = int(rng.integers(4, 8)), int(rng.integers(2, 4))
        decimals = int(rng.choice([2, 9]))
        weights = np.round(rng.uniform(0.2, 3, n), decimals).tolist()
        mean = math.fsum(weights) / n_clusters
        least, most = round(mean * rng.uniform(0.8, 1.0), 2), round(mean * rng.uniform(1.0, 1.2), 2)
        sizes = [{"min_size": least}, {"max_size": most}, {"min_size": least, "max_size": most}][seed % 3]
        options = {"alpha": 0.5, "beta": 0, "sample_weight": weights, **sizes}
        instance = Instance(rng.random((n, n_clusters)), np.ones((n, 1), dtype=bool), options)
        answer = assigned(instance)
        if not is_refused(answer, instance):
            check(instance, answer)
            continue
        n_refused += 1
        assert answer.nearest, f"seed {seed}: {answer}"
        assert set(answer.nearest) <= {"min_size", "max_size"}, seed
        nearest = Instance(instance.costs, instance.sensitive_features, {**options, **answer.nearest})
        assert is_feasible(nearest), f"seed {seed}: {answer.nearest} cannot be met either: {answer}"
    assert n_refused >= often(4, 10)


def test_a_size_just_above_what_whole_points_can_do() -> None:
    # The whole number below, 4, cannot be met either.
    with pytest.raises(InfeasibleFairnessError) as caught:
        fair_assignment(np.eye(2), None, alpha=0.5, min_size=4.03, sample_weight=[3.98, 4.5])
    assert caught.value.nearest == {"min_size": 3.98}


def block_groups(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Places in towns of all sizes, and the people who live there: 0 to 5,000."""
    rng = np.random.default_rng(seed)
    towns, share = rng.uniform(0, 10, size=(30, 2)), rng.dirichlet([0.5] * 30)
    town = rng.choice(30, size=n, p=share)
    places = towns[town] + rng.normal(size=(n, 2)) * rng.uniform(0.05, 0.6, size=30)[town][:, None]
    people = np.clip(np.rint(rng.gamma(2.5, 550, size=n)), 0, 5000).astype(int)
    people[rng.random(n) < 0.02] = 0
    return places, people


@pytest.mark.parametrize(
    ("n", "n_clusters", "within", "asked", "proven"),
    [(2_300, 4, 0.005, 1e-4, 1e-3), (400, 8, 0.05, 0.01, 0.02)],
)
def test_districts_of_nearly_equal_population(
    n: int, n_clusters: int, within: float, asked: float, proven: float
) -> None:
    places, people = block_groups(n)
    mean = people.sum() / n_clusters
    least, most = math.ceil((1 - within) * mean), math.floor((1 + within) * mean)
    model = promptly(
        lambda: MiniReL(n_clusters, min_size=least, max_size=most, gap=asked, random_state=0).fit(
            places, sample_weight=people
        ),
        300,
    )
    sizes = [int(people[model.labels_ == k].sum()) for k in range(n_clusters)]
    assert all(least <= size <= most for size in sizes), sizes
    assert model.stop_ == "converged"
    assert model.status_ in STATUSES
    assert model.gap_ <= proven
    assert model.lower_bound_ <= model.inertia_
