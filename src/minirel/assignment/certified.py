"""The certified solver of a pre-fixed problem: prices, then branch and bound until the gap is proven."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from minirel.assignment import dual
from minirel.assignment.branch_and_bound import BranchAndBound
from minirel.assignment.incumbent import Incumbent
from minirel.assignment.nothing_found import nothing_found
from minirel.assignment.problem import Answer, Problem
from minirel.assignment.rows import promised_rows
from minirel.assignment.scan import Scanner
from minirel.promises.fairness import Prefix
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline


def solve(
    problem: Problem,
    holders: Prefix,
    *,
    gap: float,
    deadline: Deadline,
    prices: Prices | None = None,
    incumbent: NDArray[np.integer] | None = None,
    cutoff: float = math.inf,
    fallback: Callable[[], NDArray[np.integer] | None] = lambda: None,
    needs_proof: bool = True,
) -> Answer | None:
    """The cheapest labels that represent all `holders`, to within `gap`; None if there are none.

    Parameters
    ----------
    problem : Problem
        The fair assignment problem; its own prefix is not read.
    holders : Prefix
        The (group, cluster) pairs to represent.
    gap : float
        The relative gap to prove.
    deadline : Deadline
        When to return what there is.
    prices : Prices, optional
        Prices of a similar problem to start from.
    incumbent : array of shape (n_points,), optional
        Labels that keep every promise. If they are proven to be within the gap, they are the answer.
    cutoff : float
        The search may end without labels once its lower bound exceeds this.
    fallback : function
        Returns labels that keep every promise, or None. Called if the search ends without any labels.
    needs_proof : bool
        Whether to spend the effort that proves the gap. If not, the search ends once it has labels within
        about 1%, or, with weights, any labels.

    Raises
    ------
    NothingFoundError
        If a limit came before any labels were found.
    """
    rows = promised_rows(problem, holders)
    scanner = Scanner(problem)
    start = dual.evaluate(rows, scanner, np.zeros(len(rows)) if prices is None else rows.from_prices(prices))
    temperatures = dual.temperature_range(start.reference.scan)
    dual_cutoff = cutoff  # a bound that proves the gap of the incumbent will do as well
    if incumbent is not None:
        known_cost = problem.cost(incumbent)
        dual_cutoff = min(cutoff, known_cost - gap * abs(known_cost))
    sampling: dual.Sampling = "first" if prices is None else "when far"
    if prices is not None and dual_cutoff - start.bound > abs(dual_cutoff):  # from too different a problem
        zero = dual.evaluate(rows, scanner, np.zeros(len(rows)))
        if zero.bound > start.bound:
            sampling, start = "first", zero
    root = dual.optimise(rows, start, temperatures, deadline, sampling=sampling, cutoff=dual_cutoff)
    best = Incumbent(problem, gap, dual.rounding_error(rows, root))
    search = BranchAndBound(problem, rows, root, best, temperatures, deadline, cutoff)
    if incumbent is not None:
        best.offer(incumbent)
    end = search.run(fallback, needs_proof)
    if best.labels is None and search.lower_bound < cutoff:
        raise nothing_found(problem, end)
    if best.labels is None:
        return None
    return Answer(
        labels=best.labels.astype(np.intp),
        lower_bound=min(search.lower_bound, best.cost),
        prefix=holders,
        prices=rows.as_prices(root.prices, problem.groups.n_groups, problem.n_clusters),
        end=end,
        n_scans=scanner.n_scans,
        n_visited=scanner.n_visited,
    )
