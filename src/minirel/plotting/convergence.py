"""How the cost and its proof came down, iteration by iteration."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.history import Iteration
from minirel.outcome.result import FittedModel, result_of
from minirel.plotting import style
from minirel.plotting.canvas import figure_of, new_axes, show_title
from minirel.plotting.names import amount, wrap
from minirel.points.percent import gap as gap_in_percent
from minirel.points.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_SMALLEST_GAP = 1e-9  # what is drawn as 0: no more than rounding

_WIDTH = 64  # characters of a title


class ConvergenceDisplay:
    """Cost of each assignment, what any assignment to the same centers costs at least, and the gap.

    Parameters
    ----------
    history : list of Iteration
        The records of a run, `history_` of a fitted model.
    covers : {"prefix", "free"}, default="prefix"
        Whether bounds hold for one choice of the clusters that represent groups, or for every choice.

    Attributes
    ----------
    ax_, gap_ax_ : matplotlib Axes, and Axes or None
        Where cost and bound, and where the gap were drawn.
    figure_ : matplotlib Figure
        The figure of `ax_`.
    cost_line_, bound_line_ : Line2D
        Cost and bound by iteration.
    gap_line_ : Line2D or None
        Gap by iteration.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL
    >>> from minirel.plotting import ConvergenceDisplay
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=species)
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> len(display.cost_line_.get_ydata()) == model.n_iter_
    True
    >>> plt.close(display.figure_)
    """

    def __init__(self, history: Sequence[Iteration], *, covers: str = "prefix") -> None:
        self.history = history
        self.covers = covers

    @classmethod
    def from_estimator(
        cls, model: FittedModel, *, ax: Union["Axes", None] = None, gap_ax: Union["Axes", None] = None
    ) -> "ConvergenceDisplay":
        """Draw the history of a fitted model.

        Parameters
        ----------
        model : MiniReL
            A fitted estimator.
        ax, gap_ax : Axes, optional
            As in `plot`.

        Returns
        -------
        ConvergenceDisplay
            What was drawn.
        """
        result = result_of(model)
        covers = result.covers if result.prefix else "free"
        return cls(result.history, covers=covers).plot(ax, gap_ax=gap_ax)

    def plot(
        self, ax: Union["Axes", None] = None, *, gap_ax: Union["Axes", None] = None
    ) -> "ConvergenceDisplay":
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw cost and bound; a new figure if None, which has axes for the gap too.
        gap_ax : Axes, optional
            Where to draw the gap, if `ax` is given; else it is only told in the title.

        Returns
        -------
        ConvergenceDisplay
            This display.
        """
        if not self.history:
            raise ValueError("history has no records to draw")
        if ax is None:
            made = new_axes(7.5, 5.2, rows=(3, 1))[:, 0]
            ax, gap_ax = made[0], made[1] if gap_ax is None else gap_ax
        self.ax_, self.gap_ax_, self.figure_ = ax, gap_ax, figure_of(ax)
        iteration = [record.iteration for record in self.history]
        cost = np.array([record.cost for record in self.history])
        bound = np.array([record.bound for record in self.history])
        # Before anything is proven, the bound may be minus infinity.
        bound = np.where(np.isfinite(bound), bound, np.nan)
        first, second = style.COLOURS[0], style.COLOURS[6]
        self.cost_line_ = ax.plot(iteration, cost, "o-", color=first, markersize=5, label="cost", zorder=3)[0]
        # Larger, so that it is seen where the two are one.
        self.bound_line_ = ax.plot(
            iteration,
            bound,
            "s--",
            color=second,
            markersize=10,
            markerfacecolor=style.LIGHT,
            label="proven bound",
        )[0]
        ax.fill_between(iteration, bound, cost, color=style.pale(second), label="gap", zorder=1)
        ax.legend(frameon=False)
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:.10g}")
        ax.set_ylabel("cost of the assignment")
        show_title(ax, self._title())
        _finish(ax, iteration)
        self.gap_line_: Line2D | None = None
        if gap_ax is None:
            ax.set_xlabel("iteration")
        else:
            gap = np.array([record.gap for record in self.history])
            gap = np.where(np.isfinite(gap), gap, np.nan)
            self.gap_line_ = gap_ax.plot(iteration, gap, "d:", color=style.DARK, clip_on=False)[0]
            _gap_axis(gap_ax, gap[np.isfinite(gap)])
            gap_ax.set_xlabel("iteration")
            _finish(gap_ax, iteration)
        return self

    def _title(self) -> str:
        """Cost, and how good it is proven to be among what."""
        last = self.history[-1]
        if last.gap <= 0:
            proof = "Proven optimal"
        elif np.isfinite(last.gap):
            proof = f"Proven to be within {gap_in_percent(last.gap)} of the best"
        else:
            proof = "Nothing proven"
        scope = "these centers" + (" and this choice of clusters" if self.covers == "prefix" else "")
        cost = f"Cost {amount(last.cost)} after {counted(last.iteration, 'iteration')}"
        return f"{cost}\n{wrap(f'{proof} for {scope}', _WIDTH)}"


def _gap_axis(ax: "Axes", gap: NDArray[np.float64]) -> None:
    """Powers of ten down to what is as good as 0."""
    from matplotlib.ticker import NullLocator

    largest = float(gap.max(initial=0))
    if largest < _SMALLEST_GAP:
        ax.set_ylim(0, _SMALLEST_GAP)
        ax.set_yticks([0], ["0%"])
    else:
        smallest = max(float(gap[gap > 0].min()), _SMALLEST_GAP)
        powers = np.arange(np.floor(np.log10(smallest)), np.ceil(np.log10(largest)) + 1)
        every = int(np.ceil(len(powers) / 3))
        ax.set_yscale("symlog", linthresh=10.0 ** powers[0], linscale=0.4)
        ax.set_ylim(0, 10.0 ** powers[-1])
        ax.set_yticks([0, *10.0 ** powers[::-every]])
        ax.yaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter(lambda y, _: _percent(y))
    ax.set_ylabel("gap")


def _percent(gap: float) -> str:
    """A tick: without zeros behind it, however small."""
    return np.format_float_positional(100 * gap, precision=2, fractional=False, trim="-") + "%"


def _finish(ax: "Axes", iteration: list[int]) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlim(iteration[0] - 0.5, iteration[-1] + 0.5)
    ax.set_axisbelow(True)
    ax.grid(color="#DDDDDD", linewidth=0.8)
    ax.spines[["top", "right"]].set_visible(False)
