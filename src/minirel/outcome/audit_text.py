"""An audit as a text of tables and sentences."""

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from minirel.outcome.pieces import pieces_in_words
from minirel.outcome.remarks import remarks
from minirel.outcome.text_table import short, text_table
from minirel.outcome.verdict import bounds_in_words, broken, n_promises, sizes_in_words
from minirel.points.percent import asked, floored

if TYPE_CHECKING:
    from minirel.outcome.findings import Audit

_LINE, _GAP = 96, "  "
_LONGEST_GROUP, _LONGEST_CLUSTER = 24, 12


def told(audit: "Audit") -> str:
    """Shares by cluster, promises by group, and what is broken."""
    names = [short(name, _LONGEST_GROUP) for name in audit.groups]
    heads = [short(name, _LONGEST_CLUSTER) for name in audit.clusters]
    marks = np.where(audit.represented, np.where(audit.allowed, "*", "~"), " ")
    is_out = audit.below | audit.above
    if is_out.any():
        marks = np.char.add(np.where(is_out, "!", " "), marks)
    cells = [
        [f"{head} ", *(floored(s) + m for s, m in zip(shares, mark, strict=True)), f"{size:.12g} "]
        for head, shares, mark, size in zip(heads, audit.shares.T, marks.T, audit.sizes, strict=True)
    ]
    first, sizes = ["cluster", *names, "size"], sizes_in_words(audit)
    if audit.has_totals:
        first.insert(-1, "total")
        for column, total in zip(cells, audit.totals, strict=True):
            column.insert(-1, f"{total:.12g} ")
    if len({*sizes}) > 1:
        first.append("size asked")
        cells = [[*column, f"{size} "] for column, size in zip(cells, sizes, strict=True)]
    if audit.n_pieces is not None:
        first.append("pieces")
        cells = [[*column, f"{number} "] for column, number in zip(cells, audit.n_pieces, strict=True)]
    widest = max(len(cell) for column in cells for cell in column) + len(_GAP)
    step = (_LINE - max(map(len, first))) // widest
    blocks = [text_table([first, *cells[start : start + step]]) for start in range(0, len(cells), step)]
    is_shared_out = audit.exclusive and any(audit.beta)
    promises = [
        ["group", *names],
        ["needs", *(_needs(audit, g) for g in range(len(names)))],
        ["enough in" if is_shared_out else "has clusters", *map(str, audit.n_represented)],
        ["of promised", *map(str, audit.beta)],
        ["lacks", *map(str, audit.n_lacking)],
    ]
    if audit.is_bounded:
        bounds = zip(audit.min_share, audit.max_share, strict=True)
        promises.append(["in every cluster", *(bounds_in_words(*each) for each in bounds)])
    legend = "Share of each cluster's members, * where it is enough to represent the group"
    if (audit.represented & ~audit.allowed).any():
        legend += ", ~ where it is enough but does not count"
    if is_out.any():
        legend += ", ! where it is out of the bounds for every cluster"
    quoted = [
        f"'{text}'" if isinstance(name, str) else text for name, text in zip(audit.groups, names, strict=True)
    ]
    wrong = ", ".join(broken(audit, quoted, heads))
    kept = "Every promise is kept." if n_promises(audit) else "Nothing was promised."
    closing = [
        f"Broken: {wrong}." if wrong else kept,
        *remarks(audit, names, heads),
        *pieces_in_words(audit, heads),
    ]
    if audit.is_sized and len({*sizes}) == 1:
        closing.insert(0, f"Size asked of every cluster: {sizes[0]}.")
    last = "\n".join(fill(sentence, _LINE) for sentence in closing)
    legend = fill(legend, _LINE)
    if is_shared_out:
        legend += ".\nA cluster counts for one group only."
    return "\n\n".join([legend, *blocks, text_table(promises), last])


def _needs(audit: "Audit", group: int) -> str:
    """What it takes for a cluster to count for a group."""
    share, members = asked(audit.alpha[group]), audit.min_members[group]
    return share if members == 1 else f"{share}, {members:.6g} members"
