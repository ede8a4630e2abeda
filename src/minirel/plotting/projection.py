"""The points in a plane: their clusters, the centers, and who is not with the nearest one."""

from typing import TYPE_CHECKING, Union

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.data import ArrayOrSparse
from minirel.clustering.objectives import Matrix
from minirel.outcome.plane import CLUSTER, choose, plane, share_colours
from minirel.outcome.result import FittedModel
from minirel.plotting import style
from minirel.plotting.canvas import figure_of, new_axes, show_legend, show_title
from minirel.plotting.names import literal, short
from minirel.points.errors import ParameterValueError

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection


_MOST_NAMED = 12  # clusters that the legend lists
_MOST_RINGS = 100
_MANY_POINTS = 1_000  # from which on marks have no edges, and heaps are drawn
_CELLS = 150  # across and up, in which points make a heap
_LARGEST = 400.0  # area of a heap, in square points
_LONGEST_AXIS = 60


class ProjectionDisplay:
    """Points in the plane, by cluster, with rings around some that fairness moved.

    Clusters differ in colour and marker, and their centers carry their numbers; clusters that share a colour
    are far apart. Rings are around points that are not in the cluster of their nearest center, a hundred at
    most, so that they hide nothing. Where there are many points, those that lie on top of each other are one
    mark, the larger the more they are.

    Parameters
    ----------
    points : ndarray of shape (n_shown, 2)
        Where the points are.
    labels : ndarray of shape (n_shown,)
        Cluster of each.
    moved : ndarray of bool of shape (n_shown,)
        Whether it is not with its nearest center.
    centers : ndarray of shape (n_clusters, 2)
        Where the centers are.
    axis_names : (str, str)
        What the two axes are.
    n_points, n_moved : int, optional
        How many there are in all, if not all of them are shown.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    points_ : list of PathCollection
        Points of each cluster, or heaps of them.
    rings_ : PathCollection
        Rings around moved ones.
    centers_ : PathCollection
        The centers.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL
    >>> from minirel.plotting import ProjectionDisplay
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=species)
    >>> display = ProjectionDisplay.from_estimator(model, X)
    >>> int(display.moved.sum())
    61
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        points: Matrix,
        labels: NDArray[np.integer],
        moved: NDArray[np.bool_],
        centers: Matrix,
        *,
        axis_names: tuple[str, str],
        n_points: int | None = None,
        n_moved: int | None = None,
    ) -> None:
        self.points = points
        self.labels = labels
        self.moved = moved
        self.centers = centers
        self.axis_names = axis_names
        self.n_points = n_points
        self.n_moved = n_moved

    @classmethod
    def from_estimator(
        cls, model: FittedModel, X: ArrayOrSparse, *, max_points: int = 5_000, ax: Union["Axes", None] = None
    ) -> "ProjectionDisplay":
        """Draw a fitted model: two features as they are, more on their two principal components.

        Parameters
        ----------
        model : MiniReL
            A fitted estimator.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The points that it was fitted to.
        max_points : int, default=5000
            Largest number of points to draw. If there are more, as many are drawn at random, always the
            same ones, so that what is seen stands for all of them.
        ax : Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        ProjectionDisplay
            What was drawn.
        """
        if max_points < 1:
            raise ParameterValueError("max_points", "must be at least 1", max_points)
        drawn = plane(model, X, max_points=max_points)
        across, up = (short(name, _LONGEST_AXIS) for name in drawn.axis_names)
        display = cls(
            drawn.points,
            drawn.labels,
            drawn.moved,
            drawn.centers,
            axis_names=(across, up),
            n_points=drawn.n_points,
            n_moved=drawn.n_moved,
        )
        return display.plot(ax)

    def plot(self, ax: Union["Axes", None] = None) -> "ProjectionDisplay":
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure if None, whose axes have the same scale. The legend is to its right,
            so leave room there, use ``layout="constrained"``, or save with ``bbox_inches="tight"``.

        Returns
        -------
        ProjectionDisplay
            This display.
        """
        if ax is None:
            ax = new_axes(8.5, 5.4)[0, 0]
            if self.axis_names[1] != CLUSTER:
                ax.set_aspect("equal", adjustable="datalim")
        self.ax_, self.figure_ = ax, figure_of(ax)
        n_clusters = len(self.centers)
        n_shown, colours = len(self.points), share_colours(self.centers, len(style.COLOURS))
        size, is_dense = float(np.clip(6_000 / max(n_shown, 1), 7, 34)), n_shown > _MANY_POINTS
        # A fine grid over all of them, so that only points on top of each other make a heap.
        cell = np.maximum(np.ptp(self.points, axis=0) / _CELLS, 1e-300) if n_shown else np.ones(2)
        self.points_: list[PathCollection] = []
        for k in range(n_clusters):
            places = self.points[self.labels == k]
            sizes = np.full(len(places), size)
            if is_dense and len(places):
                places, heaps = _heaped(places, cell)
                sizes = np.minimum(size * heaps, _LARGEST)
            dots = ax.scatter(
                places[:, 0],
                places[:, 1],
                s=sizes,
                marker=style.marker(k),
                color=style.colour(colours[k]),
                edgecolors="none" if is_dense else "#555555",
                linewidths=0.3,
                alpha=0.7 if is_dense else 0.85,
                rasterized=n_shown > 1_000,
            )
            self.points_.append(dots)
        ringed = np.flatnonzero(self.moved)
        ringed = ringed[choose(len(ringed), _MOST_RINGS)]
        self.rings_ = ax.scatter(
            self.points[ringed, 0],
            self.points[ringed, 1],
            s=1.5 * size + 14,
            facecolors="none",
            edgecolors=style.DARK,
            linewidths=0.7,
            zorder=3,
        )
        is_many = n_clusters > _MOST_NAMED
        self.centers_ = ax.scatter(
            self.centers[:, 0],
            self.centers[:, 1],
            s=130 if is_many else 210,
            facecolors="#FFFFFF",
            edgecolors=style.DARK,
            linewidths=1.6,
            zorder=4,
        )
        for k, (x, y) in enumerate(self.centers.tolist()):
            font = "x-small" if is_many else "small"
            ax.text(x, y, str(k), ha="center", va="center", size=font, weight="bold", zorder=5, clip_on=True)
        entries: list[tuple[Artist, str]] = [(self.centers_, "center of a cluster")]
        if len(ringed):
            some = "some of the moved:" if len(ringed) < self.moved.sum() else "moved:"
            entries.append((self.rings_, f"{some} not with\nthe nearest center"))
        if not is_many:
            entries += [(dots, f"cluster {k}") for k, dots in enumerate(self.points_)]
        self.legend_ = show_legend(ax, entries)
        literal(ax.set_xlabel(self.axis_names[0]), ax.set_ylabel(self.axis_names[1]))
        show_title(ax, self._title())
        ax.spines[["top", "right"]].set_visible(False)
        return self

    def _title(self) -> str:
        shown, shown_moved = len(self.points), int(self.moved.sum())
        n_points = shown if self.n_points is None else self.n_points
        n_moved = shown_moved if self.n_moved is None else self.n_moved
        is_, their = ("is", "its") if n_moved == 1 else ("are", "their")
        told = f"{n_moved:,} of {n_points:,} points {is_} not with {their} nearest center"
        if shown < n_points:
            told += f"\n(drawn: {shown:,} points, {shown_moved:,} of them moved)"
        return told


def _heaped(places: Matrix, cell: NDArray[np.float64]) -> tuple[Matrix, NDArray[np.intp]]:
    """Points as heaps of those that share a cell of the plane: where they are, and how many."""
    _, heap, size = np.unique(np.floor(places / cell), axis=0, return_inverse=True, return_counts=True)
    sums = [np.bincount(heap.ravel(), axis, len(size)) for axis in places.T]
    return np.column_stack(sums) / size[:, None], size
