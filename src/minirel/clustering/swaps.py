"""Swaps: one center at a time is moved elsewhere, and what is cheaper after a few fair iterations is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.certificate import price_bound
from minirel.assignment.costs import Costs, Part, over_blocks, own_costs
from minirel.assignment.holders.search import SampledValues, search_holders
from minirel.assignment.problem import Answer
from minirel.clustering.cost_table import cost_table
from minirel.clustering.descend import is_cheaper
from minirel.clustering.history import History
from minirel.clustering.objectives import Matrix, dense
from minirel.clustering.steps import Previous, Steps
from minirel.promises.fairness import Prefix
from minirel.promises.prices import Prices

# Places for a center that are compared, and most fair iterations of a swap.
_N_PLACES, _MAX_ITERATIONS = 6, 12
# A swap is given up when it is further from the best cost than so many times what its last iteration gained.
_PATIENCE = 3.0
# Relative to the cost: iterations at prices end when they gain less.
_SETTLED = 1e-3


@dataclass(frozen=True, eq=False)
class State:
    """A clustering: centers, the cost of each point at each of them, and the assignment to them.

    `holders` are None if they are free; `cost` is over units.
    """

    centers: Matrix
    costs: Costs
    holders: Prefix | None
    answer: Answer
    cost: float

    @property
    def previous(self) -> Previous:
        """What the next assignment starts from."""
        return Previous(self.holders, self.answer, self.cost)


def search(
    steps: Steps, state: State, n_swaps: int, history: History, others: Sequence[Matrix] = ()
) -> State | None:
    """The cheapest clustering after `n_swaps` swaps; None if none of them is cheaper than `state`.

    In each, a center goes to a point drawn by its cost, to one of the group whose promises cost most, or to
    one of the centers of `others`, clusterings found from other starts, in turn.
    """
    first = state
    for number in range(1, n_swaps + 1):
        if steps.rules.deadline.passed():
            break
        centers, costs = _moved(steps, state, number, others)
        trial = _improved(steps, centers, costs, state)
        if trial is not None:
            state = trial
        cost, bound = map(steps.request.weight, (state.cost, state.answer.lower_bound))
        shift = float(((centers - state.centers) ** 2).sum()) if trial is not None else 0.0
        history.record(cost, bound, shift, state.answer.n_scans, swap=number, paid=trial is not None)
    return None if state is first else state


def _moved(steps: Steps, state: State, number: int, others: Sequence[Matrix]) -> tuple[Matrix, Costs]:
    """The centers with one of them elsewhere, and the costs there.

    Of some places and all centers, the pair is taken that saves most while all other points stay.
    """
    with steps.clock.phase("swap"):
        places = _places(steps, state, number, others)
        workers = steps.rules.workers
        at_places = cost_table(steps.objective, places, workers)
        each = state.answer.labels, steps.request.weights.units
        changes = sum(over_blocks(_changes, (state.costs, at_places), each, workers=workers))
        place, cluster = divmod(int(np.argmin(changes)), len(state.centers))
        centers = state.centers.copy()
        centers[cluster] = places[place]
        if isinstance(state.costs, np.ndarray) and isinstance(at_places, np.ndarray):
            costs = state.costs.copy()
            costs[:, cluster] = at_places[:, place]
            return centers, costs
    return centers, steps.costs(centers)


def _changes(
    part: Part, at_places: Part, labels: NDArray[np.intp], units: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """What it changes for the points of a block to move each center to each place."""
    costs, rows, weight = (
        part.table().astype(np.float64),
        np.arange(len(labels)),
        1 if units is None else units,
    )
    n_clusters = costs.shape[1]
    own = costs[rows, labels]
    costs[rows, labels] = np.inf
    second = costs.min(axis=1) if n_clusters > 1 else own
    by_place = at_places.table().T
    changes = np.empty((len(by_place), n_clusters))
    for place, cost in enumerate(by_place):
        with_place = np.minimum(own, cost)
        without_own = weight * (np.minimum(second, cost) - with_place)
        changes[place] = np.bincount(labels, without_own, n_clusters)
        changes[place] += (weight * (with_place - own)).sum()
    return changes


def _places(steps: Steps, state: State, number: int, others: Sequence[Matrix]) -> Matrix:
    """Where a center might go: some points, or the centers of another clustering."""
    answer, request = state.answer, steps.request
    kind = number % (3 if others else 2)
    if kind == 2:
        return others[steps.random.randint(len(others))]
    n = len(answer.labels)
    own = own_costs(state.costs, answer.labels, steps.rules.workers).astype(np.float64)
    cost = request.weights.times(own)
    if kind == 1 and answer.prices is not None:
        paid = answer.prices.groups.sum(axis=1)
        if paid.any():
            cost = cost * request.groups.shares(int(paid.argmax()))
    total = np.cumsum(cost)
    drawn = np.searchsorted(total, steps.random.random_sample(_N_PLACES) * total[-1], side="right")
    return dense(steps.X[np.unique(np.minimum(drawn, n - 1))])


def _improved(steps: Steps, centers: Matrix, costs: Costs, best: State) -> State | None:
    """The clustering after fair iterations from these centers; None if it is not cheaper than the best."""
    previous = Previous(best.holders)
    if best.holders is not None:
        with steps.clock.phase("swap"):
            relaxed = settle(steps, centers, costs, best.holders, best.answer.prices, best.cost)
        if relaxed is None:
            return None
        centers, costs, previous = relaxed.centers, relaxed.costs, Previous(relaxed.holders)
    cost_before = np.inf
    for _ in range(_MAX_ITERATIONS):
        fair = steps.assign(costs, previous)
        gained, cost_before = cost_before - fair.cost, fair.cost
        if fair.is_unchanged or steps.rules.deadline.passed() or fair.cost - best.cost > _PATIENCE * gained:
            break
        centers = steps.centers(fair, centers)
        previous, costs = fair.as_previous(), steps.costs(centers)
    answer = previous.answer
    if answer is None:
        return None
    problem = steps.request.problem(costs, previous.holders, steps.rules.workers)
    known = steps.request.problem(best.costs, best.holders)
    if not is_cheaper(problem, answer.labels, known, best.answer.labels):
        return None
    # Its own bound is of the centers before these.
    answer = replace(answer, lower_bound=price_bound(problem, answer.prefix, answer.prices))
    return State(centers, costs, previous.holders, answer, problem.cost(answer.labels))


@dataclass(frozen=True, eq=False)
class Relaxed:
    """Centers after iterations that keep promises only nearly, and what keeping them costs at least."""

    centers: Matrix
    costs: Costs
    holders: Prefix
    bound: float


def settle(
    steps: Steps,
    centers: Matrix,
    costs: Costs,
    holders: Prefix,
    prices: Prices | None = None,
    cost: float = np.inf,
) -> Relaxed | None:
    """Iterate with the prices of a sample, from these centers and holders.

    None if the lower bound of the prices shows that nothing cheaper than `cost` is to be gained.
    """
    request, rules = steps.request, steps.rules
    like, bound_before = None, np.inf
    for iteration in range(_MAX_ITERATIONS):
        problem = request.problem(costs, None, rules.workers)
        values = like = SampledValues(problem, like)
        if iteration == 0 and request.strategy == "assignment":
            choice = search_holders(problem, holders, request.required, request.program, prices, values)
        else:
            choice = values.of(holders, prices, request.program.deadline)
        holders, prices = choice.holders, choice.prices
        bound, labels = values.relaxed(choice)
        gained, bound_before = bound_before - bound, bound
        if bound - cost > _PATIENCE * gained:
            return None
        has_settled = bound < cost and gained < _SETTLED * min(cost, abs(bound))
        weight = np.bincount(labels, request.weights.values, len(centers))
        if has_settled or (weight <= 0).any():  # a cluster without weight has no center
            break
        centers = steps.objective.centers(labels, len(centers))
        costs = cost_table(steps.objective, centers, rules.workers)
    return Relaxed(centers, costs, holders, bound)
