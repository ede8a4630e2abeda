"""What tests of assignments share."""

import pytest

from minirel import InfeasibleFairnessError
from minirel.assignment import request, solve
from minirel.assignment.holders import choice


@pytest.fixture
def unexplained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse without a reason, which takes ten times as long to find as that there is one.

    For tests of what is refused, where others look at the reasons for the same or the like.
    """
    for module in (request, solve, choice):
        monkeypatch.setattr(module, "explain_infeasible", lambda *_: InfeasibleFairnessError("impossible"))
