"""What to ask less of where no labels were found that keep all that is asked."""

from minirel.assignment.problem import Problem
from minirel.points.errors import NothingFoundError
from minirel.points.messages import Message, Parameter, joined


def nothing_found(problem: Problem, end: str) -> NothingFoundError:
    """The error for a search that its limit of this name, "time limit" or another, has ended."""
    told = "no labels were found that keep every promise, nor a proof that there are none, "
    ways_out, spent = easier(problem), Message("within the effort of the search")
    if end == "time limit":
        ways_out, spent = ["raise it", *ways_out], Message("before ", Parameter("time_limit"))
    return NothingFoundError(Message(told, spent, ": ", either(ways_out)))


def easier(problem: Problem) -> list[str]:
    """Ways to ask for less, of what is asked."""
    fairness = problem.fairness
    counts, is_named = any(fairness.beta), bool(problem.prefix)
    ways_out: list[str] = [
        Message(how, Parameter(name))
        for how, name, is_asked in (
            ("lower ", "min_size", any(units > 1 for units in fairness.min_units)),
            ("raise ", "max_size", any(units < fairness.total for units in fairness.max_units)),
            ("lower ", "min_share", any(fairness.min_share)),
            ("raise ", "max_share", any(share < 1 for share in fairness.max_share)),
            ("lower ", "alpha", counts or is_named),
            ("lower ", "beta", counts),
            ("drop pairs from ", "prefix", is_named and not counts),
            ("lower ", "min_members", any(fairness.min_members)),
            ("drop ", "exclusive", fairness.exclusive),
        )
        if is_asked
    ]
    if problem.is_indivisible:
        ways_out.append("divide the heaviest points")
    return ways_out or ["ask for less"]


def either(ways_out: list[str]) -> Message:
    """Several ways out, of which one may do."""
    *others, last = ways_out
    return Message(joined(", ", others), " or " if others else "", last)
