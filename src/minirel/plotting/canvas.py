"""Where pictures are drawn: axes, their clusters and their legend."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minirel.plotting.names import literal, short_names
from minirel.plotting.style import BAND

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from minirel.outcome.audit import Audit

_CHARACTER = 0.085  # inches of a character of the size of tick labels
_LINE = 0.19  # inches of a line of them
_LONGEST_CLUSTER = 16
_LEGEND_ROWS = 24
_LEGEND_WIDTH = 2.9  # inches


def check_groups(audit: "Audit") -> None:
    """Refuse an audit without groups."""
    if not audit.groups:
        raise ValueError("there are no groups to draw: pass sensitive_features, here or when fitting")


def new_axes(
    width: float, height: float, rows: Sequence[float] = (1,), columns: int = 1
) -> NDArray[np.object_]:
    """A grid of axes in a new figure; `rows` holds their relative heights."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install 'minirel[plot]'"
        ) from error
    _, axes = pyplot.subplots(
        len(rows),
        columns,
        figsize=(width, height),
        layout="constrained",
        squeeze=False,
        sharex="col",
        height_ratios=list(rows),
    )
    return np.asarray(axes)


def figure_of(ax: "Axes") -> "Figure":
    """The figure that an axes is part of, at any depth."""
    from matplotlib.figure import Figure

    figure = ax.figure
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure


def axes_with_legend(width: float, height: float, labels: Sequence[str]) -> "Axes":
    """Axes in a new figure, which has room for a legend of these labels (and four more) beside them."""
    columns = _legend_columns(len(labels) + 4)
    lines = 4 + sum(label.count("\n") + 1 for label in labels)
    ax: Axes = new_axes(
        float(np.clip(width, 4.7, 15)) + _LEGEND_WIDTH * columns, max(height, 0.6 + _LINE * lines / columns)
    )[0, 0]
    return ax


def _legend_columns(n_entries: int) -> int:
    return int(np.ceil(n_entries / _LEGEND_ROWS))


def show_clusters(ax: "Axes", clusters: Sequence[Hashable], *, bands: bool = False) -> float:
    """Name the clusters below the x axis, in the room there is; return the inches that each has.

    Clusters are at 0, 1, ... Every second one has a grey `band` behind it.
    """
    n = len(clusters)
    figure = figure_of(ax)
    # Before the layout is known, a legend may yet take its part.
    room = ax.get_position().width * figure.get_figwidth() * 0.85 / n
    names = short_names(clusters, _LONGEST_CLUSTER)
    every = int(np.ceil(0.6 * _LINE / room))
    is_wide = max(map(len, names)) * _CHARACTER > room * every
    ax.set_xticks(range(0, n, every))
    labels = ax.set_xticklabels(names[::every], rotation=90 if is_wide else 0)
    literal(*labels)
    if room * every < _LINE:
        for label in labels:
            label.set_fontsize("x-small")
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.6, n - 0.4)
    ax.set_xlabel("cluster")
    if bands:
        for k in range(1, n, 2):
            ax.axvspan(k - 0.5, k + 0.5, color=BAND, zorder=0, linewidth=0)
    return room


def share_axis(ax: "Axes", top: float) -> None:
    """Make the y axis one of shares."""
    from matplotlib.ticker import PercentFormatter

    ax.set_ylim(0, top)
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_ylabel("share of the cluster's members")
    ax.spines[["top", "right"]].set_visible(False)


def show_title(ax: "Axes", text: str, *, above: float = 6) -> None:
    """Write a title from the left, as it is, so many points above the axes."""
    literal(ax.set_title(text, loc="left", pad=above))


def show_legend(ax: "Axes", entries: Sequence[tuple["Artist", str]]) -> "Legend":
    """A legend to the right of the axes."""
    # Texts are set afterwards: a label that starts with an underscore would be left out.
    legend = ax.legend(
        [handle for handle, _ in entries],
        ["-"] * len(entries),
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        borderaxespad=0,
        frameon=False,
        ncols=_legend_columns(len(entries)),
        handlelength=2.2,
        handleheight=1.4,
        fontsize="small" if len(entries) > _LEGEND_ROWS // 2 else None,
    )
    for text, (_, label) in zip(legend.get_texts(), entries, strict=True):
        text.set_text(label)
        literal(text)
    return legend
