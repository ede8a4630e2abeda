"""Who was moved, from where, for whose sake and at what cost; and what every promise costs."""

from collections.abc import Hashable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.outcome.result import FittedModel, Result, result_of
from minirel.points.groups import Groups

NOBODY = "none"


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a fair clustering is as it is.

    Attributes
    ----------
    points : ndarray of shape (n_moved,)
        The points that are not with their nearest center, the dearest first.
    nearest, assigned : ndarray of shape (n_moved,)
        Where each would have gone, and where it is.
    extra_cost : ndarray of shape (n_moved,)
        What the move costs, by weight.
    kind : list of {"share", "min_size", "max_size", "none"}
        The kind of promise that moved the point: the one that weighs most in its choice by the prices. "none"
        where no promise has a price that says so: without prices (``prefix=None`` or the paper's integer
        program) or among points that are indifferent.
    group, cluster : list
        Whose promise it is (None for sizes), and in which cluster.
    prices : list of dict
        One for each promise of the clustering: kind, group, cluster, `price` (what one more member of the
        group, or one unit of size, would cost or save there at the margin) and `cost` (what all the points
        moved for its sake cost more).
    by_group : list of dict
        For each group: members, those moved, what its members cost where they are, and what they would cost
        with their nearest center.
    cost, nearest_cost, start_cost : float
        Cost of the clustering; of the same centers with every point at its nearest; and of the first centers
        with every point at its nearest: that of k-means after a warm start.
    """

    points: NDArray[np.intp]
    nearest: NDArray[np.intp]
    assigned: NDArray[np.intp]
    extra_cost: NDArray[np.float64]
    kind: list[str]
    group: list[Hashable | None]
    cluster: list[int | None]
    prices: list[dict[str, Any]]
    by_group: list[dict[str, Any]]
    cost: float
    nearest_cost: float
    start_cost: float

    def to_frame(self) -> Any:
        """Lay the moved points out as a table, the dearest first.

        Returns
        -------
        pandas.DataFrame or dict of list
            Columns point, nearest, assigned, extra_cost, kind, group, cluster; a dict of them without pandas.
        """
        columns: dict[str, list[Any]] = {
            "point": self.points.tolist(),
            "nearest": self.nearest.tolist(),
            "assigned": self.assigned.tolist(),
            "extra_cost": self.extra_cost.tolist(),
            "kind": self.kind,
            "group": self.group,
            "cluster": self.cluster,
        }
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError:
            return columns
        return pandas.DataFrame(columns)


def explain(model: FittedModel) -> Explanation:
    """Explain a fitted model: the points it moved, the promises they were moved for, and what these cost.

    Parameters
    ----------
    model : MiniReL
        A fitted estimator.

    Returns
    -------
    Explanation
        Moved points, prices of promises, and costs by group.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL, explain
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(n_clusters=4, beta={1: 3}, random_state=0)
    >>> why = explain(model.fit(X, sensitive_features=species))
    >>> len(why.points)
    61
    >>> why.kind[0], why.group[0]
    ('share', 1)
    >>> bool(why.cost > why.nearest_cost)
    True
    """
    result = result_of(model)
    labels, nearest = result.labels, result.trace.end.labels
    own_cost, nearest_cost, start_cost = map(
        result.weights.times, (result.trace.own_cost, result.trace.end.cost, result.trace.start.cost)
    )
    moved = np.flatnonzero(labels != nearest)
    moved = moved[np.lexsort((moved, nearest_cost[moved] - own_cost[moved]))]
    extra = own_cost[moved] - nearest_cost[moved]
    reasons = _reasons(moved, result)
    names = result.groups.names
    return Explanation(
        points=moved,
        nearest=nearest[moved],
        assigned=labels[moved],
        extra_cost=extra,
        kind=[kind for kind, _, _ in reasons],
        group=[None if g is None else names[g] for _, g, _ in reasons],
        cluster=[k for _, _, k in reasons],
        prices=_prices(result, extra, reasons),
        by_group=_by_group(moved, result.groups, own_cost, nearest_cost),
        cost=float(own_cost.sum()),
        nearest_cost=float(nearest_cost.sum()),
        start_cost=float(start_cost.sum()),
    )


Reason = tuple[str, int | None, int | None]


def _reasons(moved: NDArray[np.intp], result: Result) -> list[Reason]:
    """The promise whose price weighs most in each point's choice.

    A point leaves its nearest cluster because it has to pay there for being no member of a group that holds
    it or for its size; and it joins another because it is paid there for being a member, or for the size.
    """
    prices, groups, labels, nearest = result.prices, result.groups, result.labels, result.trace.end.labels
    if prices is None:
        return [(NOBODY, None, None)] * len(moved)
    share = np.array([float(alpha) for alpha in result.fairness.alpha])
    members = groups.signatures.astype(np.float64)
    found: dict[tuple[int, int, int], Reason] = {}
    reasons = []
    for i in moved.tolist():
        key = int(groups.signature[i]), int(nearest[i]), int(labels[i])
        if key not in found:
            s, left, joined = key
            pushes = prices.groups[:, left] * (share - members[s])
            pulls = prices.groups[:, joined] * (members[s] - share)
            weights: dict[Reason, float] = {
                **{("share", g, left): float(push) for g, push in enumerate(pushes)},
                **{("share", g, joined): float(pull) for g, pull in enumerate(pulls)},
                ("max_size", None, left): float(prices.largest[left]),
                ("min_size", None, joined): float(prices.smallest[joined]),
            }
            best = max(weights, key=lambda reason: weights[reason])
            found[key] = best if weights[best] > 0 else (NOBODY, None, None)
        reasons.append(found[key])
    return reasons


def _prices(result: Result, extra: NDArray[np.float64], reasons: list[Reason]) -> list[dict[str, Any]]:
    prices, names, n_clusters = result.prices, result.groups.names, result.fairness.n_clusters
    spent: dict[Reason, float] = {}
    for reason, cost in zip(reasons, extra.tolist(), strict=True):
        spent[reason] = spent.get(reason, 0.0) + cost
    table: list[tuple[Reason, float | None]] = []
    for g, k in result.holders:
        table.append((("share", g, k), None if prices is None else float(prices.groups[g, k])))
    for kind, of_clusters in (
        ("min_size", None if prices is None else prices.smallest),
        ("max_size", None if prices is None else prices.largest),
    ):
        for k in range(n_clusters):
            if of_clusters is not None and of_clusters[k] > 0:
                table.append(((kind, None, k), float(of_clusters[k])))
    return [
        {
            "kind": kind,
            "group": None if g is None else names[g],
            "cluster": k,
            "price": price,
            "cost": spent.get((kind, g, k), 0.0),
        }
        for (kind, g, k), price in table
    ]


def _by_group(
    moved: NDArray[np.intp],
    groups: Groups,
    own_cost: NDArray[np.float64],
    nearest_cost: NDArray[np.float64],
) -> list[dict[str, Any]]:
    rows = []
    for g, name in enumerate(groups.names):
        member = groups.members(g)
        rows.append(
            {
                "group": name,
                "members": int(member.sum()),
                "moved": int(member[moved].sum()),
                "cost": float(own_cost[member].sum()),
                "nearest_cost": float(nearest_cost[member].sum()),
            }
        )
    return rows
