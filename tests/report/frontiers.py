"""A small frontier and its page, made once."""

from functools import cache

from sklearn.datasets import load_iris

from minirel import Frontier, frontier
from minirel.report import Source, frontier_report


@cache
def iris_frontier() -> Frontier:
    data = load_iris()
    return frontier(
        data.data[1::2],
        data.target_names[data.target[1::2]],
        n_clusters=[3, 5],
        alpha=[0.51, 0.75],
        beta=[1, {"versicolor": 2}, {"versicolor": 3}],
        random_state=0,
    )


@cache
def iris_page() -> str:
    found = iris_frontier()
    return frontier_report(
        found,
        title="Iris",
        budget=0.1,
        choose_k=found.choose_k(n_seeds=1),
        commands=[f"minirel fit iris.csv -k {one.n_clusters}" for one in found.requests],
        source=Source("iris.csv", 75, 5, "sha256:01", "minirel frontier iris.csv"),
    )
