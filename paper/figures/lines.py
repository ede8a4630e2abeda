"""A measure against the number of clusters: one panel per data set, one line per method."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from minirel.plotting.names import literal, short
from minirel.plotting.style import COLOURS, DARK, LIGHT, marker
from paper.experiment import Experiment, Figure
from paper.figures.series import called, panel_title, rows_of, series_of
from paper.price import above_k_means, prices
from paper.results import best_runs

_PANELS_A_ROW = 3
_WIDTH, _HEIGHT = 3.25, 2.75  # inches of a panel
_LONGEST = 40
# Yellow is left out: a line of it is hardly seen on white.
_LINE_COLOURS = tuple(COLOURS[i] for i in (0, 6, 2, 4, 1, 5))
_Dash: TypeAlias = tuple[float, tuple[float, ...]]
_DASHES: tuple[_Dash, ...] = (
    (0, ()),
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (9, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
    (0, (9, 2, 3, 2)),
)
_GRID = "#DDDDDD"
# A logarithmic axis has to span this factor to have ticks to read it by.
_LEAST_SPAN = 6.0
# From this factor on there is no room for two ticks between powers of ten.
_MANY_POWERS = 300.0
# How far apart lines are set that would hide each other, in parts of the axis.
_APART = 0.006
_CHARACTER, _HANDLE = 0.072, 0.75  # inches that a letter and a sample of the line take in the legend
_PLAIN = FuncFormatter(lambda value, _: f"{value:,.10g}")


@dataclass(frozen=True)
class _Look:
    label: str
    colour: str
    marker: str
    dash: _Dash
    shift: float

    def handle(self) -> Line2D:
        return Line2D(
            [], [], color=self.colour, marker=self.marker, linestyle=self.dash, markersize=5, linewidth=1.4
        )


def draw_lines(figure: Figure, experiment: Experiment, table: pd.DataFrame) -> Picture:
    """Draw the lines of a table that has rows."""
    shown = best_runs(table) if figure.over_seeds == "best" else table
    if figure.over_seeds == "one fit":
        shown = table.assign(**{figure.measure: 100 * above_k_means(table)})
    shown = shown[shown["method"].isin(_methods(figure, experiment))]
    data = list(dict.fromkeys(shown["data"]))
    looks = _looks(experiment, figure, shown)
    columns = min(len(data), _PANELS_A_ROW)
    rows = -(-len(data) // columns)
    picture = Picture(layout="constrained")
    axes = np.ravel(picture.subplots(rows, columns, squeeze=False))
    for ax in axes[len(data) :]:
        ax.remove()
    marks: dict[str, Artist] = {}
    for place, (ax, name) in enumerate(zip(axes, data, strict=False)):
        marks |= _panel(ax, figure, shown[shown["data"] == name], looks)
        if place % columns == 0:
            ax.set_ylabel(_what(figure))
    width = _WIDTH * columns + 0.3
    picture.set_size_inches(width, _HEIGHT * rows + 0.2 * _legend(picture, looks, marks, width))
    return picture


def _methods(figure: Figure, experiment: Experiment) -> tuple[str, ...]:
    return figure.methods or tuple(experiment.methods)


def _looks(experiment: Experiment, figure: Figure, table: pd.DataFrame) -> dict[tuple[str, str], _Look]:
    series = series_of(experiment, table)
    methods = enumerate(_methods(figure, experiment))
    colours = {method: _LINE_COLOURS[i % len(_LINE_COLOURS)] for i, method in methods}
    return {
        (method, solver): _Look(
            called(method, solver),
            colours[method],
            marker(i),
            _DASHES[i % len(_DASHES)],
            _APART * (i - (len(series) - 1) / 2),
        )
        for i, (method, solver) in enumerate(series)
    }


def _panel(
    ax: Axes, figure: Figure, rows: pd.DataFrame, looks: dict[tuple[str, str], _Look]
) -> dict[str, Artist]:
    """Draw a data set, and return what else the legend has to explain."""
    marks: dict[str, Artist] = {}
    every_k = sorted(set(rows["n_clusters"]))
    width = max(every_k[-1] - every_k[0], 1)
    _axes(ax, figure, every_k)
    for (method, solver), look in looks.items():
        points = _points(rows_of(rows, method, solver), figure)
        if len(points):
            marks |= _line(ax, points, look, width)
    if figure.measure == "seconds":
        marks |= _limits(ax, rows)
    if figure.over_seeds in ("price", "one fit"):
        ax.axhline(0.0, color=DARK, linewidth=1.0, zorder=1)
    if figure.log:
        _ticks_of_powers(ax)
    literal(ax.set_title(short(panel_title(rows), _LONGEST), loc="left", fontsize=10))
    return marks


def _points(rows: pd.DataFrame, figure: Figure) -> pd.DataFrame:
    """For every number of clusters the value, its standard error, and whether a run of it was stopped."""
    stopped = rows["stopped"] == "time_limit" if "stopped" in rows else pd.Series(False, rows.index)
    by_k = rows.assign(was_stopped=stopped).groupby("n_clusters")
    if figure.over_seeds == "price":
        of_k = prices(rows).groupby("n_clusters").mean()
        return pd.DataFrame({"value": 100 * of_k, "error": 0.0, "stopped": by_k["was_stopped"].any()})
    # The error of a single run is not known: no bar.
    return pd.DataFrame(
        {
            "value": by_k[figure.measure].mean(),
            "error": by_k[figure.measure].sem().fillna(0.0),
            "stopped": by_k["was_stopped"].any(),
        }
    )


def _line(ax: Axes, points: pd.DataFrame, look: _Look, width: float) -> dict[str, Artist]:
    x = points.index.to_numpy(float) + look.shift * width
    y, error = points["value"].to_numpy(float), points["error"].to_numpy(float)
    ax.plot(x, y, color=look.colour, linestyle=look.dash, linewidth=1.4)
    if error.any():
        gaps = np.full_like(y, np.nan)
        ax.plot(
            np.repeat(x, 3),
            np.column_stack([y - error, y + error, gaps]).ravel(),
            color=look.colour,
            linewidth=1.0,
        )
    stopped = points["stopped"].to_numpy(bool)
    for chosen, face in ((~stopped, look.colour), (stopped, LIGHT)):
        if chosen.any():
            ax.plot(
                *(x[chosen], y[chosen]),
                color=look.colour,
                linestyle="none",
                marker=look.marker,
                markersize=5,
                markerfacecolor=face,
            )
    if not stopped.any():
        return {}
    hollow = Line2D([], [], color=DARK, linestyle="none", marker="o", markersize=5, markerfacecolor=LIGHT)
    return {"hollow: stopped by the time limit": hollow}


def _limits(ax: Axes, rows: pd.DataFrame) -> dict[str, Artist]:
    marks: dict[str, Artist] = {}
    for limit in sorted(set(rows["time_limit"].dropna())) if "time_limit" in rows else ():
        line = ax.axhline(float(limit), color=DARK, linestyle=":", linewidth=1.0, zorder=1)
        marks[f"time limit, {limit:g} s"] = line
    return marks


def _axes(ax: Axes, figure: Figure, every_k: list[int]) -> None:
    if figure.log:
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_locator(MaxNLocator(6))
    ax.yaxis.set_major_formatter(_PLAIN)
    ax.set_xticks(every_k)
    ax.set_xlabel("number of clusters")
    ax.tick_params(labelsize=8)
    ax.grid(color=_GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _ticks_of_powers(ax: Axes) -> None:
    low, high = ax.get_ylim()
    if high / low < _LEAST_SPAN:
        middle = float(np.sqrt(low * high))
        ax.set_ylim(middle / _LEAST_SPAN**0.5, middle * _LEAST_SPAN**0.5)
    subs = (1.0, 3.0) if high / low > _MANY_POWERS else (1.0, 2.0, 5.0)
    ax.yaxis.set_major_locator(LogLocator(subs=subs, numticks=10))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(_PLAIN)


def _what(figure: Figure) -> str:
    runs = {"best": "run of least cost", "price": "best runs"}.get(figure.over_seeds, "mean of seeds")
    return f"{figure.label}, {runs}"


def _legend(
    picture: Picture, looks: dict[tuple[str, str], _Look], marks: dict[str, Artist], width: float
) -> int:
    """One legend for all panels, in the width there is; return how many lines it takes."""
    entries: list[tuple[Artist, str]] = [
        (each.handle(), short(each.label, _LONGEST)) for each in looks.values()
    ]
    entries += [(artist, text) for text, artist in marks.items()]
    room = _HANDLE + _CHARACTER * max(len(text) for _, text in entries)
    columns = max(min(len(entries), int(width / room)), 1)
    legend = picture.legend(
        [handle for handle, _ in entries],
        ["-"] * len(entries),
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=9,
        handlelength=3.2,
    )
    # Texts are set afterwards: a label that starts with an underscore would be left out.
    for text, (_, label) in zip(legend.get_texts(), entries, strict=True):
        text.set_text(label)
        literal(text)
    return -(-len(entries) // columns)
