"""`fair_assignment`: the cheapest assignment of points to clusters that keeps every promise."""

import math
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from minirel.assignment import certified, claims, integer_program
from minirel.assignment.certificate import Certificate, certify
from minirel.assignment.problem import Answer, Deadline, Prices, Problem, Status
from minirel.counts import CountProgram
from minirel.diagnosis import explain_infeasible
from minirel.errors import InfeasibleFairnessError
from minirel.exact import Number, exact
from minirel.fairness import Prefix, read_fairness
from minirel.groups import read_groups
from minirel.prefix import choose_prefix, read_prefix
from minirel.weights import read_weights

# Of the costs: what integer programs in double precision cannot tell apart.
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Assignment:
    """A fair assignment and the proof of how good it is.

    Attributes
    ----------
    labels : ndarray of shape (n_points,)
        The cluster of each point.
    cost : float
        What the assignment costs.
    lower_bound : float
        What any assignment costs at least; `covers` says among which.
    gap : float
        ``(cost - lower_bound) / abs(cost)``: the cost is at most this share above the best.
    status : {"optimal", "within gap", "time limit"}
        Whether the gap is closed, is as small as was asked, or was cut short by the time limit.
    prefix : list of (group, cluster)
        The clusters that represent each group by intention; by chance there may be more.
    covers : {"prefix", "free"}
        Whether the bound holds for this choice of clusters only, or for every choice.
    prices : Prices or None
        What one more member would save, by group and cluster, in cost per unit of weight.
    certificate : Certificate
        Counts, shares and sizes, checked exactly from the labels.
    n_scans, n_looks : int
        Passes over all the points, and points looked at in all passes, partial ones included; 0 for the
        paper's integer program.
    """

    labels: NDArray[np.intp]
    cost: float
    lower_bound: float
    gap: float
    status: Status
    prefix: list[tuple[Hashable, int]]
    covers: Literal["prefix", "free"]
    prices: Prices | None
    certificate: Certificate
    n_scans: int
    n_looks: int


