import pickle
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minirel import MiniReL, ParameterError
from minirel.outcome.audit import Audit, audit
from minirel.outcome.pieces import pieces_in_words
from minirel.points.groups import read_groups
from thorough import often

# Two clusters of four: a is half F, b a quarter.
SEX = ["F", "F", "M", "M", "F", "M", "M", "M"]
LABELS = ["a", "a", "a", "a", "b", "b", "b", "b"]


# by hand


def test_a_small_clustering():
    result = audit(LABELS, SEX, alpha=0.5, beta={"F": 2, "M": 2})
    assert result.groups == ("F", "M")
    assert result.clusters == ("a", "b")
    assert result.counts.tolist() == [[2, 1], [2, 3]]
    assert result.counts.dtype == result.sizes.dtype == np.int64
    assert result.sizes.tolist() == [4, 4]
    assert result.shares.tolist() == [[0.5, 0.25], [0.5, 0.75]]
    assert result.represented.tolist() == [[True, False], [True, True]]
    assert result.represented.dtype == result.allowed.dtype == np.bool_
    assert result.alpha == (0.5, 0.5)
    assert result.beta == (2, 2)
    assert result.n_represented == (1, 2)
    assert result.n_lacking == (1, 0)
    # 1 of 4: with two more it is 3 of 6.
    assert result.shortfall.tolist() == [[0, 2], [0, 0]]
    assert result.shares.dtype == result.shortfall.dtype == np.float64
    assert not result.satisfied
    assert audit(LABELS, SEX, alpha=0.5, beta={"M": 2}).satisfied


def test_nothing_asked_is_satisfied():
    result = audit(LABELS, SEX)
    assert result.alpha == (0.51, 0.51)
    assert result.beta == result.n_lacking == (0, 0)
    assert result.n_represented == (0, 1)
    assert result.satisfied is True


def test_overlapping_groups():
    member = np.array([[True, True], [True, False], [False, False], [True, True]])
    result = audit([0, 0, 1, 1], member, alpha={0: 1, 1: 0.5}, beta=1)
    assert result.counts.tolist() == [[2, 1], [1, 1]]
    assert result.represented.tolist() == [[True, False], [True, True]]
    assert result.shortfall.tolist() == [[0, np.inf], [0, 0]]
    assert result.satisfied


@pytest.mark.parametrize(
    ("alpha", "member", "size"), [(0.07, 7, 100), (0.29, 29, 100), (0.55, 55, 100), (1 / 3, 1, 3)]
)
def test_ties_are_exact(alpha, member, size):
    """0.07 * 100 is above 7 in floats."""
    group = np.arange(size) < member
    assert audit(np.zeros(size), group[:, None], alpha=alpha).represented.all()
    one_fewer = np.arange(size) < member - 1
    assert not audit(np.zeros(size), one_fewer[:, None], alpha=alpha).represented.any()


def test_a_third_is_its_decimals():
    """0.3333333333333334 is a hair above 1/3; a Fraction says what is meant."""
    group = np.array([True, False, False])[:, None]
    assert audit([0, 0, 0], group, alpha=Fraction(1, 3)).represented.all()
    assert not audit([0, 0, 0], group, alpha=0.3333333333333334).represented.any()


def test_alpha_of_1():
    result = audit([0, 0, 1, 1], ["F", "M", "F", "F"], alpha=1, n_clusters=3)
    assert result.represented.tolist() == [[False, True, False], [False, False, False]]
    assert result.shortfall.tolist() == [[np.inf, 0, 1], [np.inf, np.inf, 1]]


def test_alpha_may_leave_out_a_group_without_a_promise():
    result = audit([0, 0, 1], ["F", "M", "M"], alpha={"F": 0.5}, beta={"F": 1})
    assert result.alpha == (0.5, 1)
    assert result.represented.tolist() == [[True, False], [False, True]]


def test_no_groups():
    result = audit([0, 0, 1], None, beta=2)
    assert result.counts.shape == result.shares.shape == result.shortfall.shape == (0, 2)
    assert result.sizes.tolist() == [2, 1]
    assert result.n_represented == ()
    assert result.satisfied
    assert len(result.to_frame()) == 0
    assert "Nothing was promised." in str(result)


def test_groups_object_and_missing_features():
    assert audit(LABELS, read_groups(SEX)).groups == ("F", "M")
    assert audit([0, 0], ["F", None], missing="group").groups == ("F", "missing")
    assert audit([0, 0], ["F", None], missing="none").counts.tolist() == [[1]]


# beta and allowed


