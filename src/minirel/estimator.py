"""`MiniReL`: fair clustering as a scikit-learn estimator."""

import warnings
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from minirel.assignment.fair_assignment import fair_assignment
from minirel.assignment.solve import Assignment
from minirel.audit import Audit, audit
from minirel.exact import Number, exact, positive, whole
from minirel.explanation import Record
from minirel.groups import read_groups
from minirel.history import History, Iteration
from minirel.initialise import Init, read_init
from minirel.lloyd import Clustering, Rules
from minirel.objectives import OBJECTIVES, Data, Matrix
from minirel.request import Request, read_options, read_request
from minirel.restarts import Restarts
from minirel.weights import read_weights


class MiniReL(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """K-means in which every group is represented where it was promised.

    A cluster represents a group when at least a share `alpha` of its members belong to the group. Every
    group is represented in at least `beta` clusters, at (locally) the least cost, and the result carries a
    proof of how good its assignment is. This is the algorithm of Lawless and Günlük, *Fair Minimum
    Representation Clustering*: Lloyd's algorithm in which each assignment is a fair one.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    alpha : float or mapping of group to float, default=0.51
        The share, above 0 and at most 1. It is taken as the decimal it is written as: 0.51 is 51/100.
    beta : {"equality_of_opportunity", "statistical_parity"}, int or mapping of group to int
        Number of clusters in which each group is to be represented: in proportion to its size, the same for
        all, one number for all, or by group, with 0 for those left out. Default is
        "equality_of_opportunity".
    allowed : array-like of bool of shape (n_groups, n_clusters), or mapping of group to clusters, optional
        Which clusters may represent which group in counting to `beta`; all of them if None. Clusters are
        numbered as the first centers are.
    min_size, max_size : float, default=1 and None
        Smallest and largest weight of a cluster: its number of points if there are no weights. A `min_size`
        of 1 says that no cluster is empty.
    objective : {"k-means", "k-medians"}, default="k-means"
        Squared Euclidean distances to means, or absolute differences to medians of each feature.
    init : {"k-means", "k-means++", "random"}, KMeansStart, array or callable, default="k-means"
        The first centers: those of ordinary k-means (the warm start of the paper; ``KMeansStart(n_init=100)``
        takes the best of 100 runs), points drawn far apart or evenly, centers of shape
        (n_clusters, n_features), or a function called with `X`, `n_clusters` and `random_state`.
    n_init : int, default=1
        Number of runs from different first centers, of which the cheapest is kept.
    prefix : {"local_cost", "weighted_proportion", "proportion", "random"}, list of (group, cluster) or None
        Which clusters represent which groups: chosen after the first centers by one of the paper's costs
        (default "local_cost"), given by you, or, with None, chosen anew in each assignment: slower, and
        sometimes cheaper.
    max_iter : int, default=100
        Most assignments of a run.
    tol : float, default=1e-4
        The centers have settled once the sum of their squared shifts is at most `tol` times the mean variance
        of the features, as in `sklearn.cluster.KMeans`. What follows then are only moves of single points.
    gap : float, default=1e-4
        Each assignment is proven to cost at most this share more than the best; 0 asks for the best itself.
    time_limit : float, optional
        Seconds after which the best clustering found is returned, with a warning.
    solver : {"certified", "highs", "gurobi"}, default="certified"
        "certified" works with prices and scales to millions of points. The others give the paper's integer
        program to that solver as it stands.
    missing : {"error", "group", "none"}, default="error"
        Points with a missing group: an error, a group of their own, or in no group.
    random_state : int, RandomState or None, default=None
        Where chance comes from. The same integer gives the same result, for any `n_jobs`.
    n_jobs : int, optional
        Runs of `n_init` to work on at the same time, in threads; -1 for as many as there are cores.
    verbose : int, default=0
        1 prints a line an iteration.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each point. These keep every promise.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means (or medians) of the clusters.
    inertia_ : float
        Cost of the labels to these centers, by weight.
    n_iter_ : int
        Number of assignments of the run that was kept.
    prefix_ : list of (group, cluster)
        Who holds which cluster.
    beta_ : dict of group to int
        Number of clusters promised to each group.
    audit_ : Audit
        Counts and shares by cluster, from the labels.
    assignment_ : Assignment
        The last assignment, with its prices and certificate.
    lower_bound_, gap_, status_ : float, float, str
        What any fair assignment to the centers costs at least (for this `prefix_`, unless ``prefix=None``),
        by which share `inertia_` may exceed it, and "optimal", "within gap", "time limit" or "iteration
        limit". They speak of the assignment to these centers; the centers are a local optimum.
    stop_ : str
        Why the fit ended: "converged", "max_iter" or "time_limit".
    history_ : list of Iteration
        A record an iteration: cost, bound, gap, shift of the centers, scans, seconds by phase.
    n_features_in_, feature_names_in_ : int, ndarray of str
        As in any scikit-learn estimator.

    See Also
    --------
    fair_assignment : One fair assignment, for costs of any kind.
    audit : Representation in any clustering.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(n_clusters=6, beta="statistical_parity", random_state=0)
    >>> model.fit(X, sensitive_features=species).beta_
    {0: 2, 1: 2, 2: 2}
    >>> model.audit_.n_represented
    (2, 2, 2)
    >>> model.status_
    'optimal'
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: Number | Mapping[Hashable, Number] = 0.51,
        beta: int | str | Mapping[Hashable, int] = "equality_of_opportunity",
        allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None = None,
        min_size: Number = 1,
        max_size: Number | None = None,
        objective: str = "k-means",
        init: Init = "k-means",
        n_init: int = 1,
        prefix: str | Iterable[tuple[Hashable, int]] | None = "local_cost",
        max_iter: int = 100,
        tol: float = 1e-4,
        gap: float = 1e-4,
        time_limit: float | None = None,
        solver: str = "certified",
        missing: str = "error",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.allowed = allowed
        self.min_size = min_size
        self.max_size = max_size
        self.objective = objective
        self.init = init
        self.n_init = n_init
        self.prefix = prefix
        self.max_iter = max_iter
        self.tol = tol
        self.gap = gap
        self.time_limit = time_limit
        self.solver = solver
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        sensitive_features: object = None,
        sample_weight: ArrayLike | None = None,
    ) -> "MiniReL":
        """Cluster the points so that every promise is kept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The points. Sparse data stays sparse; float32 stays float32.
        y : ignored
            For the sake of pipelines.
        sensitive_features : array-like, Series or frame of n_samples rows, optional
            The groups: the values of a column, of several columns (named ``"column=value"``), or boolean
            membership. None asks for no representation, which is k-means.
        sample_weight : array-like of shape (n_samples,), optional
            What each point counts in the cost, the shares and the sizes. Points are never divided.

        Returns
        -------
        MiniReL
            The fitted estimator.

        Raises
        ------
        InfeasibleFairnessError
            If no clustering can keep what is asked, with the conflict and the nearest request that can.
        """
        n_clusters = positive(self.n_clusters, "n_clusters")
        max_iter, n_init = positive(self.max_iter, "max_iter"), positive(self.n_init, "n_init")
        tol = float(exact(self.tol, "tol", "a number of at least 0"))
        if tol < 0:
            raise ValueError(f"tol must be a number of at least 0, but is {self.tol!r}")
        gap, deadline = read_options(self.solver, self.gap, self.time_limit)
        chance = self._read_random_state()
        if self.n_jobs is not None and whole(self.n_jobs, "n_jobs", "a whole number, or None for one") == 0:
            raise ValueError("n_jobs must not be 0: use 1 for one run at a time, -1 for one on each core")
        if not isinstance(self.objective, str) or self.objective not in OBJECTIVES:
            known = ", ".join(map(repr, OBJECTIVES))
            raise ValueError(f"objective must be one of {known}, but is {self.objective!r}")
        points = self._read_X(X, reset=True)
        init = read_init(self.init, n_clusters, points)
        request = self._read_request(points.shape[0], n_clusters, sensitive_features, sample_weight)
        request = request.until(deadline)
        request.check()

        rules = Rules(self.solver, gap, max_iter, tol, deadline)
        restarts = Restarts(points, OBJECTIVES[self.objective], init, request, rules)
        best, history = restarts.best_of(n_init, chance, n_jobs=self.n_jobs, verbose=bool(self.verbose))
        self._keep(best, history, request, sample_weight)
        return self

    def fit_predict(self, X: ArrayLike, y: object = None, **params: Any) -> NDArray[np.intp]:
        """Cluster the points and return `labels_`; takes what `fit` takes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The points.
        y : ignored
            For the sake of pipelines.
        **params : dict
            `sensitive_features` and `sample_weight`, as in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each point.
        """
        return self.fit(X, y, **params).labels_

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """The nearest center of each point, as in k-means: nothing is promised to the groups among them.

        For the fair assignment of new points use `assign`; that of the points fitted is `labels_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Index of the nearest center of each.
        """
        return np.asarray(self._distances(X).argmin(axis=1))

    def transform(self, X: ArrayLike) -> Matrix:
        """Distance of each point from each center.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Euclidean distances, or Manhattan distances for k-medians.
        """
        return self._distances(X)

    def score(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the cost of the points in their nearest clusters, as in k-means.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.
        y : ignored
            For the sake of pipelines.
        sample_weight : array-like of shape (n_samples,), optional
            What each point counts.

        Returns
        -------
        float
            The higher the better.
        """
        nearest = self._distances(X).min(axis=1).astype(np.float64)
        if self.objective == "k-means":
            nearest = nearest**2
        weight = read_weights(sample_weight, len(nearest)).values
        return -float((nearest if weight is None else nearest * weight).sum())

    def assign(
        self,
        X: ArrayLike,
        *,
        sensitive_features: object,
        beta: int | str | Mapping[Hashable, int] | None = None,
        prefix: str | Iterable[tuple[Hashable, int]] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Assignment:
        """The fair assignment of new points to the fitted centers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The new points, which are clusters of their own: those fitted do not count.
        sensitive_features : array-like, Series or frame of n_samples rows
            The groups of the new points.
        beta : int, str or mapping of group to int, optional
            Number of clusters in which each group is to be represented among the new points; by default
            that of the estimator, read for these points.
        prefix : str or list of (group, cluster), optional
            Which clusters represent which groups; by default the choice is part of the problem.
        sample_weight : array-like of shape (n_samples,), optional
            What each point counts.

        Returns
        -------
        Assignment
            Labels with cost, lower bound, gap and status, as from `fair_assignment`.
        """
        check_is_fitted(self)
        points = self._read_X(X, reset=False)
        return fair_assignment(
            OBJECTIVES[self.objective](points, None).costs(self.cluster_centers_),
            sensitive_features,
            alpha=self.alpha,
            beta=self.beta if beta is None and (prefix is None or isinstance(prefix, str)) else beta,
            prefix=prefix,
            allowed=self.allowed,
            min_size=self.min_size,
            max_size=self.max_size,
            sample_weight=sample_weight,
            gap=self.gap,
            time_limit=self.time_limit,
            solver=self.solver,
            missing=self.missing,
        )

    def _keep(
        self, best: Clustering, history: History, request: Request, sample_weight: ArrayLike | None
    ) -> None:
        assignment = best.assignment
        self.labels_: NDArray[np.intp] = assignment.labels
        self.cluster_centers_: Matrix = best.centers
        self.inertia_: float = assignment.cost
        self.n_iter_: int = len(history.records)
        self.prefix_: list[tuple[Hashable, int]] = assignment.prefix
        self.assignment_: Assignment = assignment
        self.lower_bound_: float = assignment.lower_bound
        self.gap_: float = assignment.gap
        self.status_: str = assignment.status
        self.stop_: str = best.stop
        self.beta_: dict[Hashable, int] = dict(zip(request.groups.names, request.fairness.beta, strict=True))
        self.history_: list[Iteration] = history.records
        self.audit_: Audit = audit(
            assignment.labels,
            request.groups,
            alpha=self.alpha,
            beta=self.beta_,
            allowed=request.fairness.allowed,
            sample_weight=sample_weight,
            n_clusters=request.fairness.n_clusters,
        )
        self._record = Record(best.trace, request.groups, request.weights, request.fairness)
        self._n_features_out = request.fairness.n_clusters
        if best.stop != "converged":
            name = "max_iter" if best.stop == "max_iter" else "time_limit"
            warnings.warn(
                f"stopped at {name}={getattr(self, name)} before the centers settled: every promise is kept, "
                f"and the labels are proven to be within {assignment.gap:.2g} of the best for these centers, "
                f"but more iterations may lower the cost; raise {name}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _distances(self, X: ArrayLike) -> Matrix:
        check_is_fitted(self)
        points = self._read_X(X, reset=False)
        return OBJECTIVES[self.objective](points, None).distances(points, self.cluster_centers_)

    def _read_random_state(self) -> np.random.RandomState:
        try:
            chance: np.random.RandomState = check_random_state(self.random_state)
        except ValueError as error:
            raise ValueError(
                f"random_state must be a whole number, a RandomState or None, but is {self.random_state!r}"
            ) from error
        return chance

    def _read_X(self, X: ArrayLike, *, reset: bool) -> Data:
        sparse = "csr" if OBJECTIVES[self.objective].accepts_sparse else False
        if issparse(X) and not sparse:
            raise TypeError(
                f"X must be dense for objective={self.objective!r}, but is sparse: pass X.toarray(), or use "
                "objective='k-means'"
            )
        points: Data = validate_data(
            self, X, reset=reset, accept_sparse=sparse, dtype=[np.float64, np.float32], order="C"
        )
        return points

    def _read_request(
        self, n: int, n_clusters: int, sensitive_features: object, sample_weight: ArrayLike | None
    ) -> Request:
        if n < n_clusters:
            raise ValueError(
                f"n_clusters must be at most the number of points, but n_clusters={n_clusters} > "
                f"n_samples={n}: lower n_clusters"
            )
        groups = read_groups(sensitive_features, n_points=n, missing=self.missing)
        return read_request(
            groups,
            read_weights(sample_weight, n),
            n_clusters,
            alpha=self.alpha,
            beta=self.beta if groups.n_groups else 0,
            prefix=self.prefix,
            allowed=self.allowed if groups.n_groups else None,
            min_size=self.min_size,
            max_size=self.max_size,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = (
            OBJECTIVES[self.objective].accepts_sparse if self.objective in OBJECTIVES else False
        )
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