def fair_assignment(
    costs: ArrayLike,
    sensitive_features: object,
    *,
    alpha: Number | Mapping[Hashable, Number],
    beta: int | str | Mapping[Hashable, int] | None = None,
    prefix: str | Iterable[tuple[Hashable, int]] | None = None,
    allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None = None,
    min_size: float = 1,
    max_size: float | None = None,
    sample_weight: ArrayLike | None = None,
    gap: float = 1e-4,
    time_limit: float | None = None,
    solver: str = "certified",
    missing: str = "error",
) -> Assignment:
    """Assign points to clusters at the least cost such that every group is represented where promised.

    A cluster represents a group when at least a share `alpha` of its members belong to the group. Every group
    is to be represented in at least `beta` clusters, or just where `prefix` says.

    Parameters
    ----------
    costs : array-like of shape (n_points, n_clusters)
        Cost of putting each point into each cluster, such as squared distances to centers.
    sensitive_features : array-like, Series or frame of n_points rows, or None
        A column makes a group of each of its values, named by the value. Several columns make groups of each
        column's values, named ``"column=value"``, which overlap. Several boolean columns are membership: each
        is a group, named by the column, or 0, 1, ... for an array.
    alpha : float or mapping of group to float
        The share, above 0 and at most 1. It is taken as the decimal it is written as: 0.51 is 51/100.
    beta : int, mapping of group to int, or {"statistical_parity", "equality_of_opportunity"}, optional
        Number of clusters in which each group is to be represented; 0 for groups left out of a mapping.
    prefix : list of (group, cluster), or the name of a pre-fix cost, optional
        Which clusters represent which groups: given by you, or chosen beforehand by "local_cost",
        "weighted_proportion", "proportion" or at "random". None leaves the choice to the program: at least
        as good, and slower.
    allowed : array-like of bool of shape (n_groups, n_clusters), optional
        Which clusters may represent which group in counting to `beta`; all of them if None.
    min_size, max_size : float, optional
        Smallest and largest weight of a cluster: its number of points if there are no weights.
    sample_weight : array-like of shape (n_points,), optional
        What each point counts in the cost, the shares and the sizes. Points are never divided.
    gap : float, default=1e-4
        Stop when the cost is proven to be within this share of the best; 0 asks for the optimum itself.
    time_limit : float, optional
        Seconds after which the best assignment found is returned with the gap proven so far, and a warning.
    solver : {"certified", "highs", "gurobi"}, default="certified"
        "certified" works with prices and scales to millions of points. The others give the paper's integer
        program to that solver as it stands.
    missing : {"error", "group", "none"}, default="error"
        Points with a missing group: an error, a group of their own, or in no group.

    Returns
    -------
    Assignment
        Labels, cost, lower bound, gap, status, and a certificate.

    Raises
    ------
    InfeasibleFairnessError
        If no assignment keeps all that is asked, with the conflict and the nearest request that can be met.

    Examples
    --------
    All three women are nearest to the first cluster, and the second is to be half women too:

    >>> from minirel import fair_assignment
    >>> costs = [[0, 5], [1, 4], [1, 3], [4, 0], [5, 1]]
    >>> sex = ["F", "F", "F", "M", "M"]
    >>> result = fair_assignment(costs, sex, alpha=0.5, beta={"F": 2})
    >>> result.labels
    array([0, 1, 1, 1, 1])
    >>> result.cost, result.status
    (8.0, 'optimal')
    """
    table = _read_costs(costs)
    n, n_clusters = table.shape
    if not isinstance(solver, str) or solver not in _SOLVERS:
        known = ", ".join(map(repr, _SOLVERS))
        raise ValueError(f"solver must be one of {known}, but is {solver!r}")
    within = float(exact(gap, "gap", "a number of at least 0"))
    if within < 0:
        raise ValueError(f"gap must be a number of at least 0, but is {gap!r}: use 0 for the optimum")
    seconds = None if time_limit is None else float(exact(time_limit, "time_limit", "a number above 0"))
    if seconds is not None and seconds <= 0:
        raise ValueError(f"time_limit must be a number above 0, but is {time_limit!r}: use None for no limit")
    groups = read_groups(sensitive_features, n_points=n, missing=missing)
    weights = read_weights(sample_weight, n)
    if beta is None and prefix is None and groups.n_groups:
        raise ValueError(
            "beta or prefix must say what is asked, but both are None: give each group a number of clusters "
            "by beta, list the (group, cluster) pairs in prefix, or ask for nothing by beta=0"
        )
    explicit: Prefix = ()
    if prefix is not None and not isinstance(prefix, str):
        explicit = read_prefix(prefix, groups, n_clusters)
    fairness = read_fairness(
        groups,
        weights,
        n_clusters,
        alpha=alpha,
        beta=beta,
        allowed=allowed,
        min_size=min_size,
        max_size=max_size,
        asked={g for g, _ in explicit},
    )
    if explicit:
        read_prefix(prefix, groups, n_clusters, fairness.allowed)
    if isinstance(prefix, str) and beta is None:
        raise ValueError(f"prefix={prefix!r} chooses clusters for beta, but beta is None: give beta as well")

    deadline = Deadline(seconds)
    program = CountProgram(groups, weights, fairness)
    try:
        if isinstance(prefix, str):
            explicit = choose_prefix(prefix, table, groups, weights, fairness, program)
        elif program.choose(required=explicit) is None:
            raise explain_infeasible(program, explicit)
    except InfeasibleFairnessError:
        # Very fine weights are beyond the count program's tolerance: the search over points decides.
        if program.exact:
            raise
    claimed = np.bincount(np.array([g for g, _ in explicit], dtype=np.intp), minlength=groups.n_groups)
    is_fixed = bool((claimed >= np.array(fairness.beta, dtype=np.intp)).all())
    problem = Problem(table, groups, weights, fairness, explicit if is_fixed else None)

    answer = _SOLVERS[solver](problem, explicit, program, within, deadline)
    if answer is None and program.exact:
        raise RuntimeError(
            "no assignment found, although counts prove that there is one: a defect of minirel"
        )
    if answer is None:
        raise InfeasibleFairnessError(
            "no assignment of undivided points keeps what is asked, although one that divides them might: "
            "lower beta or alpha, widen min_size and max_size, or split the heaviest points"
        )
    if not set(explicit) <= set(answer.prefix):
        raise RuntimeError("the solver left out a pair of prefix: a defect of minirel")
    return _certified(problem, answer, within, "prefix" if is_fixed else "free")


