"""Section 1: race in Adult."""

import pandas as pd

from paper.claims.claim import Claim, Finding, found
from paper.data import ADULT_BY_RACE
from paper.experiments.comparison import FAIR
from paper.results import Results, best_runs

_MINORITY = "non-white"
_PLACE = "Section 1"


def _minority(
    results: Results, solver: str, methods: tuple[str, ...], all_points: bool = False
) -> pd.DataFrame:
    rows = results.need("race", solver, data=(ADULT_BY_RACE,), methods=methods, all_points=all_points)
    return rows[rows["group"] == _MINORITY]


def _nothing(results: Results, solver: str) -> Finding:
    rows = _minority(results, solver, ("k-means",), all_points=True)
    reported = best_runs(rows)
    most, runs = int(reported["represented"].max()), int((rows["represented"] > 0).sum())
    share = rows["size"].iloc[0] / rows["points"].iloc[0]
    return found(
        most == 0,
        f"{share:.1%} are not white. With K={rows['n_clusters'].min()} to {rows['n_clusters'].max()} the "
        f"best of {rows['seed'].nunique()} runs of k-means gives them at most {most} clusters; of all "
        f"{len(rows):,} runs, {runs} give them one or more.",
    )


def _something(results: Results, solver: str) -> Finding:
    rows = _minority(results, solver, FAIR)
    kept = rows["represented"] >= rows["promised"]
    most = rows.groupby("method", sort=False)["represented"].max()
    reach = " and ".join(f"{count} with {method}" for method, count in most.items())
    return found(
        bool(kept.all()),
        f"{int(kept.sum()):,} of {len(rows):,} runs give them what is promised, and at most {reach}.",
    )


CLAIMS = (
    Claim(
        name="k-means gives people who are not white nothing",
        experiment="race",
        place=_PLACE,
        says="Of the people in Adult about 15% are not white, yet with as many as 20 clusters white people "
        "dominate every cluster of Lloyd's algorithm.",
        rule="For every K, in the best run of all seeds, they make up 51% of no cluster.",
        test=_nothing,
    ),
    Claim(
        name="MiniReL gives them clusters",
        experiment="race",
        place=_PLACE,
        says="A clustering that promises them clusters is needed, and MiniReL makes one.",
        rule="Every run gives them at least the clusters that the notion of fairness promises.",
        test=_something,
    ),
)
