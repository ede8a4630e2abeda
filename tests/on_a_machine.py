"""What must come out alike on every machine, done here and told as JSON; `test_machines.py` runs it."""

import hashlib
import json
import sys
import traceback
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator
from threadpoolctl import threadpool_info

from assignment.test_oracle import check_all
from machine_settings import instructions
from minirel import MiniReL
from minirel.points.workers import n_threads

# Those that compare numbers of two fits, or of a fit and what follows from it.
CHECKS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_clusterer_compute_labels_predict",
    "check_clustering",
    "check_transformer_general",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit_idempotent",
)
ESTIMATORS = (MiniReL(), MiniReL(init="k-means++"))


def points(n: int, n_features: int, n_places: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around some places, with groups that are not spread evenly."""
    rng = np.random.default_rng(n)
    places = rng.normal(size=(n_places, n_features))
    X = places[rng.integers(0, n_places, n)] + 0.5 * rng.normal(size=(n, n_features))
    return X, (X[:, 0] + rng.normal(size=n) > 0.8).astype(int)


def labels() -> dict[str, str]:
    """Digests of labels, by what was fitted."""
    iris = load_iris(return_X_y=True)
    fits = {
        f"iris, {init}, {objective}": (
            iris,
            MiniReL(10, init=init, objective=objective, random_state=0),
        )
        for init in ("k-means", "random")
        for objective in ("k-means", "k-medians")
    }
    fits["30,000 points, compiled"] = points(30_000, 6, 8), MiniReL(8, random_state=0)
    fits["60,000 points, threads"] = points(60_000, 4, 20), MiniReL(20, max_iter=3, random_state=0)
    return {
        name: hashlib.sha256(model.fit(X, sensitive_features=groups).labels_.tobytes()).hexdigest()
        for name, ((X, groups), model) in fits.items()
    }


def told(work: Callable[[], object]) -> str:
    """What went wrong, if anything."""
    try:
        work()
    except Exception:
        return traceback.format_exc()
    return ""


def main() -> None:
    # Some checks have fewer points than clusters; a large fit is cut short.
    warnings.simplefilter("ignore", ConvergenceWarning)
    failures = {
        f"{estimator}: {name}": told(lambda check=check, estimator=estimator: check(estimator))
        for estimator, check in (pair for each in ESTIMATORS for pair in estimator_checks_generator(each))
        if (name := getattr(check, "func", check).__name__) in CHECKS
    }
    failures["oracle"] = told(lambda: check_all(range(20), solver="certified"))
    libraries = threadpool_info()
    json.dump(
        {
            "kernels": [one["architecture"] for one in libraries if one["internal_api"] == "openblas"],
            "instructions": instructions(),
            "threads": n_threads(None),
            "n_checked": len(failures),
            "failures": {name: failure for name, failure in failures.items() if failure},
            "labels": labels(),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
