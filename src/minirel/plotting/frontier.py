"""What each promise of a frontier costs, as curves or as a map."""

from typing import TYPE_CHECKING, Any, Union

import numpy as np

from minirel.frontiers.shape import cheapest_of_each
from minirel.frontiers.table import Frontier, read_budget
from minirel.frontiers.wording import price_in_words, value_in_words
from minirel.plotting import style
from minirel.plotting.canvas import axes_with_legend, figure_of, new_axes, show_legend, show_title
from minirel.plotting.names import literal, short, wrap
from minirel.points.errors import ParameterTypeError, ParameterValueError
from minirel.points.percent import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("curves", "map")
_LONGEST = 26
_WIDTH = 64  # characters of a title
_PALEST, _STRONGEST = np.array([0.93, 0.96, 0.99]), np.array([0.0, 0.28, 0.5])
# The price at which a cell is halfway between pale and strong.
_HALFWAY = 0.05


class FrontierDisplay:
    """Price against promise for one number of clusters.

    As curves: a line for each share, along the clusters promised to all groups together (of several requests
    with as many it joins the cheapest), with the band between what is proven and what was found (mostly too
    narrow to be seen), rings around knees, hollow points where another request promises more for no more, and
    crosses where nothing can be had. As a map: a cell for each share and each number of clusters promised,
    hatched where nothing can be had.

    Parameters
    ----------
    found : Frontier
        What `minirel.frontier` returned.
    n_clusters : int, optional
        The number of clusters to draw; by default the first.
    max_share : optional
        The largest share to draw, if there are several; by default the first.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure of `ax_`.
    lines_ : list of Line2D
        The curves, one for each share; empty for a map.
    bands_ : list of PolyCollection
        From what is proven to the price, one for each curve.
    cells_ : list of list of Rectangle
        The cells of a map by share and clusters promised; empty for curves.
    rows_ : list of list of int
        The rows of the frontier that are drawn, by share and clusters promised.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from minirel import frontier
    >>> from minirel.plotting import FrontierDisplay
    >>> X, species = load_iris(return_X_y=True)
    >>> found = frontier(X, species, n_clusters=6, alpha=[0.5, 0.7], beta=[1, 2], random_state=0)
    >>> display = FrontierDisplay.from_frontier(found, kind="map")
    >>> [text.get_text() for text in display.ax_.get_xticklabels()]
    ['1', '2']
    >>> plt.close(display.figure_)
    """

    def __init__(self, found: Frontier, *, n_clusters: int | None = None, max_share: Any = None) -> None:
        self.found = found
        self.n_clusters = n_clusters
        self.max_share = max_share

    @classmethod
    def from_frontier(
        cls,
        found: Frontier,
        *,
        n_clusters: int | None = None,
        max_share: Any = None,
        kind: str = "curves",
        budget: float | None = None,
        ax: Union["Axes", None] = None,
    ) -> "FrontierDisplay":
        """Draw a frontier.

        Parameters
        ----------
        found : Frontier
            What `minirel.frontier` returned.
        n_clusters, max_share : optional
            What to draw of it, as in the class.
        kind, budget, ax : optional
            As in `plot`.

        Returns
        -------
        FrontierDisplay
            What was drawn.
        """
        if not isinstance(found, Frontier):
            given = f"is of type {type(found).__name__}"
            raise ParameterTypeError("found", "must be a Frontier", found, found=given)
        return cls(found, n_clusters=n_clusters, max_share=max_share).plot(ax, kind=kind, budget=budget)

    def plot(
        self, ax: Union["Axes", None] = None, *, kind: str = "curves", budget: float | None = None
    ) -> "FrontierDisplay":
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if None.
        kind : {"curves", "map"}, default="curves"
            Curves of price over promise, or a map of shares and clusters promised.
        budget : float, optional
            A share of extra cost to mark: by a line, or by frames around what nothing within it betters.

        Returns
        -------
        FrontierDisplay
            This display.
        """
        if kind not in KINDS:
            raise ParameterValueError("kind", f"must be one of {', '.join(map(repr, KINDS))}", kind)
        budget = None if budget is None else read_budget(budget)
        self.rows_ = self._rows()
        self._columns = self.found.columns()
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []
        self.cells_: list[list[Any]] = []
        labels = [self._label("alpha", rows[0]) for rows in self.rows_]
        if ax is None and kind == "curves":
            ax = axes_with_legend(6.2, 4.2, labels)
        elif ax is None:
            ax = new_axes(2.5 + 1.15 * len(self.rows_[0]), 1.8 + 0.5 * len(self.rows_))[0, 0]
        self.ax_, self.figure_ = ax, figure_of(ax)
        if kind == "curves":
            self._curves(ax, labels, budget)
        else:
            self._map(ax, labels, budget)
        n = self.found.requests[self.rows_[0][0]].n_clusters
        told = f"What promises cost more than plain k-means, {n} clusters"
        show_title(ax, wrap(told, _WIDTH), above=10)
        return self

    def _rows(self) -> list[list[int]]:
        """The rows to draw, by share and then by clusters promised, in the order asked for."""
        first = self.found.requests[0].values
        chosen = {"n_clusters": self.n_clusters, "max_share": self.max_share}
        chosen = {name: first[name] if value is None else value for name, value in chosen.items()}
        rows = [
            i
            for i, one in enumerate(self.found.requests)
            if all(one.values[name] == value for name, value in chosen.items())
        ]
        if not rows:
            numbers = {one.n_clusters for one in self.found.requests}
            name = "max_share" if chosen["n_clusters"] in numbers else "n_clusters"
            raise ParameterValueError(name, "must be one of those that were asked for", chosen[name])
        by_share: list[list[int]] = []
        for i in rows:
            alpha = self.found.requests[i].values["alpha"]
            known = next((r for r in by_share if self.found.requests[r[0]].values["alpha"] == alpha), None)
            if known is None:
                by_share.append([i])
            else:
                known.append(i)
        return by_share

    def _label(self, name: str, i: int) -> str:
        return short(value_in_words(name, self.found.requests[i].values[name]), _LONGEST)

    def _curves(self, ax: "Axes", labels: list[str], budget: float | None) -> None:
        prices, entries = self._columns["price"], []
        finite = [p for rows in self.rows_ for p in (prices[i] for i in rows) if np.isfinite(p)]
        top = 1.12 * max([*finite, budget or 0.0, 1e-3])
        impossible = None
        for a, rows in enumerate(self.rows_):
            curve = sorted((self._promised(i), i) for i in rows if np.isfinite(prices[i]))
            joined = cheapest_of_each(self.found.requests, prices, [i for _, i in curve])
            x = np.array([self._promised(i) for i in joined], dtype=float)
            y = np.array([prices[i] for i in joined])
            colour, marker = style.colour(a), style.marker(a)
            line = ax.plot(x, y, color=colour, marker=marker, markersize=6, linewidth=1.6, zorder=3)[0]
            self.lines_.append(line)
            bound = np.array([self._bound(i) for i in joined])
            self.bands_.append(ax.fill_between(x, bound, y, color=style.pale(colour), zorder=1))
            entries.append((line, f"at least {labels[a]}"))
            for n, i in curve:
                if i not in joined:
                    ax.plot(n, prices[i], marker, color=colour, markersize=6, zorder=3)
                if self._columns["dominated"][i]:
                    ax.plot(n, prices[i], marker, color=colour, markerfacecolor=style.LIGHT, zorder=4)
                if self._columns["knee"][i]:
                    ax.plot(n, prices[i], "o", markersize=13, color=style.DARK, fillstyle="none", zorder=5)
            for i in rows:
                if self._columns["feasible"][i] is False and self.found.requests[i].request is not None:
                    beside = self._promised(i) + 0.08 * (a - (len(self.rows_) - 1) / 2)
                    impossible = ax.plot(beside, top * 0.97, "x", color=colour, markersize=7, zorder=4)[0]
        self._finish_curves(ax, top, budget, entries, impossible)

    def _finish_curves(
        self, ax: "Axes", top: float, budget: float | None, entries: list[Any], impossible: Any
    ) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch
        from matplotlib.ticker import MaxNLocator

        grey: dict[str, Any] = {"color": style.DARK, "linestyle": "none"}
        if any(self._columns["knee"][i] for rows in self.rows_ for i in rows):
            ring = Line2D([], [], marker="o", markersize=11, fillstyle="none", **grey)
            entries.append((ring, "the price turns up after this"))
        if any(self._columns["dominated"][i] for rows in self.rows_ for i in rows):
            hollow = Line2D([], [], marker="o", markerfacecolor=style.LIGHT, **grey)
            entries.append((hollow, "another promises more\nand costs no more"))
        if impossible is not None:
            entries.append((Line2D([], [], marker="x", **grey), "cannot be kept"))
        entries.append((Patch(color=style.BAND), "from what is proven\nto what was found"))
        if budget is not None:
            line = ax.axhline(budget, color=style.BROKEN, linestyle="--", linewidth=1.2)
            entries.append((line, f"{percent(budget)} more"))
        ax.set_ylim(-0.03 * top, top)
        ax.yaxis.set_major_formatter(lambda y, _: f"{float(f'{100 * y:.4g}'):g}%")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel("clusters promised, all groups together")
        ax.set_ylabel("price over k-means")
        ax.set_axisbelow(True)
        ax.grid(color="#DDDDDD", linewidth=0.8)
        ax.spines[["top", "right"]].set_visible(False)
        show_legend(ax, entries)

    def _map(self, ax: "Axes", labels: list[str], budget: float | None) -> None:
        from matplotlib.patches import Rectangle

        best = set() if budget is None else set(self.found.best_within(budget))
        for a, rows in enumerate(self.rows_):
            cells = []
            for b, i in enumerate(rows):
                price, feasible = self._columns["price"][i], self._columns["feasible"][i]
                fill, hatch = (_shade(price), None) if feasible else (style.BAND, style.BROKEN_HATCH)
                edge = style.BROKEN if i in best else style.LIGHT if feasible else "#999999"
                cell = Rectangle(
                    (b - 0.47, a - 0.45), 0.94, 0.9, facecolor=fill, edgecolor=edge, hatch=hatch, linewidth=2
                )
                cells.append(ax.add_patch(cell))
                said = "" if feasible is False else "open" if feasible is None else price_in_words(price)
                said += " ◆" if self._columns["knee"][i] else " ○" if self._columns["dominated"][i] else ""
                ax.text(b, a, said, ha="center", va="center", color=style.ink(fill), fontsize="small")
            self.cells_.append(cells)
        names = [self._label("beta", i) for i in self.rows_[0]]
        ax.set_xticks(range(len(names)))
        literal(*ax.set_xticklabels([wrap(name, 12) for name in names]))
        ax.set_yticks(range(len(labels)))
        literal(*ax.set_yticklabels(labels))
        ax.set_xlim(-0.55, len(names) - 0.45)
        ax.set_ylim(len(labels) - 0.45, -0.55)
        ax.set_xlabel("clusters promised")
        ax.set_ylabel("share that counts")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)

    def _promised(self, i: int) -> int:
        return sum(self.found.requests[i].fairness.beta)

    def _bound(self, i: int) -> float:
        """What is proven, as a price."""
        plain = self._columns["kmeans_cost"][i]
        return (self._columns["lower_bound"][i] - plain) / plain if plain > 0 else 0.0


def _shade(price: float) -> str:
    part = price / (price + _HALFWAY) if np.isfinite(price) else 1.0
    mixed = np.rint(255 * (_PALEST + part * (_STRONGEST - _PALEST))).astype(int)
    return "#" + "".join(f"{value:02X}" for value in mixed)
