"""Single moves, against every move there is."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from instances import Instance, is_fair
from minirel.assignment.request import Request, read_request
from minirel.clustering import moves
from minirel.clustering.moves import Moves, PromiseState, surviving_holders
from minirel.points.groups import read_groups
from minirel.points.weights import read_weights
from random_instances import ALPHAS
from thorough import often

HUGE = (1, 2**20, 2**40 + 1, 3 * 2**40, 2**46 - 1)
KINDS = ("points", "weights", "huge weights", "long alpha")


def read(instance: Instance) -> Request:
    """The request as the package reads it; the instance itself is read by the tests' own code."""
    options = instance.options
    return read_request(
        read_groups(instance.sensitive_features, n_points=instance.n_points),
        read_weights(options.get("sample_weight"), instance.n_points),
        instance.n_clusters,
        alpha=options["alpha"],
        beta=options["beta"],
        prefix=options.get("prefix"),
        allowed=options.get("allowed"),
        min_size=options.get("min_size", 1),
        max_size=options.get("max_size"),
        min_share=options.get("min_share"),
        max_share=options.get("max_share"),
        min_members=options.get("min_members", 1),
        exclusive=options.get("exclusive", False),
    )


def moves_of_some(
    costs: np.ndarray, some: np.ndarray, labels: np.ndarray, request: Request
) -> np.ndarray | None:
    """The labels after moves; None if there are none. What is known of the clusters has followed them."""
    state = PromiseState(request, labels)
    made = moves.single_moves(costs, some, labels, state)
    better = labels.copy()
    assert (better[made.points] == made.source).all()
    assert (made.source != made.target).all()
    better[made.points] = made.target
    assert_same_state(state, PromiseState(request, better))
    return better if made else None


def assert_same_state(state: PromiseState, anew: PromiseState) -> None:
    assert state.size.tolist() == anew.size.tolist()
    assert state.total.tolist() == anew.total.tolist()
    assert state.count.tolist() == anew.count.tolist()
    assert state.weight_of_clusters.tolist() == anew.weight_of_clusters.tolist()


def single_moves(costs: np.ndarray, labels: np.ndarray, request: Request) -> np.ndarray | None:
    """Moves of any point."""
    return moves_of_some(costs, np.arange(len(labels)), labels, request)


