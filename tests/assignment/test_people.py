"""Units of many people beyond brute force: precision, points that stay together, independent counts."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from minirel import InfeasibleFairnessError, MiniReL, audit, explain, fair_assignment, next_clusters

X, SPECIES = load_iris(return_X_y=True)


def districts(
    seed: int, n: int = 60, n_clusters: int = 4
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Costs, members with totals, and weights of precincts."""
    rng = np.random.default_rng(seed)
    places, centers = rng.normal(size=(n, 2)), rng.normal(size=(n_clusters, 2))
    people = rng.integers(50, 4_000, n)
    adults = (people * 0.75).astype(np.int64)
    members = {"black": (adults * rng.beta(0.6, 1.8, n)).astype(np.int64), "adults": adults}
    return ((places[:, None] - centers) ** 2).sum(axis=2), members, people


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(4))
def test_more_precision_is_never_a_worse_plan(seed: int) -> None:
    costs, members, people = districts(seed)
    mean = people.sum() / 4
    found = []
    for gap in (0.2, 1e-2, 1e-3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fair = fair_assignment(
                costs,
                members,
                total="adults",
                alpha=0.5,
                beta={"black": 1},
                prefix="assignment",
                min_size=int(0.97 * mean),
                max_size=int(1.03 * mean),
                sample_weight=people,
                gap=gap,
            )
        found.append(fair.cost)
        counted = audit(
            fair.labels, members, total="adults", alpha=0.5, beta={"black": 1}, sample_weight=people
        )
        assert counted.satisfied
    assert found == sorted(found, reverse=True)


def test_alone_is_as_without() -> None:
    plain = MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=SPECIES)
    alone = MiniReL(4, beta={1: 3}, random_state=0).fit(
        X, sensitive_features=SPECIES, together=np.arange(len(X))
    )
    np.testing.assert_array_equal(alone.labels_, plain.labels_)
    assert alone.inertia_ == plain.inertia_


def test_duplicates_together_are_weights() -> None:
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    which = np.repeat(np.arange(len(X)), weight)
    weighted = MiniReL(4, beta={1: 3}, random_state=0).fit(
        X, sensitive_features=SPECIES, sample_weight=weight
    )
    merged = MiniReL(4, beta={1: 3}, random_state=0).fit(
        X[which], sensitive_features=SPECIES[which], together=which
    )
    np.testing.assert_array_equal(merged.labels_, weighted.labels_[which])
    assert merged.inertia_ == pytest.approx(weighted.inertia_)


def test_costs_are_those_of_the_points() -> None:
    """Inertia, centers, history and explanation, though the search knows only means."""
    flat = np.random.default_rng(1).integers(0, 60, len(X))
    model = MiniReL(4, beta={1: 2}, random_state=0).fit(X, sensitive_features=SPECIES, together=flat)
    assert all(len(set(model.labels_[flat == one].tolist())) <= 1 for one in range(60))
    means = np.array([X[model.labels_ == k].mean(axis=0) for k in range(4)])
    np.testing.assert_allclose(model.cluster_centers_, means)
    cost = float(((X - means[model.labels_]) ** 2).sum())
    assert model.inertia_ == pytest.approx(cost)
    assert model.history_[-1].cost == pytest.approx(cost)
    assert model.lower_bound_ <= model.inertia_ * (1 + 1e-12)
    assert explain(model).cost == pytest.approx(cost)
    assert {row["status"] for row in next_clusters(model, X)} <= {"computed", "impossible", "not computed"}
    assert model.audit_.counts.sum() == len(X)


def test_k_medians_refuses_points_together() -> None:
    with pytest.raises(ValueError, match="together must be None unless objective='k-means'"):
        MiniReL(3, objective="k-medians").fit(X, sensitive_features=SPECIES, together=SPECIES)


def test_a_batch_holds_numbers_of_members() -> None:
    _, members, people = districts(5)
    places = np.random.default_rng(5).normal(size=(60, 2))
    model = MiniReL(4, alpha=0.5, beta={"black": 1}, total="adults", random_state=0, gap=1e-2)
    model.fit(places, sensitive_features=members, sample_weight=people)
    few = {name: column[:12] for name, column in members.items()}
    batch = model.assign(places[:12], few)
    (_, held), *_ = model.prefix_
    inside = batch.labels == held
    assert 2 * few["black"][inside].sum() >= few["adults"][inside].sum()
    nobody = {name: np.zeros(12) for name in members}
    for prefix in ("fitted", None):
        batch = model.assign(places[:12], nobody, prefix=prefix)
        np.testing.assert_array_equal(batch.labels, model.predict(places[:12]))
    with pytest.raises(InfeasibleFairnessError, match=r"'black' needs 1 cluster.*but has no members"):
        model.assign(places[:12], nobody, beta={"black": 1})


def test_members_that_are_lacking_are_told_without_the_noise_of_doubles() -> None:
    thirds = {"a": np.array([4, 5, 7]) / 3, "all": [4, 5, 7]}
    with pytest.raises(InfeasibleFairnessError, match=r"it still lacks 1\.066666667 members: "):
        fair_assignment(np.ones((3, 1)), thirds, alpha=0.4, beta=1, total="all")


def test_what_cannot_be_had_is_refused_with_what_can() -> None:
    """By a knapsack: four clusters of equal size are more than its members can be half of."""
    costs, members, people = districts(7)
    mean = people.sum() / 4
    sizes = {"min_size": int(0.95 * mean), "max_size": int(1.05 * mean)}
    asked = {"total": "adults", "alpha": 0.5, "sample_weight": people, "gap": 0.05, **sizes}
    with pytest.raises(
        InfeasibleFairnessError, match="where it has most of its members it still lacks"
    ) as told:
        fair_assignment(costs, members, beta={"black": 4}, **asked)
    most = told.value.largest_beta["black"]
    assert most is not None
    assert most < 4
    assert told.value.nearest == {"beta": {"black": most}}
    fair = fair_assignment(costs, members, beta={"black": most}, prefix="assignment", **asked)
    assert fair.certificate.represented.sum() >= most