def _certified(problem: Problem, answer: Answer, gap: float, covers: Literal["prefix", "free"]) -> Assignment:
    """The answer as a result, after its proof."""
    certificate = certify(problem, answer.labels, answer.prefix, answer.prices)
    cost = certificate.cost
    unit = float(problem.weights.unit)
    bound = min(cost, answer.lower_bound * unit)
    tolerance = _TOLERANCE * certified.magnitude(problem, answer.labels) * unit
    status: Status
    if cost - bound <= tolerance:
        bound, status = cost, "optimal"
    elif cost - bound <= gap * abs(cost) * (1 + 1e-9):
        status = "within gap"
    elif not answer.finished:
        status = "time limit"
    else:
        raise RuntimeError(
            f"no proof of gap={gap:g}: the best cost is {cost}, the bound {bound}. With sample_weight of "
            "many magnitudes the integer program's tolerance can be too coarse: raise gap, or round weights"
        )
    proven = 0.0 if bound == cost else (cost - bound) / abs(cost) if cost else math.inf
    if status == "time limit":
        warnings.warn(
            f"time_limit passed with a proven gap of {proven:.2g}, more than gap={gap:g}: the assignment "
            "keeps every promise, but a cheaper one may exist",
            ConvergenceWarning,
            stacklevel=3,
        )
    names = problem.fairness.names
    return Assignment(
        labels=answer.labels,
        cost=cost,
        lower_bound=bound,
        gap=proven,
        status=status,
        prefix=[(names[g], k) for g, k in answer.prefix],
        covers=covers,
        prices=answer.prices,
        certificate=certificate,
        n_scans=answer.n_scans,
        n_looks=answer.n_looks,
    )


def _read_costs(costs: ArrayLike) -> NDArray[np.floating]:
    if isinstance(costs, np.ma.MaskedArray) and np.ma.getmaskarray(costs).any():
        point, cluster = np.argwhere(np.ma.getmaskarray(costs))[0]
        raise ValueError(
            f"costs must have no masked entries, but that of point {point} in cluster {cluster} is: fill it"
        )
    try:
        table = np.asarray(costs)
        if table.dtype.kind == "c":
            raise TypeError("they are complex")
        if table.dtype.kind not in "fiub":
            table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"costs must be a table of numbers, a row a point: {error}") from error
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            "costs must be a table of shape (n_points, n_clusters), neither of them 0, "
            f"but has shape {table.shape}"
        )
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(np.float64)
    table = np.ascontiguousarray(table)
    # One sum tells whether all is well; it may also overflow by itself, so look closer only then.
    with np.errstate(all="ignore"):
        is_suspect = not np.isfinite(table.sum(dtype=np.float64))
    if is_suspect and (is_finite := np.isfinite(table)).all():
        raise ValueError(
            f"costs must add up to a finite number, but reach {np.abs(table).max()}: scale them down"
        )
    if is_suspect:
        point, cluster = np.argwhere(~is_finite)[0]
        raise ValueError(
            f"costs must be finite, but {int((~is_finite).sum())} are not; the first is "
            f"{table[point, cluster]} for point {point} in cluster {cluster}: drop such points, or use a "
            "large number to keep them away"
        )
    return table


Solver = Callable[[Problem, Prefix, CountProgram, float, Deadline], Answer | None]


def _solve_certified(
    problem: Problem, explicit: Prefix, program: CountProgram, gap: float, deadline: Deadline
) -> Answer | None:
    if problem.prefix is not None:
        return certified.solve(problem, problem.prefix, gap=gap, deadline=deadline)
    return claims.solve(problem, explicit, program, gap=gap, deadline=deadline)


def _integer_program(solver: str) -> Solver:
    def solve(
        problem: Problem, explicit: Prefix, program: CountProgram, gap: float, deadline: Deadline
    ) -> Answer | None:
        return integer_program.solve(problem, solver=solver, gap=gap, deadline=deadline, required=explicit)

    return solve


_SOLVERS: dict[str, Solver] = {
    "certified": _solve_certified,
    "highs": _integer_program("highs"),
    "gurobi": _integer_program("gurobi"),
}
