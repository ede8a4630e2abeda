"""The diagnosis: conflict, nearest request and words."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from every_clustering import Case, make_groups, random_case
from minirel.points.errors import InfeasibleFairnessError
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from minirel.promises.exact import exact
from minirel.promises.fairness import read_fairness
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.diagnosis import explain_infeasible
from minirel.solvers.limits import Deadline
from thorough import often


def check_feasible(groups, weights, fairness, prefix=()):
    """Raise the explanation if no clustering keeps the request and these holders."""
    program = CountProgram(groups, weights, fairness)
    if program.choose(required=prefix).impossible:
        raise explain_infeasible(program, prefix)


def random_request(seed: int) -> tuple[Case, tuple]:
    """A case, every other time with holders of a prefix on top."""
    case = random_case(seed)
    table = case.fairness.allowed & (np.random.default_rng(seed).random(case.fairness.allowed.shape) < 0.4)
    return case, tuple((int(g), int(k)) for g, k in np.argwhere(table)) if seed % 2 else ()


def explain(case: Case, prefix=()) -> InfeasibleFairnessError:
    return explain_infeasible(CountProgram(case.groups, case.weights, case.fairness), prefix)


def only(case: Case, prefix, promises) -> tuple[Case, tuple]:
    """The request with just these promises."""
    fairness, n_clusters = case.fairness, case.fairness.n_clusters

    def kept(parameter, values, otherwise):
        named = zip(fairness.names, values, strict=True)
        return tuple(v if f"{parameter}[{name!r}]" in promises else otherwise for name, v in named)

    request = case.asking(
        beta=kept("beta", fairness.beta, 0),
        min_units=tuple(u if "min_size" in promises else min(u, 1) for u in fairness.min_units),
        max_units=fairness.max_units if "max_size" in promises else (fairness.total,) * n_clusters,
        min_share=kept("min_share", fairness.min_share, Fraction(0)),
        max_share=kept("max_share", fairness.max_share, Fraction(1)),
        min_members=kept("min_members", fairness.min_members, 0),
        exclusive="exclusive" in promises,
    )
    return request, tuple((g, k) for g, k in prefix if f"prefix {(fairness.names[g], k)!r}" in promises)


def nearest_sizes(case: Case, error: InfeasibleFairnessError) -> Case:
    """The request with the nearest sizes, which change only if no clustering has those asked."""
    fairness, sizes = case.fairness, {}
    for parameter, field in (("min_size", "min_units"), ("max_size", "max_units")):
        told = error.nearest.get(parameter)
        if told is not None:
            told = told if isinstance(told, list) else [told] * fairness.n_clusters
            sizes[field] = tuple(int(size / fairness.unit) for size in told)
    only_sizes = only(case, (), ("min_size", "max_size"))[0]
    assert bool(sizes) == (not only_sizes.represented)
    near = only_sizes.asking(**sizes)
    assert near.represented
    for field in sizes:
        before = getattr(fairness, field)
        assert len(set(before)) > 1 or len(set(sizes[field])) == 1
        for k in range(fairness.n_clusters) if len(set(before)) > 1 else ():
            assert before[k] == sizes[field][k] or not stays(near, only_sizes, field, k).represented
    return case.asking(**sizes)


def nearest_shares(case: Case, error: InfeasibleFairnessError, sized: Case) -> Case:
    """The request with the nearest shares, which change by as few steps as will do."""
    fairness = sized.fairness
    names = fairness.names

    def read(parameter, before, otherwise):
        if parameter not in error.nearest:
            return before
        told = error.nearest[parameter]
        if not isinstance(told, dict):  # one for all groups
            told = dict.fromkeys(names, told)
        return tuple(exact(told.get(name, otherwise), parameter, "a share") for name in names)

    shares = {
        "min_share": read("min_share", fairness.min_share, 0),
        "max_share": read("max_share", fairness.max_share, 1),
    }
    wider = sized.asking(**shares)
    changed = [(p, g) for p in shares for g, s in enumerate(shares[p]) if s != getattr(fairness, p)[g]]
    assert bool(changed) == (not sized.represented)
    assert wider.represented
    if changed:
        # To whole steps, nowhere further than to the first by which all bounds can be met.
        parts = 100 if min((s for s in fairness.min_share if s), default=1) >= Fraction(1, 10) else 1_000
        widened = (wider_by(sized, steps, parts) for steps in range(parts + 1))
        first = next(case for case in widened if case.represented).fairness
        assert all(getattr(first, p)[g] == shares[p][g] for p, g in changed)
        # And none of them can stay as it is.
        assert not any(stays(wider, sized, p, g).represented for p, g in changed)
    return wider


def wider_by(case: Case, steps: int, parts: int) -> Case:
    """The bounds on shares at the n-th whole hundredth, or thousandth, below and above."""
    fairness = case.fairness
    whole = [Fraction(i, parts) for i in range(parts + 1)]

    def further(share, beyond):
        return [share, *beyond, *[beyond[-1] if beyond else share] * (parts + 1)][steps]

    return case.asking(
        min_share=tuple(further(s, [h for h in whole[::-1] if h < s]) for s in fairness.min_share),
        max_share=tuple(further(s, [h for h in whole if h > s]) for s in fairness.max_share),
    )


def stays(near: Case, asked: Case, field: str, i: int) -> Case:
    """The nearest request with one number as it was asked."""
    values = list(getattr(near.fairness, field))
    values[i] = getattr(asked.fairness, field)[i]
    return near.asking(**{field: tuple(values)})


@pytest.mark.some(6)
@pytest.mark.parametrize("block", range(8))
def test_against_all_clusterings(block):
    n_told = 0
    for seed in range(20 * block, 20 * block + often(7, 20)):
        case, prefix = random_request(seed)
        if case.is_feasible(prefix):
            check_feasible(case.groups, case.weights, case.fairness, prefix)
            continue
        n_told += 1
        with pytest.raises(InfeasibleFairnessError) as caught:
            check_feasible(case.groups, case.weights, case.fairness, prefix)
        error, fairness = caught.value, case.fairness
        beta = dict(zip(fairness.names, fairness.beta, strict=True))

        # The conflict is one, and a minimal one.
        conflicting, pairs = only(case, prefix, error.conflict)
        assert not conflicting.is_feasible(pairs), seed
        for promise in error.conflict:
            rest, pairs = only(case, prefix, set(error.conflict) - {promise})
            assert rest.is_feasible(pairs), (seed, promise)

        for g, name in enumerate(fairness.names):
            if name in error.largest_beta:
                others = case.asking(beta=tuple(b * (h != g) for h, b in enumerate(fairness.beta)))
                tables = [t for t in others.counting(prefix) if (t.sum(1) >= others.fairness.beta).all()]
                assert error.largest_beta[name] == max((t[g].sum() for t in tables), default=None), seed
        assert {name for name, b in beta.items() if b} <= error.largest_beta.keys()

        # The nearest request can be met, and none that is nearer.
        sized = nearest_shares(case, error, nearest_sizes(case, error))
        kept = tuple((fairness.names.index(name), k) for name, k in error.nearest.get("prefix", []))
        if "prefix" not in error.nearest:
            kept = prefix
        assert set(kept) <= set(prefix)
        best = max(sum(table[pair] for pair in prefix) for table in sized.counting())
        assert len(kept) == best, seed
        lower = beta | error.nearest.get("beta", {})
        assert sized.asking(beta=tuple(lower.values())).is_feasible(kept), seed
        most = max(np.minimum(t.sum(1), fairness.beta).sum() for t in sized.counting(kept))
        assert sum(lower.values()) == most, seed
        assert error.nearest, seed
    assert n_told > often(0, 3)


def explained(membership, n_clusters, *, names="ABCDEFGHIJ", prefix=(), sample_weight=None, **request):
    groups = make_groups(membership, names)
    weights = read_weights(sample_weight, groups.n_points)
    fairness = read_fairness(groups, weights, n_clusters, **request)
    with pytest.raises(InfeasibleFairnessError) as caught:
        check_feasible(groups, weights, fairness, prefix)
    return caught.value


def test_too_few_members():
    error = explained(np.arange(20)[:, None] < 3, 5, names="F", alpha=0.51, beta=5)
    assert str(error) == (
        "group 'F' needs 5 clusters of at least 51% but has members for 3: lower beta['F'] to 3"
    )
    assert error.conflict == ("beta['F']",)
    assert error.largest_beta == {"F": 3}
    assert error.nearest == {"beta": {"F": 3}}
    assert error.status == "infeasible"


def test_a_lower_share_is_offered():
    error = explained(np.arange(100)[:, None] < 34, 10, names="F", alpha=0.51, beta=10, min_size=10)
    # Ten clusters of ten with 3 members each is all that 34 members make; with 5 to 6 each they fill 5.
    assert str(error) == (
        "group 'F' needs 10 clusters of at least 51% with min_size=10, which takes 60 members, but it has "
        "34: lower beta['F'] to 5, or alpha to 0.3 at the same beta"
    )
    # Nor could it have all ten without min_size, only nine.
    assert error.conflict == ("beta['F']",)
    assert error.largest_beta == {"F": 5}


def test_a_group_without_members():
    groups = read_groups({"F": [False] * 4, "M": [True, False] * 2})
    weights = read_weights(None, 4)
    fairness = read_fairness(groups, weights, 2, alpha=0.5, beta=1)
    with pytest.raises(InfeasibleFairnessError) as caught:
        check_feasible(groups, weights, fairness)
    assert str(caught.value) == (
        "group 'F' needs 1 cluster of at least 50% but has no members: lower beta['F'] to 0"
    )
    assert caught.value.nearest == {"beta": {"F": 0, "M": 1}}
    assert caught.value.largest_beta == {"F": 0, "M": None}


def test_groups_that_crowd_each_other_out():
    halves = np.repeat([0, 1], 50)[:, None] == [0, 1]
    error = explained(halves, 5, alpha=0.51, beta=3)
    assert str(error).startswith(
        "group 'A' needs 3 clusters of at least 51% and group 'B' needs 3 clusters of at least 51%, "
        "which no clustering into 5 clusters can do: lower beta["
    )
    assert error.conflict == ("beta['A']", "beta['B']")
    assert error.largest_beta == {"A": 2, "B": 2}
    assert sum(error.nearest["beta"].values()) == 5


def test_the_loss_is_shared():
    thirds = np.repeat([0, 1, 2], 30)[:, None] == [0, 1, 2]
    error = explained(thirds, 6, alpha=0.51, beta=4)
    assert error.nearest == {"beta": {"A": 2, "B": 2, "C": 2}}


def test_a_prefix_that_cannot_be_kept():
    halves = np.repeat([0, 1], 10)[:, None] == [0, 1]
    prefix = ((0, 0), (0, 1), (1, 1))
    error = explained(halves, 3, alpha=0.51, beta=None, prefix=prefix)
    assert str(error).startswith(
        "cluster 1 must be at least 51% 'A' and cluster 1 must be at least 51% 'B', which no clustering into "
        "3 clusters can do: drop ("
    )
    assert error.conflict == ("prefix ('A', 1)", "prefix ('B', 1)")
    assert error.nearest["prefix"] in ([("A", 0), ("A", 1)], [("A", 0), ("B", 1)])


def test_weights_that_do_not_fit_the_sizes():
    error = explained(np.zeros((3, 0)), 2, alpha=0.5, beta=0, sample_weight=[1.5, 1.5, 1], min_size=2)
    assert str(error) == "the points cannot be split into 2 clusters with min_size=2: lower min_size to 1.5"
    assert (error.conflict, error.nearest) == (("min_size",), {"min_size": 1.5})
    error = explained(np.zeros((3, 0)), 2, alpha=0.5, beta=0, sample_weight=[1.5, 1.5, 1], max_size=2)
    assert str(error) == "the points cannot be split into 2 clusters with max_size=2: raise max_size to 2.5"


def test_a_large_request_is_explained():
    rng = np.random.default_rng(0)
    columns = [rng.choice(size, size=5000)[:, None] == np.arange(size) for size in (4, 2, 3)]
    error = explained(np.hstack(columns), 20, alpha=0.51, beta=9)
    assert re.match("group '.' needs 9 clusters", str(error))
    groups = make_groups(np.hstack(columns))
    weights = read_weights(None, 5000)
    fairness = read_fairness(groups, weights, 20, alpha=0.51, beta=error.nearest["beta"])
    check_feasible(groups, weights, fairness)
    assert error.conflict
    lost = [9 - count for count in error.nearest["beta"].values()]
    # 16 too many holders of the four groups that exclude each other, 7 of the three.
    assert sum(lost) >= 23


def test_what_takes_too_long_is_left_open(monkeypatch):
    monkeypatch.setattr("minirel.promises.feasibility.conflict._EFFORT", 0)
    halves = np.repeat([0, 1], 50)[:, None] == [0, 1]
    error = explained(halves, 5, alpha=0.51, beta=3)
    assert error.conflict == ("beta['A']", "beta['B']")
    assert (error.largest_beta, error.nearest) == ({}, {})
    # What counting alone tells is told.
    assert str(error).endswith("which no clustering into 5 clusters can do: raise n_clusters to at least 6")


@pytest.mark.parametrize(
    ("sizes", "conflict", "nearest", "message"),
    [
        (
            {"min_size": 3},
            ("min_size",),
            {"min_size": 2},
            "min_size=3 asks for 4 clusters of 12 points in all, but there are 10: lower min_size to 2, "
            "or lower n_clusters to at most 3",
        ),
        (
            {"max_size": 2},
            ("max_size",),
            {"max_size": 3},
            "max_size=2 leaves 4 clusters room for 8, but there are 10 points: raise max_size to 3, or "
            "raise n_clusters to at least 5",
        ),
        (
            {"min_size": 3, "max_size": 2},
            ("max_size", "min_size"),
            {"min_size": 2, "max_size": 3},
            "min_size must be at most max_size, but min_size=3 and max_size=2: lower min_size to 2 and "
            "raise max_size to 3",
        ),
    ],
)
def test_contradictory_sizes(sizes, conflict, nearest, message):
    halves = np.repeat([0, 1], 5)[:, None] == [0, 1]
    error = explained(halves, 4, alpha=0.5, beta=1, **sizes)
    assert str(error) == message
    assert set(error.conflict) <= set(conflict)
    assert (error.nearest, error.status) == (nearest, "infeasible")
    assert error.largest_beta == {"A": None, "B": None}


# Promises of every kind, as a user reads them

THIRTY_F = np.arange(100)[:, None] < np.array([30, 100])
THIRTY_F[:30, 1] = False
THREE = np.repeat([0, 1, 2], [50, 30, 20])[:, None] == np.arange(3)


@pytest.mark.parametrize(
    ("request_", "message", "conflict", "nearest"),
    [
        (
            {"min_share": 0.4},
            "min_share asks that every cluster is at least 40% 'F', but 'F' is 30% of all points: lower "
            "min_share['F'] to 0.3",
            ("min_share['F']",),
            {"min_share": {"F": 0.3, "M": 0.4}},
        ),
        (
            {"min_share": {"F": 0.01, "M": 0.6}, "n_clusters": 31},
            "min_share asks that every cluster is at least 1% 'F', which takes a member in each of the "
            "31, but it has 30: lower min_share['F'] to 0, or lower n_clusters to at most 30",
            ("min_share['F']",),
            {"min_share": {"F": 0, "M": 0.6}},
        ),
        (
            {"max_share": {"M": 0.6}},
            "max_share asks that every cluster is at most 60% 'M', but 'M' is 70% of all points: raise "
            "max_share['M'] to 0.7",
            ("max_share['M']",),
            {"max_share": {"M": 0.7}},
        ),
        (
            {"max_share": {"M": 1 / 3, "F": Fraction(2, 3)}},
            "max_share asks that every cluster is at most 33.3333% 'M', but 'M' is 70% of all points: "
            "raise max_share['M'] to 0.7",
            ("max_share['M']",),
            {"max_share": {"F": Fraction(2, 3), "M": 0.7}},
        ),
        (
            {"min_share": {"F": 0.28}, "n_clusters": 30},
            "every cluster must be at least 28% 'F', which no clustering into 30 clusters can do: lower "
            "min_share['F'] to 0.25",
            ("min_share['F']",),
            {"min_share": {"F": 0.25}},
        ),
        (
            {"max_share": {"F": 0.4}, "beta": {"F": 1}},
            "every cluster must be at most 40% 'F' and group 'F' needs 1 cluster of at least 51%, which "
            "no clustering into 5 clusters can do: lower beta['F'] to 0, or alpha to 0.4 at the same beta",
            ("max_share['F']", "beta['F']"),
            {"beta": {"F": 0}},
        ),
        (
            {"min_members": 10, "beta": {"F": 4}},
            "group 'F' needs 4 clusters of at least 51% and 10 members, which takes 40 members, but it "
            "has 30: lower beta['F'] to 3, or min_members to 7 at the same beta",
            ("beta['F']", "min_members['F']"),
            {"beta": {"F": 3}},
        ),
        (
            {"min_members": {"F": 10.5}, "beta": {"F": 3}, "sample_weight": [1.0, 0.5] * 50},
            "group 'F' needs 3 clusters of at least 51% and members of weight 10.5, which takes members "
            "of weight 31.5, but they weigh 22.5: lower beta['F'] to 2, or min_members['F'] to 7.5 at the "
            "same beta",
            ("beta['F']", "min_members['F']"),
            {"beta": {"F": 2}},
        ),
        (
            {"min_members": 16, "prefix": ((0, 0), (0, 3)), "alpha": 0.2},
            "cluster 0 must be at least 20% 'F' and hold 16 of them and cluster 3 must be at least 20% "
            "'F' and hold 16 of them, which no clustering into 5 clusters can do: drop ('F', 0) from "
            "prefix",
            ("prefix ('F', 0)", "prefix ('F', 3)", "min_members['F']"),
            {"prefix": [("F", 3)]},
        ),
        (
            {"exclusive": True, "beta": 3, "alpha": 0.3},
            "group 'F' needs 3 clusters of at least 30% and group 'M' needs 3 clusters of at least 30%, "
            "which no clustering into 5 clusters can do if each counts for one group only: lower "
            "beta['F'] to 2, or drop exclusive, or raise n_clusters to at least 6",
            ("beta['F']", "beta['M']", "exclusive"),
            {"beta": {"F": 2, "M": 3}},
        ),
        (
            {"min_size": [10, 20, 30, 40, 50]},
            "min_size=[10, 20, 30, 40, 50] asks for 5 clusters of 150 points in all, but there are 100: "
            "lower min_size to [1, 9, 19, 29, 39]",
            ("min_size",),
            {"min_size": [1, 9, 19, 29, 39]},
        ),
        (
            {"max_size": [10, 20, 20, 20, 20]},
            "max_size=[10, 20, 20, 20, 20] leaves 5 clusters room for 90, but there are 100 points: raise "
            "max_size to [12, 22, 22, 22, 22]",
            ("max_size",),
            {"max_size": [12, 22, 22, 22, 22]},
        ),
        (
            {"min_size": [10, 20, 30, 10, 5], "max_size": [20, 20, 20, 20, 40]},
            "min_size must be at most max_size, but they are 30 and 20 for cluster 2: lower min_size to "
            "[10, 20, 20, 10, 5]",
            ("max_size", "min_size"),
            {"min_size": [10, 20, 20, 10, 5]},
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_new_promises(request_, message, conflict, nearest):
    asked = {"n_clusters": 5, "alpha": 0.51, "beta": 0, **request_}
    error = explained(THIRTY_F, names="FM", **asked)
    assert str(error) == message
    assert (error.conflict, error.nearest) == (conflict, nearest)
    # What is offered can be met.
    if "prefix" not in nearest:
        met = asked | nearest
        groups, weights = make_groups(THIRTY_F, "FM"), read_weights(met.pop("sample_weight", None), 100)
        fairness = read_fairness(groups, weights, met.pop("n_clusters"), **met)
        assert CountProgram(groups, weights, fairness).choose().possible


def test_several_bounds_of_which_one_must_give_way():
    error = explained(THREE, 5, alpha=0.3, beta=0, min_share=0.2, max_share=0.3)
    assert str(error).endswith("but 'A' is 50% of all points: raise max_share['A'] to 0.5")
    assert error.nearest == {"max_share": {"A": 0.5, "B": 0.3, "C": 0.3}}


def test_fewer_clusters_are_advised_only_where_they_might_do():
    groups = np.repeat([0, 1], [30, 70])[:, None] == np.arange(2)
    error = explained(groups, 4, names="FM", alpha=0.9, beta=3, min_size=30)
    assert error.nearest["min_size"] == 25
    assert "n_clusters" not in str(error)
    error = explained(groups, 4, names="FM", alpha=0.2, beta=1, min_size=30)
    assert str(error).endswith("lower min_size to 25, or lower n_clusters to at most 3")


def test_one_bound_for_all_is_lowered_for_all():
    four = np.repeat(np.arange(4), 25)[:, None] == np.arange(4)
    error = explained(four, 3, alpha=0.3, beta=0, min_share=0.25, min_size=33)
    assert str(error).endswith("can do with min_size=33: lower min_share to 0.23")
    assert error.nearest == {"min_share": 0.23}


def test_small_bounds_are_lowered_by_small_steps():
    few = np.arange(1_000)[:, None] < 28
    error = explained(few, 7, names="F", alpha=0.3, beta=0, min_share=0.035)
    assert str(error) == (
        "min_share asks that every cluster is at least 3.5% 'F', but 'F' is 2.8% of all points: lower "
        "min_share to 0.027"
    )


def test_of_many_small_bounds_those_that_all_points_break_are_lowered():
    sizes = [4, *[12] * 66]
    many = np.repeat(np.arange(67), sizes)[:, None] == np.arange(67)
    names = [f"group {i}" for i in range(67)]
    error = explained(many, 3, names=names, alpha=0.3, beta=0, min_share=0.012)
    assert str(error).endswith("lower min_share['group 0'] to 0.005")
    assert error.nearest["min_share"]["group 1"] == 0.012


@pytest.mark.some(10)
@pytest.mark.parametrize("seed", range(30))
def test_nearest_sizes_fit_whole_points_of_fine_weight_as_they_are_read(seed):
    rng = np.random.default_rng(seed)
    n, n_clusters = int(rng.integers(3, 8)), int(rng.integers(2, 4))
    values = rng.random(n) if seed % 2 else rng.random(n).round(9)
    weights = read_weights(values, n)
    mean = float(values.sum()) / n_clusters
    asked = {"min_size": mean * 0.999} if seed % 3 else {"max_size": mean * 1.001}
    groups = make_groups(np.zeros((n, 0)))
    fairness = read_fairness(groups, weights, n_clusters, alpha=0.5, beta=0, **asked)
    case = Case(groups, weights, fairness)
    if case.is_feasible():
        check_feasible(groups, weights, fairness)
        return
    error = explained(np.zeros((n, 0)), n_clusters, alpha=0.5, beta=0, sample_weight=values, **asked)
    (parameter, value), *more = error.nearest.items()
    assert not more
    assert parameter in asked
    changed = read_fairness(groups, weights, n_clusters, alpha=0.5, beta=0, **error.nearest)
    assert Case(groups, weights, changed).is_feasible()
    # And no size is nearer, but for what a double cannot say.
    step = 1 if parameter == "min_size" else -1
    units = int(Fraction(value) / weights.unit) + 2 * step
    limit = {"min_units" if step == 1 else "max_units": (units,) * n_clusters}
    assert not case.asking(**limit).is_feasible()


def test_hundreds_of_groups_that_need_more_clusters_than_there_are():
    sizes = np.maximum(3000 // (1 + np.arange(300)), 1)
    which = np.repeat(np.arange(300), sizes)
    groups = read_groups(which, n_points=len(which))
    weights = read_weights(None, len(which))
    fairness = read_fairness(groups, weights, 8, alpha=0.51, beta=1)
    with pytest.raises(InfeasibleFairnessError) as caught:
        check_feasible(groups, weights, fairness)
    error = caught.value
    assert str(error).startswith(
        "300 groups without a common member need at least 300 clusters to be represented as asked, but there "
        "are 8: lower beta to 1 for 0 and 1 for 1 and "
    )
    assert str(error).endswith(" and to 0 for all others, or raise n_clusters to at least 300")
    # The largest groups keep theirs, and it can be done.
    assert error.nearest["beta"] == dict.fromkeys(range(len(error.nearest["beta"])), 1)
    assert len(error.nearest["beta"]) >= 7
    near = read_fairness(groups, weights, 8, alpha=0.51, **error.nearest)
    assert CountProgram(groups, weights, near).choose().possible
    assert len(error.conflict) <= 9


def test_larger_groups_keep_their_clusters():
    which = np.repeat(np.arange(5), [2, 40, 3, 50, 5])[:, None] == np.arange(5)
    error = explained(which, 3, alpha=0.51, beta=1)
    assert error.nearest == {"beta": {"A": 0, "B": 1, "C": 0, "D": 1, "E": 1}}


def test_too_small_a_group_for_clusters_of_even_size_is_told_in_its_weight():
    """Very many weights, in whole units of many people: nothing is said about dividing them."""
    rng = np.random.default_rng(0)
    people = rng.integers(0, 5000, size=1200)
    member = np.arange(1200) < 260
    mean = people.sum() / 4
    smallest, largest = math.ceil(0.95 * mean), math.floor(1.05 * mean)
    sizes = {"min_size": smallest, "max_size": largest}
    error = explained(member[:, None], 4, alpha=0.5, beta=2, sample_weight=people, names="F", **sizes)
    assert str(error).startswith(
        f"group 'F' needs 2 clusters of at least 50% with min_size={smallest}, which takes members of weight "
        f"{2 * math.ceil(smallest / 2):,}, but they weigh {people[member].sum():,}: lower beta['F'] to 1"
    )
    assert error.nearest == {"beta": {"F": 1}}


def test_the_time_of_the_user_ends_an_explanation():
    halves = np.repeat([0, 1], 50)[:, None] == [0, 1]
    groups, weights = make_groups(halves), read_weights(None, 100)
    fairness = read_fairness(groups, weights, 5, alpha=0.51, beta=3)
    error = explain_infeasible(CountProgram(groups, weights, fairness).until(Deadline(1e-9)))
    assert (error.conflict, error.nearest) == (("beta['A']", "beta['B']"), {})
