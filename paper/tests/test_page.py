"""The page of a reproduction: every verdict with its reason, in a browser too."""

from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from paper.claims import judge
from paper.claims.claim import Claim, Finding, Judged
from paper.figures import as_svg, draw
from paper.page import reproduction_page
from paper.page.solvers import pairs_of
from paper.results import Results
from paper.tests.world import FullSource, World, results_of
from report.conftest import HOSTILE, Node, Reader
from report.test_browser import CONTRASTS, Shown

CONDITIONS = {"python": "3.12.1", "cores": 2}
COMMAND = "python -m paper --quick"
LEFT_OUT = "no folder with its files is named"
DRAWN = ("represented", "times", "search_price_sp")


class PageReader(Reader):
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        (self.handle_startendtag if tag == "img" else super().handle_starttag)(tag, attrs)


def read(page: str) -> Node:
    reader = PageReader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root], "something is left open"
    return reader.root


class SourceWithoutDefault(FullSource):
    def missing(self, name: str) -> str | None:
        return LEFT_OUT if name == "default" else None


def rows_with_ours(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["solver"] != "highs"]


def page_of(
    results: Results, judged: list[Judged] | None = None, pictures: dict | None = None, **more
) -> str:
    given = {"conditions": CONDITIONS, "command": COMMAND} | more
    judged = judge(results) if judged is None else judged
    return reproduction_page(results, judged, pictures or {}, given["conditions"], given["command"])


def results(**changes: Any) -> Results:
    return results_of(World(paper_is_right=True), quick=True, **changes)


def with_pictures(found: Results) -> dict[str, bytes]:
    return {
        figure.name: as_svg(draw(figure, e, rows_with_ours(found.tables[e.name])))
        for e in found.plan.experiments
        for figure in e.figures
        if figure.name in DRAWN
    }


def a_claim(
    name: str, outcome: Any, because: str = "17 of 23 runs.", experiment: str | None = "times"
) -> Judged:
    claim = Claim(name, experiment, f"place of {name}", f"says {name}", f"rule of {name}", lambda r, s: None)
    return Judged(claim, {"certified": Finding(outcome, because)})


@pytest.fixture(scope="module")
def both() -> Results:
    return results(solvers=("certified", "highs"))


@pytest.fixture(scope="module")
def times(both: Results) -> Results:
    """Of one experiment, where no more is needed."""
    (experiment,) = (e for e in both.plan.experiments if e.name == "times")
    return Results(replace(both.plan, experiments=(experiment,)), {"times": both.tables["times"]})


@pytest.fixture(scope="module")
def judged(both: Results) -> list[Judged]:
    return judge(both)


@pytest.fixture(scope="module")
def pictures(both: Results) -> dict[str, bytes]:
    return with_pictures(both)


@pytest.fixture(scope="module")
def page(both: Results, judged: list[Judged], pictures: dict[str, bytes]) -> str:
    return page_of(both, judged, pictures)


def claim_of(root: Node, name: str) -> Node:
    """The part of the page that is about one claim."""
    return next(
        node for node in root.all("div") if node.attributes.get("class") == "claim" and name in node.text
    )


def test_every_claim_with_every_verdict_and_what_it_rests_on(page: str, judged: list[Judged]) -> None:
    root = read(page)
    rows = {row[0]: row[1:] for row in root.rows("All claims")}
    assert list(rows) == [each.claim.name for each in judged]
    for each in judged:
        verdicts = [finding.outcome for finding in each.findings.values()]
        verdicts += [] if each.claim.searched else ["", ""]
        assert [cell.lstrip("✓✗– ") for cell in rows[each.claim.name]] == [*verdicts, each.claim.place]
        block = claim_of(root, each.claim.name).text
        assert each.claim.says in block
        assert each.claim.rule in block
        for finding in each.findings.values():
            assert finding.outcome in block
            assert finding.because in block
    # The links of the first table lead to claims.
    ids = {node.attributes.get("id") for node in root.walk()}
    assert {node.attributes["href"][1:] for node in root.all("a")} <= ids


