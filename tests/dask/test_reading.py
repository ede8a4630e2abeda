"""Dask arrays and frames of all kinds: read as the same data in memory is, or refused with reasons."""

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from scipy.sparse import csr_array

import minirel
from minirel.dask import MiniReL, audit
from minirel.dask.cluster import Cluster
from minirel.dask.groups import read_dask_groups
from minirel.points.groups import read_groups

N = 300
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 2)) + 3 * rng.integers(0, 3, size=(N, 1))
sex = np.where(rng.random(N) < 0.3, "F", "M")

COLUMNS: dict[str, Any] = {
    "strings": sex,
    "whole numbers": rng.integers(-2, 3, N),
    "floats with a missing value": np.where(np.arange(N) == 250, np.nan, rng.integers(0, 3, N)),
    "booleans": rng.random(N) < 0.5,
    "objects that do not compare": np.array(
        [None if i == 299 else "x" if i > 150 else i % 2 for i in range(N)], object
    ),
    "a table of strings": np.column_stack([sex, rng.choice(["p", "q"], N)]),
    "membership": rng.random((N, 3)) < 0.4,
    "0 and 1": np.eye(2, dtype=np.int64)[rng.integers(0, 2, N)],
    "a single column": sex[:, None],
}


@pytest.mark.parametrize("missing", ["group", "none"])
@pytest.mark.parametrize("name", COLUMNS)
def test_groups_are_those_of_the_data_in_memory(name: str, missing: str, threads: Client) -> None:
    values = COLUMNS[name]
    chunks = ((200, 0, 99, 1), *values.shape[1:])
    ours, parts = read_dask_groups(da.from_array(values, chunks=chunks), N, missing, Cluster(threads))
    theirs = read_groups(values, missing=missing)
    assert ours.names == theirs.names
    np.testing.assert_array_equal(ours.signature, theirs.signature)
    np.testing.assert_array_equal(ours.signatures, theirs.signatures)
    np.testing.assert_array_equal(np.concatenate(threads.gather(parts.parts)), theirs.signature)


