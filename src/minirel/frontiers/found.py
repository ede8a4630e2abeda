"""What a fit of a frontier found, in few bytes: enough to rebuild the model, and to go on from there."""

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.problem import End
from minirel.clustering.history import Iteration
from minirel.clustering.known import Known
from minirel.clustering.objectives import Matrix
from minirel.estimator import MiniReL
from minirel.promises.fairness import Prefix
from minirel.promises.prices import Prices

_LIMITS = ("effort limit", "time limit")


@dataclass(frozen=True, eq=False)
class Found:
    """A clustering and its proof.

    Attributes
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        Means or medians of the clusters.
    labels : ndarray of shape (n_points,)
        Cluster of each point, in the smallest integers that can hold them.
    holders : Prefix
        Who holds which cluster, by index of the group.
    prices : ndarray or None
        The table of `Prices`.
    cost, lower_bound, gap : float
        As in `Result`.
    status, covers, stop : str
        As in `Result`.
    unit : float
        The weight of a unit, in which searches count.
    n_moved : int
        Points that are not with their nearest center.
    history : tuple of Iteration
        As in `Result`.
    """

    centers: Matrix
    labels: NDArray[np.unsignedinteger]
    holders: Prefix
    prices: NDArray[np.float64] | None
    cost: float
    lower_bound: float
    gap: float
    status: str
    covers: str
    stop: str
    unit: float
    n_moved: int
    history: tuple[Iteration, ...]

    @classmethod
    def of(cls, model: MiniReL) -> "Found":
        """What a fitted model found."""
        result = model.result_
        as_they_are: dict[str, Any] = {name: getattr(result, name) for name in _SAME}
        return cls(
            labels=result.labels.astype(np.min_scalar_type(len(result.centers))),
            holders=tuple(result.holders),
            prices=None if result.prices is None else result.prices.table,
            unit=float(result.weights.unit),
            n_moved=int((result.labels != result.trace.end.labels).sum()),
            **as_they_are,
        )

    @property
    def was_cut(self) -> bool:
        """Whether the clock or the user ended the fit, so that it could find more another time."""
        return self.stop in ("time_limit", "callback")

    def as_start(self) -> Known:
        """A start for other promises that the labels keep."""
        return Known(self.centers, self.labels, self.holders, self._prices())

    def as_it_is(self) -> Known:
        """The clustering itself, with its own proof."""
        end: Any = self.status if self.status in _LIMITS else "done"
        return Known(
            self.centers,
            self.labels,
            self.holders,
            self._prices(),
            self.lower_bound / self.unit,
            "time limit" if self.status == "iteration limit" else end,
            is_final=True,
        )

    def without_proof(self, end: End) -> Known:
        """The clustering as it is as an answer to other promises that its labels keep."""
        return Known(self.centers, self.labels, None, None, -np.inf, end, is_final=True)

    def _prices(self) -> Prices | None:
        return None if self.prices is None else Prices(self.prices)

    def to_bytes(self) -> bytes:
        """The same as bytes, in NumPy's own format."""
        arrays: dict[str, Any] = {"centers": self.centers, "labels": self.labels}
        if self.prices is not None:
            arrays["prices"] = self.prices
        plain = {name: getattr(self, name) for name in _PLAIN}
        plain["holders"] = list(map(list, self.holders))
        plain["history"] = [asdict(record) for record in self.history]
        buffer = io.BytesIO()
        np.savez_compressed(buffer, plain=np.array(json.dumps(plain)), **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Found":
        """What `to_bytes` made bytes of."""
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            plain: dict[str, Any] = json.loads(str(arrays["plain"]))
            return cls(
                centers=arrays["centers"],
                labels=arrays["labels"],
                prices=arrays.get("prices"),
                holders=tuple((g, k) for g, k in plain.pop("holders")),
                history=tuple(Iteration(**record) for record in plain.pop("history")),
                **plain,
            )


# Fields that are those of `Result`, and those that JSON knows.
_SAME = ("centers", "cost", "lower_bound", "gap", "status", "covers", "stop", "history")
_PLAIN = [
    field.name
    for field in fields(Found)
    if field.name not in ("centers", "labels", "holders", "prices", "history")
]


def cheapest(found: Sequence[Found]) -> Found:
    """The cheapest, of equals the first."""
    return min(found, key=lambda one: one.cost)
