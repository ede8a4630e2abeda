import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import combinations, pairwise

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError

from minirel import MiniReL, audit, explain
from minirel.clustering.history import Iteration
from minirel.outcome.plane import share_colours
from minirel.plotting import (
    ComparisonDisplay,
    CompositionDisplay,
    ConvergenceDisplay,
    ProjectionDisplay,
    RepresentationDisplay,
    style,
)
from minirel.plotting.names import amount, short, short_names
from minirel.points.percent import floored

X, SPECIES = load_iris(return_X_y=True)
AWKWARD = np.array(["$x$", "_hidden", "two\nlines"])[SPECIES]
LONG = "a name that goes on and on and on until nobody remembers how it began, number "


@pytest.fixture(scope="module")
def model() -> MiniReL:
    return MiniReL(4, beta={"_hidden": 3}, random_state=0).fit(X, sensitive_features=AWKWARD)


@pytest.fixture(scope="module")
def overlapping() -> pd.DataFrame:
    return pd.DataFrame({"$a$": SPECIES != 1, "_b": SPECIES != 2, "c": X[:, 0] > 5.5})


@pytest.fixture(autouse=True)
def _no_leaks() -> Iterator[None]:
    assert not plt.get_fignums()
    yield
    plt.close("all")


def draw_all(model: MiniReL) -> list:
    return [
        RepresentationDisplay.from_estimator(model),
        CompositionDisplay.from_estimator(model),
        ComparisonDisplay.from_estimator(model),
        ConvergenceDisplay.from_estimator(model),
        ProjectionDisplay.from_estimator(model, X),
    ]


def save(figure: Figure) -> None:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=40)
    assert buffer.getvalue().startswith(b"\x89PNG")


def draw(figure: Figure) -> None:
    """All that is done to save it but for the pixels, once: for a file everything is drawn twice."""
    figure.draw_without_rendering()


def legend_texts(display) -> list[str]:
    return [text.get_text() for text in display.legend_.get_texts()]


# every display


def test_each_opens_one_figure_that_can_be_saved(model):
    displays = draw_all(model)
    assert len(plt.get_fignums()) == len(displays)
    for display in displays:
        save(display.figure_)


def test_each_draws_where_it_is_told_and_opens_nothing(model):
    figure = Figure(figsize=(12, 12), layout="constrained")
    axes = figure.subplots(3, 2).ravel()
    displays = [
        RepresentationDisplay.from_estimator(model, ax=axes[0]),
        CompositionDisplay.from_estimator(model, ax=axes[1]),
        ConvergenceDisplay.from_estimator(model, ax=axes[2]),
        ProjectionDisplay.from_estimator(model, X, ax=axes[3]),
        ComparisonDisplay.from_estimator(model, axes=axes[4:]),
    ]
    for display, ax in zip(displays[:4], axes, strict=False):
        assert display.ax_ is ax
    assert displays[4].axes_.tolist() == axes[4:].tolist()
    assert all(display.figure_ is figure for display in displays)
    assert not plt.get_fignums()
    draw(figure)


def test_subfigures_are_welcome(model):
    figure = Figure(layout="constrained")
    left, _ = figure.subfigures(1, 2)
    assert CompositionDisplay.from_estimator(model, ax=left.subplots()).figure_ is figure
    draw(figure)


@pytest.mark.parametrize("n_clusters", [1, 24])
def test_few_and_many_clusters(n_clusters):
    points, blob = make_blobs(240, n_features=3, centers=10, random_state=0)
    names = np.array([f"{LONG}{g}" for g in range(10)])[blob]
    model = MiniReL(n_clusters, alpha=0.1, beta=1, random_state=0).fit(points, sensitive_features=names)
    displays = [
        RepresentationDisplay.from_estimator(model),
        CompositionDisplay.from_estimator(model),
        ComparisonDisplay.from_estimator(model),
        ConvergenceDisplay.from_estimator(model),
        ProjectionDisplay.from_estimator(model, points),
    ]
    for display in displays:
        draw(display.figure_)
    first = displays[0]
    assert [text.get_text() for text in first.ax_.get_xticklabels()] == [str(k) for k in range(n_clusters)]
    rows = [text.get_text() for text in first.ax_.get_yticklabels()]
    assert len(rows) == len(set(rows)) == 10