def planted(seed: int, kind: str) -> tuple[Instance, np.ndarray]:
    """An instance, and labels that keep just what it asks."""
    rng = np.random.default_rng(seed)
    n, n_clusters = int(rng.integers(8, 41)), int(rng.integers(2, 5))
    features = rng.random((n, int(rng.integers(1, 4)))) < rng.choice([0.3, 0.5, 0.8])
    labels = rng.permutation(np.r_[np.arange(n_clusters), rng.integers(0, n_clusters, size=n - n_clusters)])
    options: dict[str, Any] = {}
    if kind == "weights":
        weights = rng.choice([0, 0.5, 1, 1.25, 3], size=n)
        weights[[int(np.argmax(labels == k)) for k in range(n_clusters)]] = 1.5
        options["sample_weight"] = weights.tolist()
    if kind == "huge weights":
        options["sample_weight"] = [int(w) for w in rng.choice(HUGE, size=n)]
    choice = ALPHAS if kind != "long alpha" else (0.1234567890123456, 0.5000000000000001, 0.3333333333333333)
    if kind == "huge weights":
        choice = (*ALPHAS, 0.1234567890123456)
    options["alpha"] = {g: float(rng.choice(choice)) for g in range(features.shape[1])}
    if rng.random() < 0.5:
        options["allowed"] = rng.random((features.shape[1], n_clusters)) < 0.7
    costs = ((rng.normal(size=(n, 1, 2)) - rng.normal(size=(n_clusters, 2))) ** 2).sum(axis=2)
    if rng.random() < 0.3:
        costs = rng.integers(0, 4, size=costs.shape).astype(float)

    shape = Instance(costs, features, options)
    inside = [labels == k for k in range(n_clusters)]
    sizes = [sum(w for w, i in zip(shape.weights, part, strict=True) if i) for part in inside]
    members = {
        name: [
            sum((w for w, i, g in zip(shape.weights, part, member, strict=True) if i and g), Fraction())
            for part in inside
        ]
        for name, member in shape.groups.items()
    }
    more = np.random.default_rng([seed, KINDS.index(kind)])  # of its own, for promises to every cluster
    options |= promises_to_clusters(more, members, sizes)
    holds = {
        name: [
            k
            for k in np.flatnonzero(shape.allowed[name]).tolist()
            if members[name][k] >= max(shape.alpha[name] * sizes[k], shape.min_members.get(name, 0))
        ]
        for name in shape.groups
    }
    if more.random() < 0.3:  # each cluster for one of those that could have it
        options["exclusive"] = True
        for k in range(n_clusters):
            could = [name for name in holds if k in holds[name]]
            for name in more.permutation(could)[1:]:
                holds[name].remove(k)
    options["beta"] = {name: max(0, len(holds[name]) - int(rng.integers(2))) for name in holds}
    pairs = [(name, k) for name in holds for k in holds[name]]
    if rng.random() < 0.5:
        chosen = rng.random(len(pairs)) < 0.4
        options["prefix"] = [pair for pair, is_chosen in zip(pairs, chosen, strict=True) if is_chosen]
    if rng.random() < 0.4:
        options.setdefault("min_size", float(min(sizes)) if min(sizes).denominator != 1 else int(min(sizes)))
    if rng.random() < 0.4:
        options.setdefault("max_size", float(max(sizes)) if max(sizes).denominator != 1 else int(max(sizes)))
    return Instance(costs, features, options), labels.astype(np.intp)


def promises_to_clusters(
    rng: np.random.Generator, members: dict[int, list[Fraction]], sizes: list[Fraction]
) -> dict[str, Any]:
    """Shares, members and sizes by cluster that are just what there is."""
    asked: dict[str, Any] = {}
    shares = {name: [m / s for m, s in zip(row, sizes, strict=True)] for name, row in members.items()}
    some = [name for name in members if rng.random() < 0.6]
    if rng.random() < 0.25:
        asked["min_share"] = {name: min(shares[name]) for name in some}
    if rng.random() < 0.25:
        asked["max_share"] = {name: max(shares[name]) for name in some}
    if rng.random() < 0.3:
        least = {name: members[name][int(rng.integers(len(sizes)))] for name in some}
        asked["min_members"] = {name: number for name, number in least.items() if number > 1}
    if rng.random() < 0.2:
        asked["min_size"] = [size if rng.random() < 0.6 else 1 for size in sizes]
    if rng.random() < 0.2:
        asked["max_size"] = [size if rng.random() < 0.6 else None for size in sizes]
    return asked


def every_move(instance: Instance, labels: np.ndarray) -> list[tuple[int, int]]:
    """Moves of single points that lower the cost and keep every promise."""
    own = instance.costs[np.arange(instance.n_points), labels]
    counts = np.array([weight > 0 for weight in instance.weights])
    points, targets = np.nonzero((instance.costs < own[:, None] - 1e-9) & counts[:, None])
    moved = np.repeat(labels[None], len(points), axis=0)
    moved[np.arange(len(points)), points] = targets
    fair = is_fair(instance, moved) if len(points) else np.zeros(0, dtype=bool)
    return list(zip(points[fair].tolist(), targets[fair].tolist(), strict=True))


@pytest.mark.some(8)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", range(4))
def test_no_move_is_left(block: int, kind: str) -> None:
    n_moved = 0
    for seed in range(15 * block, 15 * block + often(8, 15)):
        instance, labels = planted(seed, kind)
        assert is_fair(instance, labels[None])[0], f"seed {seed}: the test itself is wrong"
        request, given = read(instance), labels.copy()
        while True:
            possible = every_move(instance, labels)
            better = single_moves(instance.costs, labels, request)
            told = f"seed {seed}: {instance!r} {labels.tolist()} {possible}"
            assert (better is None) == (not possible), told
            if better is None:
                break
            assert is_fair(instance, better[None])[0], told
            assert instance.exact_cost(better) < instance.exact_cost(labels)
            assert better is not labels
            n_moved += 1
            labels = better
        np.testing.assert_array_equal(planted(seed, kind)[1], given)
    assert n_moved > 5


