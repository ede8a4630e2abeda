import pickle
from fractions import Fraction
from math import floor

import numpy as np
import pytest

from every_clustering import make_groups
from minirel.points.errors import InfeasibleFairnessError, ParameterError
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.fairness import BETA_PRESETS, read_fairness

SEX = read_groups(["F"] * 3 + ["M"] * 7)
NO_WEIGHTS = read_weights(None, 10)


def read(groups=SEX, weights=NO_WEIGHTS, n_clusters=4, *, alpha=0.5, beta=1, **rest):
    return read_fairness(groups, weights, n_clusters, alpha=alpha, beta=beta, **rest)


def error_of(kind=ValueError, **request) -> str:
    with pytest.raises(kind) as caught:
        read(**request)
    return str(caught.value)


# alpha


def test_alpha_is_exact():
    assert read(alpha=0.51).alpha == (Fraction(51, 100),) * 2
    assert read(alpha={"F": np.float32(0.51), "M": 1}).alpha == (Fraction(51, 100), Fraction(1))


@pytest.mark.parametrize("alpha", [0, -0.5, 1.01, np.nan, np.inf])
def test_alpha_is_a_share(alpha):
    message = f"must be a share above 0 and at most 1, but is {alpha}"
    assert error_of(alpha=alpha) == f"alpha {message}"
    assert error_of(alpha={"F": alpha, "M": 0.5}) == f"alpha['F'] {message}"


@pytest.mark.parametrize("alpha", [True, "0.5", None, [0.5]])
def test_alpha_is_a_number(alpha):
    assert "alpha must be a share above 0 and at most 1, but is" in error_of(TypeError, alpha=alpha)


def test_alpha_by_group_must_cover_what_is_asked():
    assert read(alpha={"F": 0.5}, beta={"F": 2}).alpha[0] == Fraction(1, 2)
    for beta in (1, {"F": 1, "M": 1}, "statistical_parity"):
        assert "leaves out 'M'" in error_of(alpha={"F": 0.5}, beta=beta)
    assert "leaves out 'M'" in error_of(alpha={"F": 0.5}, beta=None, asked=[1])
    assert read(alpha={"F": 0.5}, beta=None, asked=[0]).beta == (0, 0)


@pytest.mark.parametrize("parameter", ["alpha", "beta", "allowed", "min_share", "max_share", "min_members"])
def test_unknown_groups_are_named(parameter):
    message = error_of(**{parameter: {"X": [0] if parameter == "allowed" else 1}})
    assert message == f"{parameter} names an unknown group 'X': the groups are 'F', 'M'"


# beta


@pytest.mark.parametrize(
    ("beta", "expected"),
    [(None, (0, 0)), (3, (3, 3)), (2.0, (2, 2)), (np.int64(0), (0, 0)), ({"M": 4}, (0, 4)), ({}, (0, 0))],
)
def test_beta(beta, expected):
    assert read(beta=beta).beta == expected


@pytest.mark.parametrize(
    ("beta", "kind", "message"),
    [
        (True, TypeError, "beta must be a whole number of clusters, at least 0"),
        ({"F": "two"}, TypeError, "beta['F'] must be a whole number of clusters, at least 0, but is 'two'"),
        (1.5, ValueError, "but is 1.5"),
        (-1, ValueError, "but is -1"),
        ({"F": -1}, ValueError, "beta['F'] must be a whole number of clusters, at least 0, but is -1"),
        (5, ValueError, "beta['F'] must be at most n_clusters=4, but is 5"),
        ("parity", ValueError, "'statistical_parity', 'equality_of_opportunity', but is 'parity'"),
    ],
)
def test_bad_beta(beta, kind, message):
    assert message in error_of(kind, beta=beta)


def test_beta_is_at_most_what_allowed_leaves():
    message = error_of(beta=3, allowed={"F": [0, 1]})
    assert (
        "beta['F'] must be at most the number of clusters that allowed leaves the group, 2, but is 3"
        in message
    )


# Written out by hand from the definitions in section 1.1 of the paper.
@pytest.mark.parametrize(
    ("preset", "alpha", "n_clusters", "expected"),
    [
        ("statistical_parity", 0.51, 4, (2, 2)),
        ("statistical_parity", 0.51, 5, (2, 2)),
        ("statistical_parity", 0.34, 5, (5, 5)),
        ("statistical_parity", {"F": 0.3, "M": 0.6}, 3, (3, 1)),
        ("equality_of_opportunity", 0.51, 4, (1, 2)),
        ("equality_of_opportunity", 0.51, 10, (3, 7)),
        ("equality_of_opportunity", 0.5, 5, (3, 5)),
        # The formulas ask for 13 and 31 of 9 clusters.
        ("equality_of_opportunity", 0.2, 9, (9, 9)),
    ],
)
def test_presets(preset, alpha, n_clusters, expected):
    assert read(n_clusters=n_clusters, alpha=alpha, beta=preset).beta == expected


