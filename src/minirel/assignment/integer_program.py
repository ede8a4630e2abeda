"""The paper's integer program for the fair assignment problem, unchanged."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csr_array, vstack

from minirel.assignment.problem import Answer, End, Problem
from minirel.points.errors import NothingFoundError
from minirel.points.messages import Message, Parameter
from minirel.promises.fairness import Prefix
from minirel.promises.rows import RowList, cluster_rows, holder_rows
from minirel.solvers import MIP_SOLVERS, LinearModel, Solution
from minirel.solvers.limits import Deadline

# Added to the right-hand sides where a solution within the solver's tolerance of 1e-9 violates a row.
_MARGIN = 1e-8


@dataclass(frozen=True, eq=False)
class _Program:
    """Equations (1) to (6): `model` divides the cost by `scale`; its columns are z, then one y per pair.

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
    node_limit: int | None = None,
) -> Answer | None:
    """Solve the integer program with `solver` to within the relative `gap`; None if it is infeasible.

    Where the choice of holders is part of the problem, it must include `required`.

    Raises
    ------
    NothingFoundError
        If a limit comes before the solver holds any assignment.
    """
    program = _program(problem, problem.prefix, required=required)
    solution = _run(program, solver, gap, deadline, node_limit)
    if solution.x is None:
        return None
    # Tolerances are relative to the largest cost, which may be far above the others.
    bound_error = 2 * solution.tolerance * float(np.abs(program.model.cost).max())
    bound = program.scale * (solution.bound - bound_error)
    finished = solution.outcome == "optimal"
    labels, pairs = _read(problem, program, solution.x)

    # A big M times a y that is integral only within tolerance can hide a violated promise, and so can a row
    # of very different weights. So the labels are counted in integers; if a promise is violated, solve again
    # for these holders as hard constraints, then with a margin. The bound stays that of the first program, a
    # relaxation of these.
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
        solution = _run(program, solver, gap, deadline, node_limit)
        if solution.x is not None:
            finished = finished and solution.outcome == "optimal"
            labels, _ = _read(problem, program, solution.x)
    cost = problem.cost(labels)
    end: End = "done" if finished else "time limit" if deadline.passed() else "effort limit"
    return Answer(labels, min(bound, cost), _as_prefix(pairs), None, end)


