"""`fit_report`: the page of a fitted model."""

from collections.abc import Mapping, Sequence
from typing import Any

from minirel.estimator import MiniReL
from minirel.outcome.explanation import Explanation, explain
from minirel.outcome.result import result_of
from minirel.points.errors import ParameterValueError
from minirel.points.numbers import amount
from minirel.report import costs, proof
from minirel.report.holders import holders
from minirel.report.margins import margins
from minirel.report.markup import tag
from minirel.report.moves import moves
from minirel.report.names import Names
from minirel.report.page import COST_WORDS, WORDS, page
from minirel.report.promises import promises
from minirel.report.repeat import repeat_fit
from minirel.report.source import Source


def fit_report(
    model: MiniReL,
    *,
    title: str,
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
    >>> page = fit_report(model, title="Iris", next_clusters=next_clusters(model, X))
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
    about = (
        f"{amount(len(result.labels), 'point')} in {amount(len(clusters), 'cluster')}, with "
        f"{amount(len(groups), 'group')}."
    )
    if result.weights.units is not None:
        what = "sizes and costs" if result.audit.has_totals else "members, sizes, shares and costs"
        about += f" Points have weights: {what} are counted by weight."
    lead = [
        tag("p", about, class_="about"),
        tag("p", f"{costs.in_short(result, why)} {proof.in_short(result)}", class_="about"),
    ]
    sections = [
        promises(1, audit, groups, clusters),
        holders(2, audit, groups, clusters, served),
        costs.costs(3, result, why, groups),
        moves(4, result, why, groups, row_names),
        margins(5, result, next_clusters, why, groups),
        proof.proof(6, result, groups),
        repeat_fit(7, model, source),
    ]
    return page(title, lead, sections, [*WORDS, *COST_WORDS])
