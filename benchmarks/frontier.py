"""How long a frontier takes, next to one fit after another of the same requests, and what each finds.

    python benchmarks/frontier.py            # adult, 48 requests; about three minutes
    python benchmarks/frontier.py default    # the other data set

Processor time of one process, so that what else runs on the machine matters little; both with one thread.
"""

import time
import warnings
from itertools import product
from typing import Any

import numpy as np

from data import DATA
from measure import header, row, run_parts
from minirel import InfeasibleFairnessError, MiniReL, frontier

NUMBERS, ALPHAS = (6, 8, 10, 12), (0.4, 0.5, 0.51, 0.6)
BETAS = (2, "equality_of_opportunity", "statistical_parity")


def compare(name: str) -> None:
    X, groups = DATA[name]()
    MiniReL(4, random_state=0).fit(X, sensitive_features=groups)  # the compiler's time is paid once
    start = time.process_time()
    found = frontier(X, groups, n_clusters=NUMBERS, alpha=ALPHAS, beta=BETAS, random_state=0, n_jobs=1)
    together = time.process_time() - start
    start = time.process_time()
    alone = [_cost(X, groups, *request) for request in product(NUMBERS, ALPHAS, BETAS)]
    one_by_one = time.process_time() - start
    costs = found.columns()["cost"]
    ratios = [shared / own for shared, own in zip(costs, alone, strict=True) if own is not None]
    assert all((own is None) == bool(np.isnan(shared)) for shared, own in zip(costs, alone, strict=True))
    header(
        "data",
        "requests",
        "infeasible",
        "one by one",
        "frontier",
        "ratio",
        "cost / cost alone",
        "least",
        "most",
    )
    row(
        *(name, len(found), sum(own is None for own in alone), f"{one_by_one:.1f} s", f"{together:.1f} s"),
        *(
            f"{together / one_by_one:.2f}",
            f"{np.mean(ratios):.6f}",
            f"{min(ratios):.6f}",
            f"{max(ratios):.6f}",
        ),
    )


def _cost(X: Any, groups: Any, n_clusters: int, alpha: float, beta: Any) -> float | None:
    model = MiniReL(n_clusters, alpha=alpha, beta=beta, random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(model.fit(X, sensitive_features=groups).inertia_)
        except InfeasibleFairnessError:
            return None


def adult() -> None:
    """48 requests on all of Adult: K=6, 8, 10, 12; alpha 0.4, 0.5, 0.51, 0.6; three betas."""
    compare("adult")


def default() -> None:
    """The same requests on the default data."""
    compare("default")


PARTS = {part.__name__: part for part in (adult, default)}

if __name__ == "__main__":
    run_parts(PARTS)
