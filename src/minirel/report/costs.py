"""The question of what it cost, in total and for whom."""

from minirel.outcome.explanation import Explanation
from minirel.outcome.result import Result
from minirel.points.numbers import amount, change, cost, rough
from minirel.points.percent import growth, percent
from minirel.report.markup import Markup
from minirel.report.names import Names
from minirel.report.page import section
from minirel.report.table import Head, number, paragraph, table, tiles, word

QUESTION = "What did it cost against k-means, in total and for whom?"
_MOST_GROUPS = 200


def baseline(result: Result) -> str:
    """What the first centers are called: they are those of k-means after a warm start only."""
    return "k-means" if result.starts_from_kmeans else "the first centers"


def in_short(result: Result, why: Explanation) -> str:
    """The answer in one sentence."""
    start, now = why.start_cost, why.cost
    if start == now:
        return f"It costs as much as {result.compared_with}, which promises nothing."
    side = "more" if now > start else "less"
    part = f"{percent(abs(now - start) / start)} {side}" if start else f"{cost(abs(now - start))} {side}"
    return f"It costs {part} than {result.compared_with}, which promises nothing."


def costs(place: int, result: Result, why: Explanation, groups: Names) -> Markup:
    """Three costs, and those of each group."""
    name = baseline(result)
    remark = (
        paragraph(
            "This fit did not start from ordinary k-means of the same kind, so the comparison is with its "
            "own first centers and every point at the nearest of them."
        )
        if name != "k-means"
        else None
    )
    extra = why.cost - why.nearest_cost
    moved = f"{rough(extra)} less, if nobody were moved" if len(why.points) else "nobody had to be moved"
    big = tiles(
        [
            (
                f"{name[0].upper()}{name[1:]}, no promises",
                cost(why.start_cost),
                "every point at its nearest center",
            ),
            ("This clustering", cost(why.cost), f"{growth(why.cost, why.start_cost)} against {name}"),
            (
                "The same centers, no promises",
                cost(why.nearest_cost),
                moved,
            ),
        ]
    )
    start = result.weights.times(result.trace.start.cost)
    rows = []
    for g, row in enumerate(why.by_group):
        before = float(start @ result.groups.shares(g))
        after, nearest = row["cost"], row["nearest_cost"]
        rows.append(
            (
                word(groups.of(g)),
                number(amount(row["members"]), row["members"]),
                number(amount(row["moved"]), row["moved"]),
                number(cost(before), before),
                number(cost(after), after),
                number(growth(after, before), (after - before) / before if before else 0.0),
                number(change(after - nearest), after - nearest),
            )
        )
    n_in_all = len(rows)
    if n_in_all > _MOST_GROUPS:
        rows = sorted(rows, key=lambda row: -abs(row[5].value or 0.0))[:_MOST_GROUPS]
    heads = [
        Head("Group"),
        Head("Points", True),
        Head("Moved", True, "Members that are not with their nearest center"),
        Head(f"Cost with {name}", True),
        Head("Cost now", True),
        Head("Change", True),
        Head(
            "From being moved",
            True,
            "Cost now, less the cost with every member at the nearest of these centers",
        ),
    ]
    total = [
        word("All"),
        number(amount(len(start)), len(start)),
        number(amount(len(why.points)), len(why.points)),
        number(cost(why.start_cost), why.start_cost),
        number(cost(why.cost), why.cost),
        number(growth(why.cost, why.start_cost), 0.0),
        number(change(why.cost - why.nearest_cost), why.cost - why.nearest_cost),
    ]
    caption = "Who bears the cost: the cost of each group's members before and now. Groups may overlap."
    return section(
        place,
        QUESTION if name == "k-means" else QUESTION.replace("k-means", name),
        paragraph(in_short(result, why), class_="answer"),
        remark,
        big,
        table(caption, heads, rows, label="Costs by group", n_in_all=n_in_all, foot=total) if rows else None,
    )
