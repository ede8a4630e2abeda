"""Following a fit, and ending it."""

import pickle
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from minirel import MiniReL, ParameterError
from minirel.clustering.callbacks import Callbacks, print_record
from minirel.clustering.history import Iteration
from minirel.report import fit_report
from minirel.solvers.limits import Deadline

X, SPECIES = load_iris(return_X_y=True)
RECORD = Iteration(iteration=3, cost=12.5, bound=12.0, gap=0.04, shift=1e-3, scans=7, seconds={"costs": 0.25})


def model(**parameters: Any) -> MiniReL:
    return MiniReL(6, beta="statistical_parity", init="random", random_state=1).set_params(**parameters)


def fitted(**parameters: Any) -> MiniReL:
    return model(**parameters).fit(X, sensitive_features=SPECIES)


def test_it_is_called_with_every_record_as_it_is_made() -> None:
    seen: list[Iteration] = []
    followed = fitted(callback=seen.append)
    assert len(seen) == followed.n_iter_ > 2
    assert all(told is kept for told, kept in zip(seen, followed.history_, strict=True))
    assert all((record.run, record.n_runs) == (1, 1) for record in seen)
    elapsed = [record.elapsed for record in seen]
    assert elapsed == sorted(elapsed)
    assert elapsed[-1] >= sum(sum(record.seconds.values()) for record in seen)
    # Nobody following, nothing changes.
    alone = fitted()
    np.testing.assert_array_equal(alone.labels_, followed.labels_)
    assert [record.cost for record in alone.history_] == [record.cost for record in seen]


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_calls_of_runs_side_by_side_come_one_at_a_time(n_jobs: int | None) -> None:
    seen: list[Iteration] = []
    busy = threading.Lock()

    def follow(record: Iteration) -> None:
        assert busy.acquire(blocking=False), "called while another call was under way"
        time.sleep(0.002)
        seen.append(record)
        busy.release()

    followed = fitted(callback=follow, n_init=3, n_jobs=n_jobs)
    assert {record.run for record in seen} == {1, 2, 3}
    assert {record.n_runs for record in seen} == {3}
    for run in range(1, 4):
        of_run = [record.iteration for record in seen if record.run == run]
        assert of_run == list(range(1, len(of_run) + 1))
    kept = followed.history_[0].run
    assert followed.history_ == [record for record in seen if record.run == kept]
    last = {record.run: record.cost for record in seen}
    assert last[kept] == min(last.values())


@pytest.mark.parametrize("yes", [True, np.True_])
def test_true_ends_the_fit(yes: object) -> None:
    whole = fitted()
    with pytest.warns(ConvergenceWarning, match="^stopped by callback before .* lower the cost$"):
        ended = fitted(callback=lambda record: yes if record.iteration == 2 else None)
    assert ended.stop_ == "callback"
    assert ended.n_iter_ == 2 < whole.n_iter_
    assert ended.audit_.satisfied
    assert ended.inertia_ <= ended.history_[-1].cost
    assert ended.lower_bound_ <= ended.inertia_
    assert (ended.status_ == "time limit") == (ended.gap_ > 1e-4)
    assert [r.cost for r in ended.history_] == [r.cost for r in whole.history_[:2]]


def test_a_fit_that_it_ended_is_not_said_to_be_stopped_by_the_clock() -> None:
    with pytest.warns(ConvergenceWarning, match="^stopped by callback"):
        ended = fitted(callback=lambda record: True)
    assert (ended.status_, ended.stop_) == ("time limit", "callback")
    page = fit_report(ended, title="Ended")
    assert "time limit: stopped on request; all promises are kept" in page
    assert "Not exactly: a callback stopped it" in page
    assert "the clock" not in page


