"""The question of what it cost, in total and for whom."""

import numpy as np

from minirel.outcome.explanation import Explanation
from minirel.outcome.result import Result
from minirel.points.numbers import amount, change, cost, rough
from minirel.points.percent import growth, percent
from minirel.promises.exact import plain
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


def per_member(result: Result) -> str:
    """What costs are divided by, so that groups of different sizes can be compared."""
    return "per point" if result.weights.units is None else "per unit of weight"


def _everybody(result: Result, why: Explanation) -> tuple[float, float]:
    """How many there are and how many of them moved: points, or people where points have a total."""
    counts, signature = result.groups.counts, result.groups.signature
    if counts is None:
        return len(signature), len(why.points)
    people = counts.total[signature]
    return plain(int(people.sum()) * counts.unit), plain(int(people[why.points].sum()) * counts.unit)


def costs(place: int, result: Result, why: Explanation, groups: Names) -> Markup:
    """Three costs, and those of each group, per member and as a share of those before."""
    name, each = baseline(result), per_member(result)
    remark = (
        paragraph(
            "This fit did not start from ordinary k-means of the same kind, so the comparison is with its "
            "own first centers and every point at the nearest of them."
        )
        if name != "k-means"
        else None
    )
    n_moved, weight = len(why.points), result.weights.times(np.ones(len(result.labels)))
    total = float(weight.sum())
    tile_rows = []
    for title, whole, said in (
        (f"{name[0].upper()}{name[1:]}, no promises", why.start_cost, "every point at its nearest center"),
        ("This clustering", why.cost, f"{growth(why.cost, why.start_cost)} against {name}"),
        (
            "The same centers, no promises",
            why.nearest_cost,
            f"if the {amount(n_moved, 'moved point')} were not moved"
            if n_moved
            else "nobody had to be moved",
        ),
    ):
        part = f"{percent(whole / why.start_cost)} of {name}" if why.start_cost else cost(whole)
        tile_rows.append((title, part, f"{rough(whole / total)} {each}, {rough(whole)} in all; {said}"))
    start = result.weights.times(result.trace.start.cost)
    rows = []
    for g, row in enumerate(why.by_group):
        share = result.groups.shares(g)
        before, members = float(start @ share), float(weight @ share) or 1.0
        after, nearest = row["cost"], row["nearest_cost"]
        rows.append(
            (
                word(groups.of(g)),
                number(amount(row["members"]), row["members"]),
                number(amount(row["moved"]), row["moved"]),
                number(rough(before / members), before / members),
                number(rough(after / members), after / members),
                number(growth(after, before), (after - before) / before if before else 0.0),
                number(change((after - nearest) / members), (after - nearest) / members),
            )
        )
    n_in_all = len(rows)
    if n_in_all > _MOST_GROUPS:
        rows = sorted(rows, key=lambda row: -abs(row[5].value or 0.0))[:_MOST_GROUPS]
    heads = [
        Head("Group"),
        Head("Points" if result.groups.counts is None else "Members", True),
        Head("Moved", True, "Members that are not with their nearest center"),
        Head(f"Cost with {name}", True, each),
        Head("Cost now", True, each),
        Head("Change", True),
        Head(
            "From being moved",
            True,
            "Cost now, less the cost with every member at the nearest of these centers",
        ),
    ]
    extra = why.cost - why.nearest_cost
    foot = [
        word("All"),
        *(number(amount(n), float(n)) for n in _everybody(result, why)),
        number(rough(why.start_cost / total), why.start_cost),
        number(rough(why.cost / total), why.cost),
        number(growth(why.cost, why.start_cost), 0.0),
        number(change(extra / total), extra),
    ]
    caption = (
        f"Who bears the cost: what the members of each group cost {each}, before and now. Groups may overlap."
    )
    return section(
        place,
        QUESTION if name == "k-means" else QUESTION.replace("k-means", name),
        paragraph(in_short(result, why), class_="answer"),
        remark,
        tiles(tile_rows),
        table(caption, heads, rows, label="Costs by group", n_in_all=n_in_all, foot=foot) if rows else None,
    )
