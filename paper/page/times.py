"""Table 1 on the page, ours beside the paper's."""

import math

import pandas as pd

from minirel.report.markup import Child, Markup, tag
from minirel.report.table import Cell, Head, paragraph, table, word
from paper.published import TABLE_1
from paper.table_1 import ALL_K, table_1, ways_in


def table_1_in_full(times: pd.DataFrame, quick: bool) -> list[Child]:
    """A table a data set, its overall row at the foot."""
    if not len(times):
        return []
    whole, ways = table_1(times), ways_in(times)
    said = (
        "Table 1: seconds of a fit, mean and in brackets the standard deviation. “×” says how many times the "
        "mean of k-means that is. The paper's machine and solver (Gurobi 10) are not ours: compare "
        "these ratios rather than the seconds. The paper does not say under which notion of fairness its "
        "MiniReL was timed, and where it gives k-means 0.0 seconds there is no ratio."
    )
    sampled = " Here samples were drawn; the paper's times are for all points." if quick else ""
    return [
        paragraph(said + sampled),
        *(_of_data(str(data), rows, ways) for data, rows in whole.groupby("data", sort=False)),
    ]


def _of_data(data: str, rows: pd.DataFrame, ways: list[tuple[str, str]]) -> Markup:
    several = len({solver for _, solver in ways}) > 1
    heads = [
        Head("K"),
        Head("k-means", number=True),
        Head("Paper: k-means", number=True),
        Head("Paper: MiniReL", number=True),
        *(Head(f"{method}, {solver}" if several else method, number=True) for method, solver in ways),
    ]
    records = rows.to_dict("records")
    by_k = [_cells(record, ways) for record in records if record["n_clusters"] != ALL_K]
    foot = [_cells(record, ways) for record in records if record["n_clusters"] == ALL_K]
    shown = table(
        _caption(data, records, ways),
        heads,
        by_k,
        label=f"Table 1, {data}",
        foot=foot[0] if foot else None,
        fixed=True,
    )
    return tag("div", shown, class_="whole")


def _caption(data: str, records: list[dict[str, float]], ways: list[tuple[str, str]]) -> str:
    said = f"Seconds on {data}."
    here = {record["n_clusters"] for record in records} - {ALL_K}
    if data in TABLE_1 and here != set(TABLE_1[data]):
        said += " The paper's overall row is over K = 4 to 15, ours over the K shown."
    if any(record[f"{method} {solver} stopped"] for record in records for method, solver in ways):
        said += " “≥”: runs were stopped by the time limit, so that the mean is too low."
    return said


def _cells(record: dict[str, float], ways: list[tuple[str, str]]) -> list[Cell]:
    cells = [
        word(str(record["n_clusters"])),
        _time(record, "k-means"),
        _printed(record, "paper k-means"),
        _printed(record, "paper MiniReL", record["paper ratio"]),
    ]
    for method, solver in ways:
        name = f"{method} {solver}"
        sign = "≥ " if record[f"{name} stopped"] else ""
        cells.append(_time(record, name, record[f"{name} ratio"], sign))
    return cells


def seconds(value: float) -> str:
    """A time to three digits, but not below a tenth of a millisecond."""
    return f"{value:,.{_decimals(value)}f}" if math.isfinite(value) else ""


def _decimals(value: float) -> int:
    return min(max(2 - math.floor(math.log10(value)), 0), 4) if value > 0 else 0


def _time(record: dict[str, float], name: str, ratio: float = math.nan, sign: str = "") -> Cell:
    mean, deviation = record[f"{name} mean"], record[f"{name} sd"]
    if not math.isfinite(mean):
        return Cell("–", None, "number")
    bracket = f" ({deviation:,.{_decimals(mean)}f})" if math.isfinite(deviation) else ""
    return _cell(f"{sign}{seconds(mean)}{bracket}", ratio, sign)


def _printed(record: dict[str, float], name: str, ratio: float = math.nan) -> Cell:
    """The paper's time as it is printed there."""
    mean, deviation = record[f"{name} mean"], record[f"{name} sd"]
    return _cell(f"{mean:.1f} ({deviation:g})" if math.isfinite(mean) else "–", ratio)


def _cell(time: str, ratio: float, sign: str = "") -> Cell:
    if not math.isfinite(ratio):
        return Cell(time, None, "number")
    return Cell([time, tag("br"), tag("span", f"{sign}{ratio:,.1f} ×", class_="about")], None, "number")
