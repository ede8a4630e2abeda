"""Every way to place a few points, against all clusterings."""

import numpy as np
import pytest

from every_clustering import Case, random_case
from minirel.points.weights import read_weights
from minirel.promises.feasibility.count_model import CountProblem, keeps
from minirel.promises.feasibility.exhaustive import TooMany, cheapest_placing
from minirel.promises.feasibility.point_types import read_types
from minirel.solvers.limits import Deadline


def question_of(case: Case, cost) -> CountProblem:
    fairness, beta = case.fairness, np.array(case.fairness.beta)
    return CountProblem(
        read_types(case.groups, case.weights),
        fairness,
        cost,
        beta,
        beta,
        fairness.allowed,
        np.zeros(fairness.allowed.shape, dtype=bool),
    )


def fine(case: Case, rng: np.random.Generator) -> Case:
    """The same with weights of many digits, for which products do not fit into 64 bits."""
    weights = read_weights(rng.random(case.groups.n_points), case.groups.n_points)
    return case.weighing(weights)


@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("priced", [False, True])
def test_the_cheapest_holders_of_all(block, priced):
    outcomes = set()
    for seed in range(7000 + 40 * block, 7000 + 40 * (block + 1)):
        rng = np.random.default_rng(seed)
        case = random_case(seed) if seed % 2 else fine(random_case(seed), rng)
        cost = rng.normal(size=case.fairness.allowed.shape) * priced
        problem, least = question_of(case, cost), case.least_cost(cost)
        placing = cheapest_placing(problem)
        outcomes.add(placing is None)
        assert (placing is None) == (least is None), seed
        if placing is not None:
            assert keeps(problem, placing.holders, placing.table)
            assert placing.holders.sum(axis=1).tolist() == list(case.fairness.beta)
            assert cost[placing.holders].sum() == pytest.approx(least, abs=1e-9)
    assert outcomes == {True, False}


def test_too_many(monkeypatch):
    case = random_case(7001)
    problem = question_of(case, np.zeros(case.fairness.allowed.shape))
    monkeypatch.setattr("minirel.promises.feasibility.exhaustive._MOST_NUMBERS", 1)
    with pytest.raises(TooMany):
        cheapest_placing(problem)
    monkeypatch.setattr("minirel.promises.feasibility.exhaustive._MOST_POINTS", 1)
    with pytest.raises(TooMany):
        cheapest_placing(problem)


def test_the_time_is_up():
    case = random_case(7001)
    problem = question_of(case, np.zeros(case.fairness.allowed.shape))
    with pytest.raises(TooMany):
        cheapest_placing(problem, Deadline(0))
