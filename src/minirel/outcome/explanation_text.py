"""An explanation as a summary that fits on a screen."""

from textwrap import fill
from typing import TYPE_CHECKING

from minirel.outcome.text_table import short, text_table
from minirel.points.numbers import amount, rough
from minirel.points.percent import growth, percent
from minirel.points.wording import agreeing

if TYPE_CHECKING:
    from minirel.outcome.explanation import Explanation

_LINE, _LONGEST, _MOST_ROWS = 96, 44, 8


def told(why: "Explanation") -> str:
    """What was paid, for which promises, and by whom: of each the most that fits."""
    n_moved, extra = len(why.points), float(why.extra_cost.sum())
    first = f"Cost {rough(why.cost)}, {growth(why.cost, why.start_cost)} against {why.compared_with}."
    if not n_moved:
        return fill(f"{first} Every point is with its nearest center.", _LINE)
    part = f" ({percent(extra / why.cost)} of the cost)" if why.cost else ""
    second = (
        f"{amount(n_moved, 'point')} {agreeing('is', n_moved)} not with the nearest center, which costs "
        f"{rough(extra)}{part}."
    )
    parts = [fill(f"{first} {second}", _LINE), _by_promise(why)]
    if why.by_group:
        parts.append(_by_group(why))
    return "\n\n".join(parts)


def _by_promise(why: "Explanation") -> str:
    moved: dict[str, int] = {}
    spent: dict[str, float] = {}
    for because, extra in zip(why.because, why.extra_cost.tolist(), strict=True):
        moved[because] = moved.get(because, 0) + 1
        spent[because] = spent.get(because, 0.0) + extra
    order = sorted(moved, key=lambda because: -spent[because])
    shown = order[:_MOST_ROWS]
    columns = [
        ["moved because", *(short(because, _LONGEST) for because in shown)],
        ["points", *(amount(moved[because]) for because in shown)],
        ["extra cost", *(rough(spent[because]) for because in shown)],
    ]
    return _cut(text_table(columns), len(order) - len(shown))


def _by_group(why: "Explanation") -> str:
    rows = sorted(why.by_group, key=lambda row: -(row["cost"] - row["nearest_cost"]))
    shown = rows[:_MOST_ROWS]
    columns = [
        ["group", *(short(row["group"], _LONGEST) for row in shown)],
        ["members", *(amount(row["members"]) for row in shown)],
        ["moved", *(amount(row["moved"]) for row in shown)],
        ["extra cost", *(rough(row["cost"] - row["nearest_cost"]) for row in shown)],
    ]
    return _cut(text_table(columns), len(rows) - len(shown))


def _cut(table: str, n_more: int) -> str:
    return f"{table}\n... and {n_more:,} more" if n_more > 0 else table
