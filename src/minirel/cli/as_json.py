"""The whole result as JSON."""

import json
import math
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minirel import Audit, MiniReL
    from minirel.cli.table import Table


def to_bytes(result: dict[str, Any]) -> bytes:
    """Strict JSON: numbers that JSON does not know, such as infinity, are null."""
    return (json.dumps(_plain(result), ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def describe_input(table: "Table", command: str, uses: dict[str, str]) -> dict[str, Any]:
    """Where the result comes from."""
    from minirel import __version__

    return {
        "minirel": __version__,
        "command": command,
        "input": {
            "name": table.name,
            "rows": table.n_rows,
            "sha256": table.fingerprint,
            "columns": uses,
        },
    }


def describe_audit(audit: "Audit") -> dict[str, Any]:
    """Who is represented where: lists by group, and within by cluster."""
    return {
        "satisfied": audit.satisfied,
        "groups": audit.groups,
        "clusters": audit.clusters,
        "alpha": audit.alpha,
        "beta": audit.beta,
        "n_represented": audit.n_represented,
        "n_lacking": audit.n_lacking,
        "sizes": audit.sizes,
        "counts": audit.counts,
        "shares": audit.shares,
        "represented": audit.represented,
        "shortfall": audit.shortfall,
    }


def describe_fit(model: "MiniReL", labels: Any, features: list[str]) -> dict[str, Any]:
    """The clustering, its proof and its price."""
    from minirel import explain

    why = explain(model)
    names = ("n_clusters", "alpha", "beta", "min_size", "max_size", "objective", "prefix", "n_init", "gap")
    return {
        "request": {name: getattr(model, name) for name in (*names, "time_limit", "random_state")},
        "labels": [None if label < 0 else label for label in labels.tolist()],
        "cost": model.inertia_,
        "lower_bound": model.lower_bound_,
        "gap": model.gap_,
        "status": model.status_,
        "n_iter": model.n_iter_,
        "start_cost": why.start_cost,
        "moved": len(why.points),
        "prefix": [{"group": group, "cluster": cluster} for group, cluster in model.prefix_],
        "features": features,
        "centers": model.cluster_centers_,
        "audit": describe_audit(model.audit_),
        "prices": why.prices,
        "by_group": why.by_group,
        "history": [asdict(record) for record in model.history_],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
