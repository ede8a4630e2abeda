"""Which promises of a request contradict each other."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.feasibility.counting import Shortage
from minirel.promises.feasibility.counts import Choice, CountProgram
from minirel.solvers.limits import Effort

# A diagnosis is for reading: the work of all its programs together, a few seconds' worth.
_EFFORT = 6 * 10**9
# Promises in conflict up to which each is tried for being one too many.
MOST_TRIED = 50


@dataclass(frozen=True)
class Promise:
    """Something that could be given up.

    A group's beta, a holder of the prefix, a size, a bound on a group's share in every cluster, the least
    members of a group for a holder, or that clusters are exclusive.
    """

    kind: str
    group: int = -1
    cluster: int = -1


MIN_SIZE, MAX_SIZE, EXCLUSIVE = Promise("min_size"), Promise("max_size"), Promise("exclusive")


class Diagnosis:
    """What the count program says of requests around one that it turned down.

    Attributes
    ----------
    asked : list of int
        Groups that something is asked of.
    sizes : list of Promise
        The sizes that are promised, beyond that no cluster is empty.
    shares : list of Promise
        Bounds on the share of a group in every cluster.
    terms : list of Promise
        What makes it harder for a cluster to count: least members, and that clusters are exclusive.
    shortage : Shortage or None
        What counting alone finds to be short.
    """

    def __init__(self, program: CountProgram, prefix: Prefix) -> None:
        self.program, self.fairness, self.prefix = program, program.fairness, prefix
        self._effort = Effort(_EFFORT, parts=10)
        fairness = program.fairness
        self.asked = sorted({*np.flatnonzero(fairness.beta).tolist(), *(g for g, _ in prefix)})
        self.sizes = [MAX_SIZE] if min(fairness.max_units) < fairness.total else []
        self.sizes += [MIN_SIZE] if max(fairness.min_units) > 1 else []
        self.shares = [Promise("min_share", g) for g, share in enumerate(fairness.min_share) if share > 0]
        self.shares += [Promise("max_share", g) for g, share in enumerate(fairness.max_share) if share < 1]
        self.terms = [Promise("min_members", g) for g in self.asked if fairness.min_members[g]]
        self.terms += [EXCLUSIVE] if fairness.exclusive else []
        self.shortage: Shortage | None = program.shortage(prefix)

    def asking(self, request: Fairness) -> CountProgram:
        """Return the count program of another request, to be answered with the effort that is left."""
        return self.program.asking(request, self._effort)

    def is_possible(self, request: Fairness) -> bool:
        """Whether another request can be met, with the same prefix."""
        return self.asking(request).choose(required=self.prefix).possible

    def ask(self, promises: Collection[Promise]) -> Choice:
        """Say whether these promises can be kept, with nothing else asked but that no cluster is empty."""
        fairness = self.fairness

        def kept(kind: str, values: tuple[Any, ...], otherwise: object) -> tuple[Any, ...]:
            return tuple(v if Promise(kind, g) in promises else otherwise for g, v in enumerate(values))

        smallest, n_clusters = fairness.min_units, fairness.n_clusters
        request = replace(
            fairness,
            min_units=smallest if MIN_SIZE in promises else tuple(min(1, u) for u in smallest),
            max_units=fairness.max_units if MAX_SIZE in promises else (fairness.total,) * n_clusters,
            beta=kept("beta", fairness.beta, 0),
            min_share=kept("min_share", fairness.min_share, Fraction(0)),
            max_share=kept("max_share", fairness.max_share, Fraction(1)),
            min_members=kept("min_members", fairness.min_members, 0),
            exclusive=EXCLUSIVE in promises,
        )
        required = tuple(pair for pair in self.prefix if Promise("prefix", *pair) in promises)
        return self.asking(request).choose(required=required)

    def conflict(self) -> list[Promise]:
        """Find promises that cannot be kept together, though without any one of them the others can."""
        conflict = self._first_conflict()
        for promise in tuple(conflict) if len(conflict) <= MOST_TRIED else ():
            rest = [other for other in conflict if other != promise]
            if self.ask(rest).impossible:
                conflict = rest
        return conflict

    def _first_conflict(self) -> list[Promise]:
        """Start from the simplest set that will not do: what is short, a single group, or all there is."""
        betas = [Promise("beta", g) for g in self.asked if self.fairness.beta[g]]
        always = self.sizes + self.shares
        wanted = [Promise("prefix", g, k) for g, k in self.prefix] + betas
        if self.shortage is not None:
            return self._short(always, wanted)
        everything = always + wanted + self.terms
        simple = (self.sizes, always, *([*always, beta] for beta in betas))
        return next((promises for promises in simple if self.ask(promises).impossible), everything)

    def _short(self, always: list[Promise], wanted: list[Promise]) -> list[Promise]:
        """The promises that a shortage is about."""
        short = self.shortage
        assert short is not None
        if short.of in ("min_share", "max_share", "everywhere"):
            kind = "max_share" if short.of == "max_share" else "min_share"
            return [promise for promise in always if promise.kind == kind and promise.group in short.groups]
        return [
            promise
            for promise in always + wanted + self.terms
            if (promise.kind in short.sizes and promise.group in (-1, *short.groups))
            or (promise in wanted and promise.group in short.groups)
        ]

    def largest_beta(self, group: int, conflict: list[Promise]) -> tuple[int | None, bool]:
        """Clusters that the group could have with the rest as asked, and whether that is proven.

        None if the rest is in conflict by itself.
        """
        if Promise("beta", group) not in conflict:
            return None, True
        if len(conflict) > MOST_TRIED:
            return None, False
        return self._most_clusters(group, self.fairness.beta, self.prefix)

    def members_for(self, group: int) -> int | None:
        """Clusters that the group could have were nothing asked but the sizes; None if that stays open."""
        most, proven = self._most_clusters(group, (0,) * len(self.fairness.beta), ())
        return most if proven else None

    def has_members(self, group: int) -> bool:
        """Whether anyone with a weight belongs to the group."""
        return bool(self.program.types.members[group])

    @property
    def is_unweighted(self) -> bool:
        """Whether a weight is a number of points."""
        types = self.program.types
        if self.fairness.counts_people:
            return True
        return types.total == types.n_points and self.fairness.unit == 1

    def _most_clusters(self, group: int, beta: tuple[int, ...], required: Prefix) -> tuple[int | None, bool]:
        asked: dict[int, Choice] = {}

        def could_have(count: int) -> bool:
            request = replace(self.fairness, beta=(*beta[:group], count, *beta[group + 1 :]))
            asked[count] = self.asking(request).choose(required=required)
            return asked[count].possible

        most = last(could_have, 0, self.fairness.beta[group] - 1) if could_have(0) else None
        return most, all(choice.proven for choice in asked.values())


def last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Find the last number up to `high` for which `holds`, as it does at `low` and from there to the last."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
