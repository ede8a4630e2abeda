"""`frontier`: what can be promised, and what each promise costs."""

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from minirel.assignment.request import read_options
from minirel.clustering.data import ArrayOrSparse, read_X
from minirel.clustering.everyone import Everyone
from minirel.clustering.initialise import read_init
from minirel.clustering.objectives import read_objective
from minirel.clustering.parameters import read_numbers
from minirel.clustering.reading import read_units, request_of
from minirel.estimator import MiniReL
from minirel.frontiers.asked import Asked, read_values, too_many
from minirel.frontiers.fits import Fits
from minirel.frontiers.log import Log
from minirel.frontiers.search import search
from minirel.frontiers.table import Frontier
from minirel.frontiers.work import Progress, Work
from minirel.points.errors import InfeasibleFairnessError, ParameterTypeError, ParameterValueError
from minirel.points.groups import Groups
from minirel.points.members import read_people, weighed
from minirel.points.messages import GENERATOR, Message, Parameter
from minirel.points.weights import Weights, read_weights
from minirel.points.wording import agreeing
from minirel.promises.exact import whole
from minirel.promises.fairness import read_counts

_STOPPED = {
    "time_limit": Message("stopped at ", Parameter("time_limit")),
    "callback": "stopped by callback",
    "interrupted": "interrupted",
}


def frontier(
    X: ArrayOrSparse,
    sensitive_features: object,
    *,
    n_clusters: object,
    alpha: object = 0.51,
    beta: object = "equality_of_opportunity",
    max_share: object = None,
    sample_weight: ArrayLike | None = None,
    together: object = None,
    max_requests: int = 1000,
    resume: str | os.PathLike[str] | None = None,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
    verbose: int = 0,
    **parameters: Any,
) -> Frontier:
    """Find what each of many requests costs, and which of them cannot be kept.

    Every combination of the values given is a request. Each is fitted as `MiniReL` would, and compared with
    plain k-means with as many clusters. Requests share what they find: the starts of k-means, and every
    clustering that keeps another request as well. So a request never costs more than one that asks for more.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The points.
    sensitive_features : array-like, Series or frame of n_samples rows
        The groups, as in `MiniReL.fit`.
    n_clusters : int or list of int
        Numbers of clusters.
    alpha, beta, max_share : value or list of values
        As in `MiniReL`, or a list of such values. A mapping by group is one value.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each point.
    together : array-like of shape (n_samples,), optional
        Points that must stay in one cluster, as in `MiniReL.fit`.
    max_requests : int, default=1000
        An error if there are more requests than that, before any work.
    resume : path, optional
        A file to which every fit is written. If it exists, the fits in it are not made again: a frontier
        that was stopped, even by a kill, goes on, and lists can be extended. Data and other parameters must
        be the same, or it is an error.
    random_state : int, RandomState or None, default=None
        The source of randomness. The same integer gives the same result, for any `n_jobs`.
    n_jobs : int, optional
        Fits to make side by side; -1 for as many as there are cores. None is one at a time, with threads as
        in `MiniReL`.
    time_limit : float, optional
        Seconds for all of it. What is not done by then is left open, with a warning.
    callback : callable, optional
        Called with a `Progress` after each fit. If it returns True, the frontier ends with what is done, as
        it does at a time limit or at a keyboard interrupt.
    verbose : int, default=0
        1 prints a line after each fit.
    **parameters : dict
        Other parameters of `MiniReL`, the same for all requests.

    Returns
    -------
    Frontier
        A table with a row for each request, in the order of the values given: `n_clusters` varies slowest,
        then `alpha`, `beta` and `max_share`.

    Raises
    ------
    ParameterError
        If a parameter cannot be used, before any work.
    InfeasibleFairnessError
        If sizes or least shares, which are the same for all requests, can be kept with none of the numbers of
        clusters, before any work. A request that cannot be kept for its own sake is a row of the table.

    See Also
    --------
    MiniReL : One request.
    next_clusters : What one more cluster would cost for the centers of a fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import frontier
    >>> X, species = load_iris(return_X_y=True)
    >>> found = frontier(X, species, n_clusters=4, alpha=[0.5, 0.8], beta=[{1: 2}, {1: 3}, {1: 4}],
    ...                  random_state=0)
    >>> found.to_frame()[["alpha", "beta", "feasible", "price"]].round(3)
       alpha    beta  feasible  price
    0    0.5  {1: 2}      True  0.000
    1    0.5  {1: 3}      True  0.937
    2    0.5  {1: 4}     False    NaN
    3    0.8  {1: 2}      True  0.118
    4    0.8  {1: 3}      True  8.481
    5    0.8  {1: 4}     False    NaN
    >>> found.within(0.2)[["alpha", "beta"]]
       alpha    beta
    3    0.8  {1: 2}
    >>> found.model(3).audit_.n_represented
    (1, 2, 1)
    """
    template = _template(parameters, n_jobs, time_limit)
    values = read_values(max_requests, n_clusters=n_clusters, alpha=alpha, beta=beta, max_share=max_share)
    seed = _seed(random_state)
    _, deadline = read_options(template.solver, template.gap, time_limit)
    if n_jobs is not None and whole(n_jobs, "n_jobs", "a whole number, or None") == 0:
        way_out = "use 1 for one fit at a time, -1 for one on each core"
        raise ParameterValueError("n_jobs", "must not be 0", n_jobs, way_out, found="")
    numbers = read_numbers(template.get_params(deep=False))
    template.set_params(n_init=numbers["n_init"], n_swaps=numbers["n_swaps"])  # with which starts are counted
    if callback is not None and not callable(callback):
        found = f"is {callback!r} of type {type(callback).__name__}"
        raise ParameterTypeError(
            "callback", "must be a function of a Progress, or None", callback, found=found
        )
    read_objective(template.objective)
    points = read_X(template, X, template.objective, reset=True)
    n = points.shape[0]
    all_k = list(dict.fromkeys(one["n_clusters"] for one in values))
    for k in all_k:
        read_init(template.init, k, points)
    groups = read_people(sensitive_features, template.total, n_points=n, missing=template.missing)
    if groups.n_groups == 0:
        way_out = "give the groups to which something is to be promised"
        raise ParameterValueError("sensitive_features", "must hold groups", None, way_out, found="has none")
    weights, units = read_weights(sample_weight, n), read_units(together, n, template.objective)
    everyone = Everyone(weighed(groups, weights), weights, units)
    asked_of = groups, weights
    if units is not None:
        everyone = replace(everyone, scatter=units.scatter(points, weights))
        asked_of = units.groups(groups, weights), units.weights(weights)
    asked = [_read(template, one, *asked_of, n) for one in values]
    _check_fixed(template, all_k, *asked_of, n)
    weight = None if sample_weight is None else np.asarray(sample_weight)
    # Fits side by side have one thread each.
    threads = None if n_jobs is None else 1
    fits = Fits(points, groups, weight, together, everyone, template, seed, threads, deadline)
    described = fits.description() | ({} if random_state is None else {"random_state": str(seed)})
    log = Log(resume, described, seed)
    fits = replace(fits, seed=log.seed)
    callbacks = _both(callback, verbose)
    work = Work(log, deadline, n_jobs, callbacks)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = search(fits, asked, work)
    finally:
        log.close()
    made = Frontier(asked, table.plain, table.answers, fits, work.stop)
    _warn(caught, made, resume)
    return made


