"""The page of a frontier: all that the table says, escaped, and the same without JavaScript."""

import re

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from minirel import Frontier, frontier
from minirel.report import Source, frontier_report
from report.conftest import HOSTILE, read_page
from report.frontiers import iris_frontier, iris_page


@pytest.fixture(scope="module")
def found() -> Frontier:
    return iris_frontier()


@pytest.fixture(scope="module")
def text() -> str:
    return iris_page()


def test_every_request_is_there(found: Frontier, text: str) -> None:
    page, table = read_page(text), found.to_frame()
    rows = page.rows("All requests")
    assert len(rows) == len(found) == 12
    for i, row in enumerate(rows):
        assert row[:2] == [str(i), str(table.n_clusters[i])]
        assert ("cannot be kept" in row) == (not table.feasible[i])
    folded = [node for node in page.all("details") if node.attributes.get("class") == "request"]
    assert [node.attributes["id"] for node in folded] == [f"r{i}" for i in range(12)]
    for i, node in enumerate(folded):
        assert f"minirel fit iris.csv -k {table.n_clusters[i]}" in node.text
        assert f"model = MiniReL({table.n_clusters[i]}, " in node.text
        if table.feasible[i]:
            shares = node.rows(f"Shares by cluster of request {i}")
            assert [row[1] for row in shares] == [str(n) for n in found.model(i).audit_.sizes]
        else:
            assert "No clustering can keep this." in node.text
            assert "The nearest request that can be kept: " in node.text


def test_maps_and_charts(found: Frontier, text: str) -> None:
    page = read_page(text)
    for n_clusters in (3, 5):
        cells = page.rows(f"Prices with {n_clusters} clusters")
        assert [row[0] for row in cells] == ["51%", "75%"]
        assert all(len(row) == 4 for row in cells)
    links = [node.attributes["href"] for node in page.all("a") if "data-row" in node.attributes]
    assert {f"#r{i}" for i in range(12)} <= set(links)
    best = next(node for node in page.walk() if "within" in (node.attributes.get("class") or "").split())
    assert len(best.all("li")) == len(found.best_within(0.1))
    assert "For 10% more than plain k-means" in best.text


def test_python_to_repeat_runs(found: Frontier, iris: tuple[np.ndarray, np.ndarray]) -> None:
    X, species = iris
    names = {"X": X, "sensitive_features": species}
    exec("\n".join(found.python(1)), names)
    assert names["model"].audit_.satisfied  # type: ignore[union-attr]
    assert names["model"].inertia_ >= found.to_frame().cost[1] * (1 - 1e-9)  # type: ignore[union-attr]


def test_names_are_escaped() -> None:
    random = np.random.RandomState(0)
    names = np.array(HOSTILE, dtype=object)
    groups = names[random.randint(len(names), size=300)]
    found = frontier(
        random.randn(300, 2),
        groups,
        n_clusters=4,
        alpha=[0.2, 0.25],
        beta=[dict.fromkeys(HOSTILE[:2], 1), dict.fromkeys(HOSTILE[2:5], 4)],
        random_state=0,
    )
    source = Source(HOSTILE[0], 300, 2, HOSTILE[1], HOSTILE[3])
    text = frontier_report(
        found, title=HOSTILE[0], commands=list(HOSTILE[:4]), source=source, choose_k=found.choose_k(n_seeds=0)
    )
    page = read_page(text)
    assert len(page.all("script")) == 1
    assert "alert(1)" not in page.all("script")[0].text
    assert not [name for node in page.walk() for name in node.attributes if name.startswith("on")]
    assert page.all("title")[0].text == HOSTILE[0]


def test_bad_input(found: Frontier) -> None:
    with pytest.raises(ValueError, match="budget must be a share of at least 0"):
        frontier_report(found, title="x", budget=-1)
    with pytest.raises(ValueError, match="commands must hold one per request, but has 1 for 12"):
        frontier_report(found, title="x", commands=["minirel"])
    with pytest.raises(TypeError, match="found must be a Frontier"):
        frontier_report(3, title="x")  # type: ignore[arg-type]


def test_200_requests_are_small_enough_to_mail(found: Frontier, text: str) -> None:
    """A request with 12 clusters and two groups takes a few kilobytes; see benchmarks/frontier.py."""
    assert len(text.encode()) / len(found) < 25_000


