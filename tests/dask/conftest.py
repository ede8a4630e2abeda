"""Clusters for the tests: of processes, which tests may kill, and of threads for all that is small."""

from collections.abc import Iterator

import pytest
from distributed import Client, LocalCluster

from dask_workers import fork_workers


@pytest.fixture
def processes() -> Iterator[Client]:
    """Two workers, each a process; not the current client."""
    fork_workers()
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")  # not longer: its threads take time also when they have nothing to do
def workers_here() -> Iterator[Client]:
    """Two workers in this process."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def threads(workers_here: Client) -> Iterator[Client]:
    """Two workers in this process, whose client is the current one."""
    with workers_here.as_current():
        yield workers_here