def _program(
    problem: Problem, prefix: Prefix | None, *, required: Prefix = (), margin: float = 0.0
) -> _Program:
    """Build the program: pairs with a y, 1 for those of `required`, or `prefix` to hold by `margin`."""
    fairness, n, n_clusters = problem.fairness, problem.n_points, problem.n_clusters
    units = problem.units
    # An empty cluster, where there may be one, keeps its rows with nothing to spare.
    margin = margin if all(fairness.min_units) else 0.0
    # A power of two, so that dividing by it loses nothing and the largest weight is about 1.
    unit = _power_of_two(int(units.max()))
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

    once = _rows(np.arange(n_z).reshape(n, n_clusters), np.ones((n, n_clusters)), n_z)
    in_cluster = np.arange(n) * n_clusters + np.arange(n_clusters)[:, None]
    is_weighted, counts = problem.is_indivisible, problem.groups.counts
    # With small weights, a cluster of weight 0 is within the tolerance; one without points is not.
    filled = np.flatnonzero(fairness.min_units) if is_weighted else np.zeros(0, dtype=np.intp)
    some = _rows(in_cluster[filled], np.tile((units > 0) * 1.0, (len(filled), 1)), n_z)

    def promises(rows: RowList) -> tuple[csr_array, NDArray[np.float64], NDArray[np.float64]]:
        """The rows over z, their right-hand sides, and what both are divided by."""
        over = np.maximum(np.abs(rows.members), 1).astype(np.float64)
        table = problem.groups.signatures if counts is None else counts.members
        member = table[:, rows.group][problem.groups.signature].T if len(beta) else 0.0
        values = (rows.members / over)[:, None] * member
        if counts is None:
            values = (values + ((rows.total + rows.size) / over)[:, None]) * (units / unit)
            by = np.full(len(rows), unit)
        else:
            everybody = counts.total[problem.groups.signature]
            values = values + (rows.total / over)[:, None] * everybody + (rows.size / over)[:, None] * units
            by = np.where(rows.size != 0, unit, _power_of_two(int(everybody.max())))
            values = values / by[:, None]
        # Rows of integer coefficients are safe from the tolerance, shares and weights are not.
        at_risk = ((rows.total != 0) & (rows.members != 0)) | (by > 1)
        least = rows.least / (over * by) + margin * at_risk
        return _rows(in_cluster[rows.cluster], values, n_z), least, over * by

    always, least_always, _ = promises(cluster_rows(fairness))
    of_holders = holder_rows(fairness, _as_prefix(pairs))
    held, least_held, scale = promises(of_holders)
    blocks: list[list[csr_array | None]] = [[vstack([once, some, always], format="csr")], [held]]
    row_lower = [np.ones(n), np.ones(len(filled)), least_always, least_held]
    row_upper = [np.ones(n), np.full(len(filled) + len(least_always) + len(least_held), math.inf)]
    if prefix is None:
        # Equation (3): the row of a pair that is not chosen is relaxed by the most it can lack, the paper's
        # big M.
        largest = (np.array(most)[of_holders.cluster] for most in (fairness.max_totals, fairness.max_units))
        most = of_holders.worst(*largest).astype(np.float64) / scale
        column = {pair: place for place, pair in enumerate(_as_prefix(pairs))}
        chosen = [column[g, k] for g, k in zip(of_holders.group, of_holders.cluster, strict=True)]
        relaxed = csr_array((-most, (np.arange(len(most)), chosen)), shape=(len(most), n_choices))
        row_lower[-1] = least_held - most
        choices = [(pairs[:, 0] == groups[:, None])]
        row_lower.append(beta[groups].astype(np.float64))
        row_upper.append(np.full(len(groups), math.inf))
        if fairness.exclusive:
            choices.append(pairs[:, 1] == np.arange(n_clusters)[:, None])
            row_lower.append(np.full(n_clusters, -math.inf))
            row_upper.append(np.ones(n_clusters))
        counted = csr_array(np.vstack(choices).astype(np.float64))
        blocks = [[blocks[0][0], None], [held, relaxed], [None, counted]]

    cost = (problem.costs[:] * units[:, None]).astype(np.float64).ravel()
    cost_scale = _power_of_two(np.abs(cost).mean())
    n_columns = n_z + n_choices
    model = LinearModel(
        cost=np.concatenate([cost / cost_scale, np.zeros(n_choices)]),
        lower=np.concatenate([np.zeros(n_z), y_lower]),
        upper=np.ones(n_columns),
        integer=np.ones(n_columns, dtype=np.bool_),
        matrix=csr_array(block_array(blocks, format="csr")),
        row_lower=np.concatenate(row_lower),
        row_upper=np.concatenate(row_upper),
    )
    return _Program(model, cost_scale, pairs, n_choices)


def _run(program: _Program, solver: str, gap: float, deadline: Deadline, node_limit: int | None) -> Solution:
    solution = MIP_SOLVERS[solver](
        program.model, relative_gap=gap, time_limit=deadline.left(), node_limit=node_limit
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
    """The labels and the holders of a solution."""
    n_z = problem.n_points * problem.n_clusters
    labels = np.argmax(x[:n_z].reshape(problem.n_points, -1), axis=1)
    return labels, program.pairs[x[n_z:] > 0.5] if program.n_choices else program.pairs


def _holds(problem: Problem, labels: NDArray[np.intp], pairs: NDArray[np.intp]) -> bool:
    """Whether the labels keep every promise with these holders, counted in integers."""
    rows = cluster_rows(problem.fairness) + holder_rows(problem.fairness, _as_prefix(pairs))
    return bool((rows.slack(*problem.tally(labels)) >= 0).all())


def _rows(columns: NDArray[np.intp], values: NDArray[np.float64], n_columns: int) -> csr_array:
    """Sparse rows with the same number of entries each; zero coefficients are dropped."""
    starts = np.arange(len(columns) + 1) * columns.shape[1]
    # Copied, because dropping entries happens in place.
    rows = csr_array((values.flatten(), columns.flatten(), starts), shape=(len(columns), n_columns))
    rows.eliminate_zeros()
    return rows


def _power_of_two(value: float) -> float:
    return 2.0 ** math.floor(math.log2(value)) if value > 0 else 1.0


def _as_prefix(pairs: NDArray[np.intp]) -> Prefix:
    return tuple((int(g), int(k)) for g, k in pairs)
