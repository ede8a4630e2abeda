"""The work of a frontier: fits side by side, kept as they come, until all are done or somebody ends it."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from minirel.assignment.problem import End
from minirel.frontiers.found import Found
from minirel.frontiers.log import Log
from minirel.points.errors import InfeasibleFairnessError, NothingFoundError
from minirel.points.workers import n_threads
from minirel.solvers.limits import Deadline

Outcome: TypeAlias = Found | InfeasibleFairnessError | NothingFoundError
Stop: TypeAlias = Literal["done", "time_limit", "callback", "interrupted"]


@dataclass(frozen=True)
class Progress:
    """How far a frontier is: what its `callback` is called with.

    Attributes
    ----------
    done, total : int
        Fits that are done, and of how many. The total can grow, where a clustering that keeps a stricter
        promise turns out to be cheaper and its neighbours go on from there.
    elapsed : float
        Seconds so far.
    left : float or None
        Seconds that the others will take, about; None before the first is done.
    what : str
        What has just been done, in words.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import Progress, frontier
    >>> X, species = load_iris(return_X_y=True)
    >>> def show(progress: Progress) -> bool:
    ...     print(f"{progress.done} of {progress.total}: {progress.what}")
    ...     return progress.elapsed > 3600  # True ends it
    >>> found = frontier(X, species, n_clusters=3, beta=[1, {1: 2}], random_state=0, callback=show)
    1 of 3: k-means, K=3
    2 of 3: K=3, alpha=0.51, beta=1
    3 of 3: K=3, alpha=0.51, beta={1: 2}
    """

    done: int
    total: int
    elapsed: float
    left: float | None
    what: str

    def __str__(self) -> str:
        left = "" if self.left is None else f", about {in_time(self.left)} left"
        return f"{self.done} of {self.total} fits{left}: {self.what}"


def in_time(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Work:
    """Runs fits, at most `n_jobs` at a time, and knows why it stopped if it did.

    What is done is in the log before anybody is told. Fits that were cut short are not: they are to be made
    again another time.
    """

    def __init__(
        self, log: Log, deadline: Deadline, n_jobs: int | None, callback: Callable[[Progress], object] | None
    ) -> None:
        self.deadline = deadline
        self.stop: Stop = "done"
        self._log, self._n_jobs, self._callback = log, n_jobs, callback
        self._began = time.perf_counter()
        self._n_done = self._n_total = self._n_read = 0

    def expect(self, n_fits: int) -> None:
        """Say that so many more fits are to come."""
        self._n_total += n_fits

    def run(self, fits: Mapping[str, tuple[str, Callable[[], Found]]]) -> dict[str, Outcome]:
        """What came of each fit, by its key; those that were not reached are left out.

        Fits are described in a few words, and were expected.
        """
        done: dict[str, Outcome] = {}
        open_fits = {}
        for key, (what, fit) in fits.items():
            if key in self._log.known:
                done[key] = self._log.known[key]
                self._n_read += 1
                self._tell(what)
            else:
                open_fits[key] = (what, fit)
        with self.interruptible():
            for key, outcome in self._outcomes(open_fits):
                if isinstance(outcome, Found) and not outcome.was_cut:
                    self._log.add(key, outcome)
                elif isinstance(outcome, Found):
                    self.is_over()  # perhaps the last of all, after which nobody asks
                done[key] = outcome
                self._tell(fits[key][0])
        return done

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let an interrupt end the block, and the work."""
        try:
            yield
        except KeyboardInterrupt:
            self.deadline.cut()
            self.stop = "interrupted"

    def is_over(self) -> bool:
        """Whether there is no time left."""
        if self.stop == "done" and self.deadline.passed():
            self.stop = "time_limit"
        return self.stop != "done"

    @property
    def end(self) -> End:
        """Which limit keeps an answer from a proof of its own: time, or else the effort of a search."""
        return "time limit" if self.is_over() else "effort limit"

    def _outcomes(self, fits: Mapping[str, tuple[str, Callable[[], Found]]]) -> Iterator[tuple[str, Outcome]]:
        """The outcomes as they come; the answers do not depend on their order."""
        n_jobs = 1 if self._n_jobs is None else n_threads(self._n_jobs)
        if n_jobs == 1 or len(fits) < 2:
            for key, (_, fit) in fits.items():
                if self.is_over():
                    return
                yield key, _outcome(fit)
            return
        with ThreadPoolExecutor(n_jobs, thread_name_prefix="minirel-frontier") as pool:
            futures: dict[Future[Outcome | None], str] = {
                pool.submit(self._unless_over, fit): key for key, (_, fit) in fits.items()
            }
            try:
                for future in as_completed(futures):
                    outcome = future.result()
                    if outcome is not None:
                        yield futures[future], outcome
            except BaseException:
                self.deadline.cut()  # those that run end soon, and their threads with them
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _unless_over(self, fit: Callable[[], Found]) -> Outcome | None:
        return None if self.is_over() else _outcome(fit)

    def _tell(self, what: str) -> None:
        self._n_done += 1
        if self._callback is None or self.stop != "done":
            return
        elapsed, n_made = time.perf_counter() - self._began, self._n_done - self._n_read
        left = elapsed / n_made * (self._n_total - self._n_done) if n_made else None
        answer = self._callback(Progress(self._n_done, self._n_total, elapsed, left, what))
        if isinstance(answer, bool | np.bool_) and answer:
            self.stop = "callback"
            self.deadline.cut()


def _outcome(fit: Callable[[], Found]) -> Outcome:
    try:
        return fit()
    except (InfeasibleFairnessError, NothingFoundError) as error:
        return error
