"""Who is represented where: shares by cluster and group, against what they need."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Union, Unpack

import numpy as np
from numpy.typing import NDArray

from minirel.outcome.audit import Asked, Audit, audit
from minirel.outcome.result import FittedModel, result_of
from minirel.plotting import style
from minirel.plotting.canvas import (
    axes_with_legend,
    check_groups,
    figure_of,
    share_axis,
    show_clusters,
    show_legend,
    show_title,
)
from minirel.plotting.heatmap import draw_heatmap, star_places
from minirel.plotting.names import short_names, verdict, wrap
from minirel.points.errors import ParameterValueError
from minirel.points.percent import asked
from minirel.points.wording import counted

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.container import BarContainer


_KINDS = ("auto", "bars", "dots", "heatmap")
_MOST_BARS = 60
_MANY_GROUPS = 8  # from which on nobody tells so many colours and markers apart
_LEGEND_WIDTH, _ROW_WIDTH = 32, 44
_ABOVE = 0.035  # how far above a share its star is


class RepresentationDisplay:
    """Shares of the groups in each cluster, what they need, and where they are represented.

    Groups differ in colour and in hatch or marker. What reaches the share it needs is filled and has a star;
    the rest is pale (bars) or hollow (dots). Many groups are the rows of a heat map. The star is black where
    a cluster was set aside for the group (`prefix_`), hollow where it is represented besides, and a cross
    where that does not count because it is not `allowed`. Bounds on a group's share in every cluster are
    dotted; a ring marks a share out of them.

    Parameters
    ----------
    audit : Audit
        What to draw.
    prefix : iterable of (group, cluster), optional
        Pairs to emphasise; None makes all stars black.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    marks_ : list of BarContainer, PathCollection or QuadMesh
        Bars or dots of each group, or the heat map.
    legend_ : Legend
        To the right of the axes.

    See Also
    --------
    minirel.audit : The numbers behind the picture.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL
    >>> from minirel.plotting import RepresentationDisplay
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(6, beta="statistical_parity", random_state=0).fit(X, sensitive_features=species)
    >>> display = RepresentationDisplay.from_estimator(model)
    >>> display.ax_.get_title(loc="left")
    'Every group is represented as promised'
    >>> plt.close(display.figure_)
    """

    def __init__(self, audit: Audit, *, prefix: Iterable[tuple[Hashable, Hashable]] | None = None) -> None:
        self.audit = audit
        self.prefix = None if prefix is None else list(prefix)

    @classmethod
    def from_estimator(
        cls, model: FittedModel, *, kind: str = "auto", ax: Union["Axes", None] = None
    ) -> "RepresentationDisplay":
        """Draw a fitted model.

        Parameters
        ----------
        model : MiniReL
            A fitted estimator.
        kind : {"auto", "bars", "dots", "heatmap"}, default="auto"
            As in `plot`.
        ax : Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        RepresentationDisplay
            What was drawn.
        """
        result = result_of(model)
        return cls(result.audit, prefix=result.prefix).plot(ax, kind=kind)

    @classmethod
    def from_predictions(
        cls,
        labels: object,
        sensitive_features: object,
        *,
        kind: str = "auto",
        ax: Union["Axes", None] = None,
        **asked: Unpack[Asked],
    ) -> "RepresentationDisplay":
        """Draw any clustering.

        Parameters
        ----------
        labels, sensitive_features
            As in `minirel.audit`.
        kind : {"auto", "bars", "dots", "heatmap"}, default="auto"
            As in `plot`.
        ax : Axes, optional
            Where to draw; a new figure if None.
        **asked : dict
            The promises, `sample_weight` and what else `minirel.audit` takes.

        Returns
        -------
        RepresentationDisplay
            What was drawn.
        """
        return cls(audit(labels, sensitive_features, **asked)).plot(ax, kind=kind)

    def plot(self, ax: Union["Axes", None] = None, *, kind: str = "auto") -> "RepresentationDisplay":
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if None. The legend is to its right, so leave room there, use
            ``layout="constrained"``, or save with ``bbox_inches="tight"``.
        kind : {"auto", "bars", "dots", "heatmap"}, default="auto"
            "auto" draws a heat map of 8 groups and more, otherwise bars unless there would be more than 60.

        Returns
        -------
        RepresentationDisplay
            This display.
        """
        if kind not in _KINDS:
            raise ParameterValueError("kind", f"must be one of {', '.join(map(repr, _KINDS))}", kind)
        check_groups(self.audit)
        n_groups, n_clusters = self.audit.shares.shape
        if kind == "auto":
            kind = "bars" if n_groups * n_clusters <= _MOST_BARS else "dots"
            kind = "heatmap" if n_groups >= _MANY_GROUPS else kind
        texts = self._group_texts()
        if kind == "heatmap":
            return self._plot_heatmap(ax, texts)
        if ax is None:
            ax = axes_with_legend(0.7 + n_clusters * max(0.3, 0.16 * n_groups), 4.8, texts)
        self.ax_, self.figure_ = ax, figure_of(ax)
        show_clusters(ax, self.audit.clusters, bands=True)
        share_axis(ax, top=1.09)
        ax.set_axisbelow(True)
        ax.grid(axis="y", color="#DDDDDD", linewidth=0.8)

        step = 0.84 / n_groups
        offsets = (np.arange(n_groups) - (n_groups - 1) / 2) * step
        x = np.arange(n_clusters) + offsets[:, None]
        draw = self._bars if kind == "bars" else self._dots
        self.marks_: list[BarContainer | PathCollection | QuadMesh] = [
            draw(ax, x[g], g, 0.92 * step) for g in range(n_groups)
        ]
        entries = [(self._handle(g, kind), name) for g, name in enumerate(texts)] + [
            self._draw_thresholds(ax, x, step),
            *self._draw_bounds(ax, x, step),
            *self._draw_stars(ax, x, self.audit.shares + _ABOVE),
        ]
        self.legend_ = show_legend(ax, entries)
        show_title(ax, wrap(verdict(self.audit, "Shares of the groups in each cluster"), 70))
        return self

    def _plot_heatmap(self, ax: Union["Axes", None], texts: list[str]) -> "RepresentationDisplay":
        n_groups, n_clusters = self.audit.shares.shape
        if ax is None:
            ax = axes_with_legend(3.2 + 0.55 * n_clusters, 1.4 + 0.34 * n_groups, [])
        self.ax_, self.figure_ = ax, figure_of(ax)
        show_clusters(ax, self.audit.clusters)
        names = [wrap(text.replace("\n", " "), _ROW_WIDTH) for text in texts]
        self.marks_ = [draw_heatmap(ax, self.audit, names)]
        across, up = star_places(n_groups, n_clusters)
        entries = self._draw_stars(ax, across, up) + self._draw_rings(ax, across + 0.08, up)
        self.legend_ = show_legend(ax, entries)
        share = f", at least {asked(self.audit.alpha[0])} needed" if len({*self.audit.alpha}) == 1 else ""
        title = verdict(self.audit, "Shares of the groups in each cluster")
        show_title(ax, wrap(f"{title} (share of each cluster's members{share})", 70))
        return self

    def _bars(self, ax: "Axes", x: NDArray[np.float64], g: int, width: float) -> "BarContainer":
        colour, is_filled = style.colour(g), self.audit.represented[g]
        return ax.bar(
            x,
            self.audit.shares[g],
            width,
            color=[colour if filled else style.pale(colour) for filled in is_filled],
            edgecolor=[style.ink(colour) if filled else "#777777" for filled in is_filled],
            hatch=style.hatch(g),
            linewidth=0.6,
            zorder=2,
        )

    def _dots(self, ax: "Axes", x: NDArray[np.float64], g: int, width: float) -> "PathCollection":
        colour, is_filled = style.colour(g), self.audit.represented[g]
        return ax.scatter(
            x,
            self.audit.shares[g],
            s=[46 if filled else 22 for filled in is_filled],
            marker=style.marker(g),
            facecolors=[colour if filled else "#FFFFFF" for filled in is_filled],
            edgecolors=[style.DARK if filled else "#777777" for filled in is_filled],
            linewidths=0.8,
            clip_on=False,
            zorder=3,
        )

    def _group_texts(self) -> list[str]:
        """Name, share needed if these differ, and clusters of each group."""
        result, texts = self.audit, []
        rows = zip(
            short_names(result.groups, 40), result.n_represented, result.beta, result.alpha, strict=True
        )
        for name, has, promised, alpha in rows:
            needs = f"needs {asked(alpha)}, " if len(set(result.alpha)) > 1 else ""
            of = f", promised {promised}" if any(result.beta) else ""
            told = f"{needs}{counted(has, 'cluster')}{of}"
            is_long = len(name) + len(told) > _LEGEND_WIDTH
            texts.append(f"{wrap(name, _LEGEND_WIDTH)}:\n{told}" if is_long else f"{name}: {told}")
        return texts

    def _handle(self, g: int, kind: str) -> "Artist":
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        colour = style.colour(g)
        if kind == "bars":
            return Patch(facecolor=colour, edgecolor=style.ink(colour), hatch=style.hatch(g), linewidth=0.6)
        return Line2D(
            [],
            [],
            linestyle="",
            marker=style.marker(g),
            markersize=7,
            markerfacecolor=colour,
            markeredgecolor=style.DARK,
        )

    def _draw_thresholds(self, ax: "Axes", x: NDArray[np.float64], step: float) -> tuple["Artist", str]:
        """One line if all groups need the same share, else a stroke at each mark."""
        from matplotlib.lines import Line2D

        alpha = self.audit.alpha
        if len(set(alpha)) == 1:
            line = ax.axhline(alpha[0], linestyle=(0, (5, 2)), color=style.DARK, linewidth=1.6, zorder=4)
            return line, f"share needed: {asked(alpha[0])}"
        for shares, middle in zip(alpha, x, strict=True):
            left, right = middle - step / 2, middle + step / 2
            ax.hlines([shares] * len(middle), left, right, color=style.DARK, linewidth=1.6, zorder=4)
        return Line2D([], [], color=style.DARK, linewidth=1.6), "share needed"

    def _draw_bounds(self, ax: "Axes", x: NDArray[np.float64], step: float) -> list[tuple["Artist", str]]:
        """Dotted strokes at the bounds on a group's share in every cluster, and a ring around what is out."""
        from matplotlib.lines import Line2D

        result = self.audit
        if not result.is_bounded:
            return []
        dotted: dict[str, Any] = {"color": style.DARK, "linestyle": (0, (1, 1)), "linewidth": 1.6}
        for bounds, none in ((result.min_share, 0.0), (result.max_share, 1.0)):
            for bound, middle in zip(bounds, x, strict=True):
                if bound != none:
                    left, right = middle - step / 2, middle + step / 2
                    ax.hlines([bound] * len(middle), left, right, zorder=4, **dotted)
        entries: list[tuple[Artist, str]] = [(Line2D([], [], **dotted), "bounds in every cluster")]
        return entries + self._draw_rings(ax, x, result.shares)

    def _draw_rings(
        self, ax: "Axes", x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> list[tuple["Artist", str]]:
        """A ring around every share that is out of its bounds."""
        is_out = self.audit.below | self.audit.above
        if not is_out.any():
            return []
        ring = ax.scatter(
            x[is_out],
            y[is_out],
            s=110,
            facecolors="none",
            edgecolors=style.DARK,
            linewidths=1.6,
            clip_on=False,
            zorder=6,
        )
        return [(ring, "out of bounds")]

    def _draw_stars(
        self, ax: "Axes", x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> list[tuple["Artist", str]]:
        """Mark who is represented; where, and what the marks mean."""
        result = self.audit
        counts = result.represented & result.allowed
        held = counts
        if self.prefix is not None:
            held = np.zeros_like(counts)
            for group, cluster in self.prefix:
                held[result.groups.index(group), result.clusters.index(cluster)] = True
            held &= counts
        kinds = (
            (
                held,
                "*",
                style.DARK,
                "represented" + (", set aside for it" if self.prefix is not None else ""),
            ),
            (counts & ~held, "*", style.LIGHT, "represented besides"),
            (result.represented & ~result.allowed, "X", style.LIGHT, "enough, but does not count"),
        )
        entries: list[tuple[Artist, str]] = []
        for where, marker, colour, text in kinds:
            if where.any():
                drawn = ax.scatter(
                    x[where],
                    y[where],
                    s=64,
                    marker=marker,
                    facecolors=colour,
                    edgecolors=style.DARK,
                    linewidths=0.9,
                    clip_on=False,
                    zorder=5,
                )
                entries.append((drawn, text))
        return entries
