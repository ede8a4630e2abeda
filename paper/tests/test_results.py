"""Tables: complete or said not to be, and the same bytes for the same runs."""

import io
import os
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paper.data import ADULT, IRIS, DataSource
from paper.experiment import SETTING, Grid
from paper.results import NotTestedError, read_results, to_csv
from paper.run import SOLVERS
from paper.store import Store
from paper.tests.small import METHODS, done, planned, small
from thorough import often

DIGITS = {"seconds": 4, "prefix_seconds": 4, "gap": 3}
ONE = small("one", grid=Grid((IRIS,), (4, 5), (0, 1)))
GROUPS = small("groups", grid=Grid((IRIS,), (5,), (1, 2)), by_group=True, measured=("cost", "promises_kept"))
PLAN = planned(ONE, GROUPS, solvers=SOLVERS)
N_RUNS = len(PLAN.timed)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    done(PLAN, folder)
    return folder


@pytest.fixture(scope="module")
def results(kept):
    return read_results(PLAN, Store(kept))


@pytest.mark.parametrize("solver", SOLVERS)
def test_whole_tables(results, solver):
    table = results.need("one", solver, data=[IRIS])
    assert list(table.columns) == [*SETTING, *ONE.measured]
    assert len(table) == 2 * 2 * 3
    assert set(table["solver"]) == {"", solver}
    assert (table.loc[table["method"] == "k-means", "solver"] == "").all()
    assert table.loc[table["method"] != "k-means", "promises_kept"].all()
    table = results.need("groups", solver, data=[IRIS], methods=["EqOp"])
    assert list(table.columns) == [*SETTING, "group", "size", "represented", "promised", *GROUPS.measured]
    assert len(table) == 2 * 3
    assert set(table["group"]) == {"setosa", "versicolor", "virginica"}
    assert (table["represented"] >= table["promised"]).all()
    assert (table["promised"] == 1).all()
    assert results.solvers == [*SOLVERS]


def test_rows_are_of_their_runs(results, kept):
    table = results.tables["one"]
    store = Store(kept)
    assert len(table) == len(PLAN.runs["one"])
    for row, (method, run) in zip(table.itertuples(), PLAN.runs["one"], strict=True):
        record = store.get(run)
        assert (row.method, row.n_clusters, row.seed) == (method, run.n_clusters, run.seed)
        assert (row.cost, row.iterations, row.solver) == (
            record["cost"],
            record["iterations"],
            run.solver or "",
        )


def due(experiment, solver, methods):
    return {
        (method, run.n_clusters, run.seed)
        for method, run in PLAN.runs[experiment]
        if method in methods and run.solver in (None, solver)
    }


ways = st.sets(st.sampled_from([*METHODS]), min_size=1)


@settings(max_examples=often(25, 200))
@given(
    lost=st.sets(st.integers(0, N_RUNS - 1), max_size=3) | st.sets(st.integers(0, N_RUNS - 1)),
    experiment=st.sampled_from(["one", "groups"]),
    solver=st.sampled_from(SOLVERS),
    methods=st.none() | ways,
)
def test_all_rows_or_none(kept, lost, experiment, solver, methods):
    with tempfile.TemporaryDirectory() as name:
        store = Store(Path(name))
        store.open()
        for number, run in enumerate(PLAN.timed):
            if number not in lost:
                os.link(kept / "runs" / f"{run.key}.json", Path(name) / "runs" / f"{run.key}.json")
        found = read_results(PLAN, store)
    wanted = due(experiment, solver, methods or METHODS)
    gone = {PLAN.timed[number] for number in lost}
    is_whole = not any(
        run in gone and (method, run.n_clusters, run.seed) in wanted and run.solver in (None, solver)
        for method, run in PLAN.runs[experiment]
    )
    if not is_whole:
        with pytest.raises(
            NotTestedError, match=rf"^only \d+ of its {len(wanted)} runs with {solver} are done"
        ):
            found.need(experiment, solver, data=[IRIS], methods=methods)
        return
    table = found.need(experiment, solver, data=[IRIS], methods=methods)
    assert set(zip(table["method"], table["n_clusters"], table["seed"], strict=True)) == wanted
    assert len(table) == len(wanted) * (3 if experiment == "groups" else 1) > 0


