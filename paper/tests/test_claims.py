"""Verdicts follow the numbers, and without the numbers there is none."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paper.claims import CLAIMS, judge
from paper.claims.measures import cost_ratio
from paper.data import ADULT, DEFAULT
from paper.experiments import EXPERIMENTS
from paper.experiments.search import SEARCHES
from paper.results import best_runs
from paper.tests.world import FullSource, World, results_of
from thorough import often

RIGHT = results_of(World(paper_is_right=True))
WRONG = results_of(World(paper_is_right=False))
TESTED = [claim for claim in CLAIMS if claim.experiment is not None]
UNTESTED = [claim for claim in CLAIMS if claim.experiment is None]


def with_table(results, experiment, table):
    return replace(results, tables={**results.tables, experiment: table})


def named(claims):
    return pytest.mark.parametrize("claim", claims, ids=lambda claim: claim.name)


def test_names_are_unique_and_experiments_exist():
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.experiment for claim in TESTED} | {"search"} == set(EXPERIMENTS)
    assert {claim.name for claim in CLAIMS if claim.searched} == {
        "Fairness costs practically nothing",
        "The increase is modest",
    }


@named(TESTED)
def test_holds_where_the_paper_is_right(claim):
    finding = claim.judge(RIGHT, "certified")
    assert finding.outcome == "holds", finding.because


@named(TESTED)
def test_does_not_hold_where_it_is_wrong(claim):
    finding = claim.judge(WRONG, "certified")
    assert finding.outcome == "does not hold", finding.because


@named(UNTESTED)
def test_a_theorem_is_not_tested(claim):
    assert claim.judge(RIGHT, "certified").outcome == "not tested"


@named(CLAIMS)
def test_nothing_holds_without_runs(claim):
    empty = replace(RIGHT, tables={name: table.iloc[:0] for name, table in RIGHT.tables.items()})
    assert claim.judge(empty, "certified").outcome == "not tested"


@named(CLAIMS)
def test_nothing_holds_by_runs_of_another_solver(claim):
    fair = {name: table[table["solver"] == "certified"] for name, table in RIGHT.tables.items()}
    assert claim.judge(replace(RIGHT, tables=fair), "highs").outcome == "not tested"


class IrisAlone(FullSource):
    def missing(self, name):
        return None if name == "iris" else "no files"


IRIS_ALONE = IrisAlone()


@named(TESTED)
def test_no_verdict_without_the_large_data(claim):
    finding = claim.judge(results_of(World(True), source=IRIS_ALONE), "certified")
    on_iris_alone = claim.name.startswith("On iris")
    assert finding.outcome == ("holds" if on_iris_alone else "not tested")
    assert on_iris_alone or "no files" in finding.because


@named(TESTED)
def test_samples_say_nothing_of_all_points(claim):
    finding = claim.judge(results_of(World(True), quick=True), "certified")
    if finding.outcome == "not tested":
        assert "only 2,000 were drawn" in finding.because or "only 1,000 were drawn" in finding.because
    assert ("all points" in finding.because) == (finding.outcome == "not tested")


@settings(max_examples=often(30, 300))
@given(claim=st.sampled_from(TESTED), data=st.data())
def test_a_missing_run_leaves_no_verdict_or_did_not_matter(claim, data):
    """Whatever runs are missing, either none of them counts, or the claim is not tested."""
    table = RIGHT.tables[claim.experiment]
    run = data.draw(st.sampled_from(range(len(table))))
    gone = table.iloc[run]
    setting = ["data", "method", "n_clusters", "seed"]
    is_gone = (table[setting] == gone[setting]).all(axis=1)
    finding = claim.judge(with_table(RIGHT, claim.experiment, table[~is_gone]), "certified")
    # A run that matters changes the verdict when its numbers are absurd; the one that is gone must count too.
    if finding.outcome != "not tested":
        absurd = table.copy()
        numbers = [
            c for c in ("seconds", "iterations", "cost", "represented", "prefix_seconds") if c in table
        ]
        for name in numbers:
            absurd.loc[is_gone, name] = absurd[name].dtype.type(10**9)
        told = claim.judge(with_table(RIGHT, claim.experiment, absurd), "certified")
        assert told == finding


# Promises are kept by cut runs too, and the small program ends before anything is cut.
CAN_BE_CUT = [
    claim
    for claim in TESTED
    if "stopped" in RIGHT.tables[claim.experiment] and "program takes no time" not in claim.name
]


@named(CAN_BE_CUT)
def test_runs_that_were_cut_do_not_pass_for_results(claim):
    """With a low time limit every fit is quick: that proves nothing."""
    table = RIGHT.tables[claim.experiment]
    cut = table.assign(stopped=table["stopped"].where(table["solver"] == "", "time_limit"))
    assert claim.judge(with_table(RIGHT, claim.experiment, cut), "certified").outcome == "not tested"


def test_speed_up_over_a_stopped_program_is_a_lower_bound():
    [claim] = [c for c in TESTED if "400 times" in c.name]
    table = RIGHT.tables["full_program"]
    is_full = table["method"] == "full program"
    cut = table.assign(stopped=table["stopped"].where(~is_full, "time_limit"))
    enough = claim.judge(with_table(RIGHT, "full_program", cut), "certified")
    assert enough.outcome == "holds"
    assert "at least" in enough.because
    slower = cut.assign(seconds=cut["seconds"].where(~is_full, 60.0))
    too_little = claim.judge(with_table(RIGHT, "full_program", slower), "certified")
    assert too_little.outcome == "not tested"
    assert f"{EXPERIMENTS['full_program'].time_limit:g} seconds" in too_little.because


def test_quality_is_compared_only_where_both_finished():
    [claim] = [c for c in TESTED if "cost quality" in c.name]
    table = RIGHT.tables["full_program"]
    grid = EXPERIMENTS["full_program"].whole
    worse = (table["method"] == "full program") & (table["n_clusters"] == grid.n_clusters[-1])
    # Cut and far worse where cut: no effect.
    cut = table.assign(
        stopped=table["stopped"].where(~worse, "time_limit"), cost=table["cost"].where(~worse, 1e-9)
    )
    finding = claim.judge(with_table(RIGHT, "full_program", cut), "certified")
    assert finding.outcome == "holds"
    n_all = len(grid.n_clusters) * len(grid.seeds)
    assert f"of {n_all - len(grid.seeds)} fits that finished, of {n_all})" in finding.because


def test_both_solvers_are_judged():
    judged = judge(results_of(World(True), quick=True, solvers=("certified", "highs")))
    assert [found.claim for found in judged] == list(CLAIMS)
    for found in judged:
        searched = [*SEARCHES] if found.claim.searched else []
        assert list(found.findings) == ["certified", "highs", *searched]
    [fair] = [found.findings for found in judged if found.claim.name == "MiniReL is fair"]
    assert fair["highs"].outcome == "holds"


def told(claim, world_or_results, way):
    results = results_of(world_or_results) if isinstance(world_or_results, World) else world_or_results
    return claim.judge(results, way)


SEARCHED = [(claim, search) for claim in CLAIMS if claim.searched for search in SEARCHES]
searches = pytest.mark.parametrize(
    ("claim", "search"), SEARCHED, ids=lambda part: getattr(part, "name", part)
)


@pytest.mark.some(6)
@searches
@pytest.mark.parametrize("paper_is_right", [True, False])
@pytest.mark.parametrize("search_is_right", [True, False])
def test_each_story_is_judged_for_itself(claim, search, paper_is_right, search_is_right):
    world = World(paper_is_right, search_is_right)
    words = {True: "holds", False: "does not hold"}
    assert told(claim, world, "certified").outcome == words[paper_is_right]
    assert told(claim, world, search).outcome == words[search_is_right]


@searches
def test_a_search_is_judged_by_its_own_runs(claim, search):
    """By all of them that ended, and by none of the other search."""
    table = RIGHT.tables["search"]
    mine = table["method"].str.endswith(", search" if search == "search" else " swaps")
    assert 0 < mine.sum() < len(table) / 2
    absurd = table.assign(cost=table["cost"].where(mine | (table["method"] == "k-means"), 1e9))
    absurd["seconds"] = table["seconds"].where(mine | (table["method"] == "k-means"), 1e9)
    assert told(claim, with_table(RIGHT, "search", absurd), search) == told(claim, RIGHT, search)
    for changed in (
        table[~mine | (table["seed"] != 3)],
        table.assign(stopped=table["stopped"].where(~mine, "time_limit")),
        table.iloc[:0],
    ):
        finding = told(claim, with_table(RIGHT, "search", changed), search)
        assert finding.outcome == "not tested"


def test_without_the_search_both_stories_are_told_as_far_as_they_go():
    plan = replace(RIGHT.plan, experiments=tuple(e for e in RIGHT.plan.experiments if e.name != "search"))
    found = {each.claim.name: each.findings for each in judge(replace(RIGHT, plan=plan))}
    both = found["The increase is modest"]
    assert list(both) == ["certified", "search", "swaps"]
    assert [finding.outcome for finding in both.values()] == ["holds", "not tested", "not tested"]
    assert both["swaps"].because == "the experiment 'search' was not asked for"
    assert list(found["MiniReL is fair"]) == ["certified"]


@pytest.mark.parametrize("search", SEARCHES)
def test_a_clustering_is_compared_with_k_means_of_as_much_search(search):
    """Where search makes k-means cheaper too, fairness has its price again."""
    [claim] = [c for c in CLAIMS if c.name == "Fairness costs practically nothing"]
    table = RIGHT.tables["search"]
    cheaper = table.assign(k_means_cost=table["k_means_cost"] / 1.1)
    finding = told(claim, with_table(RIGHT, "search", cheaper), search)
    assert finding.outcome == "does not hold"
    assert "+11.1% (at most +11.1%)" in finding.because
    assert told(claim, with_table(RIGHT, "search", cheaper), "certified").outcome == "holds"


def test_best_runs_take_the_first_of_the_cheapest_with_all_its_groups():
    rows = pd.DataFrame(
        {
            "data": ["a"] * 6,
            "method": ["m"] * 6,
            "solver": [""] * 6,
            "n_clusters": [4] * 6,
            "seed": [0, 0, 1, 1, 2, 2],
            "group": ["x", "y"] * 3,
            "cost": [3.0, 3.0, 2.0, 2.0, 2.0, 2.0],
        }
    )
    assert best_runs(rows)[["seed", "group"]].to_numpy().tolist() == [[1, "x"], [1, "y"]]


def test_cost_ratio_is_a_geometric_mean_of_pairs():
    rows = pd.DataFrame(
        {
            "data": [DEFAULT, DEFAULT, ADULT, ADULT],
            "method": ["a", "b", "a", "b"],
            "n_clusters": [4] * 4,
            "seed": [0] * 4,
            "cost": [2.0, 1.0, 8.0, 1.0],
        }
    )
    assert cost_ratio(rows, "a", "b") == pytest.approx(4.0)
