"""The page of an audit, whoever made the clustering."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minirel import Audit, audit
from minirel.report import Source, audit_report


@pytest.fixture(scope="module")
def root(broken: Audit, source: Source, read: Callable[[str], Any]) -> Any:
    return read(audit_report(broken, title="Beds", source=source))


def test_order_of_the_questions(root: Any) -> None:
    assert [node.text for node in root.all("h2")] == [
        "1. Is every promise kept?",
        "2. Who holds which clusters?",
        "3. What is missing?",
        "4. Can I repeat it?",
    ]


def test_what_is_broken(root: Any, broken: Audit) -> None:
    assert "No, 1 of 2 promises is broken: virginica lacks 2 clusters." in root.text
    rows = {row[0]: row for row in root.rows("Promises by group")}
    for g, name in enumerate(broken.groups):
        assert rows[name][2:4] == [str(broken.beta[g]), str(broken.n_represented[g])]
        assert rows[name][4] == "60%"
        assert rows[name][5] == "50"
    assert rows["virginica"][1] == "✗ no, lacks 2"
    assert rows["versicolor"][1] == "nothing promised"


def test_what_is_missing(root: Any, broken: Audit) -> None:
    rows = root.rows("What is missing")
    g = broken.groups.index("virginica")
    assert {row[0] for row in rows} == {"virginica"}
    order = np.argsort(np.where(broken.represented[g], np.inf, broken.shortfall[g]), kind="stable")
    assert [int(row[2]) for row in rows] == order[: len(rows)].tolist()
    assert root.values("What is missing", 5) == broken.shortfall[g, order[: len(rows)]].tolist()


def test_nothing_is_missing(iris: Any, read: Callable[[str], Any]) -> None:
    labels = np.arange(150) // 25
    root = read(audit_report(audit(labels, iris[1], beta=2), title="x"))
    assert "Yes, every promise is kept: all 3 groups that were promised clusters have them." in root.text
    assert "Nothing: every promise is kept." in root.text
    assert "not told where its data came from" in root.text
    root = read(audit_report(audit(labels, iris[1]), title="x"))
    assert "Nothing was promised" in root.text
    root = read(audit_report(audit(labels, iris[1], beta={"setosa": 1}), title="x"))
    assert "the one group that was promised clusters has them." in root.text


def test_what_cannot_be_helped_by_joining(read: Callable[[str], Any]) -> None:
    sex = ["F", "M", "M", "M", "M", "M"]
    root = read(audit_report(audit([0, 0, 1, 1, 1, 1], sex, alpha=0.9, beta={"F": 1}), title="x"))
    assert "too few members elsewhere" in root.text
    root = read(audit_report(audit([0, 0, 1, 1, 1, 1], sex, alpha=1, beta={"F": 1}), title="x"))
    assert "needs the cluster to itself" in root.text


def test_shares_that_do_not_count(read: Callable[[str], Any]) -> None:
    result = audit([0, 0, 1, 1], ["F", "F", "M", "M"], beta=1, allowed={"F": [1]})
    root = read(audit_report(result, title="x"))
    assert "☆" in root.text
    assert [row[2:] for row in root.rows("Shares by cluster")] == [["100.0%☆", "0.0% "], ["0.0% ", "100.0%★"]]


def test_many_groups_and_clusters_stay_small(read: Callable[[str], Any]) -> None:
    random = np.random.RandomState(0)
    labels = [f"a cluster with a longer name {i}" for i in random.permutation(6_000) % 400]
    groups = [f"a group with a rather long name {i}" for i in random.permutation(6_000) % 250]
    page = audit_report(audit(labels, groups, beta=5), title="x")
    assert len(page.encode()) < 1_500_000
    root = read(page)
    assert "200 of 250 are shown" in root.text
    assert "200 of 400 are shown" in root.text
    assert "24 of 250 groups are shown" in root.text
    assert len(root.rows("Shares by cluster")) == 200


def test_weights_and_empty_clusters(read: Callable[[str], Any]) -> None:
    result = audit(
        [0, 0, 1], ["F", "M", "M"], sample_weight=[0.3, 0.1, 0.2], n_clusters=3, alpha=0.75, beta=1
    )
    root = read(audit_report(result, title="x"))
    rows = root.rows("Shares by cluster")
    assert [row[2] for row in rows] == ["75.0%★", "0.0% ", "0.0% "]
    assert root.values("Shares by cluster", 1) == result.sizes.tolist()


def test_an_empty_title(broken: Audit, read: Callable[[str], Any]) -> None:
    assert read(audit_report(broken, title=" ")).all("h1")[0].text == "Report"


def test_shares_out_of_bounds(iris: Any, read: Callable[[str], Any]) -> None:
    labels = np.arange(150) // 30  # 30, 20 + 10, 30, 10 + 20, 30
    result = audit(labels, iris[1], min_share={"setosa": 0.1}, max_share={"virginica": 0.6, "versicolor": 1})
    root = read(audit_report(result, title="x"))
    assert "No, 2 of 2 promises are broken: setosa is less than 10% of clusters 2, 3 and 4, " in root.text
    assert "virginica is more than 60% of clusters 3 and 4." in root.text
    rows = {row[0]: row for row in root.rows("Promises by group")}
    assert rows["setosa"][1] == "✗ no, out of bounds"
    assert rows["versicolor"][1] == "nothing promised"
    assert [row[5] for row in rows.values()] == ["at least 10%", "at most 60%", "any share"]
    shares = root.rows("Shares by cluster")
    assert [row[2].startswith("! ") for row in shares] == result.below[0].tolist()
    assert [row[4].startswith("! ") for row in shares] == result.above[2].tolist()
    bars = [node for node in root.walk() if str(node.attributes.get("class")).endswith(" out")]
    assert len(bars) == 5
    missing = root.rows("Shares out of bounds")
    assert missing[0] == ["setosa", "2", "0.0%", "less than 10%", "0", "30"]
    assert missing[-1] == ["virginica", "4", "100.0%", "more than 60%", "30", "30"]
    assert "Nothing: every promise is kept" not in root.text


def test_shares_within_bounds(iris: Any, read: Callable[[str], Any]) -> None:
    result = audit(np.arange(150) % 5, iris[1], min_share=0.3, max_share=0.4)
    root = read(audit_report(result, title="x"))
    assert "Yes, every promise is kept: every share is within its bounds." in root.text
    assert "Nothing: every promise is kept." in root.text


def test_too_few_members_leave_the_share_as_it_is(read: Callable[[str], Any]) -> None:
    sex = ["F"] * 2 + ["M"] * 6 + ["F"] * 4
    result = audit([0, 0, *[1] * 10], sex, alpha=0.5, beta={"F": 1}, min_members=5)
    root = read(audit_report(result, title="x"))
    assert [row[2] for row in root.rows("Shares by cluster")] == ["100.0% ", "40.0% "]
    rows = root.rows("What is missing")
    assert [row[2:4] for row in rows] == [["1", "40.0%"], ["0", "100.0%"]]
    assert rows[1][5:] == ["3", "4", "needs at least 5 members"]


def test_exclusive_clusters_that_are_short(read: Callable[[str], Any]) -> None:
    groups = {"a": [True, True], "b": [True, True]}
    result = audit([0, 1], groups, beta={"a": 1, "b": 2}, exclusive=True)
    root = read(audit_report(result, title="x"))
    assert "although it is represented in as many as it was promised." in root.text
    assert "Clusters count for one group only" in root.text


def test_sizes(read: Callable[[str], Any]) -> None:
    labels, sex = ["a", "a", "a", "b", "b", "b", "b"], ["F", "F", "M", "F", "M", "M", "M"]
    kept = read(audit_report(audit(labels, sex, min_size=3), title="x"))
    assert "✓ Yes, every promise is kept: every cluster has at least 3 members." in kept.text
    broken = read(audit_report(audit(labels, sex, min_size=[1, 5], max_size=[2, None]), title="x"))
    assert "✗ No, 2 of 2 promises are broken: cluster b is too small, cluster a is too large." in broken.text
    assert "Every cluster was to have a size within its own bounds." in broken.text
    assert broken.rows("Sizes") == [["a", "3", "1 to 2"], ["b", "4", "at least 5"]]
    assert [row[2] for row in broken.rows("Shares by cluster")] == ["1 to 2", "at least 5"]
