"""One run: a way to cluster, on one data set, with one number of clusters and one seed."""

import time
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from minirel.clustering.initialise import Init, KMeansStart
from minirel.datasets import Dataset
from minirel.estimator import MiniReL
from minirel.outcome.audit import audit
from minirel.outcome.result import Result
from minirel.points.errors import NothingFoundError

# Section 5: "majority representation in a cluster".
ALPHA = 0.51
SOLVERS = ("certified", "highs")

# The ways to place the first centers that section 3.1 compares.
STARTS: Mapping[str, Init] = {
    "random": "random",
    "k-means++": "k-means++",
    "k-means": KMeansStart(n_init=1),
    "k-means, best of 100": KMeansStart(n_init=100),
}
# minirel's own way to place them.
SAMPLED = "k-means, best on a sample"
_INITS: Mapping[str, Init] = {**STARTS, SAMPLED: "k-means"}

Record: TypeAlias = dict[str, Any]

# An integer program may reach its time limit without any clustering.
_NOTHING_FOUND: Record = {
    **dict.fromkeys(("prefix_seconds", "iterations", "cost", "k_means_cost", "smallest_held")),
    **dict.fromkeys(("lower_bound", "gap", "promises_kept")),
    "status": "time limit",
    "stopped": "time_limit",
    "groups": [],
}


@dataclass(frozen=True)
class Method:
    """How to cluster: ordinary k-means, or MiniReL with a promise, first centers, a pre-fix and swaps."""

    beta: str | None = None  # None: ordinary k-means, which promises nothing
    start: str = "k-means"
    prefix: str | None = "local_cost"  # None: the full program
    n_swaps: int = 0

    @property
    def is_fair(self) -> bool:
        """Whether anything is promised."""
        return self.beta is not None


K_MEANS = Method()
STATISTICAL_PARITY = Method("statistical_parity")
EQUAL_OPPORTUNITY = Method("equality_of_opportunity")


@dataclass(frozen=True)
class Run:
    """What is done once and kept; two experiments that ask for the same run share it."""

    data: str
    sample: int | None  # how many points are drawn of it; None: all
    method: Method
    n_clusters: int
    seed: int
    solver: str | None  # None: ordinary k-means
    time_limit: float | None = None

    @property
    def key(self) -> str:
        """A name for it that can be part of a file's."""
        points = "all" if self.sample is None else self.sample
        method = "-".join(str(part) for part in (self.method.beta, self.method.start, self.method.prefix))
        method += f"-{self.method.n_swaps}swaps" if self.method.n_swaps else ""
        limit = "" if self.time_limit is None else f"-{self.time_limit:.17g}s"
        parts = f"{self.data}-{points}-{method}-{self.solver}{limit}-K{self.n_clusters}-seed{self.seed}"
        return "".join(letter if letter.isalnum() or letter in "-+_." else "_" for letter in parts)


def perform(run: Run, data: Dataset) -> Record:
    """Do it, and measure: the record holds numbers and texts only.

    Every clustering is audited from its labels. One that breaks a promise is no result: it raises.
    """
    return _k_means(run, data) if run.solver is None else _fair(run, data)


def _k_means(run: Run, data: Dataset) -> Record:
    model = KMeans(run.n_clusters, n_init=1, random_state=run.seed)
    started = time.perf_counter()
    model.fit(data.X)
    seconds = time.perf_counter() - started
    measured = {"seconds": seconds, "iterations": int(model.n_iter_), "cost": float(model.inertia_)}
    return described(run, len(data.X)) | measured | {"groups": _represented(run, model.labels_, data, None)}


def _fair(run: Run, data: Dataset) -> Record:
    model = MiniReL(
        run.n_clusters,
        alpha=ALPHA,
        beta=run.method.beta or 0,
        init=_INITS[run.method.start],
        prefix=run.method.prefix,
        n_swaps=run.method.n_swaps,
        solver=run.solver or "certified",
        time_limit=run.time_limit,
        random_state=run.seed,
    )
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the record says so
            model.fit(data.X, sensitive_features=data.groups)
    except NothingFoundError:
        return described(run, len(data.X)) | _NOTHING_FOUND | {"seconds": time.perf_counter() - started}
    seconds = time.perf_counter() - started
    groups = _represented(run, model.labels_, data, model.beta_)
    broken = [group["group"] for group in groups if group["represented"] < group["promised"]]
    if broken:
        raise RuntimeError(f"{run.key} broke its promise to {', '.join(broken)}: this is a defect of minirel")
    measured = {
        "seconds": seconds,
        "prefix_seconds": sum(step.seconds.get("prefix", 0.0) for step in model.history_),
        "iterations": model.n_iter_,
        "cost": model.inertia_,
        "k_means_cost": _k_means_cost(model.result_),
        "smallest_held": min((int(model.audit_.sizes[k]) for _, k in model.prefix_), default=None),
        "lower_bound": model.lower_bound_,
        "gap": model.gap_,
        "status": model.status_,
        "stopped": model.stop_,
        "promises_kept": True,
    }
    return described(run, len(data.X)) | measured | {"groups": groups}


def _k_means_cost(result: Result) -> float | None:
    """What ordinary k-means costs after as many starts and swaps, if the fit began with it."""
    return float(result.trace.start.cost.sum()) if result.starts_from_kmeans else None


def described(run: Run, n_points: int) -> Record:
    """What a record says of the run itself."""
    whole: Record = asdict(run)
    method: Record = whole.pop("method")
    return method | whole | {"points": n_points}


def _represented(run: Run, labels: Any, data: Dataset, beta: Any) -> list[Record]:
    """For each group its size, and in how many clusters it is represented and was promised to be."""
    found = audit(labels, data.groups, alpha=ALPHA, beta=beta, n_clusters=run.n_clusters)
    sizes = found.counts.sum(axis=1)
    columns = zip(found.groups, sizes, found.n_represented, found.beta, strict=True)
    return [
        {"group": str(name), "size": int(size), "represented": int(has), "promised": int(asked)}
        for name, size, has, asked in columns
    ]
