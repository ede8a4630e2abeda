"""Further promises that some labels keep: shares in every cluster, sizes by cluster, members, one group each.

Nothing here comes from the package. What is asked is often just what the labels have, so that little else can
be done, and at times less.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instances import Instance, tally

Pair = tuple[Any, int]


def plant(
    rng: np.random.Generator, asked: Instance, labels: NDArray[np.integer], *, may_be_empty: bool = False
) -> dict[str, Any]:
    """Choose options that these labels keep, none for half of all calls and each for a fifth.

    Fewer clusters may count for a group when `min_members` and `exclusive` are among them.
    """
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        return options
    found = tally(asked, labels)
    has_weights = asked.options.get("sample_weight") is not None
    by_size, by_min_share, by_max_share, by_members, options["exclusive"] = (rng.random(5) < 0.4).tolist()

    if by_size:
        smallest = [_smallest(rng, size, has_weights, may_be_empty) for size in found.sizes]
        largest = [_largest(rng, size, has_weights) for size in found.sizes]
        kind = rng.random()
        if kind < 0.7:
            options["min_size"] = smallest
        if kind > 0.3:
            options["max_size"] = tuple(largest) if rng.random() < 0.5 else largest
    if not asked.groups:
        return options

    shares = {
        name: [count / total for count, total in zip(row, found.totals, strict=True) if total > 0]
        for name, row in found.counts.items()
    }
    if by_min_share:
        least = {name: _written_share(rng, min(row), math.floor) for name, row in shares.items()}
        options["min_share"] = _by_group(rng, least, min)
    if by_max_share:
        most = {name: _written_share(rng, max(row), math.ceil) for name, row in shares.items()}
        options["max_share"] = _by_group(rng, most, max)
    if by_members:
        members = {name: _members(rng, found.counts[name], found.represented[name]) for name in shares}
        in_parts = has_weights or asked.options.get("total") is not None
        written = {name: max(1, written_size(count, in_parts)) for name, count in members.items()}
        options["min_members"] = _by_group(rng, written, min)
    return options


def one_group_each(rng: np.random.Generator, pairs: Iterable[Pair]) -> list[Pair]:
    """Keep one of the pairs of each cluster, in the order given."""
    pairs = list(pairs)
    keeper = {pairs[i][1]: pairs[i] for i in rng.permutation(len(pairs)).tolist()}
    return [pair for pair in pairs if keeper[pair[1]] == pair]


def written_size(size: Fraction, has_weights: bool) -> int | float:
    """A size as people write it: whole where points are counted, and to the decimals that weights have."""
    if not has_weights:
        return max(1, int(size))
    size = max(round(size, 9), Fraction(1, 10**9))
    return int(size) if size.denominator == 1 else float(size)


def _smallest(rng: np.random.Generator, size: Fraction, has_weights: bool, may_be_empty: bool) -> int | float:
    kind = rng.random()
    if may_be_empty and (size == 0 or kind < 0.3):
        return 0
    if kind < 0.5:
        return 1
    return written_size(size if kind < 0.85 else size / 2, has_weights)


def _largest(rng: np.random.Generator, size: Fraction, has_weights: bool) -> int | float | None:
    kind = rng.random()
    if size == 0 or kind < 0.3:
        return None
    return written_size(size if kind < 0.75 else size * 3 / 2, has_weights)


def _written_share(rng: np.random.Generator, share: Fraction, rounded: Callable[[Fraction], int]) -> float:
    """In percent or as finely as doubles are told apart, rounded the way that keeps the promise."""
    if rng.random() < 0.5:
        return rounded(100 * share) / 100
    nearest, way = float(share), rounded(Fraction(1, 2))
    is_kept = Fraction(repr(nearest)) >= share if way else Fraction(repr(nearest)) <= share
    return nearest if is_kept else math.nextafter(nearest, way)


def _members(rng: np.random.Generator, counts: list[Fraction], represented: list[bool]) -> Fraction:
    """The fewest members, or any number of them, that the group has where it is represented."""
    held = sorted(count for count, is_so in zip(counts, represented, strict=True) if is_so)
    return held[0 if rng.random() < 0.6 else int(rng.integers(len(held)))] if held else Fraction(1)


def _by_group(
    rng: np.random.Generator, values: dict[Any, Any], loosest: Callable[[Iterable[Any]], Any]
) -> float | dict[Any, Any]:
    """The value that suits every group, or values for some of them."""
    if rng.random() < 0.3:
        return loosest(values.values())
    return {name: value for name, value in values.items() if rng.random() < 0.8}
