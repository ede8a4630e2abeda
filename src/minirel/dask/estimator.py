"""`MiniReL` for Dask arrays and frames: the fit of `minirel.MiniReL`, with its passes on the workers."""

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from minirel import estimator as local
from minirel.assignment.costs import cheapest_clusters
from minirel.assignment.request import Request
from minirel.assignment.solve import Assignment
from minirel.clustering.cost_table import cost_table
from minirel.clustering.ending import Clustering
from minirel.clustering.everyone import Everyone
from minirel.clustering.history import History
from minirel.clustering.objectives import Data, KMeansObjective
from minirel.dask.cluster import Cluster
from minirel.dask.partitions import is_dask
from minirel.dask.reading import read
from minirel.points.errors import ParameterValueError
from minirel.points.groups import Groups
from minirel.points.weights import Weights
from minirel.promises.fairness import Size


class MiniReL(local.MiniReL):
    """K-means in which every group is represented where it was promised, of points on a Dask cluster.

    It takes what `minirel.MiniReL` takes, and the answer is the same, label for label, however many workers
    there are and however the data is chunked: what differs is where the passes over the points run. The
    workers keep the points, in chunks of whole blocks, and send back sums, the points near a border, and a
    few bytes for each point. ``docs/scale.md`` says how many, and what happens when a worker dies.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    client : distributed.Client, optional
        The cluster; the current client if None. A model is pickled without it.
    **parameters
        As of `minirel.MiniReL`, except that `objective` must be "k-means" and `solver` "certified". An
        `init` other than "k-means", "random" and given centers is for less than 10,000,000 values, which it
        fetches. `n_jobs` is about runs of `n_init` side by side.

    Attributes
    ----------
    labels_ : dask.array.Array of shape (n_samples,)
        Cluster of each point, in chunks as `X` had them.
    result_ : Result
        As of `minirel.MiniReL`, with a few arrays by point, in memory here.

    All others are as of `minirel.MiniReL`.

    See Also
    --------
    minirel.MiniReL : For data in memory, or in a memory map.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from minirel.dask import MiniReL
    >>> X, species = load_iris(return_X_y=True)
    >>> with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"):
    ...     points, groups = (da.from_array(each, chunks=40) for each in (X, species))
    ...     model = MiniReL(6, beta="statistical_parity", random_state=0)
    ...     model = model.fit(points, sensitive_features=groups)
    ...     labels = model.labels_.compute()
    >>> model.audit_.n_represented
    (2, 2, 2)
    >>> len(labels)
    150
    """

    def __init__(self, n_clusters: int = 8, *, client: Client | None = None, **parameters: Any) -> None:
        super().__init__(n_clusters, **parameters)
        self.client = client

    def predict(self, X: Any) -> Any:
        """The nearest center of each point, as in k-means: nothing is promised to the groups among them.

        Parameters
        ----------
        X : Dask array or frame, or array-like
            Points.

        Returns
        -------
        dask.array.Array or ndarray of shape (n_samples,)
            Index of the nearest center of each: lazily for Dask data.
        """
        return self._by_part(X, local.MiniReL.predict, np.empty(0, dtype=np.intp))

    def transform(self, X: Any) -> Any:
        """Distance of each point from each center.

        Parameters
        ----------
        X : Dask array or frame, or array-like
            Points.

        Returns
        -------
        dask.array.Array or ndarray of shape (n_samples, n_clusters)
            Euclidean distances: lazily for Dask data.
        """
        check_is_fitted(self)
        return self._by_part(X, local.MiniReL.transform, np.empty((0, len(self.cluster_centers_))))

    def score(self, X: Any, y: object = None, sample_weight: Any = None) -> float:
        """Minus the cost of the points in their nearest clusters, as in k-means.

        Parameters
        ----------
        X : Dask array or frame, or array-like
            Points.
        y : ignored
            Not used; pipelines pass it.
        sample_weight : Dask array or series, or array-like, of shape (n_samples,), optional
            Weight of each point.

        Returns
        -------
        float
            The higher the better.
        """
        if not is_dask(X):
            return super().score(X, y, sample_weight)
        cluster = Cluster(self.client)
        found = read(X, None, sample_weight, missing=self.missing, cluster=cluster)
        costs = cost_table(KMeansObjective(found.points, None), self.cluster_centers_)
        return -float(found.weights.times(cheapest_clusters(costs)[1]).sum())

    def assign(
        self,
        X: Any,
        sensitive_features: Any,
        *,
        prefix: str | Iterable[tuple[Hashable, int]] | None = "fitted",
        beta: int | str | Mapping[Hashable, int] | None = None,
        min_size: Size | None = None,
        max_size: Size | None = None,
        sample_weight: Any = None,
        time_limit: float | None = None,
    ) -> Assignment:
        """The fair assignment of a batch of new points to the fitted centers, as of `minirel.MiniReL`.

        Parameters
        ----------
        X : Dask array or frame, or array-like
            The new points.
        sensitive_features : Dask array, series or frame, or array-like
            Their groups, in columns as those fitted.
        prefix, beta, min_size, max_size, time_limit
            As in `minirel.MiniReL.assign`.
        sample_weight : Dask array or series, or array-like, optional
            Weight of each point.

        Returns
        -------
        Assignment
            With `labels` in a Dask array, if `X` is one.
        """
        check_is_fitted(self)
        asked: dict[str, Any] = {"prefix": prefix, "beta": beta, "min_size": min_size, "max_size": max_size}
        if not is_dask(X):
            return super().assign(
                X, sensitive_features, sample_weight=sample_weight, time_limit=time_limit, **asked
            )
        self._check_features(X, reset=False)
        found = read(
            X,
            sensitive_features,
            sample_weight,
            missing=self.missing,
            cluster=Cluster(self.client),
            like=self.beta_,
        )
        costs = cost_table(KMeansObjective(found.points, None), self.cluster_centers_)
        assignment = self._assign(costs, found.groups, found.weights, time_limit=time_limit, **asked)
        return replace(assignment, labels=_lazy(assignment.labels, found.lengths))

    def to_local(self) -> local.MiniReL:
        """The fitted model as a `minirel.MiniReL`, which needs neither Dask nor the cluster.

        Returns
        -------
        minirel.MiniReL
            With the same parameters and attributes, and `labels_` in memory.
        """
        check_is_fitted(self)
        model = local.MiniReL()
        for name, value in {**vars(self), "labels_": self.result_.labels}.items():
            if name != "client":
                setattr(model, name, value)
        return model

    def _read(
        self, X: Any, sensitive_features: Any, sample_weight: Any, together: object, neighbours: object
    ) -> tuple[Data, Groups, Weights]:
        self._check_asked(together, neighbours)
        self._check_features(X, reset=True)
        found = read(X, sensitive_features, sample_weight, missing=self.missing, cluster=Cluster(self.client))
        self._lengths = found.lengths
        return found.points, found.groups, found.weights

    def _keep(self, best: Clustering, history: History, request: Request, fitted: Everyone) -> None:
        super()._keep(best, history, request, fitted)
        self.labels_: Any = _lazy(self.result_.labels, self._lengths)
        del self._lengths

    def _check_asked(self, together: object, neighbours: object) -> None:
        """Refuse what has no passes over blocks."""
        way_out = "use minirel.MiniReL, with the data in memory"
        for name, has_passes in (("objective", "k-means"), ("solver", "certified")):
            if getattr(self, name) != has_passes:
                rule = f"must be {has_passes!r} on a cluster"
                raise ParameterValueError(name, rule, getattr(self, name), way_out)
        for name, given in (("total", self.total), ("together", together), ("neighbours", neighbours)):
            if given is not None:
                rule = "must be None on a cluster"
                raise ParameterValueError(name, rule, given, way_out, found=f"is a {type(given).__name__}")
        if self.connect:
            raise ParameterValueError("connect", "must be False on a cluster", self.connect, way_out)

    def _check_features(self, X: Any, *, reset: bool) -> None:
        """Check number and names of the features, or remember them with `reset`."""
        if is_dask(X) and X.ndim == 2:
            like = X._meta if hasattr(X, "columns") else np.empty((0, X.shape[1]))
            validate_data(self, like, reset=reset, skip_check_array=True)

    def _by_part(self, X: Any, of: Callable[..., Any], nothing: NDArray[Any]) -> Any:
        """What a local model says of each part of X."""
        check_is_fitted(self)
        if not is_dask(X):
            return of(self, X)
        self._check_features(X, reset=False)
        like = local.MiniReL(self.n_clusters, objective=self.objective)
        like.cluster_centers_, like.n_features_in_ = self.cluster_centers_, self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            like.feature_names_in_ = self.feature_names_in_
        if hasattr(X, "columns"):
            parts = X.to_delayed()
            shape = (np.nan, *nothing.shape[1:])
            answers = [
                da.from_delayed(dask.delayed(_answer)(p, like, of, nothing), shape, meta=nothing)
                for p in parts
            ]
            return da.concatenate(answers, allow_unknown_chunksizes=True)
        X = X.rechunk({1: -1})
        if nothing.ndim == 1:
            return X.map_blocks(_answer, like, of, nothing, drop_axis=1, meta=nothing)
        return X.map_blocks(_answer, like, of, nothing, chunks=(X.chunks[0], nothing.shape[1:]), meta=nothing)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self) -> "MiniReL":
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")  # not to be copied
        return type(self)(
            **{name: clone(value, safe=False) for name, value in parameters.items()}, client=client
        )


def _with_client(signature: inspect.Signature, client: inspect.Parameter) -> inspect.Signature:
    return signature.replace(parameters=[*signature.parameters.values(), client])


# scikit-learn reads the names of the parameters from here.
MiniReL.__init__.__signature__ = _with_client(  # type: ignore[attr-defined]
    inspect.signature(local.MiniReL.__init__), inspect.signature(MiniReL.__init__).parameters["client"]
)


def _answer(part: Any, model: local.MiniReL, of: Callable[..., Any], nothing: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(of(model, part)) if len(part) else nothing


def _lazy(labels: NDArray[np.intp], lengths: list[int]) -> Any:
    """Labels as a Dask array with chunks of these lengths."""
    return da.from_array(labels, chunks=(tuple(lengths),), name=False)
