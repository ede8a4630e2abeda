"""The question of who holds which clusters."""

from collections.abc import Mapping, Sequence

import numpy as np

from minirel.outcome.audit import Audit
from minirel.outcome.verdict import sizes_in_words
from minirel.points.numbers import amount
from minirel.points.percent import of_cluster
from minirel.points.wording import listed
from minirel.report.bars import panel
from minirel.report.markup import Markup, tag
from minirel.report.names import Names
from minirel.report.page import section
from minirel.report.shares import mark, out_of_bounds, shown_share
from minirel.report.table import Cell, Head, number, paragraph, table, word

QUESTION = "Who holds which clusters?"
_MOST_COLUMNS, _MOST_ROWS = 24, 200
# Pictures that are shown at once.
_MOST_OPEN = 6


def holders(
    place: int,
    result: Audit,
    groups: Names,
    clusters: Names,
    served: Mapping[int, Sequence[int]] | None = None,
) -> Markup:
    """A picture for each group and a table of shares; `served` are the groups each cluster was chosen for."""
    asked = sizes_in_words(result)
    sizes = asked if len({*asked}) > 1 else None
    chosen = _telling_groups(result)
    rows = _telling_clusters(result)
    legend = [
        paragraph(
            "Every bar is a cluster, in the order of the table below. A full bar with a star ★ is a cluster "
            "in which the group is represented; the line marks the share that it needs. ",
            "A hollow star ☆ is a share that is large enough in a cluster that does not count for the group. "
            if (result.represented & ~result.allowed).any()
            else None,
            "Dotted lines are the bounds on its share in every cluster; ! marks a share out of them. "
            if result.is_bounded
            else None,
            "Shares are rounded down.",
        )
    ]
    more = None
    if len(chosen) < len(groups):
        more = paragraph(
            f"{amount(len(chosen))} of {amount(len(groups))} groups are shown: those that were promised the "
            "most, then the largest."
        )
    pictures = tag("div", (panel(result, g, groups, clusters) for g in chosen), class_="panels")
    if len(chosen) > _MOST_OPEN:
        pictures = tag("details", tag("summary", f"A picture of each group ({len(chosen)})"), pictures)
    heads = [Head("Cluster"), Head("Size", True), *([] if sizes is None else [Head("Size asked for", True)])]
    if result.n_pieces is not None:
        note = "In how many pieces the cluster is: parts that no chain of neighbours joins"
        heads.append(Head("Pieces", True, note))
    if served is not None:
        heads.append(Head("Holders", note="The groups for which this cluster was set aside"))
    heads += [Head(groups.of(g), True) for g in chosen]
    body = []
    for k in rows:
        row = [Cell(clusters.of(k), float(k)), number(amount(result.sizes[k].item()), result.sizes[k].item())]
        if sizes is not None:
            row.append(Cell(sizes[k], class_="number"))
        if result.n_pieces is not None:
            row.append(number(amount(result.n_pieces[k]), result.n_pieces[k]))
        if served is not None:
            names = [groups.short[g] for g in served.get(k, ())]
            row.append(word(tag("bdi", listed(names, most=6), class_="list") if names else "–"))
        body.append([*row, *(_share(result, g, k) for g in chosen)])
    members = result.counts.sum(axis=1)
    size, total = result.sizes.sum().item(), result.totals.sum().item()
    foot = [word("All"), number(amount(size), size)]
    foot += [word("") for column in (sizes, result.n_pieces, served) if column is not None]
    foot += [number(of_cluster(n, total, 1.0, n >= total), n) for n in members[chosen].tolist()]
    caption = "Share of each cluster's members that belong to each group; groups may overlap."
    return section(
        place,
        QUESTION,
        legend if len(groups) else paragraph("There are no groups; these are the sizes of the clusters."),
        more,
        pictures if len(groups) else None,
        table(caption, heads, body, label="Shares by cluster", n_in_all=len(clusters), foot=foot),
    )


def _share(result: Audit, g: int, k: int) -> Cell:
    star, out = mark(result, g, k), out_of_bounds(result, g, k)
    state = "star" if star == "★" else "hollow" if star else ""
    return Cell(
        [
            tag("span", "! ", class_="out", title=out, aria_label=out) if out else None,
            shown_share(result, g, k),
            tag("span", star or " ", class_="mark", aria_label="represented" if state == "star" else None),
        ],
        float(result.shares[g, k]),
        f"number {state}".strip(),
    )


def _telling_groups(result: Audit) -> list[int]:
    members, lacks = result.counts.sum(axis=1), result.n_lacking
    n_groups = len(result.groups)
    if n_groups <= _MOST_COLUMNS:
        return list(range(n_groups))
    order = sorted(range(n_groups), key=lambda g: (-lacks[g], -result.beta[g], -members[g], g))
    return sorted(order[:_MOST_COLUMNS])


def _telling_clusters(result: Audit) -> list[int]:
    n_clusters = len(result.clusters)
    if n_clusters <= _MOST_ROWS:
        return list(range(n_clusters))
    stars = (result.represented & result.allowed).sum(axis=0)
    order = np.lexsort((np.arange(n_clusters), -result.sizes, -stars))
    return sorted(order[:_MOST_ROWS].tolist())
