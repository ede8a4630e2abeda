"""Tables in a document: those between marks of their names, and nothing else, are brought up to date."""

from dataclasses import replace

import pytest

from paper.claims import judge
from paper.claims.claim import Judged
from paper.markdown import blocks, updated
from paper.results import Results
from paper.tests.world import World, results_of

BOTH = results_of(World(True, search_is_right=False), solvers=("certified", "highs"))


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return judge(BOTH)


@pytest.fixture(scope="module")
def tables(judged: list[Judged]) -> dict[str, str]:
    return blocks(BOTH, judged)


def rows(block: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines() if "|" in line]


def test_between_marks_only():
    text = "a\n<!-- one -->\n\nold | table\n\n<!-- end -->\nb <!-- two -->\n<!-- end --> c\n<!-- end -->"
    new = updated(text, {"one": "new \\1", "two": "2", "three": "3"})
    assert new == (
        "a\n<!-- one -->\n\nnew \\1\n\n<!-- end -->\nb <!-- two -->\n\n2\n\n<!-- end --> c\n<!-- end -->"
    )
    assert updated(new, {"one": "new \\1", "two": "2"}) == new
    assert updated("no marks", {"one": "new"}) == "no marks"


def test_counts(tables):
    n_runs = len({*BOTH.plan.timed, *BOTH.plan.untimed})
    assert tables["counts"].startswith(f"{n_runs:,} runs, ")
    assert (
        "Of 27 claims about the paper's method 25 hold, 0 do not, and 2 are not tested." in tables["counts"]
    )


def test_every_claim_with_its_verdict(judged, tables):
    found = rows(tables["claims"])
    assert found[0] == ["claim", "verdict", "place", "what was found"]
    assert [row[0] for row in found[2:]] == [each.claim.name for each in judged]
    assert [row[1] for row in found[2:]] == [each.findings["certified"].outcome for each in judged]


def test_both_stories(tables):
    verdicts, numbers, *_, picture = tables["stories"].split("\n\n")
    for row in rows(verdicts)[2:]:
        assert row[1:] == ["holds", "does not hold", "does not hold"]
    assert len(rows(verdicts)) == 2 + 2
    first = rows(numbers)[2:5]
    assert [row[1] for row in first] == ["MiniReL-SP", "MiniReL-SP, search", "MiniReL-SP, 30 swaps"]
    assert first[0][2:] == ["+1.0%", "+1.0%", "+1.0%", "+0.0%", "10.0", "10.0", "7"]
    assert first[1][2:4] == ["+50.0%", "+50.0%"]
    assert first[1][5:] == ["+48.5%", "50.0", "50.0", "7"]
    assert picture.endswith("(reproduction/figures/search_one_fit_eqop.png)")


def test_table_1_and_solvers(tables):
    adult = next(row for row in rows(tables["table 1"]) if row[0] == "adult")
    assert adult[1:3] == ["1.00 (0.00)", "10.00 (0.00) [10.0]"]
    assert adult[-2:] == ["1.2 (0.39)", "18.3 (3.43) [15.3]"]
    found = rows(tables["solvers"])
    assert len(found) == 2 + 3 * 4 + 3 * 2
    assert found[-1] == [
        "default, all points, MiniReL-EqOp",
        "120",
        "10.0",
        "10.0",
        "1",
        "0",
        "+0.00% to +0.00%",
    ]
    table = BOTH.tables["times"]
    cut = table.assign(stopped=table["stopped"].where(table["solver"] != "highs", "time_limit"))
    costs = BOTH.tables["costs"]
    dearer = costs.assign(cost=costs["cost"].where((costs["solver"] != "highs") | (costs["seed"] > 0), 1e9))
    first = (costs["solver"] == "highs") & (costs["seed"] == 0)
    dearer["stopped"] = costs["stopped"].where(~first, "time_limit")
    stopped = Results(BOTH.plan, {**BOTH.tables, "times": cut, "costs": dearer})
    last = rows(blocks(stopped, [])["solvers"])[-1]
    # Costs of fits that were cut do not count.
    assert last[3:] == ["at least 10.0", "at least 1", "120", "+0.00% to +0.00%"]
    none = Results(BOTH.plan, {**stopped.tables, "costs": dearer[first | (dearer["solver"] != "highs")]})
    assert rows(blocks(none, [])["solvers"])[-1][-1] == "–"


def test_what_was_not_asked_for_is_said():
    plan = replace(BOTH.plan, experiments=())
    nothing = Results(plan, {})
    tables = blocks(nothing, judge(nothing))
    for name in ("table 1", "stories", "solvers"):
        assert tables[name] == "These runs are not done yet."
    assert tables["counts"].startswith("0 runs, ")
