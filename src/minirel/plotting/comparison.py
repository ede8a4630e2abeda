"""Two clusterings side by side: in how many clusters each group counts before and after."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

import numpy as np

from minirel.outcome.audit import Asked, Audit, audit
from minirel.outcome.result import FittedModel, result_of
from minirel.outcome.verdict import n_broken, n_promises
from minirel.plotting import style
from minirel.plotting.canvas import check_groups, figure_of, new_axes, show_title
from minirel.plotting.names import amount, literal, short, short_names, wrap
from minirel.points.errors import ParameterValueError
from minirel.points.percent import growth

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer


_LONGEST_TITLE = 40


class ComparisonDisplay:
    """Before and after: the clusters that represent each group, and the cost.

    A bar is as long as the number of clusters that represent the group; a black line is where it has to
    reach. Bars that fall short are hatched.

    Parameters
    ----------
    before, after : Audit
        What to compare, with the same groups.
    costs : (float, float), optional
        Costs of the two.
    names : (str, str), default=("before", "after")
        What to call them.

    Attributes
    ----------
    axes_ : ndarray of 2 Axes
        Where they were drawn.
    figure_ : matplotlib Figure
        The figure of the axes.
    bars_ : list of BarContainer
        The bars of each.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL
    >>> from minirel.plotting import ComparisonDisplay
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=species)
    >>> display = ComparisonDisplay.from_estimator(model)
    >>> display.before.n_represented[1], display.after.n_represented[1]
    (2, 3)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        before: Audit,
        after: Audit,
        *,
        costs: tuple[float, float] | None = None,
        names: tuple[str, str] = ("before", "after"),
    ) -> None:
        self.before = before
        self.after = after
        self.costs = costs
        self.names = names

    @classmethod
    def from_estimator(
        cls, model: FittedModel, *, axes: "Sequence[Axes] | None" = None
    ) -> "ComparisonDisplay":
        """Compare a fitted model with the nearest of its first centers: k-means after a warm start.

        Parameters
        ----------
        model : MiniReL
            A fitted estimator.
        axes : sequence of 2 Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        ComparisonDisplay
            What was drawn.
        """
        result = result_of(model)
        start, weights = result.trace.start, result.weights
        costs = float(weights.times(start.cost).sum()), result.cost
        names = ("k-means" if result.starts_from_kmeans else "nearest first center", "fair")
        return cls(result.before, result.audit, costs=costs, names=names).plot(axes)

    @classmethod
    def from_predictions(
        cls,
        before: object,
        after: object,
        sensitive_features: object,
        *,
        costs: tuple[float, float] | None = None,
        names: tuple[str, str] = ("before", "after"),
        axes: "Sequence[Axes] | None" = None,
        **asked: Unpack[Asked],
    ) -> "ComparisonDisplay":
        """Compare any two clusterings of the same points.

        Parameters
        ----------
        before, after : list, 1-d array or Series
            Cluster of each point.
        sensitive_features : column, table or Groups
            As in `minirel.audit`.
        costs : (float, float), optional
            Costs of the two.
        names : (str, str), default=("before", "after")
            What to call them.
        axes : sequence of 2 Axes, optional
            Where to draw; a new figure if None.
        **asked : dict
            The promises, `sample_weight` and what else `minirel.audit` takes.

        Returns
        -------
        ComparisonDisplay
            What was drawn.
        """
        audits = [audit(labels, sensitive_features, **asked) for labels in (before, after)]
        return cls(*audits, costs=costs, names=names).plot(axes)

    def plot(self, axes: "Sequence[Axes] | None" = None) -> "ComparisonDisplay":
        """Draw.

        Parameters
        ----------
        axes : sequence of 2 Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        ComparisonDisplay
            This display.
        """
        check_groups(self.before)
        if self.before.groups != self.after.groups:
            raise ValueError(
                f"before and after must have the same groups, but have {self.before.groups} and "
                f"{self.after.groups}: audit both with the same sensitive_features"
            )
        n_groups = len(self.before.groups)
        if axes is None:
            axes = new_axes(10.5, float(np.clip(1.9 + 0.45 * n_groups, 3.2, 16)), columns=2)[0]
        self.axes_ = np.array(axes, dtype=object).ravel()
        if len(self.axes_) != 2:
            found = f"are {len(self.axes_)}"
            raise ParameterValueError("axes", "must be 2, one per clustering", axes, found=found)
        self.figure_ = figure_of(self.axes_[0])
        self.bars_: list[BarContainer] = []
        names = [wrap(name, 24) for name in short_names(self.before.groups, 44)]
        reach = max(
            *self.before.n_represented, *self.after.n_represented, *self.before.beta, *self.after.beta
        )
        for side, (ax, result) in enumerate(zip(self.axes_, (self.before, self.after), strict=True)):
            self._draw(ax, result)
            # Room for what is written behind the longest bar.
            ax.set_xlim(0, 1.4 * max(reach, 1))
            ax.set_yticks(range(n_groups))
            literal(*ax.set_yticklabels(names if side == 0 else [""] * n_groups))
            show_title(ax, self._title(side))
        return self

    def _draw(self, ax: "Axes", result: Audit) -> None:
        from matplotlib.ticker import MaxNLocator

        y = np.arange(len(result.groups))
        is_short = [lacks > 0 for lacks in result.n_lacking]
        bars = ax.barh(
            y,
            result.n_represented,
            0.62,
            color=[style.pale(style.BROKEN) if broken else style.KEPT for broken in is_short],
            edgecolor=[style.BROKEN if broken else style.KEPT for broken in is_short],
            hatch=[style.BROKEN_HATCH if broken else "" for broken in is_short],
            zorder=2,
        )
        self.bars_.append(bars)
        for g, (has, promised, lacks) in enumerate(
            zip(result.n_represented, result.beta, result.n_lacking, strict=True)
        ):
            ax.annotate(
                f"{has}, lacks {lacks}" if lacks else f"{has}",
                (max(has, promised), g),
                (7, 0),
                textcoords="offset points",
                va="center",
                weight="bold" if lacks else "normal",
            )
            if promised:
                ax.vlines(promised, g - 0.4, g + 0.4, color=style.DARK, linewidth=3, zorder=3)
        ax.set_ylim(len(y) - 0.4, -0.6)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_axisbelow(True)
        ax.grid(axis="x", color="#DDDDDD", linewidth=0.8)
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right"]].set_visible(False)
        asked = " (line: promised)" if any(result.beta) else ""
        ax.set_xlabel(f"clusters that represent the group{asked}")

    def _title(self, side: int) -> str:
        """Name, cost and how many promises are kept."""
        result, lines = (self.before, self.after)[side], [short(self.names[side], _LONGEST_TITLE)]
        if self.costs is not None:
            first, cost = self.costs[0], self.costs[side]
            lines[0] += f": cost {amount(cost)}{_change(first, cost) if side else ''}"
        said = _kept(result)
        return "\n".join([*lines, said] if said else lines)


def _kept(result: Audit) -> str:
    """How many promises are kept; sizes are told apart, as the bars are about groups."""
    are_wrong = result.too_small.any(), result.too_large.any()
    n_sizes = any(result.min_size) + any(size < np.inf for size in result.max_size)
    promised = n_promises(result) - n_sizes
    kept = promised - (n_broken(result) - sum(map(bool, are_wrong)))
    groups = f"{kept} of {promised} promises{' to groups' if n_sizes else ''} kept" if promised else ""
    sizes = f"sizes {'not ' if any(are_wrong) else ''}as asked" if n_sizes else ""
    return ", ".join(filter(None, (groups, sizes)))


def _change(first: float, cost: float) -> str:
    if first <= 0:
        return ""
    return " (same within 0.01%)" if abs(cost / first - 1) < 1e-4 else f" ({growth(cost, first)})"