def test_an_impossible_promise_is_lacking():
    assert audit(LABELS, SEX, alpha=0.5, beta=5).n_lacking == (4, 3)
    assert audit(LABELS, SEX, alpha=0.5, beta=10**30).n_lacking == (10**30 - 1, 10**30 - 2)
    assert audit(LABELS, SEX, alpha=0.5, beta={"M": 2}, allowed={"M": []}).n_lacking == (0, 2)


@pytest.mark.parametrize(
    ("beta", "alpha", "expected"),
    [
        ("statistical_parity", 0.51, (1, 1)),
        ("statistical_parity", 0.5, (2, 2)),
        # floor(3/8 * 1 * 2) and floor(5/8 * 1 * 2); floor(3/8 * 2 * 2) and floor(5/8 * 2 * 2).
        ("equality_of_opportunity", 0.51, (0, 1)),
        ("equality_of_opportunity", 0.5, (1, 2)),
    ],
)
def test_presets(beta, alpha, expected):
    assert audit(LABELS, SEX, alpha=alpha, beta=beta).beta == expected


def test_presets_count_empty_clusters_and_weights():
    ones_and_zeros = [0] * 4 + [1] * 4
    parity = audit(ones_and_zeros, SEX, beta="statistical_parity", n_clusters=9)
    assert parity.beta == (4, 4)
    weight = [5, 5, 0, 0, 5, 5, 0, 0]
    assert audit(LABELS, SEX, beta="equality_of_opportunity", sample_weight=weight).beta == (1, 0)


def test_allowed():
    table = np.array([[False, True], [True, True]])
    for allowed in (table, table.tolist(), {"F": ["b"]}, {"F": np.array(["b"])}, {"F": iter("b")}):
        result = audit(LABELS, SEX, alpha=0.5, beta=1, allowed=allowed)
        assert result.allowed.tolist() == table.tolist()
        # Represented all the same, but it does not count.
        assert result.represented.tolist() == [[True, False], [True, True]]
        assert result.n_represented == (0, 2)
        assert result.n_lacking == (1, 0)


def test_allowed_goes_by_label():
    """Cluster 0 is the second of -1, 0 and 1."""
    result = audit([1, 0, -1], ["F"] * 3, allowed={"F": [0, np.int64(1)]})
    assert result.clusters == (-1, 0, 1)
    assert result.allowed.tolist() == [[False, True, True]]
    assert audit([1], ["F"], allowed={"F": [0]}, n_clusters=2).allowed.tolist() == [[True, False]]


# labels