def test_frames_with_unknown_lengths_and_empty_parts(threads: Client) -> None:
    frame = pd.DataFrame(X, columns=["x", "y"], index=rng.random(N)).assign(
        sex=sex, weight=rng.integers(1, 4, N)
    )
    frame["sex"] = frame["sex"].astype("category")
    parts = dd.from_pandas(frame, npartitions=5, sort=False)
    parts = parts[parts.x > -0.5].repartition(npartitions=3)
    parts = dd.concat([parts.loc[parts.x > 100], parts])  # the first parts are empty
    kept = frame[frame.x > -0.5]
    model = MiniReL(4, beta={"F": 2}, gap=0.01, random_state=0)
    model.fit(parts[["x", "y"]], sensitive_features=parts["sex"], sample_weight=parts["weight"])
    local = minirel.MiniReL(4, beta={"F": 2}, gap=0.01, random_state=0)
    local.fit(kept[["x", "y"]], sensitive_features=kept["sex"], sample_weight=kept["weight"])
    np.testing.assert_array_equal(model.labels_.compute(), local.labels_)
    assert model.feature_names_in_.tolist() == ["x", "y"]
    np.testing.assert_array_equal(model.predict(parts[["x", "y"]]).compute(), local.predict(kept[["x", "y"]]))
    ours = audit(model.labels_, parts["sex"], beta={"F": 2}, sample_weight=parts["weight"])
    assert str(ours) == str(local.audit_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(parts[["x", "weight"]])
    unknown = da.from_array(X, chunks=70)
    unknown = unknown[unknown[:, 0] > 0]  # chunks of unknown length
    of_array = MiniReL(3, random_state=0).fit(unknown)
    in_memory = minirel.MiniReL(3, random_state=0).fit(X[X[:, 0] > 0])
    np.testing.assert_array_equal(of_array.labels_.compute(), in_memory.labels_)


def test_numbers_of_members_are_counted_as_those_in_memory(threads: Client) -> None:
    precincts = pd.DataFrame({"members": rng.integers(0, 200, N) / 4, "all": rng.integers(50, 100, N)})
    labels = rng.integers(0, 4, N)
    asked: Any = {"alpha": 0.25, "beta": 2, "total": "all"}
    ours = audit(da.from_array(labels, chunks=77), dd.from_pandas(precincts, npartitions=3), **asked)
    theirs = minirel.audit(labels, precincts, **asked)
    assert ours.groups == ("members",)
    np.testing.assert_array_equal(ours.counts, theirs.counts)
    assert str(ours) == str(theirs)
    with pytest.raises(ValueError, match="has 299 rows for 300 points"):
        audit(chunked(labels), chunked(precincts.to_numpy()[:-1]), alpha=0.25, beta=2, total=1)


def chunked(values: Any) -> Any:
    return da.from_array(np.asarray(values), chunks=128)


def holed(row: int) -> np.ndarray:
    values = X.copy()
    values[row, 1] = np.nan
    return values


POINTS, SEX = chunked(X), chunked(sex)
sparse = chunked(X).map_blocks(csr_array)
holes = chunked(np.where(np.arange(N) % 100 == 0, None, sex.astype(object)))

REFUSED: dict[str, tuple[Any, dict[str, Any], dict[str, Any], str]] = {
    "points in memory": (X, {}, {}, "X must be a Dask array, series or frame, but is a ndarray"),
    "groups in memory": (POINTS, {}, {"sensitive_features": sex}, "sensitive_features must be a Dask array"),
    "medians": (POINTS, {"objective": "k-medians"}, {}, "objective must be 'k-means' on a cluster"),
    "integer program": (POINTS, {"solver": "highs"}, {}, "solver must be 'certified' on a cluster"),
    "total": (POINTS, {"total": "all"}, {}, "total must be None on a cluster"),
    "together": (POINTS, {}, {"together": SEX}, "together must be None on a cluster"),
    "neighbours": (POINTS, {}, {"neighbours": [(0, 1)]}, "neighbours must be None on a cluster"),
    "connect": (POINTS, {"connect": True}, {}, "connect must be False on a cluster"),
    "sparse": (sparse, {}, {}, "X must hold numbers, in dense arrays or frames, but is sparse"),
    "text": (chunked(np.full((9, 2), "a")), {}, {}, "X must hold numbers, .* could not convert"),
    "NaN in the last row": (chunked(holed(N - 1)), {}, {}, "X must be finite, but row 299 holds NaN"),
    "one dimension": (SEX, {}, {}, "X must have 2 dimensions, but has 1"),
    "no points": (chunked(X[:0]), {}, {}, "X must hold some points"),
    "fewer groups": (POINTS, {}, {"sensitive_features": SEX[:-1]}, "has 299 rows for 300 points"),
    "missing groups": (
        POINTS,
        {},
        {"sensitive_features": holes},
        "missing values, 3 in the column, of 300 points",
    ),
    "fewer weights": (POINTS, {}, {"sample_weight": chunked(np.ones(9))}, "sample_weight .* 9 rows for 300"),
    "negative weight": (
        POINTS,
        {},
        {"sample_weight": chunked(-np.ones(N))},
        "sample_weight must be at least 0",
    ),
    "another parameter": (POINTS, {"alpha": 2}, {"sensitive_features": SEX}, "alpha must be a share"),
    "no client": (POINTS, {"client": "tcp://"}, {}, "client must be a distributed.Client"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, threads: Client) -> None:
    points, options, given, told = REFUSED[name]
    with pytest.raises((ValueError, TypeError), match=told):
        MiniReL(3, **options).fit(points, **given)


def test_without_a_client() -> None:
    with pytest.raises(ValueError, match="there is no current one: connect first"):
        MiniReL(3).fit(POINTS)