@pytest.mark.parametrize("kind", KINDS)
def test_standing_is_exact(kind: str) -> None:
    """`all_kept`, `feasible_moves` and `move` against fractions, also where products leave 64 bits."""
    n_true = n_false = 0
    for seed in range(40):
        instance, labels = planted(seed, kind)
        request = read(instance)
        rng = np.random.default_rng(seed)
        state = PromiseState(request, labels)
        assert state.all_kept
        units = request.weights.units
        units = np.ones(instance.n_points, dtype=np.int64) if units is None else units
        points = np.repeat(np.arange(instance.n_points), instance.n_clusters)
        targets = np.tile(np.arange(instance.n_clusters), instance.n_points)
        real = (labels[points] != targets) & (units[points] > 0)
        points, targets = points[real], targets[real]
        moved = np.repeat(labels[None], len(points), axis=0)
        moved[np.arange(len(points)), points] = targets
        expected = is_fair(instance, moved)
        got = state.feasible_moves(points, labels[points], targets)
        np.testing.assert_array_equal(got, expected, err_msg=f"seed {seed}")
        # Many moves are looked up by kind.
        often = np.tile(np.arange(len(points)), 50)
        got = state.feasible_moves(points[often], labels[points[often]], targets[often])
        np.testing.assert_array_equal(got, expected[often], err_msg=f"seed {seed}")
        n_true, n_false = n_true + int(expected.sum()), n_false + int((~expected).sum())
        j = int(rng.integers(len(points)))
        move = Moves(points[j : j + 1], labels[points[j : j + 1]], targets[j : j + 1])
        assert state.move_if_kept(move) == expected[j]
        assert_same_state(state, PromiseState(request, moved[j] if expected[j] else labels))
        if not expected[j]:
            state.move(move)
            assert not state.all_kept
            assert_same_state(state, PromiseState(request, moved[j]))
    assert min(n_true, n_false) > 100


def test_long_products_leave_64_bits() -> None:
    kinds = {
        kind: {PromiseState(read(instance), labels).size.dtype for instance, labels in map_planted(kind)}
        for kind in KINDS
    }
    assert kinds["points"] == {np.dtype(np.int64)}
    assert np.dtype(object) in kinds["huge weights"]
    assert np.dtype(np.int64) in kinds["huge weights"]


def map_planted(kind: str) -> list[tuple[Instance, np.ndarray]]:
    return [planted(seed, kind) for seed in range(40)]


def simple(costs: Any, groups: list[str], **options: Any) -> Instance:
    return Instance(np.array(costs, dtype=float), np.array(groups), {"alpha": 0.5, "beta": 0, **options})


def test_all_moves_at_once_where_they_fit() -> None:
    instance = simple([[5, 0], [5, 0], [0, 5], [0, 5]], ["a", "b", "a", "b"])
    better = single_moves(instance.costs, np.array([0, 0, 1, 1]), read(instance))
    assert better is not None
    assert better.tolist() == [1, 1, 0, 0]


def test_the_move_that_saves_most_comes_first() -> None:
    # One may leave cluster 0, of at least two points, and point 2 saves most.
    instance = simple([[5, 1], [5, 2], [9, 0], [5, 0]], ["a"] * 4, min_size=2)
    labels = np.array([0, 0, 0, 1])
    better = single_moves(instance.costs, labels, read(instance))
    assert better is not None
    assert better.tolist() == [0, 0, 1, 1]


