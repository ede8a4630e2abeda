"""The pool of a fit: as many threads as were asked for, in order, closed at the end."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits

from minirel import MiniReL, fair_assignment
from minirel.points import workers
from minirel.points.workers import SERIAL, Workers, n_threads

MANY = workers._THREADS_FROM


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("minirel")]


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_as_many_threads_as_asked_work_at_the_same_time(n_jobs: int) -> None:
    meeting = threading.Barrier(n_jobs, timeout=60)  # opens only to all of them
    with Workers(n_jobs) as pool:
        met = pool.map(lambda item: (meeting.wait(), threading.get_ident())[1], range(2 * n_jobs), MANY)
    assert len(set(met)) == n_jobs
    assert threading.get_ident() not in met


def test_results_come_in_the_order_of_the_work() -> None:
    second = threading.Event()

    def work(item: int) -> int:
        assert item or second.wait(60)  # the first is done after the second
        if item:
            second.set()
        return item

    with Workers(2) as pool:
        assert pool.map(work, range(5), MANY) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("pool", "n_costs"), [(SERIAL, MANY), (Workers(2), MANY - 1)], ids=["one", "small"])
def test_no_threads_where_they_are_not_wanted_or_do_not_pay(pool: Workers, n_costs: int) -> None:
    assert set(pool.map(lambda _: threading.get_ident(), range(9), n_costs)) == {threading.get_ident()}


def test_runs_side_by_side_share_one_pool() -> None:
    with Workers(2) as pool, ThreadPoolExecutor(8) as runs:
        start = threading.Barrier(8, timeout=60)
        at_work = runs.map(
            lambda _: (start.wait(), pool.map(lambda _: threading.get_ident(), range(50), MANY))[1], range(8)
        )
        assert len({ident for run in at_work for ident in run}) <= 2


def test_the_pool_is_closed_at_the_end_also_after_an_error() -> None:
    def fail(_: int) -> None:
        assert names()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Workers(2) as pool:
        pool.map(fail, range(100), MANY)
    assert names() == []


def test_none_has_the_threads_of_openmp() -> None:
    with threadpool_limits(1, user_api="openmp"):
        assert n_threads(None) == 1
    with threadpool_limits(2, user_api="openmp"):
        assert n_threads(None) == min(2, effective_n_jobs(-1))
    assert n_threads(3) == 3
    assert n_threads(-1) == effective_n_jobs(-1)


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_has_one_thread_while_any_fit_runs() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        first, second = Workers(2), Workers(1)
        with first:
            assert blas_threads() <= {1}
            second.__enter__()
        # The first has ended, the second not yet.
        assert blas_threads() <= {1}
        with pytest.raises(ZeroDivisionError), Workers(None):
            raise ZeroDivisionError
        assert blas_threads() <= {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before


def test_a_fit_leaves_blas_its_threads() -> None:
    X, groups, _ = large()
    seen = []
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        model = MiniReL(3, callback=lambda _: seen.append(blas_threads()), random_state=0)
        model.fit(X[:500], sensitive_features=groups[:500])
        assert blas_threads() == before
    assert seen
    assert all(threads <= {1} for threads in seen)


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The sizes of all pools that were started."""
    sizes: list[int] = []

    class Seen(ThreadPoolExecutor):
        def __init__(self, max_workers: int, thread_name_prefix: str) -> None:
            sizes.append(max_workers)
            super().__init__(max_workers, thread_name_prefix)

    monkeypatch.setattr(workers, "ThreadPoolExecutor", Seen)
    yield sizes
    assert names() == []


@pytest.fixture
def sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads from fewer costs on, still of several blocks."""
    monkeypatch.setattr(workers, "_THREADS_FROM", 500_000)


def large() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points with groups, and centers so many that a pass over them has threads."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))[rng.integers(0, 20, 25_000)] + 0.3 * rng.normal(size=(25_000, 2))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=25_000) > 0.5, "a", "b"), X[:20]


@pytest.mark.usefixtures("sooner")
def test_n_jobs_on_large_data_makes_no_difference(pools: list[int]) -> None:
    X, groups, _ = large()
    fits = []
    for n_jobs in (1, 3, None):
        model = MiniReL(20, beta=8, init="random", n_init=2, n_jobs=n_jobs, max_iter=2, random_state=0)
        with pytest.warns(ConvergenceWarning):
            fits.append(model.fit(X, sensitive_features=groups))
    # One for all runs of a fit, and none for one thread.
    assert pools == [3, n_threads(None)]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.labels_, fits[0].labels_)
        np.testing.assert_array_equal(fit.cluster_centers_, fits[0].cluster_centers_)
        assert (fit.inertia_, fit.lower_bound_) == (fits[0].inertia_, fits[0].lower_bound_)
        assert [(r.cost, r.bound) for r in fit.history_] == [(r.cost, r.bound) for r in fits[0].history_]


@pytest.mark.usefixtures("sooner")
def test_a_large_assignment_has_threads_of_its_own(pools: list[int]) -> None:
    X, groups, centers = large()
    costs = ((X[:, None] - centers) ** 2).sum(axis=2)
    answers = []
    for limit in (1, 2):
        with threadpool_limits(limit, user_api="openmp"):
            answers.append(fair_assignment(costs, groups, alpha=0.51, beta=8, prefix="local_cost"))
    assert pools == [1, min(2, effective_n_jobs(-1))]
    np.testing.assert_array_equal(answers[0].labels, answers[1].labels)
    assert answers[0].lower_bound == answers[1].lower_bound


@pytest.mark.usefixtures("sooner")
def test_small_fits_start_no_threads(pools: list[int]) -> None:
    X, groups, _ = large()
    MiniReL(3, n_jobs=2, random_state=0).fit(X[:500], sensitive_features=groups[:500])
    assert pools == []
