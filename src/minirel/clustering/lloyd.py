"""Algorithm 1 of the paper: Lloyd's algorithm with a fair assignment as its first half."""

from minirel.clustering.ending import Clustering, ended, stop_reason, stopped
from minirel.clustering.history import History
from minirel.clustering.objectives import Matrix
from minirel.clustering.steps import Previous, Steps
from minirel.clustering.trace import Nearest


def lloyd(
    steps: Steps, centers: Matrix, history: History, begun: tuple[Nearest, Previous] | None = None
) -> Clustering:
    """Alternate between the fair assignment to the centers and the centers of the assignment.

    The labels of one iteration are a feasible solution of the next, so the cost never rises. Where labels are
    unchanged, or centers hardly move, single moves follow. Where none is left, the labels are proven, or the
    proof finds cheaper ones. What has `begun` goes on from an assignment to these centers.
    """
    rules, weight = steps.rules, steps.request.weight
    costs = steps.costs(centers)
    start, previous = steps.choose_holders(costs) if begun is None else begun
    for _ in range(rules.max_iter):
        if previous.answer is not None and rules.deadline.passed():
            break
        fair = steps.assign(costs, previous)  # line 4 of Algorithm 1
        new = steps.centers(fair, centers)  # lines 6 to 8
        shift = float(((new - centers) ** 2).sum())
        better = steps.single_moves(fair, new, shift)  # the neighbourhood of Theorem 2.2
        if fair.is_unchanged and better is None:
            fair = steps.prove(fair)
            new = steps.centers(fair, centers)
        is_local_optimum = fair.is_unchanged and better is None
        stop = stop_reason(rules.deadline, otherwise="converged")
        cost, bound, rounding = map(weight, (fair.cost, fair.answer.lower_bound, fair.rounding))
        history.record(cost, bound, shift, fair.answer.n_scans, rounding)
        if is_local_optimum:
            return ended(centers, fair.problem, fair.answer, rules.gap, fair.rounding, stop, start)
        previous, centers = (fair.as_previous(), new) if better is None else better
        costs = steps.costs(centers)
    return stopped(steps, centers, costs, previous, start)