def _template(parameters: dict[str, Any], n_jobs: int | None, time_limit: float | None) -> MiniReL:
    known = signature(MiniReL.__init__).parameters
    for name in parameters:
        if name not in known or name == "self":
            rule = "must be a parameter of frontier or of MiniReL"
            raise ParameterTypeError(name, rule, parameters[name], found="is not")
    if parameters.get("connect"):
        rule, way_out = "must be False in a frontier", "connect the clusters of one request, with MiniReL"
        raise ParameterValueError("connect", rule, parameters["connect"], way_out)
    return MiniReL(**parameters, n_jobs=n_jobs, time_limit=time_limit)


def _seed(random_state: Any) -> int:
    is_number = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if is_number and 0 <= random_state < 2**32:
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    except ValueError as error:
        rule = Message("must be a whole number from 0 to 4294967295", GENERATOR)
        raise ParameterValueError("random_state", rule, random_state) from error


def _read(template: MiniReL, values: dict[str, Any], groups: Groups, weights: Weights, n: int) -> Asked:
    """Read one request; more clusters than there are, for one of several numbers, are only infeasible."""
    model = MiniReL(**{**template.get_params(deep=False), **values})

    def request(**changed: Any) -> Any:
        model.set_params(**changed)
        return request_of(model.get_params(deep=False), n, model.n_clusters, groups, weights)

    beta = values["beta"]
    counts = () if isinstance(beta, str) else read_counts(beta, groups)
    refused = too_many(values, counts, groups.names) if counts else None
    if refused is None:
        return Asked(values, request())
    fewer = {name: min(n, model.n_clusters) for name, n in zip(groups.names, counts, strict=True)}
    nearest: dict[str, object] = {"beta": fewer}
    try:
        request(beta=fewer).check()
    except InfeasibleFairnessError as error:
        nearest |= error.nearest
    return Asked(values, None, InfeasibleFairnessError(refused, nearest=nearest))


def _check_fixed(template: MiniReL, all_k: list[int], groups: Groups, weights: Weights, n: int) -> None:
    """Refuse what no request can keep, whatever it promises: parameters that are the same for all of them."""
    refused = None
    for k in all_k:
        fixed = template.get_params(deep=False) | {"beta": 0, "max_share": None, "prefix": None}
        try:
            request_of(fixed, n, k, groups, weights).check()
        except InfeasibleFairnessError as error:
            refused = refused or error
        else:
            return
    if refused is not None:
        raise refused


def _both(callback: Callable[[Progress], object] | None, verbose: int) -> Callable[[Progress], object] | None:
    if not verbose:
        return callback

    def both(progress: Progress) -> object:
        print(progress, flush=True)
        return None if callback is None else callback(progress)

    return both


def _warn(caught: list[warnings.WarningMessage], made: Frontier, resume: object) -> None:
    """Pass on what fits warned of, each once, and say what is open."""
    if made.stop != "done":
        go_on = "raise the limit" if made.stop == "time_limit" else "start it again"
        way_out = ("; ", go_on, " with the same ", Parameter("resume", value=str(resume)), " to go on")
        said = Message(
            _STOPPED[made.stop],
            f": {made.n_open} of {len(made)} requests {agreeing('is', made.n_open)} open, and others may be ",
            "found cheaper; every promise of those that are answered is kept",
            *(way_out if resume is not None else ()),
        )
        warnings.warn(ConvergenceWarning(said), stacklevel=3)
    told = dict.fromkeys(
        (warning.category, str(warning.message))
        for warning in caught
        if made.stop == "done" or not issubclass(warning.category, ConvergenceWarning)
    )
    for category, message in told:
        warnings.warn(message, category, stacklevel=3)
