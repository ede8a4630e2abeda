"""What must hold of a fit, whatever it was asked: checked from its labels in exact fractions.

Nothing here comes from the package. Numbers are compared as finely as the arithmetic of the data's type
allows: `allowance` says how fine that is.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fits import Fit
from instances import Instance, Optimum, Tally, is_fair, optimum, tally

# Of the points' costs: what sums of doubles may lose, and what "optimal" claims.
ROUNDING = 1e-12
OPTIMAL = 1e-8
STATUSES = {"optimal", "within gap", "within rounding", "effort limit", "time limit", "iteration limit"}
STOPS = {"converged", "max_iter", "time_limit"}
# Labels after a single move, checked at once.
_MOVES = 500


def check_fit(fit: Fit, model: Any) -> None:
    """Check all that a fitted model says."""
    assert model.labels_.shape == (fit.n_points,)
    assert model.cluster_centers_.shape == (fit.n_clusters, fit.X.shape[1])
    assert model.cluster_centers_.dtype == fit.X.dtype
    answer = Checked(fit, model)
    answer.check_promises()
    answer.check_audit()
    answer.check_centers()
    answer.check_costs()
    answer.check_history()
    answer.check_status()
    if fit.can_be_tried:
        answer.check_against_all_labels()
    if model.stop_ == "converged":
        answer.check_single_moves()


@dataclass(frozen=True, eq=False)
class Checked:
    """A fit, the model that came of it, and what its labels cost exactly."""

    fit: Fit
    model: Any

    @property
    def labels(self) -> NDArray[np.integer]:
        return np.asarray(self.model.labels_)

    @cached_property
    def asked(self) -> Instance:
        """The assignment problem at the model's centers, with the pairs that were asked for by name."""
        costs = exact_costs(self.fit.X, self.model.cluster_centers_, self.fit.options["objective"])
        return self.fit.assignment(costs, self.fit.required)

    @cached_property
    def tally(self) -> Tally:
        return tally(self.asked, self.labels)

    @cached_property
    def allowance(self) -> NDArray[np.float64]:
        """What rounding may add to what each point pays in each cluster, its weight included."""
        weights = np.array(self.asked.weights, dtype=float)[:, None]
        paid = np.array(self.asked.costs, dtype=float)
        return weights * self.eps * (self.fit.X.shape[1] + 8) * paid

    @property
    def eps(self) -> float:
        return float(np.finfo(self.fit.X.dtype).eps)

    def rounding(self, labels: NDArray[np.integer]) -> float:
        """By how much the cost of labels may be off."""
        allowed = self.allowance[np.arange(len(labels)), labels].sum()
        return float(allowed + ROUNDING * self.asked.exact_cost(labels))

    def check_promises(self) -> None:
        model, fit = self.model, self.fit
        assert set(np.unique(self.labels).tolist()) == set(range(fit.n_clusters)), "a cluster is empty"
        assert is_fair(self.asked, self.labels[None])[0], f"{self.labels.tolist()} breaks a promise"
        assert model.beta_ == self.asked.beta, f"beta_ is {model.beta_}, not {self.asked.beta}"
        assert len(set(model.prefix_)) == len(model.prefix_), f"prefix_ repeats itself: {model.prefix_}"
        assert set(fit.required) <= set(model.prefix_), "a pair of the prefix is gone"
        if self.asked.is_exclusive:
            clusters = [k for _, k in model.prefix_]
            assert len(set(clusters)) == len(clusters), f"a cluster counts twice in {model.prefix_}"
        for name, k in model.prefix_:
            assert self.tally.represented[name][k], f"{name!r} does not hold cluster {k}"
        for name, least in self.asked.beta.items():
            holds = [k for group, k in model.prefix_ if group == name and self.asked.allowed[name][k]]
            assert len(holds) >= least, f"prefix_ has {holds} for {name!r}, promised {least}"

    def check_audit(self) -> None:
        audit, found = self.model.audit_, self.tally
        assert audit.satisfied, f"{audit} is not satisfied"
        assert list(audit.groups) == list(found.counts), f"audit_ is about {audit.groups}"
        np.testing.assert_allclose(audit.sizes, np.array(found.sizes, dtype=float), rtol=1e-15)
        for g, (name, counts) in enumerate(found.counts.items()):
            assert audit.represented[g].tolist() == found.represented[name], (
                f"{name!r} is represented elsewhere"
            )
            np.testing.assert_allclose(audit.counts[g], np.array(counts, dtype=float), rtol=1e-15)
            shares = [float(count / t) if t else 0.0 for count, t in zip(counts, found.totals, strict=True)]
            np.testing.assert_allclose(audit.shares[g], shares, rtol=1e-15)
            counting = np.array(found.represented[name]) & self.asked.allowed[name]
            assert audit.n_represented[g] == counting.sum(), f"audit_ counts wrong for {name!r}"

    def check_centers(self) -> None:
        """Means lie where they should, medians between the middle two."""
        X, centers = self.fit.X, self.model.cluster_centers_
        finest = 8 * float(np.finfo(X.dtype).eps) * np.abs(X).max(axis=0)
        weights = self.asked.weights
        for k in range(self.fit.n_clusters):
            members = [i for i in np.flatnonzero(self.labels == k).tolist() if weights[i] > 0]
            for f in range(X.shape[1]):
                values = [(Fraction(float(X[i, f])), weights[i]) for i in members]
                low, high = _middle(values, self.fit.options["objective"])
                center, off = Fraction(float(centers[k, f])), Fraction(float(finest[f]))
                assert low - off <= center <= high + off, (
                    f"center {k} is at {float(center)} in feature {f}, not {float(low)} to {float(high)}"
                )

    def check_costs(self) -> None:
        model, cost = self.model, self.asked.exact_cost(self.labels)
        off = abs(Fraction(model.inertia_) - cost)
        assert off <= self.rounding(self.labels), (
            f"inertia_ is {model.inertia_}, {float(off):.3g} off the labels' cost, {float(cost)}"
        )
        assert model.lower_bound_ <= model.inertia_, (
            f"lower_bound_ is {model.lower_bound_} > {model.inertia_}"
        )

    def check_history(self) -> None:
        """The cost never rises, to rounding, and ends as `inertia_`."""
        model = self.model
        n_iter = sum(record.swap == 0 for record in model.history_)
        # What follows after swaps has as many again.
        most = self.fit.options.get("max_iter", 100) * (2 if self.fit.options.get("n_swaps") else 1)
        assert model.n_iter_ == n_iter <= most, f"n_iter_ is {model.n_iter_} for {n_iter} records"
        costs = [record.cost for record in model.history_] + [model.inertia_]
        for before, after in itertools.pairwise(costs):
            # Centers are rounded, too: what that adds is small beside the dearest point.
            rounding = 2 * self.rounding(self.labels) + 8 * self.eps * (
                before + float(self.allowance.max() / self.eps)
            )
            assert after <= before + rounding, f"the cost rises in {costs}"
        assert all(record.bound <= record.cost for record in model.history_), "a bound is above the cost"

    def check_status(self) -> None:
        model = self.model
        assert model.stop_ in STOPS, f"stop_ is {model.stop_!r}"
        assert model.status_ in STATUSES, f"status_ is {model.status_!r}"
        excess = model.inertia_ - model.lower_bound_
        if model.status_ == "optimal":
            assert model.gap_ == 0, f"called optimal with gap_={model.gap_}"
        else:
            assert math.isclose(model.gap_ * model.inertia_, excess, rel_tol=1e-9), f"gap_ is {model.gap_}"
        if "time_limit" not in self.fit.options:
            assert "time_limit" not in (model.stop_, model.status_.replace(" ", "_")), "no limit was given"
        if model.stop_ == "converged":
            assert model.status_ not in ("time limit", "iteration limit"), f"{model.status_!r}, yet converged"
        match model.status_:
            case "optimal":
                assert excess <= OPTIMAL * model.inertia_, f"called optimal with gap_={model.gap_}"
            case "within gap":
                within = self.fit.options["gap"] * (1 + 1e-9)
                assert excess <= within * model.inertia_, f"called within gap with gap_={model.gap_}"
            case "effort limit":
                differ = self.fit.sample_weight is not None or "total" in self.fit.options
                assert differ, "only points that differ may be too hard"

    def check_against_all_labels(self) -> None:
        """The bound is none above the least cost of all labels that it speaks of."""
        model = self.model
        chosen = isinstance(self.fit.options["prefix"], str) and model.assignment_.covers == "prefix"
        asked = self.fit.assignment(self.asked.costs, model.prefix_ if chosen else self.fit.required)
        best = optimum(asked)
        assert best is not None
        self._check_bound(best)
        if model.status_ == "optimal":
            lost = self.asked.exact_cost(self.labels) - best.cost
            rounding = self.rounding(self.labels) + self.rounding(best.labels)
            assert lost <= OPTIMAL * best.cost + rounding, (
                f"called optimal, but {best.labels.tolist()} costs {float(lost):.3g} less"
            )

    def _check_bound(self, best: Optimum) -> None:
        excess = Fraction(self.model.lower_bound_) - best.cost
        assert excess <= self.rounding(best.labels), (
            f"the bound exceeds the optimum, {float(best.cost)}, by {float(excess):.3g}, "
            f"of which rounding explains {self.rounding(best.labels):.3g}"
        )

    def check_single_moves(self) -> None:
        """No point alone can go to a cheaper cluster with every promise kept, its centers following."""
        rows, paid = np.arange(self.fit.n_points), np.array(self.asked.exact_costs, dtype=object)
        own = paid[rows, self.labels]
        off = self.allowance + self.allowance[rows, self.labels][:, None]
        off += ROUNDING * paid.max(axis=1).astype(float)[:, None]
        if self.fit.options["objective"] == "k-means":
            weights, sizes = np.array(self.asked.weights), np.array(self.tally.sizes)
            left = sizes[self.labels] - weights
            own = own * np.where(left > 0, sizes[self.labels] / np.where(left > 0, left, 1), 0)
            paid = paid * (sizes / (sizes + weights[:, None]))
            # What rounding hides is larger beside a cluster of little else.
            off *= np.where(left > 0, sizes[self.labels] / np.where(left > 0, left, 1), 1).astype(float)[
                :, None
            ]
            # Centers are rounded, and no longer the means: a cluster pays for that by its size.
            finest = float(np.finfo(self.fit.X.dtype).eps) * np.abs(self.fit.X).max(axis=0).astype(float)
            heavy = sizes[self.labels][:, None] + sizes
            off += 4 * float((finest**2).sum()) * heavy.astype(float)
            paid[rows, self.labels] = own
        points, targets = np.nonzero(np.array(paid < own[:, None] - off, dtype=bool))
        for start in range(0, len(points), _MOVES):
            some, there = points[start : start + _MOVES], targets[start : start + _MOVES]
            moved = np.tile(self.labels, (len(some), 1))
            moved[np.arange(len(some)), some] = there
            for j in np.flatnonzero(is_fair(self.asked, moved)).tolist():
                saved = own[some[j]] - paid[some[j], there[j]]
                raise AssertionError(
                    f"converged, but point {some[j]} can go from cluster {self.labels[some[j]]} to "
                    f"{there[j]} and save {float(saved):.3g} of {self.model.inertia_:.6g}"
                )


