"""Swaps: never dearer than without, the same for the same seed, and told in the history."""

import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning

from clustering.test_lloyd import check_end, planted_fit
from minirel import MiniReL
from thorough import often


def blobs(n: int = 300, n_blobs: int = 9) -> tuple[np.ndarray, np.ndarray]:
    X, home = make_blobs(n, centers=n_blobs, n_features=2, random_state=5)
    likes = np.random.default_rng(5).random(n_blobs)
    return X, (np.random.default_rng(6).random(n) < likes[home]).astype(int)


def model(**options: Any) -> MiniReL:
    return MiniReL(**{"n_clusters": 9, "beta": "statistical_parity", "random_state": 0} | options)


@pytest.mark.filterwarnings("ignore:X has .* distinct points:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("block", range(4))
def test_random_requests_are_never_dearer(block: int) -> None:
    """With all that is promised of any fit: weights, sizes, overlapping groups, medians, free holders."""
    for seed in range(10 * block, 10 * block + often(3, 10)):
        case, without = planted_fit(seed)
        try:
            swapped = case.fit(n_swaps=2)
            check_end(case, swapped)
            assert swapped.inertia_ <= without.inertia_ * (1 + 1e-12)
            assert sum(record.swap > 0 for record in swapped.history_) == 2
        except Exception as error:
            error.add_note(f"seed {seed}:\n{case!r}")
            raise


def test_a_bad_start_is_left() -> None:
    """From centers in one corner, iterations alone stay in a poor optimum."""
    X, groups = blobs()
    corner = X[np.argsort(X.sum(axis=1))[:9]]
    stuck = model(init=corner).fit(X, sensitive_features=groups)
    free = model(init=corner, n_swaps=8).fit(X, sensitive_features=groups)
    assert free.inertia_ < 0.8 * stuck.inertia_
    assert free.audit_.satisfied
    assert free.status_ in ("optimal", "within gap")
    kept = [record for record in free.history_ if record.paid]
    assert kept
    assert all(record.swap for record in kept)
    # Nothing is proven of new centers but what their prices prove.
    assert all(0 < record.gap < 0.5 for record in kept)
    costs = [record.cost for record in free.history_]
    assert costs == sorted(costs, reverse=True)


def test_history_tells_which_swaps_paid() -> None:
    X, groups = blobs()
    fitted = model(init="random", n_swaps=12).fit(X, sensitive_features=groups)
    swaps = [record for record in fitted.history_ if record.swap]
    assert [record.swap for record in swaps] == list(range(1, 13))
    before = fitted.history_[fitted.history_.index(swaps[0]) - 1].cost
    for record in swaps:
        assert record.paid == (record.cost < before)
        assert f"swap {record.swap:8d}" in str(record)
        before = record.cost
    assert fitted.n_iter_ == len(fitted.history_) - 12


def test_the_same_seed_gives_the_same_result() -> None:
    X, groups = blobs()
    one, other = (model(n_swaps=3, n_init=2, n_jobs=n).fit(X, sensitive_features=groups) for n in (1, 2))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert [record.cost for record in one.history_] == [record.cost for record in other.history_]


def test_other_starts_lend_their_centers() -> None:
    X, groups = blobs()
    alone = model(init="random", n_init=2).fit(X, sensitive_features=groups)
    shared = model(init="random", n_init=2, n_swaps=3).fit(X, sensitive_features=groups)
    assert shared.inertia_ <= alone.inertia_


@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
def test_one_cluster_and_no_groups(objective: str) -> None:
    X = load_iris().data
    for n_clusters in (1, 5):
        plain = MiniReL(n_clusters, objective=objective, random_state=0)
        swapped = clone(plain).set_params(n_swaps=5).fit(X)
        assert swapped.inertia_ <= plain.fit(X).inertia_ * (1 + 1e-12)


def test_points_that_are_all_the_same() -> None:
    X = np.ones((20, 2))
    with pytest.warns(ConvergenceWarning, match="distinct"):
        fitted = MiniReL(3, n_swaps=3, random_state=0).fit(X, sensitive_features=np.arange(20) % 2)
    assert fitted.inertia_ == 0


def test_a_time_limit_ends_the_swaps() -> None:
    X, groups = blobs(20_000)
    began = time.process_time()  # which does not pass while others have the processor
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        fitted = model(n_swaps=100_000, time_limit=1.5, n_jobs=1).fit(X, sensitive_features=groups)
    assert time.process_time() - began < 3.5
    assert fitted.stop_ == "time_limit"
    assert fitted.audit_.satisfied
    assert np.isfinite(fitted.gap_)


def test_a_callback_ends_the_swaps() -> None:
    X, groups = blobs()
    seen = []

    def stop(record: Any) -> bool:
        seen.append(record)
        return record.swap == 3

    with pytest.warns(ConvergenceWarning, match="callback"):
        fitted = model(n_swaps=50, callback=stop).fit(X, sensitive_features=groups)
    assert seen[-1].swap == 3
    assert fitted.stop_ == "callback"


@pytest.mark.parametrize("n_swaps", [-1, 1.5, "many", None])
def test_bad_numbers(n_swaps: object) -> None:
    X, groups = blobs(50)
    with pytest.raises((TypeError, ValueError), match="n_swaps must be a whole number of at least 0"):
        model(n_swaps=n_swaps).fit(X, sensitive_features=groups)


@pytest.mark.filterwarnings("ignore:X has .* distinct points:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("init", ["k-means", "random"])
def test_clusters_of_points_without_weight_have_no_center(init: str) -> None:
    X = [[9.0], [0], [0], [11], [0], [11]]
    request = {"sensitive_features": list("aacaac"), "sample_weight": [4, 3, 3, 0.123, 0, 0]}
    found = MiniReL(4, beta=1, n_swaps=3, init=init, random_state=0).fit(X, **request)
    assert found.audit_.satisfied
    assert found.inertia_ == 0
