"""Draw the pictures of the README and of the home page: ``python docs/pictures.py``.

The town is that of ``minirel demo``: k-means on the left, the fair wards on the right, on paper and on black.
"""

from pathlib import Path
from textwrap import fill

import matplotlib
import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.cluster import KMeans

from minirel import MiniReL, audit, explain
from minirel.cli.demo import town

IMAGES = Path(__file__).parent / "images"
WARDS, PROMISED, SMALLEST, SWAPS = 7, 2, 50, 30

# Of the land: wards in which tenants are the majority, all others, and the ink on both.
LIGHT = {
    "tenants": "#d9480f",
    "owners": "#7b8794",
    "held": "#ffd8c2",
    "plain": "#eef1f5",
    "ink": "#1f2933",
    "line": "#ffffff",
}
DARK = {
    "tenants": "#ff8a5c",
    "owners": "#8b98a5",
    "held": "#5c2a13",
    "plain": "#232a33",
    "ink": "#f0f3f6",
    "line": "#0d1117",
}


def wards() -> tuple[NDArray[np.float64], NDArray[np.str_], list[tuple[str, NDArray[np.intp]]]]:
    """Where households live, how, and the wards of k-means and of minirel."""
    X, tenure = town()
    plain = KMeans(WARDS, n_init=10, random_state=0).fit(X)
    fair = MiniReL(WARDS, beta=PROMISED, min_size=SMALLEST, n_swaps=SWAPS, random_state=0)
    fair.fit(X, sensitive_features=tenure)
    why = explain(fair)
    told = []
    for name, labels in (
        ("k-means", plain.labels_),
        (f"minirel, {why.cost / why.start_cost - 1:.0%} less compact", fair.labels_),
    ):
        seen = audit(labels, tenure, beta=PROMISED)
        n = seen.n_represented[list(seen.groups).index("rents")]
        told.append((f"{name}:\ntenants are the majority in {n} of {WARDS} wards", labels))
    return X, np.array(tenure), told


def draw(
    ax: Axes,
    X: NDArray[np.float64],
    tenure: NDArray[np.str_],
    labels: NDArray[np.intp],
    style: dict[str, str],
) -> None:
    """One map: land belongs to the ward of the nearest household, as far as people live."""
    low, high = X.min(axis=0) - 0.6, X.max(axis=0) + 0.6
    across, up = np.linspace(low[0], high[0], 900), np.linspace(low[1], high[1], 760)
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    far, near = cKDTree(X).query(grid)
    ward = np.where(far < 0.55, labels[near], -1)
    rents = tenure == "rents"
    for k in range(WARDS):
        share = rents[labels == k].mean()
        fill = style["held" if share > 0.5 else "plain"]
        ax.contourf(across, up, ward == k, levels=[0.5, 1.5], colors=[fill])
        ax.contour(across, up, ward == k, levels=[0.5], colors=[style["line"]], linewidths=1.6)
    ax.scatter(*X[~rents].T, s=6, c=style["owners"], linewidths=0)
    ax.scatter(*X[rents].T, s=9, c=style["tenants"], linewidths=0)
    for k in range(WARDS):
        share = rents[labels == k].mean()
        text = ax.text(
            *np.median(X[labels == k], axis=0),
            f"{int(100 * share)}%",
            ha="center",
            va="center",
            size=15 if share > 0.5 else 11,
            weight="bold",
            color=style["ink"],
        )
        halo = style["held" if share > 0.5 else "plain"]
        text.set_path_effects([patheffects.withStroke(linewidth=4, foreground=halo)])
    ax.set_aspect("equal")
    ax.axis("off")


def main() -> None:
    """Write both pictures into docs/images."""
    matplotlib.use("agg")
    X, tenure, told = wards()
    renting = f"{(tenure == 'rents').mean():.1%}"
    caption = f"{len(X)} households; tenants (orange) are {renting} of the town, and of each ward as written"
    for name, style in (("light", LIGHT), ("dark", DARK)):
        for shape, rows, columns, size in (("town", 1, 2, (10, 4.9)), ("town-tall", 2, 1, (5, 9.4))):
            figure = Figure(figsize=size, layout="constrained")
            axes = figure.subplots(rows, columns)
            for ax, (title, labels) in zip(axes, told, strict=True):
                draw(ax, X, tenure, labels, style)
                ax.set_title(title, size=12, color=style["ink"], weight="bold")
            figure.supxlabel(fill(caption, 110 // rows), size=10, color=style["ink"])
            figure.savefig(IMAGES / f"{shape}-{name}.png", dpi=110, transparent=True)


if __name__ == "__main__":
    main()
