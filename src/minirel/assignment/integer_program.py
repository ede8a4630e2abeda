"""The paper's integer program for the fair assignment problem, as it stands."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csr_array, diags_array, vstack

from minirel.assignment.problem import Answer, End, Problem
from minirel.points.errors import NothingFoundError
from minirel.points.messages import Message, Parameter
from minirel.promises.exact import tightest
from minirel.promises.fairness import Prefix
from minirel.solvers import SOLVERS, LinearModel, Solution
from minirel.solvers.limits import Deadline

# What a row must hold by, where a solver's tolerance of 1e-9 has let one pass that does not hold.
_MARGIN = 1e-8
# Of a solution's cost: from where on it matters what a solver's tolerance may hide.
_MUCH = 1e-6


@dataclass(frozen=True, eq=False)
class _Program:
    """Equations (1) to (6): `model` divides the cost by `scale`; its columns are z, then a y for each pair.

    `pairs` are the (group, cluster) pairs that have a row (3); `n_choices` of them, all or none, have a y.
    """

    model: LinearModel
    scale: float
    pairs: NDArray[np.intp]
    n_choices: int


def solve(
    problem: Problem,
    *,
    solver: str,
    gap: float,
    deadline: Deadline,
    required: Prefix = (),
    most_nodes: int | None = None,
) -> Answer | None:
    """Solve the integer program with `solver` to within the relative `gap`; None if it is infeasible.

    Where the choice of pairs is part of the problem, those of `required` must be among the chosen.

    Raises
    ------
    NothingFoundError
        If a limit comes before the solver holds any assignment.
    """
    program = _program(problem, problem.prefix, required=required)
    solution = _run(program, solver, gap, deadline, most_nodes)
    if solution.x is None:
        return None
    # Costs far above the others are what tolerances are relative to.
    doubt = 2 * solution.tolerance * float(np.abs(program.model.cost).max())
    if doubt <= _MUCH * abs(solution.objective):
        doubt = solution.tolerance
    bound = program.scale * (solution.bound - doubt)
    finished = solution.outcome == "optimal"
    labels, pairs = _read(problem, program, solution.x)

    # A big M times a y that is whole only within tolerance can hide a broken promise, and so can a row of
    # widely spread weights. Labels are integers: count, and where they fall short make the promises hard,
    # with a margin if need be. The bound stays that of the first program, which allows more.
    margins = iter((0.0, _MARGIN))
    while not _holds(problem, labels, pairs):
        margin = next(margins, None)
        if margin is None:
            raise NothingFoundError(
                Message(
                    Parameter("solver", value=solver),
                    " found no assignment that keeps every promise exactly: its tolerance is too coarse for "
                    'these weights and this alpha: use solver="certified"',
                )
            )
        program = _program(problem, _as_prefix(pairs), margin=margin)
        solution = _run(program, solver, gap, deadline, most_nodes)
        if solution.x is not None:
            finished = finished and solution.outcome == "optimal"
            labels, _ = _read(problem, program, solution.x)
    cost = _cost(problem, labels)
    end: End = "done" if finished else "time limit" if deadline.passed() else "effort limit"
    return Answer(labels, min(bound, cost), _as_prefix(pairs), None, end)


def _program(
    problem: Problem, prefix: Prefix | None, *, required: Prefix = (), margin: float = 0.0
) -> _Program:
    """Build the program: pairs with a y, 1 for those of `required`, or `prefix` to hold by `margin`."""
    fairness, n, n_clusters = problem.fairness, problem.n_points, problem.n_clusters
    units = _units(problem)
    # An empty cluster, where there may be one, keeps its rows with nothing to spare.
    margin = margin if fairness.min_units else 0.0
    # A power of two, so that dividing by it loses nothing and the largest weight is about 1.
    unit = _power_of_two(units.max())
    weight = units / unit
    n_z = n * n_clusters  # z[i, k] is column i * n_clusters + k

    beta = np.array(fairness.beta, dtype=np.intp)
    if prefix is None:
        is_required = np.zeros(fairness.allowed.shape, dtype=np.bool_)
        is_required[tuple(np.array(required, dtype=np.intp).reshape(-1, 2).T)] = True
        # A group that asks for nothing has nothing to track.
        pairs = np.argwhere(fairness.allowed & (beta > 0)[:, None] | is_required)
        y_lower = is_required[tuple(pairs.T)].astype(np.float64)
        groups = np.flatnonzero(beta)
    else:
        pairs = np.array(sorted(set(prefix)), dtype=np.intp).reshape(-1, 2)
        y_lower, groups = np.zeros(0), np.zeros(0, dtype=np.intp)
    n_choices = len(y_lower)
    alpha = np.array([float(tightest(share, fairness.max_units)) for share in fairness.alpha])[pairs[:, 0]]

    once = _rows(np.arange(n_z).reshape(n, n_clusters), np.ones((n, n_clusters)), n_z)
    in_cluster = np.arange(n) * n_clusters + np.arange(n_clusters)[:, None]
    size = _rows(in_cluster, np.broadcast_to(weight, in_cluster.shape), n_z)
    plain = [once, size]
    is_weighted = problem.weights.units is not None
    if is_weighted:
        # That a cluster weighs something can drown in tolerances; that it holds a point of weight cannot.
        plain.append(_rows(in_cluster, np.broadcast_to((units > 0) * 1.0, in_cluster.shape), n_z))
    member = problem.groups.membership.T[pairs[:, 0]]
    share = _rows(in_cluster[pairs[:, 1]], (member - alpha[:, None]) * weight, n_z)
    size_margin = margin if unit > 1 else 0.0  # numbers of points are safe from tolerances
    least_size = np.full(n_clusters, fairness.min_units / unit + size_margin)
    has_most = fairness.max_units < units.sum()
    most_size = np.full(n_clusters, fairness.max_units / unit - size_margin if has_most else math.inf)

    if prefix is None:
        most = alpha * (fairness.max_units / unit)  # the big M: alpha * n, or alpha * u if sizes end at u
        big_m, least_share = diags_array(-most, format="csr"), -most
        claims = csr_array((pairs[:, 0] == groups[:, None]).astype(np.float64))
        matrix = block_array([[vstack(plain), None], [share, big_m], [None, claims]], format="csr")
    else:
        matrix, least_share = vstack([*plain, share], format="csr"), np.full(len(pairs), margin)

    some = np.full(n_clusters if is_weighted else 0, float(min(1, fairness.min_units)))
    cost = (problem.costs * units[:, None]).astype(np.float64).ravel()
    scale = _power_of_two(np.abs(cost).mean())
    n_columns = n_z + n_choices
    model = LinearModel(
        cost=np.concatenate([cost / scale, np.zeros(n_choices)]),
        lower=np.concatenate([np.zeros(n_z), y_lower]),
        upper=np.ones(n_columns),
        integer=np.ones(n_columns, dtype=np.bool_),
        matrix=matrix,
        row_lower=np.concatenate([np.ones(n), least_size, some, least_share, beta[groups]]),
        row_upper=np.concatenate(
            [np.ones(n), most_size, np.full(len(some) + len(pairs) + len(groups), math.inf)]
        ),
    )
    return _Program(model, scale, pairs, n_choices)


def _run(program: _Program, solver: str, gap: float, deadline: Deadline, most_nodes: int | None) -> Solution:
    solution = SOLVERS[solver](
        program.model, relative_gap=gap, time_limit=deadline.left(), most_nodes=most_nodes
    )
    if solution.x is None and solution.outcome != "infeasible":
        raise NothingFoundError(
            Message(
                Parameter("time_limit"),
                " passed before ",
                Parameter("solver", value=solver),
                f" found any fair assignment for its {program.model.cost.size:,} variables: raise ",
                Parameter("time_limit"),
                ', or use solver="certified"',
            )
        )
    return solution


def _read(
    problem: Problem, program: _Program, x: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the labels, and the pairs that the solution claims to represent."""
    n_z = problem.n_points * problem.n_clusters
    labels = np.argmax(x[:n_z].reshape(problem.n_points, -1), axis=1)
    return labels, program.pairs[x[n_z:] > 0.5] if program.n_choices else program.pairs


