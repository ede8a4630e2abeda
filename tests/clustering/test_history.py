"""The records of a fit."""

import time
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from sklearn.datasets import load_iris

from minirel import MiniReL
from minirel.clustering.clock import Clock
from minirel.clustering.history import History, Iteration

RECORD = Iteration(iteration=3, cost=12.5, bound=12.0, gap=0.04, shift=1e-3, scans=7, seconds={"costs": 0.25})


def test_a_record_reads_like_a_dict() -> None:
    names = [field.name for field in fields(Iteration)]
    assert RECORD.keys() == names
    assert [RECORD[name] for name in names] == [getattr(RECORD, name) for name in names]
    assert RECORD["cost"] == RECORD.cost == 12.5
    assert dict(RECORD) == {**RECORD}
    for missing in ("costs", "keys", "__class__"):
        with pytest.raises(KeyError, match=missing):
            RECORD[missing]


def test_a_record_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        RECORD.cost = 0.0  # type: ignore[misc]


def test_a_record_is_a_line() -> None:
    line = str(RECORD)
    assert "\n" not in line
    for text in ("iteration   3", "cost 12.5", "gap 4.0e-02", "shift 1.00e-03", "costs 0.250"):
        assert text in line


def test_records_are_numbered_and_measured() -> None:
    history = History()
    history.record(10.0, 8.0, 1.0, 3)
    history.record(9.0, 9.0, 0.5, 2)
    first, second = history.records
    assert (first.iteration, second.iteration) == (1, 2)
    assert (first.gap, second.gap) == (pytest.approx(0.2), 0.0)
    assert (first.scans, second.scans) == (3, 2)
    assert (first.shift, second.shift) == (1.0, 0.5)


def test_rounding_does_not_raise_the_cost() -> None:
    history = History()
    history.record(10.0, 10.0, 1.0, 1)
    history.record(10.0 * (1 + 1e-14), 10.0 * (1 + 1e-14), 0.0, 1, rounding=1e-12)
    assert history.records[1].cost == 10.0
    assert history.records[1].bound == 10.0
    # More than rounding would be a defect, and must not be hidden.
    history.record(10.1, 10.0, 0.0, 1, rounding=1e-12)
    assert history.records[2].cost == 10.1


def test_a_bound_is_at_most_the_cost() -> None:
    history = History()
    history.record(1.0, 1.0 + 1e-15, 0.0, 1)
    history.record(0.0, 0.0, 0.0, 1)
    for record in history.records:
        assert record.bound <= record.cost
        assert record.gap == 0.0


def test_a_record_tells_the_time_and_the_run() -> None:
    clock = Clock(time.perf_counter() - 100)
    history = History(clock, run=2, n_runs=5)
    with clock.phase("costs"):
        pass
    history.record(1.0, 1.0, 0.0, 0)
    history.record(1.0, 1.0, 0.0, 0)
    first, second = history.records
    assert (set(first.seconds), set(second.seconds)) == ({"costs"}, set())
    assert (first.run, first.n_runs) == (2, 5)
    assert 100 <= first.elapsed <= second.elapsed < 110


def test_records_are_passed_on_as_they_are_made() -> None:
    told: list[Iteration] = []
    history = History(notify=told.append)
    history.record(10.0, 8.0, 1.0, 3)
    assert len(told) == 1
    assert told[0] is history.records[0]


def test_histories_share_nothing() -> None:
    one, other = History(), History()
    one.record(1.0, 1.0, 0.0, 0)
    assert other.records == []


@pytest.mark.parametrize("prefix", ["local_cost", None])
def test_history_of_a_fit(prefix: str | None) -> None:
    X, species = load_iris(return_X_y=True)
    began = time.perf_counter()
    model = MiniReL(5, beta={0: 1, 1: 2, 2: 1}, init="random", prefix=prefix, random_state=0)
    model.fit(X, sensitive_features=species)
    took = time.perf_counter() - began
    history = model.history_
    assert len(history) == model.n_iter_ >= 2
    assert all(isinstance(record, Iteration) for record in history)
    assert [record["iteration"] for record in history] == list(range(1, len(history) + 1))
    costs = [record.cost for record in history]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == pytest.approx(model.inertia_)
    assert history[-1].bound == pytest.approx(model.lower_bound_)
    assert history[-1].shift == 0
    assert all(record.shift >= 0 for record in history)
    assert all(record.gap <= 1e-4 for record in history)
    phases = {"start", "costs", "prefix", "assignment", "centers", "moves"}
    assert set(history[0].seconds) == phases
    assert all(set(record.seconds) <= phases for record in history)
    spent = sum(sum(record.seconds.values()) for record in history)
    assert 0 < spent <= took
    # The first cost is that of the first fair assignment, to the first centers.
    assert history[0].cost > costs[-1]
    assert np.isfinite(costs).all()