@pytest.mark.parametrize("display", [RepresentationDisplay, CompositionDisplay])
def test_nothing_is_cut_off_or_runs_into_its_neighbour(display):
    rng = np.random.default_rng(0)
    labels = [f"district number {k}" for k in rng.integers(0, 40, 2000)]
    names = [f"{LONG}{g}" for g in rng.integers(0, 10, 2000)]
    drawn = display.from_predictions(labels, names)
    figure = drawn.figure_
    draw(figure)
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in drawn.ax_.get_xticklabels()]
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))
    for part in (drawn.legend_, drawn.ax_.xaxis.label):
        box = part.get_window_extent(renderer)
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert box.y0 >= 0
        assert box.y1 <= figure.bbox.y1


def test_names_are_shown_as_they_are(model, overlapping):
    representation = RepresentationDisplay.from_estimator(model)
    composition = CompositionDisplay.from_estimator(model)
    comparison = ComparisonDisplay.from_estimator(model)
    shades = CompositionDisplay.from_predictions(model.labels_, overlapping)
    starts = [text.split(":")[0] for text in legend_texts(representation)[:3]]
    assert starts == ["$x$", "_hidden", r"two\nlines"]
    assert legend_texts(composition)[:3] == [r"two\nlines", "_hidden", "$x$"]
    ticks = [comparison.axes_[0].get_yticklabels(), shades.ax_.get_yticklabels()]
    assert [[text.get_text() for text in part] for part in ticks] == [
        ["$x$", "_hidden", r"two\nlines"],
        ["$a$", "_b", "c"],
    ]
    legends = [*representation.legend_.get_texts(), *composition.legend_.get_texts()]
    for display in (representation, composition, comparison, shades):
        draw(display.figure_)
    assert not any(text.get_parse_math() for text in [*legends, *ticks[0], *ticks[1]])


def test_features_and_labels_are_shown_as_they_are():
    frame = pd.DataFrame(X[:, :2], columns=["$width", "_height$"])
    model = MiniReL(3, random_state=0).fit(frame, sensitive_features=SPECIES)
    display = ProjectionDisplay.from_estimator(model, frame)
    assert display.ax_.get_xlabel() == "$width"
    assert not display.ax_.xaxis.label.get_parse_math()
    display = RepresentationDisplay.from_predictions(np.array(["$", "$a$", "_"])[SPECIES], AWKWARD)
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["$", "$a$", "_"]
    draw(display.figure_)


