"""The question of what the next member or the next cluster would cost."""

from collections.abc import Mapping, Sequence
from typing import Any

from minirel.outcome.explanation import Explanation
from minirel.outcome.result import Result
from minirel.points.numbers import amount, change, rough
from minirel.points.percent import gap, growth
from minirel.report.markup import Markup, tag
from minirel.report.moves import Promises
from minirel.report.names import Names
from minirel.report.page import section
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "What would the next member or the next cluster cost?"
_MOST_PRICES, _LONGEST_REMARK = 100, 400
_LAST = 1e308
# Gaps that matter to nobody who asks for a price.
_SMALL = 2e-3

Answers = Sequence[Mapping[str, Any]]


def margins(place: int, result: Result, more: Answers | None, why: Explanation, groups: Names) -> Markup:
    """Prices of one more member, and the cost of one more cluster, as `next_clusters` told it."""
    return section(place, QUESTION, _members(result, why, groups), _clusters(result, more, groups))


def _members(result: Result, why: Explanation, groups: Names) -> Markup:
    promises = Promises(result, groups)
    priced = [row for row in why.prices if row["price"] is not None]
    if not priced:
        cause = (
            "no promise sets a cluster aside, and no limit on shares or sizes binds"
            if not why.prices
            else "this way of solving gives none"
        )
        return paragraph(f"There are no prices for one more member: {cause}.")
    order = sorted(priced, key=lambda row: -row["price"])
    rows = []
    for row in order[:_MOST_PRICES]:
        free = row["price"] == 0
        rows.append(
            (
                word(promises.told(row["kind"], row["group"], row["cluster"])),
                Cell("nothing: kept anyway" if free else rough(row["price"]), float(row["price"]), "number"),
                number(rough(row["cost"]), row["cost"]),
            )
        )
    heads = [
        Head("Promise"),
        Head("One more member", True, "By how much the cost would rise if the promise asked for one more"),
        Head("Paid so far", True, "What all the points that were moved for its sake cost more"),
    ]
    caption = (
        "The price of each promise at the margin: asking for one more member there (or, where there is a "
        "limit, allowing one fewer) would add about this much to the cost, and the opposite would save about "
        "as much. For sizes, a member is a unit of size."
    )
    return table(caption, heads, rows, label="Prices of one more member", n_in_all=len(priced))


def _clusters(result: Result, more: Answers | None, groups: Names) -> Markup:
    if not len(groups):
        return paragraph("There are no groups that could be promised one more cluster.")
    if more is None:
        return paragraph(
            "What one more cluster for a group would cost is not on this page: it was not computed "
            "(minirel.next_clusters works it out)."
        )
    at = {name: g for g, name in enumerate(result.groups.names)}
    # What the proof of the present answer leaves open is not a price.
    slack = max(result.cost - result.lower_bound, 0.0)
    rows = []
    for answer in more:
        g, extra, remark = at[answer["group"]], answer["cost"], answer["why"]
        counts_for_many = not result.fairness.exclusive
        has_it = counts_for_many and result.audit.n_represented[g] >= answer["beta"]
        if extra is None:
            price, part = Cell(answer["status"], _LAST, "number"), Cell("–", _LAST, "number")
        elif extra <= slack:
            is_free = has_it or slack <= _SMALL * result.cost
            price, part = number("about nothing" if is_free else "not known", extra), number("–", extra)
            if not is_free:
                own = gap(slack / result.cost)
                remark = f"less than the gap of this answer itself, {own}: how much of it is not known"
        else:
            price, part = (
                number(shown, extra) for shown in (change(extra), growth(result.cost + extra, result.cost))
            )
        if extra is not None and has_it:
            remark = "it has that many now, though they were not promised"
        rows.append(
            (
                word(groups.of(g)),
                number(amount(answer["beta"]), answer["beta"]),
                price,
                part,
                word(tag("bdi", _sentence(remark), class_="remark")),
            )
        )
    heads = [
        Head("Group"),
        Head("Clusters then", True, "The promise with one more cluster"),
        Head("Extra cost", True),
        Head("Of the cost now", True),
        Head("Remark"),
    ]
    caption = (
        "What it would cost to promise a group one more cluster, everything else as it is. The centers stay "
        "where they are; a new fit could move them and cost less. What is called impossible is proven to be."
    )
    return table(caption, heads, rows[:_MOST_PRICES], label="Price of one more cluster", n_in_all=len(rows))


def _sentence(why: str) -> str:
    if not why:
        return "–"
    return why if len(why) <= _LONGEST_REMARK else f"{why[:_LONGEST_REMARK]}…"
