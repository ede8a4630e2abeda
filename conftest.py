"""What tests share: the cores, their order, and a real browser for pages."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A machine that is busy is not a failure.
settings.register_profile("minirel", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("minirel")

# Where every core has a worker, threads of its own would only take turns; tests of threads ask for theirs.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")

# A single test of these takes long: at the end, it would leave the other workers with nothing to do.
FIRST = (
    "test_machines.py",
    "test_lint.py",
    "test_interrupts.py",
    "test_command.py",
    "test_weighted_requests.py",
)
# Examples of all other data sets need files, or would ask the network for them.
AT_HAND = {"load_iris", "Dataset"}
CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put those first that take long by themselves, and leave out examples whose data is not here."""
    items.sort(key=lambda item: item.path.name not in FIRST)
    if "MINIREL_DATA" not in os.environ:
        skip = pytest.mark.skip(reason="needs the data in the folder that MINIREL_DATA names")
        for item in items:
            is_example = isinstance(item, pytest.DoctestItem) and item.name.startswith("minirel.datasets")
            if is_example and item.name.rpartition(".")[2] not in AT_HAND:
                item.add_marker(skip)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser, or a skipped test where there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, headless=True)
        yield browser
        browser.close()
