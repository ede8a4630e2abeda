"""`fit_report`: the page of a fitted model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.clustering.data import read_X
from minirel.clustering.objectives import OBJECTIVES
from minirel.estimator import MiniReL
from minirel.outcome.coordinates import find_coordinates
from minirel.outcome.explanation import Explanation, explain
from minirel.outcome.plane import MOST_POINTS, Plane, map_of
from minirel.outcome.plane import plane as project
from minirel.outcome.profile import Profile
from minirel.outcome.profile import profile as describe
from minirel.outcome.result import Result, result_of
from minirel.points.columns import read_table
from minirel.points.errors import ParameterValueError
from minirel.points.numbers import amount, rough
from minirel.report import costs, proof
from minirel.report.clusters import clusters_are
from minirel.report.holders import holders
from minirel.report.margins import margins
from minirel.report.markup import Markup, tag
from minirel.report.moves import moves
from minirel.report.names import Names
from minirel.report.page import COST_WORDS, glossary, page
from minirel.report.promises import promises
from minirel.report.repeat import repeat_fit
from minirel.report.source import Source

# Points by which it is seen whether the model was fitted to them.
_LOOKED_AT = 1_000


def fit_report(
    model: MiniReL,
    *,
    title: str,
    X: Any = None,
    feature_names: Sequence[str] | None = None,
    profile: Profile | None = None,
    plane: Plane | None = None,
    next_clusters: Sequence[Mapping[str, Any]] | None = None,
    explanation: Explanation | None = None,
    source: Source | None = None,
    row_names: Sequence[str] | None = None,
) -> str:
    """Tell what a fitted model promised and kept, what that cost and whom, on one self-contained page.

    Parameters
    ----------
    model : MiniReL
        A fitted estimator.
    title : str
        Title of the page.
    X : frame, 2-d array, dict of columns or sparse matrix, optional
        The data in the units in which people know it, as for `minirel.profile`: the page then tells what
        each cluster is. It draws the clusters on a map if there are columns of longitude and latitude, or in
        a plane if `X` is what the model was fitted to.
    feature_names : sequence of str, optional
        Names of the columns of `X`; by default its own.
    profile : Profile, optional
        What `minirel.profile` returned for this model, in place of `X`.
    plane : Plane, optional
        What to draw, in place of `X`.
    next_clusters : list of dict, optional
        What `minirel.next_clusters` returned for this model: what one more cluster for a group would cost.
        The page solves nothing itself, and leaves it out if it is not given.
    explanation : Explanation, optional
        What `minirel.explain` returned for this model, if that has been worked out already.
    source : Source, optional
        Where the data came from.
    row_names : sequence of str, optional
        Name of each point, for the table of those that were moved; by default its number, from 0.

    Returns
    -------
    str
        HTML, to be written as UTF-8. The same model and arguments give the same page, everywhere.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import MiniReL, next_clusters
    >>> from minirel.report import fit_report
    >>> X, species = load_iris(return_X_y=True)
    >>> model = MiniReL(4, beta={1: 3}, random_state=0).fit(X, sensitive_features=species)
    >>> page = fit_report(model, title="Iris", X=X, next_clusters=next_clusters(model, X))
    >>> "Yes, every promise is kept" in page
    True
    """
    result = result_of(model)
    if row_names is not None and len(row_names) != len(result.labels):
        found = f"has {len(row_names)} for {len(result.labels)} points"
        raise ParameterValueError("row_names", "must hold one name per point", row_names, found=found)
    why, audit = explain(model) if explanation is None else explanation, result.audit
    groups, clusters = Names(audit.groups, "group"), Names(audit.clusters, "cluster")
    served: dict[int, list[int]] = {}
    for g, k in result.holders:
        served.setdefault(k, []).append(g)
    if X is not None:
        profile, plane = _described(model, X, feature_names, profile, plane)
    about = (
        f"{amount(len(result.labels), 'point')} in {amount(len(clusters), 'cluster')}, with "
        f"{amount(len(groups), 'group')}."
    )
    if result.weights.units is not None:
        what = "sizes and costs" if result.audit.has_totals else "members, sizes, shares and costs"
        about += f" Points have weights: {what} are counted by weight."
    name = costs.baseline(result)
    left_out = [] if source is None else source.left_out("in no cluster")
    before = (f"With {name}", result.before) if len(groups) else None
    sections: list[Callable[[int], Markup]] = [
        lambda place: promises(place, audit, groups, clusters, before, _price(result, why), left_out),
        lambda place: holders(place, audit, groups, clusters, served),
        lambda place: costs.costs(place, result, why, groups),
        lambda place: moves(place, result, why, groups, row_names),
        lambda place: margins(place, result, next_clusters, why, groups),
        lambda place: proof.proof(place, result, groups),
        lambda place: repeat_fit(place, model, source),
    ]
    if profile is not None or plane is not None:
        sections.insert(1, lambda place: clusters_are(place, profile, plane, audit, groups, served))
    numbered = [make(place) for place, make in enumerate(sections, start=1)]
    return page(title, tag("p", about, class_="about"), numbered, glossary(source, *COST_WORDS))


def _price(result: Result, why: Explanation) -> str:
    """What the promises cost, with a scale, and what is proven of it."""
    total = float(result.weights.times(np.ones(len(result.labels))).sum()) or 1.0
    each = costs.per_member(result)
    scale = f"{rough(why.cost / total)} {each}, against {rough(why.start_cost / total)}"
    return f"{costs.in_short(result, why).removesuffix('.')}: {scale}. {proof.in_short(result)}"


def _described(
    model: MiniReL, X: Any, names: Sequence[str] | None, profile: Profile | None, plane: Plane | None
) -> tuple[Profile, Plane | None]:
    """What each cluster is, and where its points are, from the data itself."""
    if profile is None:
        profile = describe(model, X, feature_names=names)
    if plane is None:
        columns = list(map(str, names if names is not None else getattr(X, "columns", [])))
        found = find_coordinates(columns)
        if found is not None:
            both = [_column(X, columns.index(name)) for name in found]
            plane = map_of(model, *both, max_points=MOST_POINTS)
        elif _is_fitted_to(model, X):
            plane = project(model, X, max_points=MOST_POINTS, feature_names=names)
    return profile, plane


def _column(X: Any, place: int) -> NDArray[np.float64]:
    values = read_table(X).columns[place]
    return np.asarray(values, dtype=np.float64)


def _is_fitted_to(model: MiniReL, X: Any) -> bool:
    """Whether these are numbers in as many columns as the model was fitted to, and what it was fitted to."""
    shape = getattr(X, "shape", None)
    if shape is None or len(shape) != 2 or shape[1] != model.n_features_in_:
        return False
    result = model.result_
    try:
        points = read_X(model, X, result.objective, reset=False)
    except ValueError:
        return False
    own = points[: min(len(result.labels), _LOOKED_AT)]
    costs = OBJECTIVES[result.objective](own, None).costs(result.centers)
    labels = result.labels[: own.shape[0]]
    found = costs[np.arange(len(labels)), labels]
    return bool(np.allclose(found, result.trace.own_cost[: len(labels)], rtol=1e-3, atol=1e-6))
