"""What each cluster is made of."""

from typing import TYPE_CHECKING, Union, Unpack

import numpy as np

from minirel.outcome.audit import Asked, Audit, audit
from minirel.outcome.result import FittedModel, result_of
from minirel.plotting import style
from minirel.plotting.canvas import (
    axes_with_legend,
    check_groups,
    figure_of,
    new_axes,
    share_axis,
    show_clusters,
    show_legend,
    show_title,
)
from minirel.plotting.names import amount, literal, short_names, wrap
from minirel.points.groups import Groups, read_groups
from minirel.points.percent import floored

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.image import AxesImage
    from matplotlib.text import Text


_ROOM_FOR_PERCENT = 0.58  # inches of a cluster in which its shares can be written
_SMALLEST_WRITTEN = 0.07
_DARK_FROM = 0.66  # share from which shades are so dark that writing on them is light
_CHARACTER, _LINE = 0.075, 0.11  # inches of small writing
_BOX: dict[str, object] = {
    "boxstyle": "round,pad=0.15",
    "facecolor": "#FFFFFF",
    "edgecolor": "none",
    "alpha": 0.85,
}


class CompositionDisplay:
    """The groups that make up each cluster, with the clusters' sizes.

    Disjoint groups are stacked to the whole of the cluster. Groups that overlap add up to more than that, so
    they are drawn as a table of shades. A star marks where a group is represented and that counts.

    Parameters
    ----------
    audit : Audit
        What to draw.
    disjoint : bool
        Whether no point belongs to two groups.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    bars_ : list of BarContainer
        Bars of each group, if they are disjoint; else empty.
    image_ : AxesImage or None
        The table of shades, if groups overlap.
    sizes_ : list of Text
        Sizes of the clusters, above them.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from minirel.plotting import CompositionDisplay
    >>> sex = ["F", "F", "M", "F", "M", "M", "M"]
    >>> display = CompositionDisplay.from_predictions(["a", "a", "a", "b", "b", "b", "b"], sex)
    >>> [text.get_text() for text in display.sizes_]
    ['3', '4']
    >>> plt.close(display.figure_)
    """

    def __init__(self, audit: Audit, *, disjoint: bool) -> None:
        self.audit = audit
        self.disjoint = disjoint

    @classmethod
    def from_estimator(cls, model: FittedModel, *, ax: Union["Axes", None] = None) -> "CompositionDisplay":
        """Draw a fitted model.

        Parameters
        ----------
        model : MiniReL
            A fitted estimator.
        ax : Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        CompositionDisplay
            What was drawn.
        """
        result = result_of(model)
        return cls(result.audit, disjoint=_are_disjoint(result.groups)).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        labels: object,
        sensitive_features: object,
        *,
        ax: Union["Axes", None] = None,
        **asked: Unpack[Asked],
    ) -> "CompositionDisplay":
        """Draw any clustering.

        Parameters
        ----------
        labels, sensitive_features
            As in `minirel.audit`.
        ax : Axes, optional
            Where to draw; a new figure if None.
        **asked : dict
            The promises, `sample_weight` and what else `minirel.audit` takes.

        Returns
        -------
        CompositionDisplay
            What was drawn.
        """
        if sensitive_features is None:
            raise ValueError("there are no groups to draw: pass sensitive_features")
        groups = read_groups(sensitive_features, missing=asked.pop("missing", "error"))
        result = audit(labels, groups, **asked)
        return cls(result, disjoint=_are_disjoint(groups)).plot(ax)

    def plot(self, ax: Union["Axes", None] = None) -> "CompositionDisplay":
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if None. The legend is to its right, so leave room there, use
            ``layout="constrained"``, or save with ``bbox_inches="tight"``.

        Returns
        -------
        CompositionDisplay
            This display.
        """
        check_groups(self.audit)
        n_groups, n_clusters = self.audit.shares.shape
        if ax is None:
            width = 0.7 + n_clusters * (0.7 if n_clusters <= 12 else 0.3)
            if self.disjoint:
                ax = axes_with_legend(width, 4.8, self._legend_texts())
            else:
                ax = new_axes(
                    float(np.clip(width, 4.7, 15)) + 2.4, float(np.clip(1.8 + 0.42 * n_groups, 3.2, 40))
                )[0, 0]
        self.ax_, self.figure_ = ax, figure_of(ax)
        self._room = show_clusters(ax, self.audit.clusters)
        self.bars_: list[BarContainer] = []
        self.image_: AxesImage | None = None
        self.sizes_: list[Text] = []
        if self.disjoint:
            self._stack(ax)
        else:
            self._shade(ax)
        show_title(ax, "What each cluster is made of", above=self._write_sizes(ax))
        return self

    def _legend_texts(self) -> list[str]:
        return [wrap(name, 30) for name in short_names(self.audit.groups, 40)]

    def _stack(self, ax: "Axes") -> None:
        from matplotlib.lines import Line2D

        result = self.audit
        x = np.arange(len(result.clusters))
        bottom = np.zeros(len(x))
        share_axis(ax, top=1)
        entries: list[tuple[Artist, str]] = []
        for g, name in enumerate(self._legend_texts()):
            colour, share = style.colour(g), result.shares[g]
            edge, hatch = style.ink(colour), style.hatch(g)
            bars = ax.bar(x, share, 0.84, bottom, color=colour, edgecolor=edge, hatch=hatch, linewidth=0.5)
            self.bars_.append(bars)
            # The top of the stack comes first, as the eye meets it.
            entries.insert(0, (bars.patches[0], name))
            for k in x[share >= _SMALLEST_WRITTEN].tolist():
                self._write_share(ax, g, k, float(bottom[k] + share[k] / 2), _BOX)
            bottom = bottom + share
        if (result.counts.sum(axis=0) < result.totals * (1 - 1e-9)).any():
            rest = np.where(result.totals > 0, np.maximum(1 - bottom, 0), 0)
            bars = ax.bar(x, rest, 0.84, bottom, color=style.NOBODY, edgecolor="#999999", linewidth=0.5)
            entries.insert(0, (bars.patches[0], "in no group"))
        if (result.represented & result.allowed).any():
            star = Line2D([], [], linestyle="", marker="*", markersize=9, color=style.DARK)
            entries.append((star, "represented"))
        self.legend_ = show_legend(ax, entries)

    def _shade(self, ax: "Axes") -> None:
        from matplotlib.ticker import PercentFormatter

        result = self.audit
        n_groups, n_clusters = result.shares.shape
        self.image_ = ax.imshow(result.shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        ax.set_yticks(range(n_groups))
        literal(*ax.set_yticklabels([wrap(name, 24) for name in short_names(result.groups, 40)]))
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(-0.5, n_clusters - 0.5)
        for edge in np.arange(n_groups - 1) + 0.5:
            ax.axhline(edge, color="#FFFFFF", linewidth=1.5)
        for edge in np.arange(n_clusters - 1) + 0.5:
            ax.axvline(edge, color="#FFFFFF", linewidth=1.5)
        for g, k in np.ndindex(n_groups, n_clusters):
            self._write_share(ax, g, k, g, None)
        bar = self.figure_.colorbar(self.image_, ax=ax, format=PercentFormatter(1.0, decimals=0), pad=0.01)
        bar.outline.set_visible(False)
        bar.set_label("share of the cluster (star: represented)")

    def _write_share(self, ax: "Axes", g: int, k: int, y: float, box: dict[str, object] | None) -> None:
        """Write a share if there is room for it, with a star if the group is represented."""
        from matplotlib.transforms import offset_copy

        result, is_roomy = self.audit, self._room >= _ROOM_FOR_PERCENT
        share = float(result.shares[g, k])
        is_star = bool(result.represented[g, k] and result.allowed[g, k])
        ink = style.DARK if box or share < _DARK_FROM else style.LIGHT
        if is_roomy:
            ax.annotate(
                floored(share, places=0),
                (k, y),
                (-7 * is_star, 0),
                textcoords="offset points",
                ha="center",
                va="center",
                size="small",
                weight="bold" if is_star else "normal",
                color=ink,
                bbox=box,
            )
        if is_star:
            place = offset_copy(ax.transData, self.figure_, x=15 * is_roomy, units="points")
            if box:
                ax.scatter(k, y, s=96, color=style.LIGHT, alpha=0.85, linewidths=0, zorder=4, transform=place)
            ax.scatter(k, y, marker="*", s=48, color=ink, linewidths=0, zorder=5, transform=place)

    def _write_sizes(self, ax: "Axes") -> float:
        """Write the sizes above the clusters, and return the points that takes."""
        texts = [amount(size) for size in self.audit.sizes.tolist()]
        is_upright = max(map(len, texts)) * _CHARACTER > self._room
        every = int(np.ceil(_LINE / self._room)) if is_upright else 1
        for k in range(0, len(texts), every):
            drawn = ax.annotate(
                texts[k],
                (k, 1),
                (0, 6),
                xycoords=ax.get_xaxis_transform(),
                textcoords="offset points",
                ha="center",
                va="bottom",
                rotation=90 if is_upright else 0,
                size="x-small" if is_upright else "small",
            )
            self.sizes_.append(drawn)
        ax.annotate(
            "size",
            (0, 1),
            (-4, 6),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            va="bottom",
            size="small",
        )
        return 13 + 6 * max(map(len, texts)) if is_upright else 23


def _are_disjoint(groups: Groups) -> bool:
    if groups.counts is not None:
        return bool((groups.counts.members.sum(axis=1) <= groups.counts.total).all())
    return bool((groups.signatures.sum(axis=1) <= 1).all())
