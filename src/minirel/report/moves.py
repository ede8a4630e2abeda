"""The question of who was moved, from where, for whose sake and at what cost."""

from collections.abc import Hashable, Sequence

import numpy as np

from minirel.outcome.explanation import Explanation
from minirel.outcome.reasons import in_words
from minirel.outcome.result import Result
from minirel.points.numbers import amount, change, rough
from minirel.points.percent import percent
from minirel.points.wording import agreeing
from minirel.promises.kinds import OF_GROUPS
from minirel.report.markup import Child, Markup, tag
from minirel.report.names import Names, name
from minirel.report.page import section
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "Who was moved, from where, for which group’s sake, and at what cost?"
_MOST_POINTS, _MOST_ROUTES, _MOST_PROMISES = 200, 50, 100
_MOST_GROUPS = 4

Reason = tuple[str, Hashable | None, int | None]


def moves(
    place: int, result: Result, why: Explanation, groups: Names, row_names: Sequence[str] | None
) -> Markup:
    """Moved points by promise, by route, and one by one."""
    n, n_moved = len(result.labels), len(why.points)
    if not n_moved:
        return section(
            place, QUESTION, paragraph("Nobody: every point is with its nearest center.", class_="answer")
        )
    extra = float(why.extra_cost.sum())
    lead = paragraph(
        f"{amount(n_moved, 'point')} of {amount(n)} ({percent(n_moved / n)}) "
        f"{agreeing('is', n_moved)} not with the nearest center. Together that costs {rough(extra)}"
        + (f", {percent(extra / why.cost)} of the whole cost." if why.cost else "."),
        class_="answer",
    )
    no_prices = None
    if result.prices is None:
        no_prices = paragraph(
            "This way of solving gives no prices, so the page cannot tell for which group a point was moved. "
            "The certified solver with a choice of clusters made beforehand can."
        )
    return section(
        place,
        QUESTION,
        lead,
        no_prices,
        _by_promise(result, why, groups) if no_prices is None else None,
        _by_route(why),
        _one_by_one(result, why, groups, row_names),
    )


class Promises:
    """The promises of a clustering in words."""

    def __init__(self, result: Result, groups: Names) -> None:
        self._fairness, self._groups = result.fairness, groups
        self._place = {name: g for g, name in enumerate(result.groups.names)}

    def told(self, kind: str, group: Hashable | None, cluster: int | None) -> Child:
        """A promise, with the name of its group."""
        g = self._place[group] if kind in OF_GROUPS else None
        said = in_words(self._fairness, (kind, g, cluster))
        return said if g is None else tag("span", said, " ", self._groups.bare(g), class_="sake")


def _by_promise(result: Result, why: Explanation, groups: Names) -> Markup:
    promises = Promises(result, groups)
    counts: dict[Reason, int] = {}
    spent: dict[Reason, float] = {}
    for reason, extra in zip(
        zip(why.kind, why.group, why.cluster, strict=True), why.extra_cost.tolist(), strict=True
    ):
        counts[reason] = counts.get(reason, 0) + 1
        spent[reason] = spent.get(reason, 0.0) + extra
    rows = [
        (
            word(promises.told(*reason)),
            number(amount(counts[reason]), counts[reason]),
            number(rough(spent[reason]), spent[reason]),
            number(rough(spent[reason] / counts[reason]), spent[reason] / counts[reason]),
        )
        # A stable sort: what costs the same stays in the order of its costliest point.
        for reason in sorted(counts, key=lambda reason: -spent[reason])
    ]
    heads = [
        Head("Because"),
        Head("Points moved", True),
        Head("Extra cost", True),
        Head("Each, on average", True),
    ]
    caption = (
        "For whose sake points were moved: the promise that weighed most in each point’s choice. Points move "
        "towards a cluster where they help to keep its promise, or away from one where they are in the way."
    )
    return table(caption, heads, rows[:_MOST_PROMISES], label="Moves by promise", n_in_all=len(rows))


def _by_route(why: Explanation) -> Markup:
    routes, which = np.unique(np.stack([why.nearest, why.assigned], axis=1), axis=0, return_inverse=True)
    which = which.ravel()
    counts = np.bincount(which)
    spent = np.bincount(which, why.extra_cost)
    order = np.lexsort((np.arange(len(routes)), -spent))
    rows = [
        (
            Cell(f"{routes[r, 0]} → {routes[r, 1]}"),
            number(amount(int(counts[r])), int(counts[r])),
            number(rough(float(spent[r])), float(spent[r])),
        )
        for r in order[:_MOST_ROUTES].tolist()
    ]
    heads = [Head("From cluster → to cluster"), Head("Points moved", True), Head("Extra cost", True)]
    return table(
        "Between which clusters points were moved, the costliest first.",
        heads,
        rows,
        label="Moves by route",
        n_in_all=len(routes),
        folded=True,
    )


def _one_by_one(result: Result, why: Explanation, groups: Names, row_names: Sequence[str] | None) -> Markup:
    promises = Promises(result, groups)
    rows = []
    for row, point in enumerate(why.points[:_MOST_POINTS].tolist()):
        member = np.flatnonzero(result.groups.signatures[result.groups.signature[point]]).tolist()
        shown = [groups.short[g] for g in member[:_MOST_GROUPS]]
        if len(member) > _MOST_GROUPS:
            shown.append(f"{len(member) - _MOST_GROUPS} more")
        reason = why.kind[row], why.group[row], why.cluster[row]
        who = word(name(_clip(str(row_names[point])))) if row_names is not None else Cell(str(point), point)
        rows.append(
            (
                who,
                word(tag("bdi", ", ".join(shown), class_="list") if shown else "no group"),
                Cell(str(why.nearest[row]), float(why.nearest[row]), "number"),
                Cell(str(why.assigned[row]), float(why.assigned[row]), "number"),
                word(promises.told(*reason)),
                number(change(float(why.extra_cost[row])), float(why.extra_cost[row])),
            )
        )
    heads = [
        Head("Point"),
        Head("Belongs to"),
        Head("From cluster", True),
        Head("To cluster", True),
        Head("Because"),
        Head("Extra cost", True),
    ]
    numbered = "" if row_names is not None else " Points are numbered from 0, in the order of the data."
    return table(
        f"Moved points, the costliest first.{numbered}",
        heads,
        rows,
        label="Moved points",
        n_in_all=len(why.points),
        folded=True,
    )


def _clip(name: str) -> str:
    return name if len(name) <= 80 else f"{name[:60]}…{name[-19:]}"
