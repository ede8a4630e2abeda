"""The tables of a reproduction as Markdown, in a document that has marks where they stand."""

import math
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from paper.claims.claim import Judged
from paper.experiments.comparison import FAIR
from paper.experiments.search import N_SWAPS, SEARCH, SEARCHES
from paper.page.solvers import pairs_of
from paper.page.times import seconds
from paper.results import Results
from paper.run import SOLVERS
from paper.stories import stories
from paper.table_1 import ALL_K, table_1

_OURS, _THEIRS = SOLVERS
_RUN = ["data", "method", "solver", "n_clusters", "seed"]
_NOT_YET = "These runs are not done yet."


def blocks(results: Results, judged: Sequence[Judged]) -> dict[str, str]:
    """Every table by its name."""
    return {
        "counts": _counts(results, judged),
        "table 1": _table_1(results),
        "stories": _stories(results, judged),
        "claims": _claims(judged),
        "solvers": _solvers(results),
    }


def updated(text: str, tables: Mapping[str, str]) -> str:
    """The document, with these tables between ``<!-- name -->`` and ``<!-- end -->``."""
    for name, block in tables.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        if mark:
            _, end, after = rest.partition("<!-- end -->")
            text = f"{before}{mark}\n{block}\n\n{end}{after}"
    return text


def _counts(results: Results, judged: Sequence[Judged]) -> str:
    runs = set()
    for name, table in results.tables.items():
        done = set(table[_RUN].itertuples(index=False, name=None))
        runs |= {
            run
            for method, run in results.plan.runs[name]
            if (run.data, method, run.solver or "", run.n_clusters, run.seed) in done
        }
    fair = sum(run.solver is not None for run in runs)
    found = [each.findings[_OURS].outcome for each in judged]
    return (
        f"{len(runs):,} runs, {fair:,} of them fair and each of these audited from its labels: all promises "
        f"are kept. Of {len(found)} claims about the paper's method {found.count('holds')} hold, "
        f"{found.count('does not hold')} do not, and {found.count('not tested')} are not tested."
    )


def _table_1(results: Results) -> str:
    if not len(results.tables.get("times", ())):
        return _NOT_YET
    whole = table_1(results.tables["times"])
    rows = []
    for row in whole[whole["n_clusters"] == ALL_K].to_dict("records"):
        ratio = row["paper ratio"]
        rows.append(
            [
                row["data"],
                _time(row, "k-means"),
                *(f"{_time(row, f'{way} {_OURS}')} [{row[f'{way} {_OURS} ratio']:.1f}]" for way in FAIR),
                f"{row['paper k-means mean']:.1f} ({row['paper k-means sd']:g})",
                f"{row['paper MiniReL mean']:.1f} ({row['paper MiniReL sd']:g})"
                + (f" [{ratio:.1f}]" if math.isfinite(ratio) else ""),
            ]
        )
    heads = ["", "k-means, here", *(f"{way}, here" for way in FAIR), "k-means, paper", "MiniReL, paper"]
    return _table(heads, rows)


def _time(row: Mapping[str, float], way: str) -> str:
    mean, deviation = row[f"{way} mean"], row[f"{way} sd"]
    digits = 2 if mean >= 0.05 else 3
    return f"{mean:.{digits}f} ({deviation:.{digits}f})"


def _stories(results: Results, judged: Sequence[Judged]) -> str:
    if not len(results.tables.get("search", ())):
        return _NOT_YET
    ways = (_OURS, *SEARCHES)
    verdicts = [
        [each.claim.name, *(each.findings[way].outcome for way in ways)]
        for each in judged
        if each.claim.searched is not None
    ]
    heads = ["claim", "the paper's method", "search", f"{N_SWAPS} swaps"]
    found = stories(results.tables["search"])
    numbers = [
        [
            *(row["data"], row["method"]),
            *(f"{row[name]:+.1%}" for name in ("price", "highest price", "one fit", "cost over the paper's")),
            *(seconds(row["seconds"]), _ratio(row["time over k-means"]), f"{row['smallest held']:,.10g}"),
        ]
        for row in found.to_dict("records")
    ]
    columns = ["data", "method", "price", "highest", "one fit", "over the paper's", "seconds", "over k-means"]
    parts = [
        _table(heads, verdicts),
        _table([*columns, "smallest held"], numbers),
        "[stories.csv](reproduction/stories.csv) has these numbers, "
        "[search.csv](reproduction/search.csv) every run.",
        *(f"![{figure.caption}](reproduction/figures/{figure.name}.png)" for figure in SEARCH.figures),
    ]
    return "\n\n".join(parts)


def _ratio(times: float) -> str:
    """Three digits, of which tables that are read back still have more."""
    return f"{times:,.1f}" if times < 100 else f"{float(f'{times:.3g}'):,.0f}"


def _claims(judged: Sequence[Judged]) -> str:
    rows = [
        [each.claim.name, found.outcome, each.claim.place, found.because]
        for each in judged
        for found in [each.findings[_OURS]]
    ]
    return _table(["claim", "verdict", "place", "what was found"], rows)


def _solvers(results: Results) -> str:
    rows = []
    tables = results.tables
    for name, with_costs in (("first_centers", "first_centers"), ("times", "costs")):
        if name not in tables or with_costs not in tables:
            continue
        costs = pairs_of(tables[with_costs]).groupby(["data", "method"])
        for (data, method), pair in pairs_of(tables[name]).groupby(["data", "method"], sort=False):
            stopped = int((pair[f"stopped {_THEIRS}"] == "time_limit").sum())
            ours, theirs = (pair[f"seconds {solver}"].mean() for solver in SOLVERS)
            sign = "at least " if stopped else ""
            points = "2,000 points" if name == "first_centers" and data != "iris" else "all points"
            what = f"from {method}" if name == "first_centers" else method
            rows.append(
                [
                    f"{data}, {points}, {what}",
                    *(f"{len(pair)}", seconds(ours), f"{sign}{seconds(theirs)}"),
                    *(f"{sign}{theirs / ours:,.0f}", f"{stopped}", _dearer(costs.get_group((data, method)))),
                ]
            )
    heads = ["", "fits", "ours", "HiGHS", "ratio", "HiGHS stopped", "cost, HiGHS over ours"]
    return _table(heads, rows) if rows else _NOT_YET


def _dearer(pair: pd.DataFrame) -> str:
    """From the least to the largest ratio of costs, where HiGHS came to an end."""
    ended = pair[pair[f"stopped {_THEIRS}"] != "time_limit"]
    ratios = ended[f"cost {_THEIRS}"] / ended[f"cost {_OURS}"] - 1
    return f"{ratios.min():+.2%} to {ratios.max():+.2%}" if len(ratios) else "–"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |".replace("|  |", "| |"), "|" + "---|" * len(heads)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
