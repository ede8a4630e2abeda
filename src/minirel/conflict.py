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
    alone : dict
        Clusters that each of these groups could have were nothing else asked but the sizes; None if the
        sizes are impossible by themselves.
    """

    def __init__(self, program: CountProgram, prefix: Prefix) -> None:
        self.program, self.fairness, self.prefix = program, program.fairness, prefix
        self._deadline = time.monotonic() + _SECONDS
        fairness = program.fairness
        self.asked = sorted({*np.flatnonzero(fairness.beta).tolist(), *(g for g, _ in prefix)})
        self.sizes = [MAX_SIZE] if fairness.max_units < program.types.total else []
        self.sizes += [MIN_SIZE] if fairness.min_units > 1 else []
        self.alone = {g: self._most_alone(g) for g in self.asked}

    def asking(self, request: Fairness) -> CountProgram:
        """Return the count program of another request, to be answered in the time that is left."""
        seconds = max((self._deadline - time.monotonic()) / 4, _SHORTEST_SECONDS)
        return self.program.asking(request, time_limit=seconds)

    def possible(self, promises: Collection[Promise]) -> bool:
        """Whether these promises may be kept, with nothing else asked but that no cluster is empty."""
        fairness = self.fairness
        request = replace(
            fairness,
            min_units=fairness.min_units if MIN_SIZE in promises else 1,
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
        hopeless = [promise for promise in betas if self._is_hopeless(promise.group)]
        # Start from the simplest set that will not do: the sizes, or a single group.
        if not self.possible(self.sizes):
            conflict = self.sizes
        elif hopeless:
            conflict = self.sizes + hopeless[:1]
        else:
            conflict = self.sizes + [Promise("prefix", g, k) for g, k in self.prefix] + betas
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

        def could_have(count: int) -> bool:
            beta = list(self.fairness.beta)
            beta[group] = count
            request = replace(self.fairness, beta=tuple(beta))
            return self.asking(request).choose(required=self.prefix) is not None

        return last(could_have, 0, self.fairness.beta[group] - 1) if could_have(0) else None

    def has_members(self, group: int) -> bool:
        """Whether anyone with a weight belongs to the group."""
        return bool(self.program.types.member[:, group].any())

    def _is_hopeless(self, group: int) -> bool:
        most = self.alone[group]
        return most is not None and most < self.fairness.beta[group]

    def _most_alone(self, group: int) -> int | None:
        cost = np.zeros(self.fairness.allowed.shape)
        cost[group] = -1
        most = np.zeros(len(cost), dtype=np.intp)
        most[group] = self.fairness.allowed[group].sum()
        program = self.asking(self.fairness)
        claims = in_time(lambda: program.optimise(cost, fewest=0 * most, most=most))
        return None if claims is None else len(claims)


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
