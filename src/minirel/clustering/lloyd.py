"""Algorithm 1 of the paper: Lloyd's algorithm with a fair assignment as its first half."""

from minirel.clustering.ending import Clustering, ended, reason, stopped
from minirel.clustering.history import History
from minirel.clustering.objectives import Matrix
from minirel.clustering.steps import Steps


def lloyd(steps: Steps, centers: Matrix, history: History) -> Clustering:
    """Alternate between the fair assignment to the centers and the centers of the assignment.

    The labels of one iteration are a known answer to the next, so the cost never rises. Where they stay, or
    the centers hardly move, single moves follow; what these lead to is proven by one more assignment.
    """
    rules, weight = steps.rules, steps.request.weight
    costs = steps.costs(centers)
    start, known = steps.choose_holders(costs)
    for _ in range(rules.max_iter):
        fair = steps.assign(costs, known)  # line 4 of Algorithm 1
        new = steps.centers(fair, centers)  # lines 6 to 8
        shift = float(((new - centers) ** 2).sum())
        better = steps.single_moves(fair, new, shift)  # the neighbourhood of Theorem 2.2
        settled = fair.stays and better is None
        stop = reason(rules.deadline, otherwise="converged")
        cost, bound, rounding = map(weight, (fair.cost, fair.answer.lower_bound, fair.rounding))
        history.record(cost, bound, shift, fair.answer.n_scans, rounding)
        if settled:
            return ended(centers, fair.problem, fair.answer, rules.gap, fair.rounding, stop, start)
        known, centers = (fair.known(), new) if better is None else better
        costs = steps.costs(centers)
        if rules.deadline.passed():
            break
    return stopped(steps, centers, costs, known, start)
