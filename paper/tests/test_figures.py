"""Pictures: what is in the table is in them, the same table gives the same bytes."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Rectangle

from paper.experiments import EXPERIMENTS
from paper.figures import as_png, as_svg, draw
from paper.results import Results
from paper.tests.world import World, results_of

FIGURES = {(e.name, f.name): (f.kind, f.over_seeds) for e in EXPERIMENTS.values() for f in e.figures}
WAYS = {way: names for names, way in FIGURES.items()}  # one figure for each way to draw
KINDS = [("times", "times"), ("representation", "represented")]
BOTH = ("certified", "highs")
QUICK = results_of(World(paper_is_right=True), quick=True, solvers=BOTH)


def on_iris(experiment: str) -> pd.DataFrame:
    """What one panel shows: many of them take long to draw."""
    table = QUICK.tables[experiment]
    return table[table["data"] == "iris"]


@pytest.fixture(scope="module")
def whole() -> Results:
    return results_of(World(paper_is_right=True), solvers=BOTH)


def figure_of(experiment: str, name: str):
    (figure,) = (f for f in EXPERIMENTS[experiment].figures if f.name == name)
    return figure


def picture_of(experiment: str, name: str, table: pd.DataFrame, **changed) -> Picture:
    return draw(replace(figure_of(experiment, name), **changed), EXPERIMENTS[experiment], table)


def words(picture: Picture) -> list[str]:
    root = ElementTree.fromstring(as_svg(picture))
    return [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]


def a_table(seconds: dict[tuple[str, str], list[list[float]]], **more) -> pd.DataFrame:
    """Rows of data iris: by method and solver, for K = 4, 5, ... the seconds of each seed."""
    rows = [
        {"data": "iris", "points": 150, "method": method, "solver": solver, "n_clusters": k, "seed": seed}
        | {"seconds": value, "cost": value, "stopped": "converged"}
        | more
        for (method, solver), by_k in seconds.items()
        for k, by_seed in enumerate(by_k, start=4)
        for seed, value in enumerate(by_seed)
    ]
    return pd.DataFrame(rows)


def drawn(picture: Picture) -> dict[str, list]:
    """All lines of the first panel by how they are drawn: joined, marks filled, marks hollow."""
    lines = picture.axes[0].get_lines()
    marks = [line for line in lines if line.get_linestyle() == "None"]
    return {
        "joined": [line for line in lines if line.get_linestyle() != "None" and len(line.get_xdata()) != 2],
        "filled": [line for line in marks if line.get_markerfacecolor() != "#FFFFFF"],
        "hollow": [line for line in marks if line.get_markerfacecolor() == "#FFFFFF"],
    }


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("experiment", "name"), [*KINDS, ("first_centers", "first_centers_time"), ("search", "search_one_fit_sp")]
)
def test_whole_figures_are_small_enough_and_well_formed(experiment: str, name: str, whole: Results) -> None:
    picture = picture_of(experiment, name, whole.tables[experiment])
    svg, png = as_svg(picture), as_png(picture)
    assert len(svg) < 60_000
    assert len(png) < 70_000
    assert png.startswith(b"\x89PNG")
    ElementTree.fromstring(svg)
    assert not re.search(rb"<script|https?://(?!www\.w3\.org/)", svg)


@pytest.mark.parametrize(("experiment", "name"), KINDS)
def test_same_table_same_bytes(experiment: str, name: str) -> None:
    # Of three panels, because it takes several for the layout to come out otherwise in its last digits.
    table = QUICK.tables[experiment]
    table = table[table["method"].isin(["k-means", "MiniReL-EqOp"]) & (table["solver"] != "highs")]
    first = picture_of(experiment, name, table)
    svg, png = as_svg(first), as_png(first)
    # Neither what was drawn before, nor the order of writing, nor anybody's settings matter.
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "svg.fonttype": "path"}):
        again = picture_of(experiment, name, table.copy())
        assert as_png(again) == png
        assert as_svg(again) == svg
    assert pyplot.get_fignums() == [], "pyplot keeps none of them"
    assert b"metadata" not in svg, "no date"


def test_means_and_standard_errors() -> None:
    table = a_table({("k-means", ""): [[1.0, 3.0], [4.0, 4.0]]})
    marks = drawn(picture_of("times", "times", table))
    assert marks["filled"][0].get_ydata().tolist() == [2, 4]
    assert not marks["hollow"]
    (bars,) = (line for line in marks["joined"] if np.isnan(line.get_ydata()).any())
    # The standard deviation is the root of 2, and there are two runs.
    assert bars.get_ydata()[:2] == pytest.approx([1, 3])
    assert bars.get_ydata()[3:5] == pytest.approx([4, 4])


def searched() -> pd.DataFrame:
    """The paper's method, for K = 4 and 5, and k-means; each costs what it takes."""
    table = a_table(
        {("k-means", ""): [[2.0, 1.0], [4.0, 4.0]], ("MiniReL-SP", "certified"): [[3.0, 2.0], [6.0, 5.0]]}
    )
    return table.assign(
        k_means_cost=table["cost"].where(table["method"] == "k-means", [0] * 4 + [2, 1, 4, 4])
    )


