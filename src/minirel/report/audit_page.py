"""`audit_report`: the page of an audit."""

from minirel.outcome.audit import Audit
from minirel.points.numbers import amount
from minirel.report.holders import holders
from minirel.report.markup import tag
from minirel.report.missing import missing
from minirel.report.names import Names
from minirel.report.page import glossary, page
from minirel.report.promises import promises
from minirel.report.repeat import repeat_audit
from minirel.report.source import Source


def audit_report(result: Audit, *, title: str, source: Source | None = None) -> str:
    """Tell which promises a clustering keeps, whoever made it, on one self-contained page.

    Parameters
    ----------
    result : Audit
        What `minirel.outcome.audit` returned.
    title : str
        Title of the page.
    source : Source, optional
        Where the data came from.

    Returns
    -------
    str
        HTML, to be written as UTF-8. The same audit and arguments give the same page.

    Examples
    --------
    >>> from minirel import audit
    >>> from minirel.report import audit_report
    >>> result = audit([0, 0, 1, 1], ["F", "M", "M", "M"], beta={"F": 1})
    >>> "No, 1 of 1 promise is broken" in audit_report(result, title="Teams")
    True
    """
    groups, clusters = Names(result.groups, "group"), Names(result.clusters, "cluster")
    about = (
        f"{amount(result.sizes.sum().item(), 'member')} in {amount(len(clusters), 'cluster')}, with "
        f"{amount(len(groups), 'group')}."
    )
    left_out = [] if source is None else source.left_out("not counted")
    sections = [
        promises(1, result, groups, clusters, left_out=left_out),
        holders(2, result, groups, clusters),
        missing(3, result, groups, clusters, left_out),
        repeat_audit(4, source),
    ]
    return page(title, tag("p", about, class_="about"), sections, glossary(source))
