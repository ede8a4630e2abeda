"""Who was moved, from where, for whose sake and at what cost; and what every promise costs."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.outcome.explanation_text import told
from minirel.outcome.frame import frame
from minirel.outcome.reasons import PricedPromises, Reason, in_words, reasons_of
from minirel.outcome.result import FittedModel, Result, result_of
from minirel.points.groups import Groups
from minirel.points.numbers import rough
from minirel.points.wording import counted
from minirel.promises.exact import plain


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a fair clustering is as it is.

    Attributes
    ----------
    points : ndarray of shape (n_moved,)
        The points that are not with their nearest center, the costliest first.
    nearest, assigned : ndarray of shape (n_moved,)
        Where each would have gone, and where it is.
    extra_cost : ndarray of shape (n_moved,)
        What the move costs, by weight.
    kind : list of {"share", "min_members", "min_share", "max_share", "min_size", "max_size", "none"}
        The kind of promise that moved the point: the one that weighs most in its choice by the prices. A
        "share" is that of a group for which the cluster was set aside. "none" where no promise has a price
        that says so: without prices (``prefix=None`` or the paper's integer program) or among points that
        are indifferent.
    group, cluster : list
        Whose promise it is (None for sizes), and in which cluster.
    because : list of str
        The same in words, such as "cluster 3 may hold at most 60% 'F'".
    prices : list of dict
        One for each cluster set aside for a group, and one for each other promise that has a price: kind,
        group, cluster, `price` (what one more member of the group, or one unit of size, would cost or save
        there at the margin) and `cost` (what all the points moved for its sake cost more).
    by_group : list of dict
        For each group: members, those moved, what its members cost where they are, and what they would cost
        with their nearest center.
    cost, nearest_cost, start_cost : float
        Cost of the clustering; of the same centers with every point at its nearest; and of the cheapest first
        centers with every point at its nearest: after a warm start, that of k-means with as many starts and
        swaps, or as many swaps as there was time for.
    compared_with : str
        What `start_cost` is the cost of, in words.

    Notes
    -----
    ``print`` shows a summary; `to_frame` has every point.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL, explain
    >>> X, species = load_iris(return_X_y=True)
    >>> why = explain(MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=species))
    >>> len(why.points) == len(why.because), why.cost >= why.nearest_cost
    (True, True)
    >>> sorted(why.prices[0])
    ['cluster', 'cost', 'group', 'kind', 'price']
    """

    points: NDArray[np.intp]
    nearest: NDArray[np.intp]
    assigned: NDArray[np.intp]
    extra_cost: NDArray[np.float64]
    kind: list[str]
    group: list[Hashable | None]
    cluster: list[int | None]
    because: list[str]
    prices: list[dict[str, Any]]
    by_group: list[dict[str, Any]]
    cost: float
    nearest_cost: float
    start_cost: float
    compared_with: str = "the first centers"

    def __str__(self) -> str:
        return told(self)

    def __repr__(self) -> str:
        moved = f"{counted(len(self.points), 'point')} moved"
        return f"<Explanation: {moved}, cost {rough(self.cost)} and {rough(self.start_cost)} before>"

    def to_frame(self) -> Any:
        """Lay the moved points out as a table, the costliest first.

        Returns
        -------
        pandas.DataFrame or dict of list
            Columns point, nearest, assigned, extra_cost, kind, group, cluster, because; a dict of them
            without pandas.
        """
        columns: dict[str, list[Any]] = {
            "point": self.points.tolist(),
            "nearest": self.nearest.tolist(),
            "assigned": self.assigned.tolist(),
            "extra_cost": self.extra_cost.tolist(),
            "kind": self.kind,
            "group": self.group,
            "cluster": self.cluster,
            "because": self.because,
        }
        return frame(columns)


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
    >>> why.because[0]
    'cluster 0 is set aside for 1'
    >>> bool(why.cost > why.nearest_cost)
    True

    What is printed is a summary:

    >>> print(why)  # doctest: +ELLIPSIS
    Cost ..., +...% against k-means (one start). 61 points are not with the nearest center, which
    costs ... (...% of the cost).
    ...
    """
    result = result_of(model)
    labels, nearest = result.labels, result.trace.end.labels
    own_cost, nearest_cost, start_cost = map(
        result.weights.times, (result.trace.own_cost, result.trace.end.cost, result.trace.start.cost)
    )
    moved = np.flatnonzero(labels != nearest)
    moved = moved[np.lexsort((moved, nearest_cost[moved] - own_cost[moved]))]
    extra = own_cost[moved] - nearest_cost[moved]
    promised = PricedPromises(result)
    reasons = reasons_of(moved, result, promised)
    names = result.groups.names
    return Explanation(
        points=moved,
        nearest=nearest[moved],
        assigned=labels[moved],
        extra_cost=extra,
        kind=[kind for kind, _, _ in reasons],
        group=[None if g is None else names[g] for _, g, _ in reasons],
        cluster=[k for _, _, k in reasons],
        because=[_told(result, reason) for reason in reasons],
        prices=_prices(result, extra, reasons, promised),
        by_group=_by_group(moved, result.groups, own_cost, nearest_cost),
        cost=float(own_cost.sum()),
        nearest_cost=float(nearest_cost.sum()),
        start_cost=float(start_cost.sum()),
        compared_with=result.compared_with,
    )


def _told(result: Result, reason: Reason) -> str:
    name = "" if reason[1] is None else f" {result.groups.names[reason[1]]!r}"
    return in_words(result.fairness, reason) + name


def _prices(
    result: Result, extra: NDArray[np.float64], reasons: list[Reason], promised: PricedPromises
) -> list[dict[str, Any]]:
    """The promises to holders, and every other that has a price."""
    names = result.groups.names
    spent: dict[Reason, float] = {}
    for reason, cost in zip(reasons, extra.tolist(), strict=True):
        spent[reason] = spent.get(reason, 0.0) + cost
    return [
        {
            "kind": kind,
            "group": None if g is None else names[g],
            "cluster": k,
            "price": None if result.prices is None else price,
            "cost": spent.get((kind, g, k), 0.0),
        }
        for (kind, g, k), price in zip(promised.promises, promised.price.tolist(), strict=True)
        if kind == "share" or price > 0
    ]


def _by_group(
    moved: NDArray[np.intp],
    groups: Groups,
    own_cost: NDArray[np.float64],
    nearest_cost: NDArray[np.float64],
) -> list[dict[str, Any]]:
    rows = []
    for g, name in enumerate(groups.names):
        member, counts = groups.members(g), groups.counts
        of_points, unit = (member, Fraction(1))
        if counts is not None:  # of a point's cost, each group has its share
            of_points, unit = counts.members[groups.signature, g], counts.unit
        share = groups.shares(g)[member]
        rows.append(
            {
                "group": name,
                "members": plain(int(of_points.sum()) * unit),
                "moved": plain(int(of_points[moved].sum()) * unit),
                "cost": float((own_cost[member] * share).sum()),
                "nearest_cost": float((nearest_cost[member] * share).sum()),
            }
        )
    return rows
