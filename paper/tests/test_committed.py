"""What docs/reproduction holds: a whole run, every promise kept, and the verdicts that are told of it."""

import re
from pathlib import Path

import pytest

from paper.claims import CLAIMS, judge
from paper.experiments import EXPERIMENTS
from paper.markdown import blocks, updated
from paper.plan import make_plan
from paper.restore import read_table
from paper.results import Results
from paper.tests.world import FullSource

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "reproduction"
MOST_BYTES = 3_500_000


@pytest.fixture(scope="module")
def results() -> Results:
    plan = make_plan(
        EXPERIMENTS.values(), FullSource(), quick=False, solvers=("certified", "highs"), time_limit=60
    )
    return Results(plan, {name: read_table(FOLDER, experiment) for name, experiment in EXPERIMENTS.items()})


def test_what_is_committed_is_tested():
    assert {path.stem for path in FOLDER.glob("*.csv")} - {"table_1", "stories"} == set(EXPERIMENTS)


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda experiment: experiment.name)
def test_every_planned_run_of_our_solver_is_there(results, experiment):
    grid = experiment.whole
    table = results.need(experiment.name, "certified", data=grid.data)
    runs = table[["data", "method", "n_clusters", "seed"]].drop_duplicates()
    assert len(runs) == len(list(experiment.runs(quick=False, solver="certified")))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_promise_is_kept(results, name):
    table = results.tables[name]
    fair = table[table["solver"] != ""]
    found = fair[fair["promises_kept"].notna()]
    assert len(found) > 0
    assert found["promises_kept"].astype(bool).all()
    # Only the paper's integer program may end without any clustering.
    assert set(fair.loc[fair["promises_kept"].isna(), "solver"]) <= {"highs"}
    if "promised" in table:
        assert (found["represented"] >= found["promised"]).all()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_the_verdicts_told_are_those_of_the_tables(results, claim):
    outcome = claim.judge(results, "certified").outcome
    told = (DOCS / "reproduction.md").read_text(encoding="utf-8").partition("<!-- claims -->")[2]
    assert re.findall(rf"^\| {re.escape(claim.name)} \| ([a-z ]+?) \|", told, flags=re.M) == [outcome]
    page = (FOLDER / "reproduction.html").read_text(encoding="utf-8")
    row = page[page.index(f"<bdi>{claim.name}</bdi>") :]
    assert re.search(r"</span>([a-z ]+)</span>", row)[1] == outcome


def test_the_tables_told_are_those_of_the_runs(results):
    told = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    tables = blocks(results, judge(results))
    assert [told.count(f"<!-- {name} -->") for name in tables] == [1] * len(tables)
    assert told.count("<!-- end -->") == len(tables)
    assert updated(told, tables) == told


def test_figures_are_there_in_both_formats():
    for experiment in EXPERIMENTS.values():
        for figure in experiment.figures:
            for ending in ("svg", "png"):
                assert (FOLDER / "figures" / f"{figure.name}.{ending}").stat().st_size > 1_000


def test_it_is_small_and_tells_nothing_of_the_machine():
    runs = FOLDER / "runs"
    files = [path for path in FOLDER.rglob("*") if path.is_file() and runs not in path.parents]
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
    for path in files:
        if path.suffix in (".csv", ".html", ".json"):
            content = path.read_text(encoding="utf-8")
            assert "/home" not in content
            assert "/tmp" not in content
