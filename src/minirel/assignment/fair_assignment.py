"""`fair_assignment`: the cheapest assignment of points to clusters that keeps every promise."""

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from minirel.assignment.costs import Costs, CostsElsewhere
from minirel.assignment.request import read_options, read_request
from minirel.assignment.solve import Assignment, Call, proven, solve
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.members import read_people
from minirel.points.memory_maps import check_file
from minirel.points.scale import check_scale
from minirel.points.together import Together, read_together
from minirel.points.weights import Weights, read_weights
from minirel.points.workers import Workers
from minirel.promises.exact import Number
from minirel.promises.fairness import Share, Size


def fair_assignment(
    costs: ArrayLike | Costs,
    sensitive_features: object,
    *,
    alpha: Number | Mapping[Hashable, Number],
    beta: int | str | Mapping[Hashable, int] | None = None,
    prefix: str | Iterable[tuple[Hashable, int]] | None = None,
    allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None = None,
    min_size: Size = 1,
    max_size: Size | None = None,
    min_share: Share | None = None,
    max_share: Share | None = None,
    min_members: Share = 1,
    exclusive: bool = False,
    total: Hashable = None,
    sample_weight: ArrayLike | Weights | None = None,
    together: object = None,
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
        column's values, named ``"column=value"``, which overlap. Several columns of booleans, or of 0 and 1,
        are membership: each is a group, named by the column, or 0, 1, ... for an array.
    alpha : float or mapping of group to float
        The share, above 0 and at most 1. It is taken as the decimal it is written as: 0.51 is 51/100.
    beta : int, mapping of group to int, or {"statistical_parity", "equality_of_opportunity"}, optional
        Number of clusters in which each group is to be represented; 0 for groups left out of a mapping.
    prefix : list of (group, cluster), or the name of a pre-fix cost, optional
        Which clusters represent which groups: given by you, searched for ("assignment"), or chosen beforehand
        by "local_cost", "weighted_proportion", "proportion" or at "random". None leaves the choice to the
        program: at least as good, and slower.
    allowed : array-like of bool of shape (n_groups, n_clusters), optional
        Which clusters may represent which group in counting to `beta`; all of them if None.
    min_size, max_size : float or sequence of float, optional
        Smallest and largest weight of a cluster: its number of points if there are no weights. One number, or
        one for each cluster (in `max_size` None where there is no limit). By default no
        cluster is empty; with ``min_size=0`` some may be, and a pair of `prefix` binds those that come into
        its cluster, if any. An empty cluster represents nobody, so that goes with `prefix`, not with `beta`.
    min_share, max_share : float or mapping of group to float, optional
        Smallest and largest share of a group in *every* cluster; a group left out of a mapping has no bound.
    min_members : float or mapping of group to float, default=1
        Members of a group, by weight, that a cluster needs to count for it besides the share.
    exclusive : bool, default=False
        Whether a cluster counts for one group only.
    total : name or index of a column, optional
        Where points are units of many people, the column of `sensitive_features` with the total of each, such
        as its adults. Every other column is a group, with its number of members in each unit, and shares are
        of the totals. Numbers are whole, or decimals of up to nine places. Units are never divided.
    sample_weight : array-like of shape (n_points,), optional
        What each point counts in the cost and the sizes, and without `total` in the shares. Points are never
        divided.
    together : array-like of shape (n_points,), optional
        One label per point, such as its household: points of one label go to one cluster. A point without a
        label (None or NaN) is alone.
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
    NothingFoundError
        If none was found within `time_limit` or the effort of the search, and none is known not to exist.

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
    within, deadline = read_options(solver, gap, time_limit)
    groups = read_people(sensitive_features, total, n_points=n, missing=missing)
    if beta is None and prefix is None and groups.n_groups:
        raise ParameterValueError(
            "beta",
            "or prefix must say what is asked",
            beta,
            "give each group a number of clusters by beta, list the (group, cluster) pairs in prefix, or ask "
            "for nothing by beta=0",
            found="both are None",
        )
    weights, units = read_weights(sample_weight, n), read_together(together, n)
    if isinstance(table, np.ndarray):
        # Without a copy, and without a sum that could overflow.
        largest = max(float(table.max()), -float(table.min()))
        check_scale("costs", costs, "entries", largest * table.size, weights, n)
    if units is not None:
        table = _costs_of_units(table, weights, units)
        groups, weights = units.groups(groups, weights), units.weights(weights)
    request = read_request(
        groups,
        weights,
        n_clusters,
        alpha=alpha,
        beta=beta,
        prefix=prefix,
        allowed=allowed,
        min_size=min_size,
        max_size=max_size,
        min_share=min_share,
        max_share=max_share,
        min_members=min_members,
        exclusive=exclusive,
    ).until(deadline)
    with Workers(None) as workers:
        problem = request.problem(table, request.choose(table), workers)
        answer = solve(Call(problem, request.required, request.program, within, deadline), solver)
        result = proven(problem, answer, within)
    if units is not None:
        result = replace(result, labels=units.labels(result.labels))
    if result.status in ("time limit", "effort limit"):
        spent = "time_limit passed" if result.status == "time limit" else "the effort of the search was spent"
        warnings.warn(
            f"{spent} with a proven gap of {result.gap:.2g}, more than gap={gap:g}: the assignment keeps "
            "every promise, but a cheaper one may exist",
            ConvergenceWarning,
            stacklevel=2,
        )
    return result


def _costs_of_units(costs: Costs, weights: Weights, units: Together) -> NDArray[np.floating]:
    """What a unit of weight of each unit costs on the average: together, the sum of its points' costs."""
    return np.asarray(units.means(costs[slice(None)].astype(np.float64), weights))


def _read_costs(costs: ArrayLike | Costs) -> Costs:
    if isinstance(costs, CostsElsewhere):
        return costs
    check_file(costs, "costs")
    if isinstance(costs, np.ma.MaskedArray) and np.ma.getmaskarray(costs).any():
        point, cluster = np.argwhere(np.ma.getmaskarray(costs))[0]
        found = f"that of point {point} in cluster {cluster} is"
        raise ParameterValueError("costs", "must have no masked entries", costs, "fill it", found=found)
    try:
        table = np.asarray(costs)
        if table.dtype.kind == "c":
            raise TypeError("they are complex")
        if table.dtype.kind not in "fiub":
            table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        rule = "must be a table of numbers, one row per point"
        raise ParameterTypeError("costs", rule, costs, str(error), found="") from error
    if table.ndim != 2 or 0 in table.shape:
        rule = "must be a table of shape (n_points, n_clusters), neither of them 0"
        raise ParameterValueError("costs", rule, costs, found=f"has shape {table.shape}")
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(np.float64)
    table = np.ascontiguousarray(table)
    # One sum is finite only if all costs are; it may also overflow by itself, so look closer only then.
    with np.errstate(all="ignore"):
        is_suspect = not np.isfinite(table.sum(dtype=np.float64))
    if is_suspect and not (is_finite := np.isfinite(table)).all():
        point, cluster = np.argwhere(~is_finite)[0]
        raise ParameterValueError(
            "costs",
            "must be finite",
            costs,
            "drop such points, or use a large number to keep them away",
            found=f"{int((~is_finite).sum())} are not; the first is {table[point, cluster]} for point "
            f"{point} in cluster {cluster}",
        )
    return table
