"""Which promises of a request contradict each other."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from minirel.counts import CountProgram
from minirel.fairness import Fairness, Prefix

# A diagnosis is for reading: past this many seconds its questions get short shrift.
_SECONDS = 2.0
_SHORTEST_SECONDS = 0.05

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Promise:
    """Something that could be given up: a group's beta, a claim of the prefix, or a size."""

    kind: str
    group: int = -1
    cluster: int = -1


MIN_SIZE, MAX_SIZE = Promise("min_size"), Promise("max_size")


class Inquiry:
    """What the count program says of requests around one that it turned down.

    Attributes
    ----------
    asked : list of int
        Groups that something is asked of.
    sizes : list of Promise
        The sizes that are promised, beyond that no cluster is empty.
    """

    def __init__(self, program: CountProgram, prefix: Prefix) -> None:
        self.program, self.fairness, self.prefix = program, program.fairness, prefix
        self._deadline = time.monotonic() + _SECONDS
        fairness = program.fairness
        self.asked = sorted({*np.flatnonzero(fairness.beta).tolist(), *(g for g, _ in prefix)})
        self.sizes = [MAX_SIZE] if fairness.max_units < program.types.total else []
        self.sizes += [MIN_SIZE] if fairness.min_units > 1 else []

    def asking(self, request: Fairness) -> CountProgram:
        """Return the count program of another request, to be answered in the time that is left."""
        seconds = max((self._deadline - time.monotonic()) / 4, _SHORTEST_SECONDS)
        return self.program.asking(request, time_limit=seconds)

    def possible(self, promises: Collection[Promise]) -> bool:
        """Whether these promises may be kept, with nothing else asked but that no cluster is empty."""
        fairness = self.fairness
        request = replace(
            fairness,
            min_units=fairness.min_units if MIN_SIZE in promises else min(1, fairness.min_units),
            max_units=fairness.max_units if MAX_SIZE in promises else self.program.types.total,
            beta=tuple(b if Promise("beta", g) in promises else 0 for g, b in enumerate(fairness.beta)),
        )
        required = tuple(pair for pair in self.prefix if Promise("prefix", *pair) in promises)
        try:
            return self.asking(request).choose(required=required) is not None
        except TimeoutError:
            return True

    def conflict(self) -> list[Promise]:
        """Find promises that cannot be kept together, though without any one of them the others can."""
        betas = [Promise("beta", g) for g in self.asked if self.fairness.beta[g]]
        everything = self.sizes + [Promise("prefix", g, k) for g, k in self.prefix] + betas
        # Start from the simplest set that will not do: the sizes, a single group, or all there is.
        simple = (self.sizes, *([*self.sizes, beta] for beta in betas))
        conflict = next((promises for promises in simple if not self.possible(promises)), everything)
        for promise in tuple(conflict):
            rest = [other for other in conflict if other != promise]
            if not self.possible(rest):
                conflict = rest
        return conflict

    def largest_beta(self, group: int, conflict: list[Promise]) -> int | None:
        """Clusters that the group could have with the rest as asked; None if the rest is in conflict.

        Raises
        ------
        TimeoutError
            If it cannot be told in time.
        """
        if Promise("beta", group) not in conflict:
            return None
        return self._most_clusters(group, self.fairness.beta, self.prefix)

    def members_for(self, group: int) -> int | None:
        """Clusters that the group could have were nothing asked but the sizes; None if it takes too long."""
        nothing = (0,) * len(self.fairness.beta)
        return in_time(lambda: self._most_clusters(group, nothing, ()))

    def has_members(self, group: int) -> bool:
        """Whether anyone with a weight belongs to the group."""
        return bool(self.program.types.member[:, group].any())

    def _most_clusters(self, group: int, beta: tuple[int, ...], required: Prefix) -> int | None:
        def could_have(count: int) -> bool:
            request = replace(self.fairness, beta=(*beta[:group], count, *beta[group + 1 :]))
            return self.asking(request).choose(required=required) is not None

        return last(could_have, 0, self.fairness.beta[group] - 1) if could_have(0) else None


def in_time(question: Callable[[], _Answer]) -> _Answer | None:
    """Answer the question, or None if it takes too long."""
    try:
        return question()
    except TimeoutError:
        return None


def last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Find the last number up to `high` for which `holds`, as it does at `low` and from there to the last."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
