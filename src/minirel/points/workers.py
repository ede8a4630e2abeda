"""The threads of a fit: one pool, started when a pass over the points is large enough, closed at the end.

Meanwhile BLAS has one thread. Its own would wait for each other where products are small or the machine is
busy, for several times as long as they save, and could round in another order.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from threading import Lock
from types import TracebackType
from typing import TypeVar

from threadpoolctl import ThreadpoolController

# Below this many costs, threads take longer to start than they save.
_THREADS_FROM = 1_000_000

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """At most `n_jobs` threads (as joblib counts), or as many as OpenMP has for None.

    Answers come in the order of the work, so that sums over them are the same for any number of threads.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs
        self._lock = Lock()  # runs side by side ask for the pool at the same time
        self._pool: ThreadPoolExecutor | None = None

    def map(self, work: Callable[[Item], Result], items: Iterable[Item], n_costs: int) -> list[Result]:
        """The results of `work` on each item, `n_costs` costs in all; it must not ask for workers itself."""
        if self.n_jobs == 1 or n_costs < _THREADS_FROM:
            return [work(item) for item in items]
        return list(self._started().map(work, items))

    def _started(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(n_threads(self.n_jobs), thread_name_prefix="minirel")
            return self._pool

    def __enter__(self) -> "Workers":
        _BLAS.limit()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
                self._pool = None
        finally:
            _BLAS.restore()


class _OneThread:
    """One thread for BLAS from the first to the last of the fits that run side by side."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_fits = 0
        self._end = ExitStack()

    def limit(self) -> None:
        with self._lock:
            self._n_fits += 1
            if self._n_fits == 1:
                self._end.enter_context(_libraries("blas").limit(limits=1))

    def restore(self) -> None:
        with self._lock:
            self._n_fits -= 1
            if self._n_fits == 0:
                self._end.close()


_BLAS = _OneThread()
# For problems that nobody gave threads to.
SERIAL = Workers(1)


def n_threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` stands for."""
    # Here, because it is slow to load, and whoever mistypes a parameter is told at once.
    from joblib import effective_n_jobs

    if n_jobs is not None:
        return int(effective_n_jobs(n_jobs))
    # As k-means of scikit-learn has: OpenMP knows OMP_NUM_THREADS, the limits of threadpoolctl, and the share
    # of the cores that a process of joblib is to use; joblib knows those that a container may use.
    openmp = [library["num_threads"] for library in _libraries("openmp").info()]
    return int(min([effective_n_jobs(-1), *openmp]))


def one_thread() -> AbstractContextManager[object]:
    """One thread for OpenMP, within the context."""
    context: AbstractContextManager[object] = _libraries("openmp").limit(limits=1)
    return context


@cache
def _libraries(api: str) -> ThreadpoolController:
    return ThreadpoolController().select(user_api=api)  # to find them takes milliseconds
