"""The workers of a cluster: functions run there, and a clear end where no worker is left."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from typing import Any

from distributed import Client, Future, KilledWorker, get_client

from minirel.points.errors import ParameterTypeError, ParameterValueError

# Seconds between two looks at the workers while results are awaited, and without any worker.
_LOOK, _PATIENCE = 2.0, 30.0


class WorkersLostError(RuntimeError):
    """The cluster could not go on: no worker was left, or the data they held cannot be made again.

    Examples
    --------
    >>> from minirel.dask import WorkersLostError
    >>> issubclass(WorkersLostError, RuntimeError)  # catch it, and fit again once there are workers
    True
    """


class Cluster:
    """What a fit asks of a cluster, through a client of it."""

    def __init__(self, client: Client | None) -> None:
        if client is not None and not isinstance(client, Client):
            rule = "must be a distributed.Client, or None for the current one"
            raise ParameterTypeError("client", rule, client, found=f"is a {type(client).__name__}")
        if client is None:
            try:
                client = get_client()
            except ValueError as error:
                raise ParameterValueError(
                    "client",
                    "must be a distributed.Client, or None for the current one",
                    None,
                    "connect first: client = distributed.Client(address), or Client() for workers on this "
                    "machine",
                    found="is None, and there is no current one",
                ) from error
        self.client = client

    @property
    def n_threads(self) -> int:
        """The threads of all workers; 1 if there are none yet."""
        return int(max(1, sum(self.client.nthreads().values())))

    def computed(self, delayed: Sequence[Any]) -> list[Future]:
        """Where the parts of a Dask collection are being computed."""
        futures: list[Future] = self.client.compute(list(delayed))
        return futures

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future:
        """Where a call of `work` is being made, on a worker that holds the futures among its arguments."""
        return self.client.submit(work, *arguments, pure=False)

    def gather(self, futures: Sequence[Future]) -> list[Any]:
        """The results of calls, waited for as long as there are workers.

        What a worker held that has died is computed again by the others.
        """
        # In a thread, so that it can be looked at the workers meanwhile.
        with ThreadPoolExecutor(2, thread_name_prefix="minirel-dask") as pool:
            try:
                return self._awaited(pool, futures)
            except BaseException:
                # Nobody waits for these any more, the thread neither.
                self.client.cancel(list(futures), force=True)
                raise

    def _awaited(self, pool: ThreadPoolExecutor, futures: Sequence[Future]) -> list[Any]:
        results = pool.submit(self.client.gather, list(futures))
        last_seen = time.monotonic()
        while True:
            try:
                gathered: list[Any] = results.result(timeout=_LOOK)
                return gathered
            except KilledWorker as error:
                raise WorkersLostError(
                    f"several workers died of the same work ({error}): most likely they need more memory, or "
                    "X smaller chunks"
                ) from error
            except CancelledError as error:
                raise WorkersLostError(
                    "the cluster has lost what it was to compute: its scheduler has ended, or a worker died "
                    "that held data without a recipe (persist data that was read or computed by Dask, rather "
                    "than scattered)"
                ) from error
            except Late:
                if self._has_workers(pool):
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > _PATIENCE:
                    raise WorkersLostError(
                        f"the cluster has had no workers for {_PATIENCE:.0f} seconds: start some, and wait "
                        "for them with client.wait_for_workers(1) before the next fit"
                    ) from None

    def _has_workers(self, pool: ThreadPoolExecutor) -> bool:
        try:
            return bool(pool.submit(self.client.nthreads).result(timeout=_LOOK))
        except (Late, OSError):
            return False