def test_what_cannot_be_judged(results, tmp_path, monkeypatch):
    monkeypatch.delenv("MINIREL_DATA", raising=False)
    with pytest.raises(NotTestedError, match=r"^the experiment 'race' was not asked for$"):
        results.need("race", "certified", data=[IRIS])
    with pytest.raises(NotTestedError, match=r"^adult is not part of this run of the experiment$"):
        results.need("one", "certified", data=[IRIS, ADULT])
    for data, methods in (([], None), ([IRIS], ["k-medians"]), ([IRIS], ["EqOp", "k-medians"])):
        with pytest.raises(NotTestedError):
            results.need("one", "certified", data=data, methods=methods)
    with pytest.raises(NotTestedError, match="with gurobi are done"):
        results.need("one", "gurobi", data=[IRIS])
    both = planned(small(grid=Grid((IRIS, ADULT), (4,), (0,))), source=DataSource(tmp_path))
    _, partly = done(both, tmp_path)
    assert len(partly.need("small", "certified", data=[IRIS])) == 3
    with pytest.raises(NotTestedError, match=r"^adult is left out: there is no adult.data in "):
        partly.need("small", "certified", data=[IRIS, ADULT])


def test_a_sample_is_not_all_points(tmp_path):
    drawn = small(grid=Grid((IRIS,), (4,), (0,), sample=60), whole=Grid((IRIS,), (4,), (0,)))
    _, quick = done(planned(drawn, quick=True), tmp_path)
    assert len(quick.need("small", "certified", data=[IRIS])) == 3
    with pytest.raises(NotTestedError, match=r"about all points, and of iris only 60 were drawn"):
        quick.need("small", "certified", data=[IRIS], all_points=True)
    _, whole = done(planned(drawn), tmp_path)
    assert set(whole.need("small", "certified", data=[IRIS], all_points=True)["points"]) == {150}
    # To ask for more than there are is to draw all.
    _, all_drawn = done(planned(small(grid=Grid((IRIS,), (4,), (0,), sample=2_000))), tmp_path)
    assert set(all_drawn.need("small", "certified", data=[IRIS], all_points=True)["points"]) == {150}


def test_a_run_that_found_nothing_is_no_result(tmp_path):
    plain, by_group = small(), small("by_group", by_group=True)
    plan = planned(plain, by_group, solvers=("highs",), time_limit=1e-6)
    told, results = done(plan, tmp_path)
    assert told.now == plan.timed
    assert len(results.need("small", "highs", data=[IRIS], methods=["k-means"])) == 4
    with pytest.raises(NotTestedError, match=r"^8 of its runs with highs found no clustering in time$"):
        results.need("small", "highs", data=[IRIS])
    with pytest.raises(NotTestedError):
        results.need("by_group", "highs", data=[IRIS])
    back = pd.read_csv(io.BytesIO(to_csv(results.tables["small"])))
    assert back["cost"].isna().sum() == 8


def test_nothing_done_yet(tmp_path):
    nothing = read_results(PLAN, Store(tmp_path))
    assert nothing.solvers == []
    assert to_csv(nothing.tables["one"]).decode() == ",".join([*SETTING, *ONE.measured]) + "\n"
    with pytest.raises(NotTestedError, match=r"^only 0 of its 12 runs with certified are done$"):
        nothing.need("one", "certified", data=[IRIS])


@pytest.mark.parametrize("name", ["one", "groups"])
def test_csv(results, kept, name):
    table = results.tables[name]
    content = to_csv(table)
    assert to_csv(read_results(PLAN, Store(kept)).tables[name]) == content
    assert b"\r" not in content
    assert content.endswith(b"\n")
    back = pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values={"": []}, dtype=str)
    assert list(back.columns) == list(table.columns)
    assert len(back) == len(table)
    for column in table.columns:
        digits = DIGITS.get(column, 10)
        for text, value in zip(back[column], table[column], strict=True):
            if pd.isna(value):
                assert text == ""
            elif isinstance(value, float):
                assert float(text) == float(f"{value:.{digits}g}")
                assert float(text) == pytest.approx(value, rel=10 ** (1 - digits))
            else:
                assert text == str(value)
    # A row says which run, and which group, it is about; no two are about the same.
    about = [*SETTING, *(["group"] if name == "groups" else [])]
    assert not back.duplicated(about).any()
    # Plain reading gives the types back.
    plain = pd.read_csv(io.BytesIO(content))
    assert plain["n_clusters"].dtype.kind == plain["seed"].dtype.kind == "i"
    assert plain["cost"].dtype.kind == "f"


def test_csv_leaves_the_table_as_it_is(kept):
    table, again = (read_results(PLAN, Store(kept)).tables["one"] for _ in range(2))
    to_csv(table)
    pd.testing.assert_frame_equal(table, again)