def test_presets_floor_in_integers():
    groups = make_groups((np.arange(100) < 29)[:, None])
    assert floor(0.29 * 100) == 28
    beta = read(groups, read_weights(None, 100), 100, alpha=0.51, beta="equality_of_opportunity").beta
    assert beta == (29,)


def test_presets_count_weights():
    weights = read_weights([0.5] * 3 + [0.1] * 7, 10)
    assert read(weights=weights, n_clusters=10, alpha=1, beta="equality_of_opportunity").beta == (6, 3)


@pytest.mark.parametrize("preset", BETA_PRESETS)
def test_presets_respect_allowed_and_no_groups(preset):
    allowed = [[True, False, False, False], [True] * 4]
    beta = read(alpha=0.1, beta=preset, allowed=allowed).beta
    assert beta[0] == 1
    assert all(count <= 4 for count in beta)
    assert read(make_groups(np.zeros((10, 0))), beta=preset).beta == ()


# allowed


def test_allowed():
    assert read(allowed=None).allowed.all()
    table = np.eye(2, 4, dtype=bool)
    fairness = read(allowed=table.tolist())
    np.testing.assert_array_equal(fairness.allowed, table)
    np.testing.assert_array_equal(
        read(allowed={"M": [1, 3]}).allowed, [[True] * 4, [False, True, False, True]]
    )


def test_allowed_is_a_copy():
    table = np.ones((2, 4), dtype=bool)
    fairness = read(allowed=table)
    table[:] = False
    assert fairness.allowed.all()


@pytest.mark.parametrize(
    ("allowed", "kind", "message"),
    [
        (np.ones((4, 2), dtype=bool), ValueError, "shape (2, 4), but has shape (4, 2)"),
        (np.ones((2, 4)), TypeError, "allowed must be boolean, but is of type float64"),
        ([[True], [True, False]], ValueError, "allowed must be a table of shape (2, 4)"),
        (
            {"F": [4]},
            ValueError,
            "allowed['F'] must be made of clusters, whole numbers from 0 to 3, but names 4",
        ),
    ],
)
def test_bad_allowed(allowed, kind, message):
    assert message in error_of(kind, allowed=allowed)


# n_clusters and sizes


@pytest.mark.parametrize(("n_clusters", "kind"), [(0, ValueError), (2.5, ValueError), ("4", TypeError)])
def test_n_clusters_is_a_whole_number(n_clusters, kind):
    assert "n_clusters must be a whole number of at least 1" in error_of(kind, n_clusters=n_clusters)


def test_more_clusters_than_points():
    assert "but is 11 for n_samples=10: lower n_clusters to at most 10" in error_of(n_clusters=11)
    weights = read_weights([0] * 8 + [1] * 2, 10)
    assert "but is 3 for 2 points of weight above 0" in error_of(weights=weights, n_clusters=3)


def test_sizes():
    assert (read().min_units, read().max_units) == ((1,) * 4, (10,) * 4)
    fairness = read(min_size=2.0, max_size=np.int64(3))
    assert (fairness.min_units, fairness.max_units, fairness.unit) == ((2,) * 4, (3,) * 4, 1)
    assert read(max_size=1000).max_units == (10,) * 4


def test_sizes_by_cluster():
    fairness = read(min_size=[1, 2, 2.0, np.int64(3)], max_size=(4, None, 1000, 3))
    assert (fairness.min_units, fairness.max_units) == ((1, 2, 2, 3), (4, 10, 10, 3))
    assert read(min_size=np.array([1, 2, 2, 3])).min_units == (1, 2, 2, 3)
    assert read(min_size=[0, 1, 0, 2], beta=None).min_units == (0, 1, 0, 2)
    assert "an empty cluster represents nobody" in error_of(min_size=[1, 1, 1, 0], beta={"F": 1})
    # Only clusters that may not be empty need a point.
    assert read(n_clusters=12, min_size=[0, 0] + [1] * 10, beta=0).min_units == (0, 0) + (1,) * 10
    assert "is 12 for n_samples=10" in error_of(n_clusters=12, min_size=[0] + [1] * 11, beta=0)


