"""What to split a problem on: integers that tight rows leave between two whole numbers."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.rows import Rows
from minirel.assignment.scan import Scan

Vector = NDArray[np.float64]
Form = NDArray[np.int64]

_LEAST_SCORE = 1e-3


@dataclass(frozen=True, eq=False)
class Split:
    """Counts in a row's cluster at which ``form @ counts`` is at most the floor of `value`, or else above."""

    row: int
    cluster: int
    form: Form
    value: float
    score: float

    @property
    def floor(self) -> int:
        """The greatest integer below."""
        return math.floor(self.value)

    def below(self, rows: Rows, prices: Vector) -> tuple[Rows, Vector]:
        """The rows with this part's own, and prices to start from."""
        return rows.split(self.row, -self.form, -self.floor), np.append(prices, 0.0)

    def above(self, rows: Rows, prices: Vector) -> tuple[Rows, Vector]:
        """The same for the other part: its form takes the row's place and price, so offsets hardly change."""
        prices = np.append(prices, 0.0)
        weight = np.abs(rows.coefficients[self.row]).sum() / np.abs(self.form).sum()
        prices[-1], prices[self.row] = prices[self.row] * weight, 0.0
        return rows.split(self.row, self.form, self.floor + 1), prices

    def cost_below(self, rows: Rows, scan: Scan, signature: NDArray[np.int32]) -> float:
        """What `below` costs at least on top of the scan's value, from the points' regrets alone.

        With ``F - M <= r`` a row ``49 F - 51 M >= 0`` leaves ``M <= 49 r / 2``, and so ``F <= M + r``. What
        is in the cluster beyond that has to leave it, each point at its regret.
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
    """The splits at these prices and (fractional) counts, the most telling first."""
    found = []
    for r in np.flatnonzero(rows.is_share & (prices > 0)).tolist():
        form, cluster = _whole_form(rows, r), int(rows.cluster[r])
        value = _within(rows, cluster, form, float(form @ counts[:, cluster]))
        fraction = value - math.floor(value)
        score = min(fraction, 1 - fraction) * float(prices[r] / prices.max())
        if score > _LEAST_SCORE:
            found.append(Split(r, cluster, form, value, score))
    return sorted(found, key=lambda split: -split.score)


def _within(rows: Rows, cluster: int, form: Form, value: float) -> float:
    """The value of a form, within what earlier splits leave of it.

    Counts are smoothed, so they may be just outside; split on there, the same part would come again.
    """
    earlier = rows.is_split & (rows.cluster == cluster)
    least = rows.least[earlier & (rows.exact == form).all(axis=1)]
    most = -rows.least[earlier & (rows.exact == -form).all(axis=1)]
    return float(min([max([value, *least]), *most]))


def _whole_form(rows: Rows, r: int) -> NDArray[np.int64]:
    """The integer form nearest to a row: members less a whole multiple of others, or the reverse.

    A row asks ``a F - b M >= 0`` of members F and others M. With m the whole number nearest to b/a (or a/b,
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
