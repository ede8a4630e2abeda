"""The time left is that of the runs left, by what runs of their kind took."""

import pytest

from paper.clock import Clock
from paper.data import IRIS
from paper.experiment import Grid
from paper.tests.small import planned, small

TIMED = small("timed", grid=Grid((IRIS,), (4, 9), (0, 1, 2)))
UNTIMED = small("untimed", grid=Grid((IRIS,), (12,), (0, 1)), timed=False)


def test_unknown_before_the_first_run():
    assert Clock(planned(TIMED), 2).seconds_left() is None


def test_runs_of_a_kind_take_as_long_as_each_other():
    plan = planned(TIMED)
    clock = Clock(plan, 2)
    took = {4: 1.0, 9: 10.0}
    for run in plan.timed:
        if run.seed < 2:
            clock.done(run, {"seconds": took[run.n_clusters] + run.seed})
    # One seed of each of three methods is left: 1.5 and 10.5 seconds each, the mean of what was seen.
    assert clock.seconds_left() == pytest.approx(3 * 1.5 + 3 * 10.5)
    assert (clock.n_done, clock.n_runs) == (12, 18)


def test_kinds_not_seen_yet_take_as_long_as_all_others():
    plan = planned(TIMED)
    clock = Clock(plan, 2)
    first = plan.timed[0]
    clock.done(first, {"seconds": 4.0})
    assert clock.seconds_left() == pytest.approx(17 * 4.0)


def test_what_runs_side_by_side_takes_a_share_of_the_time():
    plan = planned(TIMED, UNTIMED)
    clock = Clock(plan, 4)
    for run in plan.timed:
        clock.done(run, {"seconds": 2.0})
    assert clock.seconds_left() == pytest.approx(len(plan.untimed) * 2.0 / 4)


def test_a_run_without_a_time_is_done_all_the_same():
    """It was read back from a table that has no times."""
    plan = planned(TIMED)
    clock = Clock(plan, 2)
    clock.done(plan.timed[0], {"cost": 1.0})
    assert (clock.n_done, clock.seconds_left()) == (1, None)
    clock.done(plan.timed[1], {"seconds": 4.0})
    assert clock.seconds_left() == pytest.approx(16 * 4.0)


def test_nothing_is_left_at_the_end():
    plan = planned(TIMED, UNTIMED)
    clock = Clock(plan, 2)
    for run in (*plan.timed, *plan.untimed):
        clock.done(run, {"seconds": 1.0})
    assert clock.seconds_left() == 0
    assert clock.n_done == clock.n_runs
