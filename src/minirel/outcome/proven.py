"""What is proven of an answer, in words: how far the search came, and what its bound covers."""

from minirel.assignment.solve import Assignment
from minirel.outcome.result import Result

# Each status in a sentence.
STATUSES = {
    "optimal": "nothing cheaper exists within what the proof covers.",
    "within gap": "as close to the cheapest as was asked for, within what the proof covers.",
    "within rounding": "cost and bound are as close as double precision can tell, which is not as close as "
    "was asked for; all promises are kept.",
    "effort limit": "the search spent the effort that it is allowed before it had proven the gap asked for; "
    "all promises are kept, and the gap is the one proven so far.",
    "time limit": "stopped by the clock; all promises are kept, and more time may lower the cost.",
    "iteration limit": "stopped after the rounds allowed; all promises are kept, and more may lower it.",
    "heuristic": "a heuristic connected the clusters; all promises are kept. The bound asks for no connected "
    "clusters, so it holds for them as well, and the gap has what it costs to connect them in it.",
}


_ON_REQUEST = "stopped on request; all promises are kept, and more time may lower the cost."


def says(status: str, stop: str) -> str:
    """A status in a sentence; "time limit" is also that of a fit that a callback ended."""
    return _ON_REQUEST if (status, stop) == ("time limit", "callback") else STATUSES[status]


def covers(proof: Assignment | Result) -> str:
    """Say what the bound of an assignment or a fit is about; it never speaks of other centers.

    Examples
    --------
    >>> from minirel import fair_assignment
    >>> from minirel.outcome.proven import covers
    >>> costs, sex = [[1, 2], [3, 1], [2, 2]], ["F", "M", "F"]
    >>> covers(fair_assignment(costs, sex, alpha=0.5, prefix=[("F", 0)]))
    'these centers and these holders'
    >>> covers(fair_assignment(costs, sex, alpha=0.5, beta=1))
    'these centers, whoever holds which cluster'
    """
    if proof.covers == "free":
        return "these centers, whoever holds which cluster"
    return "these centers and these holders" if proof.prefix else "these centers"
