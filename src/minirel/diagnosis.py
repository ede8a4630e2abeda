"""Why a request cannot be met, and what could be asked instead."""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from minirel.counts import CountProgram
from minirel.exact import plain
from minirel.fairness import Fairness, InfeasibleFairnessError, Prefix
from minirel.groups import Groups
from minirel.weights import Weights


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
    """Say why `program` finds no clustering that keeps its request and `prefix`."""
    diagnosis = _Diagnosis(program, prefix)
    conflict = diagnosis.conflict()
    nearest, changes = diagnosis.nearest()
    advice = [" and ".join(changes), *diagnosis.other_ways(conflict)]
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
        self.beta = np.array(self.fairness.beta, dtype=np.intp)
        self.asked = sorted({*np.flatnonzero(self.beta).tolist(), *(g for g, _ in prefix)})
        self.sizes = [_MAX_SIZE] if self.fairness.max_units < program.types.total else []
        self.sizes += [_MIN_SIZE] if self.fairness.min_units > 1 else []
        # Clusters that each group could have were nothing else asked but the sizes.
        nothing = np.zeros_like(self.beta)
        self.alone = {g: self._most_claims(g, nothing, ()) for g in self.asked}

    def conflict(self) -> list[_Promise]:
        """Promises that cannot be kept together, though without any one of them the others can."""
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
        names, table = self.fairness.names, self.fairness.allowed.shape
        nearest: dict[str, object] = {}
        changes = []
        program = self.program
        if not self._possible(self.sizes):
            program = program.asking(self._nearest_sizes())
            for size, units in (("min_size", "min_units"), ("max_size", "max_units")):
                before, after = getattr(self.fairness, units), getattr(program.fairness, units)
                if before != after:
                    nearest[size] = program.fairness.weight(after)
                    changes.append(f"{'lower' if after < before else 'raise'} {size} to {nearest[size]}")
        prefix = self.prefix
        if not program.feasible(prefix):
            listed = np.zeros(table, dtype=np.bool_)
            listed[tuple(np.array(prefix).T)] = True
            some = program.optimise(-np.ones(table), fewest=0 * self.beta, most=listed.sum(1), allowed=listed)
            prefix = some or ()
            nearest["prefix"] = [(names[g], k) for g, k in prefix]
            dropped = [repr((names[g], k)) for g, k in self.prefix if (g, k) not in prefix]
            changes.append(f"drop {_and(dropped)} from prefix")
        if program.choose(required=prefix) is None:
            some = program.optimise(-np.ones(table), fewest=0 * self.beta, most=self.beta, required=prefix)
            claims = np.bincount([g for g, _ in some or ()], minlength=len(names))
            nearest["beta"] = {names[g]: int(min(claims[g], self.beta[g])) for g in self.asked}
            lowered = [f"beta[{names[g]!r}] to {claims[g]}" for g in self.asked if claims[g] < self.beta[g]]
            changes.append(f"lower {_and(lowered)}")
        return nearest, changes

    def other_ways(self, conflict: list[_Promise]) -> list[str]:
        """Advice beside the nearest request: a lower share for a group that is in conflict by itself."""
        groups = [promise.group for promise in conflict if promise not in self.sizes]
        if (
            len(groups) != 1
            or conflict[-1].kind != "beta"
            or not self.program.types.member[:, groups[0]].any()
        ):
            return []

        def with_alpha(percent: int) -> bool:
            alpha = list(self.fairness.alpha)
            alpha[groups[0]] = Fraction(percent, 100)
            request = replace(self.fairness, alpha=tuple(alpha))
            return self.program.asking(request).choose(required=self.prefix) is not None

        percent = _largest(with_alpha, 0, math.ceil(100 * self.fairness.alpha[groups[0]]) - 1)
        alpha = (
            "alpha" if len(set(self.fairness.alpha)) == 1 else f"alpha[{self.fairness.names[groups[0]]!r}]"
        )
        return [f"{alpha} to {plain(Fraction(percent, 100))} at the same beta"] if percent else []

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
            has_members = self.program.types.member[:, group].any()
            room = f"members for {self.alone[group] or 'none'}" if has_members else "no members"
            return f"{needs[0]} but has {room}{with_sizes}"
        return f"{_and(needs)}, but no clustering into {n_clusters} does all of it{with_sizes}"

    def _need(self, promise: _Promise) -> str:
        name, share = self.fairness.names[promise.group], 100 * float(self.fairness.alpha[promise.group])
        if promise.kind == "prefix":
            return f"cluster {promise.cluster} must be at least {share:g}% {name!r}"
        count = _plural(self.fairness.beta[promise.group], "cluster")
        return f"group {name!r} needs {count} of at least {share:g}%"

    def label(self, promise: _Promise) -> str:
        """Name the promise by its parameter."""
        if promise in self.sizes:
            return promise.kind
        name = self.fairness.names[promise.group]
        return f"beta[{name!r}]" if promise.kind == "beta" else f"prefix {(name, promise.cluster)!r}"

    def _is_hopeless(self, group: int) -> bool:
        most = self.alone[group]
        return most is not None and most < self.beta[group]

    def _possible(self, promises: Collection[_Promise]) -> bool:
        """Whether these promises can be kept, with nothing else asked but that no cluster is empty."""
        request = replace(
            self.fairness,
            min_units=self.fairness.min_units if _MIN_SIZE in promises else 1,
            max_units=self.fairness.max_units if _MAX_SIZE in promises else self.program.types.total,
        )
        beta = tuple(b if _Promise("beta", g) in promises else 0 for g, b in enumerate(self.fairness.beta))
        required = tuple(pair for pair in self.prefix if _Promise("prefix", *pair) in promises)
        return self.program.asking(request).choose(beta=beta, required=required) is not None

    def _most_claims(self, group: int, beta: NDArray[np.intp], required: Prefix) -> int | None:
        """Clusters that the group could have beside `beta` and `required`."""
        cost = np.zeros(self.fairness.allowed.shape)
        cost[group] = -1
        most = beta.copy()
        most[group] = self.fairness.allowed[group].sum()
        claims = self.program.optimise(cost, fewest=beta, most=most, required=required)
        return None if claims is None else sum(g == group for g, _ in claims)

    def _nearest_sizes(self) -> Fairness:
        """Lower min_size to what clusters of these points can have; raise max_size if that will not do."""
        total = self.program.types.total

        def with_sizes(smallest: int, largest: int) -> bool:
            request = replace(self.fairness, min_units=smallest, max_units=largest)
            return self.program.asking(request).feasible(())

        smallest, largest = self.fairness.min_units, self.fairness.max_units
        if not with_sizes(1, largest):
            floor = smallest if with_sizes(smallest, total) else 1
            # The larger max_size is, the easier: count down from the total.
            largest = total - _largest(lambda less: with_sizes(floor, total - less), 0, total - largest)
        if not with_sizes(smallest, largest):
            smallest = _largest(lambda units: with_sizes(units, largest), 1, smallest)
        return replace(self.fairness, min_units=smallest, max_units=largest)


def _largest(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Find the last number up to `high` for which `holds`, as it does at `low` and from there to the last."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _and(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
