"""The page of a fit: eight questions, with the numbers of the audit and of the explanation."""

import base64
import hashlib
import re
import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import minirel
from minirel import KMeansStart, MiniReL, ParameterError, explain, next_clusters, profile
from minirel.assignment.solve import ASSIGNMENT_SOLVERS
from minirel.points.numbers import rough
from minirel.report import Source, fit_report
from minirel.report.clusters import _times
from minirel.report.repeat import described
from minirel.solvers import MIP_SOLVERS

OF_DATA = "What is each cluster?"
ASKED = [
    "Is every promise kept?",
    OF_DATA,
    "Who holds which clusters?",
    "What did it cost against k-means, in total and for whom?",
    "Who was moved, from where, for which group’s sake, and at what cost?",
    "What would the next member or the next cluster cost?",
    "How good is this answer, and what is proven?",
    "Can I repeat it?",
]
QUESTIONS = [f"{place}. {asked}" for place, asked in enumerate(ASKED, start=1)]
WITHOUT_DATA = [
    f"{place}. {asked}" for place, asked in enumerate((asked for asked in ASKED if asked != OF_DATA), start=1)
]


@pytest.fixture(scope="module")
def root(page: str, read: Callable[[str], Any]) -> Any:
    return read(page)


def test_order_of_the_questions(root: Any) -> None:
    assert [node.text for node in root.all("h2")] == QUESTIONS


def test_the_document(root: Any) -> None:
    assert len(root.all("h1")) == 1
    assert root.all("html")[0].attributes["lang"] == "en"
    metas = [node.attributes for node in root.all("meta")]
    assert any(meta.get("name") == "viewport" for meta in metas)
    assert metas[0] == {"charset": "utf-8"}
    for table in root.all("table"):
        assert len(table.all("caption")) == 1
        for head in table.all("th"):
            assert head.attributes["scope"] in ("row", "col")
        n_columns = len(table.all("thead")[0].all("th"))
        for row in table.all("tr"):
            assert len(row.all("th") + row.all("td")) == n_columns
    names = [node.attributes["id"] for node in root.walk() if "id" in node.attributes]
    assert len(names) == len(set(names)) == 8


