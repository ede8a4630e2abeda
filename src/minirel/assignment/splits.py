"""Branching: integer forms over counts, of which tight rows leave a fractional value."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan

Vector = NDArray[np.float64]
Form = NDArray[np.int64]

_MIN_SCORE = 1e-3


@dataclass(frozen=True, eq=False)
class Split:
    """A branching on ``form @ counts`` in the cluster of a row: at most the floor of `value`, or more."""

    row: int
    cluster: int
    form: Form
    value: float
    score: float

    @property
    def floor(self) -> int:
        """The largest value on the lower side."""
        return math.floor(self.value)

    def below(self, rows: Rows, prices: Vector) -> tuple[Rows, Vector]:
        """The rows of the lower side, and prices to start from."""
        return rows.split(self.row, -self.form, -self.floor), np.append(prices, 0.0)

    def above(self, rows: Rows, prices: Vector) -> tuple[Rows, Vector]:
        """The rows of the upper side, and prices to start from: the form takes over the price of the row."""
        prices = np.append(prices, 0.0)
        weight = np.abs(rows.coefficients[self.row]).sum() / np.abs(self.form).sum()
        prices[-1], prices[self.row] = prices[self.row] * weight, 0.0
        return rows.split(self.row, self.form, self.floor + 1), prices

    def cost_below(self, rows: Rows, scan: Scan, signature: NDArray[np.int32]) -> float:
        """A lower bound on what `below` costs above the value of the scan, from regrets alone.

        With ``F - M <= r`` a row ``49 F - 51 M >= 0`` leaves ``M <= 49 r / 2``, and so ``F <= M + r``. What
        is in the cluster beyond that has to leave it, and each such point pays at least its regret.
        """
        row = rows.exact[self.row]
        members, (a, b), m = row >= 0, (int(row.max()), -int(row.min())), -int(self.form.min())
        if int(self.form.max()) != 1 or m < 1 or b <= a * m:
            return 0.0
        others = a * self.floor // (b - a * m)
        cost = 0.0
        for who, most in ((~members, others), (members, m * others + self.floor)):
            n_leaving = int(scan.counts[who, self.cluster].sum()) - most
            if n_leaving > 0:
                regret = scan.regret[who[signature] & (scan.labels == self.cluster)]
                cost += float(np.sort(regret)[:n_leaving].sum())
        return cost


def splits(rows: Rows, prices: Vector, counts: NDArray[np.float64]) -> list[Split]:
    """The splits at these prices and (fractional) counts, those of the highest score first."""
    found = []
    for r in np.flatnonzero(rows.is_share & (prices > 0)).tolist():
        form, cluster = _integer_form(rows, r), int(rows.cluster[r])
        value = _clipped(rows, cluster, form, float(form @ counts[:, cluster]))
        fraction = value - math.floor(value)
        score = min(fraction, 1 - fraction) * float(prices[r] / prices.max())
        if score > _MIN_SCORE:
            found.append(Split(r, cluster, form, value, score))
    return sorted(found, key=lambda split: -split.score)


def _clipped(rows: Rows, cluster: int, form: Form, value: float) -> float:
    """The value of a form, clipped to what earlier splits leave of it.

    Counts are smoothed, so they may lie just outside, and a split there would repeat an earlier one.
    """
    earlier = rows.is_split & (rows.cluster == cluster)
    least = rows.least[earlier & (rows.exact == form).all(axis=1)]
    most = -rows.least[earlier & (rows.exact == -form).all(axis=1)]
    return float(min([max([value, *least]), *most]))


def _integer_form(rows: Rows, r: int) -> NDArray[np.int64]:
    """The integer form nearest to a row: members minus an integer multiple of others, or the reverse.

    A row asks ``a F - b M >= 0`` of members F and others M. With m the integer nearest to b/a (or a/b,
    whichever is above one) ``F - m M`` (or ``m F - M``) is an integer that hardly moves with the counts.
    """
    members = np.asarray(rows.exact[r] >= 0)
    b = -int(rows.exact[r].min())
    a = int(rows.exact[r].max())
    if a <= 0:
        return np.where(members, 0, -1)
    if b <= 0:
        return np.asarray(members, dtype=np.int64)
    if b >= a:
        return np.where(members, 1, -round(b / a))
    return np.where(members, round(a / b), -1)
