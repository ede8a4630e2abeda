"""Measures for model selection that know of promises."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.metrics import silhouette_score
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.metadata_routing import MetadataRequest

from minirel.assignment.solve import Assignment
from minirel.clustering.data import ArrayOrSparse
from minirel.estimator import MiniReL
from minirel.outcome.audit import audit
from minirel.outcome.result import FittedModel, result_of
from minirel.points.errors import (
    InfeasibleFairnessError,
    NothingFoundError,
    ParameterTypeError,
    ParameterValueError,
)
from minirel.promises.exact import positive

__all__ = ["FairScorer", "price_of_fairness"]

_MEASURES = ("silhouette", "price")
_ROUNDING = 1e-9  # a price up to here is none


def price_of_fairness(model: FittedModel) -> float:
    """By which share a fitted model costs more than plain k-means with as many clusters.

    K-means has as many starts and swaps as the model, or as many swaps as its `time_limit` left time for
    (`result_.compared_with`). From other first centers than those of k-means, the model is compared with
    these.

    Parameters
    ----------
    model : MiniReL
        A fitted estimator.

    Returns
    -------
    float
        0.02 is 2% more.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL
    >>> from minirel.metrics import price_of_fairness
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=species)
    >>> round(price_of_fairness(model), 2)
    1.59
    """
    result = result_of(model)
    plain = float(result.weights.times(result.trace.start.cost).sum())
    if plain <= 0:
        return 0.0 if result.cost <= 0 else float("inf")
    return (result.cost - plain) / plain


class FairScorer(BaseEstimator):  # type: ignore[misc]
    """A `scoring` for `GridSearchCV` and the like, by which more clusters are not simply better.

    The points to score are assigned to the fitted centers so that every promise is kept (`MiniReL.assign`),
    and that assignment is measured. Where no assignment keeps the promises, or it breaks those that this
    scorer asks for, the score is NaN, which `GridSearchCV` ranks last.

    Parameters
    ----------
    measure : {"silhouette", "price"}, default="silhouette"
        The mean silhouette of the points in their fair clusters; or minus the price of fairness of the fit,
        `price_of_fairness`, which compares with k-means with as many clusters. A fit that is cheaper, by a
        better local optimum, has no price: it scores 0.
    alpha, beta : as in `audit`, optional
        What every candidate has to promise: without them, the laxest promise of a grid would be the best,
        since it costs least. By default, what each candidate promises itself.
    n_sample : int, default=2000
        Points on which silhouettes are measured, drawn with the seed `random_state`.
    random_state : int, default=0
        The seed of that sample.

    Notes
    -----
    Scores need the groups of the points. With ``sklearn.set_config(enable_metadata_routing=True)`` and
    ``MiniReL(...).set_fit_request(sensitive_features=True)``, what is passed to ``GridSearchCV.fit`` reaches
    fits and scores; this scorer asks for it by itself.

    Examples
    --------
    >>> import sklearn
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
    >>> from minirel import MiniReL
    >>> from minirel.metrics import FairScorer
    >>> X, species = load_iris(return_X_y=True)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     model = MiniReL(beta=1, random_state=0).set_fit_request(sensitive_features=True)
    ...     folds = StratifiedKFold(3, shuffle=True, random_state=0)
    ...     search = GridSearchCV(model, {"n_clusters": [3, 4, 6]}, scoring=FairScorer(), cv=folds)
    ...     search.fit(X, species, sensitive_features=species).best_params_
    {'n_clusters': 3}
    """

    def __init__(
        self,
        measure: str = "silhouette",
        *,
        alpha: Any = None,
        beta: Any = None,
        n_sample: int = 2000,
        random_state: int = 0,
    ) -> None:
        self.measure = measure
        self.alpha = alpha
        self.beta = beta
        self.n_sample = n_sample
        self.random_state = random_state

    def __call__(
        self,
        estimator: Any,
        X: ArrayOrSparse,
        y: object = None,
        *,
        sensitive_features: object = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Score a fitted `MiniReL`, or a pipeline that ends with one.

        Parameters
        ----------
        estimator : MiniReL or Pipeline
            Fitted.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points to score.
        y : ignored
            Not used.
        sensitive_features : array-like, Series or frame of n_samples rows
            Their groups.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights in shares and sizes.

        Returns
        -------
        float
            The higher the better; NaN where promises are not kept.
        """
        if not isinstance(self.measure, str) or self.measure not in _MEASURES:
            known = ", ".join(map(repr, _MEASURES))
            raise ParameterValueError("measure", f"must be one of {known}", self.measure)
        if sensitive_features is None:
            raise ParameterValueError(
                "sensitive_features",
                "must hold the groups of the points to score",
                None,
                "call sklearn.set_config(enable_metadata_routing=True) and "
                "MiniReL(...).set_fit_request(sensitive_features=True), then pass sensitive_features to fit",
            )
        if isinstance(estimator, Pipeline):
            X, estimator = (estimator[:-1].transform(X) if len(estimator) > 1 else X), estimator[-1]
        if not isinstance(estimator, MiniReL):
            found = f"is a {type(estimator).__name__}"
            rule = "must be a fitted MiniReL, or a pipeline that ends with one"
            raise ParameterTypeError("estimator", rule, estimator, found=found)
        try:
            assigned = estimator.assign(X, sensitive_features, sample_weight=sample_weight)
        except (InfeasibleFairnessError, NothingFoundError):
            return float("nan")
        if not self._keeps(estimator, assigned, sensitive_features, sample_weight):
            return float("nan")
        if self.measure == "price":
            # Below 0 it tells of a better local optimum than that of k-means, and not of the promises.
            price = price_of_fairness(estimator)
            return -price if price > _ROUNDING else 0.0
        return self._silhouette(X, assigned)

    def get_metadata_routing(self) -> MetadataRequest:
        """Ask for the groups of the points, where metadata is routed.

        Returns
        -------
        MetadataRequest
            What scores need.
        """
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sensitive_features", alias=True)
        return request

    def _keeps(
        self,
        model: MiniReL,
        assigned: Assignment,
        sensitive_features: object,
        sample_weight: ArrayLike | None,
    ) -> bool:
        """Whether the promises that this scorer asks for are kept among the points."""
        if self.alpha is None and self.beta is None:
            return True
        found = audit(
            assigned.labels,
            sensitive_features,
            alpha=model.alpha if self.alpha is None else self.alpha,
            beta=model.beta_ if self.beta is None else self.beta,
            total=model.total,
            sample_weight=sample_weight,
            n_clusters=model.n_clusters,
            missing=model.missing,
        )
        return found.satisfied

    def _silhouette(self, X: ArrayOrSparse, assigned: Assignment) -> float:
        labels: Any = assigned.labels
        # As fits read them: frames of every kind become arrays, of which rows can be taken.
        points: Any = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        most = positive(self.n_sample, "n_sample")
        if len(labels) > most:
            drawn = np.random.RandomState(self.random_state).choice(len(labels), most, replace=False)
            some = np.sort(drawn)
            points, labels = points[some], labels[some]
        if not 2 <= len(np.unique(labels)) < len(labels):
            return float("nan")
        return float(silhouette_score(points, labels))