@pytest.mark.parametrize(
    ("labels", "clusters"),
    [
        ([0, 2, 0, -1], (-1, 0, 2)),
        ((0, 2, 0, -1), (-1, 0, 2)),
        (range(4), (0, 1, 2, 3)),
        (np.array([0, 2, 0, -1], dtype=np.int32), (-1, 0, 2)),
        (np.array([0, 2, 0, 255], dtype=np.uint8), (0, 2, 255)),
        (np.array([0.0, 2.0, 0.0, -1.0]), (-1, 0, 2)),
        (np.array([0.5, 2.0, 0.5, 2.0]), (0.5, 2)),
        (np.array([True, False, True, False]), (False, True)),
        (np.array(["b", "a", "b", "b"]), ("a", "b")),
        (np.array(["b", "a", "b", 7], dtype=object), ("b", "a", 7)),
        ([np.int64(3), 1, 3, 1], (1, 3)),
        (pd.Series([1.0, 0.0, 1.0, 1.0], index=[9, 8, 7, 6]), (0, 1)),
        (pd.Series([1, 0, 1, 1], dtype="Int64"), (0, 1)),
        (pd.Series(["b", "a", "b", "b"]), ("a", "b")),
        (pd.Series(["b", "a", "b", "b"], dtype="category"), ("a", "b")),
        (pd.Index([1, 0, 1, 1]), (0, 1)),
        (pd.Categorical(["b", "a", "b", "b"]), ("a", "b")),
        (pl.Series([1, 0, 1, 1]), (0, 1)),
        (pl.Series(["b", "a", "b", "b"]), ("a", "b")),
        (pl.Series(["b", "a", "b", "b"], dtype=pl.Categorical), ("a", "b")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_labels_of_every_kind(labels, clusters):
    result = audit(labels, ["x"] * 4)
    assert result.clusters == clusters
    assert list(map(type, result.clusters)) == list(map(type, clusters))
    assert result.sizes.tolist() == [sum(label == name for label in labels) for name in clusters]


def test_empty_clusters():
    result = audit([0.0, 3.0, 3.0], ["F", "F", "M"], alpha=0.5, beta=2, n_clusters=5)
    assert result.clusters == (0, 1, 2, 3, 4)
    assert result.sizes.tolist() == [1, 0, 0, 2, 0]
    assert result.shares.tolist() == [[1, 0, 0, 0.5, 0], [0, 0, 0, 0.5, 0]]
    assert result.represented.tolist() == [[True, False, False, True, False], [False] * 3 + [True, False]]
    assert result.shortfall.tolist() == [[0, 1, 1, 0, 1], [1, 1, 1, 0, 1]]
    assert result.n_lacking == (0, 1)


def test_more_clusters_than_points():
    assert audit([1], ["F"], beta=1, n_clusters=3).satisfied


# weights


def test_whole_weights():
    result = audit([0, 0, 1, 1], ["F", "M", "F", "M"], alpha=0.51, sample_weight=[3.0, 2.0, 1.0, 4.0])
    assert result.counts.tolist() == [[3, 1], [2, 4]]
    assert result.counts.dtype == result.sizes.dtype == np.int64
    assert result.represented.tolist() == [[True, False], [False, True]]
    # F has 1 of 5: 1 + 4 of 9 is 55.6%, 1 + 3 of 8 only a half. M has 2 of 5: 2 + 2 of 7 is 57.1%.
    assert result.shortfall.tolist() == [[0, 4], [2, 0]]


def test_weights_are_counted_in_their_common_unit():
    """Every point stands for a hundred, so people join by the hundred."""
    result = audit([0, 0, 0], ["F", "M", "M"], alpha=0.51, sample_weight=[100, 100, 100])
    assert result.counts.tolist() == [[100], [200]]
    assert result.shortfall.tolist() == [[200], [0]]


def test_decimal_weights():
    result = audit([0, 0, 1], ["F", "M", "M"], alpha=0.3, sample_weight=[0.3, 0.7, 0.2])
    assert result.counts.tolist() == [[0.3, 0], [0.7, 0.2]]
    assert result.counts.dtype == result.sizes.dtype == np.float64
    assert result.sizes.tolist() == [1, 0.2]
    assert result.represented.tolist() == [[True, False], [True, True]]
    # 0.1 of 0.3 is a third.
    assert result.shortfall.tolist() == [[0, 0.1], [0, 0]]


def test_a_cluster_without_weight_is_empty():
    result = audit([0, 1], ["F", "M"], beta=1, sample_weight=[2, 0])
    assert result.sizes.tolist() == [2, 0]
    assert result.shares.tolist() == [[1, 0], [0, 0]]
    assert result.n_represented == (1, 0)
    assert result.shortfall[1, 1] == 2
    assert result.n_lacking == (0, 1)


def test_huge_whole_weights_are_floats():
    result = audit([0, 0], ["F", "M"], sample_weight=[1e300, 3e300])
    assert result.counts.dtype == np.float64
    assert result.sizes[0] == pytest.approx(4e300)
    assert audit([0, 0], ["F", "M"], sample_weight=[2**52, 1]).counts.tolist() == [[2**52], [1]]


# against fractions

ALPHAS = (0.07, 0.1, 0.29, 0.3333333333333333, 0.5, 0.51, 0.6, 0.99, 1.0, Fraction(1, 3), Fraction(2, 7))


@st.composite
def clusterings(draw):
    n_points = draw(st.integers(1, 12))
    n_clusters = draw(st.integers(1, 4))
    labels = draw(st.lists(st.integers(0, n_clusters - 1), min_size=n_points, max_size=n_points))
    rows = st.lists(st.booleans(), min_size=2, max_size=2)
    member = draw(st.lists(rows, min_size=n_points, max_size=n_points))
    weight = st.one_of(
        st.none(),
        *(
            st.lists(st.sampled_from(values), min_size=n_points, max_size=n_points).filter(any)
            for values in ((0, 1, 2, 3, 6), (2, 4, 8), (0.0, 0.1, 0.25, 1.0, 2.37))
        ),
    )
    alpha = {0: draw(st.sampled_from(ALPHAS)), 1: draw(st.sampled_from(ALPHAS))}
    beta = {0: draw(st.integers(0, 5)), 1: draw(st.integers(0, 5))}
    allowed = draw(
        st.lists(st.lists(st.booleans(), min_size=n_clusters, max_size=n_clusters), min_size=2, max_size=2)
    )
    return labels, np.array(member), n_clusters, draw(weight), alpha, beta, np.array(allowed)


def common_unit(weights: list[Fraction]) -> Fraction:
    unit = Fraction(0)
    for weight in weights:
        a, b = unit, weight
        while b:
            a, b = b, a % b
        unit = a
    return unit


@settings(max_examples=often(100, 300), deadline=None)
@given(clusterings())
def test_agrees_with_fractions(clustering):
    labels, member, n_clusters, sample_weight, alpha, beta, allowed = clustering
    result = audit(
        labels,
        member,
        alpha=alpha,
        beta=beta,
        allowed=allowed,
        sample_weight=sample_weight,
        n_clusters=n_clusters,
    )
    weights = [Fraction(str(w)) for w in sample_weight or [1] * len(labels)]
    unit = common_unit(weights)
    for g in range(2):
        share_needed = Fraction(str(alpha[g]))
        represented = []
        for k in range(n_clusters):
            inside = [(w, m) for label, w, m in zip(labels, weights, member[:, g], strict=True) if label == k]
            size = sum((w for w, _ in inside), Fraction(0))
            count = sum((w for w, m in inside if m), Fraction(0))

            def has_share(joined, size=size, count=count, needed=share_needed):
                return size + joined > 0 and (count + joined) / (size + joined) >= needed

            assert result.sizes[k] == float(size)
            assert result.counts[g, k] == float(count)
            assert result.shares[g, k] == (float(count / size) if size else 0)
            represented.append(has_share(0))
            shortfall = result.shortfall[g, k]
            if np.isinf(shortfall):
                assert share_needed == 1
                assert count < size
                continue
            n_units = round(shortfall / float(unit))
            assert shortfall == float(n_units * unit)
            assert has_share(n_units * unit)
            assert n_units == 0 or not has_share((n_units - 1) * unit)
        assert result.represented[g].tolist() == represented
        n_represented = sum(r and a for r, a in zip(represented, allowed[g], strict=True))
        assert result.n_represented[g] == n_represented
        assert result.n_lacking[g] == max(beta[g] - n_represented, 0)
    assert result.satisfied == all(n >= beta[g] for g, n in enumerate(result.n_represented))


# what is refused


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"labels": []}, ValueError, "labels must be a list, 1-d array or Series with the cluster of each"),
        ({"labels": np.array([])}, ValueError, "labels must be .*, but is empty"),
        ({"labels": pl.Series([])}, ValueError, "labels must be .*, but is empty"),
        ({"labels": None}, TypeError, "labels must be .*, but is of type NoneType"),
        ({"labels": 3}, TypeError, "labels must be .*, but is of type int"),
        ({"labels": "abcdefgh"}, TypeError, "labels must be .*, but is of type str"),
        ({"labels": iter(LABELS)}, TypeError, "labels must be .*, but is of type list_iterator"),
        ({"labels": set(LABELS)}, TypeError, "labels must be a column .* but is of type set"),
        ({"labels": np.array(3)}, ValueError, r"labels must be .*, but has shape \(\)"),
        ({"labels": np.zeros((8, 1))}, ValueError, r"labels must be .*, but has shape \(8, 1\)"),
        ({"labels": np.zeros((2, 2, 2))}, ValueError, r"labels must be .*, but has shape \(2, 2, 2\)"),
        ({"labels": pd.DataFrame({"a": LABELS})}, ValueError, r"labels must be .*, but has shape \(8, 1\)"),
        ({"labels": pl.DataFrame({"a": LABELS})}, ValueError, r"labels must be .*, but has shape \(8, 1\)"),
        ({"labels": [[label] for label in LABELS]}, ValueError, "labels must be .*, but is a table: pass"),
        ({"labels": {"a": LABELS}}, ValueError, "labels must be .*, but is a table: pass"),
        ({"labels": [[0], [1, 2]]}, ValueError, "labels must have rows of one length"),
        ({"labels": [{}] * 8}, TypeError, "labels must hold plain values"),
        ({"labels": [True, 1] * 4}, ValueError, "labels must not mix booleans and numbers"),
        (
            {"labels": LABELS[:5]},
            ValueError,
            "labels must hold one cluster per point, but has 5 for the 8 points",
        ),
        ({"labels": [0, None] * 4}, ValueError, "labels must not be missing, but 4 of 8 are: drop"),
        ({"labels": [0.0] * 7 + [np.nan]}, ValueError, "labels must not be missing, but 1 of 8 are"),
        ({"labels": pd.Series([0, pd.NA] * 4)}, ValueError, "labels must not be missing, but 4 of 8 are"),
        ({"labels": pl.Series(["a", None] * 4)}, ValueError, "labels must not be missing, but 4 of 8 are"),
        ({"n_clusters": 2}, ValueError, "labels must be whole numbers from 0 to 1 .* but name 'a': leave n_"),
        ({"labels": [-1] * 8, "n_clusters": 2}, ValueError, "labels must be whole numbers .* but name -1"),
        ({"labels": [2] * 8, "n_clusters": 2}, ValueError, "labels must be whole numbers .* but name 2"),
        ({"labels": [0.5] * 8, "n_clusters": 2}, ValueError, "labels must be whole numbers .* but name 0.5"),
        (
            {"labels": [True] * 8, "n_clusters": 2},
            ValueError,
            "labels must be whole numbers .* but name True",
        ),
        ({"n_clusters": 0}, ValueError, "n_clusters must be a whole number of at least 1, or None .* is 0"),
        ({"n_clusters": 1.5}, ValueError, "n_clusters must be a whole number .* but is 1.5"),
        ({"n_clusters": "two"}, TypeError, "n_clusters must be a whole number .* but is 'two'"),
        ({"alpha": 0}, ValueError, "alpha must be a share above 0 and at most 1, but is 0"),
        ({"alpha": {"X": 0.5}}, ValueError, "alpha names an unknown group 'X'"),
        ({"alpha": {"F": 0.5}, "beta": 1}, ValueError, "alpha must give a share for every group .* 'M'"),
        ({"beta": -1}, ValueError, "beta must be a whole number of clusters, at least 0, .* but is -1"),
        ({"beta": 1.5}, ValueError, "beta must be a whole number of clusters, .* but is 1.5"),
        ({"beta": True}, TypeError, "beta must be a whole number of clusters, .* but is True"),
        ({"beta": "parity"}, ValueError, "beta must be .* one of 'statistical_parity', .* but is 'parity'"),
        ({"beta": {"X": 1}}, ValueError, "beta names an unknown group 'X'"),
        ({"beta": {"F": -1}}, ValueError, r"beta\['F'\] must be a whole number of clusters"),
        (
            {"allowed": np.ones((2, 3), dtype=bool)},
            ValueError,
            r"allowed must have one row per group .* \(2, 3\)",
        ),
        ({"allowed": np.ones((2, 2))}, TypeError, "allowed must be boolean"),
        ({"allowed": {"X": ["a"]}}, ValueError, "allowed names an unknown group 'X'"),
        (
            {"allowed": {"F": [0]}},
            ValueError,
            r"allowed\['F'\] must be made of labels, but names 0, which no",
        ),
        ({"allowed": {"F": 0}}, TypeError, r"allowed\['F'\] must be a list of labels, but is 0"),
        ({"allowed": {"F": "a"}}, TypeError, r"allowed\['F'\] must be a list of labels, but is 'a'"),
        ({"sample_weight": [1]}, ValueError, r"sample_weight must hold one weight per point, shape \(8,\)"),
        ({"sample_weight": [0] * 8}, ValueError, "sample_weight must not be all zero"),
        ({"sensitive_features": [None] * 8}, ValueError, "sensitive_features has missing values"),
        ({"missing": "drop"}, ValueError, "missing must be one of"),
    ],
)
def test_bad_input_names_the_parameter(given, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        audit(**{"labels": LABELS, "sensitive_features": SEX, **given})


# the result


def test_frame():
    frame = audit(LABELS, SEX, alpha=0.5, allowed={"F": ["b"]}).to_frame()
    expected = pd.DataFrame(
        {
            "group": ["F", "F", "M", "M"],
            "cluster": ["a", "b", "a", "b"],
            "count": [2, 1, 2, 3],
            "size": [4, 4, 4, 4],
            "share": [0.5, 0.25, 0.5, 0.75],
            "alpha": [0.5] * 4,
            "represented": [True, False, True, True],
            "allowed": [False, True, True, True],
            "shortfall": [0.0, 2.0, 0.0, 0.0],
            "below": [False] * 4,
            "above": [False] * 4,
        }
    )
    pd.testing.assert_frame_equal(frame, expected)


def test_frame_without_pandas(monkeypatch):
    result = audit(LABELS, SEX, alpha=0.5)
    frame = result.to_frame()
    monkeypatch.setitem(sys.modules, "pandas", None)
    columns = result.to_frame()
    assert isinstance(columns, dict)
    assert columns == frame.to_dict(orient="list")


def test_the_result_cannot_be_changed_but_pickled():
    result = audit(LABELS, SEX, allowed=np.ones((2, 2), dtype=bool))
    for array in (v for v in vars(result).values() if isinstance(v, np.ndarray)):
        assert not array.flags.writeable
    again = pickle.loads(pickle.dumps(result))
    assert isinstance(again, Audit)
    assert str(again) == str(result)


def test_repr():
    assert repr(audit(LABELS, SEX)) == "<Audit: 2 groups, 2 clusters, satisfied>"
    assert repr(audit(LABELS, SEX, beta=2)) == "<Audit: 2 groups, 2 clusters, broken for 2 groups>"
    assert repr(audit([1], [1], beta=2)) == "<Audit: 1 group, 1 cluster, broken for 1 group>"


# text


def test_text():
    text = str(audit(LABELS, SEX, alpha={"F": 0.5, "M": 0.07}, beta={"F": 3}, allowed={"M": ["a"]}))
    assert text.splitlines() == [
        "Share of each cluster's members, * where it is enough to represent the group, ~ where it is",
        "enough but does not count",
        "",
        "cluster      a       b",
        "F        50.0%*  25.0%",
        "M        50.0%*  75.0%~",
        "size         4       4",
        "",
        "group  needs  has clusters  of promised  lacks",
        "F        50%             1            3      2",
        "M         7%             1            0      0",
        "",
        "Broken: 'F' lacks 2 clusters.",
        "M, 62.5% of all, was promised nothing, though it is represented somewhere.",
    ]


def test_text_names_all_who_lack():
    text = str(audit([0, 0, 1], [7, 8, 9], alpha=1, beta=1))
    assert text.endswith("Broken: 7 lacks 1 cluster, 8 lacks 1 cluster.")
    assert str(audit(LABELS, SEX, alpha=0.5, beta=1)).endswith("\nEvery promise is kept.")


def test_long_names_and_many_clusters_fit_a_terminal():
    features = {"x" * 200: [True, False] * 40, "two\nlines": [True] * 80}
    labels = [f"cluster number {k}" for k in range(40)] * 2
    for cluster_names in (labels, list(range(40)) * 2):
        weight = np.linspace(1, 1e6, 80)
        result = audit(cluster_names, features, alpha=0.3, beta=41, sample_weight=weight)
        lines = str(result).splitlines()
        assert max(map(len, lines)) < 100
        assert all(line == line.rstrip() for line in lines)
        shown = [line for line in lines if line.startswith("x" * 23 + "…")]
        # Every cluster is shown once, and the promises once.
        assert sum(line.count("%") for line in shown) == 40 + 1
        assert r"two\nlines" in str(result)
        assert f"'{'x' * 23}…' lacks " in str(result)


def test_many_broken_promises_wrap():
    names = [f"group {g}" for g in range(60)]
    lines = str(audit([0] * 60, names, beta=1)).splitlines()
    assert max(map(len, lines)) < 100
    assert " ".join(lines).count(" lacks 1 cluster") == 60


@pytest.mark.parametrize("name", ["a \x1b[31m red", "two\nlines", "\u202egnp", "\x9b31m"])
def test_names_do_nothing_to_a_terminal(name):
    text = str(audit([name, name, "b"], [name, "M", "M"], alpha=0.5, beta={name: 2}))
    assert name.encode("unicode_escape").decode() in text
    assert name not in text
    assert text.replace("\n", "").isprintable()
    assert f"'{name.encode('unicode_escape').decode()}' lacks 1 cluster" in text


# ---- what belongs beside "every promise is kept" --------------------------------------------------------


def test_who_was_promised_nothing_is_named_with_its_share():
    marital = ["married"] * 62 + ["single"] * 115 + ["divorced"] * 23
    labels = [0] * 100 + [1] * 100
    result = audit(labels, marital, beta={"married": 1, "single": 1})
    assert result.unpromised == ("divorced",)
    assert result.shares_of_all == (0.115, 0.31, 0.575)
    assert str(result).endswith(
        "Every promise is kept.\ndivorced, 11.5% of all, was promised nothing and is represented nowhere."
    )
    result = audit(labels, marital, beta={"married": 1})
    assert result.unpromised == ("single", "divorced")
    assert "single, 57.5% of all, was promised nothing, though it is represented somewhere." in str(result)
    assert audit(labels, marital).unpromised == ()
    assert str(audit(labels, marital)).endswith("Nothing was promised.")


def test_many_that_were_promised_nothing():
    groups = ["all the rest"] * 70 + [f"g{i}" for i in range(8)] * 3
    result = audit([0] * len(groups), groups, beta={"all the rest": 1})
    text = " ".join(str(result).split())
    assert "g3 (3.1% of all), g4 (3.1% of all) and 3 more were promised nothing" in text
    assert "and are represented nowhere" in text


def test_a_promise_kept_by_a_handful_is_pointed_out():
    # Two programmes hold a channel for two countries.
    labels = [0] * 40 + [1] * 40 + [2] * 2
    groups = {"country": ["UK"] * 70 + ["FR"] * 10 + ["IE", "IE"], "short": ["no"] * 80 + ["yes"] * 2}
    promises = {"country=UK": 2, "country=IE": 1, "short=yes": 1, "short=no": 2}
    result = audit(labels, groups, beta=promises)
    assert result.satisfied
    assert result.handfuls == ((2, ("country=IE", "short=yes")),)
    text = str(result)
    assert "Cluster 2 keeps the promises to country=IE and short=yes with at most 2 members of each." in text
    assert text.endswith("A larger min_members (--min-members) keeps a handful of members from counting.")


def test_a_handful_of_each_of_many_groups_is_pointed_out():
    """A channel of ten films, three of each of three countries, is no token of any of them alone."""
    labels = [0] * 100 + [1] * 10
    films = {name: [i % 3 == g or i == 9 for i in range(10)] for g, name in enumerate("abc")}
    country = {name: [False] * 100 + here for name, here in films.items()}
    result = audit(labels, country, alpha=0.3, beta=1)
    assert result.satisfied
    assert result.counts[:, 1].tolist() == [4, 4, 4]
    assert result.handfuls == ((1, ("a", "b", "c")),)
    assert "Cluster 1 keeps the promises to a, b and c with at most 4 members of each." in str(result)


def test_what_is_no_handful():
    groups = ["a"] * 40 + ["b"] * 40 + ["a"] * 2
    labels = [0] * 40 + [1] * 40 + [2] * 2
    # It has another cluster, which is all that it was promised.
    assert audit(labels, groups, beta=1).handfuls == ()
    assert audit(labels, groups, beta={"a": 2, "b": 1}).handfuls == ((2, ("a",)),)
    # Five are enough, and so are a few where all clusters are small.
    assert audit(labels + [2] * 3, groups + ["a"] * 3, beta={"a": 2}).handfuls == ()
    assert audit([0, 1, 1, 2, 2], list("abbcc"), beta=1).handfuls == ()
    # It does not count for the group.
    assert audit(labels, groups, beta={"a": 2}, allowed={"a": [0, 1]}).handfuls == ()
    # With weights, members are weights.
    weight = [1.0] * 80 + [1000.0] * 2
    assert audit(labels, groups, beta={"a": 2}, sample_weight=weight).handfuls == ()


def test_shares_in_every_cluster():
    sex = ["F", "F", "M", "F", "M", "M", "M", "M"]
    result = audit(
        [0, 0, 0, 1, 1, 1, 1, 2], sex, beta=0, min_share={"F": 0.25}, max_share={"M": 0.75, "F": 0.6}
    )
    assert result.below.tolist() == [[False, False, True], [False, False, False]]  # 25% is enough
    assert result.above.tolist() == [[True, False, False], [False, False, True]]  # 75% is not too much
    assert not result.satisfied
    text = str(result)
    assert " ".join(text.split()).endswith(
        "Broken: 'F' is less than 25% of cluster 2, 'F' is more than 60% of cluster 0, "
        "'M' is more than 75% of cluster 2."
    )
    assert "25% to 60%" in text
    assert "at most 75%" in text
    assert "66.6%!" in text
    assert "! where it is out of the bounds" in " ".join(text.split())
    assert audit([0, 0, 1, 1], ["F", "M", "F", "M"], beta=0, min_share=0.5, max_share=0.5).satisfied
    assert str(audit([0, 0], ["F", "M"], beta=0, min_share=0.5)).endswith("Every promise is kept.")


def test_a_least_share_is_a_promise():
    labels, sex = [0, 0, 0, 1, 1, 1], ["F", "M", "M", "F", "M", "M"]
    assert audit(labels, sex, beta={"M": 1}).unpromised == ("F",)
    assert audit(labels, sex, beta={"M": 1}, min_share={"F": 0.2}).unpromised == ()
    assert audit(labels, sex, beta={"M": 1}, max_share={"F": 0.4}).unpromised == ("F",)


def test_an_exclusive_cluster_counts_once():
    groups = {"a": [True, True, False, False], "b": [True, True, True, False]}
    asked = {"alpha": 0.5, "beta": {"a": 1, "b": 1}}
    labels = [0, 0, 1, 1]
    assert audit(labels, groups, exclusive=True, **asked).satisfied  # b has cluster 1 besides
    labels = [0, 0, 0, 1]
    assert audit(labels, groups, **asked).satisfied
    result = audit(labels, groups, exclusive=True, **asked)
    assert sum(result.n_lacking) == 1
    legend, *_, promises, _ = str(result).split("\n\n")  # beside what is enough, but may count for another
    assert legend.endswith("represent the group.\nA cluster counts for one group only.")
    assert "enough in" in promises
    assert "has clusters" not in promises


def test_members_that_a_cluster_needs_to_count():
    sex = ["F"] * 2 + ["M"] * 3 + ["F"] * 4
    result = audit([0] * 2 + [1] * 7, sex, alpha=0.5, beta={"F": 2}, min_members={"F": 3})
    assert result.represented.tolist() == [[False, True], [False, False]]
    assert result.shortfall[0, 0] == 1
    assert "50%, 3 members" in str(result)
    assert "'F' lacks 1 cluster" in str(result)


def test_a_handful_that_another_group_needs_counts_where_clusters_are_exclusive():
    # Both groups have the same two large clusters and a tiny third one.
    labels = [0] * 40 + [1] * 40 + [2] * 2
    groups = {"a": [True] * 82, "b": [True] * 82}
    beta = {"a": 2, "b": 1}
    assert audit(labels, groups, beta=beta).handfuls == ()
    assert audit(labels, groups, beta=beta, exclusive=True).satisfied
    assert [k for k, _ in audit(labels, groups, beta=beta, exclusive=True).handfuls] == [2]


def test_sizes_are_audited():
    sex = ["F", "F", "M", "F", "M", "M", "M"]
    labels = ["a", "a", "a", "b", "b", "b", "b"]
    kept = audit(labels, sex, min_size=3, max_size=[3, 4])
    assert kept.satisfied
    assert kept.is_sized
    assert (kept.min_size, kept.max_size) == ((3.0, 3.0), (3.0, 4.0))
    assert "size asked" in str(kept)
    broken = audit(labels, sex, min_size=[1, 5], max_size=[2, None])
    assert not broken.satisfied
    assert broken.too_small.tolist() == [False, True]
    assert broken.too_large.tolist() == [True, False]
    assert broken.max_size == (2.0, np.inf)
    assert str(broken).endswith("Broken: cluster b is too small, cluster a is too large.")
    assert repr(broken) == "<Audit: 2 groups, 2 clusters, broken for 2 clusters>"
    for bounds in ({"min_size": 4}, {"max_size": 3}):
        same = audit(labels, sex, **bounds)
        assert "Size asked of every cluster: at " in str(same)
        assert repr(same) == "<Audit: 2 groups, 2 clusters, broken for 1 cluster>"


def test_no_size_is_asked_unless_it_is():
    nothing = audit([0, 0, 2], ["F", "M", "M"], n_clusters=3)
    assert nothing.satisfied
    assert not nothing.is_sized
    assert (nothing.min_size, nothing.max_size) == ((0.0,) * 3, (np.inf,) * 3)
    assert "Size" not in str(nothing)
    empty = audit([0, 0, 2], ["F", "M", "M"], n_clusters=3, min_size=1)
    assert empty.too_small.tolist() == [False, True, False]


def test_sizes_are_weights_and_compared_exactly():
    weight = [0.1, 0.2, 0.3]
    result = audit([0, 0, 1], ["F", "M", "M"], sample_weight=weight, min_size=0.3, max_size=0.3)
    assert result.satisfied
    assert result.min_size == (0.3, 0.3)
    assert audit([0, 0, 1], ["F", "M", "M"], sample_weight=weight, min_size=0.31).too_small.all()


def test_the_audit_of_a_fit_knows_its_sizes():
    X, groups = np.arange(8.0)[:, None], ["F", "M"] * 4
    sized = MiniReL(2, beta=0, min_size=3, max_size=[5, None], random_state=0)
    result = sized.fit(X, sensitive_features=groups).audit_
    assert result.satisfied
    assert (result.min_size, result.max_size) == ((3.0, 3.0), (5.0, np.inf))
    assert not MiniReL(2, beta=0, random_state=0).fit(X, sensitive_features=groups).audit_.is_sized


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_size": -1}, "min_size must be a whole number of points, at least 0, but is -1"),
        ({"max_size": [1, 2, 3]}, "max_size must be a number, or 2 of them: one for each cluster, but has 3"),
        ({"max_size": [1, 0]}, r"max_size\[1\] must be a whole number of points, above 0, but is 0"),
    ],
)
def test_sizes_that_are_none(asked, message):
    with pytest.raises(ParameterError, match=message):
        audit([0, 0, 1], ["F", "M", "M"], **asked)


@pytest.mark.parametrize("n_more", [1, 2])
def test_clusters_in_pieces_beyond_the_first_few_are_counted(n_more):
    labels = np.repeat(np.arange(5 + n_more), 2)
    found = audit(labels, ["a", "b"] * (5 + n_more), beta=0, neighbours=[(1, 2)])
    said = pieces_in_words(found, [str(k) for k in found.clusters])
    assert len(said) == 6
    more = {1: "1 more cluster is", 2: "2 more clusters are"}
    assert said[-1] == f"{more[n_more]} in several pieces as well."