def test_savings_count_by_weight() -> None:
    instance = simple([[5, 1], [5, 0], [5, 9], [9, 0]], ["a"] * 4, sample_weight=[10, 1, 2, 1], min_size=3)
    better = single_moves(instance.costs, np.array([0, 0, 0, 1]), read(instance))
    assert better is not None
    assert better[0] == 1


def test_a_share_that_another_cluster_takes_over() -> None:
    """A group may lose a cluster when it wins another by the same move."""
    instance = simple(
        [[3, 0], [0, 3], [0, 3], [3, 0]], ["a", "b", "b", "b"], alpha=0.5, beta={"a": 1, "b": 1}, prefix=None
    )
    labels = np.array([0, 0, 1, 1])  # a is half of cluster 0, then half of cluster 1 or a third
    for move in every_move(instance, labels):
        assert move in [(0, 1), (2, 0), (3, 1)]
    better = single_moves(instance.costs, labels, read(instance))
    assert (better is None) == (not every_move(instance, labels))


def test_only_some_points_move() -> None:
    instance = simple([[5, 0], [5, 0], [0, 5], [0, 5]], ["a", "b", "a", "b"])
    labels, some = np.array([0, 0, 1, 1]), np.array([1, 2])
    better = moves_of_some(instance.costs[some], some, labels, read(instance))
    assert better is not None
    assert better.tolist() == [0, 1, 0, 1]
    for few in (np.array([], dtype=np.intp), np.array([1])):
        nobody = moves_of_some(instance.costs[few], few, np.array([0, 1, 0, 1]), read(instance))
        assert nobody is None


@pytest.mark.parametrize(
    ("promise", "points"),
    [
        ({}, [0, 1, 2]),
        ({"min_share": {"a": 0.5}}, [0, 1]),
        ({"min_share": {"b": Fraction(1, 3)}}, [0, 1]),
        ({"max_share": {"b": Fraction(1, 2)}}, [0, 1]),
        ({"max_share": {"a": Fraction(2, 3)}}, [0, 1]),
        ({"max_share": {"b": 0.4}}, None),
        ({"min_size": [3, 1]}, []),
        ({"min_size": [1, 3]}, None),
        ({"max_size": [None, 2]}, []),
        ({"max_size": [3, None]}, [0, 1, 2]),
        ({"beta": {"a": 1}, "min_members": 2}, [0, 1, 2]),
        ({"beta": {"a": 1}, "min_members": 3}, None),
        ({"prefix": [("a", 0)], "min_members": 2}, [2]),
    ],
)
def test_single_moves_keep_each_promise(promise: dict[str, Any], points: list[int] | None) -> None:
    """One of 'aab' in cluster 0 joins 'ab' in cluster 1, where it costs nothing; None if it is unfair now."""
    check_movers(simple([[5, 0]] * 5, list("aabab"), **promise), [0, 0, 0, 1, 1], points)


@pytest.mark.parametrize(("exclusive", "points"), [(False, [0, 2]), (True, [0])])
def test_two_groups_are_not_left_with_one_cluster(exclusive: bool, points: list[int]) -> None:
    """'abc' in cluster 0 and 'acc' in cluster 1: with another 'c' there, 'a' has no share but beside 'b'."""
    asked = {"alpha": Fraction(1, 3), "beta": {"a": 1, "b": 1}, "exclusive": exclusive}
    check_movers(simple([[5, 0]] * 6, list("abcacc"), **asked), [0, 0, 0, 1, 1, 1], points)


def check_movers(instance: Instance, given: list[int], points: list[int] | None) -> None:
    """Which points of cluster 0 may move, each alone."""
    labels, request = np.array(given), read(instance)
    assert is_fair(instance, labels[None])[0] == (points is not None)
    assert PromiseState(request, labels).all_kept == (points is not None)
    if points is None:
        return
    alone = [np.array([i]) for i in range(len(given)) if given[i] == 0]
    may = [some for some in alone if moves_of_some(instance.costs[some], some, labels, request) is not None]
    assert [int(some[0]) for some in may] == points
    assert [i for i, _ in every_move(instance, labels)] == points