@pytest.mark.parametrize("answer", [False, None, 1, "yes", [True], np.ones(3)])
def test_anything_but_true_does_nothing(answer: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted(callback=lambda record: answer).stop_ == "converged"


def test_true_at_the_last_iteration_is_no_early_end() -> None:
    last = fitted().n_iter_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted(callback=lambda record: record.iteration == last).stop_ == "converged"


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_true_ends_all_runs_and_is_asked_for_once(n_jobs: int | None) -> None:
    seen: list[Iteration] = []

    def follow(record: Iteration) -> bool:
        seen.append(record)
        return len(seen) == 3

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ended = fitted(callback=follow, n_init=200, n_jobs=n_jobs)
    assert len(seen) == 3
    assert ended.audit_.satisfied
    assert ended.history_[0].run <= 3


def test_a_run_that_found_nothing_in_time_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from minirel.clustering import restarts
    from minirel.points.errors import NothingFoundError

    lloyd = restarts.lloyd

    def second_finds_nothing(steps: Any, centers: Any, history: Any) -> Any:
        if history.run == 2:
            steps.rules.deadline.cut()
            raise NothingFoundError("no labels were found")
        return lloyd(steps, centers, history)

    monkeypatch.setattr(restarts, "lloyd", second_finds_nothing)
    assert fitted(n_init=4).history_[0].run == 1
    # Without a limit, finding nothing is an error, and so it is if nothing else was found.
    for limit in (None, 1e-9):

        def finds_nothing(steps: Any, centers: Any, history: Any) -> Any:
            raise NothingFoundError("no labels were found")

        monkeypatch.setattr(restarts, "lloyd", finds_nothing)
        with pytest.raises(NothingFoundError, match="no labels were found"):
            fitted(n_init=3, time_limit=limit)


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_its_errors_reach_the_user(n_jobs: int | None) -> None:
    calls: list[Iteration] = []

    def fails(record: Iteration) -> None:
        calls.append(record)
        if record.iteration == 2:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fitted(callback=fails, n_init=4, n_jobs=n_jobs)
    assert sum(record.iteration == 2 for record in calls) == 1


@pytest.mark.parametrize("callback", [3, "print", True])
def test_what_cannot_be_called_is_refused(callback: object) -> None:
    with pytest.raises(TypeError, match=r"callback must be a function .*, or None, but is") as caught:
        fitted(callback=callback)
    assert isinstance(caught.value, ParameterError)
    assert (caught.value.parameter, caught.value.value) == ("callback", callback)


def test_it_is_a_parameter_like_others(capsys: pytest.CaptureFixture[str]) -> None:
    following = model(callback=print)
    assert following.get_params()["callback"] is print
    assert clone(following).callback is print
    assert "callback=<built-in function print>" in repr(following)
    again = pickle.loads(pickle.dumps(following.fit(X, sensitive_features=SPECIES)))
    assert again.callback is print
    assert again.history_ == following.history_
    assert capsys.readouterr().out.splitlines() == [str(record) for record in following.history_]


def test_verbose_and_a_callback_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Iteration] = []
    fitted(verbose=1, callback=seen.append)
    assert capsys.readouterr().out.splitlines() == [str(record) for record in seen]


def test_the_printer_names_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    print_record(RECORD)
    print_record(Iteration(**{**RECORD, "run": 2, "n_runs": 3}))  # type: ignore[arg-type]
    assert capsys.readouterr().out == f"{RECORD}\nstart 2  {RECORD}\n"


def test_nobody_is_told_after_the_end() -> None:
    deadline, told = Deadline(None), []
    tell = Callbacks([told.append, lambda record: True], deadline)
    tell(RECORD)
    tell(RECORD)
    assert told == [RECORD]
    assert deadline.was_cut
    assert deadline.passed()
    assert deadline.left() == 0


@pytest.mark.parametrize("n_init", [1, 3])
def test_a_stop_iteration_is_raised_as_it_is(n_init: int) -> None:
    def ended(record: Iteration) -> None:
        next(iter([]))

    with pytest.raises(StopIteration):
        fitted(callback=ended, n_init=n_init)
