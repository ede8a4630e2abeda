"""The choice of holders before the assignment, the paper's pre-fix: by cost, or as given by the user."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.utils import check_random_state

from minirel.assignment.costs import Costs, cheapest_clusters
from minirel.assignment.holders.costs import PREFIX_COSTS, Snapshot, read_strategy
from minirel.assignment.holders.search import search_holders
from minirel.assignment.problem import Problem
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.weights import Weights
from minirel.points.workers import SERIAL, Workers
from minirel.promises.fairness import Fairness, Prefix, read_cluster
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.diagnosis import explain_infeasible

_SAMPLE = 200_000  # points from which the search for holders starts


def choose_holders(
    strategy: str,
    costs: Costs,
    groups: Groups,
    weights: Weights,
    fairness: Fairness,
    program: CountProgram,
    random_state: int | np.random.RandomState | None = None,
    labels: NDArray[np.integer] | None = None,
    required: Prefix = (),
    workers: Workers = SERIAL,
) -> Prefix | None:
    """Choose the holders, which clusters represent which groups (section 3.2 of the paper).

    Parameters
    ----------
    strategy : str
        The cost of a holder, by its name in `PREFIX_COSTS`, or "assignment": the holders of least local cost,
        improved by a search for those whose fair assignment costs least.
    costs : array of shape (n_points, n_clusters)
        Cost of each point, per weight, in each cluster.
    groups, weights, fairness : Groups, Weights, Fairness
        The points and what is asked.
    program : CountProgram
        The count program of these three, which rules out what no clustering can keep. It takes the place of
        the paper's cap floor(1 / alpha), which is wrong for groups that overlap or have different shares.
    random_state : int, RandomState or None
        Random numbers for strategies that need them.
    labels : array of shape (n_points,), optional
        The current clusters; each point in its nearest one if not given.
    required : Prefix
        Holders to include.
    workers : Workers
        Threads for passes over many points.

    Returns
    -------
    Prefix or None
        ``beta[g]`` clusters of each group g, the cheapest that some clustering can keep. Where that is not
        proven, points that can be divided would keep them. Any that can be kept if the cheapest are out of
        reach; None if the program finds none and proves nothing.

    Raises
    ------
    InfeasibleFairnessError
        If it is proven that no clustering keeps as many.
    """
    labels = cheapest_clusters(costs, workers)[0] if labels is None else labels
    cost = PREFIX_COSTS["local_cost" if strategy == "assignment" else read_strategy(strategy)]
    now = Snapshot(costs, labels, groups, weights, fairness)
    if strategy == "assignment":  # a search goes on from there, so an estimate will do
        now = now.sampled(_SAMPLE)
    price = cost(now, check_random_state(random_state))
    choice = program.choose(price, required=required)
    if choice.impossible:
        raise explain_infeasible(program, required)
    holders = choice.holders
    is_puzzle = weights.units is not None or groups.counts is not None  # of which little can be proven
    if not choice.proven and (holders is None or not is_puzzle):
        holders = _surer_holders(holders, price, fairness, program, required)
    if strategy != "assignment" or holders is None:
        return holders
    problem = Problem(costs, groups, weights, fairness, None, workers)
    return search_holders(problem, holders, required, program).holders


def _surer_holders(
    cheapest: Prefix | None,
    price: NDArray[np.float64],
    fairness: Fairness,
    program: CountProgram,
    required: Prefix,
) -> Prefix | None:
    """Holders that are proven to be kept, in place of the cheapest, which are not; these if none are proven.

    Without cheapest, any that are found will do. Where clusters are alike, it does not matter which of them
    has which holders, so each goes to where its holders cost least.
    """
    choice = program.choose(required=required)
    found = choice.holders
    if found is None or (cheapest is not None and not choice.possible):
        return cheapest
    held = np.zeros(price.shape)
    held[tuple(np.array(found).T)] = 1.0
    most = float(np.abs(price[np.isfinite(price)]).sum())
    _, cluster = linear_sum_assignment(held.T @ np.clip(price, -most, most))
    cheaper = tuple(sorted((g, int(cluster[k])) for g, k in found))
    is_asked = set(required) <= set(cheaper) and all(fairness.allowed[pair] for pair in cheaper)
    return cheaper if is_asked and program.keeping(cheaper).possible else found


def read_prefix(
    prefix: object, groups: Groups, n_clusters: int, allowed: NDArray[np.bool_] | None = None
) -> Prefix:
    """Validate a user's list of (group name, cluster) pairs; duplicates count once."""
    rule = "must be a list of (group, cluster) pairs"
    if isinstance(prefix, str) or not isinstance(prefix, Iterable):
        found = f"is {prefix!r} of type {type(prefix).__name__}"
        raise ParameterTypeError("prefix", rule, prefix, found=found)
    holders = set()
    for pair in prefix:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise ParameterTypeError("prefix", rule, prefix, found=f"holds {pair!r}")
        g, k = groups.index(pair[0], "prefix"), read_cluster(pair[1], "prefix", n_clusters)
        if allowed is not None and not allowed[g, k]:
            where = ", ".join(map(str, np.flatnonzero(allowed[g])))
            raise ParameterValueError(
                "prefix",
                "must be made of pairs that are allowed",
                prefix,
                "use one of these, or allow this one",
                obvious=True,
                found=f"asks for {tuple(pair)!r}, but allowed leaves group {pair[0]!r} only the clusters "
                f"[{where}]",
            )
        holders.add((g, k))
    return tuple(sorted(holders))
