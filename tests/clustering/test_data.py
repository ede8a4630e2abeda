"""Points that cannot be read to their end are refused."""

from pathlib import Path

import numpy as np
import pytest

from minirel import MiniReL, fair_assignment

N = 20_000  # three blocks


def test_a_file_that_has_become_shorter(tmp_path: Path) -> None:
    path = tmp_path / "points"
    X = np.random.default_rng(0).random((N, 2), dtype=np.float32)
    X.tofile(path)
    mapped = np.memmap(path, np.float32, "r", shape=(N, 2))
    with path.open("r+b") as file:
        file.truncate(8 * N - 8)
    refused = pytest.raises(ValueError, match=r"needs 160,000 bytes of .*points, which has 159,992")
    # A view says where the whole begins, and a plain array of one says nothing: both are read from the file.
    for points in (mapped, mapped[10:], np.asarray(mapped), np.asarray(mapped[10:])[::-1]):
        with refused:
            MiniReL(3).fit(points)
    with refused:
        MiniReL(3).fit(X, sample_weight=mapped[:, 1])
    for groups in (mapped.view(np.int32)[:, 1], {"sex": np.asarray(mapped)[:, 1]}):
        with refused:
            MiniReL(3).fit(X, sensitive_features=groups)
    with refused:
        fair_assignment(mapped, None, alpha=0.5)
    assert len(MiniReL(3).fit(mapped[:100]).labels_) == 100  # which are there


def test_nan_in_the_last_block() -> None:
    X = np.random.default_rng(0).normal(size=(N, 2))
    X[-1, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        MiniReL(3).fit(X)
