"""`MiniReL`: fair clustering as a scikit-learn estimator."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from minirel.assignment.batch import Fitted, assign_batch
from minirel.assignment.costs import Costs
from minirel.assignment.request import Request, read_options
from minirel.assignment.solve import Assignment
from minirel.clustering.callbacks import Callback, read_callbacks
from minirel.clustering.data import ArrayOrSparse, read_X
from minirel.clustering.ending import Clustering
from minirel.clustering.everyone import Everyone
from minirel.clustering.history import History, Iteration
from minirel.clustering.initialise import Init, init_name, read_init
from minirel.clustering.objectives import OBJECTIVES, Data, Matrix, name_of_costs, read_objective
from minirel.clustering.parameters import read_numbers
from minirel.clustering.reading import read_graph, read_units, request_of
from minirel.clustering.restarts import Restarts
from minirel.clustering.rules import Rules
from minirel.clustering.warn import warn_of_limits, warn_of_no_groups, warn_of_pieces, worthwhile_starts
from minirel.outcome.audit import Audit, audit_fit
from minirel.outcome.result import Result
from minirel.outcome.result_html import result_html
from minirel.points.errors import ParameterValueError
from minirel.points.members import read_people, weighed
from minirel.points.messages import GENERATOR, Message
from minirel.points.scale import check_scale
from minirel.points.weights import Weights, read_weights
from minirel.points.workers import Workers
from minirel.promises.exact import Number
from minirel.promises.fairness import Share, Size


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
    min_share, max_share : float or mapping of group to float, optional
        Smallest and largest share of a group in *every* cluster; a group left out of a mapping has no bound.
    min_size, max_size : float or sequence of float, default=1 and None
        Smallest and largest weight of a cluster: its number of points if there are no weights. One number, or
        one for each cluster (in `max_size` None where there is no limit), numbered as the first centers are.
        A `min_size` of 1 says that no cluster is empty.
    min_members : float or mapping of group to float, default=1
        Members of a group, by weight unless there is a `total`, that a cluster needs to count for it besides
        the share: against token clusters.
    exclusive : bool, default=False
        Whether a cluster counts for one group only.
    total : name or index of a column, optional
        Where points are units of many people (precincts, schools, households), the column of
        `sensitive_features` with the total of each, such as its adults. Every other column is then a group,
        with its number of members in each unit: whole numbers, or decimals of up to nine places, from 0 to
        the total. Groups may overlap. Shares are of the totals, `min_members` are members, and sizes are
        weights. Units are never divided.
    objective : {"k-means", "k-medians"}, default="k-means"
        Squared Euclidean distances to means, or absolute differences to medians of each feature.
    init : {"k-means", "k-means++", "random"}, KMeansStart, array or callable, default="k-means"
        The first centers: those of ordinary k-means, started from the best of ten runs on a sample
        (``KMeansStart(n_init=1)`` is the warm start of the paper, and 100 the best of 100 runs), or members
        in their place for groups too small for clusters of average size; points drawn
        far apart or evenly, centers of shape (n_clusters, n_features), or a function called with `X`,
        `n_clusters` and `random_state`.
    n_init : int, default=1
        Number of runs from different first centers, of which the cheapest is kept. From centers that are
        given there is one run, unless ``prefix="random"``.
    prefix : {"assignment", "local_cost", "weighted_proportion", "proportion", "random"}, list or None
        Which clusters represent which groups. By default, "assignment", those whose fair assignment costs
        least: searched for after the first centers, and again when these have settled. The others are the
        paper's, chosen once after the first centers by an estimate. A list of (group, cluster) is your own
        choice, and with None it is part of each assignment: proven, and slower.
    n_swaps : int, default=0
        How often to look for better centers after the fit: one of them is moved elsewhere, and what is
        cheaper after a few iterations is kept. The result never costs more than without.
    connect : bool, default=False
        Whether to connect the clusters at the end, given the `neighbours` of the points: pieces move to where
        they hang together while every promise is kept, at the least cost that a heuristic finds. Nothing is
        proven about it, and what could not be connected is said: by a warning, in `disconnected_` and in
        `audit_`.
    max_iter : int, default=100
        Largest number of assignments in a run.
    tol : float, default=1e-4
        The centers have settled once the sum of their squared shifts is at most `tol` times the mean variance
        of the features, as in `sklearn.cluster.KMeans`. What follows then are only moves of single points.
    gap : float, default=1e-4
        What is returned is proven to cost at most this share more than the best assignment to its centers; 0
        asks for the best itself. While centers still move, assignments are proven less closely: `history_`
        has the gap of each.
    time_limit : float, optional
        Seconds after which the best clustering found is returned, with a warning.
    solver : {"certified", "highs", "gurobi"}, default="certified"
        "certified" works with prices and scales to millions of points. The others give the paper's integer
        program to that solver as it stands.
    missing : {"error", "group", "none"}, default="error"
        Points with a missing group: an error, a group of their own, or in no group.
    random_state : int, RandomState or None, default=None
        The source of randomness. The same integer gives the same result, for any `n_jobs`.
    n_jobs : int, optional
        Largest number of threads: on runs of `n_init` at the same time, and on passes over many points; -1
        for as many as there are cores. None is one run at a time (or what `joblib.parallel_config` says),
        whose passes have the threads that OpenMP has (``OMP_NUM_THREADS``), as in `sklearn.cluster.KMeans`.
        The k-means of the start has those for any `n_jobs`.
    callback : callable, optional
        Called with each record of `history_` as it is made, of every run, and now and then while clusters are
        being connected, with the last record and the share that is `done`. If it returns True, the fit ends
        as at a time limit, with the best clustering found so far and a warning; anything else it returns
        does nothing. Runs of `n_init` go side by side, but only one call is made at a time, so that it need
        not be thread-safe. After it has returned True it is not called again. Its errors end the fit. A model
        is pickled with its callback: give one that can be pickled (no lambda), or
        ``set_params(callback=None)`` first.
    verbose : int, default=0
        1 prints a line for each iteration, as a callback would.

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
        What any fair assignment costs at least *for these centers and these holders* (`prefix_`; with
        ``prefix=None`` for these centers, whoever holds which cluster), by which share `inertia_` may exceed
        it, and how far the proof came: "optimal"; "within gap", as close as was asked; "within rounding", as
        close as double precision can tell; "effort limit", "time limit" (or a callback) or "iteration limit",
        which ended the search before that; "heuristic" if clusters were connected, which the bound does not
        ask for: it holds for connected clusters as well, and the gap includes what connecting them cost.
        Other centers or holders may be cheaper: more starts (`n_init`) look for them.
    disconnected_ : list of int
        The clusters in several pieces, if `neighbours` were given; `audit_.pieces` has the pieces.
    stop_ : str
        Why the fit ended: "converged", "max_iter", "time_limit" or "callback".
    history_ : list of Iteration
        One record per iteration of the run that was kept: iteration, cost, bound, gap, shift of the centers,
        scans, seconds by phase; which run it was of how many (`run`, `n_runs`), and the seconds since the
        first began (`elapsed`).
    result_ : Result
        All of this in one object, with the groups, the weights, what was asked and what cost alone would
        choose. Reports, plots, `explain` and `next_clusters` read nothing else.
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

    Follow a fit:

    >>> costs = []
    >>> model = model.set_params(callback=lambda record: costs.append(record.cost))
    >>> model.fit(X, sensitive_features=species).n_iter_ == len(costs)
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: Number | Mapping[Hashable, Number] = 0.51,
        beta: int | str | Mapping[Hashable, int] = "equality_of_opportunity",
        allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None = None,
        min_share: Share | None = None,
        max_share: Share | None = None,
        min_size: Size = 1,
        max_size: Size | None = None,
        min_members: Share = 1,
        exclusive: bool = False,
        total: Hashable = None,
        objective: str = "k-means",
        init: Init = "k-means",
        n_init: int = 1,
        prefix: str | Iterable[tuple[Hashable, int]] | None = "assignment",
        n_swaps: int = 0,
        connect: bool = False,
        max_iter: int = 100,
        tol: float = 1e-4,
        gap: float = 1e-4,
        time_limit: float | None = None,
        solver: str = "certified",
        missing: str = "error",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.allowed = allowed
        self.min_share = min_share
        self.max_share = max_share
        self.min_size = min_size
        self.max_size = max_size
        self.min_members = min_members
        self.exclusive = exclusive
        self.total = total
        self.objective = objective
        self.init = init
        self.n_init = n_init
        self.prefix = prefix
        self.n_swaps = n_swaps
        self.connect = connect
        self.max_iter = max_iter
        self.tol = tol
        self.gap = gap
        self.time_limit = time_limit
        self.solver = solver
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def fit(
        self,
        X: ArrayOrSparse,
        y: object = None,
        *,
        sensitive_features: object = None,
        sample_weight: ArrayLike | None = None,
        together: object = None,
        neighbours: ArrayOrSparse | None = None,
    ) -> "MiniReL":
        """Cluster the points so that every promise is kept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The points. Sparse data stays sparse; float32 stays float32.
        y : ignored
            Not used; pipelines pass it. Where `beta` asks for clusters and there are no groups, a warning
            says so.
        sensitive_features : array-like, Series or frame of n_samples rows, optional
            The groups: the values of a column, of several columns (named ``"column=value"``), or membership
            (several columns of booleans, or of 0 and 1, named by the column); with `total`, numbers of
            members. None asks for no representation, which is k-means.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each point in the cost, the sizes and, without `total`, the shares. Points are never
            divided.
        together : array-like of shape (n_samples,), optional
            One label per point, such as its household: points of one label go to one cluster. A point without
            a label (None or NaN) is alone. For k-means only: the points of a label are as one at their mean,
            and what they cost beyond that is the same everywhere.
        neighbours : array-like of shape (n_pairs, 2) or sparse matrix, optional
            Which points are neighbours, as pairs of their indices or as an adjacency matrix of shape
            (n_samples, n_samples): `audit_` then says in how many pieces each cluster is, and `connect`
            connects them. Points that stay together count as neighbours of each other.

        Returns
        -------
        MiniReL
            The fitted estimator.

        Raises
        ------
        InfeasibleFairnessError
            If no clustering can keep what is asked, with the conflict and the nearest request that can.
        NothingFoundError
            If none was found within `time_limit` or the effort of the search, and none is known not to exist.
        """
        if y is not None and sensitive_features is None:
            warn_of_no_groups(self.beta)
        numbers = read_numbers(self.get_params(deep=False))
        n_clusters, n_init, n_swaps = (numbers[name] for name in ("n_clusters", "n_init", "n_swaps"))
        gap, deadline = read_options(self.solver, self.gap, self.time_limit)
        chance = self._read_random_state()
        objective = read_objective(self.objective)
        callbacks = read_callbacks(self.callback, self.verbose)
        points, features, weight = self._read(X, sensitive_features, sample_weight, together, neighbours)
        init = read_init(self.init, n_clusters, points)
        n = points.shape[0]
        groups = read_people(features, self.total, n_points=n, missing=self.missing)
        weights, units = read_weights(weight, n), read_units(together, n, self.objective)
        graph = read_graph(neighbours, n, units, connect=bool(self.connect))
        fitted = Everyone(weighed(groups, weights), weights, units, neighbours=graph)
        if units is not None:
            fitted = replace(fitted, scatter=units.scatter(points, weights))
            points = units.means(points, weights)
            groups, weights = units.groups(groups, weights), units.weights(weights)
        request = request_of(self.get_params(deep=False), n, n_clusters, groups, weights).until(deadline)
        request.check()
        n_init, init = worthwhile_starts(n_init, init, points, request)

        with Workers(self.n_jobs) as workers:
            rules = Rules(self.solver, gap, numbers["max_iter"], numbers["tol"], deadline, workers)
            to_connect = fitted.units_to_connect if self.connect else None
            restarts = Restarts(points, objective, init, request, rules, fitted.constant, to_connect)
            best, history = restarts.best_of(n_init, n_swaps, chance, callbacks)
        best = fitted.expanded(best)
        self._keep(best, history, request, fitted)
        warn_of_limits(best, self.get_params(deep=False))
        if self.connect:
            warn_of_pieces(self.audit_.disconnected, n_clusters)
        return self

    def fit_predict(self, X: ArrayOrSparse, y: object = None, **params: Any) -> NDArray[np.intp]:
        """Cluster the points and return `labels_`; takes what `fit` takes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The points.
        y : ignored
            Not used; pipelines pass it.
        **params : dict
            `sensitive_features`, `sample_weight`, `together` and `neighbours`, as in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each point.
        """
        return self.fit(X, y, **params).labels_

    def predict(self, X: ArrayOrSparse) -> NDArray[np.intp]:
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

    def transform(self, X: ArrayOrSparse) -> Matrix:
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

    def score(self, X: ArrayOrSparse, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the cost of the points in their nearest clusters, as in k-means.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.
        y : ignored
            Not used; pipelines pass it.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each point.

        Returns
        -------
        float
            The higher the better.
        """
        nearest = self._distances(X).min(axis=1).astype(np.float64)
        if self.objective == "k-means":
            nearest = nearest**2
        return -float(read_weights(sample_weight, len(nearest)).times(nearest).sum())

    def assign(
        self,
        X: ArrayOrSparse,
        sensitive_features: object,
        *,
        prefix: str | Iterable[tuple[Hashable, int]] | None = "fitted",
        beta: int | str | Mapping[Hashable, int] | None = None,
        min_size: Size | None = None,
        max_size: Size | None = None,
        sample_weight: ArrayLike | None = None,
        time_limit: float | None = None,
    ) -> Assignment:
        """The fair assignment of a batch of new points to the fitted centers.

        Whoever holds a cluster of the fit (`prefix_`) has its share of the new points in it as well, so that
        the promises also hold for the points fitted and all batches taken together. A batch may be as small
        as a single point: clusters may stay empty, and one held by a group that does not occur in the batch
        does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The new points. Those fitted do not count in their shares and sizes.
        sensitive_features : array-like, Series or frame of n_samples rows
            The groups of the new points, in columns as those fitted. To groups that the fit did not know
            nothing is promised, with a warning; a batch of no others is refused, since names may be amiss.
        prefix : {"fitted", "assignment", "local_cost", ...}, list of (group, cluster) or None
            Which clusters represent which groups: those of the fit, those you list, or as many as `beta`
            says, chosen for this batch by a pre-fix cost or, with None, as part of the problem, which is
            slower.
        beta : int, str or mapping of group to int, optional
            Number of clusters in which each group is to be represented within the batch. They are chosen as
            in the fit, unless `prefix` says otherwise. If needed and not given, as many as in the fit
            (`beta_`), for the groups that occur in the batch.
        min_size, max_size : float, optional
            Smallest and largest weight of a cluster within the batch: those of the fit are about its own
            points. By default there is no largest, and clusters may be empty unless `beta` counts them.
            Shares in every cluster are as in the fit; `min_members` is not asked of a batch.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each point.
        time_limit : float, optional
            Seconds after which the best assignment found is returned, with a warning; by default that of
            the estimator.

        Returns
        -------
        Assignment
            Labels with cost, lower bound, gap and status, as from `fair_assignment`.

        Raises
        ------
        InfeasibleFairnessError
            If no assignment of this batch keeps what is asked, with the conflict and the nearest request
            that can be met.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from minirel import MiniReL
        >>> X, species = load_iris(return_X_y=True)
        >>> model = MiniReL(6, random_state=0).fit(X, sensitive_features=species)
        >>> batch = model.assign(X[48:52], species[48:52])
        >>> [(0, k) in model.prefix_ for k in batch.labels]
        [True, True, False, False]
        """
        check_is_fitted(self)
        points = read_X(self, X, self.objective, reset=False)
        weights = read_weights(sample_weight, points.shape[0])
        with np.errstate(over="ignore"):
            costs = OBJECTIVES[self.objective](points, None).costs(self.cluster_centers_)
        what = f"{name_of_costs(OBJECTIVES[self.objective])} from the centers"
        check_scale("X", X, what, float(costs.max()) * costs.size, weights, len(costs))
        return self._assign(
            costs,
            sensitive_features,
            weights,
            prefix=prefix,
            beta=beta,
            min_size=min_size,
            max_size=max_size,
            time_limit=time_limit,
        )

    def _assign(
        self,
        costs: Costs,
        sensitive_features: object,
        sample_weight: ArrayLike | Weights | None,
        *,
        prefix: str | Iterable[tuple[Hashable, int]] | None,
        beta: int | str | Mapping[Hashable, int] | None,
        min_size: Size | None,
        max_size: Size | None,
        time_limit: float | None,
    ) -> Assignment:
        """The fair assignment of points with these costs at the fitted centers."""
        return assign_batch(
            costs,
            sensitive_features,
            Fitted(self.prefix_, self.beta_, self.prefix, self.allowed),
            prefix=prefix,
            beta=beta,
            min_size=min_size,
            max_size=max_size,
            alpha=self.alpha,
            min_share=self.min_share,
            max_share=self.max_share,
            exclusive=self.exclusive,
            total=self.total,
            sample_weight=sample_weight,
            gap=self.gap,
            time_limit=self.time_limit if time_limit is None else time_limit,
            solver=self.solver,
            missing=self.missing,
        )

    def _read(
        self, X: Any, sensitive_features: object, sample_weight: Any, together: object, neighbours: object
    ) -> tuple[Data, object, ArrayLike | Weights | None]:
        """The points of a fit, validated, and what is known of them; the last two are read later."""
        return read_X(self, X, self.objective, reset=True), sensitive_features, sample_weight

    def _keep(self, best: Clustering, history: History, request: Request, fitted: Everyone) -> None:
        assignment = best.assignment
        self.result_ = Result(
            labels=assignment.labels,
            centers=best.centers,
            cost=assignment.cost,
            lower_bound=assignment.lower_bound,
            gap=assignment.gap,
            status=assignment.status,
            covers=assignment.covers,
            prefix=assignment.prefix,
            prices=assignment.prices,
            groups=replace(fitted.groups),  # without the table of points and groups, if that was made
            weights=fitted.weights,
            together=fitted.units,
            fairness=request.fairness,
            trace=best.trace,
            audit=audit_fit(
                assignment.labels, fitted.groups, fitted.weights, request.fairness, fitted.neighbours
            ),
            history=tuple(history.records),
            stop=best.stop,
            objective=self.objective,
            init=init_name(self.init),
            n_init=best.n_runs,
            n_swaps=sum(record.swap > 0 for record in history.records),
            start_swaps=best.start_swaps,
            asked_gap=float(self.gap),
        )
        self.labels_: NDArray[np.intp] = assignment.labels
        self.cluster_centers_: Matrix = best.centers
        self.inertia_: float = assignment.cost
        self.n_iter_: int = sum(record.swap == 0 for record in history.records)
        self.prefix_: list[tuple[Hashable, int]] = assignment.prefix
        self.assignment_: Assignment = assignment
        self.lower_bound_: float = assignment.lower_bound
        self.gap_: float = assignment.gap
        self.status_: str = assignment.status
        self.stop_: str = best.stop
        self.beta_: dict[Hashable, int] = dict(zip(request.groups.names, request.fairness.beta, strict=True))
        self.history_: list[Iteration] = history.records
        self.audit_: Audit = self.result_.audit
        self.disconnected_: list[int] = [k for k in range(len(best.centers)) if k in self.audit_.disconnected]
        self._n_features_out = request.fairness.n_clusters

    def _distances(self, X: ArrayOrSparse) -> Matrix:
        check_is_fitted(self)
        points = read_X(self, X, self.objective, reset=False)
        return OBJECTIVES[self.objective](points, None).distances(points, self.cluster_centers_)

    def _read_random_state(self) -> np.random.RandomState:
        try:
            chance: np.random.RandomState = check_random_state(self.random_state)
        except ValueError as error:
            rule = Message("must be a whole number from 0 to 4294967295", GENERATOR)
            raise ParameterValueError("random_state", rule, self.random_state) from error
        return chance

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._at_a_glance()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**options))
        if "text/html" in bundle:
            bundle["text/html"] += self._at_a_glance()
        return bundle

    def _at_a_glance(self) -> str:
        """What a notebook shows below scikit-learn's diagram: the promises and the proof, once there are."""
        return str(result_html(self.result_)) if hasattr(self, "result_") else ""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = (
            OBJECTIVES[self.objective].accepts_sparse if self.objective in OBJECTIVES else False
        )
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
