"""Fits of the command on Dask clusters, its own and others."""

import asyncio
import errno
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster
from typer.testing import Result

from cli.people import people, refused, run, spawn, write
from dask_workers import fork_workers
from minirel.cli import cluster as module
from minirel.cli import features, large_parquet, large_points
from minirel.cli.cluster import There, on_cluster
from minirel.cli.messages import UserError
from minirel.dask import WorkersLostError, sending

SECONDS = 100
REQUEST = ("--group", "sex", "-k", "4", "--beta", "Female:1,Male:2", "--weight", "weight", "--drop", "code")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A scheduler with two workers in this process, which is not told of elsewhere."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        yield cluster.scheduler_address


def fitted(file: str, *options: object) -> dict[str, Any]:
    """What a fit here says of its result, without what differs from run to run."""
    done = run("fit", file, *REQUEST, "--quiet", "--json", "-", *options)
    assert done.exit_code == 0, done.stderr
    return without_times(done.stdout)


def without_times(text: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(text)
    del result["command"]
    for record in result["history"]:
        del record["seconds"], record["elapsed"]
    return result


def test_workers_of_its_own_give_the_same_files(tmp_path: Path) -> None:
    fork_workers()
    file = write(tmp_path)
    outputs = [tmp_path / name for name in ("out.csv", "page.html")]
    done = run(
        "fit", file, *REQUEST, "--workers", 2, "--json", "-", "--out", outputs[0], "--report", outputs[1]
    )
    assert done.exit_code == 0, done.stderr
    assert "starting 2 workers ..." in done.stderr
    assert "start: cost" in done.stderr
    assert without_times(done.stdout) == fitted(file, "--out", tmp_path / "here.csv")
    assert outputs[0].read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert "<code>client</code>" not in outputs[1].read_text(encoding="utf-8")


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_an_interrupt_leaves_no_workers_and_no_files(tmp_path: Path) -> None:
    left = tmp_path / "temporary"
    left.mkdir()
    process = spawn(
        *("fit", write(tmp_path), *REQUEST, "--swaps", 10**6, "--workers", 1),
        env={"TMPDIR": str(left)},
        start_new_session=True,
    )
    assert process.stderr is not None
    while process.stderr.readline() != "k-means ...\n":
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=SECONDS)
    assert (process.returncode, stderr) == (130, "interrupted\n")
    assert list(left.iterdir()) == []
    until = time.monotonic() + SECONDS
    while is_there(process.pid):  # what multiprocessing has beside its processes ends after them
        assert time.monotonic() < until
        time.sleep(0.1)


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> NoReturn:
        raise OSError(errno.EFBIG, "File too large")

    monkeypatch.setattr(sending, "in_a_file", full)
    said = f"temporary folder {tempfile.gettempdir()}: File too large; no file was changed: set TMPDIR"
    refused(run("fit", write(tmp_path), *REQUEST, "--quiet", "--workers", "1"), said)


def test_a_cluster_that_there_is(address: str, tmp_path: Path) -> None:
    file = write(tmp_path)
    assert fitted(file, "--dask", address) == fitted(file)
    told = run("fit", file, *REQUEST, "--dask", address).stderr
    assert "sent 60 rows" in told


def test_a_large_file(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, (head, *rows) = str(tmp_path / "people.parquet"), people()
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    numbers = {name: list(map(float, columns[name])) for name in ("age", "income", "weight")}
    pq.write_table(pa.table({**columns, **numbers}), file)
    monkeypatch.setattr(large_parquet, "LARGE", 1)
    monkeypatch.setattr(large_points, "_IN_MEMORY", 1)  # a map of a file that has no name
    assert fitted(file, "--dask", address) == fitted(file)


def test_what_cannot_be_met_is_told_as_ever(address: str, tmp_path: Path) -> None:
    asked = ("--group", "sex", "-k", "3", "--beta", "Female:3,Male:3")
    ways = [run("fit", write(tmp_path), *asked, "--quiet", *more) for more in ((), ("--dask", address))]
    for done in ways:
        refused(done, "this cannot be met", "The nearest request that can be met")
    assert ways[0].stderr == ways[1].stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--dask", "127.0.0.1:1"), ("--workers and --dask",)),
        (("--objective", "k-medians"), ("--objective k-medians", "leave out --workers")),
        (("--together", "job"), ("--together", "leave out --workers")),
        (("--members", "age", "--total", "income"), ("--members", "leave out --workers")),
        (("--neighbours", "pairs.csv"), ("--neighbours", "leave out --workers")),
        (("--connect",), ("--connect", "leave out --workers")),
        (("--workers", "0"), ("--workers must be a whole number of at least 1, but is 0",)),
    ],
)
def test_refused_before_the_file_is_read(options: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(run("fit", "nowhere.csv", "--group", "sex", "--workers", "2", *options), *words)


def test_many_categories_need_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"{i % 40},{'ab'[i % 2]}\n" for i in range(80))
    file = write(tmp_path, content="town,sex\n" + rows.replace(",", "x,"))
    monkeypatch.setattr(features, "_MOST_NUMBERS", 1000)
    assert run("fit", file, "--group", "sex", "-k", "2").exit_code == 0
    refused(run("fit", file, "--group", "sex", "--workers", "1"), "40 categories", "do without --workers")


def test_an_address_without_an_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.3)
    for nowhere in ("tcp://127.0.0.1:1", "nowhere", "spoken://127.0.0.1:1"):
        done = run("fit", "nowhere.csv", "--group", "sex", "--dask", nowhere)
        refused(done, f"--dask {nowhere} does not answer", "--workers")
    with LocalCluster(
        n_workers=0, protocol="tcp", host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as empty:
        done = run("fit", "nowhere.csv", "--group", "sex", "--dask", empty.scheduler_address)
        refused(done, "has no workers", "dask worker")


def test_beside_an_event_loop_that_runs(address: str, tmp_path: Path) -> None:
    async def called() -> Result:
        return run("fit", write(tmp_path), *REQUEST, "--quiet", "--dask", address)

    with ThreadPoolExecutor(1) as apart:  # another test's browser may have a loop in this thread
        assert apart.submit(lambda: asyncio.run(called())).result().exit_code == 0


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    for option in (("--workers", "2"), ("--dask", "127.0.0.1:1")):
        refused(run("fit", "nowhere.csv", "--group", "sex", *option), option[0], "minirel[dask]")


def test_lost_workers_are_no_traceback() -> None:
    class Nothing:
        features = type("Features", (), {"X": None})

    with (
        pytest.raises(UserError, match=r"no worker is left; no file was changed"),
        on_cluster(lambda X, quiet: nullcontext(There(None, X)), Nothing(), True),  # type: ignore[arg-type]
    ):
        raise WorkersLostError("no worker is left")