def _holds(problem: Problem, labels: NDArray[np.intp], pairs: NDArray[np.intp]) -> bool:
    """Whether the labels keep all sizes and represent `pairs`, counted in integers."""
    fairness, units, n_clusters = problem.fairness, _units(problem), problem.n_clusters
    # Sums of units stay below 2**53, so the floats of bincount are exact.
    sizes = [int(size) for size in np.bincount(labels, units, n_clusters)]
    if not all(fairness.min_units <= size <= fairness.max_units for size in sizes):
        return False
    for g in np.unique(pairs[:, 0]):
        member = problem.groups.membership[:, g]
        counts = [int(count) for count in np.bincount(labels[member], units[member], n_clusters)]
        if not all(counts[k] >= fairness.alpha[g] * sizes[k] for k in pairs[pairs[:, 0] == g, 1]):
            return False
    return True


def _rows(columns: NDArray[np.intp], values: NDArray[np.float64], n_columns: int) -> csr_array:
    """Sparse rows with as many entries each; coefficients of zero, as of weightless points, are left out."""
    starts = np.arange(len(columns) + 1) * columns.shape[1]
    # Copied, because dropping entries happens in place.
    rows = csr_array((values.flatten(), columns.flatten(), starts), shape=(len(columns), n_columns))
    rows.eliminate_zeros()
    return rows


def _units(problem: Problem) -> NDArray[np.int64]:
    units = problem.weights.units
    return np.ones(problem.n_points, dtype=np.int64) if units is None else units


def _cost(problem: Problem, labels: NDArray[np.intp]) -> float:
    costs = problem.costs[np.arange(problem.n_points), labels].astype(np.float64)
    return float(_units(problem) @ costs)


def _power_of_two(value: float) -> float:
    return 2.0 ** math.floor(math.log2(value)) if value > 0 else 1.0


def _as_prefix(pairs: NDArray[np.intp]) -> Prefix:
    return tuple((int(g), int(k)) for g, k in pairs)