def test_promised_pairs_stay() -> None:
    instance = simple([[5, 0], [0, 5], [5, 0], [5, 0]], ["a", "b", "b", "a"], prefix=[("a", 0)])
    labels = np.array([0, 0, 1, 1])  # a is half of cluster 0: it must not leave
    assert single_moves(instance.costs, labels, read(instance)) is None
    free = simple([[5, 0], [0, 5], [5, 0], [5, 0]], ["a", "b", "b", "a"])
    assert single_moves(free.costs, labels, read(free)) is not None


def test_ties_and_rounding_are_no_reason_to_move() -> None:
    costs = np.array([[1.0, 1.0], [2.0, 2.0 - 1e-13], [1.0, 3.0], [3.0, 1.0]])
    assert single_moves(costs, np.array([0, 0, 0, 1]), read(simple(costs, ["a"] * 4))) is None


def test_an_outlier_does_not_hide_what_others_save() -> None:
    """What is rounding for a point far away is not for the others."""
    costs = np.array([[1e13, 4e13], [1.0, 0.5], [0.0, 3.0], [3.0, 0.0]])
    better = single_moves(costs, np.array([0, 0, 0, 1]), read(simple(costs, ["a"] * 4)))
    assert better is not None
    assert better.tolist() == [0, 1, 0, 1]


def test_points_without_weight_stay() -> None:
    instance = simple([[5, 0], [0, 5], [5, 0]], ["a"] * 3, sample_weight=[0, 1, 2])
    assert single_moves(instance.costs, np.array([0, 0, 1]), read(instance)) is None


def test_many_moves_in_several_rounds() -> None:
    """More moves than are looked at in one round, of which not all fit together."""
    rng = np.random.default_rng(0)
    n = 2_600
    costs = rng.random((n, 2))
    groups = rng.random((n, 1)) < 0.5
    labels = costs.argmax(axis=1).astype(np.intp)
    n_members = [int(groups[labels == k].sum()) for k in range(2)]
    sizes = [int((labels == k).sum()) for k in range(2)]
    options = {"alpha": 0.49, "beta": {0: 2}, "max_size": max(sizes)}
    instance = Instance(costs, groups, options)
    assert all(m >= math.ceil(0.49 * s) for m, s in zip(n_members, sizes, strict=True))
    request, rounds, cost = read(instance), 0, instance.exact_cost(labels)
    while (better := single_moves(costs, labels, request)) is not None:
        before, cost = cost, instance.exact_cost(better)
        assert cost < before
        labels, rounds = better, rounds + 1
        assert rounds < 200
    assert is_fair(instance, labels[None])[0]
    assert not every_move_count(instance, labels)


def every_move_count(instance: Instance, labels: np.ndarray) -> list[tuple[int, int]]:
    """As `every_move`, a point of each kind at a time, since all points of a kind keep the same promises."""
    kinds = np.column_stack([instance.sensitive_features, labels])
    own = instance.costs[np.arange(instance.n_points), labels]
    left = []
    for kind in np.unique(kinds, axis=0):
        for k in range(instance.n_clusters):
            points = np.flatnonzero((kinds == kind).all(axis=1) & (instance.costs[:, k] < own - 1e-9))
            if len(points):
                moved = labels.copy()
                moved[points[0]] = k
                if is_fair(instance, moved[None])[0]:
                    left.append((int(points[0]), k))
    return left


# Which pairs hold after moves.


