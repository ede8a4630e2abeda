"""Why a request cannot be met, and what could be asked instead."""

import math
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from minirel.counts import CountProgram
from minirel.errors import InfeasibleFairnessError
from minirel.exact import plain
from minirel.fairness import Fairness, Prefix
from minirel.groups import Groups
from minirel.weights import Weights

# A diagnosis is for reading: past this many seconds its questions get short shrift.
_SECONDS = 2.0
_SHORTEST_SECONDS = 0.05

_Answer = TypeVar("_Answer")


def check_feasible(
    groups: Groups, weights: Weights, fairness: Fairness, prefix: Prefix | None = None
) -> None:
    """Make sure that some clustering meets the request.

    Parameters
    ----------
    groups : Groups
        Who belongs where.
    weights : Weights
        What each point counts.
    fairness : Fairness
        What is asked.
    prefix : Prefix, optional
        Claims that must be kept, on top of beta.

    Raises
    ------
    InfeasibleFairnessError
        If there is no such clustering, with the conflict and the nearest request that can be met.
    """
    program = CountProgram(groups, weights, fairness)
    if program.choose(required=prefix or ()) is None:
        raise explain_infeasible(program, prefix or ())


def explain_infeasible(program: CountProgram, prefix: Prefix = ()) -> InfeasibleFairnessError:
    """Say why `program` finds no clustering that keeps its request and `prefix`.

    Questions that take too long are given up: the conflict may then name more than it must, and the nearest
    request, which can be met in any case, may not be the very nearest.
    """
    diagnosis = _Diagnosis(program, prefix)
    conflict = diagnosis.conflict()
    nearest, changes = diagnosis.nearest()
    advice = [_and(changes), *diagnosis.lower_alpha(conflict)]
    return InfeasibleFairnessError(
        f"{diagnosis.complaint(conflict)}: {', or '.join(advice)}",
        conflict=tuple(diagnosis.label(promise) for promise in conflict),
        largest_beta={program.fairness.names[g]: diagnosis.largest_beta(g) for g in diagnosis.asked},
        nearest=nearest,
    )


@dataclass(frozen=True)
class _Promise:
    """Something that could be given up: a group's beta, a claim of the prefix, or a size."""

    kind: str
    group: int = -1
    cluster: int = -1


_MIN_SIZE, _MAX_SIZE = _Promise("min_size"), _Promise("max_size")


