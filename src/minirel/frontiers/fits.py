"""The fits of a frontier: one estimator after another over the same points."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning

from minirel.clustering.ending import stop_reason
from minirel.clustering.everyone import Everyone
from minirel.clustering.initialise import init_name
from minirel.clustering.known import Known
from minirel.clustering.objectives import LocalData
from minirel.clustering.trace import Nearest
from minirel.estimator import MiniReL
from minirel.frontiers.asked import VARIED, Asked
from minirel.frontiers.found import Found, cheapest
from minirel.frontiers.log import digest
from minirel.outcome.audit import Audit, audit_fit
from minirel.points.groups import Groups
from minirel.promises.matching import exclusive_holders
from minirel.solvers.limits import Deadline

# What plain k-means has in common with the fair fits it is compared with.
_PLAIN = ("objective", "init", "max_iter", "tol", "gap", "solver")
# Not part of what a fit finds.
_OUTSIDE = (*VARIED, "random_state", "n_jobs", "callback", "verbose", "time_limit")


@dataclass(frozen=True, eq=False)
class Fits:
    """The points, and how each request is fitted.

    `everyone` are the points as audits count them, with the units of those that stay together.
    `template` has the parameters that all requests share; of its `n_init` starts of k-means and its
    `n_swaps`, the fits here make one at a time. `n_jobs` is for each fit.
    """

    X: LocalData
    groups: Groups
    sample_weight: NDArray[Any] | None
    together: Any
    everyone: Everyone
    template: MiniReL
    seed: int
    n_jobs: int | None
    deadline: Deadline
    _nearest: dict[int, Nearest] = field(default_factory=dict)

    @property
    def shares_starts(self) -> bool:
        """Whether the starts of k-means are the same for all requests with as many clusters."""
        return isinstance(self.template.init, str) and self.template.init == "k-means"

    @property
    def seeds(self) -> list[int]:
        """The seed of each start, as `MiniReL` has them."""
        if self.template.n_init == 1 or not self.shares_starts:
            return [self.seed]
        drawn = np.random.RandomState(self.seed).randint(np.iinfo(np.int32).max, size=self.template.n_init)
        return [int(seed) for seed in drawn]

    def k_means(self, n_clusters: int, init: Any = None, seed: int | None = None, n_swaps: int = 0) -> Found:
        """Plain k-means, with what it costs as a fit without promises."""
        model = self._model({name: getattr(self.template, name) for name in _PLAIN}, seed, n_swaps)
        model.set_params(n_clusters=n_clusters, **({} if init is None else {"init": init}))
        if init is None and not self.shares_starts:
            model.set_params(n_init=self.template.n_init, n_swaps=self.template.n_swaps)
        return Found.of(self._fit(model, with_groups=False))

    def fair(self, asked: Asked, init: Any = None, seed: int | None = None, n_swaps: int = 0) -> Found:
        """A fit of a request from some start; from the starts of the estimator itself if None."""
        model = self._model(self.template.get_params(deep=False), seed, n_swaps)
        model.set_params(**asked.values, **({} if init is None else {"init": init, "n_init": 1}))
        if init is None:
            model.set_params(n_init=self.template.n_init, n_swaps=self.template.n_swaps)
        return Found.of(self._fit(model))

    def keeps(self, found: Found, asked: Asked) -> bool:
        """Whether a clustering happens to keep what is asked, counted from its labels."""
        if asked.request is None or len(found.centers) != asked.n_clusters:
            return False
        return is_kept(asked, self.audit(found, asked))

    def audit(self, found: Found, asked: Asked) -> Audit:
        """Who is represented where, counted from the labels."""
        everyone, labels = self.everyone, found.labels.astype(np.intp)
        return audit_fit(labels, everyone.groups, everyone.weights, asked.fairness)

    def rebuilt(self, asked: Asked, found: Found, plain: Found | None) -> MiniReL:
        """The fitted estimator of a request, verified once more; `plain` is k-means for comparison."""
        model = self._model(self.template.get_params(deep=False), None, 0)
        model.set_params(**asked.values, init=found.as_it_is(), n_init=1, callback=None, time_limit=None)
        with warnings.catch_warnings():  # of limits, which were told when it was found
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._fit(model)
        own = {name: getattr(self.template, name) for name in ("init", "n_init", "n_swaps", "time_limit")}
        model.set_params(**own, n_jobs=self.template.n_jobs)
        proof: dict[str, Any] = {
            name: getattr(found, name) for name in ("cost", "lower_bound", "gap", "status")
        }
        trace = model.result_.trace
        if plain is not None:
            trace = replace(trace, start=self._as_nearest(asked.n_clusters, plain))
        model.assignment_ = replace(model.assignment_, **proof)
        model.result_ = replace(
            model.result_,
            **proof,
            stop=found.stop,
            history=found.history,
            trace=trace,
            init="k-means" if plain is not None and self.shares_starts else init_name(self.template.init),
            n_init=self.template.n_init,
            n_swaps=self.template.n_swaps,
            start_swaps=self.template.n_swaps,
        )
        model.inertia_, model.lower_bound_ = found.cost, found.lower_bound
        model.gap_, model.status_, model.stop_ = found.gap, found.status, found.stop
        model.history_ = list(found.history)
        model.n_iter_ = sum(record.swap == 0 for record in found.history)
        return model

    def description(self) -> dict[str, str]:
        """What has to be the same for a fit to be the same: the data, and all parameters but the requests."""
        X = self.X
        points = digest(X.data, X.indices, X.indptr, X.shape) if issparse(X) else digest(X)
        counts = self.groups.counts
        held = () if counts is None else (counts.members, counts.total, str(counts.unit))
        groups = digest(self.groups.names, self.groups.signatures, self.groups.signature, *held)
        parameters = {
            name: _described(value)
            for name, value in sorted(self.template.get_params(deep=False).items())
            if name not in _OUTSIDE
        }
        described = {"X": points, "sensitive_features": groups, **parameters}
        described["sample_weight"] = digest(self.sample_weight)
        units = self.everyone.units
        described["together"] = digest(None if units is None else units.unit)
        return described

    def python(self, asked: Asked) -> list[str]:
        """Lines of Python that fit a request alone."""
        defaults = signature(MiniReL.__init__).parameters
        given = {**self.template.get_params(deep=False), **asked.values, "random_state": self.seed}
        given = {name: value for name, value in given.items() if name not in ("n_jobs", "time_limit")}
        told = [
            f"{name}={value!r}"
            for name, value in given.items()
            if name != "n_clusters" and repr(value) != repr(defaults[name].default)
        ]
        weight = "" if self.sample_weight is None else ", sample_weight=sample_weight"
        weight += "" if self.together is None else ", together=together"
        return [
            "from minirel import MiniReL",
            f"model = MiniReL({', '.join([str(asked.n_clusters), *told])})",
            f"model.fit(X, sensitive_features=sensitive_features{weight})",
        ]

    def _model(self, parameters: Mapping[str, Any], seed: int | None, n_swaps: int) -> MiniReL:
        left = self.deadline.left()
        own = {
            "n_init": 1,
            "n_swaps": n_swaps,
            "random_state": self.seed if seed is None else seed,
            "n_jobs": self.n_jobs,
            "time_limit": None if left is None else max(left, 1e-3),
            "callback": self._ends,
            "verbose": 0,
        }
        return MiniReL(**{**parameters, **own})

    def _ends(self, record: object) -> bool:
        return self.deadline.was_cut

    def _fit(self, model: MiniReL, *, with_groups: bool = True) -> MiniReL:
        given: dict[str, Any] = {"sample_weight": self.sample_weight}
        if with_groups:
            given["sensitive_features"] = self.groups
        if self.together is not None:
            given["together"] = self.together
        if isinstance(model.init, Known):
            model.set_params(init=self._of_units(model.init))
        with config_context(assume_finite=True):  # which they are, as was seen once
            model.fit(self.X, **given)
        if hasattr(self.template, "feature_names_in_"):
            model.feature_names_in_ = self.template.feature_names_in_
        return model

    def _of_units(self, known: Known) -> Known:
        """What is known of points as what is known of the units that stay together."""
        everyone = self.everyone
        if everyone.units is None or known.labels is None:
            return known
        _, first = np.unique(everyone.units.unit, return_index=True)
        bound = known.lower_bound - everyone.constant / float(everyone.weights.unit)
        return replace(known, labels=known.labels[first], lower_bound=bound)

    def _as_nearest(self, n_clusters: int, plain: Found) -> Nearest:
        """The clusters of k-means, and what a unit of each point costs there, worked out once."""
        if n_clusters in self._nearest:
            return self._nearest[n_clusters]
        model = self._model({name: getattr(self.template, name) for name in _PLAIN}, None, 0)
        model.set_params(n_clusters=n_clusters, init=plain.as_it_is(), callback=None, time_limit=None)
        result = self._fit(model, with_groups=False).result_
        self._nearest[n_clusters] = Nearest(result.labels, result.trace.own_cost)
        return self._nearest[n_clusters]


def is_kept(asked: Asked, audit: Audit) -> bool:
    """Whether what was counted is what is asked, with the holders that are named."""
    assert asked.request is not None
    required = asked.request.required
    if not audit.satisfied or not all(audit.represented[g, k] for g, k in required):
        return False
    if not audit.exclusive or not required:
        return True
    # A cluster that is named for one group is none for the others.
    return exclusive_holders(audit.represented & audit.allowed, audit.beta, required) is not None


def from_starts(fits: Fits, asked: Asked, starts: list[Found], plain: Found) -> Found:
    """The fit of a request from the starts of k-means; from k-means itself if that keeps what is asked."""
    if not fits.shares_starts:
        return fits.fair(asked)
    n_swaps = fits.template.n_swaps
    if fits.keeps(plain, asked):
        # What is proven without promises is proven with them.
        bound = plain.lower_bound / plain.unit
        return fits.fair(asked, Known(plain.centers, plain.labels, lower_bound=bound, is_final=True))
    found = cheapest(
        [
            fits.fair(asked, Known(start.centers), seed)
            for start, seed in zip(starts, fits.seeds, strict=False)
            if start is starts[0] or not fits.deadline.passed()
        ]
    )
    if fits.deadline.passed():  # starts or swaps may be left, for another time
        return replace(found, stop=stop_reason(fits.deadline, otherwise="converged"))
    if n_swaps == 0:
        return found
    return fits.fair(asked, found.as_start(), n_swaps=n_swaps)


def _described(value: object) -> str:
    """A parameter in a text that is the same in another process."""
    if isinstance(value, np.ndarray | list | tuple):
        return digest(np.asarray(value))
    if callable(value) and not isinstance(value, type) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)
