"""Table 1, by numbers that can be checked by hand."""

from itertools import pairwise

import pandas as pd
import pytest

from paper.results import to_csv
from paper.table_1 import table_1


def times(rows: list[tuple]) -> pd.DataFrame:
    columns = ["data", "method", "solver", "n_clusters", "seed", "seconds", "stopped"]
    return pd.DataFrame(rows, columns=columns).assign(points=150)


@pytest.fixture
def by_hand() -> pd.DataFrame:
    return times(
        [
            ("adult", "k-means", "", 4, 0, 1.0, None),
            ("adult", "k-means", "", 4, 1, 3.0, None),
            ("adult", "k-means", "", 5, 0, 4.0, None),
            ("adult", "k-means", "", 5, 1, 4.0, None),
            ("adult", "MiniReL-SP", "certified", 4, 0, 9.0, "converged"),
            ("adult", "MiniReL-SP", "certified", 4, 1, 11.0, "time_limit"),
            ("adult", "MiniReL-SP", "certified", 5, 0, 20.0, "converged"),
            ("adult", "MiniReL-SP", "highs", 4, 0, 100.0, "converged"),
            ("iris", "k-means", "", 15, 0, 0.5, None),
            ("iris", "MiniReL-EqOp", "certified", 15, 0, 1.0, "converged"),
        ]
    )


def row(table: pd.DataFrame, data: str, k: object) -> pd.Series:
    (found,) = (each for _, each in table.iterrows() if (each["data"], each["n_clusters"]) == (data, k))
    return found


def test_means_and_standard_deviations(by_hand: pd.DataFrame) -> None:
    found = row(table_1(by_hand), "adult", 4)
    assert found["k-means mean"] == 2
    assert found["k-means sd"] == pytest.approx(2**0.5)
    assert found["MiniReL-SP certified mean"] == 10
    assert found["MiniReL-SP certified sd"] == pytest.approx(2**0.5)
    assert found["MiniReL-SP certified ratio"] == 5
    assert found["MiniReL-SP certified stopped"] == 1
    assert found["MiniReL-SP highs mean"] == 100
    assert pd.isna(found["MiniReL-SP highs sd"]), "of one run there is none"
    assert found["MiniReL-SP highs ratio"] == 50
    assert pd.isna(found["MiniReL-EqOp certified mean"])


def test_the_overall_row_is_over_runs_and_not_over_means(by_hand: pd.DataFrame) -> None:
    found = row(table_1(by_hand), "adult", "overall")
    assert found["k-means mean"] == 3
    assert found["k-means sd"] == pytest.approx((6 / 3) ** 0.5)
    assert found["MiniReL-SP certified mean"] == pytest.approx(40 / 3), "K=4 counts twice"
    assert found["MiniReL-SP certified ratio"] == pytest.approx(40 / 9)


def test_the_papers_numbers(by_hand: pd.DataFrame) -> None:
    table = table_1(by_hand)
    four, overall = row(table, "adult", 4), row(table, "adult", "overall")
    assert four["paper k-means mean"] == 0.6
    assert four["paper k-means sd"] == 0.03
    assert four["paper MiniReL mean"] == 13.4
    assert four["paper MiniReL sd"] == 0.25
    assert four["paper ratio"] == pytest.approx(13.4 / 0.6)
    assert overall["paper ratio"] == pytest.approx(18.3 / 1.2)
    # To 0.0 seconds there is no ratio.
    fifteen = row(table, "iris", 15)
    assert fifteen["paper MiniReL mean"] == 0.5
    assert pd.isna(fifteen["paper ratio"])


def test_rows_in_order_each_data_set_with_its_overall_row(by_hand: pd.DataFrame) -> None:
    table = table_1(by_hand)
    assert list(zip(table["data"], table["n_clusters"], strict=True)) == [
        ("adult", 4),
        ("adult", 5),
        ("adult", "overall"),
        ("iris", 15),
        ("iris", "overall"),
    ]
    # Solvers that nobody used have no columns.
    assert not [name for name in table.columns if name.startswith("MiniReL-EqOp highs")]


def test_what_the_paper_did_not_time_and_nothing_at_all() -> None:
    found = table_1(times([("wine", "k-means", "", 4, 0, 1.0, None)]))
    assert found["paper k-means mean"].isna().all()
    assert found["k-means mean"].tolist() == [1, 1]
    nothing = table_1(times([]))
    assert len(nothing) == 0
    assert list(nothing.columns) == list(found.columns)


def test_it_can_be_written(by_hand: pd.DataFrame) -> None:
    lines = to_csv(table_1(by_hand)).decode().splitlines()
    assert lines[1].startswith("adult,4,2,1.414213562,")
    assert all(a.count(",") == b.count(",") for a, b in pairwise(lines))
