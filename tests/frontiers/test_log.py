"""The file of a frontier: it goes on from any prefix of itself, and refuses what is not its own."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from minirel import Frontier, frontier
from minirel.frontiers.work import Progress
from thorough import often

X, SPECIES = (values[::2] for values in load_iris(return_X_y=True))
ASKED: dict[str, Any] = {
    "n_clusters": [3, 4],
    "alpha": 0.75,
    "beta": [{1: 1}, 1],
    "random_state": 0,
}
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def made(path: Path | None = None, **options: Any) -> tuple[Frontier, list[Progress]]:
    told: list[Progress] = []
    return frontier(X, SPECIES, **{**ASKED, **options}, resume=path, callback=told.append), told


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return made()[0].to_frame()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "frontier.minirel"
    made(path)
    return path


def test_a_second_time_nothing_is_fitted(
    file: Path, whole: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = file.stat().st_size
    found, told = made(file)
    pd.testing.assert_frame_equal(found.to_frame(), whole)
    assert all(progress.left is None for progress in told)
    assert file.stat().st_size == size
    assert found.model(0).history_


def test_any_prefix_of_the_file_goes_on(file: Path, whole: pd.DataFrame, tmp_path: Path) -> None:
    content = file.read_bytes()
    cuts = [0, 3, 19, 25, *random.Random(0).sample(range(len(content)), 5), len(content) - 1]
    for cut in cuts:
        path = tmp_path / "cut"
        path.write_bytes(content[:cut])
        pd.testing.assert_frame_equal(made(path)[0].to_frame(), whole)
        if cut > 30:  # what a system that was switched off may have left
            path.write_bytes(content[:cut] + b"\0" * 40)
            pd.testing.assert_frame_equal(made(path)[0].to_frame(), whole)


def test_damage_in_the_middle_costs_what_follows_only(
    file: Path, whole: pd.DataFrame, tmp_path: Path
) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path = tmp_path / "damaged"
    path.write_bytes(content)
    pd.testing.assert_frame_equal(made(path)[0].to_frame(), whole)


def test_lists_can_be_extended(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "more"
    path.write_bytes(file.read_bytes())
    found, _ = made(path, beta=[*ASKED["beta"], {0: 1}])
    pd.testing.assert_frame_equal(found.to_frame(), made(beta=[*ASKED["beta"], {0: 1}])[0].to_frame())


def test_without_a_seed_the_file_has_one(tmp_path: Path) -> None:
    path = tmp_path / "seedless"
    first = made(path, random_state=None)[0].to_frame()
    pd.testing.assert_frame_equal(made(path, random_state=None)[0].to_frame(), first)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"random_state": 1}, "random_state"),
        ({"gap": 0.5}, "gap"),
        ({"n_swaps": 1}, "n_swaps"),
        ({"min_size": 2}, "min_size"),
        ({"sample_weight": np.arange(1, 76)}, "sample_weight"),
        ({"init": X[:3]}, "init"),
    ],
    ids=str,
)
def test_other_parameters_are_refused(file: Path, options: dict[str, Any], said: str) -> None:
    given = ASKED | ({"n_clusters": 3} if "init" in options else {}) | options
    before = file.read_bytes()
    with pytest.raises(ValueError, match=f"resume must be of the same data .* a different .*{said}"):
        frontier(X, SPECIES, **given, resume=file)
    assert file.read_bytes() == before


def test_other_data_is_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a different X: give it what it was begun with"):
        frontier(X + 1e-9, SPECIES, **ASKED, resume=file)
    with pytest.raises(ValueError, match="a different sensitive_features"):
        frontier(X, 2 - SPECIES, **ASKED, resume=file)
    other = tmp_path / "notes.txt"
    other.write_text("something else")
    with pytest.raises(ValueError, match="resume must be a file of a frontier"):
        made(other)
    assert other.read_text() == "something else"
    with pytest.raises(ValueError, match="is a folder"):
        made(tmp_path)
    with pytest.raises(TypeError, match="resume must be the name of a file"):
        frontier(X, SPECIES, **ASKED, resume=1)  # type: ignore[arg-type]


def test_a_file_in_use_is_refused(file: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with file.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="resume must not be in use"):
            made(file)


CODE = """
import sys
from sklearn.datasets import load_iris
from minirel import frontier
print("go", flush=True)
X, species = (values[::2] for values in load_iris(return_X_y=True))
frontier(X, species, n_clusters=[3, 4], alpha=0.75, beta=[{1: 1}, 1], random_state=0,
         resume=sys.argv[1])
print("done", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
def test_killed_at_random_moments(whole: pd.DataFrame, tmp_path: Path) -> None:
    """Killed again and again until it is through; the file is whole each time, and never loses a fit."""
    path = tmp_path / "killed"
    moments, size = random.Random(int(os.environ.get("MINIREL_SEED", 0))), 0
    for _ in range(often(1, 6)):
        process = subprocess.Popen([sys.executable, "-c", CODE, str(path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"go\n"
        start = time.monotonic()
        wait = moments.uniform(0.05, 1.5)
        while time.monotonic() - start < 30:  # until something is written, and a moment more
            if path.exists() and path.stat().st_size > size:
                time.sleep(wait / 10)
                break
            time.sleep(0.01)
        process.send_signal(KILL)
        process.communicate()
        size = path.stat().st_size if path.exists() else 0
    assert size > 0
    found, told = made(path)
    assert told[0].left is None, "the first fit was read"
    pd.testing.assert_frame_equal(found.to_frame(), whole)
