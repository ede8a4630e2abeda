"""Holders by the assignment they lead to: a local search in which prices on a sample value each choice."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from minirel.assignment import dual
from minirel.assignment.problem import Problem
from minirel.assignment.rows import promised_rows
from minirel.assignment.scan import Scanner
from minirel.assignment.working_set import ReferenceScan, Vector
from minirel.promises.fairness import Prefix
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.kinds import OF_HOLDERS
from minirel.promises.prices import Prices
from minirel.solvers.limits import Deadline

# The temperature at which values are compared, as a share of the typical regret, and how far the rows may be
# from balance then, as a share of all units.
_TEMPERATURE, _TOLERANCE = 1 / 16, 1e-3
# Points on which choices are valued.
_SAMPLE = 2_000
# Relative to the value: what a better choice gains at least, and estimates that differ by less are alike.
_GAIN, _ALIKE = 1e-4, 1e-9
# The neighbours of a choice that are valued, those of the best estimates, and the most estimates in all.
_N_VALUED, _MAX_ESTIMATES = 8, 5_000

Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Valued:
    """Holders, about what the cheapest assignment that keeps them costs, and its prices."""

    holders: Prefix
    value: float
    prices: Prices


def search_holders(
    problem: Problem,
    start: Prefix,
    required: Prefix,
    program: CountProgram,
    prices: Prices | None = None,
    values: "SampledValues | None" = None,
    ruled_out: Collection[Prefix] = (),
) -> Valued:
    """The best choice of holders that a local search finds from `start`, whose `prices` may be known.

    A choice is worth the dual value of its fair assignment, on a sample of the points. In its neighbours one
    holder is elsewhere, or two groups exchange clusters. Those that look best by an estimate are valued, and
    the first that is better, and that some clustering may keep, takes its place. The end is compared with the
    start on all points.
    """
    values = SampledValues(problem) if values is None else values
    best = first = values.of(start, prices, program.deadline)
    seen, n_estimates = {start, *ruled_out}, 0
    is_better = True
    while is_better and n_estimates < _MAX_ESTIMATES:
        is_better = False
        changes = Changes(values, best)
        for holders in changes.neighbours(required, program.deadline)[:_N_VALUED]:
            if holders in seen or program.deadline.passed():
                continue
            seen.add(holders)
            trial = values.of(holders, best.prices, program.deadline, cutoff=best.value)
            if program.deadline.passed():  # its value may be far too low
                continue
            gain = best.value - trial.value
            if gain > _GAIN * abs(best.value) and _can_be_kept(holders, problem, program):
                best, is_better = trial, True
                break
        n_estimates += changes.n_estimates
    if best is first or values.bound(best) >= values.bound(first):
        return first
    return best


def _can_be_kept(holders: Prefix, problem: Problem, program: CountProgram) -> bool:
    """Whether some clustering surely keeps the holders; of points all unlike, whether one may.

    Points that could be divided would keep most holders, in clusters so small that no whole ones do.
    """
    choice = program.keeping(holders)
    return choice.possible or (problem.is_indivisible and choice.holders is not None)


class SampledValues:
    """Values of choices of holders, on a sample of the points; on that of `like`, other costs, if given."""

    def __init__(self, problem: Problem, like: "SampledValues | None" = None) -> None:
        self.problem, self.scanner = problem, Scanner(problem)
        if like is None:
            nothing = np.zeros((self.scanner.n_signatures, problem.n_clusters))
            reference = ReferenceScan(self.scanner, nothing)
            self.sample = reference.sample(_SAMPLE)
            self.temperature = _TEMPERATURE * dual.temperature_range(reference.scan).highest
        else:
            costs = problem.costs[like.sample.points].astype(np.float64)
            self.sample, self.temperature = replace(like.sample, costs=costs), like.temperature
        self.units: Vector = np.ones(len(self.sample)) * (
            1 if self.sample.units is None else self.sample.units
        )

    def of(
        self, holders: Prefix, prices: Prices | None, deadline: Deadline, cutoff: float = np.inf
    ) -> Valued:
        """The value of holders; any that is above `cutoff` if theirs is, or below theirs at the deadline."""
        rows = promised_rows(self.problem, holders)
        known = np.zeros(len(rows)) if prices is None else rows.from_prices(prices)
        tolerance = _TOLERANCE * self.scanner.total
        best, _ = dual.newton(self.sample, rows, known, self.temperature, tolerance, deadline, cutoff)
        value = self.sample.smoothed_dual(rows, best, self.temperature)[0]
        n_groups, n_clusters = self.problem.groups.n_groups, self.problem.n_clusters
        return Valued(holders, value, rows.as_prices(best, n_groups, n_clusters))

    def bound(self, choice: Valued) -> float:
        """What the prices of a choice prove on all points."""
        return self.relaxed(choice)[0]

    def relaxed(self, choice: Valued) -> tuple[float, NDArray[np.int32]]:
        """What the prices of a choice prove on all points, and the labels at these prices."""
        rows = promised_rows(self.problem, choice.holders)
        point = dual.evaluate(rows, self.scanner, rows.from_prices(choice.prices))
        return point.bound, point.reference.scan.labels


class Changes:
    """Estimates of what it changes to give clusters other holders, with all other prices as they are."""

    def __init__(self, values: SampledValues, choice: Valued) -> None:
        self.problem, self.choice, self.units = values.problem, choice, values.units
        self.signature = values.sample.signature
        self.rows = promised_rows(self.problem, choice.holders)
        self.prices = self.rows.from_prices(choice.prices)
        offsets = self.rows.offsets(self.prices, self.problem.n_clusters)
        self.priced = values.sample.costs + offsets[self.signature]
        points = np.arange(len(self.priced))
        self.label = self.priced.argmin(axis=1)
        self.best = self.priced[points, self.label]
        others = self.priced.copy()
        others[points, self.label] = np.inf
        self.second = others.min(axis=1)
        self._known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], float] = {}

    @property
    def n_estimates(self) -> int:
        """How many were made."""
        return len(self._known)

    def neighbours(self, required: Prefix, deadline: Deadline) -> list[Prefix]:
        """The choices that differ a little and look cheaper, the cheapest first; some until the deadline."""
        found = []
        for moves in self._moves(required):
            if deadline.passed():
                break
            holders = {*self.choice.holders}.difference(moves).union(moves.values())
            if len(holders) < len(self.choice.holders) or not self._is_allowed(holders, moves.values()):
                continue
            left: dict[int, list[int]] = {}
            joined: dict[int, list[int]] = {}
            for (group, old), (_, new) in moves.items():
                left.setdefault(old, []).append(group)
                joined.setdefault(new, []).append(group)
            clusters = {*left, *joined}
            change = sum((self.of(k, left.get(k, []), joined.get(k, [])) for k in clusters), start=0.0)
            if change < 0:
                found.append((round(change / abs(self.choice.value) / _ALIKE), tuple(sorted(holders))))
        return [holders for _, holders in sorted(found)]

    def _moves(self, required: Prefix) -> Iterator[dict[Pair, Pair]]:
        """Each holder to each other cluster, and each two groups with their clusters exchanged."""
        movable = [pair for pair in self.choice.holders if pair not in required]
        for group, old in movable:
            for new in range(self.problem.n_clusters):
                if new != old:
                    yield {(group, old): (group, new)}
        for i, (group, old) in enumerate(movable):
            for other, new in movable[:i]:
                if group != other and old != new:
                    yield {(group, old): (group, new), (other, new): (other, old)}

    def _is_allowed(self, holders: set[Pair], new: Collection[Pair]) -> bool:
        fairness = self.problem.fairness
        if fairness.exclusive and len({k for _, k in holders}) < len(holders):
            return False
        return all(fairness.allowed[pair] for pair in new)

    def of(self, cluster: int, left: Sequence[int], joined: Sequence[int]) -> float:
        """What it changes if some groups no longer hold a cluster and others do."""
        key = cluster, tuple(left), tuple(joined)
        if key not in self._known:
            self._known[key] = self._of(*key)
        return self._known[key]

    def _of(self, cluster: int, left: tuple[int, ...], joined: tuple[int, ...]) -> float:
        others = np.where(self.label == cluster, self.second, self.best)
        inside, change = self.priced[:, cluster], 0.0
        listed = self.rows.listed
        for group in left:
            is_held = (listed.kind < len(OF_HOLDERS)) & (listed.group == group) & (listed.cluster == cluster)
            prices = self.prices[is_held]
            inside = inside + (prices @ self.rows.coefficients[is_held])[self.signature]
            change -= float(prices @ self.rows.rhs[is_held])
        change += float(self.units @ (np.minimum(inside, others) - self.best))
        return change + sum(self._joining(group, inside - others) for group in joined)

    def _joining(self, group: int, regret: Vector) -> float:
        """The most that a price on the share of a group in a cluster adds; infinite if no price will do.

        `regret` is what each point costs more in the cluster than elsewhere. As the price rises, members join
        and others leave, each at a price of its own, until the cluster lacks nothing.
        """
        share, groups = float(self.problem.fairness.alpha[group]), self.problem.groups
        if groups.counts is None:
            per_unit = np.where(groups.signatures[self.signature, group], 1 - share, -share)
        else:
            counts = groups.counts
            per_unit = counts.members[self.signature, group] - share * counts.total[self.signature]
        lacking = -float((per_unit * self.units)[regret < 0].sum())
        if lacking <= 0:
            return 0.0
        moving = np.flatnonzero((per_unit != 0) & ((per_unit > 0) == (regret >= 0)))
        price, gain = regret[moving] / per_unit[moving], np.abs(per_unit * self.units)[moving]
        order = np.argsort(price)
        price, still = price[order], lacking - np.cumsum(gain[order])
        if not len(still) or still[-1] > _ALIKE * lacking:
            return np.inf
        steps = np.diff(price, prepend=0.0)
        before = np.concatenate([[lacking], still[:-1]])
        return float(np.maximum(before, 0.0) @ steps)
