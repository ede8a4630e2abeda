"""What tests share: the cores, their order, and a real browser for pages."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from joblib import cpu_count

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


def pytest_configure(config: pytest.Config) -> None:
    """Say what the marks of these tests mean."""
    config.addinivalue_line(
        "markers", "some(n): n of its sets of parameters, so that each value occurs; all in `make fuzz`"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many tests wait for a process or a page."""
    return cpu_count() + 1


def spread(tests: list[Any], n: int) -> list[Any]:
    """Of the tests of one function, `n` in which as many values of its parameters occur as can."""
    kept: list[Any] = []
    seen: set[tuple[str, int]] = set()
    while len(kept) < min(n, len(tests)):
        left = [test for test in tests if test not in kept]
        best = max(left, key=lambda test: len(test.callspec.indices.items() - seen))
        kept.append(best)
        seen |= best.callspec.indices.items()
    return kept


def repetitions(items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests that are left to `make fuzz`."""
    alike: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("some"):
            alike.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out = {test for tests in alike.values() for test in tests}
    for tests in alike.values():
        left_out -= set(spread(tests, tests[0].get_closest_marker("some").args[0]))
    return left_out


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put those first that take long; leave out repetitions, and examples whose data is not here."""
    if "MINIREL_FUZZ" not in os.environ and (left_out := repetitions(items)):
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: item.path.name not in FIRST)
    if "MINIREL_DATA" not in os.environ:
        skip = pytest.mark.skip(reason="needs the data in the folder that MINIREL_DATA names")
        for item in items:
            is_example = isinstance(item, pytest.DoctestItem) and item.name.startswith("minirel.datasets")
            if is_example and item.name.rpartition(".")[2] not in AT_HAND:
                item.add_marker(skip)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser, or a skipped test where there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, headless=True)
        yield browser
        browser.close()