def test_without_matplotlib_the_extra_is_named(model, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    calls = [
        lambda: RepresentationDisplay.from_estimator(model),
        lambda: RepresentationDisplay.from_predictions(SPECIES, AWKWARD),
        lambda: CompositionDisplay.from_estimator(model),
        lambda: ComparisonDisplay.from_estimator(model),
        lambda: ConvergenceDisplay.from_estimator(model),
        lambda: ProjectionDisplay.from_estimator(model, X),
    ]
    for call in calls:
        with pytest.raises(ImportError, match=r"pip install 'minirel\[plot\]'"):
            call()
    monkeypatch.undo()


def test_what_is_no_fitted_model_is_refused():
    with pytest.raises(NotFittedError):
        RepresentationDisplay.from_estimator(MiniReL())
    with pytest.raises(TypeError, match="is a KMeans"):
        ConvergenceDisplay.from_estimator(KMeans(2, n_init=1).fit(X))


def test_without_groups_only_the_points_and_the_cost_are_drawn():
    model = MiniReL(3, random_state=0).fit(X)
    draw(ProjectionDisplay.from_estimator(model, X).figure_)
    display = ConvergenceDisplay.from_estimator(model)
    assert "choice" not in display.ax_.get_title(loc="left")
    for kind in (RepresentationDisplay, CompositionDisplay, ComparisonDisplay):
        with pytest.raises(ValueError, match="no groups to draw"):
            kind.from_estimator(model)
    with pytest.raises(ValueError, match="no groups to draw"):
        CompositionDisplay.from_predictions(SPECIES, None)


# looks


def test_no_two_looks_are_told_apart_by_colour_alone():
    looks = range(len(style.HATCHES))
    assert len({style.hatch(i) for i in looks}) == len({style.marker(i) for i in looks}) == len(looks)
    many = range(70)
    assert len({(style.colour(i), style.hatch(i)) for i in many}) == 70
    assert len({(style.colour(i), style.marker(i)) for i in many}) == 70


def test_neighbours_and_filled_and_pale_differ_in_grey():
    light = [style.luminance(colour) for colour in style.COLOURS]
    assert len(set(style.COLOURS)) == 7
    assert all(abs(a - b) > 0.1 for a, b in pairwise(light))
    for colour in style.COLOURS:
        assert style.luminance(style.pale(colour)) > style.luminance(colour) + 0.15
        contrast = sorted([style.luminance(style.ink(colour)) + 0.05, style.luminance(colour) + 0.05])
        assert contrast[1] / contrast[0] > 3
    assert style.luminance("#000000") == 0
    assert style.luminance("#FFFFFF") == pytest.approx(1)


def test_groups_drawn_differ_in_hatch_or_marker():
    names = [f"g{i % 10}" for i in range(200)]
    bars = RepresentationDisplay.from_predictions([0] * 200, names, kind="bars")
    hatches = [container.patches[0].get_hatch() for container in bars.marks_]
    assert len(set(hatches)) == 10
    dots = RepresentationDisplay.from_predictions([0] * 200, names, kind="dots")
    shapes = [mark.get_paths()[0].vertices for mark in dots.marks_]
    assert not any(a.shape == b.shape and np.allclose(a, b) for a, b in combinations(shapes, 2))


# representation


@pytest.mark.parametrize("kind", ["bars", "dots"])
def test_marks_are_the_audit(model, kind):
    display = RepresentationDisplay.from_estimator(model, kind=kind)
    result = model.audit_
    for g, mark in enumerate(display.marks_):
        if kind == "bars":
            heights = [bar.get_height() for bar in mark]
            is_filled = [to_hex(bar.get_facecolor()).upper() == style.colour(g) for bar in mark]
        else:
            heights = mark.get_offsets()[:, 1].tolist()
            is_filled = [to_hex(colour).upper() == style.colour(g) for colour in mark.get_facecolors()]
        assert heights == result.shares[g].tolist()
        assert is_filled == result.represented[g].tolist()


def test_stars_tell_who_holds_a_cluster_and_who_does_not_count():
    labels = [0, 0, 1, 1, 2, 2, 3, 3]
    names = ["a", "a", "a", "a", "a", "a", "b", "b"]
    result = audit(labels, names, beta={"a": 1}, allowed={"a": [0, 1]})
    display = RepresentationDisplay(result, prefix=[("a", 0)]).plot()
    assert legend_texts(display)[3:] == [
        "represented, set aside for it",
        "represented besides",
        "enough, but does not count",
    ]
    x = [scatter.get_offsets()[:, 0].round().tolist() for scatter in display.ax_.collections]
    assert x == [[0], [1, 3], [2]]
    plain = RepresentationDisplay(result).plot()
    assert legend_texts(plain)[3:] == ["represented", "enough, but does not count"]


def test_threshold_is_a_line_or_a_stroke_at_each_mark():
    one = RepresentationDisplay.from_predictions(SPECIES, AWKWARD, alpha=0.3)
    assert [line.get_ydata()[0] for line in one.ax_.lines] == [0.3]
    assert "share needed: 30%" in legend_texts(one)
    alpha = {"$x$": 0.3, "_hidden": 0.51, "two\nlines": 0.705}
    each = RepresentationDisplay.from_predictions(SPECIES, AWKWARD, alpha=alpha)
    strokes = [part.get_segments() for part in each.ax_.collections if hasattr(part, "get_segments")]
    assert [{y for segment in part for y in segment[:, 1]} for part in strokes] == [{0.3}, {0.51}, {0.705}]
    assert "needs 70.5%" in legend_texts(each)[2]


def test_title_tells_whether_promises_are_kept(model):
    def title(display):
        return display.ax_.get_title(loc="left")

    assert title(RepresentationDisplay.from_estimator(model)) == (
        "Every promise is kept; 2 groups were promised nothing"
    )
    broken = RepresentationDisplay.from_predictions(SPECIES, AWKWARD, beta=2)
    assert "$x$ lacks 1 cluster, _hidden lacks 1" in title(broken).replace("\n", " ")
    assert title(broken).endswith("and 1\nmore")
    assert title(RepresentationDisplay.from_predictions(SPECIES, AWKWARD)) == (
        "Shares of the groups in each cluster"
    )


def test_bars_become_dots_when_there_are_many():
    display = RepresentationDisplay.from_predictions(np.arange(150) % 40, AWKWARD)
    assert not display.ax_.containers
    assert RepresentationDisplay.from_predictions(np.arange(150) % 20, AWKWARD).ax_.containers
    with pytest.raises(ValueError, match="kind must be one of"):
        RepresentationDisplay.from_predictions(SPECIES, AWKWARD, kind="pie")


def test_weights_count():
    weight = np.arange(150) / 10 + 0.1
    display = RepresentationDisplay.from_predictions(SPECIES % 2, AWKWARD, sample_weight=weight)
    shares = [[bar.get_height() for bar in bars] for bars in display.marks_]
    assert shares == audit(SPECIES % 2, AWKWARD, sample_weight=weight).shares.tolist()
    composition = CompositionDisplay.from_predictions(SPECIES % 2, AWKWARD, sample_weight=weight)
    shown = [text.get_text() for text in composition.sizes_]
    assert shown == [amount(weight[np.equal(SPECIES % 2, k)].sum()) for k in (0, 1)]
    weighted = MiniReL(3, beta=1, random_state=0).fit(
        X, sensitive_features=AWKWARD, sample_weight=SPECIES + 0.5
    )
    displays = draw_all(weighted)
    for drawn in displays:
        draw(drawn.figure_)
    assert displays[2].costs == pytest.approx((explain(weighted).start_cost, weighted.inertia_))


# composition


def test_disjoint_groups_are_stacked_to_the_whole(model):
    display = CompositionDisplay.from_estimator(model)
    assert display.image_ is None
    shares = np.array([[bar.get_height() for bar in bars] for bars in display.bars_])
    np.testing.assert_allclose(shares, model.audit_.shares, atol=1e-15)
    tops = [bar.get_y() + bar.get_height() for bar in display.bars_[-1]]
    np.testing.assert_allclose(tops, 1)
    assert [text.get_text() for text in display.sizes_] == [str(size) for size in model.audit_.sizes]


def test_those_in_no_group_are_left_white():
    member = np.array([[True], [False], [False], [True]])
    display = CompositionDisplay.from_predictions([0, 0, 1, 1], member)
    assert legend_texts(display)[0] == "in no group"


def test_overlapping_groups_are_shaded(overlapping):
    display = CompositionDisplay.from_predictions(SPECIES, overlapping)
    assert display.bars_ == []
    result = audit(SPECIES, overlapping)
    np.testing.assert_array_equal(display.image_.get_array(), result.shares)
    model = MiniReL(3, beta=1, random_state=0).fit(X, sensitive_features=overlapping)
    fitted = CompositionDisplay.from_estimator(model)
    np.testing.assert_array_equal(fitted.image_.get_array(), model.audit_.shares)
    many = CompositionDisplay.from_predictions(np.arange(150) % 40, overlapping)
    for drawn in (display, fitted, many):
        draw(drawn.figure_)


def test_drawing_twice_does_not_add_up(model):
    display = CompositionDisplay.from_estimator(model)
    display.plot()
    assert len(display.bars_) == 3
    assert len(display.sizes_) == 4


# comparison


def test_comparison_counts_clusters_before_and_after(model):
    display = ComparisonDisplay.from_estimator(model)
    widths = [[bar.get_width() for bar in bars] for bars in display.bars_]
    start = audit(model.result_.trace.start.labels, AWKWARD)
    assert widths == [list(start.n_represented), list(model.audit_.n_represented)]
    titles = [ax.get_title(loc="left") for ax in display.axes_]
    assert titles[0] == f"k-means: cost {amount(explain(model).start_cost)}\n0 of 1 promises kept"
    assert titles[1].startswith(f"fair: cost {amount(model.inertia_)} (+")
    assert titles[1].endswith("1 of 1 promises kept")
    # What falls short is hatched, not only of another colour.
    assert [bar.get_hatch() for bar in display.bars_[0]] == ["", style.BROKEN_HATCH, ""]


def test_only_k_means_is_called_k_means():
    model = MiniReL(3, init="random", random_state=0).fit(X, sensitive_features=SPECIES)
    assert ComparisonDisplay.from_estimator(model).names[0] == "nearest first center"


def test_comparison_of_any_two():
    labels = np.arange(150) % 3
    figure = Figure()
    display = ComparisonDisplay.from_predictions(
        labels,
        SPECIES,
        AWKWARD,
        beta=1,
        sample_weight=np.full(150, 2),
        costs=(0.0, 5.0),
        names=("$rota", "_species"),
        axes=figure.subplots(1, 2),
    )
    assert [bar.get_width() for bar in display.bars_[1]] == [1, 1, 1]
    titles = [ax.get_title(loc="left") for ax in display.axes_]
    assert titles == ["$rota: cost 0\n0 of 3 promises kept", "_species: cost 5\n3 of 3 promises kept"]
    draw(figure)
    plain = ComparisonDisplay.from_predictions(labels, SPECIES, AWKWARD)
    assert [ax.get_title(loc="left") for ax in plain.axes_] == ["before", "after"]
    same = ComparisonDisplay.from_predictions(labels, SPECIES, AWKWARD, costs=(1.0, 1.0))
    assert same.axes_[1].get_title(loc="left") == "after: cost 1 (same within 0.01%)"


def test_comparison_refuses_what_cannot_be_compared():
    before, after = audit(SPECIES, SPECIES), audit(SPECIES, AWKWARD)
    with pytest.raises(ValueError, match="the same groups"):
        ComparisonDisplay(before, after).plot()
    with pytest.raises(ValueError, match="axes must be 2"):
        ComparisonDisplay(before, before).plot([Figure().subplots()])


# convergence


def records(*gaps: float) -> list[Iteration]:
    return [
        Iteration(i + 1, 100.0 - i, (100.0 - i) * (1 - gap), gap, 0.0, 1, {}) for i, gap in enumerate(gaps)
    ]


def test_convergence_is_the_history(model):
    display = ConvergenceDisplay.from_estimator(model)
    assert display.cost_line_.get_ydata().tolist() == [record.cost for record in model.history_]
    assert display.bound_line_.get_ydata().tolist() == [record.bound for record in model.history_]
    assert display.gap_line_.get_ydata().tolist() == [record.gap for record in model.history_]
    assert "for these centers" in display.ax_.get_title(loc="left").replace("\n", " ")
    assert display.cost_line_.get_marker() != display.bound_line_.get_marker()


@pytest.mark.parametrize("gaps", [(0.0,), (0.5,), (1e-2, 0.0, 1e-6), (1e-14, 1e-15), (np.inf, 1e-3)])
def test_convergence_of_any_gap(gaps):
    display = ConvergenceDisplay(records(*gaps)).plot()
    draw(display.figure_)
    ticks = [text.get_text() for text in display.gap_ax_.get_yticklabels()]
    assert ticks[0] == "0%"
    assert len(ticks) <= 5


def test_convergence_tells_what_is_proven():
    def title(*gaps: float, **options: str) -> str:
        told = (
            ConvergenceDisplay(records(*gaps), **options).plot(Figure().subplots()).ax_.get_title(loc="left")
        )
        return told.replace("\n", " ")

    assert title(0.5, 0.0) == (
        "Cost 99 after 2 iterations Proven optimal for these centers and this choice of clusters"
    )
    assert "within 0.010% of the best for these centers" in title(1e-4, covers="free")
    assert "choice" not in title(1e-4, covers="free")
    assert "Nothing proven" in title(np.inf)
    with pytest.raises(ValueError, match="no records"):
        ConvergenceDisplay([]).plot()


def test_convergence_in_given_axes(model):
    figure = Figure()
    ax, gap_ax = figure.subplots(2)
    assert ConvergenceDisplay.from_estimator(model, ax=ax).gap_ax_ is None
    assert ConvergenceDisplay.from_estimator(model, ax=ax, gap_ax=gap_ax).gap_ax_ is gap_ax
    draw(figure)


# projection


def test_rings_are_around_those_who_moved(model):
    display = ProjectionDisplay.from_estimator(model, X)
    moved = model.labels_ != model.predict(X)
    assert moved.sum() == 61
    assert display.moved.tolist() == moved.tolist()
    np.testing.assert_array_equal(display.rings_.get_offsets(), display.points[moved])
    assert [len(dots.get_offsets()) for dots in display.points_] == np.bincount(model.labels_).tolist()
    # Means of clusters are where the means of their points are, in any projection.
    means = [display.points[model.labels_ == k].mean(axis=0) for k in range(4)]
    np.testing.assert_allclose(display.centers_.get_offsets(), means, atol=1e-9)
    assert display.ax_.get_title(loc="left") == "61 of 150 points are not with their nearest center"
    display.n_moved = 1
    title = display.plot().ax_.get_title(loc="left")
    assert title == "1 of 150 points is not with its nearest center"


def test_two_features_are_shown_as_they_are_and_one_by_cluster():
    two = MiniReL(3, random_state=0).fit(X[:, :2], sensitive_features=SPECIES)
    display = ProjectionDisplay.from_estimator(two, X[:, :2])
    np.testing.assert_array_equal(display.points, X[:, :2])
    assert display.axis_names == ("feature 0", "feature 1")
    one = MiniReL(3, random_state=0).fit(X[:, :1], sensitive_features=SPECIES)
    display = ProjectionDisplay.from_estimator(one, X[:, :1])
    np.testing.assert_array_equal(display.points, np.column_stack([X[:, 0], one.labels_]))
    draw(display.figure_)


def test_many_groups_are_rows_of_a_heat_map():
    random = np.random.default_rng(0)
    labels, groups = random.integers(0, 6, 900), random.integers(0, 9, 900)
    result = audit(labels, groups, alpha=0.12, beta=1, max_share=0.15)
    display = RepresentationDisplay(result).plot()
    (mesh,) = display.marks_
    np.testing.assert_allclose(np.asarray(mesh.get_array()).reshape(9, 6), result.shares)
    shown = [text.get_text() for text in display.ax_.texts]
    assert shown == [floored(share, 0) for share in result.shares.ravel()]
    assert "out of bounds" in legend_texts(display)
    assert (result.below | result.above).any()
    assert len(RepresentationDisplay(result).plot(kind="dots").marks_) == 9
    draw(display.figure_)


def test_points_drawn_stand_for_all_where_there_are_many(model):
    displays = [ProjectionDisplay.from_estimator(model, X, max_points=100) for _ in range(2)]
    first, second = displays
    assert len(first.points) == 100
    np.testing.assert_array_equal(first.points, second.points)
    n_moved = int(first.moved.sum())
    assert 30 < n_moved < 50  # about 61 of 150
    assert f"drawn: 100 points, {n_moved} of them moved" in first.ax_.get_title(loc="left")
    assert ProjectionDisplay.from_estimator(model, X, max_points=1).points.shape == (1, 2)


def test_few_rings_and_heaps_among_very_many_points():
    random = np.random.default_rng(0)
    where = random.integers(0, 3, size=(20_000, 2)).astype(float)  # nine places
    labels, centers = random.integers(0, 15, 20_000), random.random((15, 2))
    display = ProjectionDisplay(where, labels, labels % 2 == 0, centers, axis_names=("a", "b")).plot()
    assert len(display.rings_.get_offsets()) == 100
    for dots in display.points_:
        assert len(dots.get_offsets()) == 9
        assert dots.get_sizes().max() <= 400
    draw(display.figure_)


def test_clusters_that_share_a_colour_are_far_apart():
    centers = np.array([[k % 7, k // 7] for k in range(28)], dtype=float)
    colours = share_colours(centers, 7)
    assert colours[:7] == list(range(7))
    near = [
        np.hypot(*(centers[j] - centers[k])) for k in range(28) for j in range(k) if colours[j] == colours[k]
    ]
    assert min(near) >= 2


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_points(dtype, monkeypatch):
    data = csr_array(X.astype(dtype))
    model = MiniReL(3, random_state=0).fit(data, sensitive_features=SPECIES)
    dense = ProjectionDisplay.from_estimator(model, data)
    monkeypatch.setattr("minirel.outcome.plane._MOST_VALUES", 0)
    sparse = ProjectionDisplay.from_estimator(model, data)
    np.testing.assert_allclose(np.abs(sparse.points), np.abs(dense.points), atol=1e-3)


def test_points_all_alike_and_a_single_one():
    same = np.ones((5, 3))
    draw(ProjectionDisplay.from_estimator(MiniReL(1).fit(same), same).figure_)
    draw(ProjectionDisplay.from_estimator(MiniReL(1).fit(same[:1]), same[:1]).figure_)


def test_other_points_are_refused(model):
    with pytest.raises(ValueError, match="X must be the points that the model was fitted to, but has 7 rows"):
        ProjectionDisplay.from_estimator(model, X[:7])
    with pytest.raises(ValueError, match="max_points must be at least 1"):
        ProjectionDisplay.from_estimator(model, X, max_points=0)


# names


def test_short_names():
    assert short("a\tb\n c\x00", 20) == r"a\tb\n c\x00"
    assert short("", 9) == "''"
    assert short("abcdefghijklmnop", 10) == "abcdef…nop"
    assert short_names([1, "1", 2], 9) == ["1 (1)", "1 (2)", "2"]
    assert short_names(["district number 1, in the north", "district number 2, in the north"], 16) == [
        "…1, in the north",
        "…2, in the north",
    ]
    names = short_names([f"{'x' * 50}{i}{'y' * 50}" for i in range(3)], 12)
    assert len(set(names)) == 3


def test_numbers():
    assert [amount(n) for n in (3, 1234, 12.5, 54321.5, 1e9)] == ["3", "1,234", "12.5", "54,322", "1e+09"]


def test_bounds_in_every_cluster_are_drawn() -> None:
    sex = ["F", "F", "M", "F", "M", "M", "M", "M"]
    asked = {"min_share": {"F": 0.25}, "max_share": 0.7}
    display = RepresentationDisplay.from_predictions([0, 0, 0, 1, 1, 1, 1, 2], sex, **asked)
    entries = [text.get_text() for text in display.legend_.get_texts()]
    assert {"bounds in every cluster", "out of bounds"} <= set(entries)
    title = " ".join(display.ax_.get_title(loc="left").split())
    assert title == "Promises broken: F is less than 25% of cluster 2, M is more than 70% of clusters 1 and 2"
    rings = [drawn for drawn in display.ax_.collections if isinstance(drawn, PathCollection)]
    assert [len(ring.get_offsets()) for ring in rings if not len(ring.get_facecolor())] == [3]
    plt.close(display.figure_)


def test_bounds_that_are_kept_have_no_rings() -> None:
    display = RepresentationDisplay.from_predictions([0, 0, 1, 1], ["F", "M", "F", "M"], min_share=0.5)
    assert display.ax_.get_title(loc="left") == "Every share is within its bounds"
    entries = [text.get_text() for text in display.legend_.get_texts()]
    assert "bounds in every cluster" in entries
    assert "out of bounds" not in entries
    plt.close(display.figure_)


def test_members_and_exclusive_clusters_count_in_the_picture() -> None:
    labels, sex = [0, 0, 1, 1, 1, 1], ["F", "F", "M", "M", "M", "F"]
    display = RepresentationDisplay.from_predictions(labels, sex, beta={"F": 1}, min_members=3)
    assert display.ax_.get_title(loc="left") == "Promises broken: F lacks 1 cluster"
    plt.close(display.figure_)
    display = RepresentationDisplay.from_predictions(
        labels, sex, alpha=0.25, beta={"F": 1, "M": 2}, exclusive=True
    )
    assert "lacks 1 cluster" in display.ax_.get_title(loc="left")
    plt.close(display.figure_)


@pytest.mark.parametrize("display", [RepresentationDisplay, CompositionDisplay])
def test_every_promise_of_an_audit_can_be_drawn(display) -> None:
    sex = ["F", "F", "M", None, "M", "M", "M", "M"]
    asked = {
        "alpha": 0.4,
        "beta": {"F": 1},
        "allowed": {"F": [0]},
        "min_share": {"M": 0.2},
        "max_share": 0.9,
        "min_members": 2,
        "exclusive": True,
        "min_size": 2,
        "max_size": [3, 5],
        "sample_weight": [1] * 8,
        "n_clusters": 2,
        "missing": "group",
    }
    labels = [0, 0, 0, 1, 1, 1, 1, 1]
    drawn = display.from_predictions(labels, sex, **asked).audit
    expected = audit(labels, sex, **asked)
    for name, value in vars(expected).items():
        np.testing.assert_array_equal(getattr(drawn, name), value, err_msg=name)


def test_a_comparison_counts_every_promise() -> None:
    sex = ["F", "F", "M", "M", "M", "M"]
    asked = {"beta": {"F": 1}, "max_share": {"M": 0.6}, "max_size": 3}
    display = ComparisonDisplay.from_predictions([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1], sex, **asked)
    titles = [ax.get_title(loc="left").splitlines()[-1] for ax in display.axes_]
    assert titles == [
        "0 of 2 promises to groups kept, sizes not as asked",
        "1 of 2 promises to groups kept, sizes as asked",
    ]
    display = ComparisonDisplay.from_predictions([0, 0, 1], [0, 1, 1], sex[:3], max_size=1)
    assert display.axes_[0].get_title(loc="left") == "before\nsizes not as asked"


def test_sizes_alone_are_a_promise() -> None:
    title = RepresentationDisplay.from_predictions([0, 1], ["F", "M"], max_size=1).ax_.get_title(loc="left")
    assert title == "Every promise is kept"
