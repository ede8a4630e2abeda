"""Each request of a frontier in full: who holds what, who would move and at what price, how to repeat it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from minirel.frontiers.wording import value_in_words
from minirel.outcome.audit import Audit
from minirel.outcome.explanation import Explanation, explain
from minirel.outcome.proven import says
from minirel.outcome.remarks import remarks
from minirel.outcome.result import Result
from minirel.points.numbers import amount, at_least, at_most, rough
from minirel.points.percent import floored, gap
from minirel.points.wording import listed
from minirel.report.frontier_view import View
from minirel.report.markup import Child, Markup, join, tag
from minirel.report.shares import mark, shown_share
from minirel.report.table import Cell, Head, number, paragraph, table, tiles, word

_MOST_GROUPS, _MOST_REASONS = 16, 24


def details(view: View, i: int, repeat: Markup) -> Markup:
    """A request, folded; what the script has to know of it is in its attributes."""
    one = view.found.requests[i]
    marks: dict[str, Any] = {
        f"data_{short}": view.place(i, name)
        for short, name in (("k", "n_clusters"), ("a", "alpha"), ("b", "beta"), ("s", "max_share"))
    }
    price = view.columns["price"][i]
    marks["data_price"] = f"{price:.12g}" if np.isfinite(price) else None
    if one.request is not None:
        marks["data_beta"] = ",".join(map(str, one.fairness.beta))
        marks["data_alpha"] = ",".join(f"{float(share):.17g}" for share in one.fairness.alpha)
        marks["data_most"] = ",".join(f"{float(share):.17g}" for share in one.fairness.max_share)
    body = _answered(view, i) if view.columns["feasible"][i] else _unanswered(view, i)
    summary = tag(
        "summary",
        tag("span", f"Request {i}", class_="which"),
        " ",
        tag("span", view.title(i), class_="asked"),
        " ",
        tag("span", _badge(view, i), class_=f"badge {view.heat(i)}"),
    )
    return tag(
        "details",
        summary,
        tag("div", body, repeat, class_="body"),
        id=f"r{i}",
        class_="request",
        data_row=i,
        **marks,
    )


def _badge(view: View, i: int) -> str:
    return "cannot be kept" if view.heat(i) == "never" else view.price(i)


def _unanswered(view: View, i: int) -> list[Child]:
    why = view.why(i)
    nearest = view.found.nearest(i)
    if view.columns["feasible"][i] is None:
        return [paragraph(f"This request has no answer yet: {why}.", class_="verdict")]
    said: list[Child] = [
        paragraph(
            tag("strong", "No clustering can keep this. "),
            why[:1].upper() + why[1:],
            ".",
            class_="verdict broken",
        )
    ]
    if nearest:
        names = dict(zip(view.found.groups, view.groups.short, strict=True))
        changes = listed(
            f"{name} = {value_in_words(_kind(name), value, names)}" for name, value in nearest.items()
        )
        said.append(paragraph("The nearest request that can be kept: ", tag("strong", changes), "."))
    return said


def _kind(name: str) -> str:
    return "alpha" if "share" in name or name == "alpha" else "beta"


def _answered(view: View, i: int) -> list[Child]:
    model = view.found.model(i)
    result, why = model.result_, explain(model)
    audit = result.audit
    n, n_moved = len(result.labels), len(why.points)
    plain = view.columns["kmeans_cost"][i]
    share = f"{floored(n_moved / n)} of {amount(n, 'point')}"
    return [
        tiles(
            [
                ("Price", view.price(i), f"over k-means, {rough(plain)}"),
                ("Cost", rough(result.cost), f"proven: no less than {at_least(result.lower_bound)} here"),
                ("Not with their nearest center", amount(n_moved), share),
                ("Smallest cluster", amount(audit.sizes.min().item()), "members"),
            ]
        ),
        _dominated(view, i),
        _besides(view, audit),
        _shares(view, i, result, audit),
        _moves(view, i, why),
        _by_group(view, i, why),
        paragraph(
            f"Proof: {result.status}, within {gap(result.gap)} of the best for its centers"
            f"{' and holders' if result.covers == 'prefix' and result.prefix else ''} "
            f"(cost at most {at_most(result.cost)}); {says(result.status, result.stop)}",
            class_="about",
        ),
    ]


def _dominated(view: View, i: int) -> Markup | None:
    other = view.found.dominated[i]
    if other is None:
        return None
    link = tag("a", f"Request {other}", href=f"#r{other}", data_row=other)
    return paragraph(link, f" promises more and costs no more: {view.title(other)}.", class_="besides")


def _besides(view: View, audit: Audit) -> Markup | None:
    """Who is promised nothing, and what is kept by a handful."""
    said = remarks(audit, view.groups.short, [str(cluster) for cluster in audit.clusters])
    return tag("div", map(paragraph, said), class_="besides") if said else None


def _shares(view: View, i: int, result: Result, audit: Audit) -> Markup:
    served: dict[int, list[int]] = {}
    for g, k in result.holders:
        served.setdefault(k, []).append(g)
    chosen = _telling(audit)
    heads = [
        Head("Cluster"),
        Head("Size", True),
        Head("Held by"),
        *(Head(view.groups.of(g), True) for g in chosen),
    ]
    rows = []
    for k in range(len(audit.clusters)):
        names = [view.groups.short[g] for g in served.get(k, ())]
        row = [Cell(f"{k}", float(k)), number(amount(audit.sizes[k].item()), audit.sizes[k].item())]
        row.append(word(tag("bdi", listed(names, most=6), class_="list") if names else "–"))
        for g in chosen:
            star = mark(audit, g, k)
            said = "represented" if star == "★" else None
            sign = tag("span", star or " ", class_="mark", aria_label=said, role="img" if said else None)
            row.append(Cell([shown_share(audit, g, k), sign], float(audit.shares[g, k]), "number"))
        rows.append(row)
    more = f" {len(chosen)} of {len(view.groups)} groups." if len(chosen) < len(view.groups) else ""
    caption = f"Who holds what: the share of each group in each cluster, ★ where it is represented.{more}"
    return table(caption, heads, rows, label=f"Shares by cluster of request {i}")


def _telling(audit: Audit) -> list[int]:
    members = audit.counts.sum(axis=1)
    order = sorted(range(len(audit.groups)), key=lambda g: (-audit.beta[g], -members[g], g))
    return sorted(order[:_MOST_GROUPS])


def _moves(view: View, i: int, why: Explanation) -> Markup:
    """The promises for which points are not with their nearest center."""
    if not len(why.points):
        return paragraph("Nobody would move: every point is with its nearest center.", class_="answer")
    place = {name: g for g, name in enumerate(view.found.groups)}
    totals: dict[tuple[str, Any, Any], list[float]] = {}
    said: dict[tuple[str, Any, Any], str] = {}
    for kind, group, cluster, extra in zip(
        why.kind, why.group, why.cluster, why.extra_cost.tolist(), strict=True
    ):
        key = (kind, group, cluster)
        entry = totals.setdefault(key, [0, 0.0])
        entry[0] += 1
        entry[1] += extra
        whom = "" if group is None else f" for {view.groups.short[place[group]]}"
        said.setdefault(key, _WHY.get(kind, kind).format(whom=whom, cluster=cluster))
    prices = {(row["kind"], row["group"], row["cluster"]): row["price"] for row in why.prices}
    order = sorted(totals, key=lambda key: -totals[key][1])
    rows = [
        [
            word(said[key]),
            number(amount(totals[key][0]), totals[key][0]),
            number(rough(totals[key][1]), totals[key][1]),
            number("–" if prices.get(key) is None else rough(prices[key]), prices.get(key) or 0.0),
        ]
        for key in order[:_MOST_REASONS]
    ]
    heads = [
        Head("For the sake of"),
        Head("Points", True),
        Head("They cost more", True),
        Head(
            "One more member",
            True,
            "What one more member of the group, or one unit of size, would save there",
        ),
    ]
    caption = "Who would move, and at what price: points that are not with their nearest center."
    return table(caption, heads, rows, label=f"Moves of request {i}", n_in_all=len(totals))


_WHY = {
    "share": "cluster {cluster}{whom}",
    "min_members": "members in cluster {cluster}{whom}",
    "min_share": "least share in cluster {cluster}{whom}",
    "max_share": "largest share in cluster {cluster}{whom}",
    "min_size": "size of cluster {cluster}, at least",
    "max_size": "size of cluster {cluster}, at most",
    "none": "no single promise",
}


def _by_group(view: View, i: int, why: Explanation) -> Markup:
    heads = [Head("Group"), Head("Members", True), Head("Moved", True), Head("Costs more than nearest", True)]
    rows = []
    for g, row in enumerate(why.by_group):
        dearer = row["cost"] - row["nearest_cost"]
        share = row["moved"] / row["members"] if row["members"] else 0.0
        rows.append(
            [
                word(view.groups.of(g)),
                number(amount(row["members"]), row["members"]),
                number(f"{amount(row['moved'])} ({floored(share)})", share),
                number(rough(dearer), dearer),
            ]
        )
    rows = rows[:_MOST_REASONS]
    caption = "Which groups bear it."
    return table(caption, heads, rows, label=f"Groups of request {i}", n_in_all=len(why.by_group))


def repeat(command: str | None, python: Sequence[str]) -> Markup:
    """How to get this request again."""
    parts: list[Child] = [tag("h4", "Repeat it")]
    if command is not None:
        parts.append(tag("pre", tag("code", command)))
    parts.append(tag("pre", tag("code", "\n".join(python))))
    return join(parts)
