"""The report as bytes of a page, by way of `minirel.report`."""

from typing import TYPE_CHECKING

from minirel.cli.table import Source as File
from minirel.cli.typed import typed

if TYPE_CHECKING:
    from minirel import Audit, Explanation, MiniReL
    from minirel.cli.points import Points
    from minirel.report import Source


def _source(table: File, uses: dict[str, str], seconds: float | None) -> "Source":
    from minirel.report import Source

    return Source(
        name=table.name,
        n_rows=table.n_rows,
        n_columns=len(table.columns),
        fingerprint=table.fingerprint,
        command=typed(),
        columns=tuple(uses.items()),
        seconds=seconds,
    )


def fit_page(model: "MiniReL", why: "Explanation", table: File, points: "Points", seconds: float) -> bytes:
    """The page of a fit, with what one more cluster would cost in what is left of the time limit."""
    from minirel import next_clusters
    from minirel.report import fit_report

    left = None if model.time_limit is None else max(float(model.time_limit) - seconds, 1e-3)
    title = f"Fair clustering of {table.name}"
    page = fit_report(
        model,
        title=title,
        explanation=why,
        next_clusters=next_clusters(model, points.features.X, time_limit=left),
        source=_source(table, points.uses, seconds),
        row_names=points.row_names,
    )
    return page.encode()


def audit_page(audit: "Audit", table: File, uses: dict[str, str], seconds: float) -> bytes:
    """The page of an audit."""
    from minirel.report import audit_report

    page = audit_report(audit, title=f"Audit of {table.name}", source=_source(table, uses, seconds))
    return page.encode()