def test_both_stories() -> None:
    found = results_of(World(paper_is_right=True, search_is_right=False), quick=True)
    root = read(page_of(found))
    heads = root.rows("All claims", "thead")[0]
    assert [head.split("our own")[0] for head in heads[:2]] == ["Claim", "With certified"]
    assert [head.startswith(way) for head, way in zip(heads[2:4], ("With search", "With swaps"), strict=True)]
    rows = {row[0]: row[1:4] for row in root.rows("All claims")}
    assert rows["Fairness costs practically nothing"] == ["✓ holds", "✗ does not hold", "✗ does not hold"]
    assert rows["The increase is modest"] == ["– not tested"] * 3, "these are samples"
    assert rows["MiniReL is fair"][1:] == ["", ""]
    lead = root.all("header")[0].text
    assert "With that search and 30 swaps (swaps), of 2 claims 0 hold, 1 does not hold" in lead
    block = claim_of(root, "Fairness costs practically nothing").text
    assert "+50.0% (at most +50.0%)" in block
    assert "With minirel's search in place of the paper's method (search)" in block
    section = next(node for node in root.all("section") if "What does search make of it?" in node.text)
    assert [link.text for link in section.all("a")] == [
        "Fairness costs practically nothing",
        "The increase is modest",
    ]
    stories = root.rows("Both stories")
    assert stories[0] == ["iris", "MiniReL-SP", "+1.0%", "+1.0%", "+1.0%", "+0.0%", "10.0", "10.0", "7"]
    assert stories[2][:4] == ["iris", "MiniReL-SP, 30 swaps", "+50.0%", "+50.0%"]
    assert [row[1] for row in stories[:6]] * 3 == [row[1] for row in stories]
    least = root.rows("Least cost, adult")
    assert [row[0] for row in least] == ["4", "8"]
    assert least[0][1:3] == ["25.250+1.0%", "37.500+50.0%"]


def test_the_lead_counts(times: Results) -> None:
    judged = [
        a_claim("a", "holds"),
        a_claim("b", "holds"),
        a_claim("c", "does not hold"),
        a_claim("d", "not tested", "there is no data"),
    ]
    lead = read(page_of(times, judged)).all("header")[0].text
    assert "of 4 claims 2 hold, 1 does not hold and 1 is not tested" in lead
    assert "our own solver (certified)" in lead
    assert "HiGHS" not in lead, "nobody judged it"


def test_quick_and_what_is_left_out_is_said_first() -> None:
    lead = read(page_of(results(source=SourceWithoutDefault()), [])).all("header")[0].text
    assert "This is the quick reproduction" in lead
    assert f"Left out is the data set default: {LEFT_OUT}." in lead
    assert "quick" not in read(page_of(small_whole(), [])).all("header")[0].text


def small_whole() -> Results:
    """The whole reproduction, of which nothing is done."""
    found = results()
    tables = {name: table.iloc[:0] for name, table in found.tables.items()}
    return Results(replace(found.plan, quick=False), tables)


def test_verdicts_are_words_with_signs(times: Results) -> None:
    judged = [a_claim(o, o) for o in ("holds", "does not hold", "not tested")]
    root = read(page_of(times, judged))
    badges = {node.text: node.attributes["class"] for node in root.all("span") if "class" in node.attributes}
    assert badges["✓ holds"] == "good"
    assert badges["✗ does not hold"] == "bad"
    assert badges["– not tested"] == "open"


def test_not_tested_says_why(times: Results) -> None:
    root = read(page_of(times, [a_claim("a", "not tested", "the data is not there", None)]))
    assert "not tested because the data is not there." in claim_of(root, "says a").text
    assert "Other claims" in root.text
    # Nor does a claim get lost whose experiment was not asked for.
    root = read(page_of(times, [a_claim("a", "not tested", "it was not asked for", "another")]))
    assert "it was not asked for" in claim_of(root, "says a").text


def test_experiments_in_order_with_pictures_and_what_varied(
    page: str, both: Results, pictures: dict[str, bytes]
) -> None:
    root = read(page)
    titles = [node.text.partition(". ")[2] for node in root.all("h2")]
    assert titles == [
        "Which claims of the paper hold?",
        *(e.title for e in both.plan.experiments),
        "Other claims",
        "The paper's integer program beside ours",
        "How can this be repeated?",
    ]
    images = root.all("img")
    start = "data:image/svg+xml;base64,"
    assert [b64decode(image.attributes["src"].removeprefix(start)) for image in images] == list(
        pictures.values()
    )
    assert all(image.attributes["alt"] for image in images)
    captions = [figure.caption for e in both.plan.experiments for figure in e.figures]
    assert all(caption in root.text for caption in captions)
    assert root.text.count("Not drawn, because no run of it is done yet") == len(captions) - len(pictures)
    assert "Numbers of clusters4, 6, 8" in root.text
    assert "at most 2,000 of each data set, drawn at random" in root.text


def test_table_1_is_beside_the_papers(times: Results) -> None:
    table = times.tables["times"].copy()
    table.loc[table["solver"] == "highs", "stopped"] = "time_limit"
    found = Results(times.plan, {"times": table})
    root = read(page_of(found, []))
    head = root.rows("Table 1, adult", "thead")[0]
    assert head[:4] == ["K", "k-means", "Paper: k-means", "Paper: MiniReL"]
    assert head[4:] == [f"MiniReL-{n}, {s}" for s in ("certified", "highs") for n in ("SP", "EqOp")]
    four = root.rows("Table 1, adult")[0]
    assert four[:4] == ["4", "1.00 (0.00)", "0.6 (0.03)", "13.4 (0.25)22.3 ×"]
    assert four[4] == "10.0 (0.0)10.0 ×"
    assert four[6] == "≥ 10.0 (0.0)≥ 10.0 ×"
    overall = root.rows("Table 1, adult", "tfoot")[0]
    assert overall[:4] == ["overall", "1.00 (0.00)", "1.2 (0.39)", "18.3 (3.43)15.3 ×"]
    # To the paper's 0.0 seconds there is no ratio.
    assert root.rows("Table 1, iris")[0][2:4] == ["0.0 (0)", "0.3 (0.13)"]
    assert "stopped by the time limit" in root.region("Table 1, adult").text


