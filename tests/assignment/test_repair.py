"""Repair: labels that keep every row, and that no single move betters."""

from itertools import product

import numpy as np
import pytest

from minirel.assignment import repair as repairs
from minirel.assignment.repair import repair
from minirel.solvers.limits import NO_DEADLINE, Deadline, Effort
from priced import priced


@pytest.mark.parametrize("kind", ["plain", "ties", "weights"])
def test_repaired_labels_keep_every_row_and_no_single_move_is_better(kind: str) -> None:
    n_repaired = 0
    for seed in range(20):
        at = priced(seed, 80, kind)
        given = at.rows, at.best.prices, at.working_set, at.scan, at.temperatures.lowest
        labels = repair(*given, Effort(10**9, parts=1), NO_DEADLINE)
        if labels is None:
            continue
        n_repaired += 1
        assert at.is_fair(labels)
        cost = at.cost(labels)
        assert cost >= at.best.bound - 1e-9
        for i, k in product(range(80), range(3)):
            moved = labels.copy()
            moved[i] = k
            if at.is_fair(moved):
                assert at.cost(moved) >= cost - 1e-9
    assert n_repaired >= 15


@pytest.mark.parametrize("kind", ["plain", "ties"])
def test_a_repair_looks_at_the_clock_all_the_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From prices of zero, where a time limit may leave it, a repair takes many steps."""
    monkeypatch.setattr(repairs, "_TIES_PER_CHECK", 1)
    at = priced(0, 80, kind)
    nothing = np.zeros(len(at.rows))
    scan = at.working_set.scan(at.rows.offsets(nothing, 3))
    given = at.rows, nothing, at.working_set, scan, at.temperatures.lowest
    n_steps, n_left, slack_cost = [0], [0], repairs._slack_cost

    def counted(*args: object) -> object:
        n_steps[0] += 1
        return slack_cost(*args)  # type: ignore[arg-type]

    class Clock(Deadline):
        def passed(self) -> bool:
            n_left[0] -= 1
            return n_left[0] < 0

    monkeypatch.setattr(repairs, "_slack_cost", counted)
    assert repair(*given, Effort(10**9, parts=1), NO_DEADLINE) is not None
    n_needed = n_steps[0]
    assert n_needed > 3 * 5
    for n_looks in (0, 1, 3):
        n_steps[0], n_left[0] = 0, n_looks
        assert repair(*given, Effort(10**9, parts=1), Clock(None)) is None
        assert n_steps[0] <= 3 * n_looks


def test_a_repair_spends_no_more_than_a_part_of_the_effort() -> None:
    at = priced(0, 80, "plain")
    nothing = np.zeros(len(at.rows))
    scan = at.working_set.scan(at.rows.offsets(nothing, 3))
    given = at.rows, nothing, at.working_set, scan, at.temperatures.lowest
    effort = Effort(10**9, parts=1)
    assert repair(*given, effort, NO_DEADLINE) is not None
    needed = 10**9 - effort.left
    enough, too_little = Effort(2 * needed, parts=2), Effort(needed, parts=2)
    assert repair(*given, enough, NO_DEADLINE) is not None
    assert repair(*given, too_little, NO_DEADLINE) is None
    step = 80 * 3
    assert needed / 2 - step <= too_little.left <= needed / 2