def test_prices_of_best_runs_in_percent() -> None:
    picture = picture_of("search", "search_price_sp", searched())
    marks = drawn(picture)
    (line,) = marks["filled"]
    assert line.get_ydata().tolist() == pytest.approx([100, 25])
    assert not [line for line in marks["joined"] if np.isnan(line.get_ydata()).any()]
    assert "% above k-means, best runs" in words(picture)
    assert "k-means" not in words(picture), "it is the line at 0"
    assert any(set(line.get_ydata()) == {0} for line in picture.axes[0].get_lines())


def test_one_fit_is_compared_with_the_cheapest_k_means() -> None:
    picture = picture_of("search", "search_one_fit_sp", searched())
    marks = drawn(picture)
    assert marks["filled"][0].get_ydata().tolist() == pytest.approx([150, 37.5])
    (bars,) = (line for line in marks["joined"] if np.isnan(line.get_ydata()).any())
    assert bars.get_ydata()[:2] == pytest.approx([100, 200])
    assert "% above k-means, mean of seeds" in words(picture)


def test_methods_that_are_not_of_a_figure_are_not_drawn() -> None:
    shown = words(picture_of("search", "search_price_eqop", on_iris("search")))
    assert {"MiniReL-EqOp", "MiniReL-EqOp, search", "MiniReL-EqOp, 30 swaps"} <= {*shown}
    assert not [word for word in shown if "SP" in word]


def test_one_seed_has_no_error_bar() -> None:
    marks = drawn(picture_of("times", "times", a_table({("k-means", ""): [[1.0], [2.0], [3.0]]})))
    assert not [line for line in marks["joined"] if np.isnan(line.get_ydata()).any()]


def test_best_is_the_run_of_least_cost() -> None:
    table = a_table({("k-means", ""): [[5.0, 3.0]]})
    table["seconds"] = [1.0, 9.0]
    picture = picture_of("times", "times", table, over_seeds="best")
    assert drawn(picture)["filled"][0].get_ydata().tolist() == [9]
    assert "seconds, run of least cost" in words(picture)


def test_stopped_runs_are_hollow_and_the_limit_is_drawn() -> None:
    table = a_table({("prefix", "certified"): [[1.0, 1.0], [2.0, 60.0], [60.0, 60.0]]}, time_limit=60.0)
    table.loc[table["seconds"] == 60, "stopped"] = "time_limit"
    picture = picture_of("full_program", "full_program_time", table)
    marks = drawn(picture)
    assert marks["filled"][0].get_ydata().tolist() == [1]
    assert marks["hollow"][0].get_ydata().tolist() == [31, 60]
    said = words(picture)
    assert "time limit, 60 s" in said
    assert "hollow: stopped by the time limit" in said
    dotted = [line for line in picture.axes[0].get_lines() if line.get_linestyle() == ":"]
    assert [list(line.get_ydata()) for line in dotted] == [[60, 60]]
    # It is a limit of time, not of cost.
    assert "time limit, 60 s" not in words(picture_of("full_program", "full_program_cost", table))


def test_every_line_has_its_own_marker_and_dash() -> None:
    picture = picture_of("first_centers", "first_centers_time", on_iris("first_centers"))
    (legend,) = picture.legends
    handles = legend.legend_handles
    assert len(handles) == 8
    assert len({handle.get_marker() for handle in handles}) == 8
    assert len({str(handle._dash_pattern) for handle in handles}) == 8
    assert {"k-means, best of 100", "k-means, best of 100, highs"} <= set(words(picture))
    assert not [ax.get_legend() for ax in picture.axes if ax.get_legend()]


