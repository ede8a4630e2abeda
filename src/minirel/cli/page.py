"""The report as bytes of a page, by way of `minirel.report`."""

import time
from os.path import basename
from typing import TYPE_CHECKING, Any

from minirel.cli.table import Source as File
from minirel.cli.typed import typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from minirel import Audit, Explanation, Frontier, MiniReL
    from minirel.cli.points import Points
    from minirel.outcome.plane import Plane
    from minirel.report import Source


def _source(
    table: File, uses: dict[str, str], rows: "NDArray[np.bool_]", missing: str | None, seconds: float | None
) -> "Source":
    """The file, of which `rows` were used, with what --missing says."""
    from minirel.report import Source

    return Source(
        name=basename(table.name),
        n_rows=table.n_rows,
        n_columns=len(table.columns),
        fingerprint=table.fingerprint,
        command=typed(),
        columns=tuple(uses.items()),
        seconds=seconds,
        n_left_out=table.n_rows - int(rows.sum()),
        lacking="no group" if missing == "mean" else "missing cells",
        missing=f"--missing {missing}" if missing else "",
    )


def fit_page(model: "MiniReL", why: "Explanation", table: File, points: "Points", started: float) -> bytes:
    """The page of a fit, with what one more cluster would cost in what is left of the time limit."""
    from minirel import next_clusters
    from minirel.cli.describe import describe
    from minirel.report import fit_report

    seconds = time.perf_counter() - started
    left = None if model.time_limit is None else max(float(model.time_limit) - seconds, 1e-3)
    title = f"Fair clustering of {basename(table.name)}"
    page = fit_report(
        model,
        title=title,
        explanation=why,
        profile=describe(model, points.features),
        plane=_plane(model, points),
        next_clusters=next_clusters(model, points.features.X, time_limit=left),
        source=_source(table, points.uses, points.rows, points.missing, seconds),
        row_names=points.row_names,
    )
    return page.encode()


def _plane(model: "MiniReL", points: "Points") -> "Plane | None":
    """The map, where the file has coordinates, else the features in two dimensions."""
    from minirel.outcome.plane import MOST_POINTS, map_of, plane

    if points.coordinates is not None:
        found = map_of(model, *points.coordinates, max_points=MOST_POINTS)
        if found is not None:
            return found
    features = points.features
    return plane(model, features.X, max_points=MOST_POINTS, feature_names=features.names)


def audit_page(
    audit: "Audit",
    table: File,
    uses: dict[str, str],
    rows: "NDArray[np.bool_]",
    missing: str | None,
    seconds: float,
) -> bytes:
    """The page of an audit, for which `rows` of the file were counted."""
    from minirel.report import audit_report

    source = _source(table, uses, rows, missing, seconds)
    page = audit_report(audit, title=f"Audit of {basename(table.name)}", source=source)
    return page.encode()


def frontier_page(
    found: "Frontier",
    table: File,
    points: "Points",
    seconds: float,
    *,
    budget: float,
    choose_k: "Mapping[str, Any] | None",
    commands: "Sequence[str]",
    reasons: "Sequence[str]",
) -> bytes:
    """The page of a frontier."""
    from minirel.report import frontier_report

    page = frontier_report(
        found,
        title=f"What can be promised in {basename(table.name)}",
        budget=budget,
        choose_k=choose_k,
        commands=commands,
        reasons=reasons,
        source=_source(table, points.uses, points.rows, points.missing, seconds),
    )
    return page.encode()