def test_sizes_by_cluster_in_weights():
    weights = read_weights(np.full(10, 0.05), 10)
    fairness = read(weights=weights, min_size=[1, 0.1, 0.11, 0.05], max_size=[0.3, 0.29, None, 1])
    assert fairness.min_units == (1, 2, 3, 1)
    assert fairness.max_units == (6, 5, 10, 10)


@pytest.mark.parametrize(
    ("sizes", "kind", "message"),
    [
        (
            {"min_size": [1, 2, 3]},
            ValueError,
            "min_size must be a number, or 4 of them: one for each cluster, but has 3",
        ),
        (
            {"max_size": np.ones(5)},
            ValueError,
            "max_size must be a number, or 4 of them: one for each cluster, but has 5",
        ),
        (
            {"min_size": [1, 2, -3, 4]},
            ValueError,
            "min_size[2] must be a whole number of points, at least 0, but is -3",
        ),
        (
            {"min_size": [1, 2.5, 3, 4]},
            ValueError,
            "min_size[1] must be a whole number of points, at least",
        ),
        (
            {"max_size": [0, 2, 3, 4]},
            ValueError,
            "max_size[0] must be a whole number of points, above 0, but is 0",
        ),
        ({"max_size": [1, 2, 3, "4"]}, TypeError, "max_size[3] must be a whole number of points, above 0"),
        (
            {"min_size": [1, None, 3, 4]},
            TypeError,
            "min_size[1] must be a whole number of points, at least",
        ),
        ({"min_size": np.ones((2, 2))}, TypeError, "min_size must be a whole number of points, at least 0"),
        (
            {"max_size": {"F": 3}},
            TypeError,
            "max_size must be a whole number of points, above 0, but is {",
        ),
    ],
)
def test_bad_sizes_by_cluster(sizes, kind, message):
    assert message in error_of(kind, **sizes)


def test_sizes_in_weights_are_exact():
    # A unit is 0.3, of which there are 24.
    weights = read_weights([0.3, 0.6, 1.2, 0.3, 0.3, 0.6, 0.9, 0.6, 0.6, 1.8], 10)
    fairness = read(weights=weights, min_size=0.9, max_size=2.1)
    assert (fairness.min_units, fairness.max_units, fairness.unit) == ((3,) * 4, (7,) * 4, Fraction(3, 10))
    fairness = read(weights=weights, min_size=0.91, max_size=2.99)
    assert (fairness.min_units, fairness.max_units) == ((4,) * 4, (9,) * 4)
    assert fairness.weight(fairness.max_units[0]) == 2.7


def test_a_min_size_of_one_only_forbids_empty_clusters():
    weights = read_weights(np.full(10, 0.05), 10)
    assert read(weights=weights).min_units == (1,) * 4
    assert read(weights=weights, min_size=0.1).min_units == (2,) * 4


def test_a_min_size_of_zero_lets_clusters_be_empty():
    for size in (0, 0.0):
        fairness = read(n_clusters=11, beta=None, min_size=size)
        assert (fairness.n_clusters, fairness.min_units) == (11, (0,) * 11)
    assert read(beta=0, min_size=0).min_units == (0,) * 4
    assert "is 11 for n_samples=10" in error_of(n_clusters=11, beta=None)
    assert "an empty cluster represents nobody" in error_of(beta={"F": 1}, min_size=0)


@pytest.mark.parametrize(("parameter", "least"), [("min_size", "at least 0"), ("max_size", "above 0")])
@pytest.mark.parametrize(
    ("value", "kind"),
    [(value, ValueError) for value in (-1, 2.5, np.nan, np.inf)] + [("2", TypeError), (True, TypeError)],
)
def test_bad_sizes(parameter, least, value, kind):
    message = f"{parameter} must be a whole number of points, {least}, but is {value!r}"
    assert message in error_of(kind, **{parameter: value})


def test_a_largest_size_of_zero():
    assert "max_size must be a whole number of points, above 0, but is 0" in error_of(max_size=0)


# Shares in every cluster


def test_shares_are_exact():
    fairness = read(min_share=0.07, max_share={"M": np.float32(0.51)})
    assert fairness.min_share == (Fraction(7, 100),) * 2
    assert fairness.max_share == (1, Fraction(51, 100))
    assert fairness.bound_groups == [0, 1]
    assert read(max_share={"M": 0.9}).bound_groups == [1]