def test_panels_say_what_they_show() -> None:
    said = words(picture_of("times", "times", QUICK.tables["times"]))
    assert {"iris (150 points)", "adult (2,000 points)", "default (2,000 points)"} <= set(said)
    assert said.count("number of clusters") == 3


@pytest.mark.some(len(WAYS))
@pytest.mark.parametrize(("experiment", "name"), dict.fromkeys([*WAYS.values(), *FIGURES]))
def test_partial_tables(experiment: str, name: str) -> None:
    table = QUICK.tables[experiment]
    some = table.sample(20, random_state=0).sort_index()
    for part in (table.iloc[:1], some):
        assert as_svg(picture_of(experiment, name, part)).startswith(b"<svg")
    assert words(picture_of(experiment, name, table.iloc[:0])) == ["No run of this experiment is done yet."]


def represented(counts: dict[str, list[int]], promised: dict[str, list[int]]) -> pd.DataFrame:
    rows = [
        {"data": "iris", "points": 150, "method": method, "n_clusters": 8, "seed": 0, "cost": 1.0}
        | {"solver": "" if method == "k-means" else "certified", "group": group, "represented": count}
        | {"promised": promised.get(method, [0, 0, 0, 0])[g]}
        for method, by_group in counts.items()
        for g, (group, count) in enumerate(zip("abcd", by_group, strict=True))
    ]
    return pd.DataFrame(rows)


def test_represented_marks_what_k_means_lacks() -> None:
    table = represented(
        {"k-means": [0, 1, 3, 4], "MiniReL-SP": [2, 2, 2, 2], "MiniReL-EqOp": [1, 1, 4, 1]},
        {"MiniReL-SP": [2, 2, 2, 2], "MiniReL-EqOp": [1, 1, 4, 1]},
    )
    picture = picture_of("representation", "represented", table)
    said = words(picture)
    blocks = [text for text in said if text.startswith(("k-means", "MiniReL", "β"))]
    assert blocks[:5] == [
        "k-means",
        "β (statistical parity)",
        "MiniReL-SP",
        "β (equality of opportunity)",
        "MiniReL-EqOp",
    ]
    # Group a lacks by both notions, b by parity only, c by opportunity only, d by none.
    frames = {
        round(patch.get_y() + 0.42): patch
        for patch in picture.axes[0].patches
        if isinstance(patch, Rectangle) and patch.get_width() < 1
    }
    assert set(frames) == {0, 1, 2}
    assert len({str(patch._dash_pattern) for patch in frames.values()}) == 3, "told apart without colour"
    assert [text for text in said if "fewer" in text] == [
        "k-means: fewer than both promise",
        "k-means: fewer than statistical parity promises",
        "k-means: fewer than equality of opportunity promises",
    ]
    cells = [(text.get_position(), text.get_text()) for text in picture.axes[0].texts]
    assert ((0, 3), "4") in cells
    assert ((0, 4), "2") in cells, "below k-means comes what parity promises"


def test_represented_is_of_the_best_run_and_names_the_other_solver() -> None:
    table = represented({"k-means": [0, 0, 0, 8], "MiniReL-SP": [2, 2, 2, 2]}, {"MiniReL-SP": [2, 2, 2, 2]})
    better = table.assign(seed=1, cost=0.5)
    better.loc[better["method"] == "k-means", "represented"] = 5
    highs = table[table["solver"] == "certified"].assign(solver="highs", represented=7)
    picture = picture_of("representation", "represented", pd.concat([table, better, highs]))
    numbers = {text.get_position()[1]: text.get_text() for text in picture.axes[0].texts[1:5]}
    assert list(numbers.values()) == ["5", "5", "5", "5"]
    assert "MiniReL-SP, highs" in words(picture)
    assert words(picture).count("β (statistical parity)") == 1


@pytest.mark.parametrize(("experiment", "name"), KINDS)
def test_names_are_shown_as_they_are(experiment: str, name: str) -> None:
    table = on_iris(experiment).replace({"data": {"iris": r"$\frac{a$ <b>&"}, "group": {"setosa": "_$x$"}})
    said = words(picture_of(experiment, name, table))
    assert any(text.startswith(r"$\frac{a$ <b>& (150") for text in said)
    if experiment == "representation":
        assert "_$x$" in said
