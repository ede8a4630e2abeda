"""Points that cannot be read to their end are refused."""

from pathlib import Path

import numpy as np
import pytest

from minirel import MiniReL

N = 20_000  # three blocks


def test_a_file_that_has_become_shorter(tmp_path: Path) -> None:
    path = tmp_path / "points"
    X = np.memmap(path, np.float32, "w+", shape=(N, 2))
    X[:] = np.random.default_rng(0).normal(size=X.shape)
    X.flush()
    mapped = np.memmap(path, np.float32, "r", shape=(N, 2))
    with path.open("r+b") as file:
        file.truncate(8 * N - 8)
    with pytest.raises(ValueError, match=r"needs 160,000 bytes of .*points, which has 159,992"):
        MiniReL(3).fit(mapped)


def test_nan_in_the_last_block() -> None:
    X = np.random.default_rng(0).normal(size=(N, 2))
    X[-1, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        MiniReL(3).fit(X)
