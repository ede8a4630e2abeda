"""What the parts of a frontier's page have in common: its values, its names and how prices read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minirel.frontiers.table import Frontier
from minirel.frontiers.wording import (
    open_in_words,
    price_in_words,
    promise_in_words,
    unpromised_in_words,
    value_in_words,
)
from minirel.points.wording import counted
from minirel.report.names import Names

# The prices up to which a cell has each of the colours, from pale to strong.
HEAT = (0.0005, 0.005, 0.01, 0.02, 0.05, 0.15)


@dataclass(frozen=True, eq=False)
class View:
    """A frontier, the budget for which its page was asked, and reasons in other words than Python's."""

    found: Frontier
    budget: float
    reasons: Sequence[str] | None = None

    @cached_property
    def groups(self) -> Names:
        """Names of the groups."""
        return Names(self.found.groups, "group")

    @cached_property
    def values(self) -> dict[str, list[Any]]:
        """The values of each parameter that was varied, in their order."""
        values: dict[str, list[Any]] = {}
        for name in self.found.requests[0].values:
            seen: list[Any] = []
            for one in self.found.requests:
                value = one.values[name]
                if not any(value is known or value == known for known in seen):
                    seen.append(value)
            values[name] = seen
        return values

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The table."""
        return self.found.columns()

    @cached_property
    def best(self) -> list[int]:
        """The rows within the budget that nothing betters."""
        return self.found.best_within(self.budget)

    @property
    def open(self) -> str:
        """That some are open, in words; "" if none is."""
        return open_in_words(self.found.n_open, len(self.found))

    def place(self, i: int, name: str) -> int:
        """Which of its values a parameter has in a row."""
        value = self.found.requests[i].values[name]
        return next(n for n, known in enumerate(self.values[name]) if value is known or value == known)

    def row(self, **places: int) -> int:
        """The row of the values at these places."""
        row = 0
        for name, values in self.values.items():
            row = row * len(values) + places.get(name, 0)
        return row

    def label(self, name: str, place: int) -> str:
        """A value in a few words."""
        names = dict(zip(self.found.groups, self.groups.short, strict=True))
        return value_in_words(name, self.values[name][place], names)

    def price(self, i: int) -> str:
        """How the price of a row reads."""
        value, feasible = self.columns["price"][i], self.columns["feasible"][i]
        if feasible is None:
            return "open"
        return price_in_words(value) if feasible else "no"

    def heat(self, i: int) -> str:
        """The class of a row's colour."""
        if not self.columns["feasible"][i]:
            return "never" if self.columns["feasible"][i] is False else "open"
        return f"heat{int(np.searchsorted(HEAT, self.columns['price'][i]))}"

    def promise(self, i: int) -> str:
        """What a row promises, in words."""
        one = self.found.requests[i]
        return str(one.refused) if one.request is None else promise_in_words(one.fairness, self.groups.short)

    def why(self, i: int) -> str:
        """Why a row has no answer."""
        return str(self.found.why(i)) if self.reasons is None else self.reasons[i]

    def title(self, i: int) -> str:
        """A row in words: its clusters, its promise, and whom it promises nothing."""
        nothing = self.nothing(i)
        clusters = counted(self.found.requests[i].n_clusters, "cluster")
        return f"{clusters}, {self.promise(i)}{f'; {nothing}' if nothing else ''}"

    def nothing(self, i: int) -> str:
        """Whom a row promises nothing, in words; "" if nobody."""
        one = self.found.requests[i]
        return "" if one.request is None else unpromised_in_words(one.fairness, self.groups.short)
