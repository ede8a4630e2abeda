"""Shares of many groups: a row for each group, a column for each cluster, a star where it is represented."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minirel.outcome.audit import Audit
from minirel.plotting import style
from minirel.plotting.names import literal
from minirel.points.percent import floored

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

# Clusters and groups up to which there is room for the shares in figures.
_MOST_CLUSTERS, _MOST_GROUPS = 14, 40
_LEAST_SCALE = 0.2
_COLOURS = ("#FFFFFF", "#D6E6F2", "#9CC3E0", "#5B9BCB", "#0072B2")


def draw_heatmap(ax: "Axes", audit: Audit, names: Sequence[str]) -> "QuadMesh":
    """Draw the shares as colours, and as figures where there is room."""
    from matplotlib.colors import LinearSegmentedColormap

    n_groups, n_clusters = audit.shares.shape
    colours = LinearSegmentedColormap.from_list("shares", _COLOURS)
    edges = [np.arange(n + 1) - 0.5 for n in (n_clusters, n_groups)]
    # To the largest share, so that differences are seen where all of them are small.
    most = max(float(audit.shares.max(initial=0.0)), _LEAST_SCALE)
    mesh = ax.pcolormesh(
        *edges, audit.shares, cmap=colours, vmin=0, vmax=most, edgecolors="#FFFFFF", linewidth=1
    )
    ax.set_yticks(range(n_groups))
    literal(*ax.set_yticklabels(names))
    ax.set_ylim(n_groups - 0.5, -0.5)
    ax.set_xlim(-0.5, n_clusters - 0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    if n_clusters <= _MOST_CLUSTERS and n_groups <= _MOST_GROUPS:
        for g, k in np.ndindex(n_groups, n_clusters):
            share = float(audit.shares[g, k])
            ink = style.LIGHT if share > 0.7 * most else style.DARK
            ax.text(k + 0.08, g, floored(share, 0), ha="center", va="center", size="small", color=ink)
    return mesh


def star_places(n_groups: int, n_clusters: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the star of each group and cluster is: to the left of the figures, or in the middle."""
    away = 0.34 if n_clusters <= _MOST_CLUSTERS and n_groups <= _MOST_GROUPS else 0.0
    across, up = np.meshgrid(np.arange(n_clusters) - away, np.arange(n_groups, dtype=np.float64))
    return across, up
