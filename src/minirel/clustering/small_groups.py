"""First centers where groups are too small for the clusters they are promised.

A cluster that counts for a group has at most ``members / alpha`` points. Where that is little, the cluster is
lost for all others, who may be better off if they are divided among the rest from the start.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from minirel.assignment.request import Request
from minirel.clustering.initialise import Start, first_centers
from minirel.clustering.objectives import Matrix, dense

_MOST_MEMBERS, _MOST_CANDIDATES = 5_000, 500


def centers_for_small_groups(start: Start, request: Request) -> Matrix | None:
    """Centers of k-means for all but the clusters of small groups, and for these a member each.

    Of the members, each time the one that saves the most for its group. None if no group is small.
    """
    groups = list(_small_groups(request))[: start.n_clusters - 1]
    if not groups:
        return None
    centers = first_centers("k-means", replace(start, n_clusters=start.n_clusters - len(groups)))
    weights = request.weights
    for group in groups:
        share = request.groups.shares(group)
        # Of points that hold numbers of members, those in which the group has its share.
        is_member = share >= min(float(request.fairness.alpha[group]), share.max())
        members = np.flatnonzero(is_member & (weights.numbers(start.X.shape[0]) > 0))
        members = members[:: len(members) // _MOST_MEMBERS + 1]
        candidates = members[:: len(members) // _MOST_CANDIDATES + 1]
        now = start.objective.costs(centers, members).min(axis=1)
        saved = np.maximum(now[:, None] - start.objective.costs(dense(start.X[candidates]), members), 0)
        weight = 1.0 if start.weight is None else start.weight[members, None]
        best = candidates[(saved * weight).sum(axis=0).argmax()]
        centers = np.vstack([centers, dense(start.X[[best]])])
    return centers


def _small_groups(request: Request) -> Iterator[int]:
    """The groups whose clusters cannot be of average size, the smallest first, each for every cluster."""
    fairness, groups = request.fairness, request.groups
    weight = request.weights.numbers(groups.n_points)
    totals = {
        g: int(weight[groups.members(g)].sum() if groups.counts is None else groups.n_members[g])
        for g, n in enumerate(fairness.beta)
        if n
    }
    for group, members in sorted(totals.items(), key=lambda item: item[1]):
        n_promised = fairness.beta[group]
        if members * fairness.n_clusters < fairness.alpha[group] * n_promised * fairness.share_total:
            yield from [group] * n_promised