class _Diagnosis:
    """What the count program says of requests around the one it turned down."""

    def __init__(self, program: CountProgram, prefix: Prefix) -> None:
        self.program, self.fairness, self.prefix = program, program.fairness, prefix
        self.deadline = time.monotonic() + _SECONDS
        self.beta = np.array(self.fairness.beta, dtype=np.intp)
        self.asked = sorted({*np.flatnonzero(self.beta).tolist(), *(g for g, _ in prefix)})
        self.sizes = [_MAX_SIZE] if self.fairness.max_units < program.types.total else []
        self.sizes += [_MIN_SIZE] if self.fairness.min_units > 1 else []
        # Clusters that each group could have were nothing else asked but the sizes.
        self.alone = {g: self._most_claims(g, np.zeros_like(self.beta), ()) for g in self.asked}

    def conflict(self) -> list[_Promise]:
        """Find promises that cannot be kept together, though without any one of them the others can."""
        betas = [_Promise("beta", g) for g in self.asked if self.beta[g]]
        hopeless = [promise for promise in betas if self._is_hopeless(promise.group)]
        # Start from the simplest set that will not do: the sizes, or a single group.
        if not self._possible(self.sizes):
            conflict = self.sizes
        elif hopeless:
            conflict = self.sizes + hopeless[:1]
        else:
            conflict = self.sizes + [_Promise("prefix", g, k) for g, k in self.prefix] + betas
        for promise in tuple(conflict):
            rest = [other for other in conflict if other != promise]
            if not self._possible(rest):
                conflict = rest
        return conflict

    def largest_beta(self, group: int) -> int | None:
        """Clusters that the group could have with the rest as asked; None if the rest is in conflict."""
        if any(self._is_hopeless(g) for g in self.asked if g != group):
            return None
        rest = self.beta.copy()
        rest[group] = 0
        return self._most_claims(group, rest, self.prefix)

    def nearest(self) -> tuple[dict[str, object], list[str]]:
        """Find the least to change: parameters by name, and the same in words.

        Sizes give way only if no clustering has them at all, then claims of the prefix only if it cannot be
        kept by itself, then beta.
        """
        names = self.fairness.names
        nearest: dict[str, object] = {}
        changes = []
        request = self.fairness if self._possible(self.sizes) else self._nearest_sizes()
        for size, before, after in (
            ("min_size", self.fairness.min_units, request.min_units),
            ("max_size", self.fairness.max_units, request.max_units),
        ):
            if before != after:
                nearest[size] = request.weight(after)
                changes.append(f"{'lower' if after < before else 'raise'} {size} to {nearest[size]}")
        prefix = self._nearest_prefix(request)
        if prefix != self.prefix:
            nearest["prefix"] = [(names[g], k) for g, k in prefix]
            dropped = [repr((names[g], k)) for g, k in self.prefix if (g, k) not in prefix]
            changes.append(f"drop {_and(dropped)} from prefix")
        beta = self._nearest_beta(request, prefix)
        if beta != self.fairness.beta:
            nearest["beta"] = {names[g]: beta[g] for g in self.asked}
            lowered = [f"beta[{names[g]!r}] to {beta[g]}" for g in self.asked if beta[g] < self.beta[g]]
            changes.append(f"lower {_and(lowered)}")
        return nearest, changes

    def lower_alpha(self, conflict: list[_Promise]) -> list[str]:
        """Advise a lower share for a group that is in conflict by itself, if that alone would do."""
        claims = [promise for promise in conflict if promise not in self.sizes]
        if len(claims) != 1 or claims[0].kind != "beta" or not self._has_members(claims[0].group):
            return []
        group = claims[0].group

        def is_enough(percent: int) -> bool:
            alpha = list(self.fairness.alpha)
            alpha[group] = Fraction(percent, 100)
            program = self._asking(replace(self.fairness, alpha=tuple(alpha)))
            return _in_time(lambda: program.choose(required=self.prefix)) is not None

        percent = _last(is_enough, 0, math.ceil(100 * self.fairness.alpha[group]) - 1)
        name = "alpha" if len(set(self.fairness.alpha)) == 1 else f"alpha[{self.fairness.names[group]!r}]"
        return [f"{name} to {plain(Fraction(percent, 100))} at the same beta"] if percent else []

    def complaint(self, conflict: list[_Promise]) -> str:
        """Put the conflict in words."""
        fairness, n_clusters = self.fairness, _plural(self.fairness.n_clusters, "cluster")
        needs = [self._need(promise) for promise in conflict if promise not in self.sizes]
        sizes = [f"min_size={fairness.weight(fairness.min_units)}"] if _MIN_SIZE in conflict else []
        sizes += [f"max_size={fairness.weight(fairness.max_units)}"] if _MAX_SIZE in conflict else []
        with_sizes = f" with {_and(sizes)}" if sizes else ""
        if not needs:
            return f"the points cannot be split into {n_clusters}{with_sizes}"
        if len(needs) == 1 and conflict[-1].kind == "beta":
            group = conflict[-1].group
            room = f"members for {self.alone[group] or 'none'}" if self._has_members(group) else "no members"
            return f"{needs[0]} but has {room}{with_sizes}"
        return f"{_and(needs)}, but no clustering into {n_clusters} does all of it{with_sizes}"

    def label(self, promise: _Promise) -> str:
        """Name the promise by its parameter."""
        if promise in self.sizes:
            return promise.kind
        name = self.fairness.names[promise.group]
        return f"beta[{name!r}]" if promise.kind == "beta" else f"prefix {(name, promise.cluster)!r}"

    def _need(self, promise: _Promise) -> str:
        name, share = self.fairness.names[promise.group], 100 * float(self.fairness.alpha[promise.group])
        if promise.kind == "prefix":
            return f"cluster {promise.cluster} must be at least {share:g}% {name!r}"
        count = _plural(self.fairness.beta[promise.group], "cluster")
        return f"group {name!r} needs {count} of at least {share:g}%"

    def _has_members(self, group: int) -> bool:
        return bool(self.program.types.member[:, group].any())

    def _is_hopeless(self, group: int) -> bool:
        most = self.alone[group]
        return most is not None and most < self.beta[group]

    def _asking(self, request: Fairness) -> CountProgram:
        seconds = max((self.deadline - time.monotonic()) / 4, _SHORTEST_SECONDS)
        return self.program.asking(request, time_limit=seconds)

    def _possible(self, promises: Collection[_Promise]) -> bool:
        """Whether these promises may be kept, with nothing else asked but that no cluster is empty."""
        request = replace(
            self.fairness,
            min_units=self.fairness.min_units if _MIN_SIZE in promises else 1,
            max_units=self.fairness.max_units if _MAX_SIZE in promises else self.program.types.total,
        )
        beta = tuple(b if _Promise("beta", g) in promises else 0 for g, b in enumerate(self.fairness.beta))
        required = tuple(pair for pair in self.prefix if _Promise("prefix", *pair) in promises)
        try:
            return self._asking(request).choose(beta=beta, required=required) is not None
        except TimeoutError:
            return True

    def _most_claims(self, group: int, beta: NDArray[np.intp], required: Prefix) -> int | None:
        """Clusters that the group could have beside `beta` and `required`."""
        cost = np.zeros(self.fairness.allowed.shape)
        cost[group] = -1
        most = beta.copy()
        most[group] = self.fairness.allowed[group].sum()
        program = self._asking(self.fairness)
        claims = _in_time(lambda: program.optimise(cost, fewest=beta, most=most, required=required))
        return None if claims is None else sum(g == group for g, _ in claims)

    def _nearest_sizes(self) -> Fairness:
        """Lower min_size to what clusters of these points can have; raise max_size if that will not do."""
        total = self.program.types.total

        def is_enough(smallest: int, largest: int) -> bool:
            program = self._asking(replace(self.fairness, min_units=smallest, max_units=largest))
            return bool(_in_time(lambda: program.feasible(())))

        smallest, largest = self.fairness.min_units, self.fairness.max_units
        if not is_enough(1, largest):
            floor = smallest if is_enough(smallest, total) else 1
            # The larger max_size is, the easier: count down from the total.
            largest = total - _last(lambda less: is_enough(floor, total - less), 0, total - largest)
        smallest = _last(lambda units: is_enough(units, largest), 1, smallest)
        return replace(self.fairness, min_units=smallest, max_units=largest)

    def _nearest_prefix(self, request: Fairness) -> Prefix:
        """Drop as few claims of the prefix as will do."""
        if _in_time(lambda: self._asking(request).feasible(self.prefix)):
            return self.prefix
        listed = np.zeros(request.allowed.shape, dtype=np.bool_)
        listed[tuple(np.array(self.prefix).T)] = True
        return self._most_of(request, 0 * self.beta, listed.sum(1), listed, ()) or ()

    def _nearest_beta(self, request: Fairness, prefix: Prefix) -> tuple[int, ...]:
        """Take as few clusters from the groups as will do, and not too many from any one."""
        held = np.bincount([g for g, _ in prefix], minlength=len(self.beta))

        def lowered(most_taken: int) -> NDArray[np.intp] | None:
            fewest = np.maximum(self.beta - most_taken, 0)
            claims = self._most_of(request, fewest, self.beta, request.allowed, prefix)
            if claims is None:
                return None
            return np.minimum(np.bincount([g for g, _ in claims], minlength=len(self.beta)), self.beta)

        best = lowered(int(self.beta.max(initial=0)))
        best = np.minimum(held, self.beta) if best is None else best
        for most_taken in range(int((self.beta - best).max(initial=0)) - 1, -1, -1):
            beta = lowered(most_taken)
            if beta is None or beta.sum() < best.sum():
                break
            best = beta
        return tuple(best.tolist())

    def _most_of(
        self,
        request: Fairness,
        fewest: NDArray[np.intp],
        most: NDArray[np.intp],
        allowed: NDArray[np.bool_],
        required: Prefix,
    ) -> Prefix | None:
        """Keep as many claims as possible."""
        program = self._asking(request)
        return _in_time(
            lambda: program.optimise(
                -np.ones(allowed.shape), fewest=fewest, most=most, allowed=allowed, required=required
            )
        )


def _in_time(question: Callable[[], _Answer]) -> _Answer | None:
    """Answer the question, or None if it takes too long."""
    try:
        return question()
    except TimeoutError:
        return None


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Find the last number up to `high` for which `holds`, as it does at `low` and from there to the last."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _and(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