def test_the_policy_forbids_the_network_and_knows_the_script(root: Any, page: str) -> None:
    policy = next(
        node.attributes["content"]
        for node in root.all("meta")
        if node.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    script = root.all("script")[0].text
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    for rule in (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        f"script-src 'sha256-{digest}'",
        "img-src data:",
    ):
        assert rule in policy
    assert not re.search(r"https?:|url\(|@import|(?:src|href)\s*=|[\"'(]//", page)


def test_promises(root: Any, model: MiniReL) -> None:
    assert "Yes, every promise is kept: the one group that was promised clusters has them." in root.text
    rows = {row[0]: row for row in root.rows("Promises by group")}
    result = model.audit_
    for g, name in enumerate(result.groups):
        before = model.result_.before.n_represented[g]
        assert rows[name][2:7] == [*map(str, (result.beta[g], before, result.n_represented[g])), "51%", "50"]
    assert rows["versicolor"][1] == "✓ yes"


def test_shares(root: Any, model: MiniReL) -> None:
    result = model.audit_
    rows = root.rows("Shares by cluster")
    assert [int(row[1]) for row in rows] == result.sizes.tolist()
    for g in range(3):
        np.testing.assert_allclose(root.values("Shares by cluster", 3 + g), result.shares[g], rtol=1e-14)
        for k, row in enumerate(rows):
            assert row[3 + g].endswith("★") == result.represented[g, k]
            shown = float(row[3 + g].strip(" ★").removeprefix("under ").rstrip("%"))
            assert shown <= 100 * result.shares[g, k] + 1e-9
    assert [row[2] for row in rows] == [
        "versicolor" if ("versicolor", k) in model.prefix_ else "–" for k in range(4)
    ]
    figures = [node for node in root.all("figure") if not node.attributes.get("class")]
    assert len(figures) == 3
    for g, figure in enumerate(figures):
        bars = [node for node in figure.walk() if node.attributes.get("class") == "bar"]
        assert len(bars) == 4
        held = [node for node in figure.walk() if node.attributes.get("class") == "held"]
        assert len(held) == result.n_represented[g]


def test_what_there_was_before_stands_beside_what_there_is(root: Any, model: MiniReL) -> None:
    """A square for each cluster that a group has, and a hollow one for each that it lacks."""
    before, now = model.result_.before, model.audit_
    assert root.rows("Promises by group", "thead")[0][2:5] == ["Promised", "With k-means", "Now"]
    rows = root.region("Promises by group").all("tbody")[0].all("tr")
    names = [row.all("th")[0].text for row in rows]
    for row, name in zip(rows, names, strict=True):
        g = now.groups.index(name)
        for cell, audit in zip((row.all("td")[2], row.all("td")[3]), (before, now), strict=True):
            kinds = [node.attributes["class"] for node in cell.all("rect")]
            assert len(kinds) == audit.n_represented[g] + audit.n_lacking[g]
            assert kinds.count("pip lack") == audit.n_lacking[g]
    assert before.n_lacking[now.groups.index("versicolor")] > 0


def test_the_price_has_a_scale(root: Any, model: MiniReL) -> None:
    price = next(node for node in root.walk() if node.attributes.get("class") == "price").text
    why = explain(model)
    found = re.search(
        r"It costs ([\d.]+)% more than k-means .*: ([\d.]+) per point, against ([\d.]+)\.", price
    )
    assert found
    expected = (100 * (why.cost / why.start_cost - 1), why.cost / 150, why.start_cost / 150)
    assert [float(each) for each in found.groups()] == pytest.approx(expected, rel=1e-2)


def test_what_each_cluster_is(root: Any, model: MiniReL, iris: Any) -> None:
    told = profile(model, iris[0])
    rows = root.rows("Clusters in words")
    assert [int(row[1].split()[0]) for row in rows] == model.audit_.sizes.tolist()
    for k, row in enumerate(rows):
        best = told.apart(k)[0]
        assert row[3].startswith(
            f"{best.feature} {rough(best.here)} on average (all: {rough(best.everywhere)})"
        )
    means = root.rows("All features by cluster")
    for j, row in enumerate(means):
        expected = [iris[0][:, j].mean(), *(iris[0][model.labels_ == k, j].mean() for k in range(4))]
        assert root.values("All features by cluster", 1)[j] == pytest.approx(expected[0])
        assert [float(cell) for cell in row[1:]] == pytest.approx(expected, rel=1e-3)


def test_the_clusters_are_drawn(root: Any, model: MiniReL) -> None:
    figure = next(node for node in root.all("figure") if node.attributes.get("class") == "plane")
    dots = [node for node in figure.walk() if str(node.attributes.get("class")).startswith("bar dots")]
    assert len(dots) == 4
    sizes = [node.all("path")[0].attributes["d"].count("M") for node in dots]
    assert sizes == model.audit_.sizes.tolist()
    assert [node.text for node in figure.all("text")] == ["0", "1", "2", "3"]
    assert "(61 in all)" in figure.text


def test_a_map_where_there_are_coordinates(model: MiniReL, iris: Any, read: Callable[[str], Any]) -> None:
    frame = pd.DataFrame({"Lon": iris[0][:, 0], "lat": iris[0][:, 1], "kind": ["a", "b", None] * 50})
    root = read(fit_report(model, title="x", X=frame))
    assert "A map" in root.text
    assert "Across: longitude; up: latitude." in root.text
    assert [row[0] for row in root.rows("All features by cluster")] == ["Lon", "lat", "kind"]
    assert "A map" not in fit_report(model, title="x", X=frame.rename(columns={"lat": "b"}))


def test_other_data_of_the_same_points_is_told_but_not_drawn(
    model: MiniReL, iris: Any, read: Callable[[str], Any]
) -> None:
    root = read(fit_report(model, title="x", X=1000 * iris[0], feature_names=list("abcd")))
    assert OF_DATA in root.all("h2")[1].text
    assert not [node for node in root.all("figure") if node.attributes.get("class") == "plane"]
    assert [row[0] for row in root.rows("All features by cluster")] == ["a", "b", "c", "d"]
    with pytest.raises(ParameterError, match="X must hold the 150 points that the model was fitted to"):
        fit_report(model, title="x", X=iris[0][:9])


def test_costs(root: Any, model: MiniReL) -> None:
    why = explain(model)
    tiles = next(node for node in root.walk() if node.attributes.get("class") == "tiles")
    shown = [node.text for node in tiles.all("dd") if not node.attributes.get("class")]
    all_costs = (why.start_cost, why.cost, why.nearest_cost)
    expected = [100 * cost / why.start_cost for cost in all_costs]
    assert [float(text.removesuffix("% of k-means")) for text in shown] == pytest.approx(expected, rel=1e-3)
    small = [node.text for node in tiles.all("dd") if node.attributes.get("class") == "small"]
    for text, cost in zip(small, all_costs, strict=True):
        each, total = re.match(r"([\d.]+) per point, ([\d.]+) in all", text).groups()
        assert (float(each), float(total)) == pytest.approx((cost / 150, cost), rel=1e-3)
    for column, key in ((1, "members"), (2, "moved")):
        found = root.values("Costs by group", column)
        assert found == pytest.approx([row[key] for row in why.by_group], rel=1e-12)
    assert root.values("Costs by group", 4) == pytest.approx([row["cost"] / 50 for row in why.by_group])
    # The groups of iris do not overlap, so what they cost adds up.
    assert 50 * sum(root.values("Costs by group", 3)) == pytest.approx(why.start_cost)
    assert 50 * sum(root.values("Costs by group", 6)) == pytest.approx(why.cost - why.nearest_cost)


def test_moves(root: Any, model: MiniReL) -> None:
    why = explain(model)
    rows = root.rows("Moved points")
    assert [int(row[0]) for row in rows] == why.points.tolist()
    assert [int(row[2]) for row in rows] == why.nearest.tolist()
    assert [int(row[3]) for row in rows] == why.assigned.tolist()
    np.testing.assert_allclose(root.values("Moved points", 5), why.extra_cost, rtol=1e-12)
    for row, kind, group, cluster in zip(rows, why.kind, why.group, why.cluster, strict=True):
        if kind == "share":
            assert row[4] == f"cluster {cluster} is set aside for {group}"
    for label in ("Moves by promise", "Moves by route"):
        assert sum(root.values(label, 1)) == len(why.points)
        assert sum(root.values(label, 2)) == pytest.approx(why.extra_cost.sum())


def test_prices(root: Any, model: MiniReL) -> None:
    why = explain(model)
    prices = sorted((row["price"] for row in why.prices), reverse=True)
    assert root.values("Prices of one more member", 1) == pytest.approx(prices)
    assert sum(root.values("Prices of one more member", 2)) == pytest.approx(
        sum(row["cost"] for row in why.prices)
    )


def test_next_clusters(model: MiniReL, read: Callable[[str], Any]) -> None:
    answers = [
        {"group": "setosa", "beta": 1, "status": "impossible", "cost": None, "why": "no room <here>"},
        {"group": "versicolor", "beta": 4, "status": "computed", "cost": 12.5, "why": ""},
        {"group": "virginica", "beta": 1, "status": "computed", "cost": -1e-9, "why": ""},
    ]
    rows = read(fit_report(model, title="x", next_clusters=answers)).rows("Price of one more cluster")
    assert rows[0] == ["setosa", "1", "impossible", "–", "no room <here>"]
    assert rows[1][:3] == ["versicolor", "4", "+12.50"]
    assert rows[2][2] == "about nothing"
    assert "it was not computed" in fit_report(model, title="x")


def test_a_price_within_the_gap_of_the_answer_is_not_known(
    model: MiniReL, read: Callable[[str], Any]
) -> None:
    loose, cost = copy(model), model.result_.cost
    loose.result_ = replace(model.result_, lower_bound=0.9 * cost, stop="time_limit", status="time limit")
    answers = [
        {"group": "setosa", "beta": 4, "status": "computed", "cost": 0.0, "why": ""},
        {"group": "versicolor", "beta": 4, "status": "computed", "cost": 0.2 * cost, "why": ""},
    ]
    told = read(fit_report(loose, title="x", next_clusters=answers))
    first, second = told.rows("Price of one more cluster")
    assert first[2:] == [
        "not known",
        "–",
        "less than the gap of this answer itself, 10.0%: how much of it is not known",
    ]
    assert second[3] == "+20.0%"
    # What the clock stopped may end elsewhere.
    assert "Yes: the same data" not in told.text
    assert "Not exactly: the clock stopped it, which may be elsewhere on another machine or day" in told.text


def test_what_was_not_computed_is_never_called_impossible(
    model: MiniReL, iris: Any, read: Callable[[str], Any]
) -> None:
    answers = next_clusters(model, iris[0], time_limit=1e-9)
    assert {row["status"] for row in answers} == {"not computed"}
    rows = read(fit_report(model, title="x", next_clusters=answers)).rows("Price of one more cluster")
    assert [row[2:4] for row in rows] == [["not computed", "–"]] * 3
    assert {row[4] for row in rows} == {"the time limit of 1e-09 seconds was over"}


def test_rendering_solves_nothing(
    model: MiniReL, iris: Any, page: str, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    more, why = next_clusters(model, iris[0]), explain(model)

    def solve(*args: object, **options: object) -> None:
        raise AssertionError("a solver is called")

    for table in (ASSIGNMENT_SOLVERS, MIP_SOLVERS):
        for name in table:
            monkeypatch.setitem(table, name, solve)
    monkeypatch.setattr("minirel.outcome.next_cluster.next_clusters", solve)
    monkeypatch.setattr("minirel.report.fit_page.explain", solve)
    again = fit_report(model, title="Iris", X=iris[0], source=source, next_clusters=more, explanation=why)
    assert again.encode() == page.encode()


def test_who_was_promised_nothing_stands_with_the_verdict(root: Any) -> None:
    besides = next(node for node in root.walk() if node.attributes.get("class") == "besides")
    assert [node.text for node in besides.all("p")] == [
        "virginica, 33.3% of all, was promised nothing and is represented nowhere.",
        "setosa, 33.3% of all, was promised nothing, though it is represented somewhere.",
    ]
    verdict = next(node for node in root.walk() if node.attributes.get("class") == "verdict kept")
    parent = next(node for node in root.walk() if besides in node.children)
    assert verdict in parent.children


def test_proof(root: Any, model: MiniReL, iris: Any, read: Callable[[str], Any]) -> None:
    assert model.status_ in root.text
    assert "Another choice of which cluster serves which group could be cheaper." in root.text
    assert "For these centers and these holders, no answer can cost less than" in root.text
    assert "Other centers, and other holders." in root.text
    X, species = iris
    free = MiniReL(3, beta=1, prefix=None, random_state=0).fit(X, sensitive_features=species)
    text = read(fit_report(free, title="x")).text
    assert "whichever clusters serve which groups." in text
    assert "For these centers, whoever holds which cluster, no answer can cost less than" in text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        short = MiniReL(4, beta={"versicolor": 3}, max_iter=1, random_state=0).fit(
            X, sensitive_features=species
        )
    text = read(fit_report(short, title="x")).text
    assert short.status_ in text
    assert re.search(r"nothing that keeps every promise is more than [\d.]+% cheaper", text)


def test_repeat(root: Any, model: MiniReL, source: Source) -> None:
    text = root.text
    for said in (
        minirel.__version__,
        source.name,
        source.fingerprint,
        source.command,
        "150 rows",
        "1.500 seconds",
    ):
        assert said in text
    rows = {row[0]: row[1:] for row in root.rows("Parameters")}
    assert rows.keys() == model.get_params().keys()
    assert rows["random_state"] == ["0", "chosen"]
    assert rows["beta"] == ["{'versicolor': 3}", "chosen"]
    assert rows["alpha"] == ["0.51", "default"]
    assert [tuple(row) for row in root.rows("Columns")] == list(source.columns)
    assert "Yes: the same data, parameters and versions give the same clusters." in text


def test_the_same_model_gives_the_same_page(model: MiniReL, iris: Any, page: str, source: Source) -> None:
    again = MiniReL(**model.get_params()).fit(iris[0], sensitive_features=iris[1])
    more = next_clusters(again, iris[0])
    once_more = fit_report(again, title="Iris", X=iris[0], source=source, next_clusters=more)
    assert once_more.encode() == page.encode()


def test_values_that_change_from_run_to_run_are_left_out(iris: Any, read: Callable[[str], Any]) -> None:
    X, species = iris

    def place(X: np.ndarray, n_clusters: int, random_state: object) -> np.ndarray:
        return X[:: len(X) // n_clusters][:n_clusters]

    model = MiniReL(3, beta=1, init=place, random_state=np.random.RandomState(0)).fit(
        X, sensitive_features=species
    )
    root = read(fit_report(model, title="x"))
    assert " at 0x" not in root.text
    assert "Only with the same state" in root.text
    assert root.all("h2")[2].text == WITHOUT_DATA[2].replace("k-means", "the first centers")
    model = MiniReL(3, beta=1, init=X[[0, 60, 140]]).fit(X, sensitive_features=species)
    root = read(fit_report(model, title="x"))
    assert "array of 3 × 4 float64 values, fingerprint" in root.text
    assert "Not exactly: no seed was given" in root.text
    assert described(KMeansStart(5)) == "KMeansStart(n_init=5)"
    assert described({"b": np.float64(0.5), "a": (1, None)}) == "{'b': 0.5, 'a': [1, None]}"
    assert described({"y", "x"}) == "['x', 'y']"
    assert described(object()) == "object"
    assert len(described(list(range(10_000)))) < 1100


def test_no_groups(iris: Any, read: Callable[[str], Any]) -> None:
    root = read(fit_report(MiniReL(3, random_state=0).fit(iris[0]), title="x", next_clusters=[]))
    assert "Nothing was promised" in root.text
    assert "Nobody: every point is with its nearest center." in root.text
    assert "There are no groups" in root.text
    assert [node.text for node in root.all("h2")] == WITHOUT_DATA


def test_no_prices(iris: Any, read: Callable[[str], Any]) -> None:
    X, species = iris
    model = MiniReL(4, beta={"versicolor": 3}, solver="highs", random_state=0).fit(
        X, sensitive_features=species
    )
    root = read(fit_report(model, title="x"))
    assert "gives no prices" in root.text
    assert "There are no prices for one more member: this way of solving gives none." in root.text


def test_sizes_and_groups_that_overlap(iris: Any, read: Callable[[str], Any]) -> None:
    X, species = iris
    overlapping = {"species": species.tolist(), "even": ["yes", "no"] * 75}
    model = MiniReL(3, beta=1, alpha=0.3, min_size=45, max_size=55, random_state=0)
    root = read(fit_report(model.fit(X, sensitive_features=overlapping), title="x"))
    assert set(explain(model).kind) & {"min_size", "max_size"}
    assert re.search(r"cluster \d (must hold at least 45|may hold at most 55)", root.text)
    assert "every cluster has 45 to 55 members." in root.text
    assert any(row[1].startswith("species=") and ", even=" in row[1] for row in root.rows("Moved points"))


def test_another_objective_is_not_compared_with_k_means(iris: Any, read: Callable[[str], Any]) -> None:
    X, species = iris
    model = MiniReL(3, beta=1, objective="k-medians", random_state=0).fit(X, sensitive_features=species)
    text = read(fit_report(model, title="x")).text
    assert "did not start from ordinary k-means of the same kind" in text
    assert "than k-means" not in text


def test_row_names(model: MiniReL, read: Callable[[str], Any]) -> None:
    names = [f"flower {i}" for i in range(150)]
    rows = read(fit_report(model, title="x", row_names=names)).rows("Moved points")
    assert [row[0] for row in rows] == [names[i] for i in explain(model).points.tolist()]
    with pytest.raises(ValueError, match="row_names must hold one name per point, but has 2 for 150 points"):
        fit_report(model, title="x", row_names=["a", "b"])


def test_a_model_that_is_not_fitted() -> None:
    with pytest.raises(NotFittedError):
        fit_report(MiniReL(), title="x")


def test_many_points_stay_small(read: Callable[[str], Any]) -> None:
    random = np.random.RandomState(0)
    n = 10_000
    X = random.randn(n, 3)
    race = random.choice(["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"], n)
    model = MiniReL(15, beta=3, alpha=0.3, random_state=0, max_iter=3, gap=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, sensitive_features=race)
    names = [f"row {i} of a long file" for i in range(n)]
    page = fit_report(model, title="Adult", row_names=names)
    assert len(page.encode()) < 300_000
    root = read(page)
    why = explain(model)
    assert len(why.points) > 200
    assert len(root.rows("Moved points")) == 200
    assert f"The first 200 of {len(why.points):,} are shown." in root.text
    assert [row[0] for row in root.rows("Moved points")] == [names[i] for i in why.points[:200].tolist()]


def test_weights_are_said(iris: Any, read: Callable[[str], Any]) -> None:
    X, species = iris
    model = MiniReL(4, beta=1, random_state=0)
    model.fit(X, sensitive_features=species, sample_weight=np.tile([1, 2], 75))
    root = read(fit_report(model, title="x"))
    assert "counted by weight" in root.text
    assert root.values("Shares by cluster", 1) == model.audit_.sizes.tolist()


@pytest.fixture(scope="module")
def asked_much(iris: Any) -> MiniReL:
    X, species = iris
    return MiniReL(
        4,
        alpha=0.4,
        beta={"setosa": 1, "versicolor": 1},
        min_share={"virginica": 0.1},
        max_share=0.6,
        min_members={"setosa": 10},
        exclusive=True,
        min_size=[20, 30, 1, 1],
        max_size=[None, None, 50, None],
        gap=0.02,
        random_state=0,
    ).fit(X, sensitive_features=species)


def test_all_that_was_asked(asked_much: MiniReL, read: Callable[[str], Any]) -> None:
    root = read(fit_report(asked_much, title="x"))
    assert (
        "both groups that were promised clusters have them, every share is within its bounds and every "
        "cluster has a size within its own bounds." in root.text
    )
    assert "A cluster counts for one group only." in root.text
    assert root.rows("Promises by group", "thead")[0][5:8] == [
        "Share needed",
        "Members needed",
        "In every cluster",
    ]
    rows = {row[0]: row for row in root.rows("Promises by group")}
    assert rows["setosa"][5:8] == ["40%", "10", "at most 60%"]
    assert rows["virginica"][1] == "✓ yes"  # a bound is a promise, too
    assert rows["virginica"][5:8] == ["40%", "1", "10% to 60%"]
    shares = root.rows("Shares by cluster")
    assert [row[2] for row in shares] == ["at least 20", "at least 30", "at most 50", "any size"]
    assert not any("!" in cell for row in shares for cell in row)
    assert len([node for node in root.walk() if node.attributes.get("class") == "bound"]) == 4
    parameters = {row[0]: row[1:] for row in root.rows("Parameters")}
    assert parameters["max_share"] == ["0.6", "chosen"]
    assert parameters["min_size"] == ["[20, 30, 1, 1]", "chosen"]


def test_moves_for_any_promise(asked_much: MiniReL, read: Callable[[str], Any]) -> None:
    why = explain(asked_much)
    assert "max_share" in why.kind
    root = read(fit_report(asked_much, title="x", explanation=why))
    told = [said.replace("'", "") for said in why.because]
    assert [row[4] for row in root.rows("Moved points")] == told
    assert any(re.fullmatch(r"cluster \d may hold at most 60% \w+", said) for said in told)
    assert {row[0] for row in root.rows("Moves by promise")} == {*told}
    assert {row[0] for row in root.rows("Prices of one more member")} >= {*told} - {"no single promise"}


def test_columns_of_what_was_not_asked_are_left_out(root: Any) -> None:
    assert len(root.rows("Promises by group", "thead")[0]) == 8
    assert len(root.rows("Shares by cluster", "thead")[0]) == 6
    assert "bounds" not in " ".join(node.text for node in root.all("section"))


def test_years_and_means_of_few_values(model: MiniReL, read: Callable[[str], Any]) -> None:
    year, rare = 1998 + model.labels_, np.where(model.labels_ == 0, np.nan, 1.0)
    rare[np.flatnonzero(model.labels_ == 0)[0]] = 2.0
    told = read(fit_report(model, title="x", X={"Year": year, "votes": year, "rare": rare}))
    words = told.rows("Clusters in words")[0][3]
    assert "Year 1998 on average" in words
    assert "votes 1,998 on average" in words
    assert "rare" not in words
    years, votes, rares = told.rows("All features by cluster")
    assert (years[2], votes[2]) == ("1998", "1,998")
    assert re.fullmatch(r"2 \([\d.]+% known\)", rares[2])
    assert "known" not in rares[3]


def test_how_many_times_as_many() -> None:
    assert [_times(lift) for lift in (2.04, 9.96, 12.4, 301, 12345)] == ["2", "10", "12", "300", "12,000"]
