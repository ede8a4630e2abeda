"""The points in a plane: their clusters, the centers, and who is not with the nearest one."""

from typing import TYPE_CHECKING, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from minirel.clustering.data import ArrayOrSparse, read_X
from minirel.clustering.objectives import LocalData, Matrix, dense
from minirel.outcome.result import FittedModel, result_of
from minirel.plotting import style
from minirel.plotting.canvas import figure_of, new_axes, show_legend, show_title
from minirel.plotting.names import literal, short
from minirel.points.errors import ParameterValueError
from minirel.points.percent import floored

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection


_MOST_NAMED = 12  # clusters that the legend lists
_MOST_VALUES = 10_000_000  # up to which sparse data is made dense
_CLUSTER = "cluster"
_MOST_MOVED = 0.5  # share of the points drawn that moved ones may take up if others are left out for them


class ProjectionDisplay:
    """Points in the plane, by cluster, with rings around those that fairness moved.

    Clusters differ in colour and marker, and their centers carry their numbers. A ring is around every point
    that is not in the cluster of its nearest center.

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
        Points of each cluster.
    rings_ : PathCollection
        Rings around the moved ones.
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
            Largest number of points to draw. If there are more, some are drawn, always the same: moved
            points first, up to half of them.
        ax : Axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        ProjectionDisplay
            What was drawn.
        """
        result = result_of(model)
        if max_points < 1:
            raise ParameterValueError("max_points", "must be at least 1", max_points)
        points, labels = read_X(model, X, result.objective, reset=False), result.labels
        n = points.shape[0]
        if n != len(labels):
            found = f"has {n} rows for {len(labels)} labels"
            raise ParameterValueError("X", "must be the points that the model was fitted to", X, found=found)
        moved = labels != result.trace.end.labels
        chosen = _choose(moved, max_points)
        names = getattr(model, "feature_names_in_", None)
        places, centers, axis_names = _project(points, result.centers, labels, names)
        display = cls(
            places[chosen],
            labels[chosen],
            moved[chosen],
            centers,
            axis_names=axis_names,
            n_points=n,
            n_moved=int(moved.sum()),
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
            if self.axis_names[1] != _CLUSTER:
                ax.set_aspect("equal", adjustable="datalim")
        self.ax_, self.figure_ = ax, figure_of(ax)
        n_clusters = len(self.centers)
        size = float(np.clip(6_000 / max(len(self.points), 1), 7, 34))
        self.points_: list[PathCollection] = []
        for k in range(n_clusters):
            x, y = self.points[self.labels == k].T
            dots = ax.scatter(
                x,
                y,
                s=size,
                marker=style.marker(k),
                color=style.colour(k),
                edgecolors="#555555",
                linewidths=0.3,
                alpha=0.85,
                rasterized=len(self.points) > 1_000,
            )
            self.points_.append(dots)
        self.rings_ = ax.scatter(
            self.points[self.moved, 0],
            self.points[self.moved, 1],
            s=2.2 * size + 16,
            facecolors="none",
            edgecolors=style.DARK,
            linewidths=0.9,
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
        if self.moved.any():
            entries.append((self.rings_, "moved: not with the\nnearest center"))
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
        told = f"{n_moved:,} of {n_points:,} points are not with their nearest center"
        if shown < n_points:
            told += f"\n(drawn: {shown:,} points, {shown_moved:,} of them moved)"
        return told


def _choose(moved: NDArray[np.bool_], max_points: int) -> NDArray[np.intp]:
    """Points to draw, in their own order: the same for the same data."""
    if len(moved) <= max_points:
        return np.arange(len(moved))
    chance = np.random.default_rng(0)
    some, others = np.flatnonzero(moved), np.flatnonzero(~moved)
    # As many moved ones as are allowed, and more where there are too few others.
    n_moved = min(len(some), max(round(_MOST_MOVED * max_points), max_points - len(others)))
    some = chance.choice(some, n_moved, replace=False)
    others = chance.choice(others, max_points - n_moved, replace=False)
    return np.sort(np.concatenate([some, others]))


def _project(
    X: LocalData, centers: Matrix, labels: NDArray[np.integer], names: NDArray[np.object_] | None
) -> tuple[Matrix, Matrix, tuple[str, str]]:
    """Points and centers in the plane, and what its axes are."""
    n, n_features = X.shape
    if not isinstance(X, np.ndarray) and (n_features <= 2 or n * n_features <= _MOST_VALUES):
        X = dense(X)
    if n_features <= 2 or n < 2:
        shown = [short(name, 40) for name in ([f"feature {i}" for i in (0, 1)] if names is None else names)]
        if n_features == 1 and isinstance(X, np.ndarray):
            numbers = np.arange(len(centers))
            return np.column_stack([X, labels]), np.column_stack([centers, numbers]), (shown[0], _CLUSTER)
        return np.asarray(X[:, :2]), centers[:, :2], (shown[0], shown[1])
    pca = PCA(2, random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # points that are all the same
        points = pca.fit_transform(X)
    first, second = np.nan_to_num(pca.explained_variance_ratio_)
    told = (
        f"first principal component ({floored(first)})",
        f"second principal component ({floored(second)} of variance)",
    )
    return np.asarray(points), np.asarray(pca.transform(centers)), told
