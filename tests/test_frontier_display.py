"""Pictures of a frontier."""

import matplotlib as mpl

mpl.use("Agg")

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris

from minirel import Frontier, frontier
from minirel.plotting import FrontierDisplay, style

X, SPECIES = (part[::3] for part in load_iris(return_X_y=True))
NAMES = np.array(["$x$", "_hidden", "two\nlines"])[SPECIES]


@pytest.fixture(scope="module")
def found() -> Frontier:
    return frontier(
        X,
        NAMES,
        n_clusters=[3, 4],
        alpha=[0.5, {"_hidden": 0.75}],
        beta=[{"_hidden": 1}, {"_hidden": 2}, {"_hidden": 4}],
        random_state=0,
    )


@pytest.fixture(autouse=True)
def _no_leaks() -> Iterator[None]:
    yield
    plt.close("all")


def test_curves(found: Frontier) -> None:
    display = FrontierDisplay.from_frontier(found, n_clusters=4, budget=0.05)
    table = found.to_frame()
    assert display.rows_ == [[6, 7, 8], [9, 10, 11]]
    for line, rows in zip(display.lines_, display.rows_, strict=True):
        kept = [i for i in rows if table.feasible[i]]
        np.testing.assert_allclose(line.get_ydata(), table.price[kept])
        assert line.get_xdata().tolist() == [table.promised[i]["_hidden"] for i in kept]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts[:2] == ["at least 50%", "at least _hidden 75%"]
    assert "cannot be kept" in texts
    assert "5.0% more" in texts
    assert display.ax_.get_title(loc="left").endswith("4 clusters")
    display.figure_.canvas.draw()


def test_the_curve_joins_the_cheapest_of_each_number() -> None:
    beta = [{"_hidden": 2}, {"$x$": 1, "_hidden": 1}, {"_hidden": 1}]
    some = frontier(X, NAMES, n_clusters=4, alpha=0.75, beta=beta, random_state=0)
    display = FrontierDisplay.from_frontier(some)
    prices = some.prices
    assert prices[0] != prices[1]
    assert display.lines_[0].get_xdata().tolist() == [1, 2]
    assert display.lines_[0].get_ydata().tolist() == [prices[2], min(prices[:2])]
    drawn = {tuple(point) for line in display.ax_.lines for point in line.get_xydata()}
    assert {(2, prices[0]), (2, prices[1])} <= drawn


def test_map(found: Frontier) -> None:
    display = FrontierDisplay.from_frontier(found, kind="map", budget=10)
    table = found.to_frame()
    best = set(found.best_within(10))
    for rows, cells in zip(display.rows_, display.cells_, strict=True):
        for i, cell in zip(rows, cells, strict=True):
            assert bool(cell.get_hatch()) == (not table.feasible[i])
            is_marked = mpl.colors.to_hex(cell.get_edgecolor()) == style.BROKEN.lower()
            assert is_marked == (i in best)
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["50%", "_hidden 75%"]
    display.figure_.canvas.draw()


def test_given_axes_and_bad_input(found: Frontier) -> None:
    figure, axes = plt.subplots(1, 2)
    for ax, kind in zip(axes, ("curves", "map"), strict=True):
        assert FrontierDisplay(found, n_clusters=3).plot(ax, kind=kind).figure_ is figure
    with pytest.raises(ValueError, match="n_clusters must be one of those that were asked for, but is 9"):
        FrontierDisplay.from_frontier(found, n_clusters=9)
    with pytest.raises(ValueError, match="kind must be one of 'curves', 'map'"):
        FrontierDisplay.from_frontier(found, kind="pie")
    for kind in ("curves", "map"):
        for budget in (-1, float("nan")):
            with pytest.raises(ValueError, match="budget must be a share of at least 0"):
                FrontierDisplay.from_frontier(found, kind=kind, budget=budget)
        with pytest.raises(TypeError, match=r"budget must be a share of at least 0, .* but is '2%'"):
            FrontierDisplay.from_frontier(found, kind=kind, budget="2%")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="found must be a Frontier"):
        FrontierDisplay.from_frontier(3)  # type: ignore[arg-type]
