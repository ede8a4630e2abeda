"""Fits on a Dask cluster: one that there is (--dask), or workers on this machine (--workers)."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from minirel.cli.interrupts import not_for_children, raising, uninterrupted
from minirel.cli.messages import UserError, say
from minirel.cli.progress import counting
from minirel.cli.temporary import temporary_files

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

    from minirel import MiniReL
    from minirel.cli.points import Points

_PATIENCE = 5.0  # seconds that a scheduler has to answer, and then its workers to be there


class There(NamedTuple):
    """A cluster, by a client of it, and the features on it as a Dask array."""

    client: "Client"
    X: Any


# Opens a cluster with features on it; with True quietly.
Opened: TypeAlias = Callable[[Any, bool], AbstractContextManager[There]]


@contextmanager
def asked_cluster(
    workers: int | None, address: str | None, others: Mapping[str, bool]
) -> Iterator[Opened | None]:
    """How to open the cluster that is asked for, None if there is none.

    Refused are `others`, options that there are no passes for, if they were used. A scheduler has to answer
    now; workers of our own are started when they are needed.
    """
    if workers is None and address is None:
        yield None
        return
    if workers is not None and address is not None:
        raise UserError("--workers and --dask are two clusters: keep one of them")
    option = "--workers" if address is None else "--dask"
    for other, is_used in others.items():
        if is_used:
            raise UserError(f"{other} cannot be had on a cluster: leave out {option}, or {other}")
    if workers is not None and workers < 1:
        raise UserError(f"--workers must be a whole number of at least 1, but is {workers}")
    if find_spec("distributed") is None or find_spec("dask") is None:
        raise UserError(f"{option} needs Dask: pip install 'minirel[dask]'")
    if address is None:
        assert workers is not None
        yield lambda X, quiet: _own(X, workers, quiet)
        return
    with raising(), _connected(address) as client:
        yield lambda X, quiet: _existing(X, client, quiet)


@contextmanager
def on_cluster(opened: Opened | None, points: "Points", quiet: bool) -> "Iterator[There | None]":
    """Have the points on a cluster, where there is one to open; an interrupt ends it in order."""
    if opened is None:
        yield None
        return
    from minirel.dask import WorkersLostError

    try:
        with raising(), opened(points.features.X, quiet) as there:
            yield there
    except WorkersLostError as error:
        raise UserError(f"{error}; no file was changed") from None


def fit_there(model: "MiniReL", there: There, points: "Points") -> "MiniReL":
    """The model, fitted on a cluster and brought back."""
    from minirel.dask import MiniReL
    from minirel.points.weights import read_weights

    weights: Any = None if points.weights is None else read_weights(points.weights, len(points.weights))
    on_workers = MiniReL(**model.get_params(deep=False), client=there.client)
    on_workers.fit(there.X, sensitive_features=points.groups, sample_weight=weights)
    return on_workers.to_local()


@contextmanager
def _own(X: Any, n_workers: int, quiet: bool) -> Iterator[There]:
    """Workers on this machine, which read the features from a file."""
    import logging
    import tempfile

    import dask
    from distributed import Client, LocalCluster

    from minirel.dask.sending import in_a_file

    if not quiet:
        say(f"starting {n_workers} worker{'s' if n_workers > 1 else ''} ...")
    temporary = tempfile.TemporaryDirectory(prefix="minirel-", ignore_cleanup_errors=True)
    with temporary as folder, ExitStack() as stack:
        with uninterrupted(), not_for_children(), dask.config.set({"temporary-directory": folder}):
            cluster = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,  # the features are in a file, which takes no memory that is missed elsewhere
                silence_logs=logging.CRITICAL,  # errors are raised here; others are of workers that end
            )
            stack.callback(_close, cluster)
        client = Client(cluster, set_as_default=False)
        stack.callback(_close, client)
        with temporary_files():
            X = in_a_file(X, Path(folder) / "points", client)
        yield There(client, X)


@contextmanager
def _existing(X: Any, client: "Client", quiet: bool) -> Iterator[There]:
    """The workers of a cluster, which are sent the features."""
    from minirel.dask.sending import sent

    with counting(quiet, "sent") as count:
        there = There(client, sent(X, client, count))
    yield there


@contextmanager
def _connected(address: str) -> "Iterator[Client]":
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed import Client
    from distributed.comm import connect

    async def try_it() -> None:
        await (await connect(address, timeout=_PATIENCE)).close()

    try:
        with ThreadPoolExecutor(1) as apart:  # the caller may have an event loop, as a notebook does
            apart.submit(lambda: asyncio.run(try_it())).result()  # a client that fails is noisy
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except Exception as error:  # whatever answers there need not speak the language of Dask
        said = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise UserError(
            f"--dask {address} does not answer: give the address of a scheduler that runs, such as "
            f"tcp://127.0.0.1:8786, or use --workers for workers on this machine\n({said})"
        ) from None
    try:
        _check_workers(client, address)
        yield client
    finally:
        _close(client)


def _close(cluster: "Client | LocalCluster") -> None:
    with uninterrupted():
        cluster.close()


def _check_workers(client: "Client", address: str) -> None:
    """See that there are workers, all with this version of the library."""
    from importlib.metadata import version

    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise UserError(f"--dask {address} has no workers: start some with 'dask worker {address}'") from None
    ours = version("minirel")
    for worker, theirs in client.run(version, "minirel", on_error="return").items():
        if theirs != ours:
            found = f"minirel {theirs}" if isinstance(theirs, str) else "no minirel"
            raise UserError(
                f"--dask {address}: worker {worker} has {found}, and here is {ours}: install "
                "'minirel[dask]' there, in the version that is here"
            )