def test_whom_a_request_promises_nothing(found: Frontier, text: str) -> None:
    page = read_page(text)
    best = next(node for node in page.walk() if "within" in (node.attributes.get("class") or "").split())
    said = "3 clusters, at least 51% in 2 clusters for versicolor; nothing for setosa and virginica"
    i = next(i for i in found.best_within(0.1) if found.requests[i].fairness.beta == (0, 2, 0))
    assert said.replace("3 ", f"{found.requests[i].n_clusters} ", 1) in best.text.replace("75%", "51%")
    assert "nothing for setosa and virginica" in page.rows("All requests")[i][3]
    assert "nothing for" not in page.rows("All requests")[0][3]
    details = next(node for node in page.all("details") if node.attributes.get("id") == f"r{i}")
    assert "promised nothing" in details.text


def test_what_is_open_may_still_be_had(iris: tuple[np.ndarray, np.ndarray]) -> None:
    X, species = iris
    with pytest.warns(ConvergenceWarning, match="of 4 requests are open"):
        found = frontier(X, species, n_clusters=[3, 4], beta=[1, 2], random_state=0, time_limit=1e-6)
    n_open = int(found.to_frame().feasible.isna().sum())
    page = read_page(frontier_report(found, title="Iris", budget=0))
    best = next(node for node in page.walk() if "within" in (node.attributes.get("class") or "").split())
    assert f"{n_open} of 4 requests are open (no answer yet) and may be within it." in best.text
    assert best.attributes["data-open"] in best.text
    if not found.best_within(0):
        assert "Nothing that has an answer can be promised for 0% more" in best.text
    repeat = page.all("section")[-1].text
    assert "Not exactly: the clock stopped it, which may be elsewhere on another machine" in repeat


def test_cells_and_charts_have_the_signs_of_the_key(iris: tuple[np.ndarray, np.ndarray]) -> None:
    X, species = iris
    beta = [1, *({"versicolor": n} for n in (1, 2, 4, 5))]
    found = frontier(X, species, n_clusters=5, alpha=[0.51, 0.75], beta=beta, random_state=0)
    page, table = read_page(frontier_report(found, title="Iris", budget=0.1)), found.to_frame()
    key = next(node for node in page.all("p") if "legend" in (node.attributes.get("class") or ""))
    cells = {
        int(node.attributes["data-row"]): node for node in page.all("td") if "data-row" in node.attributes
    }
    dots = {
        int(node.attributes["data-row"]): node
        for node in page.all("a")
        if "dot" in (node.attributes.get("class") or "").split()
    }
    assert table.knee.any()
    for i in range(len(found)):
        for sign, has in (("◆", table.knee[i]), ("○", table.dominated[i])):
            assert (sign in cells[i].text) == has
            assert (sign in dots[i].text) == has
            assert f"{sign} " in key.text
        crossed = any("never" in (node.attributes.get("class") or "") for node in dots[i].all("path"))
        assert crossed == (not table.feasible[i])
        assert ("beyond" in cells[i].attributes["class"]) == bool(table.price[i] > 0.1)
    assert "✕ no clustering can keep it" in key.text
    assert "struck through is beyond the budget" in key.text


def test_the_line_joins_the_cheapest_of_each_number(iris: tuple[np.ndarray, np.ndarray]) -> None:
    """An upright line would read as the bar of what is proven."""
    X, species = iris
    some = [{"setosa": 1}, {"versicolor": 2}, {"setosa": 1, "versicolor": 1}, {"versicolor": 3}]
    found = frontier(X, species, n_clusters=5, alpha=0.75, beta=some, random_state=0)
    assert found.price(1) != found.price(2)
    page = read_page(frontier_report(found, title="Iris", budget=0.1))
    line = next(node for node in page.all("path") if node.attributes.get("class") == "line s0")
    steps = re.findall(r"[ML]([\d.]+) ([\d.]+)", line.attributes["d"] or "")
    at = [float(x) for x, _ in steps]
    assert len(at) == 3
    assert at == sorted(set(at))
    points = [
        next(c for c in node.all("circle") if "point" in (c.attributes["class"] or ""))
        for node in page.all("a")
        if "dot" in (node.attributes.get("class") or "").split()
    ]
    heights = {x: [float(p.attributes["cy"]) for p in points if p.attributes["cx"] == x] for x, _ in steps}
    assert [float(y) for _, y in steps] == [max(heights[x]) for x, _ in steps]
