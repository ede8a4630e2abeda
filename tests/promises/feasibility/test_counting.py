"""Counting bounds against all clusterings of a few points."""

from fractions import Fraction

import numpy as np
import pytest

from every_clustering import Case, make_groups, random_case
from minirel.points.weights import read_weights
from minirel.promises.fairness import read_fairness
from minirel.promises.feasibility.counting import BOUNDS, Shortage
from minirel.promises.feasibility.counts import CountProgram


def short(membership, n_clusters, *, sample_weight=None, required=(), **request) -> Shortage | None:
    groups = make_groups(membership)
    weights = read_weights(sample_weight, groups.n_points)
    fairness = read_fairness(groups, weights, n_clusters, **request)
    return CountProgram(groups, weights, fairness).shortage(required)


def without_others(case: Case, found: Shortage) -> Case:
    """The request with just the promises that a shortage names."""
    fairness, n_clusters = case.fairness, case.fairness.n_clusters

    def kept(values, otherwise, is_named):
        return tuple(v if is_named and g in found.groups else otherwise for g, v in enumerate(values))

    of_shares = found.of in ("min_share", "max_share", "everywhere")
    return case.asking(
        beta=kept(fairness.beta, 0, not of_shares),
        min_units=tuple(u if "min_size" in found.sizes else min(u, 1) for u in fairness.min_units),
        max_units=fairness.max_units if "max_size" in found.sizes else (fairness.total,) * n_clusters,
        min_share=kept(fairness.min_share, Fraction(0), found.of in ("min_share", "everywhere")),
        max_share=kept(fairness.max_share, Fraction(1), found.of == "max_share"),
        min_members=kept(fairness.min_members, 0, "min_members" in found.sizes),
        exclusive="exclusive" in found.sizes,
    )


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("block", range(3))
def test_nothing_is_short_where_some_clustering_keeps_all(block, bound, monkeypatch):
    monkeypatch.setattr("minirel.promises.feasibility.counting.BOUNDS", (bound,))
    kinds = set()
    for seed in range(20_000 + 100 * block, 20_000 + 100 * (block + 1)):
        case = random_case(seed)
        found = CountProgram(case.groups, case.weights, case.fairness).shortage()
        if found is None:
            continue
        kinds.add(found.of)
        assert not case.is_feasible(), (seed, found)
        # Nor does it take more promises than it names.
        named = without_others(case, found)
        assert not named.is_feasible(), (seed, found)
    assert kinds or bound is BOUNDS[0]


def parts(*sizes: int) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)[:, None] == np.arange(len(sizes))


@pytest.mark.parametrize(
    ("alpha", "beta", "n_clusters", "needed"),
    [
        (0.51, 1, 4, 5),
        (0.5, 2, 4, 5),
        (0.34, 2, 4, 5),
        (Fraction(1, 3), 3, 4, 5),
        ({"A": 0.6, "B": 0.6, "C": 0.41, "D": 0.41, "E": 0.41}, 1, 3, 4),
    ],
)
def test_clusters_for_groups_without_a_common_member(alpha, beta, n_clusters, needed):
    found = short(parts(9, 9, 9, 9, 9), n_clusters, alpha=alpha, beta=beta)
    assert (found.of, found.needed, found.there) == ("clusters", needed, n_clusters)
    assert (found.family, found.n_clusters) == (5, (needed, 45))
    enough = short(parts(9, 9, 9, 9, 9), needed, alpha=alpha, beta=beta)
    assert enough is None or enough.of != "clusters"


def test_only_the_clusters_allowed_count():
    found = short(parts(9, 9, 9), 5, alpha=0.51, beta=1, allowed={g: [0, 4] for g in "ABC"})
    assert (found.of, found.needed, found.there, found.n_clusters) == ("clusters", 3, 2, None)


def test_groups_that_need_every_cluster_need_their_share_of_all():
    found = short(parts(10, 10, 30), 2, alpha=0.51, beta={"A": 1, "B": 1})
    assert (found.of, found.needed, found.there, found.groups) == ("members", 26, 20, (0, 1))
    assert short(parts(15, 15, 20), 2, alpha=0.51, beta={"A": 1, "B": 1}) is None


def test_what_other_clusters_cannot_hold():
    # Six clusters of 10 leave 40 to the four of the group, of which it needs half.
    found = short(parts(19, 81), 10, alpha=0.5, beta={"A": 4}, max_size=10)
    assert (found.of, found.needed, found.there, found.sizes) == ("members", 20, 19, ("max_size",))
    # With one cluster more they would leave 30.
    assert found.n_clusters == (11, 100)
    assert short(parts(19, 81), 11, alpha=0.5, beta={"A": 4}, max_size=10) is None


def test_required_holders_are_counted():
    found = short(parts(1, 9), 3, alpha=0.5, beta=None, required=((0, 0), (0, 2)))
    assert (found.of, found.needed, found.there, found.groups) == ("members", 2, 1, (0,))


def test_a_share_of_every_cluster_takes_a_member_in_each():
    found = short(parts(30, 4, 5), 5, alpha=0.5, beta=0, min_share=0.01)
    assert (found.of, found.needed, found.there, found.groups) == ("everywhere", 5, 4, (1,))
    assert found.n_clusters == (1, 4)
    assert short(parts(30, 5, 5), 5, alpha=0.5, beta=0, min_share=0.01) is None
    weights = [1.0] * 34 + [0.0] + [1.0] * 5  # of the five, one weighs nothing
    weightless = short(parts(30, 5, 5), 5, alpha=0.5, beta=0, min_share=0.01, sample_weight=weights)
    assert (weightless.of, weightless.there, weightless.groups) == ("everywhere", 4, (1,))
    assert short(parts(30, 4, 5), 5, alpha=0.5, beta=0, min_share={"A": 0.01}) is None
