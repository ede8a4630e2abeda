"""Workers of Dask that are processes, and quick to start."""

import multiprocessing

import dask
from distributed.utils import get_mp_context


def fork_workers() -> None:
    """Have workers forked from one process that has imported what they need, where a system can do that."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
        get_mp_context().set_forkserver_preload(["distributed", "minirel.dask"])
