"""Does the runs that are not done yet: the timed ones alone, the others side by side."""

import os
import time
from collections.abc import Iterable, Sequence
from functools import cache
from threading import Thread
from typing import Protocol

import numpy as np
from joblib import Parallel, cpu_count, delayed
from threadpoolctl import threadpool_limits

from minirel.datasets import Dataset
from minirel.estimator import MiniReL
from paper.data import DataSource
from paper.plan import Plan
from paper.run import SOLVERS, Record, Run, perform
from paper.store import Store


class Progress(Protocol):
    """Is told of every run as it ends."""

    def done(self, run: Run, record: Record, *, before: bool) -> None:
        """A run is kept; `before`: it was so already."""


def work(plan: Plan, store: Store, source: DataSource, progress: Progress) -> None:
    """Do every run of the plan that the store lacks, and keep each as soon as it is done."""
    timed, untimed = (_lacking(runs, store, progress) for runs in (plan.timed, plan.untimed))
    if timed:
        _warm_up()
    for run in timed:
        _keep(run, perform(run, source.load(run.data, run.sample)), store, progress)
    for run, record in _side_by_side(untimed, source):
        _keep(run, record, store, progress)


def _lacking(runs: Sequence[Run], store: Store, progress: Progress) -> list[Run]:
    lacking = []
    for run in runs:
        record = store.get(run)
        if record is None:
            lacking.append(run)
        else:
            progress.done(run, record, before=True)
    return lacking


def _keep(run: Run, record: Record, store: Store, progress: Progress) -> None:
    store.keep(run, record)
    progress.done(run, record, before=False)


@cache
def _warm_up() -> None:
    """Load and compile what large problems need when first solved, so that no run is charged for it."""
    random = np.random.default_rng(0)
    X, groups = random.random((50_000, 2)), random.integers(2, size=50_000)
    for solver in SOLVERS:
        few = slice(None if solver == "certified" else 50)
        MiniReL(4, beta=2, solver=solver, random_state=0).fit(X[few], sensitive_features=groups[few])


def _side_by_side(runs: Iterable[Run], source: DataSource) -> Iterable[tuple[Run, Record]]:
    """As many at a time as there are cores, each with one thread."""
    parent = os.getpid()
    tasks = (delayed(_alone_in_its_thread)(run, source.load(run.data, run.sample), parent) for run in runs)
    # Short runs are not put together, or a kill would lose all of such a bundle.
    found: Iterable[tuple[Run, Record]] = Parallel(
        n_jobs=cpu_count(), return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )(tasks)
    return found


def _alone_in_its_thread(run: Run, data: Dataset, parent: int) -> tuple[Run, Record]:
    if os.getpid() != parent:
        _end_with(parent)
    with threadpool_limits(1):
        return run, perform(run, data)


@cache
def _end_with(parent: int) -> None:
    """End this process soon after the one that gave it work, which may be killed and start again."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