def exact_costs(X: NDArray[np.floating], centers: NDArray[np.floating], objective: str) -> NDArray[Any]:
    """Squared or absolute distances between the very doubles, as fractions."""
    unit = max(value.as_integer_ratio()[1] for value in [*X.ravel().tolist(), *centers.ravel().tolist()])

    def whole(table: NDArray[np.floating]) -> NDArray[Any]:
        ratios = (value.as_integer_ratio() for value in table.ravel().tolist())
        flat = np.empty(table.size, dtype=object)
        flat[:] = [p * (unit // q) for p, q in ratios]
        return flat.reshape(table.shape)

    difference = whole(X)[:, None] - whole(centers)[None]
    if objective == "k-means":
        return np.frompyfunc(lambda total: Fraction(total, unit**2), 1, 1)((difference**2).sum(axis=2))
    return np.frompyfunc(lambda total: Fraction(total, unit), 1, 1)(np.abs(difference).sum(axis=2))


def _middle(values: list[tuple[Fraction, Fraction]], objective: str) -> tuple[Fraction, Fraction]:
    """The mean, twice, or the least and the largest median of values with weights."""
    total = sum(weight for _, weight in values)
    if objective == "k-means":
        mean = sum(value * weight for value, weight in values) / total
        return mean, mean
    below = Fraction()
    medians = []
    for value, weight in sorted(values):
        if below <= total / 2 <= below + weight:
            medians.append(value)
        below += weight
    return medians[0], medians[-1]