def test_surviving_holders_stay_and_others_are_replaced() -> None:
    groups = ["a", "a", "b", "b", "a", "b"]
    instance = simple(np.zeros((6, 3)), groups, alpha=0.6, beta={"a": 1, "b": 1})
    request = read(instance)
    labels = np.array([0, 0, 1, 1, 2, 2])  # a has cluster 0, b has cluster 1, nobody has cluster 2
    assert surviving_holders(labels, ((0, 0), (1, 1)), request) == ((0, 0), (1, 1))
    assert surviving_holders(labels, ((0, 2), (1, 1)), request) == ((0, 0), (1, 1))
    assert surviving_holders(labels, ((0, 1), (1, 0)), request) == ((0, 0), (1, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_surviving_holders_hold_and_are_enough(kind: str) -> None:
    n_kept = n_exclusive = 0
    for seed in range(40):
        instance, labels = planted(seed, kind)
        request = read(instance)
        rng = np.random.default_rng(seed)
        pairs = [(g, k) for g in range(len(instance.groups)) for k in range(instance.n_clusters)]
        before = tuple(pair for pair in pairs if rng.random() < 0.3)
        after = surviving_holders(labels, before, request)
        pinned = Instance(
            instance.costs, instance.sensitive_features, {**instance.options, "prefix": list(after)}
        )
        assert is_fair(pinned, labels[None])[0], f"seed {seed}"
        for g, beta in instance.beta.items():
            assert sum(pair[0] == g for pair in after) >= beta
        if instance.is_exclusive:
            assert len({k for _, k in after}) == len(after)
            n_exclusive += 1
            continue
        for pair in before:
            alone = {**instance.options, "prefix": [pair]}
            still = is_fair(Instance(instance.costs, instance.sensitive_features, alone), labels[None])[0]
            asked = instance.beta[pair[0]] > 0 or any(
                g == pair[0] for g, _ in instance.options.get("prefix", [])
            )
            if still and instance.allowed[pair[0]][pair[1]] and asked:
                assert pair in after
                n_kept += 1
    assert n_kept > 10
    assert n_exclusive > 5


def crowded(
    n_points: int, weights: np.ndarray | None = None, **sizes: float
) -> tuple[PromiseState, np.ndarray]:
    """Two clusters that hold half the points each, and nothing promised but sizes."""
    labels = np.arange(n_points) % 2
    options = {"alpha": {0: 0.5}, "beta": {0: 0}, "sample_weight": weights, **sizes}
    instance = Instance(np.zeros((n_points, 2)), np.ones((n_points, 1), dtype=bool), options)
    return PromiseState(read(instance), labels), labels


@pytest.mark.parametrize("ahead", [1, 2, 4, 256])
def test_nothing_more_fits_after_many_moves_at_once(ahead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was feasible alone, but did not fit in with others, is tried again after them."""
    monkeypatch.setattr(moves, "_MOST_AHEAD", ahead)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        weights = rng.choice([1, 2, 5, 9], size=60)
        most = int(weights[1::2].sum() + rng.integers(9, 40))
        state, labels = crowded(60, weights, max_size=[10_000, most])
        points = rng.permutation(np.flatnonzero(labels == 0))
        made = moves.several_at_once(state, labels, points, np.ones_like(points))
        taken = [i for i in points.tolist() if i in made.points]
        others = np.setdiff1d(points, made.points)
        assert 0 < len(taken) < len(points)
        assert not state.feasible_moves(others, labels[others], np.ones_like(others)).any()
        # As one by one, in order.
        alone, one_by_one = crowded(60, weights, max_size=[10_000, most])[0], []
        for i in points.tolist():
            if alone.move_if_kept(Moves(np.array([i]), labels[[i]], np.array([1]))):
                one_by_one.append(i)
        assert taken == one_by_one


def test_as_many_moves_are_made_at_once_as_fit() -> None:
    """Two points may join a cluster with room for one if two others leave it: half of these moves do."""
    state, labels = crowded(20, max_size=11)
    points = np.array([0, 2, 1, 3, 4, 6, 8, 10])
    made = moves.several_at_once(state, labels, points, 1 - labels[points])
    assert made.points.tolist() == [0, 1, 2, 3, 4]


def test_a_round_has_so_many_moves_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "_MAX_MOVES", 3)
    state, labels = crowded(20, max_size=15)
    points = np.flatnonzero(labels == 0)
    assert len(moves.several_at_once(state, labels, points, np.ones_like(points)).points) == 3
