"""The oracle itself: what it calls fair, by hand and against a second reading of what is asked."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from instances import Instance, is_fair, is_feasible, optimum, tally
from planted import one_group_each, plant
from random_instances import random_batch, random_instance
from thorough import often


def asked(features: str, n_clusters: int, **options: Any) -> Instance:
    """A letter per point names its group; nothing is asked but what is told."""
    costs = np.zeros((len(features), n_clusters))
    return Instance(costs, np.array(list(features)), {"alpha": 0.5, "beta": 0, **options})


def keeps(instance: Instance, *labels: int) -> bool:
    return bool(is_fair(instance, np.array([labels]))[0])


@pytest.mark.parametrize(
    ("options", "is_kept"),
    [
        ({"min_share": {"x": 0.51}}, True),
        ({"max_share": {"x": 0.51}}, True),
        ({"min_share": {"x": 0.5100000000000001}}, False),
        ({"max_share": {"x": 0.5099999999999999}}, False),
        ({"min_share": 0.49, "max_share": 0.51}, True),
        ({"min_share": 0.5}, False),
        ({"max_share": 0.5}, False),
        ({"max_share": {"y": 0.5}}, True),
        ({"min_share": {}}, True),
        ({"min_share": None, "max_share": None}, True),
    ],
)
def test_shares_are_exact(options: dict[str, Any], is_kept: bool) -> None:
    assert keeps(asked("x" * 51 + "y" * 49, 1, **options), *[0] * 100) == is_kept


def test_shares_are_by_weight_and_in_decimals() -> None:
    # In doubles, 0.1 + 0.2 is more than 0.3.
    thirty = asked("xxy", 1, sample_weight=[0.1, 0.2, 0.7], min_share={"x": 0.3}, max_share={"x": 0.3})
    assert keeps(thirty, 0, 0, 0)
    # A third is more than any decimal that begins with 0.3333.
    third = asked("xyy", 1)
    assert keeps(third.asking(min_share=0.3333333333333333), 0, 0, 0)
    assert not keeps(third.asking(max_share={"x": 0.3333333333333333}), 0, 0, 0)


def test_shares_hold_in_every_cluster() -> None:
    mixed = asked("xyxy", 2, min_share={"x": 0.5})
    assert keeps(mixed, 0, 0, 1, 1)
    assert not keeps(mixed, 0, 1, 0, 1)
    assert not keeps(asked("xyxy", 2, max_share=0.5), 0, 1, 0, 0)


def test_empty_clusters_keep_their_shares() -> None:
    mixed = asked("xy", 2, min_share=0.5, max_share=0.5)
    assert not keeps(mixed, 0, 0)
    assert keeps(mixed.asking(min_size=0), 0, 0)
    assert keeps(mixed.asking(min_size=[1, 0]), 0, 0)
    assert not keeps(mixed.asking(min_size=[1, 0]), 1, 1)


def test_sizes_by_cluster() -> None:
    three = asked("xyz", 2)
    assert keeps(three.asking(min_size=[1, 2]), 0, 1, 1)
    assert not keeps(three.asking(min_size=[2, 1]), 0, 1, 1)
    assert keeps(three.asking(max_size=(1, None)), 0, 1, 1)
    assert not keeps(three.asking(max_size=(None, 1)), 0, 1, 1)
    # 1 means not empty, other numbers are weights.
    light = three.asking(sample_weight=[0.1, 0.3, 0.3])
    assert keeps(light.asking(min_size=[1, 0.6]), 0, 1, 1)
    assert not keeps(light.asking(min_size=[0.2, 1]), 0, 1, 1)
    assert not keeps(three.asking(sample_weight=[0, 1, 1], min_size=[1, 1]), 0, 1, 1)


def test_members_are_needed_beside_the_share() -> None:
    two = asked("xxxyyyy", 2, beta={"x": 2})
    labels = (0, 1, 1, 1, 1, 1, 1)
    assert keeps(two.asking(alpha=1 / 3), *labels)
    assert not keeps(two.asking(alpha=1 / 3, min_members=2), *labels)
    assert keeps(two.asking(alpha=1 / 3, min_members={"y": 5}), *labels)
    assert keeps(two.asking(alpha=1 / 3, min_members=2, beta={"x": 1}), *labels)
    assert not keeps(two.asking(alpha=1 / 3, min_members=2, beta={"x": 1}, prefix=[("x", 0)]), *labels)
    assert not keeps(two.asking(min_members=2, beta={"x": 1}), *labels), "enough members, but no share"


def test_members_weigh() -> None:
    light = asked("xxy", 1, sample_weight=[0.7, 0.7, 0.5], beta={"x": 1, "y": 1}, alpha=0.2)
    assert keeps(light, 0, 0, 0), "1 means nothing beside the share, whatever the weights"
    assert keeps(light.asking(min_members={"x": 1.4}), 0, 0, 0)
    assert not keeps(light.asking(min_members={"x": 1.41}), 0, 0, 0)
    assert not keeps(light.asking(min_members=1.2), 0, 0, 0)


def test_a_cluster_counts_for_one_group() -> None:
    both = asked("xyxy", 2, beta={"x": 2, "y": 1})
    labels = (0, 0, 1, 1)
    assert keeps(both, *labels)
    assert not keeps(both.asking(exclusive=True), *labels)
    each = both.asking(exclusive=True, beta=1)
    assert keeps(each, *labels)
    assert keeps(each.asking(prefix=[("x", 1), ("y", 0)]), *labels)
    assert not keeps(each.asking(prefix=[("x", 1), ("y", 1)]), *labels)
    assert not keeps(each.asking(allowed=np.array([[True, False], [True, False]])), *labels)
    assert not keeps(each.asking(beta={"y": 2}, prefix=[("x", 1)]), *labels)


def test_clusters_are_shared_out_with_foresight() -> None:
    """Were 'x' to take the first cluster that represents it, nothing would be left for 'y'."""
    some = asked("xyxz", 2, beta={"x": 1, "y": 1}, exclusive=True)
    assert keeps(some, 0, 0, 1, 1)
    assert keeps(some.asking(prefix=[("x", 1)]), 0, 0, 1, 1)
    assert not keeps(some.asking(prefix=[("x", 0)]), 0, 0, 1, 1)
    assert not keeps(some.asking(beta=1), 0, 0, 1, 1)


def test_what_new_promises_cost() -> None:
    """Points of 'x' would all go to cluster 0, for nothing."""
    costs = np.array([[0, 3], [0, 2], [0, 7], [4, 0], [5, 0], [6, 0]], dtype=float)
    free = Instance(costs, np.array(list("xxxyyy")), {"alpha": 0.5, "beta": 0})

    def cost(**options: Any) -> float | None:
        best = optimum(free.asking(**options))
        return None if best is None else float(best.cost)

    assert cost() == 0
    assert cost(max_share=0.67) == 2 + 4, "an exchange"
    # As a decimal, less than two of three: all is half and half.
    assert cost(max_share=2 / 3) == cost(max_share=0.5) == 2 + 3 + 4
    assert cost(min_share={"x": 0.25}) == 2
    assert cost(min_share={"x": 0.26}) == 2 + 3
    assert cost(max_size=[2, None]) == 2
    assert cost(min_size=[4, 1]) == 4
    assert cost(alpha=0.25, prefix=[("x", 1)]) == 2
    assert cost(alpha=0.25, prefix=[("x", 1)], min_members=2) == 2 + 3
    assert cost(beta=1, exclusive=True) == 0
    assert cost(beta={"x": 1, "y": 1}, prefix=[("x", 1)], alpha=0.25) == 2
    assert cost(beta={"x": 1, "y": 1}, prefix=[("x", 1)], alpha=0.25, exclusive=True) == 2 + 4
    assert cost(beta={"x": 2, "y": 1}, exclusive=True) is None
    assert not is_feasible(free.asking(max_share=0.4))


def literally_fair(instance: Instance, labels: np.ndarray) -> bool:
    """The definitions, word for word; who owns which cluster is tried one by one."""
    found, clusters = tally(instance, labels), range(instance.n_clusters)
    for size, least, most in zip(found.sizes, instance.min_sizes, instance.max_sizes, strict=True):
        if (size <= 0 if least == 1 else size < least) or (most is not None and size > most):
            return False
    counts_for = set()
    for name, row in found.counts.items():
        for k, (count, size) in enumerate(zip(row, found.sizes, strict=True)):
            if not instance.min_share.get(name, 0) * size <= count <= instance.max_share.get(name, 1) * size:
                return False
            if count >= instance.alpha[name] * size and count >= instance.min_members.get(name, 0):
                counts_for.add((name, k))
    if not instance.required <= counts_for:
        return False

    def suffices(owned: set[tuple[Any, int]]) -> bool:
        having = {name: sum(g == name and instance.allowed[g][k] for g, k in owned) for name in found.counts}
        return all(having[name] >= least for name, least in instance.beta.items())

    if not instance.is_exclusive:
        return suffices(counts_for)
    owners = product(found.counts, repeat=len(clusters))
    choices = (set(zip(owner, clusters, strict=True)) for owner in owners)
    return any(instance.required <= owned and suffices(owned & counts_for) for owned in choices)


@pytest.mark.parametrize("make", [random_instance, random_batch])
def test_a_second_reading_agrees(make: Any) -> None:
    rng = np.random.default_rng(0)
    n_fair = 0
    for seed in range(often(100, 300)):
        instance = make(seed)
        labels = rng.integers(instance.n_clusters, size=(12, instance.n_points))
        if (best := optimum(instance)) is not None:
            labels[0] = best.labels
        fair = is_fair(instance, labels).tolist()
        assert fair == [literally_fair(instance, row) for row in labels], f"seed {seed}: {instance}"
        n_fair += sum(fair)
    assert often(200, 600) < n_fair < often(1000, 3000)


def test_labels_keep_what_is_planted_in_them() -> None:
    rng = np.random.default_rng(1)
    n_planted = n_tight = 0
    for seed in range(400):
        whole = random_instance(seed)
        options = {"alpha": 0.3, "beta": 0, "sample_weight": whole.options.get("sample_weight")}
        instance = Instance(whole.costs, whole.sensitive_features, options)
        labels = rng.permutation(np.arange(instance.n_points) % instance.n_clusters)
        further = plant(rng, instance, labels, may_be_empty=True)
        if keeps(instance, *labels):
            request = instance.asking(**further)
            assert keeps(request, *labels), f"{labels} do not keep {request}"
            n_planted += bool(further)
            others = rng.permuted(np.tile(labels, (20, 1)), axis=1)
            n_tight += is_fair(instance, others).sum() > 3 * is_fair(request, others).sum()
    assert n_planted > 150
    assert n_tight > 20


def test_one_pair_of_each_cluster_is_kept() -> None:
    pairs = [("x", 0), ("x", 1), ("y", 1), ("z", 1), ("y", 2)]
    kept = [one_group_each(np.random.default_rng(seed), pairs) for seed in range(20)]
    assert all([k for _, k in some] == [0, 1, 2] for some in kept)
    assert {name for some in kept for name, k in some if k == 1} == {"x", "y", "z"}


@pytest.mark.parametrize("make", [random_instance, random_batch])
def test_instances_repeat_themselves(make: Any) -> None:
    """What a failure prints is code for the same call."""

    def fair_assignment(costs: Any, features: Any, **options: Any) -> Instance:
        return Instance(costs, features, options)

    for seed in range(100):
        instance = make(seed)
        again = eval(repr(instance), {"np": np, "fair_assignment": fair_assignment})
        assert repr(again) == repr(instance)
        np.testing.assert_array_equal(again.costs, instance.costs)
        assert again.costs.dtype == instance.costs.dtype
        best, same = optimum(instance), optimum(again)
        assert (best and best.cost) == (same and same.cost)


NEW = ("min_share", "max_share", "min_members", "exclusive")


@pytest.mark.parametrize("make", [random_instance, random_batch])
def test_new_promises_are_worth_keeping(make: Any) -> None:
    """Half of all instances have none, each is in a fair part of them, and they matter to the answer."""
    having = dict.fromkeys((*NEW, "min_size", "max_size"), 0)
    n_none = n_dearer = n_refused = 0
    for seed in range(400):
        instance = make(seed)
        options = instance.options
        new = {key for key in NEW if options.get(key)}
        new |= {key for key in ("min_size", "max_size") if isinstance(options.get(key), list | tuple)}
        for key in new:
            having[key] += 1
        n_none += not new
        if not new:
            continue
        least = 1 if any(instance.beta.values()) else 0
        without = instance.asking(**dict.fromkeys(new - {"min_size"}), min_size=least)
        best, before = optimum(instance), optimum(without)
        n_refused += best is None and before is not None
        n_dearer += best is not None and before is not None and before.cost < best.cost
    assert 180 < n_none < 260
    assert all(40 < n < 110 for n in having.values()), having
    assert n_dearer > 20
    assert n_refused > 5


def test_bad_input_is_not_made() -> None:
    """No cluster required twice if it counts once, none empty that must count, no share above its limit."""
    for seed in range(often(200, 500)):
        for instance in (random_instance(seed), random_batch(seed)):
            if instance.is_exclusive:
                clusters = [k for _, k in instance.options.get("prefix", ())]
                assert len(set(clusters)) == len(clusters), f"seed {seed}"
            if any(instance.beta.values()):
                assert 0 not in instance.min_sizes, f"seed {seed}"
            for name, beta in instance.beta.items():
                assert beta <= instance.allowed[name].sum(), f"seed {seed}"
            for name in instance.min_share.keys() & instance.max_share.keys():
                assert 0 <= instance.min_share[name] <= instance.max_share[name] <= 1, f"seed {seed}"
            assert all(least >= 1 for least in instance.min_members.values()), f"seed {seed}"
            if "sample_weight" not in instance.options:
                assert all(least.denominator == 1 for least in instance.min_members.values())
                assert all(size is None or size.denominator == 1 for size in instance.max_sizes)
