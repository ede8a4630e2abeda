"""What is known of each request of a frontier."""

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np

from minirel.frontiers.asked import Asked, is_as_strict
from minirel.frontiers.fits import Fits, is_kept
from minirel.frontiers.found import Found
from minirel.frontiers.shape import dominated, knees
from minirel.frontiers.work import Outcome, Stop
from minirel.outcome.audit import Audit
from minirel.points.errors import InfeasibleFairnessError

_NOT_REACHED = "not reached"


class Rows:
    """The requests in their order, with what was found for each."""

    def __init__(
        self,
        requests: list[Asked],
        plain: dict[int, Found],
        answers: dict[str, Outcome],
        fits: Fits,
        stop: Stop,
    ) -> None:
        self.requests, self.stop = requests, stop
        self._plain, self._answers, self._fits = plain, answers, fits
        self._audits = [self._audit(i) for i in range(len(requests))]

    def __len__(self) -> int:
        return len(self.requests)

    @property
    def groups(self) -> tuple[Hashable, ...]:
        """Names of the groups."""
        return self._fits.groups.names

    @property
    def n_points(self) -> int:
        """Number of points."""
        return self._fits.groups.n_points

    @property
    def n_open(self) -> int:
        """Number of requests that have no answer yet."""
        return sum(self._feasible(i) is None for i in range(len(self)))

    @property
    def prices(self) -> list[float]:
        """The price of each row, as in `to_frame`."""
        return [self.price(i) for i in range(len(self))]

    @cached_property
    def dominated(self) -> list[int | None]:
        """For each row another that promises more and costs no more; None if there is none."""
        return dominated(self.prices, self.is_stricter)

    @cached_property
    def knees(self) -> list[bool]:
        """For each row whether the price turns up after it."""
        return knees(self.requests, self.prices, self.dominated)

    def columns(self) -> dict[str, list[Any]]:
        """The columns of `to_frame`, as lists."""
        rows = range(len(self))
        found = [self._found(i) for i in rows]
        has_max_share = any(one.values["max_share"] is not None for one in self.requests)
        names = ("n_clusters", "alpha", "beta", *(["max_share"] if has_max_share else []))
        columns: dict[str, list[Any]] = {name: [one.values[name] for one in self.requests] for name in names}
        return columns | {
            "feasible": [self._feasible(i) for i in rows],
            "why": [str(self.why(i)) for i in rows],
            "cost": [_of(one, "cost") for one in found],
            "price": [self.price(i) for i in rows],
            "lower_bound": [_of(one, "lower_bound") for one in found],
            "gap": [_of(one, "gap") for one in found],
            "status": [_of(one, "status", "") for one in found],
            "kmeans_cost": [_of(self._plain.get(one.n_clusters), "cost") for one in self.requests],
            "least_size": [np.nan if a is None else float(a.sizes.min()) for a in self._audits],
            "moved": [np.nan if one is None else one.n_moved / len(one.labels) for one in found],
            "promised": [self._promised(i) for i in rows],
            "represented": [None if a is None else _by_group(a, a.n_represented) for a in self._audits],
            "nearest": [self.nearest(i) for i in rows],
            "dominated": [other is not None for other in self.dominated],
            "knee": self.knees,
        }

    def price(self, i: int) -> float:
        """The share by which a row costs more than k-means; NaN if it has no answer."""
        found, plain = self._found(i), self._plain.get(self.requests[i].n_clusters)
        if found is None or plain is None:
            return float("nan")
        return (
            (found.cost - plain.cost) / plain.cost if plain.cost > 0 else 0.0 if found.cost <= 0 else np.inf
        )

    def clustering(self, i: int) -> Found | None:
        """What was found for a row, in few bytes."""
        return self._found(i)

    def plain(self, n_clusters: int) -> Found | None:
        """Plain k-means with so many clusters."""
        return self._plain.get(n_clusters)

    def why(self, i: int) -> str:
        """Why a row has no answer; "" if it has one."""
        outcome = self._outcome(i)
        if isinstance(outcome, Found):
            return ""
        return _NOT_REACHED if outcome is None else outcome.args[0]

    def nearest(self, i: int) -> dict[str, object] | None:
        """What to change for the nearest request that can be met; None if this one can."""
        outcome = self._outcome(i)
        return outcome.nearest if isinstance(outcome, InfeasibleFairnessError) else None

    def is_stricter(self, i: int, j: int) -> bool:
        """Whether row i promises at least as much as row j with as many clusters, and more to somebody."""
        one, other = self.requests[i], self.requests[j]
        if one.request is None or other.request is None:
            return False
        return is_as_strict(one, other) and not is_as_strict(other, one)

    def _outcome(self, i: int) -> Outcome | None:
        one = self.requests[i]
        return one.refused if one.request is None else self._answers.get(one.key)

    def _found(self, i: int) -> Found | None:
        outcome = self._outcome(i)
        return outcome if isinstance(outcome, Found) else None

    def _feasible(self, i: int) -> bool | None:
        outcome = self._outcome(i)
        return True if isinstance(outcome, Found) else False if _is_refusal(outcome) else None

    def _promised(self, i: int) -> dict[Hashable, int] | None:
        one = self.requests[i]
        if one.request is None:
            return None
        return dict(zip(one.fairness.names, one.fairness.beta, strict=True))

    def _audit(self, i: int) -> Audit | None:
        """Count from the labels, by code that shares nothing with what made them."""
        one, found = self.requests[i], self._found(i)
        if found is None:
            return None
        audit = self._fits.audit(found, one)
        if not is_kept(one, audit):
            raise RuntimeError(f"row {i} breaks a promise: a defect of minirel")
        return audit


def _is_refusal(outcome: Outcome | None) -> bool:
    return isinstance(outcome, InfeasibleFairnessError)


def _of(found: Found | None, name: str, otherwise: Any = float("nan")) -> Any:
    return otherwise if found is None else getattr(found, name)


def _by_group(audit: Audit, values: tuple[int, ...]) -> dict[Hashable, int]:
    return dict(zip(audit.groups, values, strict=True))