def test_without_bounds_every_share_will_do():
    for nothing in ({}, {"min_share": None, "max_share": None}, {"min_share": {}, "max_share": {}}):
        fairness = read(**nothing)
        assert (fairness.min_share, fairness.max_share, fairness.bound_groups) == ((0, 0), (1, 1), [])
    assert read(min_share=0, max_share=1).bound_groups == []


@pytest.mark.parametrize("parameter", ["min_share", "max_share"])
@pytest.mark.parametrize(
    ("value", "kind"),
    [(value, ValueError) for value in (-0.1, 1.01, np.nan, -np.inf)]
    + [(value, TypeError) for value in ("0.5", True, [0.5, 0.5])],
)
def test_bad_shares(parameter, value, kind):
    told = value if kind is ValueError else f"{value!r} of type {type(value).__name__}"
    rule = f"must be a share from 0 to 1, but is {told}"
    assert error_of(kind, **{parameter: value}) == f"{parameter} {rule}"
    assert error_of(kind, **{parameter: {"M": value}}) == f"{parameter}['M'] {rule}"
    with pytest.raises(ParameterError) as caught:
        read(**{parameter: {"M": value}})
    assert (caught.value.parameter, caught.value.rule) == (
        f"{parameter}['M']",
        "must be a share from 0 to 1",
    )


def test_shares_that_contradict_each_other():
    assert error_of(min_share={"M": 0.5}, max_share=0.4) == (
        "min_share['M'] must be at most max_share['M'], but is 0.5, which is more than 0.4: lower the one or "
        "raise the other"
    )
    assert read(min_share=0.5, max_share=0.5).min_share == (Fraction(1, 2),) * 2


# Least members


def test_min_members():
    assert read().min_members == (0, 0)
    assert read(min_members=3).min_members == (3, 3)
    assert read(min_members={"M": 2.0}).min_members == (0, 2)
    # 1 asks for nothing beyond the share.
    assert read(min_members={"M": 2, "F": 1}).min_members == (0, 2)


def test_min_members_in_weights():
    weights = read_weights([0.3, 0.6, 1.2, 0.3, 0.3, 0.6, 0.9, 0.6, 0.6, 1.8], 10)
    assert read(weights=weights, min_members={"F": 1.2, "M": 1.21}).min_members == (4, 5)
    assert read(weights=weights, min_members=1).min_members == (0, 0)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(value, ValueError) for value in (0, -1, 2.5, np.nan)]
    + [(value, TypeError) for value in ("2", True, None, [2, 2])],
)
def test_bad_min_members(value, kind):
    told = value if kind is ValueError else f"{value!r} of type {type(value).__name__}"
    rule = f"must be a whole number of members, at least 1, but is {told}"
    assert error_of(kind, min_members=value) == f"min_members {rule}"
    assert error_of(kind, min_members={"F": value}) == f"min_members['F'] {rule}"


def test_bad_min_members_in_weights():
    weights = read_weights([0.5] * 10, 10)
    assert (
        error_of(weights=weights, min_members=0.5) == "min_members must be a weight of at least 1, but is 0.5"
    )


# Exclusive clusters


def test_exclusive():
    assert read().exclusive is False
    assert read(exclusive=np.True_).exclusive is True
    for value in (1, "yes", None):
        assert error_of(TypeError, exclusive=value) == f"exclusive must be True or False, but is {value!r}"


def test_some_of_the_groups():
    fairness = read(
        alpha={"F": 0.2, "M": 0.3},
        beta={"F": 1, "M": 2},
        allowed={"M": [1, 2]},
        min_share={"F": 0.1},
        max_share={"M": 0.9},
        min_members={"M": 2},
        exclusive=True,
        max_size=[4, 5, 6, 7],
    )
    some = fairness.of([1])
    assert (some.names, some.alpha, some.beta) == (("M",), (Fraction(3, 10),), (2,))
    assert (some.min_share, some.max_share, some.min_members) == ((0,), (Fraction(9, 10),), (2,))
    assert some.allowed.tolist() == [[False, True, True, False]]
    assert (some.exclusive, some.max_units, some.total) == (True, (4, 5, 6, 7), 10)


def test_the_error_survives_another_process():
    error = InfeasibleFairnessError(
        "no", conflict=("beta['F']",), largest_beta={"F": 2}, nearest={"beta": {}}
    )
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.conflict, again.largest_beta, again.nearest) == (
        "no",
        ("beta['F']",),
        {"F": 2},
        {"beta": {}},
    )