def test_solvers_are_compared_in_runs_that_both_made() -> None:
    rows = [
        ("iris", "MiniReL-SP", "certified", 4, 0, 1.0, 10.0, "converged"),
        ("iris", "MiniReL-SP", "certified", 4, 1, 3.0, 10.0, "converged"),
        ("iris", "MiniReL-SP", "certified", 5, 0, 99.0, 10.0, "converged"),
        ("iris", "MiniReL-SP", "highs", 4, 0, 20.0, 11.0, "converged"),
        ("iris", "MiniReL-SP", "highs", 4, 1, 60.0, 13.0, "time_limit"),
        ("iris", "k-means", "", 4, 0, 1.0, 10.0, None),
    ]
    columns = ["data", "method", "solver", "n_clusters", "seed", "seconds", "cost", "stopped"]
    table = pd.DataFrame(rows, columns=columns).assign(points=150)
    assert len(pairs_of(table)) == 2
    plan = results().plan
    found = Results(plan, {e.name: table[table["seed"] < 0] for e in plan.experiments} | {"times": table})
    root = read(page_of(found, []))
    (row,) = root.rows("Both solvers: How long does it take?")
    assert row == ["iris", "MiniReL-SP", "2", "2.00", "≥ 40.0", "≥ 20.0", "1.2000", "2 of 2", "1 of 2"]
    alone = Results(plan, found.tables | {"times": table[table["solver"] != "highs"]})
    assert "beside ours" not in page_of(alone, [])


def test_how_to_repeat(page: str, both: Results) -> None:
    last = read(page).all("section")[-1].text
    for said in (COMMAND, "3.12.1", "cores2", *(f"{e.name}.csv" for e in both.plan.experiments)):
        assert said in last


def test_nothing_done_yet() -> None:
    found = small_whole()
    root = read(page_of(found, judge(found)))
    assert not root.all("img")
    assert "0 of" in root.text


@pytest.fixture(scope="module")
def hostile_page(both: Results) -> str:
    judged = [
        Judged(
            Claim(name, "times", name, name, name, lambda r, s: None),
            {"certified": Finding("not tested", name), name: Finding("holds", name)},
        )
        for name in HOSTILE
    ]
    # The longest: only a name without spaces can push a page apart.
    rename = {"data": {"iris": HOSTILE[9], "adult": HOSTILE[0]}, "group": {"setosa": HOSTILE[4]}}
    tables = {name: table.replace(rename) for name, table in both.tables.items()}
    plan = replace(both.plan, left_out=dict.fromkeys(HOSTILE, HOSTILE[0]))
    found = Results(plan, tables)
    pictures = with_pictures(found)
    return page_of(found, judged, pictures, conditions=dict.fromkeys(HOSTILE, HOSTILE[1]), command=HOSTILE[3])


def test_hostile_names_are_text(hostile_page: str) -> None:
    root = read(hostile_page)
    assert len(root.all("script")) == len(root.all("style")) == 1
    for node in root.walk():
        assert not [name for name in node.attributes if name.startswith("on")]
        assert not {"srcset", "action", "srcdoc", "style"} & node.attributes.keys()
        assert (node.attributes.get("href") or "#claim-").startswith("#claim-")
        assert (node.attributes.get("src") or "data:image/svg+xml;base64,").startswith("data:image/svg+xml;")
    assert "<script>alert(1)</script>" in root.text
    hostile_page.encode()


@pytest.mark.some(3)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("kind", ["page", "hostile_page"])
def test_in_a_browser(
    kind: str, width: int, scheme: str, browser: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(request.getfixturevalue(kind).encode())
    size = {"width": width, "height": 800}
    with Shown(browser, path, viewport=size, color_scheme=scheme) as shown:
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.page.evaluate(CONTRASTS) == []
        pictures = shown.page.evaluate("[...document.images].map((i) => [i.complete, i.naturalWidth])")
        assert len(pictures) == len(DRAWN)
        assert all(complete and wide > 300 for complete, wide in pictures)
        grounds = shown.page.evaluate(
            "[...document.querySelectorAll('.picture')].map((e) => getComputedStyle(e).backgroundColor)"
        )
        assert set(grounds) == {"rgb(255, 255, 255)"}
