"""Represented clusters of every group and what is promised: one panel per data set, one number per cell."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Patch, Rectangle

from minirel.plotting.names import literal, short, short_names
from minirel.plotting.style import BAND, BROKEN, DARK, pale
from paper.experiment import Experiment, Figure
from paper.figures.series import called, panel_title, rows_of, series_of
from paper.results import best_runs

_LINE, _COLUMN, _LABELS = 0.2, 0.42, 2.9  # inches: a row, a column, the names of rows
_TOP = 0.75  # inches that title and ticks of a panel take
_LONGEST_GROUP, _LONGEST_METHOD, _LONGEST_TITLE = 18, 34, 60
_CHARACTER = 5.0  # points
_MUTED = "#555555"
# Frames of cells with fewer clusters than promised: by how many notions of fairness, told apart in grey too.
_BOTH, _ONE = "-", ((0, (1.2, 1.2)), (0, (4, 1.6)))


@dataclass(frozen=True)
class _Block:
    """Rows of one kind: a number for every group (row) and number of clusters (column)."""

    label: str
    numbers: pd.DataFrame
    notion: str | None  # of fairness, that is promised
    is_promise: bool = False


def draw_represented(figure: Figure, experiment: Experiment, table: pd.DataFrame) -> Picture:
    """Draw the numbers of a table that has rows."""
    shown = best_runs(table) if figure.over_seeds == "best" else table
    panels = [shown[shown["data"] == name] for name in dict.fromkeys(shown["data"])]
    blocks = [_blocks(experiment, rows) for rows in panels]
    heights = [_TOP + _LINE * sum(len(block.numbers) for block in each) for each in blocks]
    # All panels have the same columns, and their names the same room.
    every_k = sorted(set(shown["n_clusters"]))
    room = _CHARACTER * max(len(short(group, _LONGEST_GROUP)) for group in set(shown["group"])) + 14
    picture = Picture(
        figsize=(max(6.0, _LABELS + _COLUMN * len(every_k)), sum(heights) + 0.4), layout="constrained"
    )
    axes = np.ravel(picture.subplots(len(panels), 1, squeeze=False, height_ratios=heights))
    found: dict[str, Patch] = {}
    for ax, rows, each in zip(axes, panels, blocks, strict=True):
        found |= _panel(ax, each, every_k, room)
        literal(ax.set_title(short(panel_title(rows), _LONGEST_TITLE), loc="left", fontsize=10))
    axes[-1].set_xlabel("number of clusters", fontsize=9)
    if found:
        picture.legend(
            list(found.values()),
            list(found),
            loc="outside lower center",
            ncols=1,
            frameon=False,
            fontsize=9,
        )
    return picture


def _blocks(experiment: Experiment, rows: pd.DataFrame) -> list[_Block]:
    """Methods in their order, what a method promises before its first solver."""
    blocks: list[_Block] = []
    promised = set()
    for method, solver in series_of(experiment, rows):
        of_it = rows_of(rows, method, solver)
        notion = experiment.methods[method].beta
        if notion is not None and method not in promised:
            promised.add(method)
            # Whichever solver: the promise is made by the data.
            numbers = _numbers(rows[rows["method"] == method], "promised")
            blocks.append(_Block(f"β ({_spelled(notion)})", numbers, notion, is_promise=True))
        blocks.append(_Block(called(method, solver), _numbers(of_it, "represented"), notion))
    return blocks


def _numbers(rows: pd.DataFrame, what: str) -> pd.DataFrame:
    numbers = rows.pivot_table(index="group", columns="n_clusters", values=what, aggfunc="mean", sort=False)
    return numbers.reindex(index=list(dict.fromkeys(rows["group"])))


def _panel(ax: Axes, blocks: Sequence[_Block], every_k: list[int], room: float) -> dict[str, Patch]:
    """Draw a data set, and return what frames the legend has to explain."""
    promises = [block for block in blocks if block.is_promise]
    found: dict[str, Patch] = {}
    names: list[str] = []
    for block in blocks:
        top = len(names)
        groups = list(block.numbers.index)
        names += short_names(groups, _LONGEST_GROUP)
        if block.is_promise:
            ax.axhspan(top - 0.5, len(names) - 0.5, color=BAND, linewidth=0, zorder=0)
        elif top:
            ax.axhline(top - 0.5, color=_MUTED, linewidth=0.5, zorder=1)
        label = ax.annotate(
            short(block.label, _LONGEST_METHOD),
            (0, (top + len(names) - 1) / 2),
            xycoords=ax.get_yaxis_transform(),
            xytext=(-room, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=8.5,
            annotation_clip=False,
        )
        literal(label)
        for row, group in enumerate(groups, start=top):
            for column, k in enumerate(every_k):
                found |= _cell(ax, block, promises, group, k, column, row)
    ax.set_yticks(range(len(names)))
    literal(*ax.set_yticklabels(names, fontsize=8))
    ax.set_xticks(range(len(every_k)), [str(k) for k in every_k], fontsize=8)
    ax.set_xlim(-0.5, len(every_k) - 0.5)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(length=0)
    ax.spines[:].set_color(_MUTED)
    return found


def _cell(
    ax: Axes, block: _Block, promises: Sequence[_Block], group: str, k: int, column: int, row: int
) -> dict[str, Patch]:
    number = _at(block, group, k)
    if np.isnan(number):
        return {}
    literal(
        ax.text(
            *(column, row),
            f"{number:.3g}" if number == round(number) else f"{number:.1f}",
            ha="center",
            va="center_baseline",
            fontsize=8,
            color=_MUTED if block.is_promise else DARK,
        )
    )
    if block.notion is not None:
        return {}
    lacking = [i for i, promise in enumerate(promises) if number < _at(promise, group, k)]
    if not lacking:
        return {}
    all_lack = len(lacking) == len(promises) > 1
    style = _BOTH if all_lack else _ONE[lacking[0] % 2]
    frame = Rectangle((column - 0.42, row - 0.42), 0.84, 0.84, zorder=1.5)
    what = "both promise" if all_lack else f"{_spelled(promises[lacking[0]].notion)} promises"
    in_legend = Patch()
    for patch in (frame, in_legend):
        patch.set(facecolor=pale(BROKEN), edgecolor=BROKEN, linewidth=1.2, linestyle=style)
    ax.add_patch(frame)
    return {f"{block.label}: fewer than {what}": in_legend}


def _spelled(notion: str | None) -> str:
    return str(notion).replace("_", " ")


def _at(block: _Block, group: str, k: int) -> float:
    if group not in block.numbers.index or k not in block.numbers.columns:
        return float("nan")
    return float(block.numbers.at[group, k])
