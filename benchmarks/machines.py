"""Whether the same seed gives the same labels on every machine that this one can play.

    python benchmarks/machines.py              # iris, Adult and default, K=10: some minutes
    python benchmarks/machines.py iris 3       # some data, so many seeds

For each setting of tests/machine_settings.py: how many fits have other labels than in the first, and the
first number on the way to them that is not the same to the last bit.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from data import DATA
from machine_settings import one_by_one, start
from measure import header, row
from minirel import MiniReL
from minirel.clustering import restarts
from minirel.clustering import steps as loop

SEEDS = 5
INITS = ("k-means", "k-means++", "random")


def iris() -> tuple[np.ndarray, np.ndarray]:
    return load_iris(return_X_y=True)


ALL = {"iris": iris, **DATA}


def digest(*arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[
        :12
    ]


def follow(name: str, n_seeds: int) -> None:
    """Print what happened in each fit, one after another, in digests."""
    steps: list[tuple[str, str]] = []
    place, assign = restarts.first_centers, loop.reassign

    def placed(*args: Any) -> np.ndarray:
        centers = place(*args)
        steps.append(("first centers", digest(centers)))
        return centers

    def assigned(problem: Any, *args: Any) -> Any:
        steps.append(("costs", digest(problem.costs)))
        steps.append(("prefix", digest(sorted(problem.prefix or ()))))
        answer, stays = assign(problem, *args)
        prices = answer.prices
        steps.append(
            ("prices", digest(*((prices.groups, prices.smallest, prices.largest) if prices else ())))
        )
        steps.append(("assignment", digest(answer.labels)))
        return answer, stays

    restarts.first_centers, loop.reassign = placed, assigned
    X, groups = ALL[name]()
    for init in INITS:
        for seed in range(n_seeds):
            steps.clear()
            model = MiniReL(10, init=init, random_state=seed).fit(X, sensitive_features=groups)
            steps.append(("labels", digest(model.labels_)))
            cost = f"{model.inertia_:.10g} after {model.n_iter_}"
            print(json.dumps({"fit": [init, seed], "cost": cost, "steps": steps}), flush=True)


def first_difference(steps: list[list[str]], others: list[list[str]]) -> str:
    """The step at which two fits part, with its number among those of its kind."""
    for i, (one, other) in enumerate(zip(steps, others, strict=False)):
        if one != other:
            number = sum(step == one[0] for step, _ in steps[: i + 1])
            return one[0] if one[0] in ("first centers", "labels") else f"{one[0]} {number}"
    return ""


def compare(name: str, n_seeds: int) -> None:
    reference: dict[str, Any] = {}
    for setting, env in one_by_one().items():
        process = start(env, __file__, "--follow", name, str(n_seeds))
        told, complaint = process.communicate()
        if process.returncode:
            row(name, setting, "", f"failed: {complaint.strip().splitlines()[-1]}", "", "")
            continue
        fits = {tuple(fit["fit"]): fit for fit in map(json.loads, told.splitlines())}
        reference = reference or fits
        for init in INITS:
            pairs = [(fit, fits[key]) for key, fit in reference.items() if key[0] == init]
            parted = [
                first_difference(one["steps"], other["steps"])
                for one, other in pairs
                if one["steps"] != other["steps"]
            ]
            others = [(one, other) for one, other in pairs if one["steps"][-1] != other["steps"][-1]]
            costs = ", ".join(f"{one['cost']} / {other['cost']}" for one, other in others)
            first = ", ".join(f"{where} ({parted.count(where)})" for where in sorted(set(parted)))
            row(name, setting, init, f"{len(others)} of {len(pairs)}", first, costs)


if __name__ == "__main__":
    if "--follow" in sys.argv:
        follow(sys.argv[-2], int(sys.argv[-1]))
    else:
        names = [name for name in sys.argv[1:] if name in ALL] or list(ALL)
        seeds = int(sys.argv[-1]) if sys.argv[-1].isdigit() else SEEDS
        header(
            "data",
            "setting",
            "start",
            "fits with other labels",
            "first difference (fits)",
            "costs, iterations",
        )
        for name in names:
            compare(name, seeds)
