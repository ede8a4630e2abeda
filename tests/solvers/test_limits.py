"""Limits on work: a deadline and the moments after it."""

from minirel.solvers.limits import GRACE, Deadline


def test_the_moments_after_a_deadline_begin_once() -> None:
    deadline = Deadline(0.0)
    grace = deadline.grace()
    left = grace.left()
    assert left is not None
    assert left <= GRACE
    grace.cut()
    assert deadline.grace() is grace
    assert deadline.grace().passed()
    assert not Deadline(0.0).grace().passed()
